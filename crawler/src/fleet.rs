//! Division of all networks among the crawlers of one database, so that the rules on what hosts share
//! (P12, P19, P20, P35, P38) hold across processes: pure in time.
//!
//! A network belongs to one of [`SLOTS`] slots, and a slot to one crawler at a time, whose own
//! [`Gate`](crate::rate_limit::Gate) then knows every visit there. [`plan`] says what a crawler asks of
//! the table of slots, and [`Permissions`] what it may do meanwhile.
//!
//! There are two clocks. The table has the time of the database, the only one that all crawlers see;
//! a crawler measures durations by its own boot clock, which also runs while the process is stopped.
//! No point of time is ever compared across the two: a crawler counts what it was granted from the
//! moment before it asked, and what it has to wait for from the moment after the answer. So clocks may
//! differ by any offset.

mod hosting;
#[cfg(test)]
mod tests;

use crate::rate_limit::{GRANT, LONGEST_ANSWER, SLOTS, Share, Slot, Slots};
pub use hosting::{Hosting, Served};
use sha2::{Digest as _, Sha256};
use std::cmp::Reverse;
use std::time::Duration;
use store::{FleetPlan, FleetView};

/// Time for which a crawler is a member after it was renewed, by the database's clock.
pub const TERM: Duration = Duration::from_secs(10);

/// Time between two renewals.
pub const RENEWAL: Duration = Duration::from_secs(2);

/// Time before the end of its term from which a crawler sends nothing: clocks do not run equally fast,
/// and a packet may wait in a queue of its machine.
const MARGIN: Duration = Duration::from_secs(2);

/// Returns the member that should have each slot, by number, of those whose term has not ended; none
/// if there is none that stays.
///
/// All have the same number of slots, give or take one. What a member has of its share remains its
/// own: one that joins takes its share from the others, and that of one that leaves goes to them, without
/// other moves. Rendezvous hashing (Thaler and Ravishankar, 1998) assigns each of the remaining slots to a
/// member that lacks some, so that members with slightly different views mostly agree.
pub fn homes(view: &FleetView) -> Vec<Option<&str>> {
    let mut homes = vec![None; SLOTS];
    let staying = view.members.iter();
    let staying = staying.filter(|(_, it)| it.until >= view.now && !it.is_leaving);
    let names: Vec<&str> = staying.map(|(name, _)| name.as_str()).collect();
    let Some(share) = SLOTS.checked_div(names.len()) else {
        return homes;
    };
    let one_more = SLOTS % names.len();
    let mut lacking = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        let share = share + usize::from(place < one_more);
        let weights: Vec<[u8; 4]> = weights(name).collect();
        let slots = view.slots.iter().take(SLOTS).enumerate();
        let own = slots.filter(|(_, it)| it.holder.as_deref() == Some(name));
        let mut own: Vec<usize> = own.map(|(slot, _)| slot).collect();
        own.sort_unstable_by_key(|slot| Reverse(weights.get(*slot)));
        own.truncate(share);
        for slot in &own {
            homes[*slot] = Some(name);
        }
        lacking.push((share - own.len(), name, weights));
    }
    for (slot, home) in homes.iter_mut().enumerate().filter(|(_, it)| it.is_none()) {
        let candidates = lacking.iter_mut().filter(|(lacks, ..)| *lacks > 0);
        let heaviest = candidates.max_by_key(|(_, _, weights)| weights.get(slot).copied());
        if let Some((lacks, name, _)) = heaviest {
            *lacks -= 1;
            *home = Some(*name);
        }
    }
    homes
}

/// Returns the weight of a member for each slot.
fn weights(member: &str) -> impl Iterator<Item = [u8; 4]> {
    let digests = (0..=u8::MAX).map(move |block| hash(&[member.as_bytes(), &[0, block]]));
    let weights = digests.flat_map(|digest| {
        let words = digest.chunks_exact(4);
        let words: Vec<[u8; 4]> = words.filter_map(|it| it.try_into().ok()).collect();
        words
    });
    weights.take(SLOTS)
}

/// Returns what the member `me` asks for, who sees the tables like this.
pub fn plan(view: &FleetView, me: &str) -> FleetPlan {
    let expired = view.members.iter().filter(|(_, it)| it.until < view.now);
    let mut plan = FleetPlan {
        expired: expired.map(|(name, _)| name.clone()).collect(),
        ..FleetPlan::default()
    };
    for (slot, home) in Slot::all().zip(homes(view)) {
        let is_home = home == Some(me);
        let holding = view.slots.get(slot.number());
        match holding.and_then(|it| it.holder.as_deref()) {
            None if is_home => plan.take.push(slot.stored()),
            Some(holder) if holder == me && !is_home => plan.give_up.push(slot.stored()),
            _ => {}
        }
    }
    plan
}

/// Returns the time from the end of a member's term until another one may use its slots, with `gap`
/// between two requests to an address (P19): a request that it sent or permitted in its last moment may
/// take as long to be answered as any (P43).
pub fn after_end(gap: Duration) -> Duration {
    GRANT + LONGEST_ANSWER + gap
}

/// Time from the beginning of a slot's end in which redirects may still lead visits there. Otherwise visits
/// in two slots of which each is led to the other would wait for each other, and keep both from being given
/// up. It is limited, as an address to which many sites redirect is never free.
const REDIRECTED: Duration = Duration::from_mins(1);

