//! Reports of problems with an agent or a site, which an operator reads.

use crate::error::{AppError, Missing};
use crate::parameter::BadParameter;
use crate::random;
use crate::state::AppState;
use manifest::{Domain, Timestamp};
use store::{ProblemReport, ReportAnswer, ReportKind, Target};

/// Most characters of the text.
pub(crate) const MAX_TEXT: usize = 2_000;
/// Seconds after which a target with too many reports may have another.
const WAIT_S: u64 = 24 * 60 * 60;

/// Answer to a report.
#[derive(Debug)]
pub(crate) enum ReportOutcome {
    /// It is stored.
    Stored(ProblemReport),
    /// The registry does not know the domain.
    UnknownSite(Domain),
}

/// Stores a report.
pub(crate) async fn report(
    state: &AppState,
    target: &Target,
    kind: ReportKind,
    text: String,
) -> Result<ReportOutcome, AppError> {
    let domain = Domain::parse(target.domain()).map_err(|_| AppError::no_such_page(""))?;
    if state.store.domain_state(&domain).await?.is_none() {
        return Ok(ReportOutcome::UnknownSite(domain));
    }
    if let Target::Agent(id) = target
        && state
            .store
            .agents_by_id(std::slice::from_ref(id))
            .await?
            .is_empty()
    {
        return Err(AppError::NotFound(Box::new(Missing {
            message: format!("{target} is not listed."),
            advice: "Report the domain instead.",
            ..Missing::default()
        })));
    }
    let now = (state.now)();
    let report = ProblemReport {
        id: random::id()?,
        at: now,
        target: target.as_str().to_owned(),
        kind,
        text,
        network: Some(state.network()),
    };
    let until = |at: Timestamp| at.since(now).as_secs().max(1);
    let (message, wait_s) = match state.store.report(&report).await? {
        ReportAnswer::Stored => return Ok(ReportOutcome::Stored(report)),
        ReportAnswer::TooMany => (
            format!("there are many open reports on {target} already; the operator will read them"),
            WAIT_S,
        ),
        ReportAnswer::Again(at) => (
            format!(
                "there is an open report on {target} from this network already; the operator will read it"
            ),
            until(at),
        ),
        ReportAnswer::TooManyOfNetwork(at) => (
            format!(
                "a network may send {} reports in a day",
                ProblemReport::MAX_OF_NETWORK
            ),
            until(at),
        ),
    };
    Err(AppError::Limited { message, wait_s })
}

/// Parses a domain, or the id of an agent.
pub(crate) fn target(value: &str) -> Result<Target, BadParameter> {
    Target::parse(value).map_err(|error| {
        let value = manifest::text::clean(value, 100);
        let message = format!("`{value}` is neither a domain nor the id of an agent: {error}");
        BadParameter::new("target", "bad_target", message)
    })
}

/// Parses a kind of problem.
pub(crate) fn kind(value: &str) -> Result<ReportKind, BadParameter> {
    let known = ReportKind::ALL.map(ReportKind::as_str);
    ReportKind::parse(value).ok_or_else(|| BadParameter::unknown_value("kind", value, &known))
}

/// Cleans a description of a problem.
pub(crate) fn text(value: &str) -> Result<String, BadParameter> {
    let bad = |message: String| Err(BadParameter::new("text", "bad_text", message));
    if value.chars().count() > MAX_TEXT {
        return bad(format!("`text` may have at most {MAX_TEXT} characters"));
    }
    let lines = value
        .lines()
        .map(|line| manifest::text::clean(line, MAX_TEXT));
    let text = lines.collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        return bad("describe the problem in `text`".to_owned());
    }
    Ok(text)
}
