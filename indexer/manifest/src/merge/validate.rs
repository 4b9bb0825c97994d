//! The rules that take several documents of one site to check.
//!
//! Each finding belongs to the document whose owner can mend it.

use super::Content;
use crate::finding::Findings;
use crate::{Agent, Document, Domain, Finding, FormatId, Reading, text};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

/// How many names a message tells.
const MAX_TOLD: usize = 5;

/// What the files of agents-txt.com point at.
const KINDS: [&str; 5] = ["mcp", "skills", "a2a", "ucp", "webmcp"];

/// What is found, for each of `readings`.
pub(super) fn findings(
    readings: &[(&Document, Reading)],
    contents: &[Content<'_>],
) -> Vec<Vec<Finding>> {
    let mut site = Site {
        readings,
        findings: vec![Findings::default(); readings.len()],
    };
    site.authority();
    site.identical(contents);
    site.intentql_place(contents);
    site.sessions_without_manifest();
    site.companions(
        is_capability_text,
        is_capability_json,
        capabilities,
        ["", "AJ-22"],
    );
    site.companions(
        is_pointer_text,
        is_pointer_json,
        pointers,
        ["AT-45", "AC-08"],
    );
    site.findings.into_iter().map(Findings::into_vec).collect()
}

struct Site<'r> {
    readings: &'r [(&'r Document, Reading)],
    /// For each reading.
    findings: Vec<Findings>,
}

