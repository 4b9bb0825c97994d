//! What a visit asks, site by site, and what it never asks.

use super::*;
use crate::robots::{Answer, Validators};
use manifest::Domain;
use proptest::prelude::*;
use std::collections::HashSet;

const HTML: (u16, &str) = (200, "<h1>Welcome to our shop</h1>");
const NONE: (u16, &str) = (404, "not here");
const CARD: (u16, &str) = (200, "{\"name\": \"card\"}");
const INTENTS: (u16, &str) = (200, "{\"name\": \"intents\"}");

fn origin() -> Url {
    Url::parse("https://shop.example/").unwrap()
}

fn policy(body: &str) -> Policy {
    let answer = Answer::Response {
        status: 200,
        body: body.into(),
        max_age: None,
        retry_after: None,
    };
    Policy::from_answer("FinderBot", &answer)
}

fn lease(last_outcome: Option<Outcome>, rotation: u32, known: &[&str]) -> Lease {
    let known = known.iter().map(|path| KnownDocument {
        requested: format!("https://shop.example{path}"),
        url: format!("https://shop.example{path}"),
        etag: None,
        last_modified: None,
        hash: String::new(),
        missing_since: None,
    });
    Lease {
        row: 1,
        domain: Domain::parse("shop.example").unwrap(),
        port: None,
        token: 7,
        fails: 0,
        interval_ms: None,
        rotation,
        last_outcome,
        known: known.collect(),
        robots: None,
    }
}

/// Runs a visit against a server given as a function, and says which paths it was asked for.
fn visit(
    lease: &Lease,
    policy: &Policy,
    server: impl Fn(&str) -> (u16, &'static str),
) -> (Vec<String>, Plan) {
    let mut plan = Plan::new(&origin(), lease, policy, 1, &[]);
    let mut asked = Vec::new();
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let (status, body) = server(&request.path);
        // As `manifest` sees it: a text where an agents.txt is expected keeps that name, read or not (DI-05).
        let other = if request.path.contains("agents.txt") {
            "agents-txt"
        } else {
            "unrecognised"
        };
        asked.push(request.path);
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Answered {
                status,
                body: body.as_bytes(),
                format: (status == 200).then(|| {
                    FormatId(if body.starts_with('{') {
                        "a2a-agent-card"
                    } else {
                        other
                    })
                }),
            },
        });
        assert!(asked.len() < 20);
    }
    (asked, plan)
}

#[test]
fn p09_a_first_visit_to_a_site_with_nothing_asks_nine_paths_in_order() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| NONE);
    let table: Vec<_> = probes::ALL[..9].iter().map(|probe| probe.path).collect();
    assert_eq!(asked, table);
    assert_eq!(plan.requests(), 10);
    assert_eq!(plan.outcome(), Outcome::Empty);
}

#[test]
fn p09_later_visits_to_a_site_with_nothing_ask_four_paths_and_one_in_rotation() {
    for rotation in 0..12 {
        let lease = lease(Some(Outcome::Empty), rotation, &[]);
        let (asked, plan) = visit(&lease, &policy(""), |_| NONE);
        let rotating = 4 + usize::try_from(rotation % 6).unwrap();
        assert_eq!(asked.len(), 5);
        assert_eq!(asked[4], probes::ALL[rotating].path);
        assert_eq!(plan.rotation(), rotation + 1);
    }
}

#[test]
fn later_visits_to_a_site_with_manifests_ask_for_those_first() {
    let lease = lease(Some(Outcome::Found), 0, &["/agents.json", "/cards/a.json"]);
    let (asked, plan) = visit(&lease, &policy(""), |path| match path {
        "/agents.json" => (304, ""),
        "/cards/a.json" => CARD,
        _ => NONE,
    });
    assert_eq!(asked[..2], ["/agents.json", "/cards/a.json"]);
    assert!(!asked.contains(&"/.well-known/agents.json".to_owned()));
    assert_eq!(plan.outcome(), Outcome::Found);
    assert!(plan.requests() <= 7);
}

#[test]
fn p10_a_manifest_makes_other_places_of_its_file_needless() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |path| match path {
        "/.well-known/agent-card.json" => CARD,
        "/.well-known/agent.json" => INTENTS,
        _ => NONE,
    });
    assert!(asked.contains(&"/.well-known/agent.json".to_owned()));
    assert!(!asked.contains(&"/agent.json".to_owned()));
    assert!(!asked.contains(&"/api/agent.json".to_owned()));
    assert!(asked.contains(&"/.well-known/ard.json".to_owned()));
    assert_eq!(plan.outcome(), Outcome::Found);
}

