//! Visits to sites that visitors ask for (P47).

use super::crawler;
use crate::error::{AppError, Missing};
use crate::metrics::SubmissionResult;
use crate::random;
use crate::state::AppState;
use crate::view::statement::Statement;
use crate::view::time::Moment;
use crate::view::{foreign, outcome};
use manifest::{Domain, Timestamp};
use std::time::Duration;
use store::{
    Decision, Exclusion, ExclusionSource, Outcome, Submission, SubmissionKind, SubmissionState,
    VisitRequest, Wait, requested,
};

/// Longest time that a request waits to record something.
const LONGEST_WRITE: Duration = Duration::from_millis(500);

/// Seconds after which a network of which too many submissions wait may submit again.
const FULL_WAIT_S: u64 = 3_600;

/// Answer to a submitted domain.
#[derive(Debug)]
pub(crate) enum SubmitOutcome {
    /// It waits for its visit.
    Accepted(Box<Submission>),
    /// It is known already, and may be rechecked at this time.
    Known(Domain, Timestamp),
}

/// Submits a domain, with the port of its https origin if that is not 443; a known one is rechecked.
pub(crate) async fn submit(
    state: &AppState,
    domain: Domain,
    port: Option<u16>,
) -> Result<SubmitOutcome, AppError> {
    let submitted = submit_new(state, domain, port).await;
    count(state, &submitted, |outcome| match outcome {
        SubmitOutcome::Accepted(_) => Some(SubmissionResult::Accepted),
        SubmitOutcome::Known(..) => Some(SubmissionResult::Known),
    });
    submitted
}

/// Submits a domain that need not be known.
async fn submit_new(
    state: &AppState,
    domain: Domain,
    port: Option<u16>,
) -> Result<SubmitOutcome, AppError> {
    let kind = SubmissionKind::New;
    let now = (state.now)();
    match ask(state, kind, (&domain, port), None).await? {
        Decision::Accepted(submission) => Ok(SubmitOutcome::Accepted(submission)),
        Decision::Known => submit_known(state, domain).await,
        Decision::Excluded(exclusion) => Err(excluded(&domain, &exclusion)),
        Decision::Later(at) => Err(too_early(kind, &domain, at, now)),
        Decision::FullOfNetwork => Err(full_of_network()),
        Decision::Full | Decision::Unknown => Err(AppError::QueueFull),
    }
}

/// Asks for a recheck of a domain that was submitted, but is known.
async fn submit_known(state: &AppState, domain: Domain) -> Result<SubmitOutcome, AppError> {
    match ask(state, SubmissionKind::Recheck, (&domain, None), None).await? {
        Decision::Accepted(submission) => Ok(SubmitOutcome::Accepted(submission)),
        Decision::Later(at) => Ok(SubmitOutcome::Known(domain, at)),
        Decision::Excluded(exclusion) => Err(excluded(&domain, &exclusion)),
        Decision::FullOfNetwork => Err(full_of_network()),
        Decision::Full => Err(AppError::QueueFull),
        // It was forgotten in this moment.
        Decision::Known | Decision::Unknown => Err(AppError::WriteBusy),
    }
}

/// Asks for another visit to a site, with the token of its owner if there is one; `None` if the registry
/// does not know the site.
pub(crate) async fn recheck(
    state: &AppState,
    domain: &Domain,
    token: Option<&str>,
) -> Result<Option<Box<Submission>>, AppError> {
    let asked = recheck_known(state, domain, token).await;
    count(state, &asked, |submission| {
        submission.as_ref().map(|_| SubmissionResult::Accepted)
    });
    asked
}

/// Asks for a recheck of a domain that the registry should know.
async fn recheck_known(
    state: &AppState,
    domain: &Domain,
    token: Option<&str>,
) -> Result<Option<Box<Submission>>, AppError> {
    let kind = SubmissionKind::Recheck;
    let now = (state.now)();
    match ask(state, kind, (domain, None), token).await? {
        Decision::Accepted(submission) => Ok(Some(submission)),
        Decision::Known | Decision::Unknown => Ok(None),
        Decision::Excluded(exclusion) => Err(excluded(domain, &exclusion)),
        Decision::Later(at) => Err(too_early(kind, domain, at, now)),
        Decision::FullOfNetwork => Err(full_of_network()),
        Decision::Full => Err(AppError::QueueFull),
    }
}

/// Counts the result of a request for a visit. Failures of the server are no results.
fn count<T>(
    state: &AppState,
    asked: &Result<T, AppError>,
    result: impl Fn(&T) -> Option<SubmissionResult>,
) {
    let result = match asked {
        Ok(outcome) => result(outcome),
        Err(
            AppError::Excluded(_)
            | AppError::TooEarly { .. }
            | AppError::Limited { .. }
            | AppError::QueueFull,
        ) => Some(SubmissionResult::Refused),
        Err(_) => None,
    };
    if let Some(result) = result {
        state.metrics.submitted(result);
    }
}

