//! The traits of decisions of owners, operators and visitors.

use crate::error::StoreError;
use crate::model::{
    Claim, ClaimAnswer, ClaimCheck, Decision, DeletedCounts, Exclusion, HiddenTarget,
    ModerationCounts, ModerationEntry, ProblemReport, ReportAnswer, ReportSelection, ReportState,
    Scope, Seal, Session, SessionAnswer, SessionCall, Submission, Target, VisitRequest, Wait,
};
use async_trait::async_trait;
use manifest::{Domain, Timestamp};

/// Domains that are neither visited nor listed (P4).
#[async_trait]
pub trait Exclusions {
    /// Excludes domains, or changes the reason, and deletes their stored data; each of their agents
    /// gets an entry in the change log, `optout` if the owner decided and otherwise `remove`. The
    /// exclusion itself gets an entry in the public log of moderation. From the start of the call,
    /// covered domains cannot be added again. Records are deleted in steps of 500 domains; repeating
    /// an interrupted call completes it.
    async fn exclude(
        &self,
        exclusion: &Exclusion,
        now: Timestamp,
    ) -> Result<DeletedCounts, StoreError>;

    /// Removes an exclusion and logs it; false if there was none. Its domains have to be added again.
    async fn include(
        &self,
        scope: &Scope,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Returns the exclusions that cover a domain.
    async fn exclusions_of(&self, domain: &Domain) -> Result<Vec<Exclusion>, StoreError>;

    /// Returns all exclusions, ordered by name.
    async fn exclusions(&self) -> Result<Vec<Exclusion>, StoreError>;

    /// Deletes the stored data of domains like [`Exclusions::exclude`], but allows them to be added
    /// again.
    async fn forget(
        &self,
        domains: &[Domain],
        reason: &str,
        now: Timestamp,
    ) -> Result<DeletedCounts, StoreError>;
}

/// Moderation: hidden agents, the public log, and reports of problems.
#[async_trait]
pub trait Moderation {
    /// Hides the agents of a target, or changes the reason, that of their tombstones too. No query for agents returns them, and
    /// their changes are not logged, until they are shown again; their sites are visited and read
    /// as before. Each gets a `remove` entry in the change log, and the target one in the public
    /// log.
    async fn hide(
        &self,
        target: &Target,
        reason: &str,
        now: Timestamp,
    ) -> Result<ModerationCounts, StoreError>;

    /// Ends the hiding of a target; each agent that nothing else hides gets a `restore` entry in the
    /// change log, and the target one in the public log.
    async fn show(
        &self,
        target: &Target,
        reason: &str,
        now: Timestamp,
    ) -> Result<ModerationCounts, StoreError>;

    /// Returns what is hidden of a domain: itself, or agents of it.
    async fn hidden(&self, domain: &Domain) -> Result<Vec<HiddenTarget>, StoreError>;

    /// Returns the entries of the public log before one, newest first.
    async fn moderation_log(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ModerationEntry>, StoreError>;

    /// Stores a report, unless too many are open, or its network has one on the same target or sent
    /// too many in a day.
    async fn report(&self, report: &ProblemReport) -> Result<ReportAnswer, StoreError>;

    /// Returns the state of a report.
    async fn report_state(&self, id: &str) -> Result<Option<ReportState>, StoreError>;

    /// Returns the open reports, oldest first.
    async fn reports(&self, limit: u32) -> Result<Vec<ProblemReport>, StoreError>;

    /// Closes open reports and deletes their texts; the public log has one entry for each target.
    /// Returns the target of each report that was closed.
    async fn close_reports(
        &self,
        selection: &ReportSelection,
        reason: &str,
        now: Timestamp,
    ) -> Result<Vec<String>, StoreError>;
}

/// Claims of owners to leave the registry, or to return to it.
#[async_trait]
pub trait Claims {
    /// Stores a claim, unless it is pointless, or there are too many of its network or on names below
    /// its registrable domain. If the same claim is open already, its checks begin anew, and it keeps its id and token.
    async fn claim(&self, claim: &Claim, now: Timestamp) -> Result<ClaimAnswer, StoreError>;

    /// Returns a claim.
    async fn claim_by_id(&self, id: &str) -> Result<Option<Claim>, StoreError>;

    /// Begins the checks of claims that are due. A registrable domain has at most 20 checks a day;
    /// further ones are postponed. A check that never ends is repeated after 20 minutes.
    async fn take_claims(&self, limit: u32, now: Timestamp) -> Result<Vec<Claim>, StoreError>;

    /// Ends a check. A verified claim is in effect with it: the domain is excluded like by
    /// [`Exclusions::exclude`], or its exclusion ends and it is due.
    async fn settle_claim(
        &self,
        claim: &Claim,
        check: &ClaimCheck,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}

/// Sessions of the Interaction API, and the calls within them.
#[async_trait]
pub trait Sessions {
    /// Stores a session, unless its network or all networks together have too many. Sessions that
    /// expired 30 days ago are deleted, and if too many are stored, the oldest of those that have
    /// ended.
    async fn open_session(
        &self,
        session: &Session,
        now: Timestamp,
    ) -> Result<SessionAnswer, StoreError>;

    /// Returns the number of open sessions.
    async fn open_sessions(&self, now: Timestamp) -> Result<u64, StoreError>;

    /// Returns the session with a token, open or not, by the hash of the token.
    async fn session_by_token(&self, token_hash: &str) -> Result<Option<Session>, StoreError>;

    /// Returns a session, open or not, by its public id.
    async fn session_by_id(&self, id: &str) -> Result<Option<Session>, StoreError>;

    /// Appends a call to an open session; false if the session has ended, or has as many calls as it
    /// may have.
    async fn record_call(&self, id: &str, call: &SessionCall) -> Result<bool, StoreError>;

    /// Returns the calls of a session, in order.
    async fn session_calls(&self, id: &str) -> Result<Vec<SessionCall>, StoreError>;

    /// Ends an open session; false if it was not open.
    async fn end_session(&self, id: &str, now: Timestamp) -> Result<bool, StoreError>;

    /// Stores the signature of the record of a session with this number of calls, unless it has
    /// another number or a signature. No call is appended after that.
    async fn seal_session(&self, id: &str, calls: usize, seal: &Seal) -> Result<(), StoreError>;
}

/// Domains that visitors of the registry submit.
#[async_trait]
pub trait Submissions {
    /// Submits a new domain, or a recheck of a known one, to a watching crawler, within the limits
    /// of [`requested`](crate::requested) (P47). At most one submission of a domain is without result.
    async fn submit(&self, request: &VisitRequest, now: Timestamp) -> Result<Decision, StoreError>;

    /// Returns a submission.
    async fn submission(&self, id: &str) -> Result<Option<Submission>, StoreError>;

    /// Returns the submission of a domain that has no result yet.
    async fn open_submission(&self, domain: &Domain) -> Result<Option<Submission>, StoreError>;

    /// Returns the reason why a submission waits; `None` if it does not, or waits for its turn only.
    async fn wait(
        &self,
        submission: &Submission,
        now: Timestamp,
    ) -> Result<Option<Wait>, StoreError>;

    /// Moves up to `limit` submissions, at most 500, to the frontier, ahead of everything that is due,
    /// as long as requested visits are few enough (P47); networks take turns. Refused are excluded domains, names that the
    /// public DNS does not have and ports other than 443 unless `admits_special_use`, and unreadable
    /// rows, which are left out of the result. The recorded visit completes an accepted submission.
    async fn take_submissions(
        &self,
        limit: u32,
        admits_special_use: bool,
        now: Timestamp,
    ) -> Result<Vec<Submission>, StoreError>;
}
