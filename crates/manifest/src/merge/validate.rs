//! Rules that compare several documents of one site.
//!
//! Each finding belongs to the document whose owner can correct it.

use super::Content;
use crate::finding::Findings;
use crate::format::Format as _;
use crate::formats::agents_txt::Dialect;
use crate::formats::agents_txt_com_json::AgentsTxtComJson;
use crate::formats::intentql::IntentQl;
use crate::rule::Rule;
use crate::rule::site::{AC_08, AJ_22, AT_19, AT_45, DI_06, GP_06, IQ_16, PR_06};
use crate::{Agent, Document, Domain, Finding, FormatId, Reading, text};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

/// Maximum number of names in a message.
const MAX_NAMES: usize = 5;

/// Kinds of references in the files of agents-txt.com.
const KINDS: [&str; 5] = ["mcp", "skills", "a2a", "ucp", "webmcp"];

/// Returns the findings for each of `readings`.
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
    for (place, finding) in super::skills::findings(readings) {
        site.findings[place].push(finding);
    }
    site.companions(
        is_capability_text,
        is_capability_json,
        capabilities,
        [None, Some(&AJ_22)],
    );
    site.companions(
        is_pointer_text,
        is_pointer_json,
        pointers,
        [Some(&AT_45), Some(&AC_08)],
    );
    site.findings.into_iter().map(Findings::into_vec).collect()
}

struct Site<'r> {
    readings: &'r [(&'r Document, Reading)],
    /// The findings, one list for each reading.
    findings: Vec<Findings>,
}

impl Site<'_> {
    /// Reports documents that another host served in the domain's place (DI-06, PR-06).
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
                    "{host} served this document for {domain}; it is listed under {domain}, which should serve it itself"
                );
                findings.add(&DI_06, "", message);
            } else if is_twin(&host, domain) {
                let message =
                    format!("{host} served this document for {domain}; both names are recorded");
                findings.add(&PR_06, "", message);
            }
        }
    }

    /// Reports a document that is served at several URLs (PR-05).
    fn identical(&mut self, contents: &[Content<'_>]) {
        for content in contents {
            let Some((first, others)) = content.places.split_first() else {
                continue;
            };
            let url = &self.readings[*first].0.url;
            for place in others {
                if self.readings[*place].0.url != *url {
                    let message =
                        format!("the same bytes as {url}: both URLs count as one document");
                    self.findings[*place].add(&GP_06, "", message);
                }
            }
        }
    }

    /// Reports IntentQL documents that are not at the specified path (IQ-16).
    fn intentql_place(&mut self, contents: &[Content<'_>]) {
        let places = || contents.iter().flat_map(|content| &content.places);
        let is_intentql = |place: &&usize| self.readings[**place].1.format == IntentQl::ID;
        // A faulty document of the format may have been read as another one.
        let is_proper = |(document, reading): &(&Document, Reading)| {
            document.path() == "/agent.json" && reading.is_indexable()
        };
        if self.readings.iter().any(is_proper) {
            return;
        }
        let found = places().find(is_intentql).copied();
        if let Some(place) = found {
            let message = "clients look at /agent.json first; publish it there";
            self.findings[place].add(&IQ_16, "", message);
        }
    }

    /// Reports sessions or audit that no agents.json of the site describes (AT-19).
    fn sessions_without_manifest(&mut self) {
        let has_manifest = |(_, reading): &(&Document, Reading)| is_capability_json(reading.format);
        if self.readings.iter().any(has_manifest) {
            return;
        }
        for ((_, reading), findings) in self.readings.iter().zip(&mut self.findings) {
            let announces = |agent: &Agent| agent.sessions.is_some() || agent.audit.is_some();
            let is_protocol = [
                "agents-txt/agents-protocol-legacy",
                "agents-txt/agents-protocol",
            ]
            .contains(&reading.format.as_str());
            if is_protocol && reading.agents.iter().any(announces) {
                let message = "sessions or audit are announced, but no agents.json of the site describes them; serve /.well-known/agents.json";
                findings.add(&AT_19, "", message);
            }
        }
    }

    /// Compares the first text file of a kind with the corresponding JSON file, by the values that
    /// `values` returns for each, and reports differences under a separate rule for each file.
    fn companions(
        &mut self,
        is_text: fn(FormatId) -> bool,
        is_json: fn(FormatId) -> bool,
        values: fn(&Reading) -> BTreeSet<String>,
        [text_rule, json_rule]: [Option<&'static Rule>; 2],
    ) {
        let first = |is: fn(FormatId) -> bool| {
            let of_kind = self.readings.iter().enumerate();
            let of_kind = of_kind.filter(|(_, (_, reading))| is(reading.format));
            of_kind.min_by_key(|(_, (document, reading))| super::precedence::of(document, reading))
        };
        let (Some((text, _)), Some((json, _))) = (first(is_text), first(is_json)) else {
            return;
        };
        let [text_values, json_values] = [text, json].map(|place| values(&self.readings[place].1));
        if text_values.is_empty() || json_values.is_empty() {
            return;
        }
        for (rule, place, own, other, others) in [
            (text_rule, text, &text_values, json, &json_values),
            (json_rule, json, &json_values, text, &text_values),
        ] {
            if let Some(difference) = difference(own, others)
                && let Some(rule) = rule
            {
                let url = &self.readings[other].0.url;
                let message = format!("differs from {url}: {difference}");
                self.findings[place].add(rule, "", message);
            }
        }
    }
}

/// Reports whether two names differ only by a leading `www.`.
fn is_twin(one: &Domain, other: &Domain) -> bool {
    let bare = |name: &Domain| name.as_str().trim_start_matches("www.").to_owned();
    one != other && bare(one) == bare(other)
}

/// Reports whether a format is a text file of the agents.txt protocol, which lists the capabilities
/// that agents.json describes.
fn is_capability_text(format: FormatId) -> bool {
    [
        "agents-txt/agents-protocol-legacy",
        "agents-txt/agents-protocol",
    ]
    .contains(&format.as_str())
}

fn is_capability_json(format: FormatId) -> bool {
    format.as_str().starts_with("agents-json/agents-protocol")
}

/// Reports whether a format is the text file of agents-txt.com, which has the same references as
/// its agents.json.
fn is_pointer_text(format: FormatId) -> bool {
    format == Dialect::AGENTS_TXT_COM.id
}

fn is_pointer_json(format: FormatId) -> bool {
    format == AgentsTxtComJson::ID
}

/// Returns the folded names of all capabilities.
fn capabilities(reading: &Reading) -> BTreeSet<String> {
    let capabilities = reading.agents.iter().flat_map(|agent| &agent.capabilities);
    capabilities.map(|it| text::fold(&it.name)).collect()
}

/// Returns the references and interfaces, each as kind and URL.
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

/// Describes what only one of two sets contains; returns `None` if they are equal.
fn difference(own: &BTreeSet<String>, others: &BTreeSet<String>) -> Option<String> {
    let list = |words: &str, only: Vec<&String>| {
        let names: Vec<&str> = only.iter().take(MAX_NAMES).map(|it| it.as_str()).collect();
        let more = if only.len() > MAX_NAMES { ", …" } else { "" };
        (!only.is_empty()).then(|| format!("{words} {}{more}", names.join(", ")))
    };
    let parts = [
        list("only here", own.difference(others).collect()),
        list("only there", others.difference(own).collect()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
