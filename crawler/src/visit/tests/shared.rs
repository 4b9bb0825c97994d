//! What a visit owes to those who share its address, and what it keeps from the visit before.

use super::*;

/// P12: a member of a fleet is asked for its robots.txt only, and rarely.
#[tokio::test(start_paused = true)]
async fn p12_one_of_many_alike_is_not_asked_further() {
    let first = Map::default().visit(lease()).await;
    let Ending::Answered(Some(look)) = first.ending else {
        panic!("{:?}", first.ending);
    };
    let map = Map::default();
    let visited = map.visit_expecting(Some(look), lease()).await;
    assert_eq!(map.paths(), ["/robots.txt"]);
    assert_eq!(visited.visit.outcome, Outcome::Empty);
    assert_eq!(visited.ending, Ending::Answered(Some(look)));
    assert_eq!(visited.visit.next.interval_ms, Some(90 * 86_400_000));

    let other = Map::default().with("/robots.txt", ok("User-agent: x\nDisallow:"));
    other.visit_expecting(Some(look), lease()).await;
    assert!(other.paths().len() > 1, "its robots.txt differs");
}

/// P31: robots.txt is asked for conditionally, and what was kept holds when nothing changed.
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

/// P37: what failed is not asked again within the visit.
#[tokio::test(start_paused = true)]
async fn p37_nothing_is_tried_again() {
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

/// Row 100: what was not asked for want of files to open says nothing, and nothing more is asked.
#[tokio::test(start_paused = true)]
async fn row_100_a_visit_without_a_file_to_open_ends_and_says_nothing() {
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

/// P35: what another host of the address was told holds for this one, too.
#[tokio::test(start_paused = true)]
async fn p35_a_visit_ends_when_its_address_wants_to_be_left_alone() {
    let map = Map::default();
    let settings = settings();
    let address = look_up(&map, &lease()).await.unwrap();
    let pause = Duration::from_mins(5);
    settings.gate.lock().block(address, pause, Instant::now());
    let mut random = StdRng::seed_from_u64(7);
    let entrance = Entrance::Open(address, None);
    let visited = visit(&map, &(), &settings, lease(), entrance, START, &mut random).await;
    assert_eq!(visited.visit.outcome, Outcome::Throttled);
    assert_eq!((visited.visit.requests, map.paths().len()), (0, 0));
    // It is nothing that the host did.
    let put_off = visited.put_off.unwrap();
    let next = visited.visit.next;
    assert_eq!(next.not_before, visited.visit.ended.after(put_off));
    assert_eq!(next.fails, lease().fails);
    assert!(
        (pause..pause + Duration::from_secs(30)).contains(&put_off),
        "{put_off:?}"
    );
}

/// P35: a plea holds for the address at once, before the visit is over.
#[tokio::test(start_paused = true)]
async fn p35_a_plea_is_known_to_the_address_at_once() {
    let throttled = Response {
        retry_after: Some("7200".to_owned()),
        ..status(429)
    };
    for path in ["/robots.txt", CARD_PATH] {
        let map = Map::default().with(path, throttled.clone());
        let settings = settings();
        let address = look_up(&map, &lease()).await.unwrap();
        let mut random = StdRng::seed_from_u64(7);
        let entrance = Entrance::Open(address, None);
        visit(&map, &(), &settings, lease(), entrance, START, &mut random).await;
        let entry = settings.gate.lock().enter(address, Instant::now());
        let until = Instant::now() + Duration::from_hours(2);
        assert_eq!(entry, crate::pace::Entry::NotBefore(until), "{path}");
    }
}

/// P14: where https is refused, http is not tried unless the operator says so.
#[tokio::test(start_paused = true)]
async fn p14_plain_http_is_never_tried_unasked() {
    let map = Map::default().with("/robots.txt", Err(FetchError::Refused));
    let visited = map.visit(lease()).await.visit;
    assert_eq!(visited.outcome, Outcome::Down);
    assert!(map.asked().iter().all(|url| url.starts_with("https://")));
}

/// P14: http is another origin, with a robots.txt of its own, and shares the visit's requests.
#[tokio::test(start_paused = true)]
async fn p14_http_follows_when_nobody_answers_https() {
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
        assert_eq!(visited.robots.unwrap().etag, None, "it is not https's");
    }
}

/// P14: an answer of any kind on https is an answer, and a port of a seed list is for https.
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

/// P17: a host that is slow to answer is given five times as long, half a minute at most.
#[tokio::test(start_paused = true)]
async fn p17_a_slow_host_is_given_five_times_its_last_answer() {
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

/// P35: who answers 429 behind a redirect speaks for its own address, not for ours.
#[tokio::test(start_paused = true)]
async fn p35_a_plea_is_noted_for_the_address_that_made_it() {
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
    #[derive(Default)]
    struct Heard(Mutex<Vec<IpAddr>>);
    impl Observer for Heard {
        async fn throttled(&self, address: IpAddr, _: Duration) {
            self.0.lock().unwrap().push(address);
        }
    }
    let map = Map::default()
        .with(CARD_PATH, to(&format!("{WWW}{CARD_PATH}")))
        .with(&format!("{WWW}{CARD_PATH}"), status(429));
    let (fetch, heard) = (Two(map), Heard::default());
    let address = look_up(&fetch, &lease()).await.unwrap();
    let mut random = StdRng::seed_from_u64(7);
    let entrance = Entrance::Open(address, None);
    visit(
        &fetch,
        &heard,
        &settings(),
        lease(),
        entrance,
        START,
        &mut random,
    )
    .await;
    assert_eq!(*heard.0.lock().unwrap(), [IpAddr::from([8, 8, 8, 9])]);
}

/// Row 100: whatever the wall clock said when it began, a visit keeps its gaps, and tells its length, by a
/// clock that only goes forward.
#[tokio::test(start_paused = true)]
async fn row_100_the_gaps_of_a_visit_know_nothing_of_the_wall_clock() {
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
