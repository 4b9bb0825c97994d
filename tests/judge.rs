//! The judge finds each fault in a log that has it, and none in one that has none.

mod fleets;

use crate::support::judge::log::{Connection, Exchange, Log};
use crate::support::judge::{Terms, judge, summary};

const CARD: &str = "/.well-known/agent-card.json";

/// Returns one exchange that took 10 ms, over the connection with the number of its host's last
/// letter.
fn exchange(at: u64, host: &str, path: &str, status: u16) -> Exchange {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let site = u8::try_from(host.len()).unwrap();
    Exchange {
        at,
        ended: at + 10,
        host: host.to_owned(),
        path: path.to_owned(),
        status,
        connection: 1 + at / 1_000_000,
        // Hosts with names of different lengths have addresses in different networks.
        address: [127, 0, site, 1].into(),
        secure: true,
        headers: vec![
            header("user-agent", "AgentdexBot/1.0 (+bot@agents.example)"),
            header("from", "bot@agents.example"),
            header("accept-encoding", "gzip, br"),
        ],
        answer: Vec::new(),
        robots: None,
    }
}

impl Exchange {
    fn answered(mut self, name: &str, value: &str) -> Self {
        self.answer.push((name.to_owned(), value.to_owned()));
        self
    }

    fn asking(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn saying(mut self, robots: &str) -> Self {
        self.robots = Some(robots.to_owned());
        self
    }

    fn over(mut self, connection: u64) -> Self {
        self.connection = connection;
        self
    }

    fn taking(mut self, milliseconds: u64) -> Self {
        self.ended = self.at + milliseconds;
        self
    }
}

/// Returns terms with a mailbox as contact, 1 s between requests to a host or an address, and one
/// document that was kept.
fn terms() -> Terms {
    let mut terms = Terms::new("bot@agents.example", 1_000);
    terms.kept.insert(("a.example".to_owned(), CARD.to_owned()));
    terms
}

/// Returns the exchanges of a visit: robots.txt with this status, then `count` absent paths, 1.2 s
/// apart.
fn visit(at: u64, host: &str, status: u16, count: u64) -> Vec<Exchange> {
    let robots = exchange(at, host, "/robots.txt", status);
    let probes = (1..=count).map(|number| {
        let path = format!("/probe-{number}.json");
        exchange(at + 1_200 * number, host, &path, 404)
    });
    std::iter::once(robots).chain(probes).collect()
}

fn rules(exchanges: Vec<Exchange>, terms: &Terms) -> Vec<&'static str> {
    let log = Log {
        exchanges,
        connections: Vec::new(),
    };
    let mut rules: Vec<_> = judge(&log, terms).iter().map(|it| it.rule).collect();
    rules.dedup();
    rules
}

/// Appends to `first` the exchanges that `more` makes for the earliest time of a next request.
fn then(mut first: Vec<Exchange>, more: impl FnOnce(u64) -> Vec<Exchange>) -> Vec<Exchange> {
    let next = first.last().map_or(0, |it| it.ended + 1_200);
    first.extend(more(next));
    first
}

#[test]
fn a_clean_log_has_no_violation() {
    let month = 30 * 86_400_000;
    let tagged =
        |at, path, status| exchange(at, "a.example", path, status).answered("etag", "\"1\"");
    let clean = [
        visit(0, "a.example", 404, 11),
        {
            let mut first = visit(20_000, "ffffff.example", 404, 5);
            first[2].status = 500;
            let mut again = visit(86_000_000, "ffffff.example", 404, 1);
            again[1].path = first[2].path.clone();
            [first, again].concat()
        },
        visit(50_000, "bb.example", 500, 0),
        visit(60_000, "ccc.example", 403, 0),
        vec![
            exchange(70_000, "dddd.example", "/robots.txt", 200)
                .saying("User-agent: *\nDisallow: /a\nAllow: /agents.txt$\nCrawl-delay: 3\n"),
            exchange(73_010, "dddd.example", "/agents.txt", 404),
            exchange(76_020, "dddd.example", CARD, 421),
            exchange(79_030, "dddd.example", CARD, 404).over(9),
        ],
        vec![
            exchange(80_000, "eeeee.example", "/robots.txt", 301)
                .answered("location", "https://www.eeeee.example/robots.txt"),
            exchange(82_000, "www.eeeee.example", "/robots.txt", 404),
            exchange(84_000, "www.eeeee.example", CARD, 429).answered("retry-after", "90"),
            exchange(174_010, "www.eeeee.example", "/robots.txt", 404),
        ],
        vec![
            tagged(month, "/robots.txt", 200).saying(""),
            tagged(month + 1_100, CARD, 200),
            tagged(2 * month, "/robots.txt", 304).asking("if-none-match", "\"1\""),
            tagged(2 * month + 1_100, CARD, 304).asking("if-none-match", "\"1\""),
        ],
    ];
    let log = Log {
        exchanges: clean.concat(),
        connections: vec![
            Connection {
                number: 0,
                address: [127, 0, 0, 1].into(),
                opened: 0,
                closed: Some(10),
            },
            Connection {
                number: 0,
                address: [127, 0, 0, 1].into(),
                opened: 0,
                closed: None,
            },
            Connection {
                number: 0,
                address: [127, 0, 0, 1].into(),
                opened: 10,
                closed: None,
            },
        ],
    };
    let found = judge(&log, &terms());
    assert!(found.is_empty(), "{}", summary(&found));
}

