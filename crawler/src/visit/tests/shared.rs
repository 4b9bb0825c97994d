//! Tests of the limits of shared addresses, and of the state kept between visits.

use super::*;
use crate::observer::PauseRequest;

/// P12: a member of a parked fleet gets only a request for robots.txt, and rarely.
#[tokio::test(start_paused = true)]
async fn p12_one_of_many_identical_sites_gets_only_a_request_for_robots_txt() {
    let parked = || Map::default().with("/robots.txt", ok("User-agent: *\nAllow: /\n"));
    let first = parked().visit(lease()).await;
    let Ending::Answered(Some(look)) = first.ending else {
        panic!("{:?}", first.ending);
    };
    let map = parked();
    let visited = map.visit_expecting(Some(look), lease()).await;
    assert_eq!(map.paths(), ["/robots.txt"]);
    assert_eq!(visited.visit.outcome, Outcome::Empty);
    assert_eq!(visited.ending, Ending::Answered(Some(look)));
    assert_eq!(visited.visit.next.interval_ms, Some(90 * 86_400_000));

    let other = Map::default().with("/robots.txt", ok("User-agent: x\nDisallow:"));
    other.visit_expecting(Some(look), lease()).await;
    assert!(other.paths().len() > 1, "its robots.txt differs");

    let found = parked();
    let lease = Lease {
        last_outcome: Some(Outcome::Found),
        ..lease()
    };
    found.visit_expecting(Some(look), lease).await;
    assert!(found.paths().len() > 1, "something was there");
}

/// P12: hosts without a robots.txt do not form a fleet, and a host whose robots.txt points at
/// manifests is not parked.
#[tokio::test(start_paused = true)]
async fn p12_unspecific_fingerprints_form_no_fleet() {
    let pointing = ok("User-agent: *\nAllow: /\nAgentmap: https://mesa.example.com/map.json\n");
    for robots in [status(404), ok(""), pointing] {
        let map = Map::default().with("/robots.txt", robots.clone());
        let visited = map.visit(lease()).await;
        let is_plain = robots.body.is_empty() && robots.status == 200;
        let is_look = matches!(visited.ending, Ending::Answered(Some(_)));
        assert!(matches!(visited.ending, Ending::Answered(_)));
        assert_eq!(is_look, is_plain, "{robots:?}");
    }
}

/// P38: the failure of a name does not count against its address; a failed connection does.
#[tokio::test(start_paused = true)]
async fn p38_only_a_failed_connection_counts_against_an_address() {
    let cases = [
        (FetchError::Refused, Ending::Failed),
        (FetchError::Unreachable, Ending::Failed),
        (FetchError::Timeout(Stage::Connect), Ending::Failed),
        (FetchError::Tls(TlsFailure::Name), Ending::Unasked),
        (FetchError::Tls(TlsFailure::Protocol), Ending::Unasked),
        (FetchError::Reset, Ending::Unasked),
        (FetchError::Timeout(Stage::Headers), Ending::Unasked),
    ];
    for (error, ending) in cases {
        let map = Map::default().with("/robots.txt", Err(error.clone()));
        assert_eq!(map.visit(lease()).await.ending, ending, "{error}");
        // Another port is another server, which need not exist although a seed names it.
        let odd = Lease {
            port: Some(8443),
            ..lease()
        };
        let robots = "https://mesa.example.com:8443/robots.txt";
        let map = Map::default().with(robots, Err(error.clone()));
        assert_eq!(map.visit(odd).await.ending, Ending::Unasked, "{error}");
    }
    // Its paths redirect to an unreachable host, which has another address.
    let mut map = Map::default();
    for path in probes::ALL.iter().map(|probe| probe.path) {
        let there = format!("{WWW}{path}");
        map = map
            .with(path, to(&there))
            .with(&there, Err(FetchError::Refused));
    }
    let fetch = Two(map);
    let visited = visit_at(&fetch, START, None, lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Down);
    assert_eq!(visited.ending, Ending::Unasked);
}

