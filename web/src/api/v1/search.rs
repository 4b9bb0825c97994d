//! `GET /api/v1/search`.

mod budget;

use super::agent::raw::{self, RawDocument};
use super::answer::facet_counts;
use crate::cache::{self, Policy, Tag};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::query::documented::documented;
use crate::query::{Part, SearchParams, Unknown, location};
use crate::record::NOTE;
use crate::record::agent::api_path;
use crate::record::version::text::Texts;
use crate::state::AppState;
use crate::view;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use connect::{Callable, Connect, callable, connect, connect_to};
use export::public::{Caution, Facts};
use export::urn;
use manifest::listing::Source;
use manifest::{Capability, FormatId, Timestamp};
use schemars::JsonSchema;
use search::{AgentHit, Answer, Correction, FacetCount, Fit, Fragment, MatchedField, Reason};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;
use store::StoredAgent;

#[derive(Debug, JsonSchema, Serialize)]
struct SearchBody {
    query: QueryBody,
    /// Level of the best result; absent for a query that consists of filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#match: Option<Fit>,
    generation: u64,
    /// Number of matches: results of all pages whose level is not `none`.
    total: u64,
    /// Number of the other results in the order, whose level is `none`.
    weaker: u64,
    total_is_exact: bool,
    took_ms: u64,
    results: Vec<ResultBody>,
    facets: BTreeMap<&'static str, Vec<FacetCount>>,
    more_from_site: BTreeMap<String, u64>,
    nearest_capabilities: Vec<String>,
    next_cursor: Option<String>,
    note: &'static str,
}

