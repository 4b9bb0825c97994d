//! Folding of near-duplicates into one hit.

use super::*;

/// Returns eleven shops whose manifests differ in their names only, and another agent.
fn shops() -> Vec<StoredAgent> {
    let catalogue: Vec<String> = (0..60).map(|it| format!("article number {it}")).collect();
    let shop = |number: i64| {
        let description = format!("Sells lamps and chairs: {}.", catalogue.join(", "));
        let shop = agent(&format!("Shop {number}"), &description, Vec::new());
        stored(&format!("shop{number}.example"), "shop", number, shop)
    };
    let carpenter = agent("Carpenter", "Makes chairs and repairs lamps.", Vec::new());
    let mut all: Vec<_> = (0..11).map(shop).collect();
    all.push(stored("carpenter.example", "carpenter", 5, carpenter));
    all
}

#[test]
fn near_duplicates_are_one_hit_with_a_count() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &shops(), 9);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for sort in [Sort::Relevance, Sort::Name, Sort::Updated] {
        let folded = searcher.search(&Request {
            sort,
            ..request("lamps and chairs")
        });
        let folded = folded.unwrap();
        assert_eq!((folded.total, folded.hits.len()), (12, 2), "{sort:?}");
        let mut counts: Vec<_> = folded.hits.iter().map(|hit| hit.near_duplicates).collect();
        counts.sort_unstable();
        assert_eq!(counts, [0, 10], "{sort:?}");
        assert_eq!(folded.next, None);
    }
    let unfolded = searcher.search(&Request {
        unfold: true,
        limit: 100,
        ..request("lamps and chairs")
    });
    let unfolded = unfolded.unwrap();
    assert_eq!(unfolded.hits.len(), 12);
    assert!(unfolded.hits.iter().all(|hit| hit.near_duplicates == 0));
}

#[test]
fn no_page_shows_a_near_duplicate_of_an_earlier_hit() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &shops(), 9);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let mut after = None;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let page = searcher.search(&Request {
            limit: 1,
            after: after.take(),
            ..request("lamps and chairs")
        });
        let page = page.unwrap();
        seen.extend(page.hits.iter().map(|hit| hit.near_duplicates));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 10]);
}

#[test]
fn numbered_copies_are_one_hit() {
    let gauge = |number: i64| {
        let description = format!(
            "Gauge {number} of {} reports what probe {number} measures at weir {number}: level, flow and heat \
             of the water, every {number} minutes, with warnings of floods for the people below weir {number}.",
            number * 17
        );
        let gauge = agent(&format!("Gauge {number}"), &description, Vec::new());
        stored(&format!("gauge{number}.example"), "gauge", number, gauge)
    };
    let dir = tempfile::tempdir().unwrap();
    let gauges: Vec<_> = (0..41).map(gauge).collect();
    build(dir.path(), &gauges, 9);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let results = searcher.search(&request("level of the water")).unwrap();
    let counts: Vec<_> = results.hits.iter().map(|hit| hit.near_duplicates).collect();
    assert_eq!(counts, [40]);
}
