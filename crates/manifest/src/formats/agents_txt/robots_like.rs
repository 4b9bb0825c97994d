//! Dialect "robots-like": a robots.txt with pointers to services (AT-91).

use super::lines::Position;
use super::report::Report;
use super::{Manifest, agent, keys};
use crate::Severity::Info;
use crate::format::Input;
use crate::formats::agents_txt::examples::INFORMAL;
use crate::rule::document::DI_16;
use crate::rule::{Example, Rule};
use crate::{Agent, Capability};

pub(super) fn validate(report: &mut Report<'_>) {
    let mut lines = report.directives().iter();
    let pointer = lines.find(|line| keys::is_pointer(&line.key) || is_action(&line.key));
    let place = pointer.map_or_else(|| report.manifest.first_position(), |line| line.at);
    if agent(report.manifest, report.input).is_none() {
        let message = "nothing is listed: this tells robots what they may do with the site, and states nothing \
                       that agents can call; give a name and what is offered";
        report.at(&DI_16, place, message);
        return;
    }
    let message = "a robots.txt with pointers; publish an agents.json or an agent card as well";
    report.at(&AT_91, place, message);
}

/// Returns the agent; `None` for an `ai.txt`, the place of policies for robots, which states nothing to call.
pub(super) fn agent(manifest: &Manifest, input: &Input<'_>) -> Option<Agent> {
    let agent = agent::agent(manifest, input.document);
    let states_any = !input.document.path().ends_with("/ai.txt")
        || !agent.capabilities.is_empty()
        || !agent.interfaces.is_empty()
        || !agent.programs.is_empty();
    states_any.then_some(agent)
}

fn is_action(key: &str) -> bool {
    matches!(key, "allow-action" | "tool")
}

/// Returns the capabilities named in `Allow-action` and `Tool`.
pub(super) fn capabilities(manifest: &Manifest) -> impl Iterator<Item = (Position, Capability)> {
    let lines = ["allow-action", "tool"].map(|key| manifest.directives.all(key));
    let lines = lines.into_iter().flatten();
    lines.filter_map(|line| Some((line.value_at, keys::named(&line.value)?)))
}

pub(crate) static AT_91: Rule = Rule {
    id: "AT-91",
    format: INFORMAL,
    severity: Info,
    title: "A file for programs follows a specification",
    explanation: "User-agent groups state which robots may visit. We read the pointers beside them as interfaces and capabilities. No specification describes such a file, so few programs will understand it: publish an agents.json or an agent card as well.",
    section: "Common practice; there is no specification",
    good: super::examples::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# Shop\nUser-agent: *\nAllow: /\nMCP-Server: https://shop.example/mcp\nAllow-action: find_book\n",
    )],
};

pub(super) const RULES: &[&Rule] = &[&AT_91];
