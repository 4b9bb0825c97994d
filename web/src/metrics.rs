//! The web side of the operator's view.

use crate::feed::Feed;
use admin::Part;
use admin::prometheus::metrics::counter::Counter;
use admin::prometheus::metrics::family::Family;
use admin::prometheus::metrics::gauge::ConstGauge;
use admin::prometheus::metrics::histogram::Histogram;
use admin::prometheus::registry::{Registry, Unit};
use async_trait::async_trait;
use axum::http::StatusCode;
use manifest::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use store::Store;

/// Upper bounds of the classes of durations, in seconds: around the 10 ms and 30 ms in which pages
/// and searches are to be answered, up to the deadline of a request.
const SECONDS: [f64; 10] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 5.0, 10.0];

/// Results of searches: no agent, and some.
const SEARCH_RESULTS: [&str; 2] = ["none", "some"];

/// Statuses that are counted from the start: a counter that appears with its first answer would have no
/// rate before the second one. Others appear when they occur.
const STATUSES: [u16; 20] = [
    200, 202, 301, 303, 304, 308, 400, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 503,
    504,
];

/// Result of a request for a visit to a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubmissionResult {
    /// The site waits for its visit.
    Accepted,
    /// The site is known, and was visited recently.
    Known,
    /// A limit or an exclusion forbids it.
    Refused,
}

manifest::words!(SubmissionResult {
    Accepted = "accepted",
    Known = "known",
    Refused = "refused",
});

/// Counts of requests, searches and submissions; cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    responses: Family<[(&'static str, u16); 1], Counter>,
    response_seconds: Histogram,
    searches: Family<[(&'static str, &'static str); 1], Counter>,
    search_seconds: Histogram,
    submissions: Family<[(&'static str, &'static str); 1], Counter>,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            responses: Family::default(),
            response_seconds: Histogram::new(SECONDS),
            searches: Family::default(),
            search_seconds: Histogram::new(SECONDS),
            submissions: Family::default(),
        };
        for status in STATUSES {
            metrics
                .responses
                .get_or_create(&[("status", status)])
                .inc_by(0);
        }
        for result in SEARCH_RESULTS {
            metrics
                .searches
                .get_or_create(&[("result", result)])
                .inc_by(0);
        }
        for result in SubmissionResult::ALL {
            let label = [("result", result.as_str())];
            metrics.submissions.get_or_create(&label).inc_by(0);
        }
        metrics
    }
}

impl Metrics {
    /// Counts an answer, and the time until it began.
    pub(crate) fn answered(&self, status: StatusCode, time: Duration) {
        let label = [("status", status.as_u16())];
        self.responses.get_or_create(&label).inc();
        self.response_seconds.observe(time.as_secs_f64());
    }

    /// Counts a search of the index.
    pub(crate) fn searched(&self, found_any: bool, time: Duration) {
        let label = [("result", SEARCH_RESULTS[usize::from(found_any)])];
        self.searches.get_or_create(&label).inc();
        self.search_seconds.observe(time.as_secs_f64());
    }

    /// Counts a request for a visit to a site.
    pub(crate) fn submitted(&self, result: SubmissionResult) {
        let label = [("result", result.as_str())];
        self.submissions.get_or_create(&label).inc();
    }
}

/// The web server, as the operator sees it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) metrics: Metrics,
    pub(crate) feed: Feed,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) now: fn() -> Timestamp,
}

#[async_trait]
impl Part for Server {
    fn name(&self) -> &'static str {
        "web"
    }

    /// Returns `Ok`: database and index are parts of their own.
    async fn ready(&self) -> Result<(), String> {
        Ok(())
    }

    async fn register(&self, registry: &mut Registry) {
        let metrics = self.metrics.clone();
        registry.register("responses", "Answers by status", metrics.responses);
        registry.register_with_unit(
            "response",
            "Time from a request to the beginning of its answer",
            Unit::Seconds,
            metrics.response_seconds,
        );
        registry.register(
            "searches",
            "Searches of the index by result",
            metrics.searches,
        );
        registry.register_with_unit(
            "search",
            "Time of a search of the index",
            Unit::Seconds,
            metrics.search_seconds,
        );
        registry.register(
            "submissions",
            "Requests for a visit to a site by result",
            metrics.submissions,
        );
        let gauge = |number| ConstGauge::new(i64::try_from(number).unwrap_or(i64::MAX));
        let streams = self.feed.streams() as u64;
        registry.register("streams", "Event streams that are open", gauge(streams));
        match self.store.open_sessions((self.now)()).await {
            Ok(sessions) => registry.register(
                "sessions",
                "Sessions of the Interaction API that are open",
                gauge(sessions),
            ),
            Err(error) => tracing::warn!(%error, "cannot count the sessions: {error}"),
        }
    }
}
