//! Tests of submissions, discovered domains and the frontier overview.

use crate::cast::{
    MINUTE, NOON, document, domain, found, lease, leased, minutes, reading, seeds, visit,
};
use manifest::Timestamp;
use std::time::Duration;
use store::SubmissionKind::{New, Recheck};
use store::{
    Decision, Discovery, Exclusion, ExclusionSource, Outcome, Scope, SeedSource, SnapshotAgent,
    SnapshotFinding, Store, Submission, SubmissionKind, SubmissionState, VisitRequest, Wait,
    requested,
};

on_every_database!(
    a_submission_is_followed_from_waiting_to_visited,
    a_known_domain_is_not_submitted_and_an_unknown_one_not_rechecked,
    a_submitted_domain_comes_before_everything_that_is_due,
    p47_a_submitted_domain_leads_to_no_other,
    p04_an_excluded_domain_is_refused_now_and_later,
    a_name_outside_of_the_public_dns_is_refused,
    a_port_is_visited_only_on_own_test_hosts,
    a_recheck_shows_before_and_after,
    p47_a_recheck_waits_for_the_visit_under_way,
    p47_the_next_recheck_has_a_time,
    p47_a_repeated_visit_keeps_its_submission_and_its_budget,
    p47_a_submission_beyond_the_daily_share_knows_when_there_is_room,
    p47_only_so_many_submissions_wait,
    p47_a_network_has_half_of_the_names_and_of_the_visits,
    p47_networks_take_turns,
    p47_a_name_that_does_not_resolve_costs_a_lookup_and_no_visit,
    discovered_domains_are_two_steps_from_a_seed_at_most,
    the_number_of_waiting_discovered_domains_is_limited,
    p04_an_excluded_domain_is_not_discovered,
    the_frontier_is_counted,
    the_oldest_due_domain_has_waited_since_it_fell_due,
    a_requested_visit_has_waited_since_it_was_taken,
    a_leased_domain_is_not_in_back_off,
);

/// Submits a domain or a recheck under an id, which must be accepted.
async fn send(
    store: &dyn Store,
    kind: SubmissionKind,
    name: &str,
    id: &str,
    now: Timestamp,
) -> Submission {
    match ask(store, kind, name, id, now).await {
        Decision::Accepted(submission) => *submission,
        other => panic!("{name}: {other:?}"),
    }
}

/// Asks for a visit from one network.
pub(crate) async fn ask(
    store: &dyn Store,
    kind: SubmissionKind,
    name: &str,
    id: &str,
    now: Timestamp,
) -> Decision {
    ask_from("a network", store, kind, name, id, now).await
}

async fn ask_from(
    network: &str,
    store: &dyn Store,
    kind: SubmissionKind,
    name: &str,
    id: &str,
    now: Timestamp,
) -> Decision {
    let request = VisitRequest {
        kind,
        id: id.to_owned(),
        domain: domain(name),
        port: None,
        network: network.to_owned(),
        token_hash: None,
    };
    store.submit(&request, now).await.unwrap()
}

async fn state(store: &dyn Store, id: &str) -> (SubmissionState, Option<String>) {
    let submission = store.submission(id).await.unwrap().unwrap();
    (submission.state, submission.detail)
}

async fn exclude(store: &dyn Store, name: &str) {
    let exclusion = Exclusion {
        scope: Scope::domain(&domain(name)),
        reason: "asked".to_owned(),
        source: ExclusionSource::Owner,
        since: NOON,
    };
    store.exclude(&exclusion, NOON).await.unwrap();
}

/// Adds a domain and visits it at the reference time.
async fn visited(store: &dyn Store, name: &str) {
    let lease = leased(store, name).await;
    store.record_visits(&[visit(lease, NOON)]).await.unwrap();
}