#[test]
fn the_same_card_at_both_of_its_places_is_not_strange() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |path| match path {
        "/.well-known/agent-card.json" | "/.well-known/agent.json" => CARD,
        _ => NONE,
    });
    assert!(!plan.is_suspect());
    assert!(
        asked
            .iter()
            .all(|path| probes::ALL.iter().any(|probe| probe.path == path))
    );
}

#[test]
fn a_server_that_answers_everything_with_a_page_is_asked_for_each_file_once() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| HTML);
    assert_eq!(asked.len(), 5);
    assert_eq!(plan.requests(), 6);
    assert_eq!(plan.outcome(), Outcome::Soft404);
}

#[test]
fn a_manifest_behind_such_a_server_is_found() {
    let (_, plan) = visit(&lease(None, 0, &[]), &policy(""), |path| match path {
        "/.well-known/agents.json" => CARD,
        _ => HTML,
    });
    assert_eq!(plan.outcome(), Outcome::Found);
    assert!(plan.requests() <= 6);
}

#[test]
fn p10_later_visits_to_such_a_server_stop_after_two_paths() {
    let lease = lease(Some(Outcome::Soft404), 3, &[]);
    let (asked, plan) = visit(&lease, &policy(""), |_| HTML);
    assert_eq!(asked.len(), 2);
    assert_eq!(plan.requests(), 3);
    assert_eq!(plan.outcome(), Outcome::Soft404);
}

#[test]
fn p11_a_server_that_gives_every_path_a_manifest_is_unmasked() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| CARD);
    assert!(plan.is_suspect());
    assert_eq!(plan.outcome(), Outcome::Soft404);
    assert!(plan.requests() <= 6);
    let canary = asked.last().unwrap();
    assert!(probes::ALL.iter().all(|probe| probe.path != canary));
}

#[test]
fn p08_later_it_is_unmasked_again_at_the_first_path() {
    let lease = lease(Some(Outcome::Soft404), 0, &[]);
    let (asked, plan) = visit(&lease, &policy(""), |_| CARD);
    assert_eq!(asked.len(), 2);
    assert_eq!(plan.requests(), 3);
    assert!(plan.is_suspect());
}

#[test]
fn a_manifest_on_a_server_that_no_longer_answers_everything_is_found() {
    let lease = lease(Some(Outcome::Soft404), 0, &[]);
    let (asked, plan) = visit(&lease, &policy(""), |path| match path {
        "/.well-known/agent-card.json" => CARD,
        _ => NONE,
    });
    assert!(asked.contains(&"/.well-known/agents.json".to_owned()));
    assert_eq!(plan.outcome(), Outcome::Found);
}

#[test]
fn no_canary_is_sent_where_robots_txt_forbids_it() {
    let policy = policy("User-agent: *\nDisallow: /\nAllow: /.well-known/agent\nAllow: /agent");
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy, |_| CARD);
    assert!(!plan.is_suspect());
    assert!(asked.iter().all(|path| policy.allows(path)));
}

#[test]
fn the_same_redirect_for_two_paths_is_a_page_for_everything() {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let target = format!("https://other.example/login?next={}", request.path);
        plan.record(&Reply {
            requests: 1,
            redirect: Some(&target),
            end: End::Failed(Outcome::RedirectRefused),
        });
    }
    assert_eq!(plan.requests(), 6);
    assert_eq!(plan.outcome(), Outcome::RedirectRefused);
}

/// The plan of a visit, after `requests` for robots.txt, to a server that sends every path to another site.
fn visit_to_astray(lease: &Lease, requests: u32) -> Plan {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), lease, &policy, requests, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let target = format!("https://other.example{}", request.path);
        plan.record(&Reply {
            requests: 1,
            redirect: Some(&target),
            end: End::Astray(Outcome::RedirectRefused),
        });
    }
    plan
}

/// A lease after a visit that ended so, having read robots.txt.
fn lease_after_robots(outcome: Outcome) -> Lease {
    let state = policy("").state(&Validators::default(), manifest::Timestamp(0));
    Lease {
        robots: Some(state),
        ..lease(Some(outcome), 0, &[])
    }
}

#[test]
fn p10_a_server_that_sends_every_path_to_another_site_is_one_that_answers_everything() {
    for requests in [1, 2] {
        let plan = visit_to_astray(&lease(None, 0, &[]), requests);
        assert_eq!(plan.requests(), 6);
        assert_eq!(plan.outcome(), Outcome::RedirectRefused);
        let plan = visit_to_astray(&lease_after_robots(plan.outcome()), requests);
        assert_eq!(plan.requests(), 3, "{requests}");
        assert_eq!(plan.outcome(), Outcome::RedirectRefused);
    }
}

