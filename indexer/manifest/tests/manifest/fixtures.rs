//! The recorded exchanges, which together cover every format.

use crate::support::exchange::{fixtures, recorded};
use manifest::formats;
use std::collections::BTreeSet;

#[test]
fn every_format_that_is_read_has_a_fixture_which_is_listed() {
    let readings = fixtures()
        .into_iter()
        .map(|path| formats::read(&recorded(&path)));
    let listed = readings.filter(manifest::Reading::is_indexable);
    let shown: BTreeSet<_> = listed.map(|reading| reading.format).collect();
    for entry in formats::ALL {
        for id in entry.also.iter().chain([&entry.id]) {
            // Texts that are some other file are `agents-txt` without a dialect, and a linkset only
            // refers to other documents.
            let has_none = matches!(id.as_str(), "agents-txt" | "rfc9727-linkset");
            let is_listed = shown.contains(id) || has_none;
            assert!(is_listed, "no fixture has the format {id}");
        }
    }
}

#[test]
fn the_minimal_fixture_of_each_directory_has_no_error() {
    let fixtures = fixtures();
    let minimal: Vec<_> = fixtures
        .iter()
        .filter(|path| path.ends_with("minimal.http"))
        .collect();
    assert!(minimal.len() > 5);
    for path in minimal {
        let reading = formats::read(&recorded(path));
        assert!(
            reading.is_valid(),
            "{}: {:?}",
            path.display(),
            reading.findings
        );
    }
}
