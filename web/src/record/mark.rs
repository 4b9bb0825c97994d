//! Marks of sites: whether anything that is shown of one has changed, without reading it.

use crate::cache::{Tag, period};
use crate::error::AppError;
use crate::state::AppState;
use manifest::{Domain, Timestamp};
use std::time::Duration;
use store::SiteMark;

/// Time for which a page that says how long ago things happened is right, unless they happened within
/// the last hour, or will within the next.
const HOURS_HOLD: Duration = Duration::from_mins(5);
/// The same if they did.
const MINUTES_HOLD: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

/// Mark of a site, which is unknown if there is none.
#[derive(Debug)]
pub(crate) struct Mark(Option<SiteMark>);

impl Mark {
    /// Returns the mark of a site. What it stands for must be read after it.
    pub(crate) async fn of(state: &AppState, domain: &Domain) -> Result<Self, AppError> {
        Ok(Self(state.store.site_mark(domain).await?))
    }

    /// Reports whether anything is stored of the site.
    pub(crate) fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Reports whether a page of the site shows nothing that the mark does not stand for, such as the
    /// progress of a submission.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.is_some_and(|it| !it.is_awaited)
    }

    /// Returns the tag of a response that depends on the site and on `parts`, and names no relative time.
    pub(crate) fn tag(&self, parts: &[&str]) -> Tag {
        let text = self.text();
        let all: Vec<&str> = parts.iter().copied().chain([text.as_str()]).collect();
        Tag::of(&all)
    }

    /// Returns the tag of a page, which says how long ago the site was visited.
    pub(crate) fn page_tag(&self, parts: &[&str], now: Timestamp) -> Tag {
        let period = period(self.holds_for(now), &self.text(), now);
        let all: Vec<&str> = parts.iter().copied().chain([period.as_str()]).collect();
        self.tag(&all)
    }

    fn holds_for(&self, now: Timestamp) -> Duration {
        let times = self
            .0
            .map(|it| [Some(it.first_seen), it.last_visit, Some(it.due)]);
        let mut times = times.into_iter().flatten().flatten();
        if times.any(|it| now.since(it).max(it.since(now)) < HOUR) {
            MINUTES_HOLD
        } else {
            HOURS_HOLD
        }
    }

    fn text(&self) -> String {
        let Some(mark) = self.0 else {
            return String::new();
        };
        let SiteMark {
            domain,
            first_seen,
            last_visit,
            due,
            revision,
            is_unread,
            visit,
            moderation,
            is_awaited,
        } = mark;
        let number = |it: Option<i64>| it.unwrap_or_default();
        format!(
            "{domain} {} {} {} {revision} {is_unread} {} {} {is_awaited}",
            first_seen.0,
            number(last_visit.map(|it| it.0)),
            due.0,
            number(visit),
            number(moderation),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_count_within_an_hour_of_a_visit_only() {
        let mark = |last_visit: i64, due: i64| {
            Mark(Some(SiteMark {
                domain: 1,
                first_seen: Timestamp(0),
                last_visit: Some(Timestamp(last_visit)),
                due: Timestamp(due),
                revision: 1,
                is_unread: false,
                visit: Some(1),
                moderation: None,
                is_awaited: false,
            }))
        };
        let hour = 3_600_000;
        let now = Timestamp(100 * hour);
        for (last_visit, due, expected) in [
            (90, 110, HOURS_HOLD),
            (100, 110, MINUTES_HOLD),
            (90, 100, MINUTES_HOLD),
            (99, 101, HOURS_HOLD),
        ] {
            let mark = mark(last_visit * hour, due * hour);
            assert_eq!(mark.holds_for(now), expected, "{last_visit} {due}");
        }
    }
}
