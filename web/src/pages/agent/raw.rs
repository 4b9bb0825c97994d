//! `/agent/{domain}/{slug}/raw`: the stored documents of an agent line by line, with the headers of
//! their answers, and the findings at their lines.

use super::head::{Head, View};
use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::record::agent::{Place, api_path, document};
use crate::record::version::text::{Omission, ShownText, Texts};
use crate::state::{AppState, blocking};
use crate::twin::Form;
use crate::view::document::FindingView;
use crate::view::lines::{self, Piece, Space};
use crate::view::place::{anchor, line_anchor, raw_path};
use crate::view::time::Moment;
use crate::view::{self, WebLink, foreign};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::listing::Source;
use manifest::{AgentId, Finding, Listing, Timestamp, lint};
use std::collections::BTreeMap;
use store::{SiteDocument, StoredAgent};

/// Most documents on the page.
const MAX_DOCUMENTS: usize = 20;
/// Most places of facts in one document.
const MAX_PLACES: usize = 2_000;
/// Most findings shown of one document.
const MAX_FINDINGS: usize = 100;

#[derive(Debug, Template)]
#[template(path = "raw.html")]
struct RawPage {
    layout: Layout,
    head: Head,
    documents: Vec<RawView>,
    /// Number of further documents, in words.
    more: Option<String>,
}

html::markdown_twin!(RawPage, "raw.md");

/// A stored document.
#[derive(Debug)]
struct RawView {
    anchor: String,
    link: WebLink,
    format: String,
    level: &'static str,
    level_words: &'static str,
    hash: String,
    /// Address of its bytes.
    bytes: String,
    /// Headers of the answer: name and value.
    headers: Vec<(&'static str, String)>,
    /// Times: name and value.
    times: Vec<(&'static str, Moment)>,
    is_redacted: bool,
    /// Reason why there is no text.
    left_out: Option<&'static str>,
    text: TextView,
}

/// Text of a document, with what is noted at its lines.
#[derive(Debug, Default)]
struct TextView {
    lines: Vec<LineView>,
    /// Findings without a line that is shown.
    elsewhere: Vec<FindingView>,
    /// Statement on the lines that are not shown.
    more: Option<String>,
    /// Places in these lines.
    hidden_places: Vec<String>,
}

impl TextView {
    /// Returns the lines as text.
    fn plain(&self) -> String {
        lines::text(self.lines.iter().map(|it| &*it.pieces))
    }
}

#[derive(Debug)]
struct LineView {
    anchor: String,
    pieces: Vec<Piece>,
    findings: Vec<FindingView>,
}

/// Places and findings of a document, from which its text is laid out.
#[derive(Debug)]
struct Notes {
    number: usize,
    /// Pointers of facts.
    places: Vec<String>,
    findings: Vec<Finding>,
}

/// Answers `GET /agent/{domain}/{slug}/raw`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let path_of = |id: &AgentId| form.path(&raw_path(id));
    let place = Place::of(path, path_of)?;
    let parts = ["raw page", form.media_type()];
    let tag = place.page_tag(&state, &parts).await?;
    tag.serve(Policy::Current, &headers, async {
        let agent = place.load(&state, path_of).await?;
        let now = (state.now)();
        let documents = state.store.site_documents(&agent.domain).await?;
        let texts = Texts::new().of(&state, &agent).await?;
        let page = blocking(move || RawPage::of(&documents, &agent, texts, now)).await?;
        Ok(html::rendered(form, &page)?)
    })
    .await
}

impl RawPage {
    fn of(
        documents: &[SiteDocument],
        stored: &StoredAgent,
        texts: Vec<Result<ShownText, Omission>>,
        now: Timestamp,
    ) -> Self {
        let listing = &stored.listing;
        let mut space = Space::of_page();
        let sources = listing.sources.iter().zip(texts).enumerate();
        let views = sources.take(MAX_DOCUMENTS).map(|(number, (source, text))| {
            let document = document(documents, source);
            let notes = Notes::of(listing, number, document);
            RawView::of(source, document, stored, (text, notes), &mut space, now)
        });
        let views = views.collect();
        let more = listing.sources.len().saturating_sub(MAX_DOCUMENTS) as u64;
        Self {
            layout: Layout::new("").at(&raw_path(&listing.id)).unlisted(),
            head: Head::of(stored, View::Raw, now),
            documents: views,
            more: (more > 0).then(|| view::count(more, "further document", "further documents")),
        }
    }
}

impl Notes {
    /// Collects the places of the facts that document number `number` states, and its findings.
    fn of(listing: &Listing, number: usize, document: Option<&SiteDocument>) -> Self {
        let provenance = listing.provenance.values();
        let known = provenance.filter(|it| it.source == number);
        let mut places: Vec<String> = known.map(|it| it.pointer.clone()).collect();
        if number == 0 {
            let capabilities = listing.agent.capabilities.iter();
            places.extend(capabilities.map(|it| it.pointer.clone()));
        }
        // The document and its lines have anchors of their own.
        places.retain(|it| it.starts_with('/'));
        places.sort_unstable();
        places.dedup();
        places.truncate(MAX_PLACES);
        let findings = document.into_iter().flat_map(|it| &it.findings);
        Self {
            number,
            places,
            findings: findings.take(MAX_FINDINGS).cloned().collect(),
        }
    }

