//! Very long texts, and very many of them, in agents and queries.

use super::*;
use proptest::prelude::*;
use std::sync::LazyLock;

/// Number of repetitions that exceeds the maximum length of a term of the index.
const LONG: usize = 65_536;

static TOWN: LazyLock<Town> = LazyLock::new(Town::new);

/// Checks that a query is answered consistently.
fn answers(town: &Town, text: &str) {
    let results = town.search(text);
    assert_eq!(
        results.total == 0,
        results.fit == Fit::None,
        "{} bytes",
        text.len()
    );
    let suggestions = town.searcher.suggest(text, 5).unwrap();
    assert!(suggestions.len() <= 5);
}

#[test]
fn queries_of_any_length_and_script_are_answered() {
    for piece in [
        "a",
        "9",
        "é",
        "東",
        "ก",
        "ß",
        "👍🏽",
        "e\u{301}",
        "\u{202E}",
        "-",
        ":",
        "\"",
        "“",
        "'",
        "’",
        ".",
        "/",
        "_",
        "(",
        "*",
        "%",
        "\0",
        "OR ",
        "a ",
        "table ",
        "aB",
        "a.b/c-",
        "東a",
        "site:",
        "is:",
        "site:a.example ",
        "-x ",
        "urn:air:",
        "https://",
        "xn--",
        "table OR ",
    ] {
        for times in [1, 40, LONG] {
            answers(&TOWN, &piece.repeat(times));
            answers(&TOWN, &format!("table {} Lisbon", piece.repeat(times)));
        }
    }
}

#[test]
fn agents_of_any_size_are_indexed_and_found() {
    let pieces = ["a", "é ", "東", "👍🏽", "aB-", "table "];
    let agents = pieces.iter().enumerate().map(|(number, piece)| {
        let text = piece.repeat(LONG);
        let named = |number: usize| capability(&format!("{text}{number}"), &text, &[&text]);
        let mut agent = agent(&text, &text, (0..1).map(named).collect());
        agent.tags = vec![text.clone(), text.clone()];
        agent.languages = vec![text.clone()];
        agent.other_names = vec![text.clone()];
        agent.url = Some(format!("https://huge.example/{text}"));
        agent.provider = Some(Provider {
            name: text.clone(),
            url: Some(text.clone()),
        });
        agent.auth = vec![Auth {
            scheme: text.clone(),
            ..Auth::default()
        }];
        agent.interfaces = vec![Interface {
            protocol: text.clone(),
            url: text,
            ..Interface::default()
        }];
        stored("huge.example", &format!("a{number}"), i64::MAX, agent)
    });
    let mut agents: Vec<_> = agents.collect();
    let many = (0..3_000).map(|it| capability(&format!("table_{it}"), "Books a table.", &[]));
    agents.push(stored(
        "huge.example",
        "many",
        20,
        agent("Many", "Many tables", many.collect()),
    ));
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let town = Town {
        searcher: Searcher::open(dir.path(), embedding::shipped()).unwrap(),
        _dir: dir,
    };
    for text in ["book a table", "many", "東", "a9", "👍🏽", ""] {
        answers(&town, text);
    }
    assert!(town.search("book a table").total > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn queries_with_repetitions_are_answered(
        head in "\\PC{0,8}", piece in "\\PC{1,4}|[a-zß東ก'’._/\\-:\" ]{1,6}", times in 0_usize..5_000, tail in "\\PC{0,8}",
    ) {
        answers(&TOWN, &format!("{head}{}{tail}", piece.repeat(times)));
    }

    /// A cursor comes from the client: its value need not be that of a hit.
    #[test]
    fn any_cursor_gives_a_page(bits: u64, slug in "\\PC{0,12}", position in 0_usize..4, limit in 0_usize..300) {
        let domain = Domain::parse("mesa.example").unwrap();
        let sort = [Sort::Relevance, Sort::Updated, Sort::FirstSeen, Sort::Name][position];
        let after = Some(crate::Cursor { value: f64::from_bits(bits), id: AgentId::new(&domain, &slug), waiting: 0 });
        let request = Request { sort, limit, per_site: limit, after, ..request("table OR parcel") };
        let results = TOWN.searcher.search(&request).unwrap();
        prop_assert!(results.hits.len() <= limit);
    }
}
