//! Fixture in, snapshot out: what every recorded exchange reads as.
//!
//! A new test is a new file `fixtures/<format>/<what is odd>.http`;
//! `INSTA_UPDATE=always cargo test -p tests readings` writes beside it what it reads as.
//! Look at that before committing it.

use crate::support;

#[test]
fn every_fixture_reads_as_recorded() {
    let fixtures = support::fixtures();
    assert!(!fixtures.is_empty());
    for path in fixtures {
        let document = support::exchange(&path);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let name = path.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_json_snapshot!(name, manifest::formats::read(&document)));
    }
}
