//! A stranger that has all addresses of one network tries every share; visitors of other networks are
//! served as before.

use super::*;
use crate::client::{self, Client, Peer};
use crate::feed::MAX_STREAMS_OF_CLIENT;
use crate::own::place;
use crate::rate::Limiter;
use crate::rate::processor::BURST;
use crate::slots::Slots;
use crate::state::Turns;
use axum::Router;
use axum::http::Method;
use axum::response::Response;
use futures_util::FutureExt as _;
use manifest::{Domain, Timestamp};
use serde_json::json;
use std::time::{Duration, Instant};
use store::{Claim, Lease, Outcome, ProblemReport, Session, Store, requested};

/// Visitor of another network.
const OTHER: &str = "198.51.100.7";
/// Known sites that were not visited yet.
const KNOWN: usize = 60;

/// Returns an address of the stranger's network.
fn stranger(number: usize) -> String {
    format!("192.0.2.{}", number % 256)
}

fn client_at(address: &str) -> Client {
    Client::of(address.parse().unwrap())
}

struct Stage {
    registry: Registry,
    app: Router,
}

impl Stage {
    async fn new() -> Self {
        let mut registry = registry::full().await;
        registry.state.limiter = Limiter::new("100000".parse().unwrap(), &[]);
        registry.state.shared.turns = Turns(Slots::new(4));
        for number in 0..KNOWN {
            registry::seed(&*registry.state.store, &format!("known{number}.example")).await;
        }
        let app = app(registry.state.clone());
        Self { registry, app }
    }

    fn store(&self) -> &dyn Store {
        &*self.registry.state.store
    }

    async fn begin(&self, peer: &str, method: Method, address: &str, body: &Value) -> Response {
        let request = Request::builder().method(method).uri(address);
        let request = request.extension(Peer(peer.parse().unwrap()));
        let request = request.header(CONTENT_TYPE, "application/json");
        let body = if body.is_null() {
            Body::empty()
        } else {
            Body::from(body.to_string())
        };
        let request = request.body(body).unwrap();
        self.app.clone().oneshot(request).await.unwrap()
    }

    async fn get(&self, peer: &str, address: &str) -> StatusCode {
        let response = self.begin(peer, Method::GET, address, &Value::Null).await;
        response.status()
    }

    /// Sends a body; returns the status, and the code of the error if it is refused.
    async fn post(&self, peer: &str, address: &str, body: &Value) -> (StatusCode, Value) {
        let response = self.begin(peer, Method::POST, address, body).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        (status, body["errorCode"].clone())
    }

    async fn submit(&self, peer: &str, domain: &str) -> (StatusCode, Value) {
        self.post(peer, "/api/v1/submit", &json!({ "domain": domain }))
            .await
    }

    /// Returns the names of the submissions that a crawler takes.
    async fn taken(&self) -> Vec<String> {
        let taken = self.store().take_submissions(500, false, registry::now());
        let taken = taken.await.unwrap().into_iter();
        taken.map(|it| it.domain.to_string()).collect()
    }

    /// Leases what is due, and returns the leases of these names.
    async fn leased(&self, names: &[String]) -> Vec<Lease> {
        let until = registry::now().after(Duration::from_mins(1));
        let leases = self.store().lease_domains(registry::now(), until, 10_000);
        let (wanted, others): (Vec<_>, Vec<_>) = leases
            .await
            .unwrap()
            .into_iter()
            .partition(|it| names.iter().any(|name| name == it.domain.as_str()));
        self.store().return_leases(&others).await.unwrap();
        wanted
    }
}

/// Returns the refusal of a request that is beyond a share.
fn limited() -> (StatusCode, Value) {
    (StatusCode::TOO_MANY_REQUESTS, json!("limited"))
}

#[tokio::test]
async fn one_network_tries_every_share_and_others_are_served_as_before() {
    let stage = Stage::new().await;
    let _streams = event_streams(&stage).await;
    search_slots(&stage).await;
    search_time(&stage).await;
    sessions(&stage).await;
    reports(&stage).await;
    submissions(&stage).await;
    rechecks(&stage).await;
    claims(&stage).await;
}

