//! `GET /api/v1/agents/{domain}/{slug}`.

use super::search::{Facts, Links, SourceBody};
use super::{FindingBody, tagged, time, urn};
use crate::api::NOTE;
use crate::cache::Policy;
use crate::connect::{Connect, connect};
use crate::error::Problem;
use crate::pages::agent::{lookup, missing};
use crate::pages::{Named, named};
use crate::state::AppState;
use crate::view;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use manifest::agent;
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
    /// Fields whose value is a specification's default.
    defaulted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<Connect>,
    facts: Facts,
    evidence: EvidenceBody,
    links: Links,
    note: &'static str,
}

#[derive(Debug, Serialize)]
struct ProviderBody {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Debug, Serialize)]
struct InterfaceBody {
    protocol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<String>,
    preferred: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
}

#[derive(Debug, Serialize)]
struct AuthBody {
    scheme: String,
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flows: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authorization_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docs: Option<String>,
}

#[derive(Debug, Serialize)]
struct CapabilityBody {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    params: Vec<ParamBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_auth: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_session: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    human_handoff: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<RateLimitBody>,
    tags: Vec<String>,
    examples: Vec<String>,
    input_modes: Vec<String>,
    output_modes: Vec<String>,
    deprecated: bool,
    pointer: String,
}

#[derive(Debug, Serialize)]
struct ParamBody {
    name: String,
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    choices: Vec<Value>,
}

#[derive(Debug, Serialize)]
struct RateLimitBody {
    scope: String,
    limit: u64,
    window_s: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize)]
struct SessionsBody {
    create: String,
    delete: String,
    ttl_s: u64,
}

#[derive(Debug, Serialize)]
struct FlowBody {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    steps: Vec<String>,
}

#[derive(Debug, Serialize)]
struct AuditBody {
    endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<String>,
}

#[derive(Debug, Serialize)]
struct GraphBody {
    nodes: Vec<NodeBody>,
    edges: Vec<EdgeBody>,
}

#[derive(Debug, Serialize)]
struct NodeBody {
    id: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
}

#[derive(Debug, Serialize)]
struct EdgeBody {
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
}

#[derive(Debug, Serialize)]
struct PolicyBody {
    id: String,
    effect: String,
    action: String,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
}

#[derive(Debug, Serialize)]
struct PaymentBody {
    protocol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Debug, Serialize)]
struct SignatureBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alg: Option<String>,
    state: String,
}

/// How we know.
#[derive(Debug, Serialize)]
struct EvidenceBody {
    /// The leading document first.
    sources: Vec<EvidenceSource>,
    /// Field to index in `sources`, where the leading document was silent.
    provenance: BTreeMap<String, usize>,
}

#[derive(Debug, Serialize)]
struct EvidenceSource {
    #[serde(flatten)]
    source: SourceBody,
    /// When we last fetched or confirmed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    findings: Vec<FindingBody>,
}

/// `GET /api/v1/agents/{domain}/{slug}`.
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
    let Some((site, agent)) = lookup(&state, &domain, &slug).await? else {
        return Err(Problem(missing(&state, &domain, &slug).await));
    };
    let body = AgentBody::of(&site, &agent);
    Ok(tagged(&body, Policy::Details, &headers))
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
            status: match stored.status {
                store::AgentStatus::Ok => "ok",
                store::AgentStatus::Failing => "failing",
                store::AgentStatus::Unknown => "unknown",
            },
            first_seen: time(stored.first_seen),
            last_seen: time(stored.last_seen),
            changed: time(stored.changed),
            hash: stored.hash.clone(),
            url: agent.url,
            version: agent.version,
            provider: agent.provider.map(|it| ProviderBody {
                name: it.name,
                url: it.url,
            }),
            contact: agent.contact,
            docs: agent.docs,
            logo: agent.logo,
            homepage: agent.homepage,
            tags: agent.tags,
            languages: agent.languages,
            input_modes: agent.input_modes,
            output_modes: agent.output_modes,
            interfaces: all(agent.interfaces),
            auth: all(agent.auth),
            capabilities: all(agent.capabilities),
            rate_limits: all(agent.rate_limits),
            sessions: agent.sessions.map(|it| SessionsBody {
                create: it.create,
                delete: it.delete,
                ttl_s: it.ttl_s,
            }),
            flows: all(agent.flows),
            audit: agent.audit.map(|it| AuditBody {
                endpoint: it.endpoint,
                public_key: it.public_key,
            }),
            graph: agent.graph.map(|it| GraphBody {
                nodes: all(it.nodes),
                edges: all(it.edges),
            }),
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
    fn of(site: &Site, listing: &agent::Listing) -> Self {
        let sources = listing.sources.iter().map(|source| {
            let document = site
                .documents
                .iter()
                .find(|document| document.url == source.url && document.hash == source.hash);
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
            provenance: listing.provenance.clone(),
        }
    }
}