async fn a_submission_is_followed_from_waiting_to_visited(store: &dyn Store) {
    let request = VisitRequest {
        kind: New,
        id: "one".to_owned(),
        domain: domain("a.example"),
        port: Some(8443),
        network: String::new(),
        token_hash: None,
    };
    let decision = store.submit(&request, NOON).await.unwrap();
    assert!(matches!(decision, Decision::Accepted(it) if it.id == "one"));
    assert_eq!(state(store, "one").await, (SubmissionState::Waiting, None));
    let taken = store.take_submissions(10, true, NOON).await.unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(state(store, "one").await, (SubmissionState::Queued, None));
    assert_eq!(store.take_submissions(10, true, NOON).await.unwrap(), []);
    let lease = lease(store, "a.example", NOON).await;
    assert_eq!((lease.port, lease.requests_left), (Some(8443), None));
    assert_eq!(state(store, "one").await, (SubmissionState::Visiting, None));
    let again = ask(store, New, "a.example", "two", NOON).await;
    assert!(matches!(again, Decision::Accepted(it) if it.id == "one"));
    store.record_visits(&[visit(lease, NOON)]).await.unwrap();
    let done = store.submission("one").await.unwrap().unwrap();
    assert_eq!(done.state, SubmissionState::Visited);
    assert_eq!(done.outcome, Some(Outcome::Empty));
    assert_eq!(
        (done.started, done.ended),
        (Some(NOON), Some(Timestamp(NOON.0 + 1000)))
    );
    assert_eq!(done.after.unwrap().outcome.as_deref(), Some("empty"));
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.source, SeedSource::Submitted);
    assert_eq!(store.submission("two").await.unwrap(), None);
}

async fn a_known_domain_is_not_submitted_and_an_unknown_one_not_rechecked(store: &dyn Store) {
    visited(store, "a.example").await;
    let known = ask(store, New, "a.example", "one", minutes(500)).await;
    assert_eq!(known, Decision::Known);
    let unknown = ask(store, Recheck, "b.example", "two", NOON).await;
    assert_eq!(unknown, Decision::Unknown);
}

