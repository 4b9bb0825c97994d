//! Categories of the demo's agents.
//!
//! `seeds/demo/categories.tsv` has the categories that are right for each agent, separated by spaces, `-`
//! for none; they were written from the sites alone.

use crate::{demo_sites, support};
use search::{Category, Request, query};
use std::collections::BTreeMap;

/// Least number of agents in a right category: that measured when it was last raised. None is in a wrong one.
const RIGHT: usize = 59;

#[test]
fn the_agents_of_the_demo_are_in_their_categories() {
    let table = support::workspace_file("seeds/demo/categories.tsv");
    let rows = table.lines().skip(1).map(|it| it.split_once('\t').unwrap());
    let expected: BTreeMap<&str, Vec<&str>> = rows
        .map(|(agent, categories)| (agent, categories.split(' ').collect()))
        .collect();
    for id in expected.values().flatten().filter(|it| **it != "-") {
        assert!(Category::find(id).is_some(), "{id} is no category");
    }
    let (_folder, searcher) = demo_sites::index();
    let request = Request {
        unfold: true,
        per_site: 0,
        ..Request::new(query::parse(""), 1_000)
    };
    let hits = searcher.search(&request).unwrap().hits;
    // The site that only redirects has no files to index.
    assert_eq!(hits.len(), expected.len() - 1, "agents of the demo");
    let (mut right, mut wrong) = (0, Vec::new());
    for hit in &hits {
        let expected = &expected[hit.id.as_str()];
        let found = hit.category.map_or("-", |it| it.id);
        if expected.contains(&found) {
            right += 1;
        } else if found != "-" {
            wrong.push(format!("{}: {found} instead of {expected:?}", hit.id));
        }
    }
    println!("{right} of {} right, {} wrong", hits.len(), wrong.len());
    assert!(right >= RIGHT, "only {right} are right");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
