//! Tests of requested visits, and of the work that a visit leaves to later ones (P47, P48).

use super::*;

#[test]
fn p47_a_recheck_requests_what_failed_and_what_is_known_and_leaves_the_rest() {
    let known = ["/a.json", "/b.json", "/agents.txt"];
    let mut lease = lease(Some(Outcome::Found), 0, &known);
    lease.requests_left = Some(6);
    lease.unanswered = vec!["/agent.json".to_owned()];
    lease.named = vec![named("/named.json")];
    let hints = policy("User-agent: *\nAllow: /\nAgentmap: /hinted.json\n");
    let (asked, mut plan) = visit(&lease, &hints, |path| match path {
        "/a.json" | "/b.json" => CARD,
        _ => NONE,
    });
    let expected = ["/agent.json", "/a.json", "/b.json", "/agents.txt"];
    assert_eq!(asked, expected);
    // What another document names is left to a scheduled visit, which follows soon.
    plan.point("/later.json", named("/later.json"));
    let postponed: Vec<_> = plan.named().into_iter().map(|it| it.url).collect();
    assert_eq!(postponed.len(), 2, "{postponed:?}");
    assert!(plan.remainder().has_more);
}

#[test]
fn p47_a_recheck_of_many_documents_sends_six_requests() {
    let known = ["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"];
    let mut site = lease(Some(Outcome::Found), 0, &known);
    site.requests_left = Some(12);
    let (asked, plan) = visit(&site, &policy(""), |_| NONE);
    assert_eq!((asked.len(), plan.requests()), (5, 6));
}

#[test]
fn p47_a_recheck_of_a_site_of_which_nothing_is_known_sends_twelve_requests() {
    for outcome in [Outcome::Empty, Outcome::Soft404, Outcome::Down] {
        for allowed in [12, 5] {
            let mut site = lease(Some(outcome), 0, &[]);
            site.requests_left = Some(allowed);
            let (asked, plan) = visit(&site, &policy(""), |_| NONE);
            assert_eq!(plan.requests(), allowed, "{outcome:?}");
            let steps = u32::try_from(asked.len());
            assert_eq!(steps, Ok(allowed - 1), "{outcome:?}");
        }
    }
}

/// Returns the lease of the next recheck of a site.
fn recheck(lease: &Lease, plan: &Plan) -> Lease {
    Lease {
        requests_left: Some(12),
        ..after(lease, plan)
    }
}

#[test]
fn p47_a_recheck_begins_where_the_one_before_stopped() {
    let all: HashSet<String> = probes::ALL.iter().map(|it| it.path.to_owned()).collect();
    for rotation in 0..30 {
        let mut site = lease(Some(Outcome::Empty), rotation, &[]);
        site.requests_left = Some(12);
        let mut seen = HashSet::new();
        for _ in 0..2 {
            let (asked, plan) = visit(&site, &policy(""), |_| NONE);
            assert!(asked.contains(&"/api/agent.json".to_owned()), "{asked:?}");
            assert_eq!(plan.outcome(), Outcome::Empty);
            assert!(plan.remainder().unanswered.is_empty());
            seen.extend(asked);
            site = recheck(&site, &plan);
        }
        assert_eq!(seen, all, "{rotation}");
    }
    // The first visit and a recheck ask for all places as well.
    let first = lease(None, 0, &[]);
    let (mut asked, plan) = visit(&first, &policy(""), |_| NONE);
    let (more, _) = visit(&recheck(&first, &plan), &policy(""), |_| NONE);
    asked.extend(more);
    assert_eq!(asked.into_iter().collect::<HashSet<_>>(), all);
}

/// Redirects use up the requests of a visit; the next one begins with the places that are left.
#[test]
fn p47_a_recheck_that_ends_early_leaves_its_place_in_the_rotation() {
    let mut site = lease(Some(Outcome::Empty), 0, &[]);
    site.requests_left = Some(12);
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &site, &policy, 1, &[]);
    let mut asked = Vec::new();
    while let Step::Probe(request) = plan.next(|_| true) {
        let requests = request.hops.min(3);
        asked.push(request.target);
        plan.record(&Reply {
            requests,
            redirect: None,
            end: End::Answered {
                status: 404,
                is_challenge: false,
                body: b"",
                format: None,
            },
        });
    }
    assert_eq!((asked.len(), plan.requests()), (4, 12));
    assert_eq!(
        plan.outcome(),
        Outcome::Empty,
        "no scheduled visit follows sooner"
    );
    assert!(plan.remainder().unanswered.is_empty());
    let cycle = probes::cycle(&[]);
    assert_eq!(asked[3], cycle[3].path);
    let (next, _) = visit(&recheck(&site, &plan), &policy, |_| NONE);
    assert_eq!(next[..2], [cycle[0].path, cycle[4].path]);

    // Stopped in the middle, the step is repeated.
    let mut plan = Plan::new(&origin(), &site, &policy, 1, &[]);
    for _ in 0..3 {
        assert!(matches!(plan.next(|_| true), Step::Probe(_)));
        if plan.requests() < 3 {
            plan.record(&Reply {
                requests: 1,
                redirect: None,
                end: End::Withheld,
            });
        }
    }
    plan.break_off(1);
    assert_eq!(plan.rotation(), 2);
}

