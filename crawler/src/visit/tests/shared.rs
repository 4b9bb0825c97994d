//! What a visit owes to those who share its address, and what it keeps from the visit before.

use super::*;

/// P12: a member of a fleet is asked for its robots.txt only, and rarely.
#[tokio::test(start_paused = true)]
async fn p12_one_of_many_alike_is_not_asked_further() {
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

/// P12: hosts without a robots.txt have nothing in common, and one that points at manifests is not parked.
#[tokio::test(start_paused = true)]
async fn p12_a_look_that_says_little_makes_no_fleet() {
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

/// P38: a name that fails at somebody's address tells nothing of the address; that nobody is there does.
#[tokio::test(start_paused = true)]
async fn p38_only_a_connection_that_does_not_come_about_is_held_against_an_address() {
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
        // Another port is another server, which whoever names it need not have.
        let odd = Lease {
            port: Some(8443),
            ..lease()
        };
        let robots = "https://mesa.example.com:8443/robots.txt";
        let map = Map::default().with(robots, Err(error.clone()));
        assert_eq!(map.visit(odd).await.ending, Ending::Unasked, "{error}");
    }
    // Where its paths lead to nobody, that is somebody else's address.
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

/// P35: an address that pauses for longer than a neighbour's plea takes breaks a visit off.
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

/// P35: the minute that an address pauses for the plea of one of its sites is waited out.
#[tokio::test(start_paused = true)]
async fn p35_a_visit_outlasts_the_plea_of_a_neighbour() {
    let (map, settings, start) = (Map::default(), settings(), Instant::now());
    let address = look_up(&map, &lease()).await.unwrap();
    let day = Duration::from_hours(24);
    let pause = settings
        .gate
        .lock()
        .plead("hostile.example", address, day, start);
    let visited = map.visit_with(&settings, lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Empty);
    let log = map.log.lock().unwrap();
    assert!(log.len() > 5);
    assert_eq!(log[0].0, start + pause.unwrap());
    assert_eq!(pause, Some(Duration::from_mins(1)));
}

/// P35: a plea holds for the host and, for a minute, the address at once, before the visit is over.
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
        let now = Instant::now();
        let mut gate = settings.gate.lock();
        let entry = gate.enter("other.example", address, now);
        let until = now + Duration::from_mins(1);
        assert_eq!(entry, crate::pace::Entry::NotBefore(until), "{path}");
        let pleaded = gate.host_pleaded("mesa.example.com", now);
        assert_eq!(pleaded, Some(now + Duration::from_hours(2)), "{path}");
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

/// The www of the site is at another address.
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

/// P35: a host that pleads behind a redirect binds itself: neither the host that led there nor an address.
#[tokio::test(start_paused = true)]
async fn p35_a_plea_behind_a_redirect_binds_the_host_that_made_it_alone() {
    #[derive(Default)]
    struct Heard(Mutex<Vec<Plea>>);
    impl Observer for Heard {
        async fn throttled(&self, plea: Plea) {
            self.0.lock().unwrap().push(plea);
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
        let entrance = Entrance::Open(address, None);
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
        let plea = Plea {
            host: Domain::parse("www.mesa.example.com").unwrap(),
            pause: day,
            address: None,
        };
        assert_eq!(*heard.0.lock().unwrap(), [plea], "{path}");
        let now = Instant::now();
        let mut gate = settings.gate.lock();
        for last in [8, 9] {
            let entry = gate.enter("other.example", IpAddr::from([8, 8, 8, last]), now);
            assert!(matches!(entry, crate::pace::Entry::Now(_)), "{path}");
        }
        let pleaded = |host| gate.host_pleaded(host, now);
        assert_eq!(pleaded("mesa.example.com"), None, "{path}");
        assert_eq!(pleaded("www.mesa.example.com"), Some(now + day), "{path}");
        // The host that led there is asked again as after any failure.
        let next = visited.visit.next;
        assert!(next.due < visited.visit.ended.after(Duration::from_hours(2)));
        assert!(next.not_before < visited.visit.ended.after(Duration::from_mins(2)));
    }
}

/// P35: whoever leads to a host that wants to be left alone does not make us ask it.
#[tokio::test(start_paused = true)]
async fn p35_a_host_that_pleaded_is_not_asked_wherever_a_redirect_leads() {
    for path in [CARD_PATH, "/robots.txt"] {
        let map = Map::default().with(path, to(&format!("{WWW}{path}")));
        let (fetch, settings) = (Two(map), settings());
        let host = "www.mesa.example.com";
        let hour = Duration::from_hours(1);
        settings.gate.lock().host_pleads(host, hour, Instant::now());
        let entrance = Entrance::Open(IpAddr::from([8, 8, 8, 8]), None);
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
        assert_eq!(visited.put_off, None, "{path}");
        let next = visited.visit.next;
        assert!(next.due < visited.visit.ended.after(2 * hour), "{path}");
    }
    // Nor is it in a visit of its own, which is made later.
    let (map, settings) = (Map::default(), settings());
    let hour = Duration::from_hours(1);
    let host = "mesa.example.com";
    settings.gate.lock().host_pleads(host, hour, Instant::now());
    let visited = map.visit_with(&settings, lease()).await;
    assert_eq!(map.asked().len(), 0);
    assert!(visited.put_off.unwrap() >= hour);
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
