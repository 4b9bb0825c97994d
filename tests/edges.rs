//! A shared edge and an imitator, crawled by the real crawler (P50).

use crate::crawl::{CARD, CARD_PATH};
use crate::derived;
use crate::support::judge::log::{Exchange, Log};
use crate::support::judge::{judge, summary};
use crate::support::pipeline::Pipeline;
use simweb::{Answer, Behaviour, Edge, Simweb};
use std::net::IpAddr;

/// Time between two requests to one address, in milliseconds.
const GAP: u64 = 150;
const EDGE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const IMITATOR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2));

/// Returns a site with the header of an edge, whose visits ask for robots.txt only.
fn behind(address: IpAddr) -> Behaviour {
    let robots = Answer {
        body: Some("User-agent: *\nDisallow: /\n".to_owned()),
        ..Answer::default()
    };
    Behaviour {
        addresses: vec![address],
        edge: Some(Edge::Cloudflare),
        ..Behaviour::default()
    }
    .path("/robots.txt", robots)
}

/// Returns the number of requests to an address before its gap was over.
fn fast(exchanges: &[Exchange], address: IpAddr) -> usize {
    let there: Vec<_> = exchanges
        .iter()
        .filter(|it| it.address == address)
        .collect();
    let pairs = there.windows(2);
    pairs
        .filter(|pair| pair[1].at + 2 < pair[0].ended + GAP)
        .count()
}

/// HS-116, beside an honest site in the same network.
#[tokio::test(flavor = "multi_thread")]
async fn p50_hs_116_an_edge_is_learned_and_an_imitator_is_not() {
    let mut web = Simweb::builder().addresses(3);
    for number in 0..100 {
        web = web
            .site(&format!("behind{number}.example"))
            .behaviour(behind(EDGE));
    }
    for number in 0..60 {
        // Of twelve sites.
        let host = format!("h{number}.imitator{}.example", number % 12);
        web = web.site(&host).behaviour(behind(IMITATOR));
    }
    web = web
        .site("mesa.example")
        .behaviour(Behaviour {
            addresses: vec![IpAddr::from([127, 0, 0, 3])],
            ..Behaviour::default()
        })
        .file(CARD_PATH, CARD);
    let pipeline = Pipeline {
        address_delay_ms: GAP,
        ..Pipeline::new(web.start().await.unwrap())
    };
    let ran = pipeline.crawl(&["--delay", &GAP.to_string()]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let is_counted = |line: &str| line.split_whitespace().eq(["learned", "edges", "1"]);
    assert!(ran.output.lines().any(is_counted), "{}", ran.output);
    let log = Log::of(&pipeline.web);
    assert_eq!(fast(&log.exchanges, IMITATOR), 0);
    let fast = fast(&log.exchanges, EDGE);
    assert!(fast > 0, "{fast} of the requests to the edge");
    let found = judge(&log, &derived::terms(GAP, GAP));
    assert!(found.is_empty(), "{}", summary(&found));
}
