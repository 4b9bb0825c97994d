//! Filters, facet counts, sort orders and pages.

use super::*;
use crate::FacetCount;

#[test]
fn filters_restrict_the_hits_and_facets_count_all_matches() {
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
fn values_of_a_facet_are_alternatives_in_the_query_and_in_filters() {
    let town = Town::new();
    let mut request = request("auth:oauth2");
    assert_eq!(town.searcher.search(&request).unwrap().total, 1);
    let unknown = BTreeMap::from([(Facet::Auth, vec!["unknown".to_owned()])]);
    request.filters = unknown.clone();
    let both = town.searcher.search(&request).unwrap().total;
    request.query = query::parse("");
    assert_eq!(town.searcher.search(&request).unwrap().total + 1, both);
    let in_query = town.search("auth:oauth2 auth:unknown").total;
    assert_eq!(in_query, both);
}

#[test]
fn a_query_without_usable_parts_has_no_hits() {
    let results = Town::new().search("level:Z ?");
    assert_eq!((results.fit, results.total), (Fit::None, 0));
    assert_eq!(results.query.ignored, ["level:Z", "?"]);
}

#[test]
fn hits_of_a_site_are_limited_unless_requested() {
    let town = Town::new();
    let results = town.search("track a parcel");
    assert_eq!(matches(&results).len(), 2);
    assert_eq!(results.total, 4);
    assert_eq!(
        results.more_from_site,
        BTreeMap::from([("parcels.example".to_owned(), 2)])
    );
    let mut request = request("track a parcel");
    request.per_site = 0;
    assert_eq!(matches(&town.searcher.search(&request).unwrap()).len(), 4);
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
fn hits_are_sorted_by_name_or_update() {
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
fn languages_modalities_and_descriptions_are_facets() {
    let dir = tempfile::tempdir().unwrap();
    let mut painter = agent("Painter", "Paints portraits.", Vec::new());
    painter.languages = vec!["pt-BR".to_owned(), "EN".to_owned()];
    painter.input_modes = vec!["text/plain; charset=utf-8".to_owned()];
    painter.output_modes = vec!["image/png".to_owned()];
    painter.interfaces = vec![Interface {
        protocol: "openapi".to_owned(),
        url: "https://painter.example/openapi.json".to_owned(),
        ..Interface::default()
    }];
    let german = "Malt Porträts nach Fotos und liefert sie innerhalb von drei Tagen nach Hause.";
    let mut maler = agent("Maler", german, Vec::new());
    maler.capabilities = vec![Capability {
        input_modes: vec!["image/jpeg".to_owned()],
        ..capability("portrait", "Ein Bild nach einem Foto.", &[])
    }];
    let japanese =
        "お客様のお写真から三日以内に油絵の肖像画を描き、ご自宅までお届けする小さな工房です。";
    let english = "Frames the portraits that others paint, in oak, beech or cherry wood.";
    let agents = [
        stored("painter.example", "painter", 1, painter),
        stored("maler.example", "maler", 2, maler),
        stored(
            "gaka.example",
            "gaka",
            3,
            agent("画家", japanese, Vec::new()),
        ),
        stored(
            "frames.example",
            "frames",
            4,
            agent("Frames", english, Vec::new()),
        ),
    ];
    build(dir.path(), &agents, 9);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let facets = [
        (Facet::Language, "en, de, ja, pt"),
        (Facet::Openapi, "false, true"),
        (Facet::ModalityIn, "image/jpeg, text/plain"),
        (Facet::ModalityOut, "image/png"),
    ];
    let results = searcher.search(&Request {
        facets: facets.map(|(facet, _)| facet).to_vec(),
        ..request("")
    });
    let results = results.unwrap();
    for (facet, expected) in facets {
        let values = results.facets[&facet].iter().map(|it| it.value.as_str());
        assert_eq!(values.collect::<Vec<_>>().join(", "), expected, "{facet:?}");
    }
    let portuguese = searcher.search(&request("lang:pt")).unwrap();
    assert_eq!(ids(&portuguese), ["painter.example/painter"]);
}

#[test]
fn equal_agents_are_ordered_by_level_and_status() {
    let mut agents = Vec::new();
    for (of_level, level) in [(0, Level::A), (1, Level::B), (2, Level::C)] {
        for (of_status, status) in [
            (2, AgentStatus::Failing),
            (0, AgentStatus::Ok),
            (1, AgentStatus::Unknown),
        ] {
            let piano = agent("Pianos", "Tunes pianos at home.", vec![]);
            let points = of_level + of_status;
            let domain = format!("p{points}-{}.example", agents.len());
            let mut stored = stored(&domain, "pianos", 1, piano);
            stored.listing.level = level;
            stored.status = status;
            agents.push(stored);
        }
    }
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let request = Request {
        unfold: true,
        ..request("tune a piano")
    };
    let results = searcher.search(&request).unwrap();
    let points: Vec<&str> = ids(&results)
        .iter()
        .filter_map(|id| id.split('-').next())
        .collect();
    assert_eq!(
        points,
        ["p0", "p1", "p1", "p2", "p2", "p2", "p3", "p3", "p4"]
    );
}

#[test]
fn the_pages_of_an_answer_come_from_one_state_while_vectors_are_added() {
    let dir = tempfile::tempdir().unwrap();
    let agents = town();
    let mut writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    let build = writer.rebuild().unwrap();
    build.add_all(&agents, &SentenceVectors::new()).unwrap();
    writer.switch(build, position(9)).unwrap();
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let page = |after: Option<&Results>| {
        let asked = Request {
            limit: 2,
            after: after.and_then(|it| it.next.clone()),
            generation: after.map(|it| it.generation),
            ..request("book a table and track a parcel in the storm")
        };
        searcher.search(&asked).unwrap()
    };
    let whole = [page(None), page(Some(&page(None)))].map(|it| it.hits);
    let first = page(None);
    assert_eq!(searcher.waiting().unwrap(), 9);
    let ids: Vec<_> = agents.iter().map(|it| it.listing.id.clone()).collect();
    writer
        .apply(&ids, &agents, &vectors(&agents), position(9))
        .unwrap();
    assert_eq!(searcher.waiting().unwrap(), 0);
    assert_ne!(page(None).hits, first.hits);
    assert_eq!([first.hits.clone(), page(Some(&first)).hits], whole);
}

#[test]
fn the_pages_of_an_answer_come_from_one_generation_while_it_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let agents = town();
    build(dir.path(), &agents, 9);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let page = |after: Option<&Results>| {
        searcher.search(&Request {
            limit: 3,
            per_site: 0,
            unfold: true,
            sort: Sort::Name,
            after: after.and_then(|it| it.next.clone()),
            generation: after.map(|it| it.generation),
            ..request("")
        })
    };
    let first = page(None).unwrap();
    let mut writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    let gone: Vec<_> = agents.iter().map(|it| it.listing.id.clone()).collect();
    writer
        .apply(&gone[4..], &[], &SentenceVectors::new(), position(10))
        .unwrap();
    assert_eq!(searcher.generation().unwrap(), 10);
    let second = page(Some(&first)).unwrap();
    let third = page(Some(&second)).unwrap();
    assert_eq!((second.generation, second.total, third.total), (9, 9, 9));
    let mut seen = [ids(&first), ids(&second), ids(&third)].concat();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 9);
    assert_eq!(page(None).unwrap().total, 4);

    // An answer from memory keeps the generation that it came from, as a search does.
    writer
        .apply(&gone[3..4], &[], &SentenceVectors::new(), position(11))
        .unwrap();
    assert_eq!(searcher.keep().unwrap(), (11, 0));
    writer
        .apply(&gone[2..3], &[], &SentenceVectors::new(), position(12))
        .unwrap();
    let of_memory = Request {
        generation: Some(11),
        ..request("")
    };
    assert_eq!(searcher.generation().unwrap(), 12);
    assert_eq!(searcher.search(&of_memory).unwrap().total, 3);

    // A new build takes the place of all generations of the old one.
    drop(writer);
    build(dir.path(), &agents, 13);
    assert_eq!(searcher.generation().unwrap(), 13);
    let error = page(Some(&first)).unwrap_err();
    assert!(
        matches!(error, SearchError::Gone { generation: 9 }),
        "{error}"
    );
}
