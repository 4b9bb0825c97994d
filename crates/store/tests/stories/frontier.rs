//! Tests of the frontier: seeds, leases and due times.

use crate::cast::{NOON, domain, lease, leased, minutes, seed, seeds, visit};
use manifest::Timestamp;
use store::{Lease, Outcome, RecordCounts, Seed, Store};

on_every_database!(
    p22_neighbours_in_a_list_are_not_neighbours_in_time,
    seeds_fall_due_on_whole_seconds,
    due_domains_are_counted_up_to_the_limit,
    waiting_domains_are_unvisited_and_due_soon,
    p35_a_blocked_address_is_remembered_until_its_time,
    p35_a_blocked_host_is_remembered_until_its_time,
    p31_the_state_of_a_domain_is_returned,
    a_domain_added_twice_is_kept_once,
    a_seed_gives_a_known_domain_its_newest_port,
    a_leased_domain_is_not_leased_twice,
    an_expired_lease_is_taken_over_and_the_late_visit_is_dropped,
    a_late_visit_counts_unless_the_domain_was_leased_again,
    a_visit_is_recorded_once,
    the_earliest_due_domains_come_first,
    a_visited_domain_is_leased_again_when_it_is_due,
    a_revisit_waits_ten_minutes_and_for_not_before,
    returned_leases_are_due_at_once,
    a_postponed_lease_is_taken_again_when_its_time_has_come,
    released_leases_wait_for_the_gap,
    a_crash_loop_makes_a_domain_wait_longer_after_ten_breaks,
    the_least_often_interrupted_domain_comes_first,
    equally_often_interrupted_domains_take_turns,
    p35_a_killed_crawler_is_no_failure_of_its_domains,
    a_finished_visit_ends_a_crash_loop,
    released_leases_wait_for_the_domains_own_delay,
    released_leases_wait_for_an_answer_and_the_gap,
    a_delay_noted_under_an_old_lease_is_ignored,
    the_next_due_domain_is_not_leased,
    hs_100_a_clock_that_jumps_ahead_visits_again_and_counts_once,
    hs_100_a_clock_that_jumps_back_visits_later_and_loses_nothing,
    a_hundred_thousand_seeds_are_added,
);

async fn p22_neighbours_in_a_list_are_not_neighbours_in_time(store: &dyn Store) {
    let names: Vec<_> = (0..200)
        .map(|number| format!("h{number:03}.example"))
        .collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    store.add_seeds(&seeds(&names), false, NOON).await.unwrap();
    let leases = store.lease_domains(NOON, minutes(30), 500).await.unwrap();
    assert_eq!(leases.len(), 200);
    let is_next = |pair: &[Lease]| pair[0].domain.as_str() < pair[1].domain.as_str();
    let in_order = leases.windows(2).filter(|pair| is_next(pair)).count();
    assert!((60..140).contains(&in_order), "{in_order} of 199");
}

async fn seeds_fall_due_on_whole_seconds(store: &dyn Store) {
    let is_whole = async |name: &str| {
        let site = store.site(&domain(name)).await.unwrap().unwrap();
        site.due.0 % 1_000 == 0
    };
    let odd = |minute| Timestamp(minutes(minute).0 + 123);
    let names = ["a.example", "b.example"];
    store
        .add_seeds(&seeds(&names), false, odd(0))
        .await
        .unwrap();
    for lease in store.lease_domains(odd(0), odd(5), 10).await.unwrap() {
        assert!(is_whole(lease.domain.as_str()).await, "{}", lease.domain);
        store.record_visits(&[visit(lease, odd(0))]).await.unwrap();
    }
    assert!(!is_whole("a.example").await, "a visit sets its own time");
    store
        .add_seeds(&seeds(&names), true, odd(20))
        .await
        .unwrap();
    assert!(is_whole("a.example").await && is_whole("b.example").await);
}

