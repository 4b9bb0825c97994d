//! Pasted addresses.

use super::*;

#[test]
fn a_pasted_address_matches_its_agents_exactly() {
    let mut agents = town();
    let desk = agent("Desk", "Answers letters.", vec![]);
    agents.push(stored("www.desk.example", "desk", 1, desk));
    let second = agent("Second", "Mesa, mesa and again mesa.", vec![]);
    agents.push(stored("mesa.example", "second", 1, second));
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let mesa = ["mesa.example/mesa-reservations", "mesa.example/second"];
    let table: &[(&str, &[&str])] = &[
        ("https://mesa.example/agents/mesa-reservations", &mesa[..1]),
        ("mesa.example/mesa-reservations", &mesa[..1]),
        ("urn:air:mesa.example:agent:mesa-reservations", &mesa[..1]),
        (
            "https://registry.example/agent/mesa.example/mesa-reservations",
            &mesa[..1],
        ),
        ("https://mesa.example/agents/x", &mesa),
        ("https://mesa.example/.well-known/agent-card.json", &mesa),
        ("http://www.mesa.example", &mesa),
        ("www.mesa.example", &mesa),
        ("MESA.example/", &mesa),
        ("desk.example", &["www.desk.example/desk"]),
        (
            "http://127.0.0.1:8080/agent/mesa.example/mesa-reservations",
            &mesa[..1],
        ),
        ("/site/mesa.example", &mesa),
    ];
    for (text, expected) in table {
        let results = searcher.search(&request(text)).unwrap();
        let exact = results.hits.iter().filter(|hit| hit.score == 100);
        let exact: BTreeSet<&str> = exact.map(|hit| hit.id.as_str()).collect();
        let expected: BTreeSet<&str> = expected.iter().copied().collect();
        assert_eq!(exact, expected, "{text}");
        assert!(expected.contains(ids(&results)[0]), "{text}");
        assert_eq!(results.corrected, [], "{text}");
        // An address is not a need: its words match no other agent.
        let only = text.contains('/') || text.starts_with("www.");
        assert!(!only || results.total == expected.len() as u64, "{text}");
    }
}
