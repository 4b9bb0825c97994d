//! Categories of agents, and similar agents.

use super::*;
use crate::category::Category;

/// Returns restaurants, of which two are of one site, a dentist, and an assistant for anything.
fn street() -> Vec<StoredAgent> {
    let restaurant = |name: &str| {
        let description = "A restaurant. Reserves a table for lunch or dinner and shows the menu.";
        agent(name, description, Vec::new())
    };
    let dentist = "Dental practice: appointments for a check-up, cleaning and fillings.";
    let anything = "A helpful assistant that answers any question.";
    vec![
        stored("sopa.example", "tables", 1, restaurant("Sopa")),
        stored("sal.example", "tables", 2, restaurant("Sal")),
        stored("rua.sal.example", "tables", 3, restaurant("Sal da rua")),
        stored(
            "tooth.example",
            "visits",
            4,
            agent("Tooth", dentist, Vec::new()),
        ),
        stored("any.example", "any", 5, agent("Any", anything, Vec::new())),
    ]
}

/// Builds an index of the street, in which the agents have their vectors if there is an encoder.
fn opened(dir: &Path, models: Option<Models>) -> Searcher {
    let agents = street();
    let vectors = models.and_then(|it| it.encoder);
    let vectors = vectors.map(|it| of_agents(&agents, it)).unwrap_or_default();
    let mut writer = IndexWriter::open(dir, models).unwrap();
    let build = writer.rebuild().unwrap();
    build.add_all(&agents, &vectors).unwrap();
    writer.switch(build, Position::default()).unwrap();
    Searcher::open(dir, models).unwrap()
}

fn neighbours(searcher: &Searcher, agent: &StoredAgent, limit: usize) -> Neighbours {
    searcher.neighbours(&agent.listing.id, limit).unwrap()
}

#[test]
fn similar_agents_are_near_and_of_other_sites() {
    let dir = tempfile::tempdir().unwrap();
    let searcher = opened(dir.path(), embedding::shipped());
    let street = street();
    let found = neighbours(&searcher, &street[0], 3);
    assert_eq!(found.category, Category::find("food"));
    let [only] = &found.similar[..] else {
        panic!("one of both of the same registrable domain: {found:?}");
    };
    assert_eq!(only.parts().1, "tables");
    let found = neighbours(&searcher, &street[1], 3);
    assert_eq!(found.similar, [street[0].listing.id.clone()]);
    assert_eq!(neighbours(&searcher, &street[1], 0).similar, []);
    let dentist = neighbours(&searcher, &street[3], 3);
    assert_eq!(dentist.category, Category::find("health"));
    assert_eq!(dentist.similar, []);
    assert_eq!(neighbours(&searcher, &street[4], 3), Neighbours::default());
}

#[test]
fn an_agent_that_is_unknown_or_has_no_vector_has_no_neighbours() {
    let dir = tempfile::tempdir().unwrap();
    let searcher = opened(dir.path(), None);
    for agent in street() {
        assert_eq!(neighbours(&searcher, &agent, 3), Neighbours::default());
    }
    let unknown = AgentId::new(&Domain::parse("none.example").unwrap(), "none");
    assert_eq!(
        searcher.neighbours(&unknown, 3).unwrap(),
        Neighbours::default()
    );
}

#[test]
fn hits_have_the_category_by_which_they_are_filtered() {
    let dir = tempfile::tempdir().unwrap();
    let searcher = opened(dir.path(), embedding::shipped());
    let found = |text: &str| {
        let results = searcher.search(&Request::new(query::parse(text), 10));
        let hits = results.unwrap().hits.into_iter();
        let found = hits.map(|it| (it.id.to_string(), it.category.map(|it| it.id)));
        found.collect::<BTreeSet<_>>()
    };
    let health = [("tooth.example/visits".to_owned(), Some("health"))];
    assert_eq!(found("category:health"), health.into());
    assert_eq!(
        found("category:other"),
        [("any.example/any".to_owned(), None)].into()
    );
    assert_eq!(found("category:travel"), BTreeSet::new());
}
