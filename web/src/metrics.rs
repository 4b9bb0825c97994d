//! The web side of the operator's view.

use admin::Part;
use admin::prometheus::metrics::counter::Counter;
use admin::prometheus::metrics::family::Family;
use admin::prometheus::metrics::histogram::Histogram;
use admin::prometheus::registry::{Registry, Unit};
use async_trait::async_trait;
use axum::http::StatusCode;
use std::time::Duration;

/// Upper bounds of the classes of durations, in seconds: around the 10 ms and 30 ms in which pages
/// and searches are to be answered, up to the deadline of a request.
const SECONDS: [f64; 10] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 5.0, 10.0];

/// Counts of requests and searches; cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    responses: Family<[(&'static str, u16); 1], Counter>,
    response_seconds: Histogram,
    searches: Family<[(&'static str, &'static str); 1], Counter>,
    search_seconds: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            responses: Family::default(),
            response_seconds: Histogram::new(SECONDS),
            searches: Family::default(),
            search_seconds: Histogram::new(SECONDS),
        }
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
        let label = [("result", if found_any { "some" } else { "none" })];
        self.searches.get_or_create(&label).inc();
        self.search_seconds.observe(time.as_secs_f64());
    }
}

#[async_trait]
impl Part for Metrics {
    fn name(&self) -> &'static str {
        "web"
    }

    /// Returns `Ok`: database and index are parts of their own.
    async fn ready(&self) -> Result<(), String> {
        Ok(())
    }

    async fn register(&self, registry: &mut Registry) {
        registry.register("responses", "Answers by status", self.responses.clone());
        registry.register_with_unit(
            "response",
            "Time from a request to the beginning of its answer",
            Unit::Seconds,
            self.response_seconds.clone(),
        );
        registry.register(
            "searches",
            "Searches of the index by result",
            self.searches.clone(),
        );
        registry.register_with_unit(
            "search",
            "Time of a search of the index",
            Unit::Seconds,
            self.search_seconds.clone(),
        );
    }
}