/// P31: robots.txt is requested conditionally, and its stored state stays in use if it has not
/// changed.
#[tokio::test(start_paused = true)]
async fn p31_an_unchanged_robots_txt_is_not_sent_again() {
    let body = "User-agent: *\nDisallow: /agents.txt";
    let map = Map::default().with(
        "/robots.txt",
        Response {
            etag: Some("\"r1\"".to_owned()),
            ..ok(body)
        },
    );
    let robots = map.visit(lease()).await.visit.robots;
    let again = Map::default().with("/robots.txt", status(304));
    let lease = Lease { robots, ..lease() };
    let visited = again.visit(lease).await.visit;
    let log = again.log.lock().unwrap();
    assert_eq!(log[0].1.etag.as_deref(), Some("\"r1\""));
    assert!(log.len() > 2, "{:?}", visited.detail);
    assert!(
        log.iter()
            .all(|(_, request)| request.url.path() != "/agents.txt")
    );
    assert_eq!(visited.robots.unwrap().etag.as_deref(), Some("\"r1\""));
}

/// P31: the validators of one robots.txt say nothing of another one, so they go only to the URL that
/// gave them, and a 304 without them is no answer.
#[tokio::test(start_paused = true)]
async fn p31_validators_of_a_robots_txt_go_only_to_the_url_that_gave_them() {
    const OWN: &str = "https://mesa.example.com/robots.txt";
    const MENU: &str = "https://menu.example.com/robots.txt";
    const OTHER: &str = "https://mesa.example.com/other.txt";
    let open = Response {
        etag: Some("\"1\"".to_owned()),
        last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
        ..ok("User-agent: *\nAllow: /\n")
    };
    let closed = ok("User-agent: *\nDisallow: /\n");
    // The URL that gives the robots.txt on the first visit, and on the second.
    for (first, second) in [(OWN, MENU), (MENU, OWN), (MENU, OTHER), (OWN, OTHER)] {
        let map = |url: &str| match url {
            OWN => Map::default(),
            _ => Map::default().with(OWN, to(url)),
        };
        let robots = map(first).with(first, open.clone()).visit(lease()).await;
        let lease = Lease {
            robots: robots.visit.robots,
            ..lease()
        };
        assert!(lease.robots.as_ref().unwrap().etag.is_some(), "{first}");
        for (answer, verdict) in [(closed.clone(), "disallow"), (status(304), "unreachable")] {
            let again = map(second).with(second, answer);
            let visited = again.visit(lease.clone()).await.visit;
            let log = again.log.lock().unwrap();
            for (_, request) in log.iter().filter(|(_, it)| it.url.as_str() == second) {
                assert!(!request.is_conditional(), "{first} {second}");
            }
            let robots = visited.robots.unwrap();
            assert_eq!(robots.verdict, verdict, "{first} {second}");
            assert_eq!(robots.etag, None, "{first} {second}");
        }
        // The same URL may say that nothing has changed.
        let again = map(first).with(first, status(304));
        let visited = again.visit(lease).await.visit;
        assert_eq!(visited.robots.unwrap().etag.as_deref(), Some("\"1\""));
        assert!(again.asked().len() > 2, "{first}");
    }
}

/// P37: a failed request is not repeated within the visit.
#[tokio::test(start_paused = true)]
async fn p37_nothing_is_retried() {
    for failure in [
        FetchError::Reset,
        FetchError::Timeout(Stage::Headers),
        FetchError::Protocol("broken"),
    ] {
        let map = Map::default().with("/robots.txt", Err(failure.clone()));
        map.visit(lease()).await;
        assert_eq!(map.paths(), ["/robots.txt"], "{failure}");
        let map = Map::default().with(CARD_PATH, Err(failure.clone()));
        map.visit(lease()).await;
        let asked = map.paths().into_iter().filter(|path| path == CARD_PATH);
        assert_eq!(asked.count(), 1, "{failure}");
    }
}

/// HS-100: a request that was not sent for lack of file descriptors proves nothing, and no further
/// one is sent.
#[tokio::test(start_paused = true)]
async fn hs_100_a_visit_without_free_descriptors_ends_without_a_result() {
    for (path, requests) in [("/robots.txt", 0), (CARD_PATH, 1)] {
        let map = Map::default().with(path, Err(FetchError::Exhausted));
        let visited = map.visit(lease()).await;
        assert_eq!(visited.reach, Reach::Unasked, "{path}");
        assert_eq!(visited.visit.requests, requests, "{path}");
        assert_eq!(map.paths().last().unwrap(), path);
    }
    let map = Map {
        lookup: Some(FetchError::Exhausted),
        ..Map::default()
    };
    let visited = map.visit(lease()).await;
    assert_eq!(visited.reach, Reach::Unasked);
    assert_eq!(visited.ending, Ending::Unasked);
}

