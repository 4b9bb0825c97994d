//! Tests of the limits that protect the targets of redirects.

use super::*;
use store::{Exclusion, ExclusionSource, Scope};

const ELSEWHERE: &str = "https://menu.example.com";

/// P04: an excluded host is neither looked up nor contacted after any redirect.
#[tokio::test(start_paused = true)]
async fn p04_redirects_to_an_excluded_host_are_not_followed() {
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

/// P35: the pause that a redirect's target asks for with its robots.txt is observed.
#[tokio::test(start_paused = true)]
async fn p35_a_pause_asked_for_by_the_target_of_a_redirect_is_observed() {
    let throttled = Response {
        retry_after: Some("7200".to_owned()),
        ..status(503)
    };
    let map = Map::default()
        .with(CARD_PATH, to(&format!("{ELSEWHERE}{CARD_PATH}")))
        .with(&format!("{ELSEWHERE}/robots.txt"), throttled);
    let settings = settings();
    map.visit_with(&settings, lease()).await;
    let now = Instant::now();
    let paused_until = settings
        .gate
        .lock()
        .host_paused_until("menu.example.com", now);
    assert!(paused_until.is_some_and(|until| until > now + Duration::from_mins(110)));
}

/// P38a: a host to which the robots.txt files of other sites redirect, each to another path,
/// receives four requests an hour.
#[tokio::test(start_paused = true)]
async fn p38a_the_target_of_robots_txt_redirects_gets_four_requests_an_hour() {
    let settings = settings();
    let hub = "https://hub.example";
    let start = Instant::now();
    let mut postponed = 0;
    let mut log = Vec::new();
    for number in 0..40 {
        let name = format!("spoke{number}.test");
        let target = match number % 10 {
            9 => format!("{hub}/robots.txt"),
            _ => format!("{hub}/robots.txt?{number}"),
        };
        let map = Map::default().with(&format!("https://{name}/robots.txt"), to(&target));
        let lease = Lease {
            domain: Domain::parse(&name).unwrap(),
            ..lease()
        };
        let visited = map.visit_with(&settings, lease).await;
        let pause = postponement(&visited);
        postponed += usize::from(pause.is_some_and(|it| it >= Duration::from_hours(1)));
        let asked = map.log.into_inner().unwrap();
        let hub = asked
            .into_iter()
            .filter(|(_, it)| it.url.as_str().starts_with(hub));
        log.extend(hub.map(|(at, _)| at - start));
        tokio::time::advance(Duration::from_secs(10)).await;
    }
    assert!(
        start.elapsed() < Duration::from_hours(1),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(log.len(), 4, "{log:?}");
    // Redirects to the usual path share one answer; of the others, three are followed.
    assert_eq!(postponed, 40 - 4 - 3);
}

/// P7: the requests sent before an address paused are recorded, and the visit is not repeated at
/// once.
#[tokio::test(start_paused = true)]
async fn p35_a_visit_interrupted_by_a_pause_records_its_requests() {
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
    let entrance = Admission::Open(address, None);
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
    let pause = postponement(&visited).unwrap();
    assert_eq!(visited.visit.next.due, visited.visit.ended.after(pause));
    assert!(pause >= Duration::from_hours(1), "{pause:?}");
    assert_eq!(visited.visit.next.fails, 1);
}

/// P42: the recorded reason for a refused redirect is the right one, even if several apply.
#[tokio::test(start_paused = true)]
async fn p42_a_refused_redirect_names_its_cause() {
    let closed = ok("User-agent: *\nDisallow: /\n");
    let slow = ok("User-agent: *\nCrawl-delay: 60\n");
    for (robots, detail) in [
        (closed, "robots"),
        (slow, "crawl_delay"),
        (status(500), "robots_unreadable"),
        (status(403), "robots_unreadable"),
        // Its redirects use up the budget of one path, and then it fails.
        (to("/one"), "robots_unreadable"),
    ] {
        let map = Map::default()
            .with(CARD_PATH, to(&format!("{ELSEWHERE}{CARD_PATH}")))
            .with(&format!("{ELSEWHERE}/robots.txt"), robots.clone())
            .with(&format!("{ELSEWHERE}/one"), to("/two"))
            .with(&format!("{ELSEWHERE}/two"), status(500))
            .with(&format!("{ELSEWHERE}{CARD_PATH}"), ok(CARD));
        let visited = map.visit(lease()).await.visit;
        assert_eq!(visited.outcome, Outcome::RedirectRefused, "{robots:?}");
        assert_eq!(visited.detail.as_deref(), Some(detail), "{robots:?}");
        assert!(!map.asked().contains(&format!("{ELSEWHERE}{CARD_PATH}")));
    }
}

/// HS-50: the receipt of a redirect to an unusual port names the port and says that the redirect
/// was not followed.
#[tokio::test(start_paused = true)]
async fn hs_50_a_refused_port_is_named() {
    for path in ["/robots.txt", CARD_PATH] {
        let map = Map::default().with(path, to("https://mesa.example.com:6379/x"));
        let visited = map.visit(lease()).await.visit;
        assert_eq!(visited.detail.as_deref(), Some("port"), "{path}");
        let mut receipts = visited.receipts.iter();
        let receipt = receipts.find(|it| it.url.ends_with(path)).unwrap();
        assert_eq!(receipt.verdict, "redirect_refused", "{path}");
        assert!(receipt.why.contains("port 6379 "), "{}", receipt.why);
    }
}

/// P29: a robots.txt that redirects to an unreachable host forbids everything for as long as one
/// that fails, but is no failure of the site's own name.
#[tokio::test(start_paused = true)]
async fn p29_a_robots_txt_redirect_to_an_unreachable_host_is_no_failure_of_the_site() {
    struct Gone<'a>(&'a Map, FetchError);
    impl Fetch for Gone<'_> {
        async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
            let is_there = request.url.host_str() != Some("menu.example.com");
            if !is_there && matches!(self.1, FetchError::Dns(_)) {
                return Err(self.1.clone());
            }
            self.0.resolve(request).await
        }

        async fn get(&self, request: &Request) -> Result<Response, FetchError> {
            let answer = self.0.get(request).await?;
            match request.url.host_str() {
                Some("menu.example.com") => Err(self.1.clone()),
                _ => Ok(answer),
            }
        }
    }
    for error in [
        FetchError::Dns(DnsFailure::NxDomain),
        FetchError::Refused,
        FetchError::Timeout(Stage::Headers),
        FetchError::Tls(TlsFailure::Expired),
    ] {
        let map = Map::default().with("/robots.txt", to(&format!("{ELSEWHERE}/robots.txt")));
        let fetch = Gone(&map, error.clone());
        let visited = visit_at(&fetch, START, None, lease()).await;
        let visit = &visited.visit;
        assert_eq!(visit.outcome, Outcome::Down, "{error}");
        let robots = visit.robots.as_ref().unwrap();
        assert_eq!(robots.verdict, "unreachable", "{error}");
        let detail = visit.detail.as_deref().unwrap();
        assert!(detail.contains("redirects to another host"), "{detail}");
        // It is requested again in an hour, as after a 500, and does not count as a failure of its
        // address.
        assert!(visit.next.due < visit.ended.after(Duration::from_hours(2)));
        assert!(matches!(visited.ending, Ending::Answered(_)), "{error}");
        assert_eq!(visited.reach, Reach::Reached, "{error}");
        assert!(map.paths().iter().all(|path| path.ends_with("/robots.txt")));
    }
}