#[test]
fn where_robots_txt_led_astray_everything_is_still_to_be_asked() {
    let lease = lease(Some(Outcome::RedirectRefused), 0, &[]);
    let (asked, _) = visit(&lease, &policy(""), |_| NONE);
    assert_eq!(asked.len(), 9);
}

#[test]
fn p09_one_path_that_leads_astray_leaves_the_others_their_turn() {
    let policy = policy("");
    let mut plan = Plan::new(
        &origin(),
        &lease_after_robots(Outcome::RedirectRefused),
        &policy,
        1,
        &[],
    );
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let is_astray = request.path == probes::ALL[0].path;
        plan.record(&Reply {
            requests: 1,
            redirect: is_astray.then_some("https://other.example/"),
            end: if is_astray {
                End::Astray(Outcome::RedirectRefused)
            } else {
                End::Answered {
                    status: 404,
                    body: b"",
                    format: None,
                }
            },
        });
    }
    assert_eq!(plan.requests(), 6);
    assert_eq!(plan.outcome(), Outcome::RedirectRefused);
}

#[test]
fn p42_forbidden_redirects_to_one_host_do_not_count_as_the_same() {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let target = format!("https://www.shop.example{}", request.path);
        plan.record(&Reply {
            requests: 1,
            redirect: Some(&target),
            end: End::Failed(Outcome::RedirectRefused),
        });
    }
    assert_eq!(plan.requests(), REQUEST_CAP);
}

#[test]
fn a_target_is_compared_without_the_path_that_was_asked_for() {
    for target in [
        "https://other.example/agents.txt",
        "https://other.example/agents.txt/",
        "https://other.example//agents.txt",
        "https://other.example/",
    ] {
        assert_eq!(
            without_path(target, "/agents.txt?a"),
            "https://other.example",
            "{target}"
        );
    }
    assert_eq!(
        without_path("https://other.example/en/agents.txt", "/agents.txt"),
        "https://other.example/en"
    );
}

#[test]
fn a_plea_for_rest_ends_the_visit() {
    for status in [429, 503] {
        let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| (status, ""));
        assert_eq!(asked.len(), 1);
        assert!(plan.is_throttled());
        assert_eq!(plan.outcome(), Outcome::Throttled);
    }
}

#[test]
fn p10_two_closed_doors_end_the_visit() {
    for status in [401, 402, 403] {
        let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| (status, ""));
        assert_eq!(asked.len(), 2, "{status}");
        assert_eq!(plan.outcome(), Outcome::Blocked);
    }
}

#[test]
fn p10_three_lost_connections_end_the_visit() {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    let mut count = 0;
    while let Step::Probe(_) = plan.next(|path| policy.allows(path)) {
        count += 1;
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Failed(Outcome::Timeout),
        });
    }
    assert_eq!(count, 3);
    assert_eq!(plan.outcome(), Outcome::Timeout);
}

#[test]
fn p36_a_server_that_fails_everywhere_is_down() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| (500, "oops"));
    assert!(asked.len() <= 5);
    assert_eq!(plan.outcome(), Outcome::Down);
}

#[test]
fn what_robots_txt_points_at_comes_first() {
    let policy =
        policy("Agentmap: /catalog/all.json\nUser-agent: *\nAllow: /agents.json\nMCP: /mcp.json");
    let (asked, _) = visit(&lease(None, 0, &[]), &policy, |_| NONE);
    assert_eq!(asked[..2], ["/catalog/all.json", "/agents.json"]);
    assert!(!asked.contains(&"/mcp.json".to_owned()));
    assert_eq!(asked.len(), 9);
}

#[test]
fn p07_what_a_document_points_at_comes_next_within_the_budget() {
    let policy = policy("User-agent: *\nDisallow: /secret");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    for number in 0..30 {
        plan.add_reference(&format!("/agents/{number}.json"));
    }
    plan.add_reference("/secret/agents.json");
    plan.add_reference("//other.example/agents.json/");
    let mut asked = Vec::new();
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        asked.push(request.path);
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Failed(Outcome::TooLarge),
        });
    }
    let expected: Vec<_> = (0..9)
        .map(|number| format!("/agents/{number}.json"))
        .collect();
    assert_eq!(asked, expected);
    assert_eq!(plan.outcome(), Outcome::TooLarge);
}