async fn due_domains_are_counted_up_to_the_limit(store: &dyn Store) {
    let names = seeds(&["a.example", "b.example", "c.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    assert_eq!(store.due(NOON, 2).await.unwrap(), 2);
    assert_eq!(store.due(NOON, 9).await.unwrap(), 3);
    assert_eq!(store.due(minutes(-61), 9).await.unwrap(), 0);
    store.lease_domains(NOON, minutes(5), 1).await.unwrap();
    assert_eq!(store.due(NOON, 9).await.unwrap(), 2);
}

async fn waiting_domains_are_unvisited_and_due_soon(store: &dyn Store) {
    let visited = leased(store, "a.example").await;
    store.record_visits(&[visit(visited, NOON)]).await.unwrap();
    let (soon, late) = (minutes(30), minutes(300));
    for (name, until) in [("b.example", soon), ("c.example", late)] {
        let lease = leased(store, name).await;
        store.postpone_leases(&[(lease, until)]).await.unwrap();
    }
    store
        .add_seeds(&seeds(&["d.example"]), false, NOON)
        .await
        .unwrap();
    let waiting = async |until, since| {
        let waiting = store.waiting(NOON, until, since).await.unwrap();
        (waiting.domains, waiting.next, waiting.last)
    };
    assert_eq!(waiting(minutes(20), NOON).await, (0, None, None));
    let (first, last) = (Some(soon), Some(late));
    assert_eq!(waiting(minutes(90), NOON).await, (1, first, first));
    assert_eq!(waiting(late, NOON).await, (2, first, last));
    assert_eq!(waiting(late, minutes(10)).await, (3, first, last));
}

async fn p35_a_blocked_address_is_remembered_until_its_time(store: &dyn Store) {
    let address = "192.0.2.7".parse().unwrap();
    let other = "2001:db8::".parse().unwrap();
    store.block_address(address, minutes(60)).await.unwrap();
    store.block_address(address, minutes(5)).await.unwrap();
    store.block_address(other, minutes(10)).await.unwrap();
    let mut blocks = store.address_blocks(NOON).await.unwrap();
    blocks.sort();
    assert_eq!(blocks, [(address, minutes(60)), (other, minutes(10))]);
    let later = store.address_blocks(minutes(10)).await.unwrap();
    assert_eq!(later, [(address, minutes(60))]);
    let at_noon = store.address_blocks(NOON).await.unwrap();
    assert_eq!(at_noon, [(address, minutes(60))], "forgotten for good");
}

async fn p35_a_blocked_host_is_remembered_until_its_time(store: &dyn Store) {
    let (known, unknown) = (domain("a.example"), domain("unknown.example"));
    leased(store, "a.example").await;
    for (host, until) in [(&known, 60), (&known, 5), (&unknown, 10)] {
        let until = minutes(until);
        store.block_host(host, until, NOON).await.unwrap();
    }
    let blocks = store.host_blocks(NOON).await.unwrap();
    let both = [(known.clone(), minutes(60)), (unknown.clone(), minutes(10))];
    assert_eq!(blocks, both);
    let later = store.host_blocks(minutes(10)).await.unwrap();
    assert_eq!(later, both[..1]);
    let other = domain("b.example");
    let two_hours = minutes(120);
    store
        .block_host(&other, two_hours, minutes(60))
        .await
        .unwrap();
    let blocks = store.host_blocks(NOON).await.unwrap();
    assert_eq!(blocks, [(other.clone(), two_hours)], "forgotten for good");
    store
        .forget(&[other], "wishes to leave", NOON)
        .await
        .unwrap();
    assert_eq!(store.host_blocks(NOON).await.unwrap(), []);
}

async fn p31_the_state_of_a_domain_is_returned(store: &dyn Store) {
    let name = domain("a.example");
    assert_eq!(store.domain_state(&name).await.unwrap(), None);
    let lease = leased(store, "a.example").await;
    let domain_state = store.domain_state(&name).await.unwrap().unwrap();
    assert_eq!((domain_state.last_visit, domain_state.robots), (None, None));
    let visit = visit(lease, NOON);
    store
        .record_visits(std::slice::from_ref(&visit))
        .await
        .unwrap();
    let domain_state = store.domain_state(&name).await.unwrap().unwrap();
    assert_eq!(domain_state.last_visit, Some(visit.ended));
    assert_eq!(domain_state.not_before, visit.next.not_before);
    assert_eq!(domain_state.robots, visit.robots);
}

async fn a_domain_added_twice_is_kept_once(store: &dyn Store) {
    let names = seeds(&["a.example", "b.example", "a.example"]);
    let added = store.add_seeds(&names, false, NOON).await.unwrap();
    assert_eq!((added.new, added.known), (2, 1));
    let added = store
        .add_seeds(&seeds(&["b.example", "c.example"]), false, NOON)
        .await
        .unwrap();
    assert_eq!((added.new, added.known), (1, 1));
    assert_eq!(store.stats(NOON).await.unwrap().domains, 3);
}

async fn a_seed_gives_a_known_domain_its_newest_port(store: &dyn Store) {
    let at = |port| Seed {
        port,
        ..seed("a.example")
    };
    let both = [at(None), at(Some(8443))];
    store.add_seeds(&both, false, NOON).await.unwrap();
    let first = lease(store, "a.example", NOON).await;
    assert_eq!(first.port, Some(8443));
    store.return_leases(&[first]).await.unwrap();
    store.add_seeds(&[at(None)], false, NOON).await.unwrap();
    assert_eq!(lease(store, "a.example", NOON).await.port, None);
}

async fn a_leased_domain_is_not_leased_twice(store: &dyn Store) {
    leased(store, "a.example").await;
    let again = store.lease_domains(minutes(1), minutes(6), 10).await;
    assert_eq!(again.unwrap(), []);
}

async fn an_expired_lease_is_taken_over_and_the_late_visit_is_dropped(store: &dyn Store) {
    let first = leased(store, "a.example").await;
    let second = lease(store, "a.example", minutes(5)).await;
    assert_ne!(first.token, second.token);
    let mut late = visit(first, NOON);
    late.outcome = Outcome::Down;
    let recorded = store
        .record_visits(&[late, visit(second, minutes(5))])
        .await
        .unwrap();
    assert_eq!((recorded.visits, recorded.fenced), (1, 1));
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.last_outcome, Some(Outcome::Empty));
    assert_eq!(site.visits.len(), 1);
}

async fn a_late_visit_counts_unless_the_domain_was_leased_again(store: &dyn Store) {
    let lease = leased(store, "a.example").await;
    let recorded = store.record_visits(&[visit(lease, minutes(50))]).await;
    assert_eq!(recorded.unwrap().visits, 1);
}

async fn a_visit_is_recorded_once(store: &dyn Store) {
    let visit = visit(leased(store, "a.example").await, NOON);
    store
        .record_visits(std::slice::from_ref(&visit))
        .await
        .unwrap();
    let again = store.record_visits(&[visit]).await.unwrap();
    let dropped = RecordCounts {
        fenced: 1,
        ..RecordCounts::default()
    };
    assert_eq!(again, dropped);
}

async fn the_earliest_due_domains_come_first(store: &dyn Store) {
    for (name, when) in [("c.example", 3), ("a.example", 1), ("b.example", 2)] {
        // More than the hour over which seeds are spread lies between them.
        let when = minutes(61 * when);
        store.add_seeds(&[seed(name)], false, when).await.unwrap();
    }
    let leases = store.lease_domains(minutes(200), minutes(205), 2).await;
    let names: Vec<_> = leases.unwrap().into_iter().map(|it| it.domain).collect();
    assert_eq!(names, [domain("a.example"), domain("b.example")]);
}

async fn a_visited_domain_is_leased_again_when_it_is_due(store: &dyn Store) {
    let mut visit = visit(leased(store, "a.example").await, NOON);
    visit.next.fails = 3;
    let due = visit.next.due;
    store.record_visits(&[visit]).await.unwrap();
    let early = Timestamp(due.0 - 1);
    assert_eq!(store.lease_domains(early, due, 10).await.unwrap(), []);
    let lease = lease(store, "a.example", due).await;
    assert_eq!((lease.fails, lease.rotation), (3, 2));
    assert_eq!(lease.interval_ms, Some(3_600_000));
    assert_eq!(lease.last_outcome, Some(Outcome::Empty));
}

async fn a_revisit_waits_ten_minutes_and_for_not_before(store: &dyn Store) {
    let mut visit = visit(leased(store, "a.example").await, NOON);
    visit.next.not_before = minutes(30);
    store.record_visits(&[visit]).await.unwrap();
    let again = seeds(&["a.example"]);

    store.add_seeds(&again, true, minutes(10)).await.unwrap();
    assert!(store.next_due().await.unwrap() > Some(minutes(60)));
    store.add_seeds(&again, false, minutes(11)).await.unwrap();
    assert!(store.next_due().await.unwrap() > Some(minutes(60)));
    store.add_seeds(&again, true, minutes(11)).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), Some(minutes(30)));
    store.add_seeds(&again, true, minutes(40)).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), Some(minutes(30)));
}

