//! Tests of the answers by which sites refused their last visit (P49).

use crate::cast::{NOON, domain, lease, leased, minutes, visit};
use crate::migrations::older;
use crate::opening::url;
use store::{EdgeAnswer, Exclusion, ExclusionSource, Outcome, Scope, Store, Visit};

on_every_database!(
    p49_the_answer_of_the_last_visit_replaces_the_one_before,
    p49_an_answer_goes_with_the_next_visit_that_is_not_refused,
    p49_an_answer_goes_with_the_data_of_its_site,
    p49_a_visit_that_is_to_be_repeated_keeps_the_answer,
    p49_a_visit_without_a_current_lease_leaves_no_answer,
);

fn answer(status: u16, body: &str) -> EdgeAnswer {
    EdgeAnswer {
        at: NOON,
        url: "https://a.example/agents.txt".to_owned(),
        status,
        headers: vec![("server".to_owned(), "cloudflare".to_owned())],
        body: body.to_owned(),
        is_cut: true,
        user_agent: "AgentdexBot/1.0".to_owned(),
        signed_by: Some("https://registry.example".to_owned()),
    }
}

/// Returns a visit of the only due domain that ends with this answer.
async fn refused(store: &dyn Store, minute: i64, edge: Option<EdgeAnswer>) -> Visit {
    let now = minutes(minute);
    let mut visit = visit(lease(store, "a.example", now).await, now);
    if edge.is_some() {
        visit.outcome = Outcome::Refused;
    }
    visit.edge = edge;
    visit
}

/// Records a first visit that is refused.
async fn refused_at_first(store: &dyn Store) -> EdgeAnswer {
    let answer = answer(403, "\0<script>\u{1b}[31m");
    let mut visit = visit(leased(store, "a.example").await, NOON);
    visit.outcome = Outcome::Refused;
    visit.edge = Some(answer.clone());
    store.record_visits(&[visit]).await.unwrap();
    answer
}

async fn stored(store: &dyn Store) -> Option<EdgeAnswer> {
    let name = domain("a.example");
    let answer = store.edge_answer(&name).await.unwrap();
    let site = store.site(&name).await.unwrap();
    assert_eq!(site.and_then(|site| site.edge), answer);
    answer
}

async fn p49_the_answer_of_the_last_visit_replaces_the_one_before(store: &dyn Store) {
    let first = refused_at_first(store).await;
    assert_eq!(stored(store).await, Some(first));
    let second = answer(429, &"€".repeat(170));
    let visit = refused(store, 90, Some(second.clone())).await;
    store.record_visits(&[visit]).await.unwrap();
    assert_eq!(stored(store).await, Some(second));
    assert_eq!(store.edge_answer(&domain("b.example")).await.unwrap(), None);
}

async fn p49_an_answer_goes_with_the_next_visit_that_is_not_refused(store: &dyn Store) {
    refused_at_first(store).await;
    let visit = refused(store, 90, None).await;
    store.record_visits(&[visit]).await.unwrap();
    assert_eq!(stored(store).await, None);
}

async fn p49_an_answer_goes_with_the_data_of_its_site(store: &dyn Store) {
    let name = domain("a.example");
    refused_at_first(store).await;
    store
        .forget(std::slice::from_ref(&name), "asked for", NOON)
        .await
        .unwrap();
    assert_eq!(stored(store).await, None);
    refused_at_first(store).await;
    let exclusion = Exclusion {
        scope: Scope::domain(&name),
        reason: "the owner left".to_owned(),
        source: ExclusionSource::Owner,
        since: NOON,
    };
    store.exclude(&exclusion, NOON).await.unwrap();
    assert_eq!(stored(store).await, None);
}

async fn p49_a_visit_that_is_to_be_repeated_keeps_the_answer(store: &dyn Store) {
    let first = refused_at_first(store).await;
    let mut visit = refused(store, 90, None).await;
    visit.outcome = Outcome::Throttled;
    visit.next.is_again = true;
    store.record_visits(&[visit]).await.unwrap();
    assert_eq!(stored(store).await, Some(first));
}

async fn p49_a_visit_without_a_current_lease_leaves_no_answer(store: &dyn Store) {
    let mut visit = visit(leased(store, "a.example").await, NOON);
    visit.lease.token += 1;
    visit.outcome = Outcome::Refused;
    visit.edge = Some(answer(403, ""));
    store.record_visits(&[visit]).await.unwrap();
    assert_eq!(stored(store).await, None);
}

#[tokio::test]
async fn p49_outcomes_of_earlier_versions_are_named_by_their_last_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let mut old = older(&path, "0023").await;
    let rows = [
        ("login", "blocked", "blocked", 401, "login_required"),
        ("price", "blocked", "blocked", 402, "payment_required"),
        ("gate", "blocked", "blocked", 403, "refused"),
        ("robots", "blocked", "robots", 403, "blocked"),
        ("rate", "throttled", "throttled", 429, "rate_limited"),
        ("pause", "throttled", "throttled", 503, "throttled"),
        ("file", "throttled", "robots", 429, "throttled"),
        ("found", "found", "manifest", 200, "found"),
    ];
    for (id, (name, outcome, verdict, status, _)) in (1..).zip(rows) {
        let name = format!("{name}.example");
        let receipts = format!(
            r#"[{{"at":0,"method":"GET","url":"https://a.example/robots.txt","status":404,"bytes":0,
                 "ms":1,"verdict":"robots"}},
                {{"at":0,"method":"GET","url":"https://a.example/x","status":{status},"bytes":0,
                 "ms":1,"verdict":"{verdict}"}}]"#
        );
        sqlx::query(
            "INSERT INTO domains (id, name, source, first_seen, due, ready, last_visit, last_outcome)
             VALUES ($1, $2, 'seed', 0, 0, 0, 0, $3)",
        )
        .bind(id)
        .bind(&name)
        .bind(outcome)
        .execute(&mut old)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO visits (domain_id, started, ended, outcome, requests, bytes, receipts)
             VALUES ($1, 0, 0, $2, 2, 0, $3)",
        )
        .bind(id)
        .bind(outcome)
        .bind(receipts)
        .execute(&mut old)
        .await
        .unwrap();
    }
    drop(old);
    let store = store::open(&url(&path), &[]).await.unwrap();
    for (name, .., expected) in rows {
        let name = domain(&format!("{name}.example"));
        let site = store.site(&name).await.unwrap().unwrap();
        assert_eq!(site.last_outcome.unwrap().as_str(), expected, "{name}");
        assert_eq!(site.visits[0].outcome.as_str(), expected, "{name}");
    }
}
