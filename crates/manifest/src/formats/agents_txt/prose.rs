//! Dialect "prose": Markdown similar to llms.txt, the most common kind of agents.txt (AT-90).
//!
//! The first heading is the name and the first paragraph the description. A link that ends in the
//! name of a manifest or of a protocol is a reference or an interface. A line that begins with an
//! HTTP method and a path, and the items below a heading such as "Tools", are capabilities.

use super::lines::Position;
use super::report::Report;
use super::{Dialect, Manifest, keys};
use crate::Severity::Info;
use crate::formats::agents_txt::examples::INFORMAL;
use crate::rule::{Example, Rule};
use crate::{Capability, Document, link};

pub(super) mod list;
pub(super) mod operation;
mod paragraph;
pub(super) mod summary;
mod title;

pub(super) use operation::Operation;

pub(super) fn validate(report: &mut Report<'_>) {
    let title = report.manifest.prose.title(Dialect::PROSE);
    let place = title.map_or_else(|| report.manifest.first_position(), |(place, _)| place);
    let message =
        "prose, which programs cannot rely on; publish an agents.json or an agent card as well";
    report.at(&AT_90, place, message);
}

/// Keys of robots.txt, whose paths are visited and not called.
const ROBOTS: [&str; 8] = [
    "user-agent",
    "allow",
    "disallow",
    "noindex",
    "path",
    "sitemap",
    "crawl-delay",
    "host",
];

/// Returns the capabilities in lists and in lines with an HTTP method, for every dialect.
/// Their paths are below the base of the API that the text states, if there is one.
pub(super) fn capabilities<'m>(
    manifest: &'m Manifest,
    document: &'m Document,
) -> impl Iterator<Item = (Position, Capability)> {
    let listed = manifest.listed.iter();
    let listed = listed.filter_map(|item| Some((item.at, item.capability(document)?)));
    let operations = manifest.operations.iter();
    let stated = ["api-base", "base-url", "api-base-url", "api"].iter();
    let mut stated = stated.filter_map(|key| manifest.directives.first(key));
    let base = stated.find_map(|line| {
        let address = line.address();
        (link::is_absolute(address) && !addresses_document(address)).then_some(address)
    });
    let named = manifest.directives.iter().filter_map(|line| {
        let is_own = manifest.dialect.is_informal()
            && !keys::is_known(&line.key)
            && !ROBOTS.contains(&line.key.as_str());
        let is_call = is_own && operation::is_of_api(&line.value);
        is_call.then(|| {
            (
                line.value_at,
                operation::under(&line.written, &line.value, document),
            )
        })
    });
    listed.chain(named).chain(
        operations.map(move |operation| (operation.at, operation.capability(document, base))),
    )
}

/// Reports whether an address is that of a file, below which nothing can be called.
fn addresses_document(address: &str) -> bool {
    [".json", ".yaml", ".yml", ".md", ".html"]
        .iter()
        .any(|ending| address.ends_with(ending))
}

pub(crate) static AT_90: Rule = Rule {
    id: "AT-90",
    format: INFORMAL,
    severity: Info,
    title: "The file gives programs data, not prose",
    explanation: "We read and list the heading, the first paragraph, the links and the lists of a text. Programs cannot rely on prose: publish an agents.json or an agent card as well.",
    section: "Common practice; there is no specification",
    good: super::examples::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# Harbour Books\n\nSecond-hand books, shipped from the harbour.\n\n- [Agent card](/.well-known/agent-card.json)\n",
    )],
};

pub(super) const RULES: &[&Rule] = &[&AT_90];
