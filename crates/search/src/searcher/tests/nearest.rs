//! Capabilities that are suggested when no agent meets a need.

use super::*;
use crate::embedding::Models;

/// Returns an index of agents that can do one thing each.
fn index(models: Option<Models>) -> (Vec<StoredAgent>, tempfile::TempDir, Searcher) {
    let things = [
        ("taxi", "order_cab", "Orders a taxi to an address."),
        ("bakery", "order_bread", "Bakes bread overnight."),
        ("library", "renew_loan", "Renews the loan of a book."),
    ];
    let agents = things.map(|(site, name, text)| {
        let agent = agent(site, "", vec![capability(name, text, &[])]);
        stored(&format!("{site}.example"), "agent", 1, agent)
    });
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), models).unwrap();
    (agents.to_vec(), dir, searcher)
}

#[test]
fn a_need_that_is_not_met_gets_the_nearest_capabilities() {
    let need = "I have to publish my very first book about the long history of mountain railways";
    for models in [embedding::shipped(), None] {
        let (agents, _dir, searcher) = index(models);
        let nearest = |condition: &str| {
            let answer = answered(&searcher, &format!("{need} {condition}"), &agents);
            assert_eq!(answer.results.fit, Fit::None, "{condition}");
            answer.nearest_capabilities
        };
        let all = nearest("");
        assert!(!all.is_empty());
        for name in &all {
            let able = |it: &&StoredAgent| it.listing.agent.capabilities[0].name == *name;
            let site = &agents.iter().find(able).unwrap().domain;
            assert!(!nearest(&format!("-site:{site}")).contains(name));
            assert_eq!(nearest(&format!("site:{site}")), [name.as_str()]);
        }
    }
}

#[test]
fn a_need_that_is_met_gets_none() {
    let (agents, _dir, searcher) = index(embedding::shipped());
    let answer = answered(&searcher, "order a taxi", &agents);
    assert!(answer.results.fit >= Fit::Good && answer.nearest_capabilities.is_empty());
}