#[test]
fn each_fault_is_found_under_its_rule() {
    let a = |at, path, status| exchange(at, "a.example", path, status);
    let robots = |at| a(at, "/robots.txt", 404);
    let catch_all = |at, count: u64| {
        let mut visit = visit(at, "a.example", 404, count);
        for it in &mut visit[1..] {
            it.status = 200;
            it.answer.push(("etag".to_owned(), "\"page\"".to_owned()));
        }
        visit
    };
    let text = |rules: &str| a(0, "/robots.txt", 200).saying(rules);
    let kept = |at| a(at, CARD, 200).answered("etag", "\"1\"");
    let month = 30 * 86_400_000;
    let rows: Vec<(&str, Vec<Exchange>)> = vec![
        (
            "P1",
            vec![robots(0).asking("user-agent", "curl/8 (+bot@agents.example)")],
        ),
        ("P2", vec![robots(0).asking("cookie", "a=b")]),
        (
            "P2",
            vec![robots(0).asking("referer", "https://a.example/")],
        ),
        ("P2", vec![robots(0).asking("authorization", "Basic x")]),
        ("P2", vec![robots(0).asking("from", "other@agents.example")]),
        ("P2", vec![robots(0).asking("accept-encoding", "zstd")]),
        (
            "P3",
            vec![robots(0).asking("user-agent", "AgentdexBot/1.0")],
        ),
        ("P6", vec![a(0, CARD, 404)]),
        ("P7", visit(0, "a.example", 404, 12)),
        ("P8", then(catch_all(0, 2), |_| catch_all(month, 3))),
        (
            "P8",
            then(visit(0, "b.example", 404, 9), |_| {
                visit(month, "b.example", 404, 6)
            }),
        ),
        ("P13", vec![robots(0), a(1_200, CARD, 404).over(2)]),
        ("P16", vec![robots(0), a(1_000, CARD, 404)]),
        ("P16", vec![robots(0), a(1_200, CARD, 404), robots(2_000)]),
        ("P17", vec![robots(0).taking(500), a(2_900, CARD, 404)]),
        ("P18", {
            let other = exchange(600, "www.a.example", "/robots.txt", 404);
            vec![robots(0), other, a(1_200, CARD, 404)]
        }),
        (
            "P24",
            vec![
                text("User-agent: *\nCrawl-delay: 1\nCrawl-delay: 5\n"),
                a(4_000, CARD, 404),
            ],
        ),
        (
            "P24",
            vec![text("Crawl-delay: 100\n"), a(99_000, CARD, 404)],
        ),
        ("P28", vec![a(0, "/robots.txt", 401), a(1_200, CARD, 404)]),
        ("P29", vec![a(0, "/robots.txt", 500), a(1_200, CARD, 404)]),
        ("P29", vec![a(0, "/robots.txt", 0), a(1_200, CARD, 404)]),
        (
            "P31",
            vec![
                text("").answered("etag", "\"1\""),
                a(month, "/robots.txt", 200)
                    .saying("")
                    .answered("etag", "\"1\""),
            ],
        ),
        (
            "P33",
            vec![
                text("User-agent: agentdexbot\nDisallow: /*.json$\n"),
                a(1_200, CARD, 404),
            ],
        ),
        (
            "P35",
            vec![a(0, "/robots.txt", 429), a(53_000, "/robots.txt", 404)],
        ),
        (
            "P35",
            vec![
                a(0, "/robots.txt", 503).answered("retry-after", "Thu, 01 Jan 1970 00:10:00 GMT"),
                a(599_000, "/robots.txt", 404),
            ],
        ),
        (
            "P35",
            vec![
                a(0, "/robots.txt", 503).answered("retry-after", "5"),
                exchange(30_000, "b.example", "/robots.txt", 404).taking(0),
            ],
        ),
        (
            "P36",
            vec![robots(0), a(1_200, CARD, 502), a(2_400, CARD, 404)],
        ),
        ("P36", {
            let mut first = visit(0, "b.example", 404, 5);
            first[2].status = 500;
            then(first, |_| visit(86_000_000, "b.example", 404, 3))
        }),
        (
            "P37",
            vec![robots(0), a(1_200, CARD, 404), a(2_400, CARD, 404)],
        ),
        (
            "P40",
            then(vec![robots(0), kept(1_200)], |_| {
                vec![robots(month), kept(month + 1_200)]
            }),
        ),
    ];
    for (number, (rule, log)) in rows.into_iter().enumerate() {
        let mut terms = terms();
        // The rules about addresses have tests of their own.
        terms.address_delay_ms = None;
        assert_eq!(rules(log, &terms), [rule], "row {number}");
    }
}

