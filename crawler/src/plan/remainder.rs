//! What a visit leaves to later ones: named documents, and paths without an answer (P9, P36).

use super::Plan;
use super::ending::Ending;
use super::mode::Mode;
use store::NamedDocument;

/// The part of a visit's work that is left to the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remainder {
    /// Paths that are still to be answered (P36).
    pub unanswered: Vec<String>,
    /// The visit was for what the one before got no answer for, and got some (P36).
    pub has_progress: bool,
    /// The domain names documents that are still to be asked for (P9).
    pub has_more: bool,
}

impl Plan {
    /// Returns the named documents that are left to later visits and are not stored yet (P9).
    pub fn named(&self) -> Vec<NamedDocument> {
        let is_stored = |left: &NamedDocument| self.lease.named.iter().any(|it| it.url == left.url);
        let left = self.agenda.named_left();
        left.filter(|left| !is_stored(left)).cloned().collect()
    }

    /// Returns the named documents that were asked for, or that a robots.txt forbids to ask for.
    pub fn asked(&self) -> &[NamedDocument] {
        &self.asked_named
    }

    /// Returns the paths that are still to be answered, for the next visit (P36).
    fn unanswered(&self) -> Vec<String> {
        if self.asked.is_empty() {
            return self.lease.unanswered.clone();
        }
        let is_broken_off = match self.end {
            Some(Ending::Budget) => true,
            Some(Ending::Throttled | Ending::Blocked | Ending::Failing) => self.evidence.has_hit(),
            _ => false,
        };
        let left = self.agenda.paths_left();
        let left = left.filter(|_| is_broken_off || self.mode == Mode::Rest);
        let mut unanswered: Vec<String> = left.map(str::to_owned).collect();
        // What was not asked at all comes first, so that each path has its turn.
        unanswered.extend_from_slice(&self.unanswered);
        let is_complete = matches!(
            self.end,
            Some(
                Ending::Budget | Ending::CatchAll | Ending::Erring | Ending::KeptOut | Ending::Done
            )
        );
        if is_complete || self.mode == Mode::Rest || self.evidence.has_hit() {
            unanswered
        } else {
            Vec::new()
        }
    }

    /// Returns what the visit leaves to the next one.
    pub fn remainder(&self) -> Remainder {
        Remainder {
            unanswered: self.unanswered(),
            has_progress: self.mode == Mode::Rest && self.answered > 0,
            has_more: self.has_more(),
        }
    }

    /// Returns true when the domain itself names documents that are still to be asked for, and those that were asked
    /// for, if any, were worth it.
    fn has_more(&self) -> bool {
        let has_more = self.agenda.named_left().any(|named| named.is_own);
        has_more && (self.asked_named.is_empty() || self.evidence.has_unusual_hit())
    }
}
