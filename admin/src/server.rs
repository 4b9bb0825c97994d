//! The server of the operator's view.
//!
//! Few connections are served at a time, each for at most a few seconds: no queue can grow, and a
//! silent client delays no other. Values are read for each scrape.

use crate::Part;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use std::convert::Infallible;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Maximum duration of a request, from the connection to the last byte.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Concurrent connections; others wait to be accepted.
const MOST_REQUESTS: usize = 16;

/// Wait before accepting again if the system has no room for another connection.
const BREATH: Duration = Duration::from_secs(1);

/// Text format of Prometheus.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Parts of a process, which all requests share.
type Parts = Arc<[Box<dyn Part>]>;

/// Serves the operator until it is dropped; without a listener, only waits.
pub async fn serve(listener: Option<TcpListener>, parts: Vec<Box<dyn Part>>) -> Infallible {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let parts: Parts = parts.into();
    let mut requests = JoinSet::new();
    loop {
        if requests.len() >= MOST_REQUESTS {
            requests.join_next().await;
        }
        while requests.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                let parts = Arc::clone(&parts);
                requests.spawn(async move {
                    // A slow or closed connection does not concern the process.
                    let _ = timeout(REQUEST_TIMEOUT, answer(stream, &parts)).await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection of the operator");
                sleep(BREATH).await;
            }
        }
    }
}

async fn answer(stream: TcpStream, parts: &Parts) -> Result<(), hyper::Error> {
    let service = service_fn(async |request: Request<Incoming>| {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        Ok::<_, Infallible>(match request.uri().path() {
            "/healthz" | "/readyz" | "/metrics" if !is_read => {
                plain(StatusCode::METHOD_NOT_ALLOWED, "only GET\n")
            }
            "/healthz" => plain(StatusCode::OK, "ok\n"),
            "/readyz" => readiness(parts).await,
            "/metrics" => metrics(parts).await,
            _ => plain(
                StatusCode::NOT_FOUND,
                "only /healthz, /readyz and /metrics are here\n",
            ),
        })
    });
    hyper::server::conn::http1::Builder::new()
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

async fn readiness(parts: &Parts) -> Response<String> {
    let mut reasons = String::new();
    for part in parts.iter() {
        if let Err(reason) = part.ready().await {
            let _ = writeln!(reasons, "{}: {reason}", part.name());
        }
    }
    if reasons.is_empty() {
        plain(StatusCode::OK, "ready\n")
    } else {
        plain(StatusCode::SERVICE_UNAVAILABLE, &reasons)
    }
}

async fn metrics(parts: &Parts) -> Response<String> {
    let mut registry = Registry::with_prefix("agentdex");
    for part in parts.iter() {
        part.register(registry.sub_registry_with_prefix(part.name()))
            .await;
    }
    let mut text = String::new();
    match encode(&mut text, &registry) {
        Ok(()) => {
            let mut response = Response::new(text);
            response.headers_mut().insert(CONTENT_TYPE, OPEN_METRICS);
            response
        }
        Err(fmt::Error) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the metrics cannot be written as text\n",
        ),
    }
}

fn plain(status: StatusCode, text: &str) -> Response<String> {
    let mut response = Response::new(text.to_owned());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Database;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    /// Serves a database with one more part.
    async fn served(part: impl Part + 'static, test: impl AsyncFnOnce(SocketAddr)) {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let store = store::open(&url, &[]).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let parts: Vec<Box<dyn Part>> = vec![Box::new(Database(store)), Box::new(part)];
        tokio::select! {
            never = serve(Some(listener), parts) => match never {},
            () = test(address) => {}
        }
    }

    /// Part that is not ready.
    struct Broken;

    #[async_trait::async_trait]
    impl Part for Broken {
        fn name(&self) -> &'static str {
            "wheel"
        }

        async fn ready(&self) -> Result<(), String> {
            Err("it has no spokes".to_owned())
        }

        async fn register(&self, _: &mut Registry) {}
    }

    #[tokio::test]
    async fn silent_connections_do_not_delay_a_scrape() {
        served(Broken, async |address| {
            let mut silent = Vec::new();
            for _ in 1..MOST_REQUESTS {
                silent.push(TcpStream::connect(address).await.unwrap());
            }
            let answer = get(address, "/metrics").await;
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            for line in [
                "agentdex_database_last_change 0",
                "# UNIT agentdex_database_latency_seconds seconds",
                "# EOF",
            ] {
                assert!(answer.lines().any(|it| it == line), "{line} in {answer}");
            }
            // No connection had to be closed first.
            for stream in silent {
                let ended = stream.try_read(&mut [0]).map_err(|error| error.kind());
                assert_eq!(ended, Err(std::io::ErrorKind::WouldBlock));
            }
        })
        .await;
    }

    #[tokio::test]
    async fn a_part_that_is_not_ready_is_named_with_its_reason() {
        served(Broken, async |address| {
            let answer = get(address, "/readyz").await;
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
            assert!(
                answer.ends_with("\r\n\r\nwheel: it has no spokes\n"),
                "{answer}"
            );
            assert!(get(address, "/healthz").await.ends_with("\r\n\r\nok\n"));
            assert!(get(address, "/").await.starts_with("HTTP/1.1 404 "));
        })
        .await;
    }
}
