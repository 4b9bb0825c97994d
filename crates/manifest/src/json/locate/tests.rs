//! Lines and columns of JSON pointers.

use super::*;
use crate::position::{at, offset};
use crate::rule::document::DI_07;

fn places(text: &str, pointers: &[&str]) -> Vec<(String, u32, u32)> {
    let mut findings: Vec<_> = pointers
        .iter()
        .map(|pointer| Finding::new(&DI_07, *pointer, "x"))
        .collect();
    locate(&mut findings, text);
    let place = |it: Finding| (it.pointer, it.line.unwrap(), it.column.unwrap());
    findings.into_iter().map(place).collect()
}

#[test]
fn pointers_are_found_in_one_walk_and_come_in_the_order_of_the_text() {
    let text = "{\r\n  \"ä\": \"ö\", \"b/c\": [1, {\"~\": 2}],\n  \"d\": {}\n}";
    let found = places(text, &["/d", "/b~1c/1/~0", "/ä", "", "/b~1c/1"]);
    let expected = [
        ("", 1, 1),
        ("/ä", 2, 8),
        ("/b~1c/1", 2, 24),
        ("/b~1c/1/~0", 2, 30),
        ("/d", 3, 8),
    ];
    assert_eq!(
        found,
        expected.map(|(it, line, column)| (it.to_owned(), line, column))
    );
}

#[test]
fn a_missing_member_has_the_position_of_its_nearest_parent() {
    let text = "// cards\n[{\"a\": {}},\n {\"a\": []}]";
    let found = places(text, &["/1/a/0/x", "/0/a/b", "/7", "/0/z"]);
    let lines: Vec<_> = found
        .iter()
        .map(|(it, line, column)| (&**it, *line, *column))
        .collect();
    assert_eq!(
        lines,
        [
            ("/7", 2, 1),
            ("/0/z", 2, 2),
            ("/0/a/b", 2, 8),
            ("/1/a/0/x", 3, 8)
        ]
    );
}

#[test]
fn of_duplicate_members_the_last_one_is_located() {
    assert_eq!(places("{\"a\": 1, \"a\": 2}", &["/a"])[0].2, 15);
}

#[test]
fn positions_in_text_that_is_not_json_are_its_start() {
    assert_eq!(places("Name: A", &["/name"]), [("/name".to_owned(), 1, 1)]);
    assert_eq!(places("", &[""]), [(String::new(), 1, 1)]);
}

#[test]
fn offsets_and_positions_agree() {
    let text = "ab\nçd\n";
    assert_eq!(at(text, 0), (1, 1));
    assert_eq!(at(text, 5), (2, 2));
    assert_eq!(at(text, 4), (2, 1), "within a character");
    assert_eq!(at(text, 99), (3, 1));
    assert_eq!(offset(text, 2, 3), 5);
    assert_eq!(offset(text, 9, 9), text.len());
}
