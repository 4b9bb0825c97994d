//! `GET /api/v1/agents/{domain}/{slug}`, and the addresses below it.

mod account;
pub(crate) mod diff;
pub(crate) mod evidence;
pub(crate) mod history;
pub(crate) mod raw;
pub(crate) mod similar;

mod version;

use self::account::DocumentAccount;
use super::search::Links;
use crate::cache::Policy;
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, only};
use crate::query::location;
use crate::record::NOTE;
use crate::record::agent::{CapabilityPage, Place, api_path, document, members};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use connect::{Connect, connect};
use export::public::{Agent, Caution, Facts, Finding};
use manifest::listing::{Evidence, Listing, Source};
use manifest::{AgentId, Timestamp};
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use store::{SiteDocument, StoredAgent};
use url::form_urlencoded;

#[derive(Debug, JsonSchema, Serialize)]
struct AgentBody<'a> {
    #[serde(flatten)]
    agent: Agent<'a>,
    /// Category of needs; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    /// Number of all capabilities.
    capability_count: usize,
    /// Address of the next page of capabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// Value of `after` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<usize>,
    /// Signs that it may be taken for another agent, or sends its callers elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cautions: Vec<Caution>,
    /// Data for a first call; left out of answers that have to be short.
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<Connect>,
    /// The accounts of its documents, with `include=account`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    accounts: Vec<DocumentAccount>,
    facts: Facts,
    evidence: EvidenceBody<'a>,
    links: Links,
    note: &'static str,
}

/// Sources of the facts.
#[derive(Debug, JsonSchema, Serialize)]
struct EvidenceBody<'a> {
    /// Documents, the leading one first.
    sources: Vec<EvidenceSource<'a>>,
    /// Positions of facts, by their paths in this response: `name`, `capabilities/2`, or
    /// `capabilities/2/description` if its source differs from that of the rest.
    provenance: BTreeMap<Cow<'a, str>, &'a Evidence>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct EvidenceSource<'a> {
    #[serde(flatten)]
    source: &'a Source,
    /// Time of the last fetch or confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    findings: Vec<Finding<'a>>,
}

/// Describes `GET /api/v1/agents/{domain}/{slug}`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "getAgent",
        "Returns one agent with its evidence.",
    )
    .path("domain", "Domain of the site.", "mesa-do-tejo.example")
    .path(
        "slug",
        "Name of the agent at that site.",
        "mesa-reservations",
    )
    .query(
        "capability",
        "Name or id of the capability that `connect` calls.",
        json_schema!({ "type": "string" }),
    )
    .query(
        "after",
        "Number of capabilities before the page, which has 50.",
        json_schema!({ "type": "integer", "minimum": 0, "default": 0 }),
    )
    .query(
        "include",
        "Adds what became of each value of the documents.",
        json_schema!({ "type": "string", "enum": ["account"] }),
    )
    .answer::<AgentBody<'_>>("The agent.")
    .problem(400, "A parameter is unknown or invalid.")
    .moved()
    .tombstones()
    .problem(404, "No such agent.")
    .problem(410, "The operator hides or excludes it, or its owner left.")
    .done()
}

/// Answers `GET /api/v1/agents/{domain}/{slug}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let query = query.as_deref();
    let [capability, after, include] =
        only(query, ["capability", "after", "include"]).map_err(AppError::BadParameters)?;
    let after = number_before(after.as_deref()).map_err(AppError::BadParameters)?;
    let has_accounts = match include.as_deref() {
        None => false,
        Some("account") => true,
        Some(other) => {
            let fault = BadParameter::unknown_value("include", other, &["account"]);
            return Err(AppError::BadParameters(vec![fault]).into());
        }
    };
    let (place, path_of) = place(path, "", query)?;
    let wanted = capability.as_deref();
    // The example has the day in it.
    let now = (state.now)();
    let day = now.to_rfc3339().chars().take(10).collect::<String>();
    let parts = [
        "agent",
        &day,
        wanted.unwrap_or_default(),
        &after.to_string(),
        include.as_deref().unwrap_or_default(),
    ];
    let tag = place.tag(&state, &parts).await?;
    tag.serve(Policy::Current, &headers, async {
        let agent = place.load(&state, path_of).await?;
        if let Some(name) = wanted {
            check_capability(&agent.listing, name)?;
        }
        let page = CapabilityPage::of(&agent.listing.agent, after);
        let documents = state.store.site_documents(&agent.domain).await?;
        let members = members(&state, &agent.listing.agent).await?;
        let cautions = state.cautions(&agent).await?;
        let mut body = AgentBody::of(&documents, &agent, wanted, &page, now);
        body.cautions = Caution::all(&cautions);
        let neighbours = state.neighbours(&agent.listing.id, 0).await?;
        body.category = neighbours.category.map(|it| it.id);
        body.agent.link(&members);
        if has_accounts {
            body.accounts = account::all(&state, &agent).await?;
        }
        Ok(Json(body).into_response())
    })
    .await
}