/// P31: after a redirect to a site whose stored robots.txt is still valid, that file is not
/// requested again; an expired one is.
#[tokio::test(start_paused = true)]
async fn p31_the_stored_robots_txt_of_a_known_site_is_not_requested_again() {
    struct Knows(RobotsState);
    impl Observer for Knows {
        async fn stored_robots(&self, domain: &Domain) -> Option<RobotsState> {
            (domain.as_str() == "menu.example.com").then(|| self.0.clone())
        }
    }
    let body = format!("User-agent: *\nDisallow: {CARD_PATH}\n");
    let theirs = Map::default().with("/robots.txt", ok(&body));
    let kept = theirs.visit(lease()).await.visit.robots.unwrap();
    let old = RobotsState {
        expires: START,
        ..kept.clone()
    };
    let robots = format!("{ELSEWHERE}/robots.txt");
    for (kept, is_asked) in [(kept, false), (old, true)] {
        for path in ["/robots.txt", CARD_PATH] {
            let map = Map::default()
                .with(path, to(&format!("{ELSEWHERE}{path}")))
                .with(&robots, ok(&body));
            let mut random = StdRng::seed_from_u64(7);
            let entrance = Admission::Open(IpAddr::from([8, 8, 8, 8]), None);
            let knows = Knows(kept.clone());
            let settings = settings();
            visit(
                &map,
                &knows,
                &settings,
                lease(),
                entrance,
                START,
                &mut random,
            )
            .await;
            let asked = map.asked();
            assert_eq!(asked.contains(&robots), is_asked, "{path}: {asked:?}");
            // Its rules are observed, whichever visit read it.
            assert!(!asked.contains(&format!("{ELSEWHERE}{CARD_PATH}")));
            let own = format!("https://mesa.example.com{CARD_PATH}");
            assert_eq!(asked.contains(&own), path == CARD_PATH, "{asked:?}");
        }
    }
}

