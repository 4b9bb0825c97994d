//! Work that a visit leaves to later ones: named documents and unanswered paths (P9, P36).

use super::agenda::ROTATING;
use super::canary::Canary;
use super::mode::Mode;
use super::stop_reason::StopReason;
use super::{Plan, Remainder};
use store::NamedDocument;

impl Plan {
    /// Returns the named documents that are left to later visits and are not stored yet (P9).
    pub fn named(&self) -> Vec<NamedDocument> {
        let is_stored =
            |it: &NamedDocument| self.lease.named.iter().any(|stored| stored.url == it.url);
        let remaining = self.agenda.named_left();
        remaining.filter(|it| !is_stored(it)).cloned().collect()
    }

    /// Returns the named documents that were requested, or that robots.txt disallows.
    pub fn asked(&self) -> &[NamedDocument] {
        &self.asked_named
    }

    /// Returns the unanswered paths for the next visit (P36).
    fn unanswered(&self) -> Vec<String> {
        if self.asked.is_empty() || self.canary == Canary::Unanswered {
            return self.lease.unanswered.clone();
        }
        let is_broken_off = match self.end {
            Some(StopReason::Budget | StopReason::Stopped) => true,
            Some(StopReason::Throttled(_) | StopReason::Blocked(_) | StopReason::Failing) => {
                self.evidence.has_hit()
            }
            _ => false,
        };
        let remaining = self.agenda.paths_left();
        let remaining = remaining.filter(|_| is_broken_off || self.mode == Mode::Rest);
        let mut unanswered: Vec<String> = remaining.map(str::to_owned).collect();
        // Paths that were not requested at all come first, so that each has its turn.
        unanswered.extend_from_slice(&self.unanswered);
        let is_complete = matches!(
            self.end,
            Some(
                StopReason::Budget
                    | StopReason::Stopped
                    | StopReason::CatchAll
                    | StopReason::Erring
                    | StopReason::KeptOut
                    | StopReason::Done
            )
        );
        if !(is_complete || self.mode == Mode::Rest || self.evidence.has_hit()) {
            unanswered.clear();
        }
        // Whether the owner has changed that is seen at the next visit, as it was for a document.
        for path in self.withheld.iter().filter(|path| path.starts_with('/')) {
            if !unanswered.contains(path) {
                unanswered.push(path.clone());
            }
        }
        unanswered
    }

    /// Describes how many of the usual places that robots.txt allows were requested, and names the
    /// others in the order of their turns (P9, P47); `None` for a visit that requests only what
    /// another one left, or one path per lease.
    pub fn coverage(&self, is_allowed: impl Fn(&str) -> bool) -> Option<String> {
        if self.places.is_empty() || self.mode == Mode::Rest {
            return None;
        }
        let start = usize::try_from(self.rotation).unwrap_or(0) % self.places.len();
        let (before, from) = self.places.split_at(start);
        let places = from.iter().chain(before).filter(|path| is_allowed(path));
        let (asked, remaining): (Vec<_>, Vec<_>) =
            places.partition(|path| self.asked.iter().any(|asked| asked == *path));
        let number = asked.len() + remaining.len();
        let allowed = if number == self.places.len() {
            ""
        } else {
            " that robots.txt allows"
        };
        if remaining.is_empty() {
            return Some(format!("every usual place{allowed} was asked"));
        }
        let remaining: Vec<&str> = remaining.into_iter().copied().collect();
        Some(format!(
            "{} of {number} usual places{allowed} were asked; the others have their turn on later \
             visits, {ROTATING} at a time, or ten when a visit is asked for: {}",
            asked.len(),
            remaining.join(", ")
        ))
    }

    /// Returns the work that the visit leaves to the next one.
    pub fn remainder(&self) -> Remainder {
        Remainder {
            unanswered: self.unanswered(),
            has_progress: self.mode == Mode::Rest && self.answered > 0,
            has_more: self.has_more(),
        }
    }

    /// Reports whether the domain itself names documents that are still to be requested, and those
    /// requested so far, if any, were worthwhile.
    fn has_more(&self) -> bool {
        let has_more = self.agenda.named_left().any(|named| named.is_own);
        has_more && (self.asked_named.is_empty() || self.evidence.has_unusual_hit())
    }
}
