//! Values of a facet in alphabetical order.

use super::*;
use crate::ValueRange;

fn listed(
    searcher: &Searcher,
    prefix: &str,
    after: &str,
    limit: usize,
) -> (Vec<(String, u64)>, Option<String>) {
    let range = ValueRange {
        prefix: prefix.to_owned(),
        after: after.to_owned(),
        limit,
    };
    let page = searcher.values(Facet::Capability, &range).unwrap();
    let values = page.values.into_iter().map(|it| (it.value, it.count));
    (values.collect(), page.next)
}

fn one(value: &str, count: u64) -> (String, u64) {
    (value.to_owned(), count)
}

#[test]
fn values_begin_with_the_prefix_and_follow_the_last_one() {
    let capabilities = |names: &[&str]| names.iter().map(|it| capability(it, "", &[])).collect();
    let agents = [
        stored(
            "a.example",
            "a",
            1,
            agent("A", "", capabilities(&["book", "books.buy", "cook"])),
        ),
        stored(
            "b.example",
            "b",
            1,
            agent("B", "", capabilities(&["books.buy", "look"])),
        ),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let all = vec![
        one("book", 1),
        one("books.buy", 2),
        one("cook", 1),
        one("look", 1),
    ];
    assert_eq!(listed(&searcher, "", "", 10), (all.clone(), None));
    assert_eq!(listed(&searcher, "", "", 4), (all.clone(), None));
    assert_eq!(
        listed(&searcher, "", "", 3),
        (all[..3].to_vec(), Some("cook".to_owned()))
    );
    assert_eq!(listed(&searcher, "", "cook", 3), (all[3..].to_vec(), None));
    assert_eq!(
        listed(&searcher, "book", "", 1),
        (all[..1].to_vec(), Some("book".to_owned()))
    );
    assert_eq!(
        listed(&searcher, "book", "book", 9),
        (all[1..2].to_vec(), None)
    );
    // A position before or after everything with the prefix.
    assert_eq!(listed(&searcher, "book", "a", 9), (all[..2].to_vec(), None));
    assert_eq!(listed(&searcher, "book", "z", 9), (Vec::new(), None));
    assert_eq!(listed(&searcher, "zz", "", 9), (Vec::new(), None));
}

#[test]
fn agents_that_are_removed_are_not_counted() {
    let (one_agent, two) = (
        agent(
            "A",
            "",
            vec![capability("book", "", &[]), capability("cook", "", &[])],
        ),
        agent("B", "", vec![capability("book", "", &[])]),
    );
    let agents = [
        stored("a.example", "a", 1, one_agent),
        stored("b.example", "b", 1, two),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 9);
    let mut writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    let removed = [agents[0].listing.id.clone()];
    writer
        .apply(&removed, &[], &SentenceVectors::new(), position(10))
        .unwrap();
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    assert_eq!(listed(&searcher, "", "", 9), (vec![one("book", 1)], None));
}

#[test]
fn an_agent_with_two_spellings_of_a_capability_counts_once() {
    let capabilities = |names: &[&str]| names.iter().map(|it| capability(it, "", &[])).collect();
    let both = agent("A", "", capabilities(&["book-table", "book_table"]));
    let one_of_them = agent("B", "", capabilities(&["book_table", "pay"]));
    let agents = [
        stored("a.example", "a", 1, both),
        stored("b.example", "b", 1, one_of_them),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let groups = [
        vec!["book-table".to_owned(), "book_table".to_owned()],
        vec!["pay".to_owned()],
        vec!["unknown".to_owned()],
    ];
    let counts = searcher.count_any(Facet::Capability, &groups).unwrap();
    assert_eq!(counts, [2, 1, 0]);
}
