//! Acts of people in the registry of a soak: strangers, owners and the operator.

use super::world;
use manifest::Timestamp;
use rand::{Rng as _, rngs::StdRng};
use std::sync::Arc;
use std::time::Duration;
use store::{
    Claim, ClaimAction, ClaimCheck, Exclusion, ExclusionSource, ProblemReport, ReportKind,
    ReportSelection, Scope, Session, SessionCall, Store, SubmissionKind, Target, VisitRequest,
};

/// Events in a registry, one of each kind in each round.
pub(crate) struct Events {
    store: Arc<dyn Store>,
    /// Number of the round, by which ids and names are new.
    round: u64,
}

impl Events {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, round: 0 }
    }

    /// Makes the events of a round.
    pub(crate) async fn happen(&mut self, now: Timestamp, random: &mut StdRng) {
        self.round += 1;
        self.submissions(now, random).await;
        self.sessions(now).await;
        self.reports(now, random).await;
        self.claims(now).await;
        self.moderation(now).await;
    }

    /// Submits three names that were never seen, and asks for two rechecks.
    async fn submissions(&self, now: Timestamp, random: &mut StdRng) {
        let new = (0..3).map(|it| (SubmissionKind::New, 10_000 + self.round * 3 + it));
        let old = (0..2).map(|_| {
            (
                SubmissionKind::Recheck,
                random.random_range(0..super::SITES),
            )
        });
        for (place, (kind, number)) in new.chain(old).enumerate() {
            let request = VisitRequest {
                kind,
                id: format!("submission {} {place}", self.round),
                domain: world::name(number),
                port: None,
                network: format!("network {}", self.round % 7),
                token_hash: None,
            };
            self.store.submit(&request, now).await.unwrap();
        }
    }

    /// Opens five sessions with four calls each, and ends two of them.
    async fn sessions(&self, now: Timestamp) {
        for place in 0..5 {
            let id = format!("session {} {place}", self.round);
            let session = Session {
                id: id.clone(),
                token_hash: format!("hash of {id}"),
                network: format!("network {place}"),
                agent: "{}".to_owned(),
                created: now,
                expires: now.after(Duration::from_hours(1)),
                ended: None,
                calls: 0,
                seal: None,
            };
            self.store.open_session(&session, now).await.unwrap();
            for _ in 0..4 {
                let call = SessionCall {
                    at: now,
                    capability: "search".to_owned(),
                    method: "GET".to_owned(),
                    params: "{\"q\":\"a ferry\"}".to_owned(),
                    policy: "allowed".to_owned(),
                    status: 200,
                };
                assert!(self.store.record_call(&id, &call).await.unwrap());
            }
            if place < 2 {
                assert!(self.store.end_session(&id, now).await.unwrap());
            }
        }
    }

    /// Reports two sites, and closes one of the reports of the day before.
    async fn reports(&self, now: Timestamp, random: &mut StdRng) {
        for place in 0..2 {
            let report = ProblemReport {
                id: format!("report {} {place}", self.round),
                at: now,
                target: world::name(random.random_range(0..super::SITES)).to_string(),
                kind: ReportKind::Spam,
                text: "It advertises.".to_owned(),
                network: Some(format!("network {place}")),
            };
            self.store.report(&report).await.unwrap();
        }
        let closed = ReportSelection::Ids(
            (0..2)
                .map(|place| {
                    format!(
                        "report {} {place}",
                        self.round.saturating_sub(super::ROUNDS.into())
                    )
                })
                .collect(),
        );
        let closing = self.store.close_reports(&closed, "looked into", now);
        closing.await.unwrap();
    }

    /// Lets one owner of a steady site leave or return, and a stranger claim a site in vain.
    async fn claims(&self, now: Timestamp) {
        let steady: Vec<_> = (0..super::SITES)
            .filter(|it| world::is_steady(*it))
            .collect();
        let of_owner = usize::try_from(self.round / 2).unwrap() % steady.len();
        let action = if self.round.is_multiple_of(2) {
            ClaimAction::Leave
        } else {
            ClaimAction::Return
        };
        let stranger = steady[usize::try_from(self.round * 7).unwrap() % steady.len()];
        for (who, action, number) in [
            ("owner", action, steady[of_owner]),
            ("stranger", ClaimAction::Own, stranger),
        ] {
            let domain = (world::name(number), None);
            let id = format!("{who} {}", self.round);
            let claim = Claim {
                network: Some(format!("network {}", self.round % 7)),
                ..Claim::new(id, action, domain, false, format!("hash {who}"), now)
            };
            self.store.claim(&claim, now).await.unwrap();
        }
    }

    /// Checks the claims that are due: those of owners hold.
    pub(crate) async fn check_claims(&self, now: Timestamp) {
        let soon = now.after(Duration::from_secs(10));
        for claim in self.store.take_claims(100, soon).await.unwrap() {
            let check = ClaimCheck {
                is_verified: claim.id.starts_with("owner"),
                seen_dns: "no record".to_owned(),
                seen_file: Some("404".to_owned()),
            };
            let settling = self.store.settle_claim(&claim, &check, soon);
            settling.await.unwrap();
        }
    }

    /// Hides a site and shows the one before; once a day excludes a site, includes the one of the day
    /// before, and forgets another, which the seed list brings back.
    async fn moderation(&self, now: Timestamp) {
        let site = |round: u64| Target::Domain(world::name(round * 3 % super::SITES));
        self.store
            .hide(&site(self.round), "looks wrong", now)
            .await
            .unwrap();
        let before = site(self.round - 1);
        let showing = self.store.show(&before, "is right", now);
        showing.await.unwrap();
        let day = u64::from(super::ROUNDS);
        if !self.round.is_multiple_of(day) {
            return;
        }
        let scope = |round: u64| Scope::domain(&world::name(round * 5 % super::SITES));
        let exclusion = Exclusion {
            scope: scope(self.round),
            reason: "advertises".to_owned(),
            source: ExclusionSource::Operator,
            since: now,
        };
        self.store.exclude(&exclusion, now).await.unwrap();
        let before = scope(self.round - day);
        self.store.include(&before, "better", now).await.unwrap();
        let forgotten = [world::name(self.round * 11 % super::SITES)];
        let forgetting = self.store.forget(&forgotten, "by wish", now);
        forgetting.await.unwrap();
    }
}
