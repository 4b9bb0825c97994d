//! Any text as an agents.txt.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::Document;

fuzz_target!(|text: &str| {
    let document = Document::of_file("/.well-known/agents.txt", text);
    let lint = manifest::lint(&document);
    assert!(lint.reading.findings.iter().all(|it| it.line.is_some()));
});