#[test]
fn p47_a_recheck_of_a_catch_all_site_asks_for_every_place() {
    for probe in &probes::ALL {
        let mut site = lease(Some(Outcome::Soft404), 0, &[]);
        let mut outcomes = Vec::new();
        for _ in 0..2 {
            site.requests_left = Some(12);
            let server = |path: &str| if path == probe.path { CARD } else { HTML };
            let (_, plan) = visit(&site, &policy(""), server);
            assert!(plan.requests() <= REQUEST_CAP);
            outcomes.push(plan.outcome());
            site = recheck(&site, &plan);
        }
        assert!(outcomes.contains(&Outcome::Found), "{}", probe.path);
    }
}

/// The text names what was not asked for, in the order of the visits to come.
#[test]
fn p47_a_visit_names_the_places_that_it_did_not_ask_for() {
    let first = lease(None, 0, &[]);
    let (_, plan) = visit(&first, &policy(""), |_| NONE);
    let text = plan.coverage(|_| true).unwrap();
    let start = "11 of 21 usual places were asked; the others have their turn on later visits, 3 at a \
                 time, or ten when a visit is asked for: /api/agent.json, /.well-known/agents.txt, \
                 /auth.md,";
    assert!(text.starts_with(start), "{text}");
    let mut site = recheck(&first, &plan);
    for _ in 0..4 {
        let (_, plan) = visit(&site, &policy(""), |_| NONE);
        let text = plan.coverage(|_| true).unwrap();
        let (_, named) = text.split_once("asked for: ").unwrap();
        let (asked, _) = visit(&recheck(&site, &plan), &policy(""), |_| NONE);
        assert!(
            named
                .split(", ")
                .all(|path| asked.contains(&path.to_owned())),
            "{text} {asked:?}"
        );
        site = recheck(&site, &plan);
    }
    site.requests_left = None;
    let (_, plan) = visit(&site, &policy(""), |_| NONE);
    let text = plan.coverage(|_| true).unwrap();
    assert!(
        text.starts_with("5 of 21 usual places were asked"),
        "{text}"
    );
    let (_, named) = text.split_once("asked for: ").unwrap();
    let named: Vec<&str> = named.split(", ").collect();
    assert_eq!(named.len(), 16);
    let site = after(&site, &plan);
    let (asked, _) = visit(&site, &policy(""), |_| NONE);
    assert_eq!(asked[2..], named[..3]);
    let closed = policy("User-agent: *\nDisallow: /\nAllow: /agents.txt\n");
    let (_, plan) = visit(&lease(None, 0, &[]), &closed, |_| NONE);
    assert_eq!(
        plan.coverage(|path| closed.allows(path)).as_deref(),
        Some("every usual place that robots.txt allows was asked")
    );
}

/// P48: nothing is concluded from such an answer, and the next visit looks again.
#[test]
fn p48_a_withheld_document_is_asked_for_again() {
    let first = lease(None, 0, &[]);
    let policy = policy("");
    let mut plan = Plan::new(&origin(), &first, &policy, 1, &[]);
    while let Step::Probe(_) = plan.next(|_| true) {
        plan.record(&Reply {
            requests: 1,
            redirect: None,
            end: End::Withheld,
        });
    }
    assert_eq!((plan.requests(), plan.outcome()), (12, Outcome::Empty));
    assert_eq!(plan.remainder().unanswered.len(), 11);
    let mut next = after(&first, &plan);
    next.unanswered.truncate(1);
    next.unanswered.push("/agents.txt".to_owned());
    let (asked, plan) = visit(&next, &policy, |_| NONE);
    assert_eq!(plan.requests(), SHORT_CAP);
    assert!(asked.contains(&"/agents.txt".to_owned()), "{asked:?}");
    assert_eq!(plan.outcome(), Outcome::Empty);
}