async fn returned_leases_are_due_at_once(store: &dyn Store) {
    let first = leased(store, "a.example").await;
    store
        .return_leases(std::slice::from_ref(&first))
        .await
        .unwrap();
    let second = lease(store, "a.example", NOON).await;
    store.return_leases(&[first]).await.unwrap();
    assert_eq!(store.stats(NOON).await.unwrap().leased, 1);
    let recorded = store.record_visits(&[visit(second, NOON)]).await.unwrap();
    assert_eq!(recorded.visits, 1);
}

async fn a_postponed_lease_is_taken_again_when_its_time_has_come(store: &dyn Store) {
    let first = leased(store, "a.example").await;
    let until = minutes(3);
    let postponed = [(first.clone(), until)];
    store.postpone_leases(&postponed).await.unwrap();
    assert_eq!(store.stats(NOON).await.unwrap().leased, 0);
    assert_eq!(store.next_due().await.unwrap(), Some(until));
    let early = store.lease_domains(minutes(2), minutes(9), 10).await;
    assert_eq!(early.unwrap(), []);
    let second = lease(store, "a.example", until).await;
    assert_ne!(first.token, second.token);
    // Another crawler has leased it.
    store.postpone_leases(&postponed).await.unwrap();
    assert_eq!(store.stats(NOON).await.unwrap().leased, 1);
}

