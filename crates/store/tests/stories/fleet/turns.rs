//! Turns for requests to the networks of another crawler.

use super::{renewal, two_members};
use std::time::Duration;
use store::{FleetPlan, Grant, GuestPermit, Renewal, Store, TurnAnswer, TurnExchange};

const VALID: Duration = Duration::from_mins(1);

fn permit(guest: &str, number: i64, slot: u8) -> GuestPermit {
    GuestPermit {
        guest: guest.to_owned(),
        number,
        slot,
        address: "192.0.2.1".parse().unwrap(),
        is_counted: true,
        site: "a.example".to_owned(),
        host: "www.a.example".to_owned(),
        asked: 1,
        answered: 0,
        rest: Duration::ZERO,
        is_ended: false,
    }
}

async fn exchange(
    store: &dyn Store,
    name: &str,
    asked: Vec<GuestPermit>,
    grants: Vec<Grant>,
) -> TurnAnswer {
    let exchange = TurnExchange {
        name: name.to_owned(),
        asked,
        ended: Vec::new(),
        grants,
        valid: VALID,
    };
    store.exchange_turns(&exchange).await.unwrap()
}

#[tokio::test]
async fn a_turn_is_granted_by_the_holder_of_the_slot_for_the_request_that_is_asked_for() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    let asked = vec![permit(&second, 1, 3), permit(&second, 2, 200)];
    let answer = exchange(&*store, &second, asked.clone(), Vec::new()).await;
    assert_eq!(answer, TurnAnswer::default());
    let answer = exchange(&*store, &first, Vec::new(), Vec::new()).await;
    assert_eq!(answer.guests, asked[..1], "the other slot is not its own");

    let grant = |number, turn| Grant {
        guest: second.clone(),
        number,
        turn,
    };
    let grants = vec![grant(2, 1), grant(1, 2)];
    exchange(&*store, &first, Vec::new(), grants).await;
    let answer = exchange(&*store, &second, Vec::new(), Vec::new()).await;
    assert_eq!(answer.granted, [], "neither its own slot nor asked for");
    exchange(&*store, &first, Vec::new(), vec![grant(1, 1)]).await;
    let answer = exchange(&*store, &second, Vec::new(), Vec::new()).await;
    let [(1, 1, valid)] = answer.granted[..] else {
        panic!("{answer:?}");
    };
    assert!(valid > VALID / 2 && valid <= VALID, "{valid:?}");

    let answered = GuestPermit {
        asked: 2,
        answered: 1,
        rest: Duration::from_secs(5),
        ..permit(&second, 1, 3)
    };
    let answer = exchange(&*store, &second, vec![answered.clone()], Vec::new()).await;
    assert_eq!(answer.granted, [], "it was used");
    let answer = exchange(&*store, &first, Vec::new(), Vec::new()).await;
    assert_eq!(answer.guests, std::slice::from_ref(&answered));
    let take_in = TurnExchange {
        name: first.clone(),
        asked: Vec::new(),
        ended: vec![(second.clone(), 1)],
        grants: Vec::new(),
        valid: VALID,
    };
    let answer = store.exchange_turns(&take_in).await.unwrap();
    assert_eq!(answer.guests.len(), 1, "it has not ended");
    let ended = GuestPermit {
        answered: 2,
        is_ended: true,
        ..answered
    };
    exchange(&*store, &second, vec![ended.clone()], Vec::new()).await;
    let answer = exchange(&*store, &first, Vec::new(), Vec::new()).await;
    assert_eq!(answer.guests, [ended]);
    store.exchange_turns(&take_in).await.unwrap();
    let answer = exchange(&*store, &first, Vec::new(), Vec::new()).await;
    assert_eq!(answer.guests, []);
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn a_member_whose_term_has_ended_grants_nothing_and_one_that_died_asks_for_nothing() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    exchange(&*store, &second, vec![permit(&second, 1, 3)], Vec::new()).await;
    let last = Renewal {
        term: Duration::ZERO,
        ..renewal(&first, 2, FleetPlan::default())
    };
    store.renew_member(&last).await.unwrap().unwrap();
    let grant = Grant {
        guest: second.clone(),
        number: 1,
        turn: 1,
    };
    exchange(&*store, &first, Vec::new(), vec![grant]).await;
    let answer = exchange(&*store, &second, Vec::new(), Vec::new()).await;
    assert_eq!(answer.granted, []);

    store
        .leave_fleet(&renewal(&second, 2, FleetPlan::default()))
        .await
        .unwrap();
    let answer = exchange(&*store, &first, Vec::new(), Vec::new()).await;
    assert_eq!(answer.guests, []);
    store.close().await;
    database.drop().await;
}