/// Parses the number of capabilities before a page.
fn number_before(text: Option<&str>) -> Result<usize, Vec<BadParameter>> {
    let message = "`after` must be a whole number, such as `next_after` of the page before";
    match text.map(str::parse) {
        None => Ok(0),
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) => Err(vec![BadParameter::new("after", "out_of_range", message)]),
    }
}

/// Returns an error that lists the capabilities of an agent if none has this name or id.
fn check_capability(listing: &Listing, name: &str) -> Result<(), AppError> {
    let capabilities = &listing.agent.capabilities;
    if capabilities
        .iter()
        .any(|it| it.name == name || it.id == name)
    {
        return Ok(());
    }
    let known: Vec<&str> = capabilities.iter().map(|it| it.name.as_str()).collect();
    let fault = if known.is_empty() {
        let reason = "the documents of this agent state no capability";
        BadParameter::new("capability", "unknown_value", reason)
    } else {
        BadParameter::unknown_value("capability", name, &known)
    };
    Err(AppError::BadParameters(vec![fault]))
}

/// Describes an operation on an agent.
fn of_agent<'t>(operation: TransformOperation<'t>, id: &str, summary: &str) -> OperationDoc<'t> {
    OperationDoc::new(operation, id, summary)
        .path("domain", "Domain of the site.", "mesa-do-tejo.example")
        .path(
            "slug",
            "Name of the agent at that site.",
            "mesa-do-tejo-reservations",
        )
        .moved()
        .tombstones()
        .problem(
            400,
            "The domain is none, or a parameter is unknown or invalid.",
        )
        .problem(404, "No such agent.")
        .problem(410, "The operator hides or excludes it, or its owner left.")
}

/// Returns the place of a request to an address below that of an agent, such as `/raw`, and the path of
/// that address for another id.
fn place<'a>(
    path: Result<Path<(String, String)>, PathRejection>,
    below: &'a str,
    query: Option<&'a str>,
) -> Result<(Place, impl Fn(&AgentId) -> String + 'a), AppError> {
    let path_of = move |id: &AgentId| {
        let path = api_path(id);
        location(&format!("{path}{below}"), query.unwrap_or_default())
    };
    Ok((Place::of(path, path_of)?, path_of))
}

/// Loads the agent of a request to an address below its own, such as `/raw`.
async fn load(
    state: &AppState,
    path: Result<Path<(String, String)>, PathRejection>,
    below: &str,
    query: Option<&str>,
) -> Result<StoredAgent, AppError> {
    let (place, path_of) = place(path, below, query)?;
    place.load(state, path_of).await
}

impl<'a> AgentBody<'a> {
    fn of(
        documents: &'a [SiteDocument],
        stored: &'a StoredAgent,
        wanted: Option<&str>,
        page: &CapabilityPage,
        now: Timestamp,
    ) -> Self {
        let listing = &stored.listing;
        let mut agent = Agent::of(stored);
        agent.keep_capabilities(page.range.clone());
        let next_page = |after: usize| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("after", &after.to_string());
            // The next page has the first call of the same capability.
            query.extend_pairs(wanted.map(|wanted| ("capability", wanted)));
            format!("{}?{}", api_path(&listing.id), query.finish())
        };
        Self {
            agent,
            category: None,
            capability_count: page.count,
            next: page.next().map(next_page),
            next_after: page.next(),
            cautions: Vec::new(),
            connect: Some(connect(listing, wanted, now)),
            accounts: Vec::new(),
            facts: Facts::of(stored),
            evidence: EvidenceBody::of(documents, listing).on(page),
            links: Links::of(stored),
            note: NOTE,
        }
    }
}

impl<'a> EvidenceBody<'a> {
    fn of(documents: &'a [SiteDocument], listing: &'a Listing) -> Self {
        let sources = listing.sources.iter();
        let provenance = listing.provenance.iter();
        Self {
            sources: sources
                .map(|it| EvidenceSource::of(documents, it))
                .collect(),
            provenance: provenance
                .map(|(path, place)| (path.as_str().into(), place))
                .collect(),
        }
    }

    /// Keeps the sources of what is on a page of capabilities, with the paths of that page.
    fn on(self, page: &CapabilityPage) -> Self {
        let provenance = self.provenance.into_iter();
        Self {
            provenance: provenance
                .filter_map(|(path, place)| Some((page.path(path)?, place)))
                .collect(),
            ..self
        }
    }
}

impl<'a> EvidenceSource<'a> {
    fn of(documents: &'a [SiteDocument], source: &'a Source) -> Self {
        let document = document(documents, source);
        let findings = document.into_iter().flat_map(|it| &it.findings);
        Self {
            source,
            fetched: document.map(|it| it.fetched.to_rfc3339()),
            http_status: document.map(|it| it.status),
            findings: findings.map(Finding::of).collect(),
        }
    }
}
