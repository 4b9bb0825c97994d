//! The tables of `docs/formats.md` are those of the catalogue of rules and of the crawler's places.

use crate::support;
use crawler::probes::{self, Probe, Turn};
use manifest::{formats, rules};
use std::fmt::Write as _;

const DOCUMENT: &str = "docs/formats.md";

#[test]
fn the_tables_are_those_of_the_catalogue() {
    let text = support::workspace_file(DOCUMENT);
    let generated = generated(&text);
    if std::env::var("INSTA_UPDATE").is_ok_and(|it| it == "always") {
        std::fs::write(support::workspace().join(DOCUMENT), generated).unwrap();
        return;
    }
    let pairs = text.lines().zip(generated.lines());
    let different = pairs.enumerate().find(|(_, (it, wanted))| it != wanted);
    assert!(
        text == generated,
        "out of date: INSTA_UPDATE=always cargo test --workspace formats\n{different:?}"
    );
}

/// Returns the document with its tables made anew.
///
/// The lines between `<!-- NAME -->` and `<!-- end -->` are replaced by the table of that name.
fn generated(text: &str) -> String {
    let mut generated = String::with_capacity(text.len());
    let mut is_in_table = false;
    for line in text.lines() {
        let marker = line.strip_prefix("<!-- ");
        let marker = marker.and_then(|it| it.strip_suffix(" -->"));
        match marker {
            Some("end") => is_in_table = false,
            Some(name) => assert!(!is_in_table, "no `<!-- end -->` before {name:?}"),
            None if is_in_table => continue,
            None => {}
        }
        writeln!(generated, "{line}").unwrap();
        if let Some(name) = marker.filter(|it| *it != "end") {
            writeln!(generated, "\n{}", table(name)).unwrap();
            is_in_table = true;
        }
    }
    assert!(!is_in_table, "no `<!-- end -->` after the last table");
    generated
}

/// Returns the table called `name`: `places`, `homes`, or `rules: DI-01..DI-11 GP-06` for these
/// rules.
fn table(name: &str) -> String {
    let (head, rows) = match name.split_once(": ") {
        Some(("rules", ids)) => {
            let rules = rules::all().filter(|rule| is_among(rule.id, ids));
            let cells = |rule: &rules::Rule| {
                [rule.id, rule.severity.label(), rule.title, rule.section].map(str::to_owned)
            };
            let mut rows: Vec<_> = rules.map(|rule| cells(rule).to_vec()).collect();
            rows.sort();
            (&["Rule", "Severity", "Requirement", "Source"][..], rows)
        }
        None if name == "places" => (&["Path", "Requested"][..], places()),
        None if name == "homes" => (&["Format", "Places"][..], homes()),
        _ => panic!("{DOCUMENT} has no table called {name:?}"),
    };
    assert!(!rows.is_empty(), "the table {name:?} is empty");
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(table, "| {} |", cells.join(" | ")).unwrap();
    }
    table
}

/// Returns true for an id that `ids` names: itself, its family, or a range around it.
fn is_among(id: &str, ids: &str) -> bool {
    ids.split(' ').any(|part| match part.split_once("..") {
        Some((first, last)) => family(id) == family(first) && (first..=last).contains(&id),
        None => part == id || part == family(id),
    })
}

/// Returns the paths that the crawler asks for, in its order.
fn places() -> Vec<Vec<String>> {
    let row = |probe: &Probe, when: String| vec![format!("`{}`", probe.path), when];
    let of_all = probes::ALL.iter().map(|probe| {
        let when = match probe.turn {
            Turn::Always => {
                "always: on the first visit, and on scheduled ones while nothing is found"
            }
            Turn::First => "on the first visit, later in rotation",
            Turn::Rotation => "on later visits, in rotation",
        };
        row(probe, when.to_owned())
    });
    let mut rows: Vec<_> = of_all.collect();
    for (name, probes) in probes::EXTRA {
        for probe in probes {
            let path = format!("`{}`", probe.path);
            match rows.iter_mut().find(|row| row[0] == path) {
                Some(row) => {
                    write!(row[1], "; on the first visit with `--probe-extra {name}`").unwrap();
                }
                None => rows.push(row(probe, format!("only with `--probe-extra {name}`"))),
            }
        }
    }
    rows
}

/// Returns each format with the places where its publishers put it.
fn homes() -> Vec<Vec<String>> {
    let entries = formats::ALL.iter().filter(|it| !it.places.is_empty());
    let row = |entry: &manifest::Entry| {
        let places: Vec<_> = entry.places.iter().map(|it| format!("`{it}`")).collect();
        vec![entry.title.to_owned(), places.join(", ")]
    };
    entries.map(row).collect()
}

/// Returns `AT` for `AT-05`, or the whole of a family's name.
fn family(id: &str) -> &str {
    id.split('-').next().unwrap_or(id)
}
