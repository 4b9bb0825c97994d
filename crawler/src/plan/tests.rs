//! Tests of the requests of a visit, for different kinds of sites.

mod requested;
mod skills;

use super::evidence::without_path;
use super::fingerprint::PageFingerprint;
use super::*;
use crate::probes::{self, Turn};
use crate::robots::{Answer, Validators};
use manifest::{Domain, formats};
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
        content: None,
        missing_since: None,
        format: None,
    });
    Lease {
        rotation,
        last_outcome,
        known: known.collect(),
        ..Lease::first(1, Domain::parse("shop.example").unwrap(), 7)
    }
}

/// Runs a visit against a server given as a function, and returns the requested paths.
fn visit(
    lease: &Lease,
    policy: &Policy,
    server: impl Fn(&str) -> (u16, &'static str),
) -> (Vec<String>, Plan) {
    let mut plan = Plan::new(&origin(), lease, policy, 1, &[]);
    let mut asked = Vec::new();
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let (status, body) = server(&request.target);
        // Like `manifest`: a text at the path of an agents.txt has that format, readable or not
        // (DI-05).
        let other = if request.target.contains("agents.txt") {
            "agents-txt"
        } else {
            "unrecognised"
        };
        asked.push(request.target);
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Answered {
                status,
                is_challenge: false,
                body: body.as_bytes(),
                format: (status == 200).then(|| {
                    let name = if body.starts_with('{') {
                        "a2a-agent-card"
                    } else {
                        other
                    };
                    formats::find(name).unwrap()
                }),
            },
        });
        assert!(asked.len() < 20);
    }
    (asked, plan)
}

#[test]
fn p09_a_first_visit_requests_eleven_paths_in_order() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| NONE);
    let order = [
        "/.well-known/agent-card.json",
        "/.well-known/agent.json",
        "/agents.txt",
        "/.well-known/agents.json",
        "/.well-known/ai-catalog.json",
        "/.well-known/mcp/server-card.json",
        "/.well-known/agent-skills/index.json",
        "/agents.json",
        "/agent.json",
        "/.well-known/ard.json",
        "/.well-known/mcp.json",
    ];
    assert_eq!(asked, order);
    assert_eq!(plan.requests(), REQUEST_CAP);
    assert!(plan.remainder().unanswered.is_empty());
    assert_eq!(plan.outcome(), Outcome::Empty);
}

/// Returns the paths that later visits request in rotation if nothing was found before.
fn rotating() -> Vec<&'static str> {
    let table = probes::ALL.iter().filter(|it| it.turn != Turn::Always);
    table.map(|probe| probe.path).collect()
}

#[test]
fn p09_later_visits_to_an_empty_site_request_two_paths_and_three_in_rotation() {
    let rotating = rotating();
    let mut rotation = 0;
    let mut seen = Vec::new();
    for _ in 0..rotating.len().div_ceil(3) {
        let lease = lease(Some(Outcome::Empty), rotation, &[]);
        let (asked, plan) = visit(&lease, &policy(""), |_| NONE);
        let always = [
            "/.well-known/agent-card.json",
            "/.well-known/ai-catalog.json",
        ];
        assert_eq!(asked[..2], always);
        assert_eq!(plan.requests(), SHORT_CAP);
        assert_eq!(plan.outcome(), Outcome::Empty);
        seen.extend(asked[2..].to_vec());
        rotation = plan.rotation();
    }
    // First come those that no first visit requests, the place of an IntentQL seed before all.
    let later = probes::ALL.iter().filter(|it| it.turn == Turn::Rotation);
    let later: Vec<&str> = later.map(|it| it.path).collect();
    assert_eq!(seen[..later.len()], later);
    assert_eq!(later[0], "/api/agent.json");
    let seen: HashSet<String> = seen.into_iter().collect();
    assert_eq!(seen, rotating.into_iter().map(str::to_owned).collect());
}