async fn event_streams(stage: &Stage) -> Vec<Response> {
    let stream = "/api/v1/changes/stream";
    let mut open = Vec::new();
    let mut try_open = async |peer: &str| {
        let response = stage.begin(peer, Method::GET, stream, &Value::Null).await;
        let status = response.status();
        if status == StatusCode::OK {
            open.push(response);
        }
        status
    };
    for _ in 0..MAX_STREAMS_OF_CLIENT {
        assert_eq!(try_open(&stranger(1)).await, StatusCode::OK);
    }
    let refused = try_open(&stranger(1)).await;
    assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS);
    for number in 0..256 {
        try_open(&stranger(2 + number / MAX_STREAMS_OF_CLIENT)).await;
    }
    let refused = try_open(&stranger(100)).await;
    assert_eq!(refused, StatusCode::SERVICE_UNAVAILABLE);
    for _ in 0..MAX_STREAMS_OF_CLIENT {
        assert_eq!(try_open(OTHER).await, StatusCode::OK);
    }
    open
}

async fn search_slots(stage: &Stage) {
    let turns = &stage.registry.state.shared.turns.0;
    let acquire = |number| client::scope(Some(client_at(&stranger(number))), turns.acquire());
    let _running = [acquire(1).await, acquire(2).await];
    let mut waiting: Vec<_> = (3..100).map(|number| Box::pin(acquire(number))).collect();
    for it in &mut waiting {
        assert!(it.now_or_never().is_none(), "half of the slots are taken");
    }
    let found = stage.get(OTHER, "/api/v1/search?q=table").await;
    assert_eq!(found, StatusCode::OK);
}

async fn search_time(stage: &Stage) {
    let limiter = &stage.registry.state.limiter;
    let long_ago = Instant::now().checked_sub(BURST * 10).unwrap();
    let is_charged = |peer| limiter.search_wait_s(client_at(peer), long_ago).is_some();
    // The second one is answered from memory.
    for (peer, costs) in [("203.0.113.1", true), ("233.252.0.1", false)] {
        let found = stage.get(peer, "/api/v1/search?q=book").await;
        assert_eq!((found, is_charged(peer)), (StatusCode::OK, costs));
    }
    for number in 10..15 {
        let client = client_at(&stranger(number));
        limiter.charge_search(client, BURST * 2, Instant::now());
        let refused = stage.get(&stranger(number), "/api/v1/search?q=hotel").await;
        assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS);
        let kept = stage.get(&stranger(number), "/api/v1/search?q=book").await;
        assert_eq!(kept, StatusCode::OK);
    }
    let refused = stage.get(&stranger(20), "/api/v1/search?q=hotel").await;
    assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS, "its network");
    let found = stage.get(OTHER, "/api/v1/search?q=hotel").await;
    assert_eq!(found, StatusCode::OK);
}

async fn sessions(stage: &Stage) {
    let create = async |peer: &str| stage.post(peer, place::SESSION, &json!({})).await.0;
    for number in 0..Session::MAX_OF_NETWORK as usize {
        assert_eq!(create(&stranger(number)).await, StatusCode::CREATED);
    }
    let refused = create(&stranger(200)).await;
    assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(create(OTHER).await, StatusCode::CREATED);
}

async fn reports(stage: &Stage) {
    let report = async |peer: &str, target: usize| {
        let target = format!("known{target}.example");
        let body = json!({ "target": target, "kind": "spam", "text": "It sells." });
        stage.post(peer, "/api/v1/reports", &body).await
    };
    let most = ProblemReport::MAX_OF_NETWORK as usize;
    for number in 0..most {
        let (status, _) = report(&stranger(number), number).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{number}");
        assert_eq!(report(&stranger(number + 1), number).await, limited());
    }
    assert_eq!(report(&stranger(0), most).await, limited());
    for target in [0, most] {
        assert_eq!(report(OTHER, target).await.0, StatusCode::ACCEPTED);
    }
}