/// Returns an exchange in which the robots.txt of `from` redirects to this URL.
fn leads(at: u64, from: &str, to: &str) -> Exchange {
    exchange(at, from, "/robots.txt", 302).answered("location", to)
}

#[test]
fn p35_retry_after_binds_its_host_and_its_address_for_a_minute() {
    let tired = |at, host| exchange(at, host, "/robots.txt", 429).answered("retry-after", "86400");
    let robots = |at, host| exchange(at, host, "/robots.txt", 404);
    // Names of one length share an address.
    let own = |next| vec![tired(0, "a.example"), robots(next, "b.example")];
    assert_eq!(rules(own(60_010), &terms()), Vec::<&str>::new());
    assert_eq!(rules(own(59_000), &terms()), ["P35"]);
    let lifted = Terms {
        throttled_addresses: false,
        ..terms()
    };
    assert_eq!(rules(own(2_000), &lifted), Vec::<&str>::new());
    // A second answer of the same site adds nothing about its address.
    let again = vec![
        tired(0, "x.farm.example"),
        tired(61_000, "y.farm.example"),
        robots(63_000, "shop01.example"),
    ];
    assert_eq!(rules(again, &terms()), Vec::<&str>::new());
    // An answer of a redirect's target counts for that target only.
    let redirected = |next: Exchange| {
        vec![
            leads(0, "a.example", "https://hub.example/robots.txt"),
            tired(1_500, "hub.example"),
            next,
        ]
    };
    let neighbour = redirected(robots(5_000, "inn.example"));
    assert_eq!(rules(neighbour, &terms()), Vec::<&str>::new());
    let itself = redirected(robots(3_600_000, "hub.example"));
    assert_eq!(rules(itself, &terms()), ["P35"]);
}

#[test]
fn p38a_a_target_of_many_is_found_by_its_fifth_request_in_an_hour() {
    let spokes = |names: u64, apart: u64| {
        (0..names).flat_map(move |number| {
            let at = number * apart;
            let target = format!("https://hub.example/robots.txt?{number}");
            [
                leads(at, &format!("spoke-{number}.test"), &target),
                exchange(at + 1_500, "hub.example", &target[19..], 404).over(1),
            ]
        })
    };
    assert_eq!(
        rules(spokes(4, 10_000).collect(), &terms()),
        Vec::<&str>::new()
    );
    assert_eq!(rules(spokes(5, 10_000).collect(), &terms()), ["P38a"]);
    assert_eq!(
        rules(spokes(9, 900_001).collect(), &terms()),
        Vec::<&str>::new()
    );
    let killed = Terms {
        killed: Some(25_000),
        ..terms()
    };
    assert_eq!(
        rules(spokes(5, 10_000).collect(), &killed),
        Vec::<&str>::new()
    );
    // Its own visits, and the hosts of its own site, are its own affair.
    let mut own: Vec<_> = spokes(4, 10_000).collect();
    own.extend(visit(50_000, "hub.example", 404, 2));
    own.push(leads(60_000, "www.hub.example", "https://hub.example/x"));
    own.push(exchange(61_500, "hub.example", "/x", 404));
    assert_eq!(rules(own, &terms()), Vec::<&str>::new());
}

