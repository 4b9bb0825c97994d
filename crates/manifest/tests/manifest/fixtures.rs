//! The recorded exchanges, which together cover every format.

use crate::support::exchange::{fixtures, recorded};
use manifest::formats;
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn every_format_that_is_read_has_a_fixture_with_an_agent_or_a_reference() {
    let readings = fixtures()
        .into_iter()
        .map(|path| formats::read(&recorded(&path)));
    let telling = readings.filter(|it| it.is_indexable() || !it.references.is_empty());
    let shown: BTreeSet<_> = telling.map(|reading| reading.format).collect();
    for entry in formats::ALL {
        for id in entry.also.iter().chain([&entry.id]) {
            // Texts that are some other file are `agents-txt` without a dialect, and the file of a
            // skill is listed by its index.
            let is_silent = ["agents-txt", "agent-skill"].contains(&id.as_str());
            let is_shown = shown.contains(id) || is_silent;
            assert!(is_shown, "no fixture has the format {id}");
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

#[test]
fn the_pointers_of_agents_and_capabilities_lead_somewhere() {
    for path in fixtures() {
        let document = recorded(&path);
        let Ok(value) = serde_json::from_slice::<Value>(&document.body) else {
            continue;
        };
        for agent in formats::read(&document).agents {
            let own = agent.capabilities.iter().map(|it| it.pointer.as_str());
            for pointer in own.chain([agent.pointer.as_str()]) {
                let leads_somewhere = value.pointer(pointer).is_some();
                assert!(leads_somewhere, "{}: {pointer}", path.display());
            }
        }
    }
}
