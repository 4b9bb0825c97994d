//! The counts of a crawl for Prometheus, on an address of the operator.
//!
//! The counts are those of [`crate::summary`], read for each scrape, so that nothing is counted
//! twice and the crawl is independent of scrapes. Few connections are served at a time, each for at
//! most a few seconds: no queue can grow, and a silent client delays no other.

use crate::clock::Clock;
use crate::summary::{Progress, Summary};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use manifest::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Maximum duration of a scrape, from the connection to the last byte.
const SCRAPE_TIMEOUT: Duration = Duration::from_secs(5);

/// Concurrent connections; others wait to be accepted.
const MOST_SCRAPES: usize = 16;

/// Wait before accepting again if the system has no room for another connection.
const BREATH: Duration = Duration::from_secs(1);

/// Text format of Prometheus.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Serves scrapes of `/metrics` until it is dropped.
pub async fn serve(
    listener: &TcpListener,
    progress: &Arc<Progress>,
    store: &Arc<dyn Store>,
    clock: Clock,
) -> Infallible {
    let mut scrapes = JoinSet::new();
    loop {
        if scrapes.len() >= MOST_SCRAPES {
            scrapes.join_next().await;
        }
        while scrapes.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                let (progress, store) = (Arc::clone(progress), Arc::clone(store));
                scrapes.spawn(async move {
                    // A slow or closed connection does not concern the crawl.
                    let _ =
                        timeout(SCRAPE_TIMEOUT, answer(stream, &progress, &*store, clock)).await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a scrape");
                sleep(BREATH).await;
            }
        }
    }
}

async fn answer(
    stream: TcpStream,
    progress: &Progress,
    store: &dyn Store,
    clock: Clock,
) -> Result<(), hyper::Error> {
    let service = service_fn(async |request: Request<Incoming>| {
        Ok::<_, Infallible>(if request.uri().path() != "/metrics" {
            plain(StatusCode::NOT_FOUND, "only /metrics is here\n")
        } else if request.method() != Method::GET {
            plain(StatusCode::METHOD_NOT_ALLOWED, "only GET\n")
        } else {
            metrics(progress.snapshot(), store, clock.now()).await
        })
    });
    hyper::server::conn::http1::Builder::new()
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

async fn metrics(summary: Summary, store: &dyn Store, now: Timestamp) -> Response<String> {
    // The other metrics are useful even without this one.
    let frontier = store.frontier_stats(now).await;
    let frontier =
        frontier.inspect_err(|error| tracing::warn!(%error, "cannot count the due domains"));
    let due = frontier.ok().map(|frontier| frontier.due);
    match text(summary, due) {
        Ok(text) => {
            let mut response = Response::new(text);
            response.headers_mut().insert(CONTENT_TYPE, OPEN_METRICS);
            response
        }
        Err(fmt::Error) => plain(StatusCode::INTERNAL_SERVER_ERROR, "cannot say it\n"),
    }
}

fn plain(status: StatusCode, text: &str) -> Response<String> {
    let mut response = Response::new(text.to_owned());
    *response.status_mut() = status;
    response
}

/// Returns the counts in the text format of Prometheus, with the number of `due` domains if known.
fn text(summary: Summary, due: Option<u64>) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix("agentdex_crawler");
    registry.register_collector(Box::new(Counts { summary, due }));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// Values of one scrape.
#[derive(Debug)]
struct Counts {
    summary: Summary,
    due: Option<u64>,
}

impl Collector for Counts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let summary = &self.summary;
        let mut visits = encoder.encode_descriptor(
            "visits",
            "Recorded visits by outcome",
            None,
            MetricType::Counter,
        )?;
        for (outcome, count) in &summary.outcomes {
            let label = [("outcome", outcome.as_str())];
            ConstCounter::new(*count).encode(visits.encode_family(&label)?)?;
        }
        let counters = [
            ("requests", "HTTP requests sent", summary.requests),
            ("bytes", "Body bytes received, decoded", summary.bytes),
            (
                "robots_fetches",
                "Answers to requests for robots.txt",
                summary.robots_fetches,
            ),
            (
                "robots_denials",
                "Visits in which robots.txt disallowed some or all paths",
                summary.robots_denials,
            ),
            (
                "put_offs",
                "Domains returned to the frontier because their site or address was busy",
                summary.put_offs,
            ),
            (
                "outages",
                "Outages of the crawler's own connection",
                summary.outages,
            ),
            (
                "documents",
                "Documents stored or found unchanged",
                summary.documents,
            ),
            (
                "agents",
                "Agents in documents received, before merging, and listed ones of unchanged documents",
                summary.agents,
            ),
        ];
        for (name, help, count) in counters {
            let counter = ConstCounter::new(count);
            let one = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            counter.encode(one)?;
        }
        let gauges = [
            (
                "in_flight",
                "Lookups and visits in progress",
                Some(summary.in_flight),
            ),
            (
                "frontier_due",
                "Domains that are due and not leased",
                self.due,
            ),
        ];
        for (name, help, count) in gauges {
            let Some(count) = count else { continue };
            // Such a number of domains does not occur.
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            let one = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            gauge.encode(one)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Outcome;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn silent_connections_do_not_delay_a_scrape() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let store = store::open(&url, &[]).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let progress = Arc::new(Progress::default());
        let scrape = async {
            let mut silent = Vec::new();
            for _ in 1..MOST_SCRAPES {
                silent.push(TcpStream::connect(address).await.unwrap());
            }
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
            stream.write_all(request).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            // No connection had to be closed first.
            for stream in silent {
                let ended = stream.try_read(&mut [0]).map_err(|error| error.kind());
                assert_eq!(ended, Err(std::io::ErrorKind::WouldBlock));
            }
        };
        tokio::select! {
            never = serve(&listener, &progress, &store, crate::run::clock()) => match never {},
            () = scrape => {}
        }
    }

    #[test]
    fn each_outcome_is_a_label_and_unknown_values_are_omitted() {
        let summary = Summary {
            outcomes: [(Outcome::Found, 3), (Outcome::Empty, 97)].into(),
            robots_fetches: 99,
            in_flight: 7,
            ..Summary::default()
        };
        let answer = text(summary.clone(), None).unwrap();
        for line in [
            "agentdex_crawler_visits_total{outcome=\"found\"} 3",
            "agentdex_crawler_visits_total{outcome=\"empty\"} 97",
            "# TYPE agentdex_crawler_robots_fetches counter",
            "agentdex_crawler_robots_fetches_total 99",
            "agentdex_crawler_in_flight 7",
            "# EOF",
        ] {
            assert!(answer.lines().any(|it| it == line), "{line} in {answer}");
        }
        assert!(!answer.contains("frontier_due"));
        let answer = text(summary, Some(5)).unwrap();
        assert!(
            answer.contains("\nagentdex_crawler_frontier_due 5\n"),
            "{answer}"
        );
    }
}