async fn a_submitted_domain_comes_before_everything_that_is_due(store: &dyn Store) {
    let names = seeds(&["a.example", "b.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    let later = minutes(600);
    send(store, New, "c.example", "one", later).await;
    store.take_submissions(10, false, later).await.unwrap();
    let leases = store.lease_domains(later, minutes(700), 1).await.unwrap();
    assert_eq!(leases[0].domain, domain("c.example"));
}

async fn p47_a_submitted_domain_leads_to_no_other(store: &dyn Store) {
    send(store, New, "a.example", "one", NOON).await;
    store.take_submissions(10, false, NOON).await.unwrap();
    let found = leads("a.example", "b.example");
    assert_eq!(store.discover(&[found], 100, NOON).await.unwrap(), 0);
}

async fn p04_an_excluded_domain_is_refused_now_and_later(store: &dyn Store) {
    send(store, New, "b.example", "one", NOON).await;
    exclude(store, "a.example").await;
    for kind in [New, Recheck] {
        let Decision::Excluded(exclusion) = ask(store, kind, "a.example", "two", NOON).await else {
            panic!("{kind:?}");
        };
        assert_eq!(exclusion.reason, "asked");
    }
    exclude(store, "b.example").await;
    assert_eq!(store.take_submissions(10, false, NOON).await.unwrap(), []);
    assert_eq!(store.submission("one").await.unwrap(), None);
    assert_eq!(store.stats(NOON).await.unwrap().domains, 0);
}

async fn a_name_outside_of_the_public_dns_is_refused(store: &dyn Store) {
    send(store, New, "a.test", "one", NOON).await;
    store.take_submissions(10, false, NOON).await.unwrap();
    let reason = "not a public domain".to_owned();
    let expected = (SubmissionState::Refused, Some(reason));
    assert_eq!(state(store, "one").await, expected);
    send(store, New, "a.test", "two", NOON).await;
    store.take_submissions(10, true, NOON).await.unwrap();
    assert_eq!(state(store, "two").await, (SubmissionState::Queued, None));
}

async fn a_port_is_visited_only_on_own_test_hosts(store: &dyn Store) {
    let request = VisitRequest {
        kind: New,
        id: "one".to_owned(),
        domain: domain("a.example"),
        port: Some(22),
        network: String::new(),
        token_hash: None,
    };
    store.submit(&request, NOON).await.unwrap();
    store.take_submissions(10, false, NOON).await.unwrap();
    let (state, detail) = state(store, "one").await;
    assert_eq!(state, SubmissionState::Refused);
    assert!(detail.unwrap().contains("port 443"));
}

async fn a_recheck_shows_before_and_after(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    found(store, "a.example", &[("/agents.txt", "one")], NOON).await;
    let first = reading(store).await;
    store.replace_agents(&first, NOON).await.unwrap();
    let now = minutes(15);
    send(store, Recheck, "a.example", "one", now).await;
    store.take_submissions(10, false, now).await.unwrap();
    let mut lease = lease(store, "a.example", now).await;
    assert_eq!(lease.requests_left, Some(requested::REQUESTS));
    lease.requests_left = None;
    let mut second = visit(lease, now);
    second.outcome = Outcome::Found;
    second.documents = vec![document("a.example", "/agents.txt", "two", now)];
    store.record_visits(&[second]).await.unwrap();
    let read = store.submission("one").await.unwrap().unwrap();
    assert_eq!((read.state, read.after), (SubmissionState::Visited, None));
    let second = reading(store).await;
    store.replace_agents(&second, now).await.unwrap();
    let done = store.submission("one").await.unwrap().unwrap();
    let (before, after) = (done.before.unwrap(), done.after.unwrap());
    let ids =
        |agents: Vec<&SnapshotAgent>| agents.iter().map(|it| it.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(before.agents_missing_in(&after)), ["a.example/one"]);
    assert_eq!(ids(after.agents_missing_in(&before)), ["a.example/two"]);
    assert_eq!((before.findings_total, after.findings_total), (1, 1));
    assert!(before.is_complete() && after.is_complete());
    assert_eq!(
        after.findings_missing_in(&before),
        Vec::<&SnapshotFinding>::new()
    );
    // A later visit changes nothing of it.
    let next = leased_again(store, minutes(700)).await;
    assert_eq!(next.requests_left, None);
    store
        .record_visits(&[visit(next, minutes(700))])
        .await
        .unwrap();
    let later = store.submission("one").await.unwrap().unwrap();
    assert_eq!(later.after.unwrap(), after);
}

async fn leased_again(store: &dyn Store, now: Timestamp) -> store::Lease {
    lease(store, "a.example", now).await
}

async fn p47_a_recheck_waits_for_the_visit_under_way(store: &dyn Store) {
    let lease = leased(store, "a.example").await;
    send(store, Recheck, "a.example", "one", NOON).await;
    assert_eq!(store.take_submissions(10, false, NOON).await.unwrap(), []);
    store.record_visits(&[visit(lease, NOON)]).await.unwrap();
    // Not before the time at which the host may be contacted again.
    let soon = minutes(1);
    assert_eq!(store.take_submissions(10, false, soon).await.unwrap(), []);
    let submission = store.submission("one").await.unwrap().unwrap();
    let not_before = Timestamp(minutes(10).0 + 1000);
    assert_eq!(
        (submission.state, submission.earliest),
        (SubmissionState::Waiting, not_before)
    );
    assert_eq!(
        store.wait(&submission, soon).await.unwrap(),
        Some(Wait::Site(not_before))
    );
    let refused = ask(store, Recheck, "a.example", "two", soon).await;
    assert!(matches!(refused, Decision::Accepted(it) if it.id == "one"));
    let taken = store.take_submissions(10, false, not_before).await.unwrap();
    assert_eq!(taken.len(), 1);
}

async fn p47_the_next_recheck_has_a_time(store: &dyn Store) {
    visited(store, "a.example").await;
    let mut now = minutes(15);
    for (number, wait) in [10, 60, 360, 1440, 1440].into_iter().enumerate() {
        send(store, Recheck, "a.example", &number.to_string(), now).await;
        store.take_submissions(10, false, now).await.unwrap();
        let mut visit = visit(leased_again(store, now).await, now);
        visit.next.not_before = now;
        visit.next.due = minutes(1_000_000);
        store.record_visits(&[visit]).await.unwrap();
        let next = Timestamp(now.0 + 1000 + wait * MINUTE);
        let early = Timestamp(next.0 - 1);
        let refused = ask(store, Recheck, "a.example", "early", early).await;
        assert_eq!(refused, Decision::Later(next));
        now = next;
    }
}

async fn p47_a_repeated_visit_keeps_its_submission_and_its_budget(store: &dyn Store) {
    visited(store, "a.example").await;
    let now = minutes(15);
    send(store, Recheck, "a.example", "one", now).await;
    store.take_submissions(10, false, now).await.unwrap();
    let mut visit = visit(leased_again(store, now).await, now);
    visit.next.is_again = true;
    visit.next.requests_left = Some(2);
    visit.next.due = minutes(30);
    store.record_visits(&[visit]).await.unwrap();
    assert_eq!(state(store, "one").await, (SubmissionState::Queued, None));
    let lease = leased_again(store, minutes(30)).await;
    assert_eq!(lease.requests_left, Some(2));
}

async fn p47_a_submission_beyond_the_daily_share_knows_when_there_is_room(store: &dyn Store) {
    visited(store, "a.example").await;
    let now = minutes(50);
    for number in 0..requested::FREE_VISITS {
        let (name, network) = (format!("site{number}.example"), format!("{}", number % 2));
        let accepted = ask_from(&network, store, New, &name, &name, now).await;
        assert!(matches!(accepted, Decision::Accepted(_)));
    }
    let last = ask_from("0", store, New, "last.example", "last", now).await;
    let Decision::Accepted(last) = last else {
        panic!("{last:?}");
    };
    assert_eq!(store.wait(&last, now).await.unwrap(), None, "there is room");
    let taken = store.take_submissions(500, false, now).await.unwrap();
    assert_eq!(taken.len() as u64, requested::FREE_VISITS);
    assert_eq!(
        store.wait(&taken[0], now).await.unwrap(),
        None,
        "its turn came"
    );
    let recheck = send(store, Recheck, "a.example", "recheck", now).await;
    assert_eq!(store.wait(&recheck, now).await.unwrap(), None);
    assert_eq!(ids_taken(store, now).await, ["recheck"], "another share");
    let Some(Wait::Share(until)) = store.wait(&last, now).await.unwrap() else {
        panic!("there is room");
    };
    assert!(until > now && until <= now.after(Duration::from_hours(25)));
    let early = Timestamp(until.0 - 1);
    assert_eq!(store.take_submissions(10, false, early).await.unwrap(), []);
    assert_eq!(store.wait(&last, until).await.unwrap(), None);
    assert_eq!(ids_taken(store, until).await, ["last"]);
}

async fn ids_taken(store: &dyn Store, now: Timestamp) -> Vec<String> {
    let taken = store.take_submissions(500, false, now).await.unwrap();
    taken.into_iter().map(|it| it.id).collect()
}

async fn p47_a_network_has_half_of_the_names_and_of_the_visits(store: &dyn Store) {
    let tomorrow = Decision::Later(NOON.after(requested::DAY));
    for host in 0..20 {
        let (name, network) = (format!("h{host}.victim.example"), (host / 12).to_string());
        let decision = ask_from(&network, store, New, &name, &name, NOON).await;
        // Network 0 asks for twelve.
        assert_eq!(decision == tomorrow, host == 10 || host == 11, "{host}");
    }
    let name = "h20.victim.example";
    let decision = ask_from("1", store, New, name, name, NOON).await;
    assert!(matches!(decision, Decision::Accepted(_)), "the tenth");
    for host in 21..23 {
        let name = format!("h{host}.victim.example");
        let decision = ask_from("2", store, New, &name, &name, NOON).await;
        assert_eq!(decision == tomorrow, host == 22, "19 are accepted");
    }
    for number in 0..60 {
        let name = format!("site{number}.example");
        ask_from("0", store, New, &name, &name, NOON).await;
    }
    let taken = ids_taken(store, NOON).await;
    assert_eq!(taken.len(), 50 + 9 + 1);
    let waiting = store.submission("site59.example").await.unwrap().unwrap();
    let wait = store.wait(&waiting, NOON).await.unwrap();
    assert!(matches!(wait, Some(Wait::Share(_))), "{wait:?}");
}

async fn p47_networks_take_turns(store: &dyn Store) {
    for number in 0..requested::MAX_WAITING_OF_NETWORK {
        let name = format!("s{number}.example");
        send(store, New, &name, &name, NOON).await;
    }
    let more = ask(store, New, "more.example", "more", NOON).await;
    assert_eq!(more, Decision::FullOfNetwork);
    for name in ["a.example", "b.example"] {
        let accepted = ask_from("another", store, New, name, name, NOON).await;
        assert!(matches!(accepted, Decision::Accepted(_)));
    }
    let taken = store.take_submissions(4, false, NOON).await.unwrap();
    let ids: Vec<_> = taken.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["s0.example", "a.example", "s1.example", "b.example"]);
}

async fn p47_a_name_that_does_not_resolve_costs_a_lookup_and_no_visit(store: &dyn Store) {
    let submit = async |network: &str| {
        for number in 0..60 {
            let name = format!("{network}{number}.example");
            ask_from(network, store, New, &name, &name, NOON).await;
        }
        ids_taken(store, NOON).await
    };
    let visit_all = async |outcome, requests| {
        let leases = store.lease_domains(NOON, minutes(10), 100).await.unwrap();
        let visits = leases.into_iter().map(|lease| {
            let mut visit = visit(lease, NOON);
            (visit.outcome, visit.requests) = (outcome, requests);
            visit
        });
        let visits: Vec<_> = visits.collect();
        store.record_visits(&visits).await.unwrap();
    };
    assert_eq!(submit("none").await.len(), 50);
    visit_all(Outcome::DnsError, 0).await;
    assert_eq!(ids_taken(store, NOON).await, [""; 0], "no further lookup");
    // All hundred visits are left to others, who have half of them each.
    for network in ["one", "two"] {
        let taken = submit(network).await;
        assert_eq!(taken.len(), 50, "{network}");
        assert!(taken.iter().all(|id| id.starts_with(network)));
        visit_all(Outcome::Empty, 3).await;
    }
    assert_eq!(submit("three").await, [""; 0]);
}

async fn p47_only_so_many_submissions_wait(store: &dyn Store) {
    // A small number would hide a limit elsewhere; twenty names each, of ten networks, fill the queue in
    // 500 steps.
    for site in 0..requested::MAX_WAITING / requested::NAMES_A_DAY {
        for host in 0..requested::NAMES_A_DAY {
            let name = format!("h{host}.site{site}.example");
            let network = format!("{} {}", site % 5, host / requested::NAMES_OF_NETWORK);
            let accepted = ask_from(&network, store, New, &name, &name, NOON).await;
            assert!(matches!(accepted, Decision::Accepted(_)), "{name}");
        }
    }
    assert_eq!(
        ask(store, New, "a.example", "one", NOON).await,
        Decision::Full
    );
    let more = ask(store, New, "h20.site0.example", "two", NOON).await;
    assert_eq!(more, Decision::Later(NOON.after(requested::DAY)));
}

fn leads(from: &str, to: &str) -> Discovery {
    Discovery {
        from: domain(from),
        to: domain(to),
        url: format!("https://{to}/agents/card.json"),
        named_by: format!("https://{from}/.well-known/ai-catalog.json"),
    }
}

async fn discovered_domains_are_two_steps_from_a_seed_at_most(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    for (from, to, new) in [
        ("a.example", "b.example", 1),
        ("a.example", "b.example", 0),
        ("b.example", "c.example", 1),
        ("c.example", "d.example", 0),
        ("c.example", "a.example", 0),
        ("unknown.example", "e.example", 0),
    ] {
        let found = store.discover(&[leads(from, to)], 100, NOON).await.unwrap();
        assert_eq!(found, new, "{from} to {to}");
    }
    let site = store.site(&domain("c.example")).await.unwrap().unwrap();
    assert_eq!(site.source, SeedSource::Discovered);
    assert!(site.due <= NOON);
}

async fn the_number_of_waiting_discovered_domains_is_limited(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let all: Vec<Discovery> = (0..10)
        .map(|it| leads("a.example", &format!("h{it}.example")))
        .collect();
    assert_eq!(store.discover(&all, 4, NOON).await.unwrap(), 4);
    assert_eq!(store.discover(&all, 4, NOON).await.unwrap(), 0);
}

async fn p04_an_excluded_domain_is_not_discovered(store: &dyn Store) {
    exclude(store, "b.example").await;
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let found = store
        .discover(&[leads("a.example", "b.example")], 9, NOON)
        .await;
    assert_eq!(found.unwrap(), 0);
}

async fn the_frontier_is_counted(store: &dyn Store) {
    let lease = leased(store, "a.example").await;
    store.record_visits(&[visit(lease, NOON)]).await.unwrap();
    leased(store, "b.example").await;
    let names = seeds(&["c.example", "d.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    store
        .discover(&[leads("a.example", "e.example")], 9, NOON)
        .await
        .unwrap();
    send(store, New, "f.example", "one", NOON).await;
    exclude(store, "g.example").await;
    let frontier = store.frontier_stats(minutes(1)).await.unwrap();
    assert_eq!((frontier.load.domains, frontier.load.due), (5, 3));
    assert_eq!((frontier.leased, frontier.load.back_off), (1, 1));
    assert_eq!((frontier.unvisited, frontier.discovered), (4, 1));
    assert_eq!((frontier.exclusions, frontier.load.submissions), (1, 1));
    assert_eq!(frontier.outcomes[Outcome::Empty.as_str()], 1);
    assert_eq!(frontier.load.oldest_due, Some(NOON), "when they were added");
    assert!(frontier.next_due.unwrap() > minutes(60));
}

async fn the_oldest_due_domain_has_waited_since_it_fell_due(store: &dyn Store) {
    let visit = visit(leased(store, "a.example").await, NOON);
    let due = visit.next.due;
    store.record_visits(&[visit]).await.unwrap();
    let names = seeds(&["b.example"]);
    store.add_seeds(&names, false, minutes(90)).await.unwrap();
    let oldest = async |now| store.frontier_load(now).await.unwrap().oldest_due;
    assert_eq!(oldest(minutes(100)).await, Some(due));
    store
        .lease_domains(minutes(100), minutes(200), 9)
        .await
        .unwrap();
    assert_eq!(oldest(minutes(100)).await, None);
    assert_eq!(
        oldest(minutes(210)).await,
        Some(minutes(200)),
        "the leases' end"
    );
}

async fn a_requested_visit_has_waited_since_it_was_taken(store: &dyn Store) {
    visited(store, "a.example").await;
    send(store, Recheck, "a.example", "one", minutes(20)).await;
    let taken = store.take_submissions(10, false, minutes(20)).await;
    assert_eq!(taken.unwrap().len(), 1);
    let load = store.frontier_load(minutes(25)).await.unwrap();
    assert_eq!((load.due, load.oldest_due), (1, Some(minutes(20))));
}

async fn a_leased_domain_is_not_in_back_off(store: &dyn Store) {
    visited(store, "a.example").await;
    let back_off = async || store.frontier_load(minutes(5)).await.unwrap().back_off;
    assert_eq!(back_off().await, 1);
    lease(store, "a.example", minutes(90)).await;
    assert_eq!(back_off().await, 0);
}
