//! A small town of agents, searched; and the life of the folder that holds its index.

use super::*;
use crate::search::{FacetCount, IndexWriter, WriteError, writer::Position};
use manifest::agent::{Auth, Interface, Provider};
use manifest::listing::Listing;
use manifest::{Agent, Capability, Level, Timestamp};
use std::collections::BTreeMap;
use store::{AgentStatus, StoredAgent};

mod words;

fn capability(name: &str, description: &str, examples: &[&str]) -> Capability {
    Capability {
        id: name.to_owned(),
        name: name.to_owned(),
        description: Some(description.to_owned()),
        examples: examples.iter().map(|&it| it.to_owned()).collect(),
        ..Capability::default()
    }
}

fn stored(domain: &str, slug: &str, changed: i64, agent: Agent) -> StoredAgent {
    let domain = Domain::parse(domain).unwrap();
    StoredAgent {
        listing: Listing {
            id: AgentId::new(&domain, slug),
            format: "a2a-agent-card".to_owned(),
            level: Level::A,
            agent,
            sources: Vec::new(),
            provenance: BTreeMap::new(),
            conflicts: Vec::new(),
        },
        domain,
        first_seen: Timestamp(changed - 10),
        last_seen: Timestamp(changed),
        changed: Timestamp(changed),
        hash: String::new(),
        status: AgentStatus::Ok,
    }
}

fn agent(name: &str, description: &str, capabilities: Vec<Capability>) -> Agent {
    Agent {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        capabilities,
        ..Agent::default()
    }
}

/// A small town of agents.
fn town() -> Vec<StoredAgent> {
    let mut mesa = agent(
        "Mesa reservations",
        "Reservations for forty restaurants along the Tejo.",
        vec![
            capability(
                "book_table",
                "Reserves a table at a restaurant in Lisbon.",
                &["A table for four on Friday evening"],
            ),
            capability("cancelBooking", "Calls a reservation off.", &[]),
        ],
    );
    mesa.tags = vec!["Restaurants".to_owned(), "lisbon".to_owned()];
    mesa.auth = vec![Auth {
        scheme: "oauth2".to_owned(),
        ..Auth::default()
    }];
    mesa.interfaces = vec![Interface {
        protocol: "a2a".to_owned(),
        url: "https://mesa.example/a2a".to_owned(),
        ..Interface::default()
    }];
    let guide = agent(
        "Lisbon guide",
        "Stories of Lisbon: how to book a fado evening, where a table is worth the wait.",
        vec![capability(
            "tell_story",
            "Tells a story about a street.",
            &[],
        )],
    );
    let mut weather = agent(
        "Weather desk",
        "Forecasts for Portugal.",
        vec![
            capability(
                "getForecast",
                "Weather forecast for a town, seven days.",
                &[],
            ),
            capability("storm.alert", "Warns of storms.", &[]),
        ],
    );
    weather.provider = Some(Provider {
        name: "Atlantic Observatory".to_owned(),
        url: None,
    });
    let invoices = agent(
        "Papierkram",
        "Rechnungen für kleine Betriebe.",
        vec![capability(
            "create_invoice",
            "Writes an invoice as PDF.",
            &["Invoice my client for three hours"],
        )],
    );
    let tokyo = agent("天気予報", "東京の天気をお知らせします。", vec![]);
    let mut all = vec![
        stored("mesa.example", "mesa-reservations", 500, mesa),
        stored("guide.example", "lisbon-guide", 400, guide),
        stored("weather.example", "weather-desk", 300, weather),
        stored("papierkram.example", "papierkram", 200, invoices),
        stored("tenki.example", "tenki", 100, tokyo),
    ];
    for number in 0_i64..4 {
        let clone = agent(
            &format!("Parcel bot {number}"),
            "Tracks parcels.",
            vec![capability("track_parcel", "Tells where a parcel is.", &[])],
        );
        all.push(stored(
            &format!("p{number}.parcels.example"),
            "parcel-bot",
            600 + number,
            clone,
        ));
    }
    all[3].listing.format = "zervice".to_owned();
    all[3].listing.level = Level::C;
    all
}

fn build(dir: &Path, agents: &[StoredAgent], seq: u64) {
    let mut writer = IndexWriter::open(dir).unwrap();
    let build = writer.rebuild().unwrap();
    for agent in agents {
        build.add(agent).unwrap();
    }
    writer.switch(build, position(seq)).unwrap();
}

