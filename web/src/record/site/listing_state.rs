//! State of the listing of a domain: listed or not, and since when that is known.

use super::find;
use crate::error::AppError;
use crate::state::AppState;
use manifest::{Domain, Level, Timestamp};
use std::time::Duration;
use store::{AgentStatus, Outcome, Site, StoredAgent};

/// Time after which a visit that is due counts as missing.
const OVERDUE: Duration = Duration::from_hours(7 * 24);

/// State of the listing of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListingState {
    /// It has agents, and the last visit confirmed them.
    Listed { levels: Levels, checked: Timestamp },
    /// It has agents, but its manifest was not confirmed since.
    Unconfirmed { levels: Levels, since: Timestamp },
    /// It was visited and has no agents.
    NotListed { checked: Timestamp },
    /// The operator hides its agents.
    Hidden,
    /// Its robots.txt asks not to be listed.
    OptedOut,
    /// It waits for its first visit.
    Waiting,
    /// The registry does not know it.
    Unknown,
    /// Its owner took it out.
    Departed,
    /// The operator excludes it.
    Excluded,
}

/// Best and worst level of the agents of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) best: Level,
    pub(crate) worst: Level,
}

impl ListingState {
    /// Returns the state of a domain.
    pub(crate) async fn of(state: &AppState, domain: &Domain) -> Result<Self, AppError> {
        if let Some(record) = find(state, domain).await? {
            return Ok(Self::of_site(&record.site, (state.now)()));
        }
        let exclusions = state.store.exclusions_of(domain).await?;
        Ok(match exclusions.first() {
            None => Self::Unknown,
            Some(exclusion) if exclusion.source.is_owner() => Self::Departed,
            Some(_) => Self::Excluded,
        })
    }

    /// Returns the state of a known site.
    pub(crate) fn of_site(site: &Site, now: Timestamp) -> Self {
        let Some(checked) = site.last_visit else {
            return Self::Waiting;
        };
        let Some(levels) = Levels::of(&site.agents) else {
            return match site.last_outcome {
                Some(Outcome::OptedOut) => Self::OptedOut,
                _ if !site.hidden.is_empty() => Self::Hidden,
                _ => Self::NotListed { checked },
            };
        };
        let is_confirmed = site.agents.iter().all(|it| it.status == AgentStatus::Ok);
        if is_confirmed && now.since(site.due) < OVERDUE {
            return Self::Listed { levels, checked };
        }
        let seen = site.agents.iter().map(|it| it.last_seen);
        Self::Unconfirmed {
            levels,
            since: seen.max().unwrap_or(checked),
        }
    }
}

impl Levels {
    fn of(agents: &[StoredAgent]) -> Option<Self> {
        let levels = agents.iter().map(|it| it.listing.level);
        Some(Self {
            best: levels.clone().min()?,
            worst: levels.max()?,
        })
    }

    /// Names the level, or the range of levels.
    pub(crate) fn words(self) -> String {
        let (best, worst) = (self.best.as_str(), self.worst.as_str());
        if best == worst {
            format!("manifest {best}")
        } else {
            format!("manifest {best}–{worst}")
        }
    }
}
