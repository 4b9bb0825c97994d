//! `crawler exclude` and `crawler forget`: exclusion of sites and deletion of their data (P4).
//!
//! Both can run while a crawler is running, which applies the change within four seconds.

use crate::config::{ConfigError, Exclude, Forget};
use manifest::domain::DomainError;
use manifest::{Domain, Timestamp};
use std::fmt::Write as _;
use store::{DeletedCounts, Exclusion, ExclusionSource, Scope, Store, StoreError};
use url::Url;

/// Public reason for the removal of an exclusion.
const ENDED: &str = "the operator removed the exclusion";

/// Errors of `crawler exclude` and `crawler forget`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExcludeError {
    /// The command is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such exclusion to remove.
    #[error("{0} is not excluded")]
    NotExcluded(Scope),
    /// Another exclusion covers it and would have to be removed.
    #[error(
        "{asked} itself is not excluded, but {there} is: to remove that exclusion, use crawler exclude {}{} --remove",
        .there.name(),
        if .there.is_suffix() { " --suffix" } else { "" }
    )]
    Elsewhere {
        /// The scope given to the command.
        asked: Scope,
        /// The scope of the exclusion that covers it.
        there: Scope,
    },
}

impl ExcludeError {
    /// Reports whether the command was wrong, as opposed to a failure of the system.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Config(_))
    }
}

/// Returns the scope that a `crawler exclude` command is about.
pub fn scope(arguments: &Exclude) -> Result<Scope, ConfigError> {
    if arguments.suffix {
        return of_host(&arguments.domain, Scope::suffix);
    }
    Ok(Scope::domain(&domain(&arguments.domain)?))
}

/// Runs `crawler exclude` and returns the message for the operator.
pub async fn exclude(
    arguments: &Exclude,
    store: &dyn Store,
    now: Timestamp,
) -> Result<String, ExcludeError> {
    let scope = scope(arguments)?;
    if arguments.remove {
        if !store.include(&scope, ENDED, now).await? {
            let exclusions = store.exclusions().await?.into_iter();
            let there = exclusions
                .map(|exclusion| exclusion.scope)
                .find(|there| has_scheme(there, &scope));
            return Err(match there {
                Some(there) => ExcludeError::Elsewhere {
                    asked: scope,
                    there,
                },
                None => ExcludeError::NotExcluded(scope),
            });
        }
        return Ok(format!(
            "{scope} may be visited again; to have it visited, add its domains as seeds"
        ));
    }
    let reason = arguments.reason.as_deref().unwrap_or_default().trim();
    if reason.is_empty() {
        return Err(ConfigError::Reason.into());
    }
    let exclusion = Exclusion {
        scope,
        reason: reason.to_owned(),
        source: if arguments.by_owner {
            ExclusionSource::Owner
        } else {
            ExclusionSource::Operator
        },
        since: now,
    };
    let deleted = store.exclude(&exclusion, now).await?;
    let scope = &exclusion.scope;
    let mut text = format!("{scope}: no longer visited or listed; {}", counts(deleted));
    text.push_str("\na running crawler applies this within 4 seconds");
    if !scope.is_suffix() {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\nsubdomains of {} are not covered; --suffix covers them, too",
            scope.name()
        );
    }
    Ok(text)
}

/// Runs `crawler forget` and returns the message for the operator.
pub async fn forget(
    arguments: &Forget,
    store: &dyn Store,
    now: Timestamp,
) -> Result<String, ExcludeError> {
    let domain = domain(&arguments.domain)?;
    let deleted = store
        .forget(std::slice::from_ref(&domain), &arguments.reason, now)
        .await?;
    Ok(match deleted.domains {
        0 => format!("no data of {domain} is stored"),
        _ => format!(
            "{domain}: {}; unless it is excluded, it is added again when a seed list or another site names it\n\
             a visit that a running crawler is making continues, but its result is discarded",
            counts(deleted)
        ),
    })
}

fn domain(text: &str) -> Result<Domain, ConfigError> {
    of_host(text, Domain::parse)
}

/// Parses a name, or takes the host from a URL or a name with a port, as exclusions apply to whole
/// hosts.
fn of_host<T>(text: &str, read: impl Fn(&str) -> Result<T, DomainError>) -> Result<T, ConfigError> {
    read(text).or_else(|error| {
        let host = host(text).and_then(|host| read(&host).ok());
        host.ok_or_else(|| ConfigError::Domain {
            text: text.to_owned(),
            reason: error.to_string(),
        })
    })
}

fn host(text: &str) -> Option<String> {
    let url = if text.contains("://") {
        Url::parse(text)
    } else {
        Url::parse(&format!("https://{text}"))
    };
    // The owner of a mailbox does not own its host.
    let url = url.ok().filter(|url| url.username().is_empty())?;
    url.host_str().map(str::to_owned)
}

/// Reports whether a command to remove the exclusion of `asked` may be about the exclusion `there`.
fn has_scheme(there: &Scope, asked: &Scope) -> bool {
    let domain = Domain::parse(asked.name());
    there.name() == asked.name() || domain.is_ok_and(|domain| there.covers(&domain))
}

fn counts(deleted: DeletedCounts) -> String {
    let count = |number: u64, noun: &str| match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    };
    format!(
        "deleted {}, {} and {}",
        count(deleted.domains, "domain"),
        count(deleted.documents, "document"),
        count(deleted.agents, "agent")
    )
}