#[test]
fn p09_later_visits_to_a_site_with_manifests_request_those_and_one_path_in_rotation() {
    let lease = lease(Some(Outcome::Found), 0, &["/agents.json", "/cards/a.json"]);
    let (asked, plan) = visit(&lease, &policy(""), |path| match path {
        "/agents.json" => (304, ""),
        "/cards/a.json" => CARD,
        _ => NONE,
    });
    assert_eq!(asked[..2], ["/agents.json", "/cards/a.json"]);
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[2], "/api/agent.json");
    assert_eq!(plan.outcome(), Outcome::Found);
    assert_eq!(plan.rotation(), 1);
}

/// An unrecognised document does not reduce the requests for manifests (P9).
#[test]
fn p09_a_site_without_readable_manifests_counts_as_empty() {
    let mut lease = lease(Some(Outcome::Empty), 0, &["/agents.json"]);
    lease.known[0].format = Some("unrecognised".to_owned());
    let (asked, plan) = visit(&lease, &policy(""), |path| match path {
        "/agents.json" => (304, ""),
        _ => NONE,
    });
    assert_eq!(asked.len(), 6);
    assert!(asked.contains(&"/.well-known/agent-card.json".to_owned()));
    assert_eq!(plan.outcome(), Outcome::Empty);
}

#[test]
fn p09_known_documents_beyond_the_request_limit_take_turns() {
    let paths: Vec<String> = (0..30).map(|it| format!("/cards/{it}.json")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut lease = lease(Some(Outcome::Found), 0, &paths);
    let (asked, plan) = visit(&lease, &policy(""), |_| CARD);
    assert_eq!(asked[..10], paths[..10]);
    assert_eq!(asked.len(), 11);
    assert_eq!(plan.outcome(), Outcome::Found);
    lease.named = (0..9).map(|it| named(&format!("/new/{it}.json"))).collect();
    let (asked, _) = visit(&lease, &policy(""), |_| CARD);
    let new = asked.iter().filter(|it| it.starts_with("/new/")).count();
    assert_eq!((asked.len(), new), (11, 5));
}

/// P10, PR-02: an old copy at one path must not hide the current one at another.
#[test]
fn p10_a_first_visit_requests_all_paths_of_a_file_and_a_later_one_does_not() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |path| match path {
        "/.well-known/agent-card.json" => CARD,
        "/.well-known/agent.json" | "/agent.json" => INTENTS,
        _ => NONE,
    });
    assert_eq!(asked.len(), 11);
    assert_eq!(plan.outcome(), Outcome::Found);
    for rotation in 0..20 {
        let lease = lease(Some(Outcome::Empty), rotation, &[]);
        let (asked, _) = visit(&lease, &policy(""), |path| match path {
            "/.well-known/ai-catalog.json" => CARD,
            _ => NONE,
        });
        assert!(!asked.contains(&"/.well-known/ard.json".to_owned()));
    }
}

#[test]
fn the_same_card_at_both_of_its_paths_is_not_suspect() {
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
fn p10_a_first_visit_continues_at_a_catch_all() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| HTML);
    assert_eq!(asked.len(), 11);
    assert_eq!(plan.requests(), REQUEST_CAP);
    assert_eq!(plan.outcome(), Outcome::Soft404);
}

#[test]
fn p10_a_manifest_at_any_path_of_a_catch_all_is_found() {
    for probe in probes::ALL.iter().filter(|it| it.turn != Turn::Rotation) {
        let (_, plan) = visit(&lease(None, 0, &[]), &policy(""), |path| {
            if path == probe.path { CARD } else { HTML }
        });
        assert_eq!(plan.outcome(), Outcome::Found, "{}", probe.path);
    }
}

#[test]
fn p10_later_visits_to_a_catch_all_stop_after_two_paths() {
    let lease = lease(Some(Outcome::Soft404), 3, &[]);
    let (asked, plan) = visit(&lease, &policy(""), |_| HTML);
    assert_eq!(asked.len(), 2);
    assert_eq!(plan.requests(), 3);
    assert_eq!(plan.outcome(), Outcome::Soft404);
}