#[test]
fn redirects_count_against_the_budget() {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let requests = request.hops.min(2);
        plan.record(&Reply {
            requests,
            redirect: Some(&format!("https://www.shop.example{}", request.path)),
            end: End::Answered {
                status: 404,
                body: b"",
                format: None,
            },
        });
    }
    assert_eq!(plan.requests(), REQUEST_CAP);
    assert_eq!(plan.outcome(), Outcome::Budget);
}

#[test]
fn nothing_is_asked_where_robots_txt_leaves_nothing() {
    for (body, outcome) in [
        ("User-agent: *\nDisallow: /", Outcome::RobotsDisallow),
        ("User-agent: *\nCrawl-delay: 90000", Outcome::RobotsDisallow),
        (
            "User-agent: *\nContent-Signal: search=no",
            Outcome::OptedOut,
        ),
    ] {
        let (asked, plan) = visit(&lease(None, 0, &[]), &policy(body), |_| CARD);
        assert!(asked.is_empty(), "{body}");
        assert_eq!(plan.outcome(), outcome, "{body}");
    }
    let policy = Policy::from_answer("FinderBot", &Answer::Failed(Outcome::Timeout));
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy, |_| CARD);
    assert!(asked.is_empty());
    assert_eq!(plan.outcome(), Outcome::Timeout);
}

#[test]
fn a_slow_host_is_asked_one_path_per_lease_until_the_table_is_done() {
    let fresh = policy("User-agent: *\nCrawl-delay: 120\nDisallow: /agents.txt");
    let state = fresh.state(&Validators::default(), manifest::Timestamp(0));
    let kept = Policy::resumed(&state, manifest::Timestamp(1)).unwrap();
    let mut lease = lease(None, 0, &[]);
    let plan = Plan::new(&origin(), &lease, &fresh, 1, &[]);
    assert_eq!(plan.resume_after(), Some(Duration::from_mins(2)));
    let mut asked = Vec::new();
    loop {
        let mut plan = Plan::new(&origin(), &lease, &kept, 0, &[]);
        let Step::Probe(request) = plan.next(|path| kept.allows(path)) else {
            panic!("a lease without a request");
        };
        asked.push(request.path);
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Answered {
                status: 404,
                body: b"",
                format: None,
            },
        });
        assert!(matches!(plan.next(|path| kept.allows(path)), Step::Stop(_)));
        lease.rotation = plan.rotation();
        if plan.resume_after().is_none() {
            assert_eq!(plan.outcome(), Outcome::Empty);
            break;
        }
        assert_eq!(plan.outcome(), Outcome::Budget);
    }
    assert_eq!(asked.len(), probes::ALL.len() - 2);
    assert!(!asked.contains(&"/agents.txt".to_owned()));
    assert_eq!(lease.rotation, 0);
}

#[test]
fn pages_that_differ_in_times_and_paths_only_are_the_same() {
    let one = Signature::new(200, b"<p>No /agents.txt here, 12:30:01</p>");
    let two = Signature::new(200, b"<p>No /agent.json here, 12:30:02</p>");
    assert_eq!(one, two);
    assert_ne!(one, Signature::new(200, b"<p>Another page</p>"));
    assert_ne!(one, Signature::new(203, b"<p>No here,</p>"));
}

/// What a server may do with one request.
#[derive(Clone, Debug)]
struct Act {
    requests: u32,
    status: u16,
    body: u8,
    fails: Option<usize>,
    redirect: Option<u8>,
    reference: Option<String>,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = (
        0_u32..5,
        prop::sample::select(vec![200_u16, 200, 304, 301, 404, 403, 429, 500, 503]),
        0_u8..3,
        prop::option::weighted(0.2, 0_usize..Outcome::ALL.len()),
        prop::option::of(0_u8..3),
        prop::option::of("/[a-z]{1,3}"),
    );
    prop::collection::vec(
        act.prop_map(|(requests, status, body, fails, redirect, reference)| Act {
            requests,
            status,
            body,
            fails,
            redirect,
            reference,
        }),
        12..20,
    )
}

