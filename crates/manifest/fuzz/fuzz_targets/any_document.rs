//! Any bytes at any path, read and converted; the first byte selects the path and the target.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::convert::{Origin, Target};
use manifest::{Document, convert, formats, merge};

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
    let reading = manifest::read(&document);
    assert_eq!(lint.reading.agents, reading.agents);
    let origin = Origin::of(&document, &reading);
    let target = Target::ALL[usize::from(*choice) % Target::ALL.len()];
    convert(&reading.agents, &origin, target);
    merge::merge(&document.domain, &[(&document, reading)]);
});