#[test]
fn p11_a_server_with_a_manifest_for_every_path_is_detected() {
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| CARD);
    assert!(plan.is_suspect());
    assert_eq!(plan.outcome(), Outcome::Soft404);
    assert!(plan.requests() <= 6);
    let canary = asked.last().unwrap();
    assert!(probes::ALL.iter().all(|probe| probe.path != canary));
}

#[test]
fn p08_a_later_visit_detects_it_at_the_first_path() {
    let lease = lease(Some(Outcome::Soft404), 0, &[]);
    let (asked, plan) = visit(&lease, &policy(""), |_| CARD);
    assert_eq!(asked.len(), 2);
    assert_eq!(plan.requests(), 3);
    assert!(plan.is_suspect());
}

#[test]
fn a_manifest_of_a_former_catch_all_is_found() {
    let lease = lease(Some(Outcome::Soft404), 0, &[]);
    let (asked, plan) = visit(&lease, &policy(""), |path| match path {
        "/.well-known/agent-card.json" => CARD,
        _ => NONE,
    });
    assert!(asked.contains(&"/.well-known/ai-catalog.json".to_owned()));
    assert_eq!(plan.outcome(), Outcome::Found);
}

#[test]
fn no_canary_is_sent_if_robots_txt_disallows_it() {
    let policy = policy("User-agent: *\nDisallow: /\nAllow: /.well-known/agent\nAllow: /agent");
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy, |_| CARD);
    assert!(!plan.is_suspect());
    assert!(asked.iter().all(|path| policy.allows(path)));
}

#[test]
fn the_same_redirect_for_two_paths_means_a_catch_all() {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let target = format!("https://other.example/login?next={}", request.target);
        plan.record(&Reply {
            requests: 1,
            redirect: Some(&target),
            end: End::Failed(Outcome::RedirectRefused),
        });
    }
    assert_eq!(plan.requests(), REQUEST_CAP);
    assert_eq!(plan.outcome(), Outcome::RedirectRefused);
}

/// Returns the plan of a visit, after `requests` for robots.txt, to a server that redirects every
/// path to another site.
fn visit_to_astray(lease: &Lease, requests: u32) -> Plan {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), lease, &policy, requests, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let target = format!("https://other.example{}", request.target);
        plan.record(&Reply {
            requests: 1,
            redirect: Some(&target),
            end: End::Astray(Outcome::RedirectRefused),
        });
    }
    plan
}

/// Returns a lease after a visit with this outcome that had read robots.txt.
fn lease_after_robots(outcome: Outcome) -> Lease {
    let state = policy("").state(&Validators::default(), manifest::Timestamp(0));
    Lease {
        robots: Some(state),
        ..lease(Some(outcome), 0, &[])
    }
}

#[test]
fn p10_a_server_that_redirects_every_path_to_another_site_is_a_catch_all() {
    for requests in [1, 2] {
        let plan = visit_to_astray(&lease(None, 0, &[]), requests);
        assert_eq!(plan.requests(), REQUEST_CAP);
        assert_eq!(plan.outcome(), Outcome::RedirectRefused);
        let plan = visit_to_astray(&lease_after_robots(plan.outcome()), requests);
        assert_eq!(plan.requests(), 3, "{requests}");
        assert_eq!(plan.outcome(), Outcome::RedirectRefused);
    }
}

#[test]
fn every_path_is_requested_after_a_misdirected_robots_txt() {
    let lease = lease(Some(Outcome::RedirectRefused), 0, &[]);
    let (asked, _) = visit(&lease, &policy(""), |_| NONE);
    assert_eq!(asked.len(), 11);
}