    /// Lays a text out. Lines that findings state count in the text as served; `is_redacted` texts
    /// have others.
    fn lay_out(self, text: &str, is_redacted: bool, space: &mut Space) -> TextView {
        let Self {
            number,
            places,
            findings,
        } = self;
        let stated = |it: &Finding| it.line.filter(|_| !is_redacted);
        let pointers: Vec<&str> = places
            .iter()
            .map(String::as_str)
            .chain(findings.iter().map(|it| it.pointer.as_str()))
            .collect();
        let positions = lint::positions(text, &pointers);
        let (of_places, of_findings) = positions.split_at(places.len());
        let mut marks: BTreeMap<u32, Vec<(u32, String)>> = BTreeMap::new();
        let mut hidden_places = Vec::new();
        for (pointer, position) in places.iter().zip(of_places) {
            match position {
                Some((line, column)) => {
                    let marks = marks.entry(*line).or_default();
                    marks.push((*column, anchor(number, pointer)));
                }
                None => hidden_places.push(anchor(number, pointer)),
            }
        }
        let mut noted: BTreeMap<u32, Vec<FindingView>> = BTreeMap::new();
        let mut elsewhere = Vec::new();
        for (finding, position) in findings.iter().zip(of_findings) {
            let line = stated(finding).or(position.map(|it| it.0));
            // The line itself is the better quotation.
            let plain = Finding {
                excerpt: None,
                ..finding.clone()
            };
            let views = FindingView::folded(&[plain]);
            match line {
                Some(line) => noted.entry(line).or_default().extend(views),
                None => elsewhere.extend(views),
            }
        }
        let mut view = TextView::default();
        let all = || text.strip_suffix('\n').unwrap_or(text).split('\n');
        let mut is_cut = false;
        for (line, text) in (1_u32..).zip(all()) {
            let mut anchors = marks.remove(&line).unwrap_or_default();
            anchors.sort_unstable();
            let Some(shown) = space.line(text, &anchors) else {
                marks.insert(line, anchors);
                break;
            };
            is_cut = shown.is_cut;
            view.lines.push(LineView {
                anchor: line_anchor(number, line),
                pieces: shown.pieces,
                findings: noted.remove(&line).unwrap_or_default(),
            });
            if is_cut {
                break;
            }
        }
        view.more = match all().count() - view.lines.len() {
            0 => is_cut.then(|| "The rest of this line is not shown here.".to_owned()),
            more => {
                let lines = view::count(more as u64, "further line", "further lines");
                Some(format!("{lines} not shown here."))
            }
        };
        hidden_places.extend(marks.into_values().flatten().map(|it| it.1));
        view.hidden_places = hidden_places;
        elsewhere.extend(noted.into_values().flatten());
        view.elsewhere = elsewhere;
        view
    }
}

impl RawView {
    fn of(
        source: &Source,
        document: Option<&SiteDocument>,
        stored: &StoredAgent,
        (text, notes): (Result<ShownText, Omission>, Notes),
        space: &mut Space,
        now: Timestamp,
    ) -> Self {
        let is_redacted = text.as_ref().is_ok_and(|it| it.is_changed);
        let api = api_path(&stored.listing.id);
        Self {
            anchor: anchor(notes.number, ""),
            link: WebLink::of(&source.url),
            format: match &source.generation {
                None => view::format_title(source.format.as_str()),
                Some(it) => format!("{} {it}", view::format_title(source.format.as_str())),
            },
            level: source.level.as_str(),
            level_words: view::level_words(source.level),
            bytes: format!("{api}/raw?document={}", source.hash),
            hash: source.hash.clone(),
            headers: document.map(headers).unwrap_or_default(),
            times: document.map(|it| times(it, now)).unwrap_or_default(),
            is_redacted,
            left_out: text.as_ref().err().map(|it| reason(*it)),
            text: match text {
                Ok(shown) => notes.lay_out(&shown.text, is_redacted, space),
                Err(_) => TextView {
                    elsewhere: FindingView::folded(&notes.findings),
                    hidden_places: notes
                        .places
                        .iter()
                        .map(|it| anchor(notes.number, it))
                        .collect(),
                    ..TextView::default()
                },
            },
        }
    }
}

/// Returns the answer to the request for a document, as names and values.
fn headers(document: &SiteDocument) -> Vec<(&'static str, String)> {
    let served = document.served.as_ref();
    let optional = [
        ("ETag", document.etag.as_ref()),
        ("Last-Modified", document.last_modified.as_ref()),
        (
            "Cache-Control",
            served.and_then(|it| it.cache_control.as_ref()),
        ),
        (
            "Access-Control-Allow-Origin",
            served.and_then(|it| it.allow_origin.as_ref()),
        ),
    ];
    let mut headers = vec![
        ("Status", document.status.to_string()),
        (
            "Content-Type",
            document
                .media_type
                .as_deref()
                .map_or_else(|| "not stated".to_owned(), foreign),
        ),
        ("Size", view::size(document.bytes)),
    ];
    headers.extend(
        optional
            .into_iter()
            .filter_map(|(name, value)| Some((name, foreign(value?)))),
    );
    if document.requested != document.url {
        headers.push(("Requested", foreign(&document.requested)));
    }
    headers
}

fn times(document: &SiteDocument, now: Timestamp) -> Vec<(&'static str, Moment)> {
    [
        ("Last confirmed", document.fetched),
        ("Last changed", document.changed),
        ("First seen", document.first_seen),
    ]
    .map(|(name, at)| (name, Moment::of(at, now)))
    .into()
}

/// Explains why there is no text.
fn reason(reason: Omission) -> &'static str {
    match reason {
        Omission::NotText => "These bytes are not text, so they are not shown.",
        Omission::TooLong => "The documents of this agent are too long to show all of them here.",
        Omission::NotStored => {
            "These bytes are no longer stored: the site serves a newer version, which has not been read yet."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{Severity, rules};

    fn notes(places: &[&str], findings: Vec<Finding>) -> Notes {
        Notes {
            number: 0,
            places: places.iter().map(|it| (*it).to_owned()).collect(),
            findings,
        }
    }

    fn finding(pointer: &str) -> Finding {
        let rule = rules::find("A2-06").unwrap().at_most(Severity::Error);
        Finding::new(rule, pointer, "the address is none")
    }

    #[test]
    fn facts_and_findings_stand_at_their_lines() {
        let text = "{\n  \"name\": \"Ferry\",\n  \"url\": 1\n}\n";
        let mut at_line = finding("");
        at_line.line = Some(4);
        let findings = vec![finding("/url"), at_line];
        let notes = notes(&["/name", "/skills"], findings);
        let view = notes.lay_out(text, false, &mut Space::of_page());
        assert_eq!(view.lines.len(), 4);
        let anchors = |line: &LineView| {
            let pieces = line.pieces.iter();
            let anchors = pieces.filter(|it| matches!(it, Piece::Anchor(_)));
            anchors.cloned().collect::<Vec<_>>()
        };
        let anchor = |name: &str| vec![Piece::Anchor(name.to_owned())];
        assert_eq!(anchors(&view.lines[1]), anchor("d0/name"));
        // The place of a member that is missing is that of its parent.
        assert_eq!(anchors(&view.lines[0]), anchor("d0/skills"));
        let counts: Vec<_> = view.lines.iter().map(|it| it.findings.len()).collect();
        assert_eq!(counts, [0, 0, 1, 1]);
        assert_eq!((view.elsewhere.len(), view.more), (0, None));
    }

    #[test]
    fn places_and_findings_of_lines_that_are_not_shown_are_kept() {
        let lines = "\"x\",\n".repeat(9_998);
        let text = format!("[\n{lines}\"y\"\n]");
        let notes = notes(&["/0", "/9998"], vec![finding("/9997")]);
        let view = notes.lay_out(&text, false, &mut Space::of_page());
        assert_eq!(view.lines.len(), 5_000);
        assert_eq!(
            view.more.as_deref(),
            Some("5,001 further lines not shown here.")
        );
        assert_eq!(view.hidden_places, ["d0/9998"]);
        assert_eq!(view.elsewhere.len(), 1);
    }

    #[test]
    fn a_text_that_is_no_json_has_no_places() {
        let notes = notes(&["/name"], vec![finding("/name")]);
        let view = notes.lay_out("", false, &mut Space::of_page());
        assert_eq!((view.lines.len(), view.elsewhere.len()), (1, 1));
        assert_eq!(view.hidden_places, ["d0/name"]);
    }
}
