//! Tests of submissions, discovered domains and the frontier overview.

use crate::cast::{NOON, domain, lease, leased, minutes, seeds, visit};
use store::{
    Discovery, Exclusion, ExclusionSource, Outcome, Scope, SeedSource, Store, SubmissionState,
};

on_every_database!(
    a_submission_is_queued_and_due_at_once,
    a_submission_does_not_hasten_a_domain_that_was_just_visited,
    p04_a_submission_of_an_excluded_domain_is_refused,
    a_name_outside_of_the_public_dns_is_refused,
    a_visit_completes_a_submission,
    the_same_domain_waits_once,
    discovered_domains_are_two_steps_from_a_seed_at_most,
    the_number_of_waiting_discovered_domains_is_limited,
    p04_an_excluded_domain_is_not_discovered,
    the_frontier_is_counted,
    the_oldest_due_domain_has_waited_since_it_fell_due,
);

async fn state(store: &dyn Store, id: i64) -> (SubmissionState, Option<String>) {
    let submission = store.submission(id).await.unwrap().unwrap();
    (submission.state, submission.result)
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

async fn a_submission_is_queued_and_due_at_once(store: &dyn Store) {
    let id = store
        .submit(&domain("a.example"), Some(8443), NOON)
        .await
        .unwrap();
    assert_eq!(state(store, id).await, (SubmissionState::Waiting, None));
    let taken = store.take_submissions(10, false, NOON).await.unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(state(store, id).await, (SubmissionState::Queued, None));
    assert_eq!(store.take_submissions(10, false, NOON).await.unwrap(), []);
    assert_eq!(lease(store, "a.example", NOON).await.port, Some(8443));
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.source, SeedSource::Submitted);
    assert_eq!(store.submission(id + 1).await.unwrap(), None);
}

async fn a_submission_does_not_hasten_a_domain_that_was_just_visited(store: &dyn Store) {
    let lease = leased(store, "a.example").await;
    store.record_visits(&[visit(lease, NOON)]).await.unwrap();
    for (minute, is_due) in [(9, false), (11, true)] {
        let now = minutes(minute);
        store.submit(&domain("a.example"), None, now).await.unwrap();
        store.take_submissions(10, false, now).await.unwrap();
        let leases = store.lease_domains(now, minutes(60), 10).await.unwrap();
        assert_eq!(!leases.is_empty(), is_due, "{minute}");
    }
}

async fn p04_a_submission_of_an_excluded_domain_is_refused(store: &dyn Store) {
    exclude(store, "a.example").await;
    let id = store
        .submit(&domain("a.example"), None, NOON)
        .await
        .unwrap();
    store.take_submissions(10, false, NOON).await.unwrap();
    let expected = (SubmissionState::Refused, Some("excluded: asked".to_owned()));
    assert_eq!(state(store, id).await, expected);
    assert_eq!(store.stats(NOON).await.unwrap().domains, 0);
}

async fn a_name_outside_of_the_public_dns_is_refused(store: &dyn Store) {
    let id = store.submit(&domain("a.test"), None, NOON).await.unwrap();
    store.take_submissions(10, false, NOON).await.unwrap();
    let reason = "not a public domain".to_owned();
    assert_eq!(
        state(store, id).await,
        (SubmissionState::Refused, Some(reason))
    );
    let id = store.submit(&domain("a.test"), None, NOON).await.unwrap();
    store.take_submissions(10, true, NOON).await.unwrap();
    assert_eq!(state(store, id).await, (SubmissionState::Queued, None));
}

async fn a_visit_completes_a_submission(store: &dyn Store) {
    let sent = async |name| store.submit(&domain(name), None, NOON).await.unwrap();
    let (first, other) = (sent("a.example").await, sent("b.test").await);
    store.take_submissions(1, true, NOON).await.unwrap();
    let lease = lease(store, "a.example", NOON).await;
    let again = sent("a.example").await;
    store.record_visits(&[visit(lease, NOON)]).await.unwrap();
    let result = Some(Outcome::Empty.as_str().to_owned());
    assert_eq!(
        state(store, first).await,
        (SubmissionState::Visited, result)
    );
    for id in [other, again] {
        assert_eq!(state(store, id).await, (SubmissionState::Waiting, None));
    }
}

async fn the_same_domain_waits_once(store: &dyn Store) {
    let first = store
        .submit(&domain("a.example"), None, NOON)
        .await
        .unwrap();
    let second = store
        .submit(&domain("a.example"), None, NOON)
        .await
        .unwrap();
    assert_eq!(first, second);
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
    store
        .submit(&domain("f.example"), None, NOON)
        .await
        .unwrap();
    exclude(store, "g.example").await;
    let frontier = store.frontier_stats(minutes(1)).await.unwrap();
    assert_eq!((frontier.domains, frontier.due), (5, 3));
    assert_eq!((frontier.leased, frontier.back_off), (1, 1));
    assert_eq!((frontier.unvisited, frontier.discovered), (4, 1));
    assert_eq!((frontier.exclusions, frontier.submissions), (1, 1));
    assert_eq!(frontier.outcomes[Outcome::Empty.as_str()], 1);
    assert_eq!(frontier.oldest_due, Some(NOON), "when they were added");
    assert!(frontier.next_due.unwrap() > minutes(60));
}

async fn the_oldest_due_domain_has_waited_since_it_fell_due(store: &dyn Store) {
    let visit = visit(leased(store, "a.example").await, NOON);
    let due = visit.next.due;
    store.record_visits(&[visit]).await.unwrap();
    let names = seeds(&["b.example"]);
    store.add_seeds(&names, false, minutes(90)).await.unwrap();
    let oldest = async |now| store.frontier_stats(now).await.unwrap().oldest_due;
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