#[test]
fn p09_one_misdirected_path_does_not_stop_the_others() {
    let policy = policy("");
    let mut plan = Plan::new(
        &origin(),
        &lease_after_robots(Outcome::RedirectRefused),
        &policy,
        1,
        &[],
    );
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let is_astray = request.target == probes::ALL[0].path;
        plan.record(&Reply {
            requests: 1,
            redirect: is_astray.then_some("https://other.example/"),
            end: if is_astray {
                End::Astray(Outcome::RedirectRefused)
            } else {
                End::Answered {
                    status: 404,
                    is_challenge: false,
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
fn p42_refused_redirects_to_one_host_are_not_the_same_page() {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let target = format!("https://www.shop.example{}", request.target);
        plan.record(&Reply {
            requests: 1,
            redirect: Some(&target),
            end: End::Failed(Outcome::RedirectRefused),
        });
    }
    assert_eq!(plan.requests(), REQUEST_CAP);
}

#[test]
fn redirect_targets_are_compared_without_the_requested_path() {
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
fn a_request_for_a_pause_ends_the_visit() {
    for (status, outcome) in [(429, Outcome::RateLimited), (503, Outcome::Throttled)] {
        let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| (status, ""));
        assert_eq!(asked.len(), 1);
        assert!(plan.is_throttled());
        assert_eq!(plan.outcome(), outcome);
    }
}

#[test]
fn p10_two_denials_end_the_visit() {
    for (status, outcome) in [
        (401, Outcome::LoginRequired),
        (402, Outcome::PaymentRequired),
        (403, Outcome::Refused),
    ] {
        let (asked, plan) = visit(&lease(None, 0, &[]), &policy(""), |_| (status, ""));
        assert_eq!(asked.len(), 2, "{status}");
        assert_eq!(plan.outcome(), outcome);
    }
}

/// P49: the status tells the refusals apart, and a header tells a challenge.
#[test]
fn p49_a_challenge_ends_the_visit_with_every_status_but_those_of_nothing() {
    let rows = [
        (202, 2, Outcome::Challenged),
        (401, 2, Outcome::Challenged),
        (403, 2, Outcome::Challenged),
        (404, 11, Outcome::Empty),
        (405, 2, Outcome::Challenged),
        (429, 1, Outcome::Challenged),
        (503, 1, Outcome::Challenged),
    ];
    let policy = policy("");
    for (status, requests, outcome) in rows {
        let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
        let mut asked = 0;
        while let Step::Probe(_) = plan.next(|path| policy.allows(path)) {
            asked += 1;
            plan.record(&Reply {
                requests: 1,
                redirect: None,
                end: End::Answered {
                    status,
                    is_challenge: true,
                    body: b"<html>",
                    format: None,
                },
            });
        }
        assert_eq!((asked, plan.outcome()), (requests, outcome), "{status}");
        assert_eq!(plan.is_throttled(), matches!(status, 429 | 503), "{status}");
    }
}

#[test]
fn p10_three_connection_failures_end_the_visit() {
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

/// Returns the lease after a visit that ended like this.
fn after(lease: &Lease, plan: &Plan) -> Lease {
    Lease {
        last_outcome: Some(plan.outcome()),
        fails: if plan.outcome() == Outcome::Down {
            lease.fails + 1
        } else {
            0
        },
        rotation: plan.rotation(),
        unanswered: plan.remainder().unanswered,
        ..lease.clone()
    }
}

#[test]
fn p36_a_server_error_is_no_empty_site_and_only_that_path_is_requested_again() {
    const BAD: &str = "/agents.json";
    let first = lease(None, 0, &[]);
    let (asked, plan) = visit(&first, &policy(""), |path| match path {
        BAD => (500, "oops"),
        _ => NONE,
    });
    assert_eq!(asked.len(), 11);
    assert_eq!(plan.outcome(), Outcome::Down);
    assert_eq!(plan.remainder().unanswered, [BAD]);

    let second = after(&first, &plan);
    let (asked, plan) = visit(&second, &policy(""), |_| (502, "oops"));
    assert_eq!(asked, [BAD]);
    assert_eq!(plan.outcome(), Outcome::Down);
    assert!(!plan.remainder().has_progress);

    let third = after(&second, &plan);
    let (asked, plan) = visit(&third, &policy(""), |_| NONE);
    assert_eq!(asked, [BAD]);
    assert_eq!(plan.outcome(), Outcome::Empty);
    assert!(plan.remainder().unanswered.is_empty());
}

#[test]
fn p36_a_visit_to_failed_paths_sends_at_most_four_requests() {
    let mut lease = lease(None, 0, &[]);
    let (asked, plan) = visit(&lease, &policy(""), |_| (500, "oops"));
    assert_eq!(asked.len(), 11);
    assert_eq!(plan.outcome(), Outcome::Down);
    let mut seen = HashSet::new();
    for _ in 0..4 {
        lease = after(&lease, &plan);
        let (asked, _) = visit(&lease, &policy(""), |_| NONE);
        assert_eq!(asked.len(), 3);
    }
    let mut plan = plan;
    for _ in 0..5 {
        lease = after(&lease, &plan);
        let (asked, next) = visit(&lease, &policy(""), |_| NONE);
        seen.extend(asked);
        plan = next;
        if plan.remainder().unanswered.is_empty() {
            break;
        }
        assert!(plan.remainder().has_progress);
        assert_eq!(plan.requests(), REST_CAP);
        assert_eq!(plan.outcome(), Outcome::Budget);
    }
    assert_eq!(seen.len(), 11);
    assert_eq!(plan.outcome(), Outcome::Empty);
}

/// A path that always fails must not prevent requests for others.
#[test]
fn p36_a_path_that_never_answers_does_not_limit_visits_for_ever() {
    let mut lease = lease(Some(Outcome::Down), 0, &[]);
    lease.unanswered = vec!["/agents.json".to_owned()];
    lease.fails = 9;
    let (asked, _) = visit(&lease, &policy(""), |path| match path {
        "/agents.json" => (500, "oops"),
        _ => NONE,
    });
    assert_eq!(asked[0], "/.well-known/agent-card.json");
    assert!(asked.len() <= 5);
}

#[test]
fn p36_next_to_a_manifest_a_failed_path_is_requested_on_the_next_visit() {
    let (_, plan) = visit(&lease(None, 0, &[]), &policy(""), |path| match path {
        "/.well-known/agent-card.json" => CARD,
        "/agents.txt" => (500, "oops"),
        _ => NONE,
    });
    assert_eq!(plan.outcome(), Outcome::Found);
    assert_eq!(plan.remainder().unanswered, ["/agents.txt"]);
    let mut lease = lease(Some(Outcome::Found), 0, &["/.well-known/agent-card.json"]);
    lease.unanswered = plan.remainder().unanswered;
    let (asked, _) = visit(&lease, &policy(""), |_| NONE);
    assert_eq!(asked[..2], ["/.well-known/agent-card.json", "/agents.txt"]);
}

#[test]
fn documents_named_by_robots_txt_come_first() {
    let policy =
        policy("Agentmap: /catalog/all.json\nUser-agent: *\nAllow: /agents.json\nMCP: /mcp");
    let (asked, plan) = visit(&lease(None, 0, &[]), &policy, |_| NONE);
    assert_eq!(asked[..2], ["/catalog/all.json", "/agents.json"]);
    assert!(!asked.contains(&"/mcp".to_owned()));
    assert_eq!(asked.len(), 11);
    // The path for which there was no room is kept.
    assert_eq!(plan.outcome(), Outcome::Budget);
    assert_eq!(plan.remainder().unanswered, ["/.well-known/mcp.json"]);
    let asked: Vec<&str> = plan.asked().iter().map(|it| it.url.as_str()).collect();
    assert_eq!(
        asked,
        [
            "https://shop.example/catalog/all.json",
            "https://shop.example/agents.json"
        ]
    );
}

#[test]
fn gp_18_robots_txt_may_name_a_server_card_and_no_endpoint() {
    let policy = policy("MCP: /tools/mcp\nMCP: /tools/server-card.json");
    let (asked, _) = visit(&lease(None, 0, &[]), &policy, |_| NONE);
    assert_eq!(asked[0], "/tools/server-card.json");
    assert!(!asked.contains(&"/tools/mcp".to_owned()));
}

/// Returns a document of the domain that its catalogue names.
fn named(path: &str) -> NamedDocument {
    NamedDocument {
        url: format!("https://shop.example{path}"),
        named_by: "https://shop.example/catalog.json".to_owned(),
        is_own: true,
        kind: DocumentKind::Manifest,
        is_absent: false,
    }
}

#[test]
fn p09_a_visit_requests_five_named_documents_and_leaves_the_others() {
    let policy = policy("User-agent: *\nDisallow: /secret");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    for number in 0..30 {
        let path = format!("/agents/{number}.json");
        plan.point(&path, named(&path));
    }
    let mut asked = Vec::new();
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        asked.push(request.target);
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Failed(Outcome::TooLarge),
        });
    }
    let expected: Vec<_> = (0..5)
        .map(|number| format!("/agents/{number}.json"))
        .collect();
    assert_eq!(asked[..5], expected);
    assert_eq!(asked[5], probes::ALL[0].path);
    assert_eq!(plan.requests(), REQUEST_CAP);
    assert_eq!(plan.outcome(), Outcome::TooLarge);
    let remaining: Vec<String> = plan.named().into_iter().map(|it| it.url).collect();
    assert_eq!(remaining.len(), 25);
    assert_eq!(remaining[0], "https://shop.example/agents/5.json");
}

#[test]
fn p09_stored_documents_are_requested_in_order_and_absent_ones_are_not() {
    let mut lease = lease(Some(Outcome::Found), 3, &["/catalog.json"]);
    lease.named = (0..8).map(|it| named(&format!("/{it}.json"))).collect();
    lease.named[1].is_absent = true;
    let (asked, plan) = visit(&lease, &policy(""), |path| match path {
        "/catalog.json" => (304, ""),
        _ => CARD,
    });
    let expected = [
        "/catalog.json",
        "/0.json",
        "/2.json",
        "/3.json",
        "/4.json",
        "/5.json",
    ];
    assert_eq!(asked[..6], expected);
    assert_eq!(plan.asked().len(), 5);
    assert!(plan.remainder().has_more);
    lease.named.truncate(3);
    let (_, plan) = visit(&lease, &policy(""), |_| CARD);
    assert!(!plan.remainder().has_more);
}

/// A document that robots.txt disallows does not make the next visit due tomorrow.
#[test]
fn p09_disallowed_named_documents_do_not_hasten_a_visit() {
    let policy = policy("User-agent: *\nDisallow: /cards/");
    let mut lease = lease(Some(Outcome::Found), 0, &["/catalog.json"]);
    lease.named = (0..3)
        .map(|it| named(&format!("/cards/{it}.json")))
        .collect();
    let (asked, plan) = visit(&lease, &policy, |_| CARD);
    assert!(asked.iter().all(|path| !path.starts_with("/cards/")));
    assert_eq!(plan.asked().len(), 3);
    assert!(!plan.remainder().has_more);
}

#[test]
fn p09_other_domains_may_name_two_of_the_five() {
    let mut lease = lease(None, 0, &[]);
    lease.named = (0..8)
        .map(|it| NamedDocument {
            is_own: it > 5,
            ..named(&format!("/{it}.json"))
        })
        .collect();
    let (asked, plan) = visit(&lease, &policy(""), |_| NONE);
    assert_eq!(asked[..4], ["/0.json", "/1.json", "/6.json", "/7.json"]);
    assert_eq!(asked[4], probes::ALL[0].path);
    assert!(!plan.remainder().has_more);
}

/// P9: `api.shop.example` is visited as its own host, and its document is credited to
/// `shop.example`.
#[test]
fn p09_a_document_on_another_host_of_the_domain_is_requested_there() {
    let mut lease = lease(None, 0, &[]);
    lease.named = [
        "https://api.shop.example/card.json",
        "https://shop.other.example/card.json",
    ]
    .map(|url| NamedDocument {
        url: url.to_owned(),
        ..named("")
    })
    .to_vec();
    let (asked, plan) = visit(&lease, &policy(""), |path| match path {
        "https://api.shop.example/card.json" => CARD,
        _ => NONE,
    });
    assert_eq!(asked[0], "https://api.shop.example/card.json");
    assert_eq!(asked[1], probes::ALL[0].path);
    assert_eq!(plan.outcome(), Outcome::Found);
}

/// P35: a pause requested by another host ends only the requests to that host.
#[test]
fn p35_a_pause_of_another_host_does_not_end_the_visit() {
    let mut lease = lease(None, 0, &[]);
    lease.named = ["https://api.shop.example/1", "https://api.shop.example/2"]
        .map(|url| NamedDocument {
            url: url.to_owned(),
            ..named("")
        })
        .to_vec();
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease, &policy, 1, &[]);
    let mut asked = Vec::new();
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let is_sibling = request.target.starts_with("https:");
        asked.push(request.target);
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: if is_sibling {
                End::Failed(Outcome::Throttled)
            } else {
                End::Answered {
                    status: 404,
                    is_challenge: false,
                    body: b"",
                    format: None,
                }
            },
        });
    }
    assert!(plan.asked().is_empty(), "it is still to be asked for");
    assert_eq!(asked[1], probes::ALL[0].path);
    assert!(!plan.is_throttled());
    assert_eq!(plan.outcome(), Outcome::Budget);
}