/// Asserts that the next domain falls due at this time, or within the fifth of a second reserved
/// for ordering.
async fn falls_due(store: &dyn Store, moment: Timestamp) -> Timestamp {
    let due = store.next_due().await.unwrap().unwrap();
    assert!(
        (0..200).contains(&(due.0 - moment.0)),
        "{due:?}, not {moment:?}"
    );
    due
}

async fn released_leases_wait_for_the_gap(store: &dyn Store) {
    let lost = leased(store, "a.example").await;
    let released = store.release_leases(minutes(1), 2000, 0).await.unwrap();
    assert_eq!(released, [domain("a.example")]);
    let due = falls_due(store, Timestamp(minutes(1).0 + 2000)).await;
    let released = store.release_leases(minutes(1), 2000, 0).await.unwrap();
    assert_eq!(released, []);

    let again = seeds(&["a.example"]);
    store.add_seeds(&again, true, minutes(1)).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), Some(due));
    let recorded = store.record_visits(&[visit(lost, NOON)]).await.unwrap();
    assert_eq!((recorded.visits, recorded.fenced), (0, 1));
}

async fn a_crash_loop_makes_a_domain_wait_longer_after_ten_breaks(store: &dyn Store) {
    leased(store, "a.example").await;
    let mut now = minutes(1);
    for seconds in [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 8, 32, 128, 512, 2048, 2048] {
        store.release_leases(now, 2000, 0).await.unwrap();
        now = falls_due(store, Timestamp(now.0 + seconds * 1000)).await;
        lease(store, "a.example", now).await;
    }
}

