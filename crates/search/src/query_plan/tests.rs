//! Tests of query plans.

use super::*;
use crate::query::parse;

#[test]
fn a_path_is_a_file_and_nothing_else_is() {
    for (text, expected) in [
        ("/var/notes/today.md", true),
        ("(/home/me/list.txt),", true),
        ("`~/notes/today`", true),
        ("./src/main.rs", true),
        ("../data/people.csv.", true),
        ("/login", false),
        ("/", false),
        ("//", false),
        ("/a//", false),
        ("left/right", false),
        ("and/or", false),
        ("https://shop.example/a/b", false),
        ("1/2/3", false),
        ("~", false),
        ("...", false),
        ("", false),
    ] {
        assert_eq!(is_path(text), expected, "{text}");
    }
}

#[test]
fn a_path_in_a_query_means_a_file() {
    let clauses = with_files(&parse("save it to /home/me/list.txt today").clauses);
    let text = wanted_text(&clauses, &[]);
    assert_eq!(text, "save it to /home/me/list.txt file today");
    let steps = steps(&clauses);
    assert!(steps.iter().any(|step| step.term == "file"));
}

#[test]
fn a_word_counts_once_wherever_it_stands() {
    let word = |label: &str, terms: &[&str]| {
        let terms = terms.iter().map(|it| (*it).to_owned()).collect();
        Word::new(label.to_owned(), terms)
    };
    let words = informative(vec![
        word("report", &["report"]),
        word("the", &["the"]),
        word("reports", &["report"]),
        word("sales", &["sale"]),
        word("report", &["report", "sales_report"]),
    ]);
    let labels: Vec<_> = words.iter().map(|word| word.label.as_str()).collect();
    assert_eq!(labels, ["report", "sales"]);
    let only_stop_words = informative(vec![word("the", &["the"]), word("the", &["the"])]);
    assert_eq!(only_stop_words.len(), 1);
}