#[test]
fn redirects_count_against_the_budget() {
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &lease(None, 0, &[]), &policy, 1, &[]);
    while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
        let requests = request.hops.min(2);
        plan.record(&Reply {
            requests,
            redirect: Some(&format!("https://www.shop.example{}", request.target)),
            end: End::Answered {
                status: 404,
                is_challenge: false,
                body: b"",
                format: None,
            },
        });
    }
    assert_eq!(plan.requests(), REQUEST_CAP);
    assert_eq!(plan.outcome(), Outcome::Budget);
}

#[test]
fn no_path_is_requested_if_robots_txt_disallows_all() {
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
        asked.push(request.target);
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Answered {
                status: 404,
                is_challenge: false,
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
    let first = probes::ALL.iter().filter(|it| it.turn != Turn::Rotation);
    assert_eq!(asked.len(), first.count() - 1);
    assert!(!asked.contains(&"/agents.txt".to_owned()));
    assert_eq!(lease.rotation, 0);
}

#[test]
fn pages_that_differ_in_times_and_paths_only_are_the_same() {
    let one = PageFingerprint::new(200, b"<p>No /agents.txt here, 12:30:01</p>");
    let two = PageFingerprint::new(200, b"<p>No /agent.json here, 12:30:02</p>");
    assert_eq!(one, two);
    assert_ne!(one, PageFingerprint::new(200, b"<p>Another page</p>"));
    assert_ne!(one, PageFingerprint::new(203, b"<p>No here,</p>"));
}

/// Behaviours of a server for one request.
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
    fn no_disallowed_path_is_requested_and_at_most_twelve_requests_are_sent(
        acts in acts(),
        rules in prop::collection::vec((any::<bool>(), "/(\\.well-known/)?(agents?|api|[a-z]{1,2})?(\\.json)?\\$?"), 0..5),
        delay in prop::option::weighted(0.2, 0_u32..100_000),
        rotation: u32,
        last in prop::option::of(0_usize..Outcome::ALL.len()),
        known in prop::collection::vec("/[a-z.-]{1,8}", 0..4),
        allowed in prop::option::of(0_u32..14),
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
        let mut lease = lease(last.map(|position| Outcome::ALL[position]), rotation, &known);
        lease.requests_left = allowed;
        // The request for robots.txt is sent before.
        let most = if mode::had_manifests(&lease) { 6 } else { REQUEST_CAP };
        let cap = allowed.map_or(REQUEST_CAP, |requests| requests.clamp(1, most));
        let mut plan = Plan::new(&origin(), &lease, &policy, 1, &[]);
        let mut asked = HashSet::new();
        let mut steps = acts.iter();
        while let Step::Probe(request) = plan.next(|path| policy.allows(path)) {
            let act = steps.next().expect("at most eleven steps");
            prop_assert!(policy.allows(&request.target), "{} {}", body, request.target);
            prop_assert!(asked.insert(request.target.clone()), "twice: {}", request.target);
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
                        is_challenge: false,
                            body: bodies[usize::from(act.body)].as_bytes(),
                        format: (act.body == 0).then(|| formats::find("profile").unwrap()),
                    },
                },
            });
            if let Some(reference) = &act.reference {
                plan.point(reference, named(reference));
            }
            prop_assert!(plan.requests() <= cap, "{} of {cap} (P7, P47)", plan.requests());
        }
        let _ = (plan.outcome(), plan.rotation(), plan.is_suspect());
    }
}