/// P35: a visit is interrupted by an address that pauses longer than for one neighbour's request.
#[tokio::test(start_paused = true)]
async fn p35_a_visit_ends_when_its_address_pauses() {
    let map = Map::default();
    let settings = settings();
    let address = look_up(&map, &lease()).await.unwrap();
    let pause = Duration::from_mins(5);
    settings.gate.lock().block(address, pause, Instant::now());
    let mut random = StdRng::seed_from_u64(7);
    let entrance = Admission::Open(address, None);
    let visited = visit(&map, &(), &settings, lease(), entrance, START, &mut random).await;
    assert_eq!(visited.visit.outcome, Outcome::Throttled);
    assert_eq!((visited.visit.requests, map.paths().len()), (0, 0));
    // It is no failure of the host.
    let postponed = postponement(&visited).unwrap();
    let next = visited.visit.next;
    assert_eq!(next.not_before, visited.visit.ended.after(postponed));
    assert_eq!(next.fails, lease().fails);
    assert!(
        (pause..pause + Duration::from_secs(30)).contains(&postponed),
        "{postponed:?}"
    );
}

/// P35: a visit waits out the minute that its address pauses for one of its sites.
#[tokio::test(start_paused = true)]
async fn p35_a_visit_waits_out_the_pause_of_a_neighbour() {
    let (map, settings, start) = (Map::default(), settings(), Instant::now());
    let address = look_up(&map, &lease()).await.unwrap();
    let day = Duration::from_hours(24);
    let pause = settings
        .gate
        .lock()
        .pause_address("hostile.example", address, day, start);
    let visited = map.visit_with(&settings, lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Empty);
    let log = map.log.lock().unwrap();
    assert!(log.len() > 5);
    assert_eq!(log[0].0, start + pause.unwrap());
    assert_eq!(pause, Some(Duration::from_mins(1)));
}

/// P35: a pause takes effect at once, before the visit is over, for the host and, for a minute, for
/// its address.
#[tokio::test(start_paused = true)]
async fn p35_a_pause_applies_to_the_address_at_once() {
    let throttled = Response {
        retry_after: Some("7200".to_owned()),
        ..status(429)
    };
    for path in ["/robots.txt", CARD_PATH] {
        let map = Map::default().with(path, throttled.clone());
        let settings = settings();
        let address = look_up(&map, &lease()).await.unwrap();
        let mut random = StdRng::seed_from_u64(7);
        let entrance = Admission::Open(address, None);
        visit(&map, &(), &settings, lease(), entrance, START, &mut random).await;
        let now = Instant::now();
        let mut gate = settings.gate.lock();
        let entry = gate.enter("other.example", address, now);
        let until = now + Duration::from_mins(1);
        assert_eq!(entry, crate::rate_limit::Entry::NotBefore(until), "{path}");
        let paused_until = gate.host_paused_until("mesa.example.com", now);
        assert_eq!(paused_until, Some(now + Duration::from_hours(2)), "{path}");
    }
}

/// P14: if https is refused, http is not tried unless the operator enables it.
#[tokio::test(start_paused = true)]
async fn p14_plain_http_is_not_tried_by_default() {
    let map = Map::default().with("/robots.txt", Err(FetchError::Refused));
    let visited = map.visit(lease()).await.visit;
    assert_eq!(visited.outcome, Outcome::Down);
    assert!(map.asked().iter().all(|url| url.starts_with("https://")));
}