#[test]
fn a_request_before_the_answer_to_the_last_one_is_found() {
    let first = exchange(0, "a.example", "/robots.txt", 404).taking(3_000);
    let second = exchange(2_000, "a.example", CARD, 404);
    assert_eq!(rules(vec![first, second], &terms())[0], "P13");
}

#[test]
fn limits_of_an_address_are_judged_unless_they_are_lifted() {
    let close = vec![
        exchange(0, "a.example", "/robots.txt", 404),
        exchange(500, "b.example", "/robots.txt", 404),
    ];
    let connection = Connection {
        number: 0,
        address: [127, 0, 0, 1].into(),
        opened: 0,
        closed: Some(999),
    };
    // Five hosts of one network, each asked for two seconds.
    let crowd = (0..5_u64).flat_map(|number| {
        let host = format!(
            "{}.example",
            char::from(b'a' + u8::try_from(number).unwrap())
        );
        [("/robots.txt", 0), (CARD, 2_000)].map(|(path, at)| {
            let mut exchange = exchange(at + number, &host, path, 404);
            exchange.address = [127, 0, 0, u8::try_from(number).unwrap()].into();
            exchange
        })
    });
    let rows = [
        ("P19", close, Vec::new()),
        ("P19", Vec::new(), vec![connection; 3]),
        ("P20", crowd.collect(), Vec::new()),
    ];
    for (rule, mut exchanges, connections) in rows {
        exchanges.sort_by_key(|it| it.at);
        let log = Log {
            exchanges,
            connections,
        };
        let found = judge(&log, &terms());
        assert!(!found.is_empty(), "{rule}");
        assert!(
            found.iter().all(|it| it.rule == rule),
            "{}",
            summary(&found)
        );
        let lifted = Terms {
            address_delay_ms: None,
            ..terms()
        };
        assert!(judge(&log, &lifted).is_empty(), "{rule}");
    }
    let mut connections = vec![connection; 3];
    connections[2].opened = 900;
    let log = Log {
        exchanges: Vec::new(),
        connections,
    };
    assert!(judge(&log, &terms()).is_empty(), "two were being closed");
}

/// Returns a log of an address: one request to each of `sites` at the usual pace, of which each
/// answer has the header of an edge, and then further ones after these milliseconds.
fn edge(sites: u64, further: &[(u64, &str)]) -> Vec<Exchange> {
    let learned = (0..sites).map(|number| (number * 1_100, format!("s{number}.example")));
    let further = further
        .iter()
        .map(|(after, host)| (sites * 1_100 + after, (*host).to_owned()));
    learned
        .chain(further)
        .map(|(at, host)| {
            let mut exchange = exchange(at, &host, "/robots.txt", 404);
            exchange.address = [127, 0, 0, 1].into();
            exchange.answered("server", "cloudflare")
        })
        .collect()
}

#[test]
fn p50_a_learned_edge_is_judged_by_its_pace_and_that_of_its_sites() {
    let fifth = [(0, "a.example"), (200, "b.example"), (400, "c.example")];
    assert_eq!(rules(edge(50, &fifth), &terms()), Vec::<&str>::new());
    assert_eq!(rules(edge(47, &fifth), &terms())[0], "P19");
    let too_fast = [(0, "a.example"), (150, "b.example")];
    assert_eq!(rules(edge(50, &too_fast), &terms()), ["P50"]);
    let one_site = [(0, "a.example"), (300, "www.a.example")];
    assert_eq!(rules(edge(50, &one_site), &terms()), ["P50"]);
    // Six sites of 56 without the header, and three that throttle, end it.
    let mixed = |header: &str| {
        let mut log = edge(56, &fifth);
        let unlike = log.iter_mut().take(56).skip(50);
        unlike.for_each(|it| it.answer = vec![("server".to_owned(), header.to_owned())]);
        log
    };
    assert_eq!(rules(mixed("nginx"), &terms())[0], "P19");
    assert_eq!(rules(mixed("cloudflare"), &terms()), Vec::<&str>::new());
    let mut tired = edge(56, &[(61_000, "a.example"), (61_200, "b.example")]);
    let refusing = tired.iter_mut().take(56).skip(53);
    refusing.for_each(|it| it.status = 429);
    let found = rules(tired, &terms());
    assert!(found.contains(&"P19"), "{found:?}");
}

