//! Tests of visits to sites with the same answer for every path: the number of requests on the
//! first and on later visits (P8, P10).

use super::*;
use std::path::Path;

/// Returns the visits of a first and a second crawl to the same answers.
async fn twice(map: &Map) -> [FinishedVisit; 2] {
    let first = map.visit(lease()).await;
    let documents = first.visit.documents.iter();
    let known = documents.map(|document| KnownDocument {
        requested: document.requested.to_string(),
        url: document.url.to_string(),
        etag: None,
        last_modified: None,
        hash: document.hash(),
        content: None,
        missing_since: None,
        format: None,
    });
    let second = Lease {
        last_outcome: Some(first.visit.outcome),
        rotation: first.visit.next.rotation,
        known: known.collect(),
        robots: first.visit.robots.clone(),
        ..lease()
    };
    let second = map.visit(second).await;
    [first, second]
}

/// Returns an answer with the media type that fits the requested file name.
fn typed(path: &str, body: &str) -> Response {
    let is_json = Path::new(path).extension() == Some("json".as_ref());
    let media_type = if is_json {
        "application/json"
    } else {
        "text/plain"
    };
    Response {
        media_type: Some(media_type.to_owned()),
        ..ok(body)
    }
}

#[tokio::test(start_paused = true)]
async fn p08_a_site_that_redirects_everything_to_another_gets_twelve_requests_then_three() {
    let mut map = Map::default();
    for probe in probes::ALL {
        let target = format!("https://other.example{}", probe.path);
        map = map.with(probe.path, to(&target));
    }
    let [first, second] = twice(&map).await;
    assert_eq!(first.visit.outcome, Outcome::RedirectRefused);
    assert_eq!(first.visit.requests, REQUEST_CAP);
    let receipt = &first.visit.receipts[1];
    assert_eq!(receipt.verdict, "redirect_refused");
    assert_eq!(
        receipt.why,
        format!(
            "redirect not followed: it leads to another site: https://other.example{CARD_PATH}"
        )
    );
    assert_eq!(second.visit.outcome, Outcome::RedirectRefused);
    assert_eq!(second.visit.requests, 3);
}

#[tokio::test(start_paused = true)]
async fn p10_the_same_page_under_another_media_type_is_the_same_page() {
    let mut map = Map::default();
    for probe in probes::ALL {
        map = map.with(probe.path, typed(probe.path, "<html>hi</html>"));
    }
    let map = map.with(CARD_PATH, typed(CARD_PATH, CARD));
    let [first, second] = twice(&map).await;
    assert_eq!(first.visit.outcome, Outcome::Found);
    assert_eq!(first.visit.requests, REQUEST_CAP);
    assert_eq!(second.visit.outcome, Outcome::Found);
    assert_eq!(second.visit.requests, 3);
    assert_eq!(second.visit.documents.len(), 1);
}

/// A host that answers every path except robots.txt with the same card.
struct Honeypot(Mutex<Vec<String>>);

impl Fetch for Honeypot {
    async fn resolve(&self, _: &Request) -> Result<IpAddr, FetchError> {
        Ok(IpAddr::from([8, 8, 8, 8]))
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        let path = request.url.path();
        self.0.lock().unwrap().push(path.to_owned());
        Ok(match path {
            "/robots.txt" => status(404),
            _ => typed(path, CARD),
        })
    }
}

#[tokio::test(start_paused = true)]
async fn p08_a_honeypot_gets_five_requests_then_three() {
    let host = Honeypot(Mutex::default());
    let first = visit_at(&host, START, None, lease()).await;
    assert_eq!(first.visit.outcome, Outcome::Soft404);
    assert!(first.visit.documents.is_empty());
    assert_eq!(first.visit.requests, 5, "{:?}", host.0.lock().unwrap());
    let canary = first.visit.receipts.last().unwrap();
    assert_eq!(canary.verdict, "manifest");
    let why =
        "a2a-agent-card; a random path, requested to see whether all paths get the same answer";
    assert_eq!(canary.why, why);
    let again = Lease {
        last_outcome: Some(Outcome::Soft404),
        ..lease()
    };
    let second = visit_at(&host, START, None, again).await;
    assert_eq!(second.visit.outcome, Outcome::Soft404);
    assert!(second.visit.documents.is_empty());
    assert_eq!(second.visit.requests, 3);
    assert_eq!(host.0.lock().unwrap().len(), 8);
}
