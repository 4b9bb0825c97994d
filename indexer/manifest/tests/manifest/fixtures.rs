//! Our own recorded exchanges: each is recognised as its folder says, and read as recorded.

use crate::support::recorded;
use manifest::formats;
use std::fs;
use std::path::{Path, PathBuf};

/// Every fixture, with the format id that its folder names (`agents-txt/d2` is a folder in one).
fn fixtures() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "http")
            {
                let format = folder.strip_prefix(&root).unwrap().to_str().unwrap();
                found.push((format.to_owned(), path));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_fixture_is_recognised_as_its_folder_says() {
    for (format, file) in fixtures() {
        let document = recorded(&file);
        assert_eq!(
            formats::detect(&document).as_str(),
            format,
            "{}",
            file.display()
        );
    }
}

#[test]
fn every_format_with_fixtures_has_a_minimal_one_which_is_valid_and_listed() {
    let fixtures = fixtures();
    for entry in formats::ALL {
        let ids = entry.also.iter().chain([&entry.id]);
        // Under `agents-txt` alone go the texts that are some other file.
        for id in ids.filter(|id| id.as_str() != "agents-txt") {
            let mut own = fixtures.iter().filter(|(format, _)| format == id.as_str());
            let Some(first) = own.clone().next() else {
                continue;
            };
            let minimal = own.find(|(_, file)| file.ends_with("minimal.http"));
            let (_, file) = minimal.unwrap_or_else(|| panic!("no minimal.http beside {first:?}"));
            let reading = formats::read(&recorded(file));
            assert!(reading.is_indexable(), "{}", file.display());
            assert!(
                reading.is_valid(),
                "{}: {:?}",
                file.display(),
                reading.findings
            );
        }
    }
}