/// Asks the store for a visit.
async fn ask(
    state: &AppState,
    kind: SubmissionKind,
    (domain, port): (&Domain, Option<u16>),
    token: Option<&str>,
) -> Result<Decision, AppError> {
    let request = VisitRequest {
        kind,
        id: random::id()?,
        domain: domain.clone(),
        port,
        network: state.network(),
        token_hash: token.map(random::token_hash),
    };
    let decided = async {
        // Crawlers visit by the time of the database, and the clock of this machine may be ahead.
        let now = state.store.time((state.now)()).await?;
        state.store.submit(&request, now).await
    };
    let decided = tokio::time::timeout(LONGEST_WRITE, decided).await;
    Ok(decided.map_err(|_| AppError::WriteBusy)??)
}

/// Returns the error of a request from a network of which too many submissions wait (P47).
fn full_of_network() -> AppError {
    AppError::Limited {
        message: format!(
            "{} submissions from this network wait for the crawler already",
            requested::MAX_WAITING_OF_NETWORK
        ),
        wait_s: FULL_WAIT_S,
    }
}

/// Returns the error of a request for a visit to a domain that is excluded.
fn excluded(domain: &Domain, exclusion: &Exclusion) -> AppError {
    let way_back = match exclusion.source {
        ExclusionSource::Robots | ExclusionSource::ContentSignal => {
            "Its robots.txt asked for that; once it allows visits again, the domain can come back."
        }
        ExclusionSource::Owner => {
            "Its owner asked for that, and can come back with POST /api/v1/return."
        }
        ExclusionSource::Operator | ExclusionSource::Blocklist => {
            "The operator of this registry excluded it, and can include it again."
        }
    };
    AppError::Excluded(format!(
        "{domain} is neither visited nor listed: {}. {way_back}",
        foreign(&exclusion.reason).trim_end_matches('.')
    ))
}

/// Returns the error of a request that comes too early (P47).
pub(crate) fn too_early(
    kind: SubmissionKind,
    domain: &Domain,
    at: Timestamp,
    now: Timestamp,
) -> AppError {
    let wait = at.since(now);
    let (before, after) = match kind {
        SubmissionKind::New => (
            format!(
                "{} new names below {} were submitted within 24 hours, or {} from this network; the next \
                 one can be submitted",
                requested::NAMES_A_DAY,
                domain.registrable(),
                requested::NAMES_OF_NETWORK,
            ),
            ".",
        ),
        SubmissionKind::Recheck => (
            format!("{domain} can be rechecked"),
            ". The wait grows with each recheck, from none to 24 hours, and is forgiven after seven days \
             without one; a pause that the site asked for is kept. An owner who proves the domain waits 1, 2, \
             5 and then 10 minutes (POST /api/v1/own).",
        ),
    };
    AppError::TooEarly {
        message: Statement::at(before, Moment::of(at, now), after.to_owned()),
        wait_s: wait.as_secs() + u64::from(wait.subsec_nanos() > 0),
    }
}

/// Loads a submission.
pub(crate) async fn find(state: &AppState, id: &str) -> Result<Submission, AppError> {
    state.store.submission(id).await?.ok_or_else(|| {
        AppError::NotFound(Box::new(Missing {
            message: "There is no such submission.".to_owned(),
            advice: "Results are kept for a time only; what is known of a site is in its report: by the tool check_site of MCP, or GET /api/v1/sites/{domain}/report.",
            ..Missing::default()
        }))
    })
}

/// Returns the time since which no crawler takes the submissions that wait for one; `None` if one
/// does, or if this one does not wait for it.
pub(crate) async fn absent_since(
    state: &AppState,
    submission: &Submission,
) -> Result<Option<Timestamp>, AppError> {
    match submission.state {
        SubmissionState::Waiting | SubmissionState::Queued => crawler::absent_since(state).await,
        SubmissionState::Visiting | SubmissionState::Visited | SubmissionState::Refused => Ok(None),
    }
}

/// Returns advice on the outcome of a visit for the owner of the site; `None` before, or if nothing
/// needs to be fixed.
pub(crate) fn advice(submission: &Submission) -> Option<&'static str> {
    let after = submission.after.as_ref();
    match submission.outcome? {
        Outcome::Empty if after.is_some_and(|it| it.findings_total > 0) => Some(
            "A document was read, but no agent in it can be listed: the page of the site names the reason and the line.",
        ),
        outcome => outcome::advice(outcome),
    }
}

/// Explains why a submission waits.
pub(crate) fn reason(wait: Wait) -> &'static str {
    match wait {
        Wait::Site(_) => {
            "The site was visited in the meantime, or it asked for a pause; the next requested visit \
             has to wait."
        }
        Wait::Share(_) => {
            "The requested visits of the last 24 hours are used up: at most 100 of rechecks and 100 of new \
             names, or a tenth of all visits each if that is more, and half of that for one network. \
             Further visits of the crawler may end the wait earlier."
        }
    }
}
