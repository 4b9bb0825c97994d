//! Sources of an agent's page: documents, and the position of each fact in them.

use crate::record::agent::document;
use crate::view::document::DocumentView;
use crate::view::place::{self, PlaceLink};
use crate::view::{self, WebLink};
use manifest::listing::Evidence;
use manifest::{Listing, Timestamp};
use store::{SiteDocument, StoredAgent};
use url::Url;

/// Position of a fact that is not from the leading document.
#[derive(Debug)]
pub(super) struct ProvenanceView {
    pub(super) fact: String,
    pub(super) place: PlaceLink,
}

/// Document behind the agent.
#[derive(Debug)]
pub(super) struct SourceView {
    pub(super) link: WebLink,
    pub(super) format: String,
    pub(super) level: &'static str,
    pub(super) hash: String,
    /// Address of its text.
    pub(super) text: String,
    /// Stored document; `None` if a newer version replaced it.
    pub(super) document: Option<DocumentView>,
}

/// Places, in the documents, of the facts of a call.
#[derive(Debug)]
pub(super) struct Sources {
    pub(super) auth: Option<PlaceLink>,
    pub(super) payment: Option<PlaceLink>,
    /// Of each interface, in order.
    pub(super) interfaces: Vec<Option<PlaceLink>>,
}

impl Sources {
    /// Looks the places up.
    pub(super) fn of(listing: &Listing) -> Self {
        let place = |facts: &str, at: usize| {
            let known = &listing.provenance;
            let evidence = known.get(&format!("{facts}/{at}"));
            place_of(listing, evidence.or_else(|| known.get(facts))?)
        };
        let interfaces = 0..listing.agent.interfaces.len();
        Self {
            auth: place("auth", 0),
            payment: place("payments", 0),
            interfaces: interfaces.map(|at| place("interfaces", at)).collect(),
        }
    }
}

/// Returns the link to the place of a fact; the path of the leading document, which a reader expects,
/// is left out.
fn place_of(listing: &Listing, evidence: &Evidence) -> Option<PlaceLink> {
    let source = listing.sources.get(evidence.source)?;
    let path =
        Url::parse(&source.url).map_or_else(|_| source.url.clone(), |it| it.path().to_owned());
    let is_leading = evidence.source == 0 && !evidence.pointer.is_empty();
    let path = if is_leading { "" } else { &path };
    let place = evidence.pointer.replace("line:", "line ");
    Some(PlaceLink {
        words: view::foreign(format!("{path} {place}").trim()),
        href: place::href(&listing.id, evidence.source, &evidence.pointer),
    })
}

/// Returns the address of the text that states a capability.
pub(super) fn of_capability(listing: &Listing, index: usize) -> String {
    let known = listing.provenance.get(&format!("capabilities/{index}"));
    let capability = listing.agent.capabilities.get(index);
    let own = capability.map_or("", |it| &it.pointer);
    let (source, pointer) = known.map_or((0, own), |it| (it.source, &it.pointer));
    place::href(&listing.id, source, pointer)
}

/// Returns the documents behind an agent, with the stored version of each.
pub(super) fn documents(
    documents: &[SiteDocument],
    stored: &StoredAgent,
    now: Timestamp,
) -> Vec<SourceView> {
    let sources = stored.listing.sources.iter().enumerate();
    sources
        .map(|(number, source)| SourceView {
            text: place::href(&stored.listing.id, number, ""),
            link: WebLink::of(&source.url),
            format: view::format_title(source.format.as_str()),
            level: source.level.as_str(),
            hash: source.hash.clone(),
            document: document(documents, source).map(|document| {
                // Findings are for the owner, whose page is that of the site.
                let findings = document.findings.iter().map(|it| (it, None)).collect();
                DocumentView::of(document, findings, now)
                    .with_findings_at(&view::site_path(stored.domain.as_str()))
            }),
        })
        .collect()
}

/// Returns the facts that do not come from the leading document.
pub(super) fn provenance(listing: &Listing) -> Vec<ProvenanceView> {
    let leading = listing.sources.first().map(|source| &source.hash);
    let facts = listing.provenance.iter();
    facts
        .filter_map(|(path, evidence)| {
            let source = listing.sources.get(evidence.source)?;
            let is_other = Some(&source.hash) != leading;
            Some(ProvenanceView {
                fact: fact(listing, path),
                place: place_of(listing, evidence).filter(|_| is_other)?,
            })
        })
        .collect()
}

/// Returns the path of a fact in words: a capability by its name, an interface by its protocol.
fn fact(listing: &Listing, path: &str) -> String {
    let mut parts = path.splitn(3, '/');
    let (list, index, field) = (parts.next(), parts.next(), parts.next());
    let index: Option<usize> = index.and_then(|index| index.parse().ok());
    let agent = &listing.agent;
    let item = match (list, index) {
        (Some("capabilities"), Some(index)) => {
            let capability = agent.capabilities.get(index);
            capability.map(|it| format!("capability {}", it.name))
        }
        (Some("interfaces"), Some(index)) => {
            let interface = agent.interfaces.get(index);
            interface.map(|it| format!("interface {}", it.protocol))
        }
        _ => None,
    };
    match (item, field) {
        (Some(item), Some(field)) => format!("{item}, {field}"),
        (Some(item), None) => item,
        (None, _) => path.to_owned(),
    }
}