proptest! {
    #[test]
    fn nothing_forbidden_is_asked_and_never_more_than_ten_requests_are_sent(
        acts in acts(),
        rules in prop::collection::vec((any::<bool>(), "/(\\.well-known/)?(agents?|api|[a-z]{1,2})?(\\.json)?\\$?"), 0..5),
        delay in prop::option::weighted(0.2, 0_u32..100_000),
        rotation: u32,
        last in prop::option::of(0_usize..Outcome::ALL.len()),
        known in prop::collection::vec("/[a-z.-]{1,8}", 0..4),
    ) {
        let mut body = "User-agent: *\n".to_owned();
        for (allow, pattern) in &rules {
            body += if *allow { "Allow: " } else { "Disallow: " };
            body += pattern;
            body += "\n";
        }
        if let Some(delay) = delay {
            body += "Crawl-delay: ";
            body += &delay.to_string();
        }
        let policy = policy(&body);
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        let lease = lease(last.map(|position| Outcome::ALL[position]), rotation, &known);
        let mut plan = Plan::new(&origin(), &lease, &policy, 1, &[]);
        let mut asked = HashSet::new();
        let mut steps = acts.iter();
        while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
            let act = steps.next().expect("at most nine steps");
            prop_assert!(policy.allows(&request.path), "{} {}", body, request.path);
            prop_assert!(asked.insert(request.path.clone()), "twice: {}", request.path);
            prop_assert!((1..=4).contains(&request.hops));
            let bodies = ["{\"a\": 1}", "<p>b</p>", "c"];
            let targets = ["https://shop.example/a", "https://shop.example/b", "https://x.example/"];
            plan.record(&Reply {
                requests: act.requests.clamp(1, request.hops),
                redirect: act.redirect.map(|index| targets[usize::from(index)]),
                end: match act.fails {
                    Some(position) => End::Failed(Outcome::ALL[position]),
                    None => End::Answered {
                        status: act.status,
                            body: bodies[usize::from(act.body)].as_bytes(),
                        format: (act.body == 0).then_some(FormatId("profile")),
                    },
                },
            });
            if let Some(reference) = &act.reference {
                plan.add_reference(reference);
            }
            prop_assert!(plan.requests() <= REQUEST_CAP);
        }
        let _ = (plan.outcome(), plan.rotation(), plan.is_suspect());
    }
}

/// Why a first visit to a server ends that answers so.
fn last_words(robots: &str, answer: (u16, &'static str)) -> &'static str {
    let policy = policy(robots);
    let (_, mut plan) = visit(&lease(None, 0, &[]), &policy, |_| answer);
    match plan.next(|path| policy.allows(path)) {
        Step::Stop(reason) => reason,
        Step::Probe(request) => panic!("{request:?} after the end"),
    }
}

#[test]
fn a_visit_says_truly_why_it_ends() {
    for (robots, answer, reason) in [
        ("", NONE, "nothing is left to ask"),
        (
            "User-agent: *\nDisallow: /agents.txt",
            NONE,
            "nothing that robots.txt allows is left to ask",
        ),
        ("", HTML, "the server answers everything with the same page"),
        ("", (500, "oops"), "the server answers with errors"),
        ("", CARD, "the server gives every path a manifest"),
        (
            "User-agent: *\nCrawl-delay: 90000",
            NONE,
            "robots.txt asks for more than a day between requests",
        ),
        (
            "User-agent: *\nDisallow: /",
            NONE,
            "robots.txt leaves nothing to ask",
        ),
    ] {
        assert_eq!(last_words(robots, answer), reason, "{robots} {answer:?}");
    }
}

/// What the operator wants besides is asked behind the paths of every visit, within the same budget (P7, P9).
#[test]
fn p09_extra_paths_are_asked_within_the_budget() {
    let extra: Vec<Probe> = probes::EXTRA
        .iter()
        .flat_map(|(_, probes)| probes.to_vec())
        .collect();
    let visit = |lease: &Lease, rules: &str| {
        let policy = policy(rules);
        let mut plan = Plan::new(&origin(), lease, &policy, 1, &extra);
        let mut asked = Vec::new();
        while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
            plan.record(&Reply {
                requests: 1,
                redirect: None,
                end: End::Answered {
                    status: 404,
                    body: b"not here",
                    format: None,
                },
            });
            asked.push(request.path);
        }
        asked
    };
    let first = visit(&lease(None, 0, &[]), "");
    assert_eq!(first.len(), 9);
    assert!(
        extra
            .iter()
            .all(|probe| first[4..].contains(&probe.path.to_owned()))
    );
    let closed = visit(
        &lease(None, 0, &[]),
        "User-agent: *\nDisallow: /.well-known/mcp\n",
    );
    assert!(
        closed
            .iter()
            .all(|path| !path.starts_with("/.well-known/mcp"))
    );

    // Later visits come by each of them in turn.
    let turns = extra.len() + probes::ALL.len() - 4;
    let mut seen = HashSet::new();
    for rotation in 0..u32::try_from(turns).unwrap() {
        let later = visit(&lease(Some(Outcome::Empty), rotation, &[]), "");
        assert_eq!(later.len(), 5);
        seen.extend(later);
    }
    assert_eq!(seen.len(), extra.len() + probes::ALL.len());
}
