//! Names within a longer query.

use super::*;

/// Returns an index of agents with these domains, names and descriptions.
fn index(agents: &[(&str, &str, &str)]) -> (tempfile::TempDir, Searcher) {
    let dir = tempfile::tempdir().unwrap();
    let agents = agents.iter().map(|(domain, name, description)| {
        stored(domain, "agent", 1, agent(name, description, Vec::new()))
    });
    build(dir.path(), &agents.collect::<Vec<_>>(), 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    (dir, searcher)
}

const AGENTS: &[(&str, &str, &str)] = &[
    ("winmo.example", "Winmo", "Contacts of advertisers."),
    (
        "prices.example",
        "Price tracker",
        "Tracks the price of anything you buy.",
    ),
    ("zorbel-quimp.example", "Bookings", "Rooms above a tavern."),
    ("table.example", "Book table", "Seats in restaurants."),
    ("camel.example", "GribbelKnod", "Sweets by post."),
    ("xn--bckerkhl-0za9p.example", "Orders", "Loaves on demand."),
    ("evil.example", "winmo.com", "Copies of others."),
    ("one.example", "Blorfing", "Opening hours of museums."),
    ("two.example", "Blorfing", "Opening hours of libraries."),
    ("three.example", "Blorfing", "Opening hours of banks."),
    ("four.example", "Blorfing", "Opening hours of pools."),
];

#[test]
fn a_name_pulls_its_agent_up_whatever_stands_beside_it() {
    let (_dir, searcher) = index(AGENTS);
    for (text, first) in [
        ("winmo price", "winmo.example/agent"),
        ("what does Winmo cost?", "winmo.example/agent"),
        ("opening hours zorbel quimp", "zorbel-quimp.example/agent"),
        (
            "is there parking at Zorbel-Quimp",
            "zorbel-quimp.example/agent",
        ),
        ("WinMo price", "winmo.example/agent"),
        ("menu of gribbelknod", "camel.example/agent"),
        ("menu of Bäckerköhl", "xn--bckerkhl-0za9p.example/agent"),
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(ids(&results).first(), Some(&first), "{text}: {results:#?}");
        assert!(results.fit >= Fit::Good, "{text}: {:?}", results.fit);
        assert!(results.hits[0].score < 100, "{text}");
    }
    let results = searcher.search(&request("winmo")).unwrap();
    assert_eq!(results.hits[0].score, 100);
}

#[test]
fn words_of_the_dictionary_and_common_names_pull_nothing_up() {
    let (_dir, searcher) = index(AGENTS);
    for text in [
        "book table tennis lessons",
        "blorfing invoices",
        "bookings of flights",
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert!(
            results.hits.iter().all(|hit| hit.score < 90),
            "{text}: {results:#?}"
        );
    }
}

#[test]
fn the_address_of_another_site_is_no_name() {
    let (_dir, searcher) = index(AGENTS);
    let results = searcher.search(&request("winmo.com")).unwrap();
    assert!(
        results.hits.iter().all(|hit| hit.score < 100),
        "{results:#?}"
    );
}