/// P16, P24: the crawl delay of a host is observed between visits that are redirected there and its
/// own.
#[tokio::test(start_paused = true)]
async fn p24_the_crawl_delay_of_a_hub_holds_for_all_redirects_to_it() {
    let robots = format!("{ELSEWHERE}/robots.txt");
    let settings = settings();
    let map = Map::default()
        .with(&robots, ok("User-agent: *\nCrawl-delay: 20\n"))
        .with("/robots.txt", to(&robots))
        .with(
            &format!("{WWW}{CARD_PATH}"),
            to(&format!("{ELSEWHERE}{CARD_PATH}")),
        );
    let of = |name: &str| Lease {
        domain: Domain::parse(name).unwrap(),
        ..lease()
    };
    tokio::join!(
        map.visit_with(&settings, lease()),
        map.visit_with(&settings, of("www.mesa.example.com")),
        map.visit_with(&settings, of("menu.example.com")),
    );
    let log = map.log.lock().unwrap();
    let there = log
        .iter()
        .filter(|(_, request)| request.url.as_str().starts_with(ELSEWHERE));
    let times: Vec<_> = there.map(|(at, _)| *at).collect();
    assert!(times.len() > 8, "{}", times.len());
    for pair in times.windows(2) {
        let gap = pair[1] - pair[0];
        assert!(gap >= Duration::from_millis(20_020), "{gap:?}");
    }
}

/// P28, P29, P31: a robots.txt that fails is requested once, however many sites redirect to it, and
/// a pause that it asks for holds for its own host only.
#[tokio::test(start_paused = true)]
async fn p31_a_robots_txt_that_fails_is_requested_once() {
    let robots = format!("{ELSEWHERE}/robots.txt");
    let throttled = Response {
        retry_after: Some("7200".to_owned()),
        ..status(503)
    };
    for answer in [
        Ok(status(404)),
        Ok(status(403)),
        Ok(status(500)),
        Ok(throttled),
        Err(FetchError::Timeout(Stage::Headers)),
    ] {
        for path in ["/robots.txt", CARD_PATH] {
            let map = Apart(
                Map::default()
                    .with(&robots, answer.clone())
                    .with(path, to(&format!("{ELSEWHERE}{path}")))
                    .with(&format!("{WWW}{path}"), to(&format!("{ELSEWHERE}{path}"))),
            );
            let settings = settings();
            let mut verdicts = Vec::new();
            for (name, last) in [("mesa.example.com", 8), ("www.mesa.example.com", 9)] {
                let lease = Lease {
                    domain: Domain::parse(name).unwrap(),
                    ..lease()
                };
                let address = IpAddr::from([8, 8, 8, last]);
                let entrance = Admission::Open(address, None);
                let mut random = StdRng::seed_from_u64(7);
                let visited =
                    visit(&map, &(), &settings, lease, entrance, START, &mut random).await;
                verdicts.push(visited.visit.robots.unwrap().verdict);
                let entry = settings
                    .gate
                    .lock()
                    .enter("other.example", address, Instant::now());
                assert!(
                    matches!(entry, crate::rate_limit::Entry::Now(_)),
                    "{entry:?}"
                );
            }
            let asked = map.0.asked();
            let times = asked.iter().filter(|url| **url == robots).count();
            assert_eq!(times, 1, "{path} {answer:?}: {asked:?}");
            assert_eq!(verdicts[0], verdicts[1], "{path} {answer:?}");
        }
    }
}

/// A map with a separate address for each host.
struct Apart(Map);

impl Fetch for Apart {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        let last = match request.url.host_str() {
            Some("mesa.example.com") => 8,
            Some("www.mesa.example.com") => 9,
            _ => 10,
        };
        Ok(IpAddr::from([8, 8, 8, last]))
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        self.0.get(request).await
    }
}

/// P37: a domain whose robots.txt redirects to an address in a pause is visited ever more rarely,
/// and fails in the end.
#[tokio::test(start_paused = true)]
async fn p37_a_robots_txt_that_redirects_to_a_busy_address_is_requested_ever_more_rarely() {
    let robots = format!("{ELSEWHERE}/robots.txt");
    let mut waits = Vec::new();
    for fails in 0..4 {
        let map = Apart(Map::default().with("/robots.txt", to(&robots)));
        let settings = settings();
        let busy = IpAddr::from([8, 8, 8, 10]);
        let pause = Duration::from_secs(90);
        settings.gate.lock().block(busy, pause, Instant::now());
        let lease = Lease { fails, ..lease() };
        let mut random = StdRng::seed_from_u64(7);
        let entrance = Admission::Open(IpAddr::from([8, 8, 8, 8]), None);
        let visited = visit(&map, &(), &settings, lease, entrance, START, &mut random).await;
        let pause = postponement(&visited);
        let visit = visited.visit;
        assert_eq!((visit.outcome, visit.requests), (Outcome::Throttled, 1));
        assert_eq!(visit.next.fails, fails + 1);
        assert_eq!(visit.next.is_again, fails < 3, "{fails}");
        assert_eq!(pause.is_some(), fails < 3, "{fails}");
        waits.push(visit.next.due.since(visit.ended));
    }
    assert!(waits[0] >= Duration::from_mins(2), "{waits:?}");
    assert!(
        waits[1] >= 2 * waits[0] && waits[2] >= 2 * waits[1],
        "{waits:?}"
    );
    assert!(waits[3] >= Duration::from_hours(20), "{waits:?}");
}
