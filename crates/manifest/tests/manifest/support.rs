//! Documents for tests.

pub(crate) mod exchange;
pub(crate) mod samples;
pub(crate) mod schemas;

use manifest::convert::{Origin, Target};
use manifest::{Document, Domain, Reading, convert};
use samples::{Sample, corpus};
use std::path::{Path, PathBuf};
use url::Url;

/// Returns the shared test data at `path`, or `None` with a notice on machines without it.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AGENTDEX_TEST_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: no test data at {}; set AGENTDEX_TEST_DATA",
        path.display()
    );
    None
}

/// Returns a document as if `url` had answered 200 with `body`.
pub(crate) fn document(url: &str, body: Vec<u8>) -> Document {
    let url = Url::parse(url).unwrap();
    let domain = Domain::parse(url.host_str().unwrap()).unwrap();
    Document::new(domain, url, body)
}

/// Returns every fixture, and each file of the shared corpus that a site serves, if that is there.
pub(crate) fn documents() -> Vec<Sample> {
    let served = corpus().into_iter().filter(|it| it.row["site"].is_string());
    let manifests = served.filter(|it| it.says("guess") != "robots.txt");
    samples::recorded().into_iter().chain(manifests).collect()
}

/// Lints a document, formats the result and converts it to each of `targets`; returns the reading.
/// Panics if any of that fails with an internal error.
pub(crate) fn survives(name: &str, document: &Document, targets: &[Target]) -> Reading {
    let lint = manifest::lint(document);
    let reading = &lint.reading;
    assert_eq!(reading.fault(), None, "{name}");
    let mut findings = reading.findings.iter();
    assert!(
        findings.all(|it| it.line.is_some() && it.column.is_some()),
        "{name}"
    );
    let shown = lint.show("agents.json", |_, text| text.to_owned());
    assert_eq!(shown.is_empty(), reading.findings.is_empty(), "{name}");
    let outputs = [
        lint.summary(),
        serde_json::to_string(&lint.reading).unwrap(),
    ];
    assert!(outputs.iter().all(|it| !it.is_empty()), "{name}");
    reading.reason_below_level_a();
    if !targets.is_empty() {
        let origin = Origin::of(document, reading);
        for target in targets {
            let written = convert(&reading.agents, &origin, *target);
            let is_ours = written.findings.iter().any(manifest::Finding::is_ours);
            assert!(!is_ours, "{name} to {}", target.as_str());
        }
    }
    lint.reading
}