async fn submissions(stage: &Stage) {
    let most = requested::MAX_WAITING_OF_NETWORK as usize;
    let mut sent = 0;
    let mut submit = async |domain: &str| {
        sent += 1;
        stage.submit(&stranger(sent), domain).await
    };
    for number in 0..most - 10 {
        let (status, _) = submit(&format!("s{number}.example")).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{number}");
    }
    for number in 0..10 {
        let (status, _) = submit(&format!("h{number}.platform.example")).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{number}");
    }
    let too_early = submit("h10.platform.example").await;
    assert_eq!(too_early.1, json!("too_early"));
    assert_eq!(submit("one-more.example").await, limited());
    for domain in ["shop.platform.example", "other.example"] {
        let (status, _) = stage.submit(OTHER, domain).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{domain}");
    }
    // Visits: half of them, and others go first.
    let taken = stage.taken().await;
    assert_eq!(taken.len(), 50 + 2);
    assert_eq!(taken[1], "shop.platform.example");
    assert_eq!(taken[3], "other.example");
    // Lookups: none of the stranger's names resolves.
    let leases = stage.leased(&taken).await;
    let visits = leases.into_iter().map(|lease| {
        let is_of_stranger = lease.domain.as_str().starts_with('s')
            && lease.domain != Domain::parse("shop.platform.example").unwrap();
        let mut visit = registry::visit(lease, Outcome::Empty, None);
        if is_of_stranger {
            (visit.outcome, visit.requests) = (Outcome::DnsError, 0);
        }
        visit.ended = registry::now();
        visit
    });
    let visits: Vec<_> = visits.collect();
    assert_eq!(visits.len(), 52);
    stage.store().record_visits(&visits).await.unwrap();
    assert_eq!(stage.taken().await, [""; 0], "950 of the stranger wait");
    let (status, _) = stage.submit(OTHER, "next.example").await;
    assert_eq!(status, StatusCode::ACCEPTED);
    assert_eq!(stage.taken().await, ["next.example"]);
}

async fn rechecks(stage: &Stage) {
    let recheck = async |peer: &str, domain: &str| {
        let address = format!("/api/v1/sites/{domain}/recheck");
        stage.post(peer, &address, &Value::Null).await.0
    };
    // Those of the submissions above are waiting already, so that the limit of them is reached.
    let waiting = requested::MAX_WAITING_OF_NETWORK as usize - 50;
    for number in 0..KNOWN {
        let known = format!("known{number}.example");
        let status = recheck(&stranger(100 + number), &known).await;
        let is_beyond = waiting + number >= requested::MAX_WAITING_OF_NETWORK as usize;
        let expected = if is_beyond {
            StatusCode::TOO_MANY_REQUESTS
        } else {
            StatusCode::ACCEPTED
        };
        assert_eq!(status, expected, "{number}");
    }
    assert_eq!(recheck(OTHER, "mesa.example").await, StatusCode::ACCEPTED);
    let taken = stage.taken().await;
    assert_eq!((taken.len(), &*taken[1]), (51, "mesa.example"));
    // Those of the stranger are used up, and none of the visits to new names was needed for them.
    let more = recheck(&stranger(1), "known59.example").await;
    assert_eq!(more, StatusCode::ACCEPTED);
    assert_eq!(stage.taken().await, [""; 0]);
    let status = recheck(OTHER, "known58.example").await;
    assert_eq!(status, StatusCode::ACCEPTED);
    assert_eq!(stage.taken().await, ["known58.example"]);
}

async fn claims(stage: &Stage) {
    let leave = async |peer: &str, domain: &str| {
        let body = json!({ "domain": domain });
        stage.post(peer, "/api/v1/leave", &body).await
    };
    for number in 0..6 {
        let name = format!("h{number}.platform.example");
        let (status, _) = leave(&stranger(number), &name).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{number}");
    }
    let below = leave(&stranger(6), "h6.platform.example").await;
    assert_eq!(below, limited());
    for number in 6..Claim::MAX_OF_NETWORK as usize {
        let (status, _) = leave(&stranger(number), &format!("site{number}.example")).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{number}");
    }
    assert_eq!(leave(&stranger(0), "more.example").await, limited());
    let (status, _) = leave(OTHER, "shop.platform.example").await;
    assert_eq!(status, StatusCode::ACCEPTED);
    let due = Timestamp(registry::now().0 + 10_000);
    let taken = stage.store().take_claims(16, due).await.unwrap();
    let is_own = |it: &Claim| it.domain.as_str() == "shop.platform.example";
    assert_eq!(taken.len(), 9, "eight of the stranger");
    assert!(taken.iter().any(is_own), "{taken:?}");
}
