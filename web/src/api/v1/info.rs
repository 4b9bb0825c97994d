//! `GET /api/v1/info`: the identity of this registry.

use crate::cache::{self, Policy};
use crate::error::{AppError, MAX_BODY, NoParameters, Problem};
use crate::openapi::OperationDoc;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use store::Stats;

/// Identity of this registry.
#[derive(Debug, JsonSchema, Serialize)]
struct InfoBody {
    name: &'static str,
    /// Version of the program.
    version: &'static str,
    /// Address of the registry, without a trailing slash.
    url: String,
    /// Generation of the search index; `null` while there is none that can be used.
    generation: Option<u64>,
    /// Newest sequence number of the change log.
    last_change: u64,
    /// Epoch of the change log: another one means that it was restored from a backup.
    epoch: String,
    counts: InfoCounts,
    limits: InfoLimits,
    links: InfoLinks,
}

/// Size of this registry.
#[derive(Debug, JsonSchema, Serialize)]
struct InfoCounts {
    agents: u64,
    capabilities: u64,
    /// Documents that are stored.
    documents: u64,
    /// Sites that are known, visited or not.
    sites: u64,
}

/// Limits of requests.
#[derive(Debug, JsonSchema, Serialize)]
struct InfoLimits {
    /// Most bytes of a request's body.
    body_bytes: usize,
}

/// Addresses of this registry.
#[derive(Debug, JsonSchema, Serialize)]
struct InfoLinks {
    page: &'static str,
    docs: &'static str,
    openapi: &'static str,
    search: &'static str,
    suggest: &'static str,
    capabilities: &'static str,
    facets: &'static str,
    stats: &'static str,
    changes: &'static str,
    export: &'static str,
    moderation: &'static str,
    submit: &'static str,
    rules: &'static str,
    validate: &'static str,
    convert: &'static str,
}

/// Links of every registry.
const LINKS: InfoLinks = InfoLinks {
    page: "/",
    docs: "/docs/api",
    openapi: "/openapi.json",
    search: "/api/v1/search",
    suggest: "/api/v1/suggest",
    capabilities: "/api/v1/capabilities",
    facets: "/api/v1/facets",
    stats: "/api/v1/stats",
    changes: "/api/v1/changes",
    export: "/api/v1/export/latest.json",
    moderation: "/api/v1/moderation",
    submit: "/api/v1/submit",
    rules: "/api/v1/rules",
    validate: "/api/v1/validate",
    convert: "/api/v1/convert",
};

/// Describes `GET /api/v1/info`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(operation, "getInfo", "Describes this registry.")
        .answer::<InfoBody>("Its identity, size and addresses.")
        .problem(400, "A parameter is unknown.")
        .done()
}

/// Answers `GET /api/v1/info`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let generation = match state.generation().await {
        Ok(generation) => generation.parse().ok(),
        // The registry is the same without its index.
        Err(AppError::Search(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let census = state.stats().await?;
    let body = InfoBody {
        name: "Agentdex",
        version: env!("CARGO_PKG_VERSION"),
        url: state.public_url.clone(),
        generation,
        last_change: census.last_change,
        epoch: state.store.feed_state().await?.epoch,
        counts: InfoCounts::of(&census),
        limits: InfoLimits {
            body_bytes: MAX_BODY,
        },
        links: LINKS,
    };
    Ok(cache::json(&body, Policy::Search, &headers))
}

impl InfoCounts {
    fn of(stats: &Stats) -> Self {
        Self {
            agents: stats.agents,
            capabilities: stats.capabilities,
            documents: stats.formats.values().sum(),
            sites: stats.domains,
        }
    }
}
