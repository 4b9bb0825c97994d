//! What a visit owes to the hosts that it is led to.

use super::*;
use store::{Exclusion, ExclusionSource, Scope};

const ELSEWHERE: &str = "https://menu.example.com";

/// P04: an excluded host is neither looked up nor asked, wherever a redirect leads.
#[tokio::test(start_paused = true)]
async fn p04_no_redirect_leads_to_an_excluded_host() {
    let scope = Scope::domain(&Domain::parse("menu.example.com").unwrap());
    let excluded = Exclusion {
        scope,
        reason: "asked".to_owned(),
        source: ExclusionSource::Owner,
        since: START,
    };
    for path in ["/robots.txt", CARD_PATH] {
        let map = Map::default().with(path, to(&format!("{ELSEWHERE}{path}")));
        let settings = Settings {
            exclusions: [excluded.clone()].into_iter().collect(),
            ..settings()
        };
        let visited = map.visit_with(&settings, lease()).await;
        let asked = map.asked();
        assert!(
            asked.iter().all(|url| !url.starts_with(ELSEWHERE)),
            "{asked:?}"
        );
        let why: Vec<_> = visited.visit.receipts.iter().map(|it| &it.why).collect();
        assert!(!why.is_empty(), "{why:?}");
    }
}

/// P35: a host that a redirect led to and whose robots.txt asks for a pause gets it, too.
#[tokio::test(start_paused = true)]
async fn p35_a_plea_in_the_robots_txt_of_a_hop_is_kept() {
    let throttled = Response {
        retry_after: Some("7200".to_owned()),
        ..status(503)
    };
    let map = Map::default()
        .with(CARD_PATH, to(&format!("{ELSEWHERE}{CARD_PATH}")))
        .with(&format!("{ELSEWHERE}/robots.txt"), throttled);
    let settings = settings();
    let address = look_up(&map, &lease()).await.unwrap();
    map.visit_with(&settings, lease()).await;
    let entry = settings.gate.lock().enter(address, Instant::now());
    assert!(
        matches!(entry, crate::pace::Entry::NotBefore(until)
            if until > Instant::now() + Duration::from_mins(110)),
        "{entry:?}"
    );
}

/// Part 8: what was asked before an address had enough is told, and the visit is made again without a failure.
#[tokio::test(start_paused = true)]
async fn p35_a_visit_that_a_plea_breaks_off_tells_what_it_asked() {
    struct Pleading<'a>(&'a Map, SharedGate);
    impl Fetch for Pleading<'_> {
        async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
            self.0.resolve(request).await
        }
        async fn get(&self, request: &Request) -> Result<Response, FetchError> {
            let address = self.resolve(request).await?;
            if request.url.path() != "/robots.txt" {
                let pause = Duration::from_mins(5);
                self.1.lock().block(address, pause, Instant::now());
            }
            self.0.get(request).await
        }
    }
    let map = Map::default();
    let settings = settings();
    let address = look_up(&map, &lease()).await.unwrap();
    let entrance = Entrance::Open(address, None);
    let fetch = Pleading(&map, settings.gate.clone());
    let mut random = StdRng::seed_from_u64(7);
    let visited = visit(
        &fetch,
        &(),
        &settings,
        lease(),
        entrance,
        START,
        &mut random,
    )
    .await;
    assert_eq!(visited.visit.outcome, Outcome::Throttled);
    assert_eq!(visited.visit.requests, 2);
    assert_eq!(visited.visit.receipts.len(), 2);
    let pause = visited.put_off.unwrap();
    assert_eq!(visited.visit.next.due, visited.visit.ended.after(pause));
    assert_eq!(visited.visit.next.fails, 0);
}
