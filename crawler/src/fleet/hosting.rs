//! Visits of other crawlers to the networks of this one: pure in time.

use crate::rate_limit::{Entry, Gate, Turn};
use std::collections::HashMap;
use std::net::IpAddr;
use store::{Grant, GuestPermit};
use tokio::time::Instant;

/// Visits of other crawlers that this one has admitted, or is about to admit.
#[derive(Debug, Default)]
pub struct Hosting(HashMap<(String, i64), Stay>);

/// Answers to the permits of other crawlers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Turns that are granted.
    pub grants: Vec<Grant>,
    /// Permits whose end is taken in: the guest, and the number.
    pub ended: Vec<(String, i64)>,
}

/// Stay of a visit at an address.
#[derive(Debug)]
struct Stay {
    address: IpAddr,
    is_counted: bool,
    is_admitted: bool,
    /// Number of the last request whose turn was taken.
    granted: i64,
    /// Number of requests that are known to have ended.
    answered: i64,
}

impl Hosting {
    /// Takes in all permits that are asked for now, and returns the answers to them. One that is missing
    /// is that of a crawler that died.
    pub fn serve(&mut self, guests: &[GuestPermit], gate: &mut Gate, now: Instant) -> Served {
        let mut known = std::mem::take(&mut self.0);
        let mut served = Served::default();
        for guest in guests {
            let key = (guest.guest.clone(), guest.number);
            let stay = known.remove(&key);
            let mut stay = stay.unwrap_or_else(|| Stay::new(guest));
            stay.end_request(guest, gate, now);
            if guest.is_ended {
                stay.end(gate);
                served.ended.push(key);
                continue;
            }
            if stay.grant(guest, gate, now) {
                served.grants.push(Grant {
                    guest: guest.guest.clone(),
                    number: guest.number,
                    turn: guest.asked,
                });
            }
            self.0.insert(key, stay);
        }
        for stay in known.into_values() {
            stay.end(gate);
        }
        served
    }
}

impl Stay {
    /// Returns a stay that is not admitted yet. Earlier turns of it were granted by another holder of the
    /// slot, if any.
    fn new(guest: &GuestPermit) -> Self {
        Self {
            address: guest.address,
            is_counted: guest.is_counted,
            is_admitted: false,
            granted: guest.answered,
            answered: guest.answered,
        }
    }

    /// Takes in the end of the last request.
    fn end_request(&mut self, guest: &GuestPermit, gate: &mut Gate, now: Instant) {
        if self.answered < guest.answered {
            if self.granted > self.answered {
                let names = (guest.site.as_str(), guest.host.as_str());
                gate.guest_answered(names, self.address, now + guest.rest, now);
            }
            self.answered = guest.answered;
            self.granted = self.granted.max(self.answered);
        }
    }

    /// Returns true if the turn that is asked for is granted now.
    fn grant(&mut self, guest: &GuestPermit, gate: &mut Gate, now: Instant) -> bool {
        if guest.asked <= self.granted {
            return false;
        }
        if !self.is_admitted {
            let entry = gate.enter_redirected(!self.is_counted, self.address, now);
            self.is_admitted = matches!(entry, Entry::Now(_));
        }
        let turn = |gate: &mut Gate| gate.guest_turn(&guest.site, &guest.host, self.address, now);
        if self.is_admitted && matches!(turn(gate), Turn::Now) {
            self.granted = guest.asked;
            return true;
        }
        false
    }

