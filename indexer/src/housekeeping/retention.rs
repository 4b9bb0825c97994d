//! Rules of retention, as docs/operating.md states them.

use manifest::Timestamp;
use std::time::Duration;
use store::{ClosedVersion, ProblemReport, Session, requested};

/// Former versions that are kept of a document.
const MAX_VERSIONS: usize = 100;
/// Former versions that are kept of the file of a skill, besides the current one.
const MAX_SKILL_VERSIONS: usize = 2;
/// Time for which a former version is kept.
const VERSION_AGE: Duration = Duration::from_hours(2 * 365 * 24);
/// Time for which a submission is kept.
const SUBMISSION_AGE: Duration = Duration::from_hours(24 * requested::KEPT_DAYS);

/// Returns the time before which the hash of a network is deleted.
pub(super) fn oldest_network(now: Timestamp) -> Timestamp {
    earlier(now, requested::DAY)
}

/// Returns the time before which a submission is deleted.
pub(super) fn oldest_submission(now: Timestamp) -> Timestamp {
    earlier(now, SUBMISSION_AGE)
}

/// Returns the time before which an expired session is deleted.
pub(super) fn oldest_session(now: Timestamp) -> Timestamp {
    earlier(now, Session::KEPT)
}

/// Returns the time before which a closed report is deleted.
pub(super) fn oldest_report(now: Timestamp) -> Timestamp {
    earlier(now, ProblemReport::KEPT)
}

/// Removes the last document from a full page of versions, since the page may have only some of
/// its versions; reports whether the page was the last one.
///
/// A document that fills a page remains; the rest of its versions follow on the next day.
pub(super) fn whole_documents(versions: &mut Vec<ClosedVersion>, full: usize) -> bool {
    if versions.len() < full {
        return true;
    }
    let last = versions.last().map(|it| it.document);
    if let Some(start) = versions.iter().position(|it| Some(it.document) == last)
        && start > 0
    {
        versions.truncate(start);
    }
    false
}

/// Returns the ids of the versions that are no longer kept, given the versions of whole documents,
/// the newest of each first.
pub(super) fn expired(versions: &[ClosedVersion], now: Timestamp) -> Vec<i64> {
    let oldest = earlier(now, VERSION_AGE);
    let documents = versions.chunk_by(|one, other| one.document == other.document);
    documents
        .flat_map(|versions| versions.iter().enumerate())
        .filter(|(newer, version)| *newer >= most(version) || version.last_seen < oldest)
        .map(|(_, version)| version.id)
        .collect()
}

/// Returns the number of former versions that are kept of the document of a version.
fn most(version: &ClosedVersion) -> usize {
    if version.is_skill {
        MAX_SKILL_VERSIONS
    } else {
        MAX_VERSIONS
    }
}

fn earlier(now: Timestamp, by: Duration) -> Timestamp {
    let milliseconds = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    Timestamp(now.0.saturating_sub(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn version(document: i64, id: i64, age_days: u64) -> ClosedVersion {
        ClosedVersion {
            id,
            document,
            is_skill: false,
            last_seen: earlier(NOW, Duration::from_hours(age_days * 24)),
        }
    }

    #[test]
    fn the_newest_hundred_of_two_years_are_kept() {
        let mut versions: Vec<_> = (0..103).map(|it| version(1, 1_000 - it, 3)).collect();
        versions.push(version(2, 7, 730));
        versions.push(version(2, 6, 731));
        assert_eq!(expired(&versions, NOW), [900, 899, 898, 6]);
        assert!(expired(&[], NOW).is_empty());
    }

    #[test]
    fn three_versions_of_a_skill_are_kept_with_the_current_one() {
        let versions: Vec<_> = (1..=4)
            .map(|age| ClosedVersion {
                is_skill: true,
                ..version(1, 10 - age, 1)
            })
            .collect();
        assert_eq!(expired(&versions, NOW), [7, 6]);
    }

    #[test]
    fn a_document_at_the_end_of_a_full_page_waits_for_the_next_one() {
        let mut page = vec![version(1, 3, 0), version(1, 2, 0), version(2, 9, 0)];
        assert!(whole_documents(&mut page.clone(), 4));
        assert!(!whole_documents(&mut page, 3));
        assert_eq!(page.len(), 2);
        assert!(!whole_documents(&mut page, 2));
        assert_eq!(page.len(), 2, "a document that fills a page remains");
    }
}