/// Answer to the question whether a network may be contacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Now.
    Now,
    /// Not before this time of the boot clock.
    NotBefore(Duration),
    /// Another member has it, or none has it yet.
    Elsewhere,
    /// This member is giving it up.
    Ending,
    /// The term of this member may have ended.
    Lapsed,
}

/// Permissions of a member, by its own boot clock.
#[derive(Clone, Debug)]
pub struct Permissions {
    /// End of the time in which it may send.
    until: Duration,
    /// Times from which it may use its slots, by number.
    slots: Vec<Option<Duration>>,
    /// Changes that it asks for, by the last answer.
    plan: FleetPlan,
    /// The plan is that of a member that leaves or is offline.
    is_leaving: bool,
    /// Times at which the slots of the plan began to be given up, by number.
    ending: Vec<Option<Duration>>,
    /// Slots that it has given up in a renewal since then, and that may be another one's by now.
    given_up: Vec<u8>,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            until: Duration::ZERO,
            slots: vec![None; SLOTS],
            plan: FleetPlan::default(),
            is_leaving: false,
            ending: vec![None; SLOTS],
            given_up: Vec::new(),
        }
    }
}

impl Permissions {
    /// Takes in the answer to a renewal by the member `me`, which was asked for `before` and came
    /// `after`. The term that it grants is counted from before, and a wait from after.
    pub fn renewed(&mut self, me: &str, view: &FleetView, before: Duration, after: Duration) {
        self.until = before + TERM.saturating_sub(MARGIN);
        self.plan = plan(view, me);
        self.is_leaving = view.members.get(me).is_some_and(|it| it.is_leaving);
        self.given_up.clear();
        for slot in Slot::all() {
            let holding = view.slots.get(slot.number());
            let mine = holding.filter(|it| it.holder.as_deref() == Some(me));
            let usable_from = mine.map(|it| after + wait(it.usable_from, view.now));
            let is_ending = self.plan.give_up.contains(&slot.stored());
            self.slots[slot.number()] = usable_from.filter(|_| !is_ending);
            // One that was never usable admits nothing.
            let began = usable_from.filter(|from| is_ending && *from <= after);
            let ending = &mut self.ending[slot.number()];
            *ending = began.map(|_| ending.unwrap_or(after));
        }
    }

    /// Ends the membership: nothing is permitted any more.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// Reports whether the term of this member cannot have ended: it may send a request to a network
    /// that it was permitted to visit.
    pub fn is_current(&self, now: Duration) -> bool {
        now < self.until
    }

    /// Returns whether a visit to a network of this slot may begin.
    pub fn access(&self, slot: Slot, now: Duration) -> Access {
        match self.slots[slot.number()] {
            _ if !self.is_current(now) => Access::Lapsed,
            None if self.plan.give_up.contains(&slot.stored()) => Access::Ending,
            None => Access::Elsewhere,
            Some(from) if from > now => Access::NotBefore(from),
            Some(_) => Access::Now,
        }
    }

    /// Returns the end of the time in which this member may send.
    pub fn until(&self) -> Duration {
        self.until
    }

    /// Returns the slots in which a visit may begin.
    pub fn slots(&self, now: Duration) -> Slots {
        let usable = Slot::all().filter(|it| self.access(*it, now) == Access::Now);
        usable.collect()
    }

    /// Returns the share of one of so many crawlers.
    pub fn share(&self, crawlers: usize, now: Duration) -> Share {
        let redirects = Slot::all().filter(|it| self.admits_redirect(*it, now));
        Share {
            visits: self.slots(now),
            redirects: redirects.collect(),
            crawlers: u32::try_from(crawlers).unwrap_or(u32::MAX),
        }
    }

    /// Reports whether a redirect may lead a visit into a slot.
    fn admits_redirect(&self, slot: Slot, now: Duration) -> bool {
        let began = self.ending[slot.number()];
        match self.access(slot, now) {
            Access::Now => true,
            Access::Ending if self.given_up.contains(&slot.stored()) => false,
            Access::Ending => began.is_some_and(|began| now < began + REDIRECTED),
            Access::NotBefore(_) | Access::Elsewhere | Access::Lapsed => false,
        }
    }

    /// Returns those of some slots that a member can keep while it gives all others up. A slot that it has
    /// given up in a renewal may be another one's before it knows.
    pub fn kept(&self, slots: &Slots, now: Duration) -> Slots {
        let can_keep = |slot: Slot| match self.access(slot, now) {
            Access::Now => true,
            Access::Ending => {
                let was_usable = self.ending[slot.number()].is_some();
                was_usable && !self.given_up.contains(&slot.stored())
            }
            Access::NotBefore(_) | Access::Elsewhere | Access::Lapsed => false,
        };
        let chosen = Slot::all().filter(|it| slots.has(*it));
        chosen.filter(|it| can_keep(*it)).collect()
    }

    /// Returns what the next renewal asks for. Of the slots that are another one's by now it gives up
    /// those that are not `busy`; nothing begins there any more. A member that does not leave after all
    /// keeps them all: the answer shows which of them are its own again.
    pub fn next_plan(&mut self, busy: &Slots, is_leaving: bool) -> FleetPlan {
        let mut plan = self.plan.clone();
        let stays = self.is_leaving && !is_leaving;
        plan.give_up
            .retain(|slot| !stays && !busy.has(Slot::from(*slot)));
        self.given_up.extend(&plan.give_up);
        plan
    }
}

/// Returns the time from `now` until `at`, both of the database's clock.
fn wait(at: i64, now: i64) -> Duration {
    Duration::from_millis(u64::try_from(at.saturating_sub(now)).unwrap_or(0))
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}
