//! Words of which only the beginning is given.

use super::*;

#[test]
fn a_prefix_stands_for_every_word_that_begins_with_it() {
    let many: Vec<String> = (0..1_000).map(|it| format!("sea{it:04}")).collect();
    let mut agents = vec![stored(
        "s.example",
        "s",
        1,
        agent("Sea", &many.join(" "), vec![]),
    )];
    for number in 0..3 {
        let serum = agent(&format!("Lab {number}"), "Tests a serum.", vec![]);
        agents.push(stored(&format!("l{number}.example"), "lab", 1, serum));
    }
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let mut wanted = request("se*");
    wanted.unfold = true;
    assert_eq!(searcher.search(&wanted).unwrap().total, 4);
}
