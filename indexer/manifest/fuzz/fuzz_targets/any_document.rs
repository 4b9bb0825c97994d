//! Any bytes at any place: the first byte chooses the place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::{Document, formats};

fuzz_target!(|input: &[u8]| {
    let Some((choice, body)) = input.split_first() else {
        return;
    };
    let places: Vec<_> = formats::ALL.iter().flat_map(|entry| entry.places).collect();
    let place = places[usize::from(*choice) % places.len()];
    let document = Document::of_file(place, body);
    let lint = manifest::lint(&document);
    assert!(
        lint.reading
            .findings
            .iter()
            .all(|it| it.line.is_some() && it.column.is_some())
    );
    assert_eq!(lint.reading.agents, manifest::read(&document).agents);
});
