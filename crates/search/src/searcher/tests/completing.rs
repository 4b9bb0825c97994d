//! Completions of a prefix.

use super::*;
use crate::Completion;
use crate::SuggestionKind::{self, Capability, Name, Site, Tag};

fn completed(
    searcher: &Searcher,
    prefix: &str,
    agents: &[StoredAgent],
) -> Vec<(String, SuggestionKind, u64)> {
    let found = searcher.suggest(prefix, 10).unwrap();
    Completion::spell(found, agents)
        .into_iter()
        .map(|it| (it.text, it.kind, it.count))
        .collect()
}

#[test]
fn a_prefix_is_completed_from_names_capabilities_tags_and_sites() {
    let (town, agents) = (Town::new(), town());
    let suggest = |prefix: &str| completed(&town.searcher, prefix, &agents);
    let one = |text: &str, kind, count| vec![(text.to_owned(), kind, count)];
    assert_eq!(suggest("TRA"), one("track_parcel", Capability, 4));
    assert_eq!(suggest("mesa r"), one("Mesa reservations", Name, 1));
    assert_eq!(suggest("restau"), one("Restaurants", Tag, 1));
    assert_eq!(suggest("papierkram."), one("papierkram.example", Site, 1));
    assert_eq!(suggest("天気"), one("天気予報", Name, 1));
    let parcels = suggest("p");
    assert_eq!(parcels.len(), 10);
    assert_eq!(town.searcher.suggest("p", 2).unwrap().len(), 2);
    for nothing in ["", "  ", "zz", "\u{0}", "*"] {
        assert_eq!(suggest(nothing), [], "{nothing:?}");
    }
}

#[test]
fn completions_keep_the_spelling_of_the_manifest() {
    let mut office = agent(
        "Österreich Auskunft",
        "",
        vec![capability("Öffnungszeiten", "", &[])],
    );
    office.tags = vec!["Ämter".to_owned()];
    let agents = [
        stored("amt.example", "amt", 1, office),
        stored("lodz.example", "guide", 1, agent("Łódź Guide", "", vec![])),
        stored(
            "ecole.example",
            "ecole",
            1,
            agent("École d'art", "", vec![]),
        ),
        stored("node.example", "node", 1, agent("Node.js", "", vec![])),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for (prefix, text, kind) in [
        ("Öff", "Öffnungszeiten", Capability),
        ("off", "Öffnungszeiten", Capability),
        ("ÖST", "Österreich Auskunft", Name),
        ("osterreich", "Österreich Auskunft", Name),
        ("ämt", "Ämter", Tag),
        ("Łó", "Łódź Guide", Name),
        ("łodz g", "Łódź Guide", Name),
        ("eco", "École d'art", Name),
        ("école", "École d'art", Name),
        ("node.j", "Node.js", Name),
        ("node.e", "node.example", Site),
    ] {
        let first = completed(&searcher, prefix, &agents)
            .into_iter()
            .find(|it| it.1 == kind);
        assert_eq!(first, Some((text.to_owned(), kind, 1)), "{prefix}");
    }
}
