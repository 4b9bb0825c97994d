//! Names of one site in the networks of other crawlers.

use crate::membership::Membership;
use crate::rate_limit::{Rules, Share, Slots};
use crate::run::crawl::queues::{Openings, Queues};
use crate::visit::SharedGate;
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;

const NOW: Timestamp = Timestamp(1_800_000_000_000);
const REST: Duration = Duration::from_secs(1);

fn lease(row: i64, name: &str) -> Lease {
    Lease::first(row, Domain::parse(name).unwrap(), 1)
}

fn names(openings: &Openings) -> [Vec<&str>; 2] {
    let guests = openings.guests.iter().map(|it| &it.lease);
    let next = openings.next.iter().map(|(_, lease)| lease);
    [guests.collect::<Vec<_>>(), next.collect()]
        .map(|leases| leases.iter().map(|it| it.domain.as_str()).collect())
}

/// P18, P51: while one name of a site is visited as a guest, the others wait for it as guests. They are not
/// handed on again, since they would take each other's place for ever.
#[tokio::test(start_paused = true)]
async fn p18_names_of_one_site_are_guests_one_after_the_other() {
    let gate = SharedGate::new(Rules::default());
    gate.lock().restrict(Share::new(Slots::from_iter([]), 2));
    let address: IpAddr = [127, 0, 0, 1].into();
    let mut queues = Queues::new(8, Membership::none(), Instant::now());
    let [first, second] = [(1, "a.mesa.example"), (2, "b.mesa.example")];
    let (start, first) = queues.enter(lease(first.0, first.1), NOW).unwrap();
    let opened = queues.enter_address(&gate, (start, first, address), NOW);
    assert_eq!(names(&opened), [Vec::<&str>::new(), Vec::new()]);
    let (first, _) = queues.take_elsewhere().pop().unwrap();

    let (_, first) = queues.enter_guest(first, NOW).unwrap();
    assert!(queues.enter_guest(lease(second.0, second.1), NOW).is_none());
    let (next, _) = queues.leave(&first.domain, REST, REST);
    let (start, next) = next.unwrap();
    let opened = queues.enter_address(&gate, (start, next, address), NOW);
    assert_eq!(names(&opened), [vec!["b.mesa.example"], Vec::new()]);
    assert_eq!(queues.take_elsewhere(), []);
}