#[derive(Debug, JsonSchema, Serialize)]
struct QueryBody {
    q: String,
    terms: Vec<String>,
    ignored: Vec<String>,
    /// Corrections of mistyped words.
    did_you_mean: Vec<Correction>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ResultBody {
    id: String,
    urn: String,
    name: String,
    site: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    format: FormatId,
    level: &'static str,
    /// Best way in which a stranger can use the agent.
    callable: Callable,
    /// Category of needs; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    /// Estimated probability in percent; absent for a query that consists of filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u8>,
    /// Number of near-duplicates; `unfold=true` shows them.
    #[serde(rename = "alike")]
    near_duplicates: u64,
    r#match: MatchBody,
    /// Capability that is the result, for `unit=capability`; score and level are its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    capability: Option<CapabilityBody>,
    /// Language of the agent's texts (ISO 639-1), if it is another one than that of the need.
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'static str>,
    /// Left out if no part is included.
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<Facts>,
    /// Signs that it may be taken for another agent, or sends its callers elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cautions: Vec<Caution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<Connect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Vec<Source>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<Vec<RawDocument>>,
    /// True if texts and optional members are left out, because the results would be too long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shortened: bool,
    /// Left out if no part is included.
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Links>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct CapabilityBody {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct MatchBody {
    /// Absent for a query that consists of filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Fit>,
    because: Vec<ReasonBody>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ReasonBody {
    field: MatchedField,
    #[serde(skip_serializing_if = "Option::is_none")]
    capability: Option<String>,
    text: String,
    /// Parts of the text that match: first character and the one after the last, counted in Unicode
    /// code points.
    matches: Vec<Span>,
}

/// Part of a text.
#[derive(Debug, PartialEq, Eq, JsonSchema, Serialize)]
struct Span {
    start: usize,
    end: usize,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Links {
    page: String,
    api: String,
    site: String,
    /// Its documents as served.
    raw: String,
    /// Sources of its facts.
    evidence: String,
    /// Its changes.
    history: String,
    /// Similar agents of other sites.
    similar: String,
}

/// Describes `GET /api/v1/search`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let described = OperationDoc::new(operation, "search", "Searches for agents that meet a need.");
    let described = documented().into_iter().fold(described, |described, it| {
        described.query(it.name, it.description, it.format)
    });
    described
        .answer::<SearchBody>("The best agents, or the nearest ones if none seems to do it.")
        .problem(400, "A parameter is unknown or invalid.")
        .problem(
            410,
            "The index has changed since the search began; `links.first` begins anew.",
        )
        .done()
}

/// Answers `GET /api/v1/search`.
pub(crate) async fn show(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let query = query.unwrap_or_default();
    let asked = SearchParams::parse(&query, Unknown::Refused, &state.keys())
        .map_err(AppError::BadParameters)?;
    let (version, now) = (state.version().await?, (state.now)());
    let since = asked.checked_since(now);
    let canonical = asked.identity();
    // Results say when their agents were checked.
    let period = cache::period(Policy::KEPT, &canonical, now);
    let identity = ["search", &version, &canonical, &period];
    let is_volatile = since.is_some() || asked.includes(Part::Raw);
    let body = search(&state, asked, since);
    // Times of checks and layouts of documents change without a new generation.
    if is_volatile {
        let body = body.await?;
        let text = serde_json::to_string(&body.results).unwrap_or_default();
        let tag = Tag::of(&[&identity[..], &[&text]].concat());
        return Ok(tag.answer(Policy::Search, &headers, body.response()));
    }
    let (answers, tag) = (&state.shared.answers, Tag::of(&identity));
    answers
        .serve(&tag, Policy::Search, &headers, async {
            Ok(body.await?.response())
        })
        .await
}

/// Searches, and makes the body of the answer.
async fn search(
    state: &AppState,
    asked: SearchParams,
    since: Option<Timestamp>,
) -> Result<SearchBody, AppError> {
    let started = Instant::now();
    let Answer {
        results,
        found,
        nearest_capabilities,
    } = match since {
        Some(since) => state.find_checked(asked.request(), since).await,
        None => state.find(asked.request()).await,
    }
    .map_err(|error| error.starting_at(|| location("/api/v1/search", &asked.canonical())))?;
    // A query of which nothing can be used finds nothing, which is a level.
    let is_ranked = results.query.is_need() || results.query.is_lost();
    let mut bodies: Vec<_> = found
        .iter()
        .map(|it| ResultBody::of(it, &asked, is_ranked, (state.now)()))
        .collect();
    if asked.includes(Part::Raw) {
        let mut texts = Texts::new();
        for (body, found) in bodies.iter_mut().zip(&found) {
            body.raw = Some(raw::documents(state, &found.agent, &mut texts).await?);
        }
    }
    let bodies = match asked.budget {
        Some(budget) => budget::within(bodies, budget),
        None => bodies,
    };
    let next = match bodies.len().checked_sub(1).and_then(|last| found.get(last)) {
        Some(last) if bodies.len() < found.len() => Some(last.hit.cursor()),
        _ => results.next,
    };
    let following = |after| asked.following(after, results.generation, &state.keys());
    let next_cursor = next.map(following);
    Ok(SearchBody {
        r#match: is_ranked.then_some(results.fit),
        generation: results.generation,
        total: results.total,
        weaker: results.weaker,
        total_is_exact: since.is_none() && !results.is_partial,
        results: bodies,
        facets: facet_counts(results.facets),
        next_cursor,
        query: QueryBody {
            q: asked.text,
            terms: results.terms,
            ignored: results.query.ignored,
            did_you_mean: results.corrected,
        },
        more_from_site: results.more_from_site,
        nearest_capabilities,
        took_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        note: NOTE,
    })
}

impl SearchBody {
    fn response(&self) -> Response {
        cache::json_text(serde_json::to_vec(self).unwrap_or_default())
    }
}

impl ResultBody {
    fn of(found: &AgentHit, asked: &SearchParams, is_ranked: bool, now: Timestamp) -> Self {
        let AgentHit {
            hit,
            agent: stored,
            because,
            cautions,
            ..
        } = found;
        let listing = &stored.listing;
        let capability = found.capability();
        let connected = || {
            let of_reason = || because.iter().find_map(|it| it.capability.as_deref());
            let mut connect = capability.map_or_else(
                || connect(listing, of_reason(), now),
                |it| connect_to(listing, it, now),
            );
            if let Some(wanted) = &asked.snippets {
                connect.snippets = connect.snippets.and_then(|it| it.only(wanted));
            }
            connect
        };
        let has_links = asked.includes(Part::Links);
        Self {
            id: listing.id.to_string(),
            urn: urn::of(stored),
            name: listing.agent.name.clone(),
            site: stored.domain.to_string(),
            description: listing.agent.description.clone(),
            format: listing.format,
            level: listing.level.as_str(),
            callable: callable(listing),
            category: hit.category.map(|it| it.id),
            score: is_ranked.then_some(hit.score),
            near_duplicates: hit.near_duplicates,
            r#match: MatchBody {
                level: is_ranked.then_some(hit.fit),
                because: because.iter().map(ReasonBody::of).collect(),
            },
            capability: capability.map(CapabilityBody::of),
            lang: found.language,
            facts: has_links.then(|| Facts::of(stored)),
            cautions: Caution::all(cautions),
            connect: asked.includes(Part::Connect).then(connected),
            evidence: asked
                .includes(Part::Evidence)
                .then(|| listing.sources.clone()),
            raw: None,
            shortened: false,
            links: has_links.then(|| Links::of(stored)),
        }
    }
}

impl ResultBody {
    /// Leaves out the requests in languages of programs.
    fn without_snippets(self) -> Self {
        let connect = self.connect.map(|it| Connect {
            snippets: None,
            ..it
        });
        Self { connect, ..self }
    }

    /// Leaves out texts and optional members.
    fn shortened(self) -> Self {
        Self {
            description: None,
            connect: None,
            evidence: None,
            raw: None,
            r#match: MatchBody {
                because: Vec::new(),
                ..self.r#match
            },
            capability: self.capability.map(|it| CapabilityBody {
                description: None,
                ..it
            }),
            shortened: true,
            ..self
        }
    }
}

impl CapabilityBody {
    fn of(capability: &Capability) -> Self {
        Self {
            id: capability.id.clone(),
            name: capability.name.clone(),
            description: capability.description.clone(),
        }
    }
}

impl ReasonBody {
    fn of(reason: &Reason) -> Self {
        Self {
            field: reason.field,
            capability: reason.capability.clone(),
            text: reason.snippet.iter().map(|it| it.text.as_str()).collect(),
            matches: spans(&reason.snippet),
        }
    }
}

impl Links {
    /// Returns the links of an agent.
    pub(crate) fn of(stored: &StoredAgent) -> Self {
        let api = api_path(&stored.listing.id);
        Self {
            page: view::agent_path(&stored.listing.id),
            site: view::site_path(stored.domain.as_str()),
            raw: format!("{api}/raw"),
            evidence: format!("{api}/evidence"),
            history: format!("{api}/history"),
            similar: format!("{api}/similar"),
            api,
        }
    }
}

/// Returns the parts of a snippet that match.
fn spans(snippet: &[Fragment]) -> Vec<Span> {
    let (mut spans, mut start) = (Vec::new(), 0);
    for fragment in snippet {
        let end = start + fragment.text.chars().count();
        if fragment.is_match {
            spans.push(Span { start, end });
        }
        start = end;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_in_characters() {
        let fragment = |text: &str, is_match| Fragment {
            text: text.to_owned(),
            is_match,
        };
        let snippet = [
            fragment("a <b> für ", false),
            fragment("Tische", true),
            fragment(" & ", false),
            fragment("<mark>", true),
        ];
        let expected = [Span { start: 10, end: 16 }, Span { start: 19, end: 25 }];
        assert_eq!(spans(&snippet), expected);
    }
}
