//! The counts of a crawl for Prometheus, on an address of the operator's own.
//!
//! The counts are those of [`crate::summary`], written out anew for each scrape, so that nothing is counted
//! twice and the crawl does not know that anybody looks.

use crate::run::now;
use crate::summary::{Progress, Summary};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;
use store::Store;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// The longest that a scrape may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest request that is read.
const REQUEST_BYTES: usize = 8 * 1024;

/// Answers scrapes, one at a time, until it is dropped.
pub async fn serve(listener: &TcpListener, progress: &Progress, store: &dyn Store) -> Infallible {
    loop {
        match listener.accept().await {
            // One that is slow or gone is no concern of the crawl.
            Ok((stream, _)) => {
                let _ = timeout(PATIENCE, answer(stream, progress, store)).await;
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a scrape");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

async fn answer(mut stream: TcpStream, progress: &Progress, store: &dyn Store) -> io::Result<()> {
    let mut request = Vec::new();
    let is_complete = |request: &[u8]| request.windows(4).any(|end| end == b"\r\n\r\n");
    while !is_complete(&request) && request.len() < REQUEST_BYTES {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let path = request.split(|byte| *byte == b' ').nth(1);
    let (status, body) = if request.starts_with(b"GET ") && path == Some(b"/metrics") {
        let due = store.stats(now()).await.ok().map(|stats| stats.due);
        ("200 OK", text(&progress.snapshot(), due))
    } else {
        ("404 Not Found", "only GET /metrics\n".to_owned())
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; version=0.0.4\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

/// The counts in the text format of Prometheus. Label values are our own words, so none wants escaping.
fn text(summary: &Summary, due: Option<u64>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "# TYPE agentdex_crawler_visits_total counter");
    for (outcome, count) in &summary.outcomes {
        let _ = writeln!(
            text,
            "agentdex_crawler_visits_total{{outcome=\"{}\"}} {count}",
            outcome.as_str()
        );
    }
    let rows = [
        ("requests_total", "counter", Some(summary.requests)),
        ("bytes_total", "counter", Some(summary.bytes)),
        ("documents_total", "counter", Some(summary.documents)),
        ("agents_total", "counter", Some(summary.agents)),
        (
            "robots_denials_total",
            "counter",
            Some(summary.robots_denials),
        ),
        ("outages_total", "counter", Some(summary.outages)),
        ("in_flight", "gauge", Some(summary.in_flight)),
        ("frontier_due", "gauge", due),
    ];
    for (name, kind, count) in rows {
        if let Some(count) = count {
            let _ = writeln!(text, "# TYPE agentdex_crawler_{name} {kind}");
            let _ = writeln!(text, "agentdex_crawler_{name} {count}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{Outcome, Role};

    #[test]
    fn each_outcome_is_a_label_and_what_is_unknown_is_left_out() {
        let summary = Summary {
            outcomes: [(Outcome::Found, 3), (Outcome::Empty, 97)].into(),
            in_flight: 7,
            ..Summary::default()
        };
        let told = text(&summary, None);
        for line in [
            "agentdex_crawler_visits_total{outcome=\"found\"} 3",
            "agentdex_crawler_visits_total{outcome=\"empty\"} 97",
            "agentdex_crawler_in_flight 7",
        ] {
            assert!(told.lines().any(|it| it == line), "{line} in {told}");
        }
        assert!(!told.contains("frontier_due"));
        assert!(text(&summary, Some(5)).contains("agentdex_crawler_frontier_due 5\n"));
    }

    #[tokio::test]
    async fn a_scrape_is_answered_and_anything_else_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("a.db").display());
        let store = store::open(&url, &[Role::Crawler]).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let progress = Progress::default();
        let ask = async |path: &str| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer
        };
        let asked = async { (ask("/metrics").await, ask("/").await) };
        let (metrics, other) = tokio::select! {
            answers = asked => answers,
            never = serve(&listener, &progress, &*store) => match never {},
        };
        assert!(metrics.starts_with("HTTP/1.1 200 OK\r\n"), "{metrics}");
        assert!(
            metrics.ends_with("agentdex_crawler_frontier_due 0\n"),
            "{metrics}"
        );
        assert!(other.starts_with("HTTP/1.1 404 "), "{other}");
    }
}
