//! The server of the operator's view.
//!
//! It shares no limit with the public server. Few connections are served at a time, each for at most a
//! few seconds, and the oldest is closed for a new one: no queue can grow, and silent clients delay no
//! other. Values are read for one request at a time, and those that wait share the next answer.

use crate::Part;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// Maximum duration of a request, from the connection to the last byte.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum duration of the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of bytes and header fields of a head; a scraper sends a few hundred bytes.
const MAX_HEAD: usize = 16 << 10;
const MAX_FIELDS: usize = 50;

/// Concurrent connections.
const MAX_REQUESTS: usize = 16;

/// Wait before accepting again if the system has no room for another connection.
const BREATH: Duration = Duration::from_secs(1);

/// Text format of Prometheus.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Media type of all other answers.
const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Status, media type and text of an answer.
type Answer = (StatusCode, HeaderValue, String);

/// Parts of a process with the newest answers about them, which all requests share.
struct Views {
    parts: Vec<Box<dyn Part>>,
    readiness: Mutex<Option<(Instant, Answer)>>,
    metrics: Mutex<Option<(Instant, Answer)>>,
}

/// Serves the operator until it is dropped; without a listener, only waits.
pub async fn serve(listener: Option<TcpListener>, parts: Vec<Box<dyn Part>>) -> Infallible {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let views = Arc::new(Views {
        parts,
        readiness: Mutex::default(),
        metrics: Mutex::default(),
    });
    let mut requests = JoinSet::new();
    let mut oldest_first = VecDeque::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                while requests.try_join_next().is_some() {}
                oldest_first.retain(|it: &tokio::task::AbortHandle| !it.is_finished());
                if oldest_first.len() >= MAX_REQUESTS
                    && let Some(oldest) = oldest_first.pop_front()
                {
                    oldest.abort();
                }
                let views = Arc::clone(&views);
                oldest_first.push_back(requests.spawn(async move {
                    // A slow or closed connection does not concern the process.
                    let _ = timeout(REQUEST_TIMEOUT, answer(stream, &views)).await;
                }));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection of the operator");
                sleep(BREATH).await;
            }
        }
    }
}

async fn answer(stream: TcpStream, views: &Views) -> Result<(), hyper::Error> {
    let service = service_fn(async |request: Request<Incoming>| {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let (status, media_type, text) = match request.uri().path() {
            _ if !names_one_host(&request) => plain(StatusCode::BAD_REQUEST, "name one host\n"),
            "/healthz" | "/readyz" | "/metrics" if !is_read => {
                plain(StatusCode::METHOD_NOT_ALLOWED, "only GET\n")
            }
            "/healthz" => plain(StatusCode::OK, "ok\n"),
            "/readyz" => shared(&views.readiness, readiness(&views.parts)).await,
            "/metrics" => shared(&views.metrics, metrics(&views.parts)).await,
            _ => plain(
                StatusCode::NOT_FOUND,
                "only /healthz, /readyz and /metrics are here\n",
            ),
        };
        let mut response = Response::new(text);
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, media_type);
        Ok::<_, Infallible>(response)
    });
    hyper::server::conn::http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_FIELDS)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

/// Reports whether a request has one `Host`, without which HTTP/1.1 knows no request.
fn names_one_host(request: &Request<Incoming>) -> bool {
    match request.headers().get_all(HOST).iter().count() {
        0 => request.version() < Version::HTTP_11,
        count => count == 1,
    }
}

/// Makes an answer, for one request at a time. Those that wait meanwhile share the next one, so that
/// any number of requests costs no more than two, and no answer is older than its request.
async fn shared(
    newest: &Mutex<Option<(Instant, Answer)>>,
    made: impl Future<Output = Answer>,
) -> Answer {
    let asked = Instant::now();
    let mut newest = newest.lock().await;
    if let Some((begun, answer)) = &*newest
        && *begun >= asked
    {
        return answer.clone();
    }
    let begun = Instant::now();
    let answer = made.await;
    *newest = Some((begun, answer.clone()));
    answer
}

async fn readiness(parts: &[Box<dyn Part>]) -> Answer {
    let mut reasons = String::new();
    for part in parts {
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

async fn metrics(parts: &[Box<dyn Part>]) -> Answer {
    let mut registry = Registry::default();
    #[cfg(target_os = "linux")]
    crate::process::register(registry.sub_registry_with_prefix("process")).await;
    let own = registry.sub_registry_with_prefix("agentdex");
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    own.register("build", "Version of the program", Info::new(version));
    for part in parts {
        part.register(own.sub_registry_with_prefix(part.name()))
            .await;
    }
    let mut text = String::new();
    match encode(&mut text, &registry) {
        Ok(()) => (StatusCode::OK, OPEN_METRICS, text),
        Err(fmt::Error) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the metrics cannot be written as text\n",
        ),
    }
}

fn plain(status: StatusCode, text: &str) -> Answer {
    (status, PLAIN, text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Database;
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicUsize, Ordering};
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
            for _ in 1..MAX_REQUESTS {
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
    async fn more_silent_connections_than_there_is_room_for_do_not_delay_a_scrape_either() {
        served(Broken, async |address| {
            let mut silent = Vec::new();
            for _ in 0..4 * MAX_REQUESTS {
                silent.push(TcpStream::connect(address).await.unwrap());
            }
            let answer = timeout(HEAD_TIMEOUT, get(address, "/healthz")).await;
            assert!(answer.unwrap().ends_with("\r\n\r\nok\n"));
            // The oldest were closed.
            let read = silent[0].read(&mut [0]).await;
            assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
        })
        .await;
    }

    #[tokio::test]
    async fn a_request_names_one_host_and_has_a_short_head() {
        let send = async |address, head: &str| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let _ = stream.write_all(head.as_bytes()).await;
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer).await;
            answer
        };
        served(Broken, async |address| {
            for (lines, status) in [
                ("GET /healthz HTTP/1.1\r\n".to_owned(), "400"),
                (
                    "GET /healthz HTTP/1.1\r\nhost: a\r\nhost: a\r\n".to_owned(),
                    "400",
                ),
                ("GET /healthz HTTP/1.0\r\n".to_owned(), "200"),
                (
                    format!(
                        "GET /healthz HTTP/1.1\r\nhost: a\r\nx: {}\r\n",
                        "y".repeat(20_000)
                    ),
                    "431",
                ),
                (
                    format!(
                        "GET /healthz HTTP/1.1\r\nhost: a\r\n{}",
                        "x: y\r\n".repeat(60)
                    ),
                    "431",
                ),
            ] {
                let answer = send(address, &format!("{lines}\r\n")).await;
                let expected = format!(" {status} ");
                assert_eq!(answer.get(8..13), Some(&*expected), "{lines:.60} {answer}");
            }
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn requests_that_come_while_an_answer_is_made_share_the_next_one() {
        let newest = Mutex::default();
        let count = AtomicUsize::new(0);
        let made = async || {
            sleep(Duration::from_secs(1)).await;
            plain(
                StatusCode::OK,
                &count.fetch_add(1, Ordering::Relaxed).to_string(),
            )
        };
        let later = async || {
            sleep(Duration::from_millis(500)).await;
            shared(&newest, made()).await.2
        };
        let first = shared(&newest, made());
        let (first, second, third) = tokio::join!(first, later(), later());
        assert_eq!([&*first.2, &*second, &*third], ["0", "1", "1"]);
        assert_eq!(shared(&newest, made()).await.2, "2");
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