    /// Ends the stay. A request whose end is unknown may still be sent and answered.
    fn end(self, gate: &mut Gate) {
        if self.granted > self.answered {
            gate.lost(self.address);
        }
        if self.is_admitted {
            gate.leave_redirected(!self.is_counted, self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::{GRANT, LONGEST_ANSWER, Rules, Share, Slot, Slots};
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn gate() -> Gate {
        Gate::new(Rules {
            gap: SECOND,
            ..Rules::default()
        })
    }

    fn guest(number: i64, address: &str) -> GuestPermit {
        GuestPermit {
            guest: "other".to_owned(),
            number,
            slot: 0,
            address: address.parse().unwrap(),
            is_counted: true,
            site: format!("site{number}.example"),
            host: format!("www.site{number}.example"),
            asked: 1,
            answered: 0,
            rest: SECOND,
            is_ended: false,
        }
    }

    /// Returns the numbers of the permits that get a turn.
    fn serve(hosting: &mut Hosting, guests: &[GuestPermit], gate: &mut Gate) -> Vec<i64> {
        let served = hosting.serve(guests, gate, Instant::now());
        served.grants.iter().map(|grant| grant.number).collect()
    }

    fn own_turn(gate: &mut Gate, host: &str) -> bool {
        let turn = gate.site_turn(host, host, "8.8.8.8".parse().unwrap(), Instant::now());
        matches!(turn, Turn::Now)
    }

    #[tokio::test(start_paused = true)]
    async fn p19_guests_and_own_visits_of_an_address_take_turns() {
        let (mut hosting, mut gate) = (Hosting::default(), gate());
        let mut guests = [guest(1, "8.8.8.8"), guest(2, "8.8.8.8")];
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [1]);
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [0; 0]);
        assert!(!own_turn(&mut gate, "own.example"));
        guests[0].answered = 1;
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [0; 0], "the gap");
        tokio::time::advance(SECOND).await;
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [2]);
    }

    #[tokio::test(start_paused = true)]
    async fn p19_an_address_has_two_visits_at_a_time_guests_included() {
        let (mut hosting, mut gate) = (Hosting::default(), gate());
        let own = gate.enter("own.example", "8.8.8.8".parse().unwrap(), Instant::now());
        assert_eq!(own, Entry::Now(None));
        let mut guests = vec![guest(1, "8.8.8.8"), guest(2, "8.8.8.8")];
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [1]);
        guests[0].answered = 1;
        serve(&mut hosting, &guests, &mut gate);
        tokio::time::advance(10 * SECOND).await;
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [0; 0]);
        guests.remove(0);
        serve(&mut hosting, &guests, &mut gate);
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [2]);
    }

    #[tokio::test(start_paused = true)]
    async fn p16_the_turn_of_a_guest_that_died_keeps_its_host_until_it_was_answered() {
        let (mut hosting, mut gate) = (Hosting::default(), gate());
        let mut asked = guest(1, "8.8.8.8");
        assert_eq!(
            serve(&mut hosting, std::slice::from_ref(&asked), &mut gate),
            [1]
        );
        serve(&mut hosting, &[], &mut gate);
        asked.number = 2;
        asked.site = "site1.example".to_owned();
        asked.host = "www.site1.example".to_owned();
        let long = GRANT + LONGEST_ANSWER;
        tokio::time::advance(long.saturating_sub(SECOND)).await;
        assert!(own_turn(&mut gate, "own.example"), "the address is free");
        tokio::time::advance(SECOND / 2).await;
        let late = std::slice::from_ref(&asked);
        assert_eq!(serve(&mut hosting, late, &mut gate), [0; 0]);
        gate.answered("8.8.8.8".parse().unwrap(), Instant::now());
        tokio::time::advance(2 * SECOND).await;
        assert_eq!(serve(&mut hosting, late, &mut gate), [2]);
    }

    /// The usual gap follows the last request of each guest, however its stay ended.
    #[tokio::test(start_paused = true)]
    async fn an_address_has_its_usual_pace_after_guests() {
        let (mut hosting, mut gate) = (Hosting::default(), gate());
        let address = "8.8.8.8".parse().unwrap();
        gate.enter("own.example", address, Instant::now());
        for number in 1..4 {
            let mut asked = guest(number, "8.8.8.8");
            let one = std::slice::from_ref(&asked);
            assert_eq!(serve(&mut hosting, one, &mut gate), [number]);
            if number < 3 {
                asked.answered = 1;
                asked.is_ended = true;
                let one = std::slice::from_ref(&asked);
                let served = hosting.serve(one, &mut gate, Instant::now());
                assert_eq!(served.ended, [("other".to_owned(), number)]);
                tokio::time::advance(SECOND).await;
            }
        }
        serve(&mut hosting, &[], &mut gate);
        tokio::time::advance(20 * SECOND).await;
        for _ in 0..3 {
            assert!(own_turn(&mut gate, "own.example"));
            gate.host_answered("own.example", Instant::now(), Instant::now());
            gate.site_answered("own.example", address, Instant::now());
            tokio::time::advance(SECOND).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slot_with_a_guest_is_busy_and_closed_slots_admit_none() {
        let (mut hosting, mut gate) = (Hosting::default(), gate());
        let guests = [guest(1, "8.8.8.8")];
        let slot = Slot::at(guests[0].address);
        assert!(gate.busy_slots(Instant::now()).is_empty());
        serve(&mut hosting, &guests, &mut gate);
        assert!(gate.busy_slots(Instant::now()).has(slot));
        serve(&mut hosting, &[], &mut gate);
        assert!(gate.busy_slots(Instant::now()).has(slot), "its request");
        tokio::time::advance(60 * SECOND).await;
        assert!(gate.busy_slots(Instant::now()).is_empty());
        let others: Slots = Slot::all().filter(|it| *it != slot).collect();
        gate.restrict(Share::new(others.clone(), 2));
        assert_eq!(serve(&mut hosting, &guests, &mut gate), [0; 0]);
        gate.restrict(Share {
            visits: others,
            redirects: Slots::all(),
            crawlers: 2,
        });
        assert_eq!(
            serve(&mut hosting, &guests, &mut gate),
            [1],
            "it is being given up"
        );
    }

    /// The number of the last request counts, not that of requests that were seen.
    #[tokio::test(start_paused = true)]
    async fn a_stay_goes_on_at_another_holder_of_its_slot() {
        let (mut hosting, mut gate) = (Hosting::default(), gate());
        let mut asked = guest(1, "8.8.8.8");
        asked.asked = 5;
        asked.answered = 4;
        let one = std::slice::from_ref(&asked);
        let served = hosting.serve(one, &mut gate, Instant::now());
        assert_eq!(served.grants[0].turn, 5);
        let again = hosting.serve(one, &mut gate, Instant::now());
        assert_eq!(again, Served::default());
    }
}
