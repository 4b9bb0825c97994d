//! `crawler exclude` and `crawler forget`: a site asks to be left alone (P4).
//!
//! Both work beside a running crawler, which takes notice within ten seconds.

use crate::config::{ConfigError, Exclude, Forget};
use manifest::domain::DomainError;
use manifest::{Domain, Timestamp};
use std::fmt::Write as _;
use store::{Deleted, Exclusion, ExclusionSource, Scope, Store, StoreError};
use url::Url;

/// Why a command about leaving did nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeavingError {
    /// The command is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is nothing to take back.
    #[error("{0} is not excluded")]
    NotExcluded(Scope),
    /// Something else would have to be taken back.
    #[error(
        "{asked} is not excluded by itself, but {there} is: crawler exclude {}{} --remove takes that back",
        .there.name(),
        if .there.is_suffix() { " --suffix" } else { "" }
    )]
    Elsewhere {
        /// What was to be taken back.
        asked: Scope,
        /// What is excluded.
        there: Scope,
    },
}

impl LeavingError {
    /// True when the command was wrong, rather than the world.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Config(_))
    }
}

/// What a command of `crawler exclude` is about, checked.
pub fn scope(arguments: &Exclude) -> Result<Scope, ConfigError> {
    if arguments.suffix {
        return of_host(&arguments.domain, Scope::suffix);
    }
    Ok(Scope::domain(&domain(&arguments.domain)?))
}

/// Carries `crawler exclude` out; answers what to tell the operator.
pub async fn exclude(
    arguments: &Exclude,
    store: &dyn Store,
    now: Timestamp,
) -> Result<String, LeavingError> {
    let scope = scope(arguments)?;
    if arguments.remove {
        if !store.include(&scope).await? {
            let exclusions = store.exclusions().await?.into_iter();
            let there = exclusions
                .map(|exclusion| exclusion.scope)
                .find(|there| is_meant(there, &scope));
            return Err(match there {
                Some(there) => LeavingError::Elsewhere {
                    asked: scope,
                    there,
                },
                None => LeavingError::NotExcluded(scope),
            });
        }
        return Ok(format!(
            "{scope} may be visited again; add what you want to be visited as a seed"
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
    let mut text = format!(
        "{scope}: not visited and not listed any more; {}",
        told(deleted)
    );
    text.push_str("\na running crawler takes notice within 10 seconds");
    if !scope.is_suffix() {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\nnames below {} are not covered; --suffix covers them, too",
            scope.name()
        );
    }
    Ok(text)
}

/// Carries `crawler forget` out; answers what to tell the operator.
pub async fn forget(
    arguments: &Forget,
    store: &dyn Store,
    now: Timestamp,
) -> Result<String, LeavingError> {
    let domain = domain(&arguments.domain)?;
    let deleted = store
        .forget(std::slice::from_ref(&domain), &arguments.reason, now)
        .await?;
    Ok(match deleted.domains {
        0 => format!("nothing is stored of {domain}"),
        _ => format!(
            "{domain}: {}; it comes back when a seed list or another site names it, unless it is excluded\n\
             a visit that a running crawler makes to it right now goes on to its end, and nothing of it is kept",
            told(deleted)
        ),
    })
}

fn domain(text: &str) -> Result<Domain, ConfigError> {
    of_host(text, Domain::parse)
}

/// Reads a name, or that of the host when it is a URL or has a port: it is the whole host that leaves.
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
    // The owner of a mailbox is not the owner of its host.
    let url = url.ok().filter(|url| url.username().is_empty())?;
    url.host_str().map(str::to_owned)
}

/// True when whoever wants `asked` taken back may mean this exclusion.
fn is_meant(there: &Scope, asked: &Scope) -> bool {
    let domain = Domain::parse(asked.name());
    there.name() == asked.name() || domain.is_ok_and(|domain| there.covers(&domain))
}

fn told(deleted: Deleted) -> String {
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
