//! Parts of an agent in the API, each converted from its namesake in `manifest`.

use manifest::agent;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Serialize)]
pub(super) struct ProviderBody {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct InterfaceBody {
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
pub(super) struct AuthBody {
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
pub(super) struct CapabilityBody {
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
pub(super) struct RateLimitBody {
    scope: String,
    limit: u64,
    window_s: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct SessionsBody {
    create: String,
    delete: String,
    ttl_s: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct FlowBody {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    steps: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct AuditBody {
    endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct GraphBody {
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
pub(super) struct PolicyBody {
    id: String,
    effect: String,
    action: String,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct PaymentBody {
    protocol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct SignatureBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alg: Option<String>,
    state: String,
}

/// Converts all values.
pub(super) fn all<T, U: From<T>>(values: Vec<T>) -> Vec<U> {
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

impl From<agent::Provider> for ProviderBody {
    fn from(it: agent::Provider) -> Self {
        Self {
            name: it.name,
            url: it.url,
        }
    }
}

impl From<agent::Sessions> for SessionsBody {
    fn from(it: agent::Sessions) -> Self {
        Self {
            create: it.create,
            delete: it.delete,
            ttl_s: it.ttl_s,
        }
    }
}

impl From<agent::Audit> for AuditBody {
    fn from(it: agent::Audit) -> Self {
        Self {
            endpoint: it.endpoint,
            public_key: it.public_key,
        }
    }
}

impl From<agent::Graph> for GraphBody {
    fn from(it: agent::Graph) -> Self {
        Self {
            nodes: all(it.nodes),
            edges: all(it.edges),
        }
    }
}
