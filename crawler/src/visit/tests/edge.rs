//! Tests of refusals by a site, or by what stands before it, although robots.txt permits the paths
//! (P49).

use super::*;
use store::EdgeAnswer;

const ROBOTS: &str = "User-agent: *\nAllow: /\n";

fn refusing(status: u16, edge: &[(&'static str, &str)], body: &[u8]) -> Response {
    let edge = edge
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    Response {
        edge: edge.collect(),
        body: body.to_vec(),
        ..super::status(status)
    }
}

/// Returns a site whose edge gives this answer to every path but robots.txt.
fn behind(robots: Response, answer: &Response) -> Map {
    let map = Map::default().with("/robots.txt", robots);
    let places = probes::ALL.iter();
    places.fold(map, |map, probe| map.with(probe.path, answer.clone()))
}

async fn visited(map: &Map, lease: Lease) -> Visit {
    let settings = Settings {
        sender: Sender {
            user_agent: "AgentdexBot/1.0 (+https://registry.example/bot)".to_owned(),
            signed_by: Some("https://registry.example".to_owned()),
        },
        ..settings()
    };
    map.visit_with(&settings, lease).await.visit
}

#[tokio::test(start_paused = true)]
async fn p49_a_refused_path_has_an_outcome_of_its_own_and_its_answer_as_evidence() {
    let challenge = [("cf-mitigated", "challenge"), ("server", "cloudflare")];
    let rows: [(u16, &[_], Outcome, u32); 9] = [
        (
            401,
            &[("www-authenticate", "Basic")],
            Outcome::LoginRequired,
            3,
        ),
        (
            402,
            &[("crawler-price", "USD 0.01")],
            Outcome::PaymentRequired,
            3,
        ),
        (403, &[("server", "AkamaiGHost")], Outcome::Refused, 3),
        (429, &[("retry-after", "60")], Outcome::RateLimited, 2),
        (503, &[], Outcome::Throttled, 2),
        (403, &challenge, Outcome::Challenged, 3),
        (429, &challenge, Outcome::Challenged, 2),
        (
            202,
            &[("x-amzn-waf-action", "challenge")],
            Outcome::Challenged,
            3,
        ),
        (
            405,
            &[("x-amzn-waf-action", "captcha")],
            Outcome::Challenged,
            3,
        ),
    ];
    for robots in [ok(ROBOTS), status(404)] {
        for (status, headers, outcome, requests) in rows {
            let map = behind(robots.clone(), &refusing(status, headers, b"No."));
            let visit = visited(&map, lease()).await;
            assert_eq!((visit.outcome, visit.requests), (outcome, requests));
            let last = visit.receipts.last().unwrap();
            assert_eq!(last.verdict, outcome.as_str());
            let headers = headers.iter();
            let expected = EdgeAnswer {
                at: last.at,
                url: last.url.clone(),
                status,
                headers: headers
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
                body: "No.".to_owned(),
                is_cut: false,
                user_agent: "AgentdexBot/1.0 (+https://registry.example/bot)".to_owned(),
                signed_by: Some("https://registry.example".to_owned()),
            };
            assert_eq!(visit.edge, Some(expected), "{status}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn p49_a_refused_robots_txt_stays_blocked_or_throttled() {
    let challenge = [("cf-mitigated", "challenge")];
    let rows = [
        (401, Outcome::Blocked),
        (403, Outcome::Blocked),
        (407, Outcome::Blocked),
        (451, Outcome::Blocked),
        (999, Outcome::Blocked),
        (429, Outcome::Throttled),
        (503, Outcome::Throttled),
    ];
    for (status, outcome) in rows {
        let map = Map::default().with("/robots.txt", refusing(status, &challenge, b""));
        let visit = visited(&map, lease()).await;
        assert_eq!((visit.outcome, visit.requests), (outcome, 1), "{status}");
        let edge = visit.edge.unwrap();
        assert_eq!(
            (edge.url, edge.status),
            (visit.receipts[0].url.clone(), status)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn p49_an_outcome_that_is_no_refusal_has_no_evidence() {
    let refused = refusing(403, &[], b"");
    let one = Map::default().with("/agents.txt", refused.clone());
    let found = Map::default()
        .with(CARD_PATH, ok(CARD))
        .with("/agents.txt", refused.clone())
        .with("/.well-known/agents.json", refused.clone());
    let elsewhere = Map::default()
        .with("/robots.txt", to("https://other.example/robots.txt"))
        .with("https://other.example/robots.txt", refused);
    let failing = Map::default().with("/robots.txt", status(500));
    for map in [one, found, failing, Map::default()] {
        let visit = visited(&map, lease()).await;
        assert!(!visit.outcome.is_refusal(), "{:?}", visit.outcome);
        assert_eq!(visit.edge, None);
    }
    // Another host refused its own robots.txt, which says nothing about what stands before this one.
    let visit = visited(&elsewhere, lease()).await;
    assert_eq!((visit.outcome, visit.edge), (Outcome::Blocked, None));
}

#[tokio::test(start_paused = true)]
async fn p49_a_hostile_body_is_cut_to_its_start() {
    let long = b"\0\x1b[31m<script>alert(1)</script>".repeat(10_000);
    let visit = visited(&behind(ok(ROBOTS), &refusing(403, &[], &long)), lease()).await;
    let edge = visit.edge.unwrap();
    assert_eq!(edge.body.as_bytes(), &long[..EdgeAnswer::BODY_CAP]);
    assert!(edge.is_cut);
    let binary = [0xff_u8; 2_000];
    let visit = visited(&behind(ok(ROBOTS), &refusing(403, &[], &binary)), lease()).await;
    let edge = visit.edge.unwrap();
    assert_eq!(edge.body.chars().count(), EdgeAnswer::BODY_CAP);
}

/// P10: no more requests than before, and the schedule of the status.
#[tokio::test(start_paused = true)]
async fn p49_a_refused_site_is_visited_as_rarely_as_before() {
    let map = behind(ok(ROBOTS), &refusing(403, &[], b""));
    let day = Duration::from_hours(24);
    for (fails, days) in [(0, 7), (1, 30)] {
        let lease = Lease {
            fails,
            last_outcome: (fails > 0).then_some(Outcome::Refused),
            ..lease()
        };
        let visit = visited(&map, lease).await;
        assert_eq!((visit.requests, visit.next.fails), (3, fails + 1));
        let wait = visit.next.due.since(visit.ended);
        assert!(
            wait >= day.mul_f64(0.9) * days && wait <= day.mul_f64(1.1) * days,
            "{wait:?}"
        );
    }
}
