//! Tests of the level with which each kind of transaction is committed.

use super::*;
use crate::contract::{
    Agents as _, Blocks as _, Claims as _, Exclusions as _, Frontier as _, Leases as _,
    Moderation as _, Retention as _, Submissions as _, Visits as _,
};
use crate::error::StoreError;
use crate::model::{
    Claim, ClaimAction, ClaimCheck, DomainReadings, Exclusion, ExclusionSource, Lease, NextVisit,
    Outcome, ProblemReport, ReportKind, ReportSelection, Scope, Seed, SeedSource, SubmissionKind,
    Target, UnreadDomain, Visit, VisitRequest,
};
use manifest::{Domain, Timestamp};

const NOW: Timestamp = Timestamp(1_800_000_000_000);
/// Values of `PRAGMA synchronous`.
const NORMAL: i64 = 1;
const FULL: i64 = 2;

async fn open(folder: &std::path::Path) -> SqliteStore {
    let path = folder.join("registry.db");
    let opening = SqliteStore::open(path.to_str().unwrap(), &[]);
    opening.await.unwrap()
}

/// Asserts with which level the last transaction of `work` was committed, after one of the other.
async fn commits_with<T>(
    level: i64,
    store: &SqliteStore,
    work: impl Future<Output = Result<T, StoreError>>,
) -> T {
    let other = if level == FULL {
        store.begin_bulk().await
    } else {
        store.begin_durable().await
    };
    other.unwrap().rollback().await.unwrap();
    let done = work.await.unwrap();
    let found: i64 = sqlx::query_scalar("PRAGMA synchronous")
        .fetch_one(&store.writer)
        .await
        .unwrap();
    assert_eq!(found, level, "{}", std::any::type_name::<T>());
    done
}

fn domain(name: &str) -> Domain {
    Domain::parse(name).unwrap()
}

/// Returns a visit that found nothing.
fn visit(lease: Lease) -> Visit {
    Visit {
        lease,
        started: NOW,
        ended: NOW,
        outcome: Outcome::Empty,
        detail: None,
        requests: 1,
        bytes: 0,
        receipts: Vec::new(),
        documents: Vec::new(),
        gone: Vec::new(),
        missing: Vec::new(),
        unchanged: Vec::new(),
        named: Vec::new(),
        asked: Vec::new(),
        edge: None,
        robots: None,
        next: NextVisit {
            due: NOW,
            not_before: NOW,
            fails: 0,
            interval_ms: None,
            rotation: 0,
            unanswered: Vec::new(),
            requests_left: None,
            is_again: false,
        },
    }
}

#[tokio::test]
async fn what_is_answered_with_202_survives_a_power_loss() {
    let folder = tempfile::tempdir().unwrap();
    let store = &open(folder.path()).await;
    let request = VisitRequest {
        kind: SubmissionKind::New,
        id: "submission".to_owned(),
        domain: domain("new.example"),
        port: None,
        network: "network".to_owned(),
        token_hash: None,
    };
    commits_with(FULL, store, store.submit(&request, NOW)).await;
    commits_with(NORMAL, store, store.take_submissions(10, true, NOW)).await;
    let report = ProblemReport {
        id: "report".to_owned(),
        at: NOW,
        target: "new.example".to_owned(),
        kind: ReportKind::Spam,
        text: String::new(),
        network: None,
    };
    commits_with(FULL, store, store.report(&report)).await;
    for action in [ClaimAction::Leave, ClaimAction::Return] {
        let place = (domain("owned.example"), None);
        let id = action.as_str().to_owned();
        let claim = Claim::new(id, action, place, true, "hash".to_owned(), NOW);
        commits_with(FULL, store, store.claim(&claim, NOW)).await;
        let soon = Timestamp(NOW.0 + 60_000);
        let taken = commits_with(NORMAL, store, store.take_claims(10, soon)).await;
        let check = ClaimCheck {
            is_verified: true,
            seen_dns: String::new(),
            seen_file: None,
        };
        commits_with(FULL, store, store.settle_claim(&taken[0], &check, soon)).await;
    }
}

#[tokio::test]
async fn decisions_of_a_moderator_survive_a_power_loss() {
    let folder = tempfile::tempdir().unwrap();
    let store = &open(folder.path()).await;
    let target = Target::Domain(domain("a.example"));
    commits_with(FULL, store, store.hide(&target, "spam", NOW)).await;
    commits_with(FULL, store, store.show(&target, "a mistake", NOW)).await;
    let selection = ReportSelection::Target(target);
    commits_with(FULL, store, store.close_reports(&selection, "done", NOW)).await;
    for scope in [
        Scope::domain(&domain("a.example")),
        Scope::suffix("b.example").unwrap(),
    ] {
        let exclusion = Exclusion {
            scope: scope.clone(),
            reason: "spam".to_owned(),
            source: ExclusionSource::Operator,
            since: NOW,
        };
        commits_with(FULL, store, store.exclude(&exclusion, NOW)).await;
        commits_with(FULL, store, store.include(&scope, "a mistake", NOW)).await;
    }
    let names = [domain("c.example")];
    commits_with(FULL, store, store.forget(&names, "by wish", NOW)).await;
}

#[tokio::test]
async fn changes_survive_a_power_loss_and_the_small_writes_of_a_crawl_do_not_wait_for_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = &open(folder.path()).await;
    let seed = Seed {
        domain: domain("a.example"),
        port: None,
        source: SeedSource::Seed,
    };
    commits_with(NORMAL, store, store.add_seeds(&[seed], false, NOW)).await;
    let until = Timestamp(NOW.0 + 60_000);
    let mut leases = commits_with(NORMAL, store, store.lease_domains(NOW, until, 1)).await;
    let lease = leases.remove(0);
    let pause = store.block_host(&lease.domain, until, NOW);
    commits_with(NORMAL, store, pause).await;
    let unread = UnreadDomain {
        domain: lease.domain.clone(),
        revision: 0,
    };
    commits_with(FULL, store, store.record_visits(&[visit(lease)])).await;
    let readings = DomainReadings {
        unread,
        documents: Vec::new(),
        listings: Vec::new(),
        reason: String::new(),
    };
    commits_with(FULL, store, store.replace_agents(&readings, NOW)).await;
    commits_with(NORMAL, store, store.forget_networks(NOW)).await;
}