/// P14: http is another origin, with its own robots.txt, and shares the budget of the visit.
#[tokio::test(start_paused = true)]
async fn p14_http_is_tried_if_https_is_unreachable() {
    const PLAIN: &str = "http://mesa.example.com";
    let settings = Settings {
        http_fallback: true,
        ..settings()
    };
    for error in [FetchError::Refused, FetchError::Unreachable] {
        let map = Map::default()
            .with("/robots.txt", Err(error))
            .with(
                &format!("{PLAIN}/robots.txt"),
                Ok(Response {
                    etag: Some("\"1\"".to_owned()),
                    ..ok("User-agent: *\nDisallow: /agents.txt\n")
                }),
            )
            .with(&format!("{PLAIN}{CARD_PATH}"), ok(CARD));
        let visited = map.visit_with(&settings, lease()).await.visit;
        assert_eq!(visited.outcome, Outcome::Found);
        assert_eq!(visited.documents[0].requested.scheme(), "http");
        let asked = map.asked();
        assert_eq!(asked[0], "https://mesa.example.com/robots.txt");
        assert_eq!(asked[1], format!("{PLAIN}/robots.txt"));
        assert!(asked[1..].iter().all(|url| url.starts_with(PLAIN)));
        assert!(!asked.contains(&format!("{PLAIN}/agents.txt")));
        assert!(visited.requests <= REQUEST_CAP);
        assert_eq!(
            visited.robots.unwrap().etag,
            None,
            "it is not that of https"
        );
    }
}

/// P14: any answer over https is an answer, and a port from a seed list is for https.
#[tokio::test(start_paused = true)]
async fn p14_http_does_not_replace_an_answer_or_a_port() {
    let settings = Settings {
        http_fallback: true,
        ..settings()
    };
    let on_port = Lease {
        port: Some(8443),
        ..lease()
    };
    let robots = "https://mesa.example.com:8443/robots.txt";
    let cases = [
        (
            Map::default().with("/robots.txt", Err(FetchError::Reset)),
            lease(),
        ),
        (
            Map::default().with("/robots.txt", Err(FetchError::Tls(TlsFailure::NotTls))),
            lease(),
        ),
        (Map::default().with("/robots.txt", status(500)), lease()),
        (
            Map::default().with(robots, Err(FetchError::Refused)),
            on_port,
        ),
    ];
    for (map, lease) in cases {
        map.visit_with(&settings, lease).await;
        assert!(map.asked().iter().all(|url| url.starts_with("https://")));
    }
}

/// P17: the gap after a slow answer is five times its duration, at most half a minute.
#[tokio::test(start_paused = true)]
async fn p17_the_gap_of_a_slow_host_is_five_times_its_last_answer() {
    struct Slow(Duration, Mutex<Vec<(Instant, Instant)>>);
    impl Fetch for Slow {
        async fn resolve(&self, _: &Request) -> Result<IpAddr, FetchError> {
            Ok(IpAddr::from([8, 8, 8, 8]))
        }

        async fn get(&self, _: &Request) -> Result<Response, FetchError> {
            let asked = Instant::now();
            tokio::time::sleep(self.0).await;
            self.1.lock().unwrap().push((asked, Instant::now()));
            Ok(status(404))
        }
    }
    for (took, least) in [(100, 1_000), (1_000, 5_000), (7_000, 30_000)] {
        let slow = Slow(Duration::from_millis(took), Mutex::default());
        visit_at(&slow, START, None, lease()).await;
        let log = slow.1.into_inner().unwrap();
        assert!(log.len() > 2);
        for pair in log.windows(2) {
            let gap = pair[1].0 - pair[0].1;
            assert!(gap >= Duration::from_millis(least), "{took}: {gap:?}");
            assert!(
                gap <= Duration::from_millis(least * 6 / 5 + 1),
                "{took}: {gap:?}"
            );
        }
    }
}

/// A site whose www is at another address.
struct Two(Map);

impl Fetch for Two {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        let is_www = request.url.host_str() == Some("www.mesa.example.com");
        Ok(IpAddr::from([8, 8, 8, if is_www { 9 } else { 8 }]))
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        self.0.get(request).await
    }
}