fn position(seq: u64) -> Position {
    Position {
        seq,
        fingerprint: String::new(),
    }
}

fn request(text: &str) -> Request {
    Request {
        text: text.to_owned(),
        filters: BTreeMap::new(),
        sort: Sort::Relevance,
        per_site: 2,
        limit: 10,
        after: None,
        facets: Vec::new(),
    }
}

fn ids(results: &Results) -> Vec<&str> {
    results.hits.iter().map(|hit| hit.id.as_str()).collect()
}

struct Town {
    searcher: Searcher,
    _dir: tempfile::TempDir,
}

impl Town {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        build(dir.path(), &town(), 9);
        Self {
            searcher: Searcher::open(dir.path()).unwrap(),
            _dir: dir,
        }
    }

    fn search(&self, text: &str) -> Results {
        self.searcher.search(&request(text)).unwrap()
    }
}

#[test]
fn a_need_finds_the_agent_that_meets_it_first() {
    let town = Town::new();
    let table: &[(&str, &str, Fit)] = &[
        (
            "book a table for four in Lisbon",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        (
            "I need someone who can reserve a restaurant table",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        (
            "what will the weather be like",
            "weather.example/weather-desk",
            Fit::Strong,
        ),
        ("getforecast", "weather.example/weather-desk", Fit::Strong),
        ("get_forecast", "weather.example/weather-desk", Fit::Strong),
        ("storm alerts", "weather.example/weather-desk", Fit::Strong),
        ("storm.alert", "weather.example/weather-desk", Fit::Strong),
        (
            "invoice for a client",
            "papierkram.example/papierkram",
            Fit::Strong,
        ),
        (
            "RECHNUNGEN FUR BETRIEBE",
            "papierkram.example/papierkram",
            Fit::Strong,
        ),
        ("東京の天気", "tenki.example/tenki", Fit::Strong),
        (
            "weather.example",
            "weather.example/weather-desk",
            Fit::Strong,
        ),
        (
            "mesa reservations",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        ("observatory", "weather.example/weather-desk", Fit::Good),
        ("reserv*", "mesa.example/mesa-reservations", Fit::Strong),
        (
            "\"table for four\"",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        (
            "hotel OR invoice",
            "papierkram.example/papierkram",
            Fit::Strong,
        ),
    ];
    for (text, first, fit) in table {
        let results = town.search(text);
        assert_eq!(ids(&results).first(), Some(first), "{text}: {results:#?}");
        assert_eq!(results.fit, *fit, "{text}: {:?}", results.hits[0]);
    }
}

#[test]
fn one_capability_that_does_it_beats_a_description_that_mentions_it() {
    let does = agent(
        "Mesa",
        "",
        vec![capability("book_table", "Reserves a table in Lisbon.", &[])],
    );
    let talks = agent(
        "Guide",
        "We write about Lisbon: book fairs, table tops.",
        vec![],
    );
    let dir = tempfile::tempdir().unwrap();
    let both = [
        stored("talks.example", "guide", 1, talks),
        stored("does.example", "mesa", 1, does),
    ];
    build(dir.path(), &both, 1);
    let searcher = Searcher::open(dir.path()).unwrap();
    let results = searcher.search(&request("book table lisbon")).unwrap();
    assert_eq!(ids(&results).first(), Some(&"does.example/mesa"));
}

#[test]
fn what_nobody_does_finds_nobody_and_says_so() {
    let town = Town::new();
    for text in [
        "knit a woollen sweater",
        "sell my house by auction tomorrow",
        "zzzzqqq",
        "weather -forecasts -weather",
        "\"four for table\"",
    ] {
        let results = town.search(text);
        assert_eq!(
            (ids(&results), results.total, results.fit),
            (vec![], 0, Fit::None),
            "{text}"
        );
    }
}

#[test]
fn a_query_of_one_common_word_among_several_is_no_match() {
    let results = Town::new().search("violin lessons for beginners in Lisbon");
    assert_eq!(results.fit, Fit::None, "{results:#?}");
}

#[test]
fn the_terms_shown_are_the_informative_words() {
    let results = Town::new().search("Can you book a Table for four in Lisbon?");
    assert_eq!(results.terms, ["book", "table", "four", "lisbon"]);
}

#[test]
fn filters_narrow_and_facets_count_the_whole_match() {
    let town = Town::new();
    let mut request = request("");
    request.facets = vec![Facet::Format, Facet::Level, Facet::Auth];
    let all = town.searcher.search(&request).unwrap();
    assert_eq!(all.total, 9);
    let count = |value: &str, count| FacetCount {
        value: value.to_owned(),
        count,
    };
    assert_eq!(
        all.facets[&Facet::Format],
        [count("a2a-agent-card", 8), count("zervice", 1)]
    );
    request
        .filters
        .insert(Facet::Format, vec!["zervice".to_owned()]);
    let narrow = town.searcher.search(&request).unwrap();
    assert_eq!(ids(&narrow), ["papierkram.example/papierkram"]);
    assert_eq!(
        narrow.facets[&Facet::Format],
        all.facets[&Facet::Format],
        "own filter ignored"
    );
    assert_eq!(narrow.facets[&Facet::Level], [count("C", 1)]);
    assert_eq!(narrow.facets[&Facet::Auth], [count("unknown", 1)]);
    assert_eq!(
        ids(&town.search("auth:oauth2")),
        ["mesa.example/mesa-reservations"]
    );
    assert_eq!(
        ids(&town.search("tag:Restaurants -level:C")),
        ["mesa.example/mesa-reservations"]
    );
    assert_eq!(
        ids(&town.search("cap:STORM.alert")),
        ["weather.example/weather-desk"]
    );
    assert_eq!(town.search("site:nowhere.example").total, 0);
}

#[test]
fn a_site_does_not_fill_the_page_unless_asked_for() {
    let town = Town::new();
    let results = town.search("track a parcel");
    assert_eq!(results.hits.len(), 2);
    assert_eq!(results.total, 4);
    assert_eq!(
        results.more_from_site,
        BTreeMap::from([("parcels.example".to_owned(), 2)])
    );
    let mut request = request("track a parcel");
    request.per_site = 0;
    assert_eq!(town.searcher.search(&request).unwrap().hits.len(), 4);
    assert_eq!(town.search("site:p2.parcels.example").hits.len(), 1);
}

#[test]
fn pages_follow_each_other_without_gap_or_repetition_in_every_order() {
    let town = Town::new();
    for sort in [Sort::Relevance, Sort::Updated, Sort::FirstSeen, Sort::Name] {
        for text in ["", "lisbon OR parcel OR weather OR invoice", "parcel"] {
            let mut request = request(text);
            request.sort = sort;
            request.limit = 100;
            let whole = town.searcher.search(&request).unwrap();
            request.limit = 1;
            let mut paged = Vec::new();
            loop {
                let page = town.searcher.search(&request).unwrap();
                paged.extend(page.hits.iter().map(|hit| hit.id.to_string()));
                assert!(paged.len() <= 20, "{sort:?} {text}: {paged:?}");
                request.after = page.next;
                if request.after.is_none() {
                    break;
                }
            }
            assert_eq!(paged, ids(&whole), "{sort:?} {text}");
        }
    }
}

#[test]
fn orders_are_what_they_say() {
    let town = Town::new();
    let mut request = request("");
    request.per_site = 0;
    request.sort = Sort::Name;
    let names = town.searcher.search(&request).unwrap();
    assert_eq!(
        ids(&names)[..3],
        [
            "guide.example/lisbon-guide",
            "mesa.example/mesa-reservations",
            "papierkram.example/papierkram"
        ]
    );
    assert_eq!(ids(&names)[3], "p0.parcels.example/parcel-bot");
    request.sort = Sort::Updated;
    let updated = town.searcher.search(&request).unwrap();
    assert_eq!(ids(&updated)[0], "p3.parcels.example/parcel-bot");
}

#[test]
fn reasons_name_the_capability_and_mark_the_words() {
    let results = Town::new().search("weather forecast");
    let reason = &results.hits[0].because[0];
    assert_eq!(reason.capability.as_deref(), Some("getForecast"));
    let marked: Vec<_> = reason
        .snippet
        .iter()
        .filter(|it| it.is_match)
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(marked, ["Weather", "forecast"]);
}

#[test]
fn another_word_for_the_same_finds_it_and_says_by_what() {
    let results = Town::new().search("will it rain");
    assert_eq!(ids(&results), ["weather.example/weather-desk"]);
    let reason = &results.hits[0].because[0];
    assert_eq!(reason.field, "meaning");
    assert_eq!(reason.capability.as_deref(), Some("getForecast"));
}

#[test]
fn quotation_marks_of_a_sentence_set_no_condition() {
    let town = Town::new();
    let text =
        "please find me somebody who can get \"the very best table\" in a restaurant in Lisbon";
    assert_eq!(
        ids(&town.search(text)).first(),
        Some(&"mesa.example/mesa-reservations")
    );
    assert_eq!(town.search("\"the very best table\"").total, 0);
}

#[test]
fn odd_queries_are_answered() {
    let town = Town::new();
    for text in [
        "*",
        "-",
        "OR",
        "\"",
        "a:b:c",
        "site:",
        "(((",
        "🦀",
        "\u{0}",
        "the",
        "-parcel",
        "to be or not to be",
    ] {
        town.search(text);
    }
    assert_eq!(town.search("-parcel").total, 5);
}

#[test]
fn a_reader_sees_each_commit_and_each_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let searcher = Searcher::open(dir.path()).unwrap();
    assert!(matches!(
        searcher.search(&request("")),
        Err(SearchError::NotBuilt { .. })
    ));
    build(dir.path(), &town()[..1], 1);
    assert_eq!(searcher.search(&request("")).unwrap().total, 1);
    let mut writer = IndexWriter::open(dir.path()).unwrap();
    assert_eq!(writer.position(), Some(&position(1)));
    let agents = town();
    let all: Vec<_> = agents.iter().map(|it| it.listing.id.clone()).collect();
    writer.apply(&all, &agents[1..3], position(4)).unwrap();
    let results = searcher.search(&request("")).unwrap();
    assert_eq!((results.total, results.generation), (2, 4));
    drop(writer);
    build(dir.path(), &agents, 5);
    let results = searcher.search(&request("")).unwrap();
    assert_eq!((results.total, results.generation), (9, 5));
    let builds = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(builds, 3, "one build, the marker and the lock remain");
}

#[test]
fn a_second_writer_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let first = IndexWriter::open(dir.path()).unwrap();
    let error = IndexWriter::open(dir.path()).unwrap_err();
    assert!(matches!(error, WriteError::Locked { .. }));
    assert!(
        error.to_string().contains(&std::process::id().to_string()),
        "{error}"
    );
    drop(first);
    assert!(IndexWriter::open(dir.path()).is_ok());
}

#[test]
fn a_folder_that_is_not_ours_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("holiday.jpg"), "a picture").unwrap();
    assert!(matches!(
        IndexWriter::open(dir.path()),
        Err(WriteError::Foreign { .. })
    ));
    assert!(matches!(
        Searcher::open(dir.path()),
        Err(SearchError::Foreign { .. })
    ));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_index_is_built_anew() {
    let break_it: [fn(&Path); 4] = [
        |dir| std::fs::write(dir.join("agentdex-index.json"), "{").unwrap(),
        |dir| {
            let text = r#"{"kind":"agentdex-index","version":999,"build":"build-1"}"#;
            std::fs::write(dir.join("agentdex-index.json"), text).unwrap();
        },
        |dir| std::fs::remove_dir_all(dir.join("build-1")).unwrap(),
        |dir| {
            for entry in std::fs::read_dir(dir.join("build-1")).unwrap() {
                let path = entry.unwrap().path();
                if path
                    .extension()
                    .is_some_and(|it| it == "store" || it == "fast")
                {
                    let mut bytes = std::fs::read(&path).unwrap();
                    bytes[3] ^= 0xff;
                    std::fs::write(&path, bytes).unwrap();
                }
            }
        },
    ];
    for (number, damage) in break_it.into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        build(dir.path(), &town(), 9);
        damage(dir.path());
        assert!(
            IndexWriter::open(dir.path()).unwrap().position().is_none(),
            "{number}"
        );
        build(dir.path(), &town(), 9);
        let searcher = Searcher::open(dir.path()).unwrap();
        assert_eq!(searcher.search(&request("parcel")).unwrap().total, 4);
    }
}