#[test]
fn a_visit_that_was_killed_may_begin_again_in_full() {
    let first = visit(0, "b.example", 404, 4);
    let again = visit(7_000, "b.example", 404, 9);
    let log = [first, again].concat();
    assert_eq!(rules(log.clone(), &terms()), ["P8"]);
    let killed = Terms {
        killed: Some(5_000),
        ..terms()
    };
    assert_eq!(rules(log, &killed), Vec::<&str>::new());
    let second = visit(7_000, "b.example", 404, 4);
    let third = visit(14_000, "b.example", 404, 9);
    assert_eq!(rules([second, third].concat(), &killed), ["P8"]);
}

#[tokio::test]
async fn the_log_reads_the_same_from_memory_and_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let web = simweb::Simweb::builder()
        .derived(20, 1)
        .log(&file)
        .start()
        .await
        .unwrap();
    let _ = crate::support::http::get(&format!("http://127.0.0.1:{}/", web.http_port())).await;
    let memory = Log::of(&web);
    let read = Log::read(&std::fs::read_to_string(&file).unwrap());
    assert_eq!(memory.exchanges.len(), 1);
    assert_eq!(
        format!("{:?}", memory.exchanges),
        format!("{:?}", read.exchanges)
    );
}

/// P47: a recheck of a site of which nothing is known may send as many requests as a first visit.
#[test]
fn p47_a_requested_visit_has_limits_of_its_own() {
    let month = 30 * 86_400_000;
    let twice = |second: u64| {
        [
            visit(0, "bb.example", 404, 11),
            visit(month, "bb.example", 404, second),
        ]
        .concat()
    };
    assert_eq!(rules(twice(6), &terms()), ["P8"]);
    let mut requested = terms();
    requested.requested.insert(("bb.example".to_owned(), month));
    assert!(rules(twice(11), &requested).is_empty());
    assert_eq!(rules(twice(12), &requested), ["P7"]);

    let known = |second: u64| {
        let mut first = visit(0, "a.example", 404, 1);
        first[1].path = CARD.to_owned();
        first[1].status = 200;
        [first, visit(month, "a.example", 404, second)].concat()
    };
    requested.requested.insert(("a.example".to_owned(), month));
    assert!(rules(known(5), &requested).is_empty());
    assert_eq!(rules(known(6), &requested), ["P47"]);
}

#[test]
fn p49_a_visit_ends_at_the_second_refusal() {
    let visit = |refused: &[(usize, u16)], count| {
        let mut visit = visit(0, "a.example", 404, count);
        for (position, status) in refused {
            visit[*position].status = *status;
        }
        visit
    };
    assert!(rules(visit(&[(1, 403), (2, 401)], 2), &terms()).is_empty());
    assert!(rules(visit(&[(1, 403)], 5), &terms()).is_empty());
    assert_eq!(rules(visit(&[(1, 403), (3, 402)], 4), &terms()), ["P49"]);
    let challenged = |count| {
        let visit = visit(&[(1, 202), (2, 405)], count).into_iter();
        let answered = visit.map(|it| it.answered("x-amzn-waf-action", "challenge"));
        answered.collect::<Vec<_>>()
    };
    assert!(rules(challenged(2), &terms()).is_empty());
    assert_eq!(rules(challenged(3), &terms()), ["P49"]);
}

#[test]
fn p09_a_visit_asks_for_five_files_of_skills() {
    let visit = |count| {
        let mut visit = visit(0, "a.example", 404, count);
        for (number, exchange) in visit.iter_mut().enumerate().skip(1) {
            exchange.path = format!("/skills/{number}/SKILL.md");
        }
        visit
    };
    assert!(rules(visit(5), &terms()).is_empty());
    assert_eq!(rules(visit(6), &terms()), ["P9"]);
}

#[test]
fn p48_what_a_site_keeps_out_of_indexes_is_not_kept() {
    let answered = |name: &str, value: &str| {
        let card = exchange(1_200, "a.example", CARD, 200).answered(name, value);
        vec![exchange(0, "a.example", "/robots.txt", 404), card]
    };
    for (name, value) in [
        ("x-robots-tag", "noindex"),
        ("x-robots-tag", "AgentdexBot: none"),
        ("content-signal", "ai-train=no, search=no"),
    ] {
        assert_eq!(rules(answered(name, value), &terms()), ["P48"], "{value}");
    }
    for (name, value) in [
        ("x-robots-tag", "nofollow"),
        ("x-robots-tag", "otherbot: noindex"),
        ("content-usage", "search=yes"),
    ] {
        assert!(rules(answered(name, value), &terms()).is_empty(), "{value}");
    }
}
