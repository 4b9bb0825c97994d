//! Texts that are almost JSON: any text after an opening brace or bracket.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::Document;

fuzz_target!(|text: &str| {
    for start in ["{", "["] {
        let document = Document::of_file("agents.json", format!("{start}{text}"));
        let lint = manifest::lint(&document);
        assert!(lint.reading.findings.iter().all(|it| it.line.is_some()));
    }
});
