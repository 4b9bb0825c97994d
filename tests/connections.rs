//! Tests of the time for which the connection of a visit is kept (P13).

use crate::crawl::Stage;
use crawler::config::Network;
use crawler::fetch::http::{Http, Identity};
use crawler::fetch::{Fetch as _, Limits, Request};
use crawler::run::{clock, random};
use simweb::Simweb;
use std::time::Duration;
use url::Url;

/// Returns the connections of two consecutive requests, given how long a connection may be idle.
async fn connections(idle: Duration) -> [u64; 2] {
    let stage = Stage::new(Simweb::builder().site("mesa.example")).await;
    let network = Network::try_from(stage.network()).unwrap();
    let identity = Identity {
        idle,
        ..network.identity
    };
    let (servers, own) = (&network.nameservers, network.allowed);
    let http = Http::new(&identity, servers, own, clock(), random()).unwrap();
    let port = stage.web.https_port();
    let url = Url::parse(&format!("https://mesa.example:{port}/robots.txt")).unwrap();
    let request = Request::new(url, Some(port), Limits::ROBOTS);
    http.get(&request).await.unwrap();
    http.get(&request).await.unwrap();
    let requests = stage.web.requests();
    [requests[0].connection, requests[1].connection]
}

#[tokio::test]
async fn p13_a_connection_is_kept_for_its_idle_time_and_no_longer() {
    let [first, second] = connections(Duration::from_secs(35)).await;
    assert_eq!(first, second);
    // Shorter than any time between two requests.
    let [first, second] = connections(Duration::from_nanos(1)).await;
    assert_ne!(first, second);
}
