//! `GET /api/v1/agents/{domain}/{slug}`.

mod parts;

use super::search::{Facts, Links, SourceBody};
use super::{FindingBody, time, urn};
use crate::api::NOTE;
use crate::cache::Policy;
use crate::connect::{Connect, connect};
use crate::error::Problem;
use crate::pages::agent::{document, lookup, missing, tag};
use crate::pages::{Named, named};
use crate::state::AppState;
use crate::view;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use manifest::Listing;
use manifest::listing::Evidence;
use parts::{
    AuditBody, AuthBody, CapabilityBody, FlowBody, GraphBody, InterfaceBody, PaymentBody,
    PolicyBody, ProviderBody, RateLimitBody, SessionsBody, SignatureBody, all,
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use store::{Site, StoredAgent};

#[derive(Debug, Serialize)]
struct AgentBody {
    id: String,
    urn: String,
    name: String,
    site: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    format: String,
    level: &'static str,
    status: &'static str,
    first_seen: String,
    last_seen: String,
    changed: String,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<ProviderBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docs: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    homepage: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_names: Vec<String>,
    tags: Vec<String>,
    languages: Vec<String>,
    input_modes: Vec<String>,
    output_modes: Vec<String>,
    interfaces: Vec<InterfaceBody>,
    auth: Vec<AuthBody>,
    capabilities: Vec<CapabilityBody>,
    rate_limits: Vec<RateLimitBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<SessionsBody>,
    flows: Vec<FlowBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<AuditBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<GraphBody>,
    policies: Vec<PolicyBody>,
    payments: Vec<PaymentBody>,
    signatures: Vec<SignatureBody>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    extensions: Map<String, Value>,
    /// Fields with a default value of the specification.
    defaulted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<Connect>,
    facts: Facts,
    evidence: EvidenceBody,
    links: Links,
    note: &'static str,
}

/// Sources of the facts.
#[derive(Debug, Serialize)]
struct EvidenceBody {
    /// Documents, the leading one first.
    sources: Vec<EvidenceSource>,
    /// Positions of facts, by their paths in this response: `name`, `capabilities/2`, or
    /// `capabilities/2/description` if its source differs from that of the rest.
    provenance: BTreeMap<String, PlaceBody>,
}

/// Position of a fact.
#[derive(Debug, Serialize)]
struct PlaceBody {
    /// Index in `sources`.
    source: usize,
    /// JSON pointer, or `line:N`; empty for the whole document.
    pointer: String,
}

#[derive(Debug, Serialize)]
struct EvidenceSource {
    #[serde(flatten)]
    source: SourceBody,
    /// Time of the last fetch or confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    findings: Vec<FindingBody>,
}

/// Answers `GET /api/v1/agents/{domain}/{slug}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Path((domain, slug)) = path?;
    let domain = match named(&domain)? {
        Named::Canonical(domain) => domain,
        Named::Alias(domain) => {
            let path = view::path(&["api", "v1", "agents", domain.as_str(), &slug]);
            return Ok(Redirect::permanent(&path).into_response());
        }
    };
    let Some(agent) = lookup(&state, &domain, &slug).await? else {
        return Err(Problem(missing(&state, &domain, &slug).await));
    };
    let tag = tag(&state, &agent, &["agent"]).await?;
    if tag.is_known_to(&headers) {
        return Ok(tag.not_modified(Policy::Details));
    }
    let Some(site) = state.store.site(&domain).await? else {
        return Err(Problem(missing(&state, &domain, &slug).await));
    };
    let body = Json(AgentBody::of(&site, &agent));
    Ok(tag.on(Policy::Details, body.into_response()))
}

impl AgentBody {
    fn of(site: &Site, stored: &StoredAgent) -> Self {
        let listing = &stored.listing;
        let agent = listing.agent.clone();
        Self {
            id: listing.id.to_string(),
            urn: urn(&listing.id),
            name: agent.name,
            site: stored.domain.to_string(),
            description: agent.description,
            format: listing.format.clone(),
            level: listing.level.as_str(),
            status: stored.status.as_str(),
            first_seen: time(stored.first_seen),
            last_seen: time(stored.last_seen),
            changed: time(stored.changed),
            hash: stored.hash.clone(),
            url: agent.url,
            version: agent.version,
            provider: agent.provider.map(ProviderBody::from),
            contact: agent.contact,
            docs: agent.docs,
            logo: agent.logo,
            homepage: agent.homepage,
            other_names: agent.other_names,
            tags: agent.tags,
            languages: agent.languages,
            input_modes: agent.input_modes,
            output_modes: agent.output_modes,
            interfaces: all(agent.interfaces),
            auth: all(agent.auth),
            capabilities: all(agent.capabilities),
            rate_limits: all(agent.rate_limits),
            sessions: agent.sessions.map(SessionsBody::from),
            flows: all(agent.flows),
            audit: agent.audit.map(AuditBody::from),
            graph: agent.graph.map(GraphBody::from),
            policies: all(agent.policies),
            payments: all(agent.payments),
            signatures: all(agent.signatures),
            extensions: agent.extensions,
            defaulted: agent.defaulted,
            connect: connect(listing, None),
            facts: Facts::of(stored),
            evidence: EvidenceBody::of(site, listing),
            links: Links::of(stored),
            note: NOTE,
        }
    }
}

impl EvidenceBody {
    fn of(site: &Site, listing: &Listing) -> Self {
        let sources = listing.sources.iter().map(|source| {
            let document = document(site, source);
            EvidenceSource {
                source: SourceBody::of(source),
                fetched: document.map(|document| time(document.fetched)),
                http_status: document.map(|document| document.status),
                findings: document
                    .map(|document| document.findings.iter().map(FindingBody::of).collect())
                    .unwrap_or_default(),
            }
        });
        Self {
            sources: sources.collect(),
            provenance: listing.provenance.iter().map(place).collect(),
        }
    }
}

fn place((path, evidence): (&String, &Evidence)) -> (String, PlaceBody) {
    let place = PlaceBody {
        source: evidence.source,
        pointer: evidence.pointer.clone(),
    };
    (path.clone(), place)
}