async fn the_least_often_interrupted_domain_comes_first(store: &dyn Store) {
    let names: Vec<_> = (0..60).map(|number| format!("h{number}.example")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let first = seeds(&names[..40]);
    store.add_seeds(&first, false, NOON).await.unwrap();
    let old = store.lease_domains(NOON, minutes(30), 40).await.unwrap();
    assert_eq!(old.len(), 40);
    store.release_leases(minutes(1), 1000, 0).await.unwrap();
    let second = seeds(&names[40..]);
    store.add_seeds(&second, false, minutes(1)).await.unwrap();
    let both = store.lease_domains(minutes(2), minutes(30), 60).await;
    assert_eq!(both.unwrap().len(), 60);
    store.release_leases(minutes(3), 1000, 0).await.unwrap();
    let leases = store.lease_domains(minutes(4), minutes(30), 20).await;
    let is_new = |lease: &Lease| second.iter().any(|seed| seed.domain == lease.domain);
    assert!(leases.unwrap().iter().all(is_new));
}

/// Ties are reordered each time, so that none of them blocks the others.
async fn equally_often_interrupted_domains_take_turns(store: &dyn Store) {
    let names: Vec<_> = (0..64).map(|number| format!("h{number}.example")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    store.add_seeds(&seeds(&names), false, NOON).await.unwrap();
    let mut in_front = std::collections::HashSet::new();
    for minute in 0..10 {
        let leases = store.lease_domains(minutes(minute), minutes(60), 64).await;
        let leases = leases.unwrap();
        assert_eq!(leases.len(), 64);
        let front = leases.into_iter().take(16).map(|lease| lease.domain);
        in_front.extend(front);
        store
            .release_leases(minutes(minute), 1000, 0)
            .await
            .unwrap();
    }
    assert!(in_front.len() > 48, "{}", in_front.len());
}

async fn p35_a_killed_crawler_is_no_failure_of_its_domains(store: &dyn Store) {
    leased(store, "a.example").await;
    for minute in 1..4 {
        store
            .release_leases(minutes(minute), 2000, 0)
            .await
            .unwrap();
        let again = lease(store, "a.example", minutes(minute + 1)).await;
        assert_eq!(again.fails, 0);
    }
}

async fn a_finished_visit_ends_a_crash_loop(store: &dyn Store) {
    let mut last = leased(store, "a.example").await;
    for minute in 1..4 {
        store
            .release_leases(minutes(minute), 2000, 0)
            .await
            .unwrap();
        last = lease(store, "a.example", minutes(minute + 1)).await;
    }
    store
        .record_visits(&[visit(last, minutes(4))])
        .await
        .unwrap();
    lease(store, "a.example", minutes(70)).await;
    store.release_leases(minutes(71), 2000, 0).await.unwrap();
    falls_due(store, Timestamp(minutes(71).0 + 2000)).await;
}

async fn released_leases_wait_for_the_domains_own_delay(store: &dyn Store) {
    let lease = leased(store, "a.example").await;
    store.note_delay(&lease, 30_000).await.unwrap();
    store.release_leases(minutes(1), 2000, 0).await.unwrap();
    falls_due(store, Timestamp(minutes(1).0 + 30_000)).await;
}

// P16: the gap follows the last request of the killed crawler, which may still be answered.
async fn released_leases_wait_for_an_answer_and_the_gap(store: &dyn Store) {
    leased(store, "a.example").await;
    store
        .release_leases(minutes(1), 2000, 20_000)
        .await
        .unwrap();
    falls_due(store, Timestamp(minutes(1).0 + 22_000)).await;
}

async fn a_delay_noted_under_an_old_lease_is_ignored(store: &dyn Store) {
    let old = leased(store, "a.example").await;
    lease(store, "a.example", minutes(5)).await;
    store.note_delay(&old, 30_000).await.unwrap();
    store.release_leases(minutes(6), 2000, 0).await.unwrap();
    falls_due(store, Timestamp(minutes(6).0 + 2000)).await;
}

async fn the_next_due_domain_is_not_leased(store: &dyn Store) {
    assert_eq!(store.next_due().await.unwrap(), None);
    leased(store, "a.example").await;
    assert_eq!(store.next_due().await.unwrap(), None);
    let later = seeds(&["b.example"]);
    store.add_seeds(&later, false, minutes(60)).await.unwrap();
    let due = store.next_due().await.unwrap().unwrap();
    assert!(due > NOON && due <= minutes(60), "{due:?}");
}

async fn hs_100_a_clock_that_jumps_ahead_visits_again_and_counts_once(store: &dyn Store) {
    let first = leased(store, "a.example").await;
    // An hour ahead, the lease has expired although its visit is in flight.
    let second = lease(store, "a.example", minutes(60)).await;
    let both = [visit(first, minutes(60)), visit(second, minutes(60))];
    for (visit, counts) in both.into_iter().zip([0, 1]) {
        let recorded = store.record_visits(&[visit]).await.unwrap();
        assert_eq!((recorded.visits, recorded.fenced), (counts, 1 - counts));
    }
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.visits.len(), 1);
}

async fn hs_100_a_clock_that_jumps_back_visits_later_and_loses_nothing(store: &dyn Store) {
    let address = "192.0.2.7".parse().unwrap();
    store.block_address(address, minutes(30)).await.unwrap();
    let under_way = leased(store, "a.example").await;
    let an_hour_ago = store.lease_domains(minutes(-60), minutes(-55), 10).await;
    assert_eq!(an_hour_ago.unwrap(), [], "another crawler still has it");
    let ended = visit(under_way, minutes(-60));
    let due = ended.next.due;
    let recorded = store.record_visits(&[ended]).await.unwrap();
    assert_eq!((recorded.visits, recorded.fenced), (1, 0));
    let early = store.lease_domains(Timestamp(due.0 - 1), due, 10).await;
    assert_eq!(early.unwrap(), []);
    lease(store, "a.example", due).await;
    let blocks = store.address_blocks(minutes(-60)).await.unwrap();
    assert_eq!(blocks, [(address, minutes(30))]);
}

async fn a_hundred_thousand_seeds_are_added(store: &dyn Store) {
    let many: Vec<Seed> = (0..100_000)
        .map(|number| seed(&format!("host{number}.example")))
        .collect();
    let added = store.add_seeds(&many, false, NOON).await.unwrap();
    assert_eq!(added.new, 100_000);
    let leases = store.lease_domains(NOON, minutes(5), 2000).await.unwrap();
    let visits: Vec<_> = leases.into_iter().map(|it| visit(it, NOON)).collect();
    let recorded = store.record_visits(&visits).await.unwrap();
    assert_eq!(recorded.visits, 2000);
    let stats = store.stats(NOON).await.unwrap();
    assert_eq!((stats.due, stats.leased), (98_000, 0));
}
