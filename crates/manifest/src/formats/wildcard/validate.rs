//! Checks of one member against another (WC-03, WC-05, WC-06, WC-08).

use super::manifest::{Flow, Manifest};
use super::rules::{WC_03, WC_05, WC_06, WC_08};
use crate::finding::Findings;
use crate::format::Input;
use std::collections::HashSet;

/// Checks the document against the rules of the Wildcard specification.
pub(super) fn validate(manifest: &Manifest, _input: &Input<'_>, findings: &mut Findings) {
    let mut sources = HashSet::new();
    for (index, source) in manifest.sources.items() {
        if source.id.raw().is_some_and(|id| !sources.insert(id)) {
            let message = "another source has this id; give each its own";
            findings.add(&WC_03, format!("/sources/{index}/id"), message);
        }
    }
    let is_stray = |id: Option<&str>| id.is_some_and(|id| !sources.contains(id));
    for (index, flow) in manifest.flows.items() {
        let at = format!("/flows/{index}");
        for (index, action) in flow.actions.items() {
            if is_stray(action.source_id.raw()) {
                let message = "no source has this id; add it to sources";
                findings.add(&WC_05, format!("{at}/actions/{index}/sourceId"), message);
            }
        }
        links(flow, &at, findings);
    }
    for (index, item) in manifest.overrides.items() {
        if is_stray(item.source_id.raw()) {
            let message = "no source has this id, so the override changes nothing";
            findings.add(&WC_08, format!("/overrides/{index}/sourceId"), message);
        }
    }
}

/// Checks the links of a flow. WC-06 is reported once for each flow, as its links mostly share a
/// fault.
fn links(flow: &Flow, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/links");
    let actions: HashSet<_> = flow
        .actions
        .items()
        .filter_map(|it| it.1.id.raw())
        .collect();
    let (mut own, mut stray) = (Vec::new(), Vec::new());
    for (index, link) in flow.links.items() {
        let at = format!("{pointer}/{index}");
        for (name, end) in [("origin", &link.origin), ("target", &link.target)] {
            let Some(end) = end.get() else { continue };
            let place = format!("{at}/{name}/actionId");
            match end.action_id.raw() {
                Some(id) if actions.contains(id) => {}
                Some(id) if Some(id) == flow.id.raw() => own.push(place),
                Some(_) => stray.push(place),
                None => {}
            }
        }
    }
    let count = stray.len();
    if let Some(first) = stray.into_iter().next() {
        let message = format!(
            "no action of this flow has this id ({count} such ends of links in all); \
             give an action's id, or null for the flow itself"
        );
        findings.add(&WC_06, first, message);
    }
    // Upstream's own files name the flow where the specification requires null.
    if let Some(first) = own.into_iter().next() {
        let message = "this is the flow's own id; the specification uses null for the flow itself";
        findings.add(WC_06.info(), first, message);
    }
}
