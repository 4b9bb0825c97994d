//! `GET /api/v1/sites/{domain}/crawl`: our requests to a site.

use super::{RobotsBody, SiteLinks, VisitBody, answer, of_site};
use crate::cache::{self, Policy};
use crate::error::{NoParameters, Problem};
use crate::record::NOTE;
use crate::record::site::SiteRecord;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::Site;

/// Visits to a site, and its robots.txt.
#[derive(Debug, JsonSchema, Serialize)]
struct CrawlBody {
    domain: String,
    /// Way in which the site became known: `seed`, `submitted` or `discovered`.
    source: &'static str,
    first_seen: String,
    last_visit: Option<String>,
    last_outcome: Option<&'static str>,
    next_visit: String,
    robots: Option<RobotsBody>,
    /// Recent visits with all requests, newest first.
    visits: Vec<VisitBody>,
    links: SiteLinks,
    note: &'static str,
}

/// Describes `GET /api/v1/sites/{domain}/crawl`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    of_site(operation, "getCrawl", "Returns our requests to a site.")
        .answer::<CrawlBody>("The recent visits, and the state of its robots.txt.")
        .done()
}

/// Answers `GET /api/v1/sites/{domain}/crawl`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let show = async |loaded: &SiteRecord| {
        let body = CrawlBody::of(&loaded.site);
        Ok(cache::json(&body, Policy::Current, &headers))
    };
    Ok(answer(&state, path, "/crawl", &headers, show).await?)
}

impl CrawlBody {
    fn of(site: &Site) -> Self {
        Self {
            domain: site.domain.to_string(),
            source: site.source.as_str(),
            first_seen: site.first_seen.to_rfc3339(),
            last_visit: site.last_visit.map(Timestamp::to_rfc3339),
            last_outcome: site.last_outcome.map(store::Outcome::as_str),
            next_visit: site.due.to_rfc3339(),
            robots: site.robots.as_ref().map(RobotsBody::of),
            visits: site.visits.iter().map(VisitBody::of).collect(),
            links: SiteLinks::of(&site.domain),
            note: NOTE,
        }
    }
}
