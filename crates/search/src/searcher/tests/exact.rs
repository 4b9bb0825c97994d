//! Queries that are a name, a domain or an id.

use super::*;

/// Searches an index of agents on sites of their own, each with a name, and a capability with an
/// id and a name; returns the hits with score 100.
fn exact(agents: &[(&str, &str, &str)], text: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let agents = agents.iter().enumerate();
    let agents: Vec<StoredAgent> = agents
        .map(|(number, (name, id, capability))| {
            let capabilities = vec![Capability {
                id: (*id).to_owned(),
                name: (*capability).to_owned(),
                ..Capability::default()
            }];
            let agent = agent(name, "Sells fish.", capabilities);
            stored(&format!("site{number}.example"), "agent", 1, agent)
        })
        .collect();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let results = searcher.search(&request(text)).unwrap();
    let exact = results.hits.iter().filter(|hit| hit.score == 100);
    let mut exact: Vec<String> = exact.map(|hit| hit.id.parts().0.to_owned()).collect();
    exact.sort();
    exact
}

#[test]
fn an_id_is_exact_while_the_agents_of_three_domains_have_it() {
    let shop = ("Shop", "find_flights", "Flights");
    let three = [shop, shop, shop, ("Other", "other", "Other")];
    let found = ["site0.example", "site1.example", "site2.example"];
    assert_eq!(exact(&three, "find_flights"), found);
    assert_eq!(exact(&three, "Find_Flights"), found);
    assert!(exact(&[shop; 4], "find_flights").is_empty());
}

#[test]
fn a_sentence_is_exact_as_the_name_of_an_agent_only() {
    let need = "is my boat late today";
    let id = [("Everything", need, "Boats"), ("Other", "other", "Other")];
    assert!(exact(&id, need).is_empty());
    let name = [("Everything", "s1", need), ("Other", "other", "Other")];
    assert!(exact(&name, need).is_empty());
    let own = [(need, "s1", "Boats"), ("Other", "other", "Other")];
    assert_eq!(exact(&own, need), ["site0.example"]);
    // A text without spaces need not be an identifier.
    let japanese = "絵本を借りたい";
    let id = [
        ("Everything", japanese, "Books"),
        ("Other", "other", "Other"),
    ];
    assert!(exact(&id, japanese).is_empty());
}

#[test]
fn a_name_that_is_the_address_of_another_site_is_no_name() {
    for name in [
        "site1.example",
        "https://site1.example/",
        "www.site1.example",
    ] {
        let agents = [(name, "site1.example", "Fish"), ("Other", "other", "Other")];
        assert_eq!(exact(&agents, "site1.example"), ["site1.example"], "{name}");
    }
    let own = [
        ("Site0.example", "fish", "Fish"),
        ("Other", "other", "Other"),
    ];
    assert_eq!(exact(&own, "site0.example"), ["site0.example"]);
}
