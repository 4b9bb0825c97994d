//! Names with a typing error, and needs that are a few letters from a name.

use super::*;

/// Returns an index of agents with these names, descriptions and capabilities.
fn index(agents: &[(&str, &str, &str)]) -> (tempfile::TempDir, Searcher) {
    let dir = tempfile::tempdir().unwrap();
    let agents = agents.iter().enumerate();
    let agents: Vec<StoredAgent> = agents
        .map(|(number, (name, description, id))| {
            let capabilities = vec![capability(id, "", &[])];
            let agent = agent(name, description, capabilities);
            stored(&format!("site{number}.example"), "agent", 1, agent)
        })
        .collect();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    (dir, searcher)
}

const AGENTS: &[(&str, &str, &str)] = &[
    (
        "Auto guide",
        "Prices of new cars side by side.",
        "compare_cars",
    ),
    (
        "Cat breeds",
        "Compares the characters of cats.",
        "list_breeds",
    ),
    ("Mesa", "Tables for dinner, quimb.", "book_table"),
    ("Choose a rope", "Ropes for climbers.", "measure"),
    ("Pet Finder", "Lost animals.", "search"),
    ("Zorbel Quimp", "Tests.", "run"),
];

#[test]
fn a_need_near_a_name_is_not_that_name() {
    let (_dir, searcher) = index(AGENTS);
    for text in [
        "compare cats",
        "compare wars",
        "compare_wars",
        "book cable",
        "book stable",
        "choose a role",
        "choose a rose",
        // A word of the index that the embedding table lacks.
        "zorbel quimb",
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(results.corrected, [], "{text}");
        let hits = results.hits.iter();
        assert!(
            hits.clone().all(|hit| hit.score < 100),
            "{text}: {results:#?}"
        );
    }
    let results = searcher.search(&request("compare cats")).unwrap();
    assert_eq!(ids(&results)[0], "site1.example/agent");
}

#[test]
fn a_name_with_a_word_that_is_no_word_is_corrected() {
    let (_dir, searcher) = index(AGENTS);
    for (text, first) in [
        ("compare cqrs", "site0.example/agent"),
        ("comapre cars", "site0.example/agent"),
        ("compare_carrs", "site0.example/agent"),
        ("comparcars", "site0.example/agent"),
        ("boook table", "site2.example/agent"),
        ("choose a rpoe", "site3.example/agent"),
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(ids(&results).first(), Some(&first), "{text}: {results:#?}");
        assert_eq!(results.hits[0].score, 100, "{text}");
    }
}

#[test]
fn a_name_with_a_slip_that_makes_another_word_comes_before_chance_matches() {
    let mut agents = AGENTS.to_vec();
    agents.extend([
        ("Pet food", "Food for a pet.", "order"),
        ("Pet toys", "Toys for a pet.", "order"),
    ]);
    let (_dir, searcher) = index(&agents);
    for (text, first, fit) in [
        ("Pet finer", "site4.example/agent", Fit::Good),
        ("book_tale", "site2.example/agent", Fit::Good),
        ("book tabel", "site2.example/agent", Fit::Strong),
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(ids(&results).first(), Some(&first), "{text}: {results:#?}");
        assert_eq!(results.fit, fit, "{text}: {results:#?}");
        assert_eq!(results.corrected.is_empty(), fit < Fit::Strong, "{text}");
    }
}

#[test]
fn a_name_with_a_slip_is_an_answer_even_if_it_makes_a_word_of_another_language() {
    let (_dir, searcher) = index(&[
        ("Playba", "Sends invoices.", "invoices"),
        ("Silka", "Sends invoices.", "invoices"),
        ("Streect", "Sends invoices.", "invoices"),
    ]);
    let found = |text: &str| {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(results.corrected, [], "{text}");
        (results.total, results.fit)
    };
    assert_eq!(found("playa"), (1, Fit::Weak));
    // Another letter makes another word, and the embedding table knows the English ones well.
    assert_eq!(found("silla"), (0, Fit::None));
    assert_eq!(found("street"), (0, Fit::None));
}

#[test]
fn a_word_of_another_language_is_not_corrected() {
    let (_dir, searcher) = index(&[
        (
            "Start page",
            "Start a page, play, and wages paid late; taken.",
            "start",
        ),
        (
            "Locksmith",
            "Opens every door, crane and sill; banco.",
            "open_door",
        ),
    ]);
    for text in [
        "Stadt",
        "plage",
        "playa",
        "dolor",
        "dolor en el pecho",
        "carne",
        "silla",
        "wagen",
        "latte",
        "la mia città",
        "barco",
        "tanken",
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(results.corrected, [], "{text}");
        assert!(results.fit <= Fit::Weak, "{text}: {results:#?}");
    }
    let results = searcher.search(&request("satrt")).unwrap();
    assert_eq!(results.corrected.len(), 1);
}
