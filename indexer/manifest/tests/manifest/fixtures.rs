//! Our own recorded exchanges: together they show every format that is read.

use crate::support::recorded;
use manifest::formats;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every recorded exchange, `tests/fixtures/<format>/<case>.http`.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let folders = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = files.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|it| it == "http"))
        .collect()
}

#[test]
fn every_format_that_is_read_has_a_fixture_which_is_listed() {
    let readings = fixtures()
        .into_iter()
        .map(|path| formats::read(&recorded(&path)));
    let listed = readings.filter(manifest::Reading::is_indexable);
    let shown: BTreeSet<_> = listed.map(|reading| reading.format).collect();
    for entry in formats::ALL {
        for id in entry.also.iter().chain([&entry.id]) {
            // Under `agents-txt` alone go the texts that are some other file, and a linkset only
            // says where to look.
            let has_none = matches!(id.as_str(), "agents-txt" | "rfc9727-linkset");
            let is_listed = shown.contains(id) || has_none;
            assert!(is_listed, "no fixture shows {id}");
        }
    }
}

#[test]
fn the_minimal_fixture_of_each_folder_has_no_fault() {
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
