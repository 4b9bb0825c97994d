//! Dialect agents-protocol: `Site`, `URL`, `Allow: <capability>`, `Flow`.
//!
//! Specification: kaylacar/agents-protocol, later revision.

use super::directives::Directive;
use super::facts::Facts;
use super::lines::Position;
use super::report::{Report, quoted};
use super::{Dialect, Manifest, interaction, keys};
use crate::agent::Flow;
use crate::formats::agents_txt::agents_protocol::rules::{
    AT_20, AT_21, AT_22, AT_23, AT_24, AT_25, AT_26, AT_27, AT_28,
};
use crate::{Capability, Fact, text};
use std::collections::HashSet;

pub(super) mod rules;

/// Maximum number of flows of one file.
const MAX_FLOWS: usize = 100;

pub(super) fn validate(report: &mut Report<'_>) {
    report.require(&AT_20, "Site", "the site's name");
    report.require_url(&AT_21, "URL");
    report.url_if_any(&AT_22, "agents-json");
    let allowed: HashSet<String> = allowed(report.manifest)
        .map(|line| text::fold(&line.value))
        .collect();
    if allowed.is_empty() {
        let message = "no Allow; add a line `Allow: <capability>` for each capability";
        report.missing(&AT_23, message);
    }
    for line in report.directives().all("flow").take(MAX_FLOWS) {
        steps(report, line, &allowed);
    }
    descriptions(report);
    report.rate_if_any(&AT_26, true);
    interaction::validate(report, &AT_27, &AT_28);
}

/// Checks that each step of a flow is an allowed capability (AT-24).
fn steps(report: &mut Report<'_>, line: &Directive, allowed: &HashSet<String>) {
    let Some((_, steps)) = halves(line) else {
        let message = "not a flow; write `Flow: name → step, step`";
        return report.at(&AT_24, line.value_at, message);
    };
    let is_unknown = |(_, step): &(Position, &str)| !allowed.contains(&text::fold(step));
    let message =
        |(_, step): &(Position, &str)| format!("no Allow line names the step {}", quoted(step));
    let unknown = steps.parts().filter(is_unknown);
    report.each(&AT_24, unknown, |it| it.0, message);
}

/// Checks that each description follows a flow (AT-25).
fn descriptions(report: &mut Report<'_>) {
    let before = report.directives().iter().take_while(|it| it.key != "flow");
    for line in before.filter(|it| it.key == "flow-description") {
        let message = "no Flow before it; move it below the Flow it describes";
        report.at(&AT_25, line.at, message);
    }
}

fn allowed(manifest: &Manifest) -> impl Iterator<Item = &Directive> {
    let lines = manifest.directives.all("allow");
    lines.filter(|line| !keys::is_path(&line.value))
}

/// Returns the capabilities named in `Allow`; other dialects allow paths there, so that only a plain
/// name counts in a file of one of them (AT-05, C-102).
pub(super) fn capabilities(manifest: &Manifest) -> impl Iterator<Item = (Position, Capability)> {
    let is_own = manifest.dialect == Dialect::AGENTS_PROTOCOL;
    let is_formal = !manifest.dialect.is_informal();
    let lines = allowed(manifest)
        .filter(move |line| is_own || (is_formal && keys::is_capability_name(&line.value)));
    lines.filter_map(|line| Some((line.value_at, keys::named(&line.value)?)))
}

/// Reads flows, `name → step, step`, with the description from a later line (AT-24, AT-25).
pub(super) fn flows(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::new();
    for line in manifest.directives.iter() {
        match line.key.as_str() {
            "flow" if flows.len() == MAX_FLOWS => break,
            "flow" => {
                if let Some(flow) = flow(line) {
                    facts.note(Fact::Flows, line.at);
                    flows.push(flow);
                }
            }
            "flow-description" => {
                if let Some(flow) = flows.last_mut() {
                    flow.description = text::some(&line.value);
                }
            }
            _ => {}
        }
    }
    flows
}

fn flow(line: &Directive) -> Option<Flow> {
    let (name, steps) = halves(line)?;
    Some(Flow {
        name,
        description: None,
        steps: steps.parts().filter_map(|(_, it)| text::some(it)).collect(),
    })
}

/// Splits a flow into its name and its steps at `→`, `->` or `=>`.
fn halves(line: &Directive) -> Option<(String, Directive)> {
    let arrows = ["→", "->", "=>"];
    let (name, steps) = arrows
        .iter()
        .find_map(|arrow| line.value.split_once(arrow))?;
    let before = &line.value[..line.value.len() - steps.len()];
    let steps = Directive {
        value: steps.to_owned(),
        value_at: line.value_at.after(before),
        ..line.clone()
    };
    Some((text::some(name)?, steps))
}