fn all<T, U: From<T>>(values: Vec<T>) -> Vec<U> {
    values.into_iter().map(U::from).collect()
}

impl From<agent::Interface> for InterfaceBody {
    fn from(it: agent::Interface) -> Self {
        Self {
            protocol: it.protocol,
            version: it.version,
            url: it.url,
            transport: it.transport,
            preferred: it.preferred,
            tenant: it.tenant,
        }
    }
}

impl From<agent::Auth> for AuthBody {
    fn from(it: agent::Auth) -> Self {
        Self {
            scheme: it.scheme,
            location: it.location,
            name: it.name,
            flows: it.flows,
            scopes: it.scopes,
            authorization_url: it.authorization_url,
            token_url: it.token_url,
            docs: it.docs,
        }
    }
}

impl From<agent::Capability> for CapabilityBody {
    fn from(it: agent::Capability) -> Self {
        Self {
            id: it.id,
            name: it.name,
            description: it.description,
            protocol: it.protocol,
            method: it.method,
            endpoint: it.endpoint,
            url: it.url,
            params: all(it.params),
            input_schema: it.input_schema,
            output_schema: it.output_schema,
            requires_auth: it.requires_auth,
            requires_session: it.requires_session,
            human_handoff: it.human_handoff,
            rate_limit: it.rate_limit.map(RateLimitBody::from),
            tags: it.tags,
            examples: it.examples,
            input_modes: it.input_modes,
            output_modes: it.output_modes,
            deprecated: it.deprecated,
            pointer: it.pointer,
        }
    }
}

impl From<agent::Param> for ParamBody {
    fn from(it: agent::Param) -> Self {
        Self {
            name: it.name,
            location: it.location,
            kind: it.kind,
            description: it.description,
            required: it.required,
            default: it.default,
            choices: it.choices,
        }
    }
}

impl From<agent::RateLimit> for RateLimitBody {
    fn from(it: agent::RateLimit) -> Self {
        Self {
            scope: it.scope,
            limit: it.limit,
            window_s: it.window_s,
            note: it.note,
        }
    }
}

impl From<agent::Flow> for FlowBody {
    fn from(it: agent::Flow) -> Self {
        Self {
            name: it.name,
            description: it.description,
            steps: it.steps,
        }
    }
}

impl From<agent::GraphNode> for NodeBody {
    fn from(it: agent::GraphNode) -> Self {
        Self {
            id: it.id,
            reference: it.reference,
            role: it.role,
        }
    }
}

impl From<agent::GraphEdge> for EdgeBody {
    fn from(it: agent::GraphEdge) -> Self {
        Self {
            from: it.from,
            to: it.to,
            condition: it.condition,
        }
    }
}

impl From<agent::Policy> for PolicyBody {
    fn from(it: agent::Policy) -> Self {
        Self {
            id: it.id,
            effect: it.effect,
            action: it.action,
            condition: it.condition,
        }
    }
}

impl From<agent::Payment> for PaymentBody {
    fn from(it: agent::Payment) -> Self {
        Self {
            protocol: it.protocol,
            detail: it.detail,
        }
    }
}

impl From<agent::Signature> for SignatureBody {
    fn from(it: agent::Signature) -> Self {
        Self {
            kid: it.kid,
            alg: it.alg,
            state: it.state,
        }
    }
}