/// Reasons for the end of a first visit, by answer of the server.
fn last_words(robots: &str, answer: (u16, &'static str)) -> &'static str {
    let policy = policy(robots);
    let (_, mut plan) = visit(&lease(None, 0, &[]), &policy, |_| answer);
    match plan.next(|path| policy.allows(path)) {
        Step::Stop(reason) => reason,
        Step::Probe(request) => panic!("{request:?} after the end"),
    }
}

#[test]
fn a_visit_ends_with_its_true_reason() {
    for (robots, answer, reason) in [
        ("", NONE, "nothing is left to request"),
        (
            "User-agent: *\nDisallow: /agents.txt",
            NONE,
            "nothing that robots.txt allows is left to request",
        ),
        ("", HTML, "the server answers every path with the same page"),
        ("", (500, "oops"), "the server answers with errors"),
        ("", CARD, "the server returns a manifest for every path"),
        (
            "User-agent: *\nCrawl-delay: 90000",
            NONE,
            "robots.txt asks for more than a day between requests",
        ),
        (
            "User-agent: *\nDisallow: /",
            NONE,
            "robots.txt leaves nothing to request",
        ),
    ] {
        assert_eq!(last_words(robots, answer), reason, "{robots} {answer:?}");
    }
}

/// Additional paths replace the last default paths on every visit, within the same limit (P7, P9).
#[test]
fn p09_extra_paths_are_requested_within_the_limit() {
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
                    is_challenge: false,
                    body: b"not here",
                    format: None,
                },
            });
            asked.push(request.target);
        }
        asked
    };
    let first = visit(&lease(None, 0, &[]), "");
    assert_eq!(first.len(), 11);
    assert!(
        extra
            .iter()
            .all(|probe| first[7..].contains(&probe.path.to_owned()))
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

    // Later visits request each of them in turn.
    let mut places: HashSet<&str> = rotating().into_iter().collect();
    places.extend(extra.iter().map(|probe| probe.path));
    let mut seen = HashSet::new();
    for visits in 0..10 {
        let later = visit(&lease(Some(Outcome::Empty), 3 * visits, &[]), "");
        assert_eq!(later.len(), 5);
        seen.extend(later);
    }
    assert!(places.iter().all(|path| seen.contains(*path)), "{seen:?}");
}

#[test]
fn p49_a_single_refusal_decides_for_a_known_document_or_as_the_only_answer() {
    let known = lease(Some(Outcome::Found), 0, &["/card.json"]);
    let (asked, plan) = visit(&known, &policy(""), |path| match path {
        "/card.json" => (403, "no"),
        _ => NONE,
    });
    assert_eq!(asked.len(), 2);
    assert_eq!(plan.outcome(), Outcome::Refused);
    let recheck = Lease {
        requests_left: Some(6),
        ..known
    };
    let (asked, plan) = visit(&recheck, &policy(""), |_| (401, "no"));
    assert_eq!(asked, ["/card.json"]);
    assert_eq!(plan.outcome(), Outcome::LoginRequired);
    // One refusal among paths that do not exist says nothing about the others.
    let (_, plan) = visit(&lease(None, 0, &[]), &policy(""), |path| match path {
        "/agents.txt" => (403, "no"),
        _ => NONE,
    });
    assert_eq!(plan.outcome(), Outcome::Empty);
}