impl Site<'_> {
    /// Who answered in the domain's place (DI-06, PR-06).
    fn authority(&mut self) {
        for ((document, _), findings) in self.readings.iter().zip(&mut self.findings) {
            let domain = &document.domain;
            let Some(host) = document
                .url
                .host_str()
                .and_then(|it| Domain::parse(it).ok())
            else {
                continue;
            };
            if host.registrable() != domain.registrable() {
                let message = format!(
                    "{host} answered for {domain}; it counts as {domain}'s word, so serve it there yourself"
                );
                findings.report("DI-06", "", message);
            } else if is_twin(&host, domain) {
                let message = format!("{host} answered for {domain}; both names are recorded");
                findings.report("PR-06", "", message);
            }
        }
    }

    /// One document at several places (PR-05).
    fn identical(&mut self, contents: &[Content<'_>]) {
        for content in contents {
            let Some((first, others)) = content.places.split_first() else {
                continue;
            };
            let url = &self.readings[*first].0.url;
            for place in others {
                if self.readings[*place].0.url != *url {
                    let message = format!("the same bytes as {url}: one document, at two places");
                    self.findings[*place].report("GP-06", "", message);
                }
            }
        }
    }

    /// IntentQL has a place of its own; the others are alternatives.
    fn intentql_place(&mut self, contents: &[Content<'_>]) {
        let places = || contents.iter().flat_map(|content| &content.places);
        let is_intentql = |place: &&usize| self.readings[**place].1.format == FormatId("intentql");
        let is_proper = |place: &usize| self.readings[*place].0.path() == "/agent.json";
        if places().filter(is_intentql).any(is_proper) {
            return;
        }
        let found = places().find(is_intentql).copied();
        if let Some(place) = found {
            let message = "only found here; publish it at /agent.json, where clients look first";
            self.findings[place].report("IQ-16", "", message);
        }
    }

    /// The agents.txt protocol has a text file announce what a JSON file describes.
    fn sessions_without_manifest(&mut self) {
        let has_manifest = |(_, reading): &(&Document, Reading)| is_capability_json(reading.format);
        if self.readings.iter().any(has_manifest) {
            return;
        }
        for ((_, reading), findings) in self.readings.iter().zip(&mut self.findings) {
            let announces = |agent: &Agent| agent.sessions.is_some() || agent.audit.is_some();
            let is_protocol = ["agents-txt/d1", "agents-txt/d2"].contains(&reading.format.as_str());
            if is_protocol && reading.agents.iter().any(announces) {
                let message = "announces sessions or audit, and no agents.json of the site describes them; serve /.well-known/agents.json";
                findings.report("AT-19", "", message);
            }
        }
    }

    /// Compares each text file with the first JSON file that goes with it, by what `say` makes of
    /// them, and reports under the rule for the text and the one for the JSON file.
    fn companions(
        &mut self,
        is_text: fn(FormatId) -> bool,
        is_json: fn(FormatId) -> bool,
        say: fn(&Reading) -> BTreeSet<String>,
        [text_rule, json_rule]: [&str; 2],
    ) {
        let first = |is: fn(FormatId) -> bool| {
            let of_kind = self.readings.iter().enumerate();
            let of_kind = of_kind.filter(|(_, (_, reading))| is(reading.format));
            of_kind.min_by_key(|(_, (document, reading))| super::precedence::of(document, reading))
        };
        let (Some((text, _)), Some((json, _))) = (first(is_text), first(is_json)) else {
            return;
        };
        let [text_says, json_says] = [text, json].map(|place| say(&self.readings[place].1));
        if text_says.is_empty() || json_says.is_empty() {
            return;
        }
        for (rule, place, own, other, others) in [
            (text_rule, text, &text_says, json, &json_says),
            (json_rule, json, &json_says, text, &text_says),
        ] {
            if let Some(difference) = difference(own, others)
                && !rule.is_empty()
            {
                let url = &self.readings[other].0.url;
                let message = format!("differs from {url}: {difference}");
                self.findings[place].report(rule, "", message);
            }
        }
    }
}

/// True for a name and the same with `www.` before it.
fn is_twin(one: &Domain, other: &Domain) -> bool {
    let bare = |name: &Domain| name.as_str().trim_start_matches("www.").to_owned();
    one != other && bare(one) == bare(other)
}

/// The text files of the agents.txt protocol, which list what agents.json describes.
fn is_capability_text(format: FormatId) -> bool {
    ["agents-txt/d1", "agents-txt/d2"].contains(&format.as_str())
}

fn is_capability_json(format: FormatId) -> bool {
    format.as_str().starts_with("agents-json/agents-protocol")
}

/// The text files of agents-txt.com, which point where its agents.json does.
fn is_pointer_text(format: FormatId) -> bool {
    format == FormatId("agents-txt/d4")
}

fn is_pointer_json(format: FormatId) -> bool {
    format == FormatId("agents-json/agents-txt-com")
}

/// The folded names of all capabilities.
fn capabilities(reading: &Reading) -> BTreeSet<String> {
    let capabilities = reading.agents.iter().flat_map(|agent| &agent.capabilities);
    capabilities.map(|it| text::fold(&it.name)).collect()
}

/// What is pointed at, as kind and URL.
fn pointers(reading: &Reading) -> BTreeSet<String> {
    let interfaces = reading.agents.iter().flat_map(|agent| &agent.interfaces);
    let interfaces = interfaces.map(|it| (it.protocol.as_str(), &it.url));
    let references = reading.references.iter().map(|it| match it.rel.as_str() {
        "agent-card" => ("a2a", &it.url),
        rel => (rel, &it.url),
    });
    let pointers = interfaces.chain(references);
    pointers
        .filter(|(kind, _)| KINDS.contains(kind))
        .map(|(kind, url)| format!("{kind} {}", url.trim_end_matches('/')))
        .collect()
}

/// What only one of two sets has, in words; `None` when they are equal.
fn difference(own: &BTreeSet<String>, others: &BTreeSet<String>) -> Option<String> {
    let told = |words: &str, only: Vec<&String>| {
        let names: Vec<&str> = only.iter().take(MAX_TOLD).map(|it| it.as_str()).collect();
        let more = if only.len() > MAX_TOLD { ", …" } else { "" };
        (!only.is_empty()).then(|| format!("{words} {}{more}", names.join(", ")))
    };
    let parts = [
        told("only here", own.difference(others).collect()),
        told("only there", others.difference(own).collect()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