/// P35: a pause asked for behind a redirect holds for that host only: neither for the host that
/// redirected there nor for an address.
#[tokio::test(start_paused = true)]
async fn p35_a_pause_behind_a_redirect_holds_for_the_host_that_asked_for_it() {
    #[derive(Default)]
    struct Heard(Mutex<Vec<PauseRequest>>);
    impl Observer for Heard {
        async fn throttled(&self, request: PauseRequest) {
            self.0.lock().unwrap().push(request);
        }
    }
    let day = Duration::from_hours(24);
    let throttled = Response {
        retry_after: Some("86400".to_owned()),
        ..status(429)
    };
    for path in [CARD_PATH, "/robots.txt"] {
        let map = Map::default()
            .with(path, to(&format!("{WWW}{path}")))
            .with(&format!("{WWW}{path}"), throttled.clone());
        let (fetch, heard, settings) = (Two(map), Heard::default(), settings());
        let address = look_up(&fetch, &lease()).await.unwrap();
        let mut random = StdRng::seed_from_u64(7);
        let entrance = Admission::Open(address, None);
        let visited = visit(
            &fetch,
            &heard,
            &settings,
            lease(),
            entrance,
            START,
            &mut random,
        )
        .await;
        let request = PauseRequest {
            host: Domain::parse("www.mesa.example.com").unwrap(),
            pause: day,
            address: None,
        };
        assert_eq!(*heard.0.lock().unwrap(), [request], "{path}");
        let now = Instant::now();
        let mut gate = settings.gate.lock();
        for last in [8, 9] {
            let entry = gate.enter("other.example", IpAddr::from([8, 8, 8, last]), now);
            assert!(matches!(entry, crate::rate_limit::Entry::Now(_)), "{path}");
        }
        let paused_until = |host| gate.host_paused_until(host, now);
        assert_eq!(paused_until("mesa.example.com"), None, "{path}");
        assert_eq!(
            paused_until("www.mesa.example.com"),
            Some(now + day),
            "{path}"
        );
        // The host that redirected there is visited again as after any failure.
        let next = visited.visit.next;
        assert!(next.due < visited.visit.ended.after(Duration::from_hours(2)));
        assert!(next.not_before < visited.visit.ended.after(Duration::from_mins(2)));
    }
}

/// P35: a redirect to a host in a pause is not followed.
#[tokio::test(start_paused = true)]
async fn p35_a_host_in_a_pause_gets_no_request_after_any_redirect() {
    for path in [CARD_PATH, "/robots.txt"] {
        let map = Map::default().with(path, to(&format!("{WWW}{path}")));
        let (fetch, settings) = (Two(map), settings());
        let host = "www.mesa.example.com";
        let hour = Duration::from_hours(1);
        settings.gate.lock().pause_host(host, hour, Instant::now());
        let entrance = Admission::Open(IpAddr::from([8, 8, 8, 8]), None);
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
        let asked = fetch.0.asked();
        assert!(asked.iter().all(|url| !url.starts_with(WWW)), "{asked:?}");
        assert_eq!(visited.interruption, None, "{path}");
        let next = visited.visit.next;
        assert!(next.due < visited.visit.ended.after(2 * hour), "{path}");
    }
    // A visit of its own is also postponed.
    let (map, settings) = (Map::default(), settings());
    let hour = Duration::from_hours(1);
    let host = "mesa.example.com";
    settings.gate.lock().pause_host(host, hour, Instant::now());
    let visited = map.visit_with(&settings, lease()).await;
    assert_eq!(map.asked().len(), 0);
    assert!(postponement(&visited).unwrap() >= hour);
}

/// HS-100: a visit measures its gaps and its duration on a clock that never goes back,
/// independently of the wall clock.
#[tokio::test(start_paused = true)]
async fn hs_100_the_gaps_of_a_visit_are_independent_of_the_wall_clock() {
    for started in [
        START,
        Timestamp(START.0 - 3_600_000),
        Timestamp(0),
        Timestamp(i64::MAX),
    ] {
        let map = Map::default();
        let before = Instant::now();
        let visited = visit_at(&map, started, None, lease()).await.visit;
        assert_eq!(visited.started, started);
        assert_eq!(visited.ended, started.after(before.elapsed()));
        let log = map.log.lock().unwrap();
        assert!(log.len() > 5);
        for pair in log.windows(2) {
            let gap = pair[1].0 - pair[0].0;
            assert!(gap >= Duration::from_millis(1_020), "{started:?}: {gap:?}");
        }
    }
}
