//! Data of `agents.json` of the agents.txt protocol, with its old and new member names.

use crate::field::{Field, List, Table};
use crate::rate;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The whole document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    pub(super) schema_version: Field<String>,
    /// Older name of `schema_version`.
    pub(super) protocol_version: Field<String>,
    pub(super) site: Field<Site>,
    pub(super) capabilities: List<Capability>,
    pub(super) session: Field<Session>,
    pub(super) flows: List<Flow>,
    pub(super) rate_limit: Field<RateLimit>,
    pub(super) audit: Field<Audit>,
    /// Only in the older shape.
    pub(super) docs_url: Field<String>,
    #[serde(rename = "$schema")]
    pub(super) schema: Field<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Publisher of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Site {
    pub(super) name: Field<String>,
    pub(super) url: Field<String>,
    pub(super) description: Field<String>,
    pub(super) contact: Field<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// One endpoint.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Capability {
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    pub(super) endpoint: Field<String>,
    pub(super) method: Field<String>,
    pub(super) params: Table<Param>,
    pub(super) requires_session: Field<bool>,
    pub(super) human_handoff: Field<bool>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// One parameter of an endpoint.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Param {
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) description: Field<String>,
    pub(super) required: Field<bool>,
    pub(super) default: Field<Value>,
    #[serde(rename = "enum")]
    pub(super) choices: Field<Vec<Value>>,
    pub(super) items: Field<Map<String, Value>>,
}

/// Endpoints at which sessions are created and ended.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Session {
    pub(super) create: Field<String>,
    pub(super) delete: Field<String>,
    pub(super) ttl_seconds: Field<i64>,
    /// Older name of `create` and `delete`.
    pub(super) endpoint: Field<String>,
    /// Older name of `ttl_seconds`.
    pub(super) ttl: Field<i64>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// A suggested sequence of capabilities.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Flow {
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    pub(super) steps: List<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Rate limits of the endpoints.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RateLimit {
    pub(super) requests_per_minute: Field<i64>,
    /// Older name of `requests_per_minute`.
    pub(super) max_requests_per_minute: Field<i64>,
    /// Only in the older shape.
    pub(super) max_sessions: Field<i64>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Endpoint of the signed records of sessions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Audit {
    pub(super) enabled: Field<bool>,
    pub(super) endpoint: Field<String>,
    pub(super) description: Field<String>,
    /// Only in the older shape: an Ed25519 key in base64.
    pub(super) public_key: Field<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

impl Manifest {
    /// Reports whether some capability needs a session.
    pub(super) fn needs_sessions(&self) -> bool {
        self.capabilities
            .items()
            .any(|(_, capability)| capability.requires_session.get() == Some(&true))
    }

    /// Returns the unknown members of each section that is present, by the section's name.
    pub(super) fn sections(&self) -> impl Iterator<Item = (&'static str, &Map<String, Value>)> {
        let site = self.site.get().map(|site| ("site", &site.unknown));
        let session = self.session.get().map(|it| ("session", &it.unknown));
        let limit = self.rate_limit.get().map(|it| ("rate_limit", &it.unknown));
        let audit = self.audit.get().map(|it| ("audit", &it.unknown));
        [site, session, limit, audit].into_iter().flatten()
    }
}

impl Capability {
    /// Reports whether the method is GET, in upper or lower case.
    pub(super) fn is_get(&self) -> bool {
        let method = self.method.raw();
        method.is_some_and(|method| method.eq_ignore_ascii_case("GET"))
    }
}

impl Session {
    /// Returns the endpoint that creates sessions, under its new or its old name.
    pub(super) fn creation(&self) -> Option<&str> {
        self.create.raw().or_else(|| self.endpoint.raw())
    }

    /// Returns the endpoint that ends sessions, under its new or its old name.
    pub(super) fn deletion(&self) -> Option<&str> {
        self.delete.raw().or_else(|| self.endpoint.raw())
    }

    /// Returns the lifetime in seconds, under its new or its old name, if it is positive.
    pub(super) fn lifetime(&self) -> Option<u64> {
        let seconds = |field: &Field<i64>| match field {
            Field::Is(seconds) => u64::try_from(*seconds).ok().filter(|it| *it > 0),
            Field::Wrong(Value::String(words)) => rate::seconds(words),
            Field::Wrong(_) | Field::Absent => None,
        };
        seconds(&self.ttl_seconds).or_else(|| seconds(&self.ttl))
    }
}

impl RateLimit {
    /// Returns the calls per minute; the lower value if the two names differ (C-01).
    pub(super) fn per_minute(&self) -> Option<u64> {
        [&self.requests_per_minute, &self.max_requests_per_minute]
            .into_iter()
            .filter_map(|field| u64::try_from(*field.get()?).ok())
            .filter(|limit| *limit > 0)
            .min()
    }
}

impl Audit {
    /// Reports whether the site declares that it keeps records.
    pub(super) fn is_enabled(&self) -> bool {
        self.enabled.get() == Some(&true)
    }
}
