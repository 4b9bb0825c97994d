//! Tests of sessions of the Interaction API.

use crate::cast::NOON;
use manifest::Timestamp;
use std::time::Duration;
use store::{Seal, Session, SessionAnswer, SessionCall, Store};

on_every_database!(
    a_session_lists_its_calls_until_it_ends,
    a_session_that_has_expired_takes_no_calls,
    a_session_takes_so_many_calls_and_no_more,
    a_network_has_so_many_open_sessions_and_no_more,
    a_network_creates_so_many_sessions_a_day_and_no_more,
    sessions_are_kept_for_thirty_days,
    the_hash_of_a_network_is_forgotten,
);

const HOUR: Duration = Duration::from_hours(1);

pub(crate) fn session(number: u32, network: &str, now: Timestamp) -> Session {
    Session {
        id: format!("s{number}"),
        token_hash: format!("hash of {number}"),
        network: network.to_owned(),
        agent: "{}".to_owned(),
        created: now,
        expires: now.after(HOUR),
        ended: None,
        calls: 0,
        seal: None,
    }
}

pub(crate) fn call(at: Timestamp) -> SessionCall {
    SessionCall {
        at,
        capability: "check".to_owned(),
        method: "GET".to_owned(),
        params: "{\"domain\":\"a.example\"}".to_owned(),
        policy: "allowed".to_owned(),
        status: 200,
    }
}

fn seal(signature: &str) -> Seal {
    Seal {
        site: "https://agentdex.example".to_owned(),
        key_id: "k".to_owned(),
        public_key: "p".to_owned(),
        signature: signature.to_owned(),
    }
}

async fn opened(store: &dyn Store, session: &Session) -> SessionAnswer {
    store.open_session(session, session.created).await.unwrap()
}

async fn a_session_lists_its_calls_until_it_ends(store: &dyn Store) {
    let session = session(1, "c", NOON);
    assert_eq!(opened(store, &session).await, SessionAnswer::Opened);
    let found = store.session_by_token("hash of 1").await.unwrap();
    assert_eq!(found, Some(session.clone()));
    assert_eq!(store.session_by_token("s1").await.unwrap(), None);
    let second = SessionCall {
        status: 404,
        ..call(NOON.after(HOUR / 3))
    };
    for call in [&call(NOON), &second] {
        assert!(store.record_call("s1", call).await.unwrap());
    }
    assert!(!store.record_call("s2", &call(NOON)).await.unwrap());
    let end = NOON.after(HOUR / 2);
    assert!(store.end_session("s1", end).await.unwrap());
    assert!(!store.end_session("s1", end).await.unwrap());
    assert!(!store.record_call("s1", &call(NOON)).await.unwrap());
    let calls = store.session_calls("s1").await.unwrap();
    assert_eq!(calls, [call(NOON), second]);
    store.seal_session("s1", 1, &seal("early")).await.unwrap();
    store.seal_session("s1", 2, &seal("first")).await.unwrap();
    store.seal_session("s1", 2, &seal("second")).await.unwrap();
    let found = store.session_by_id("s1").await.unwrap().unwrap();
    assert_eq!((found.ended, found.calls), (Some(end), 2));
    assert_eq!(found.seal, Some(seal("first")));
    assert!(!found.is_open(end) && found.end() == end);
}

async fn a_session_that_has_expired_takes_no_calls(store: &dyn Store) {
    let session = session(1, "c", NOON);
    opened(store, &session).await;
    assert!(session.is_open(Timestamp(session.expires.0 - 1)));
    assert!(!session.is_open(session.expires));
    let late = call(session.expires);
    assert!(!store.record_call("s1", &late).await.unwrap());
    assert!(!store.end_session("s1", session.expires).await.unwrap());
    assert_eq!(store.session_calls("s1").await.unwrap(), []);
}

async fn a_session_takes_so_many_calls_and_no_more(store: &dyn Store) {
    opened(store, &session(1, "c", NOON)).await;
    for _ in 0..Session::MAX_CALLS {
        assert!(store.record_call("s1", &call(NOON)).await.unwrap());
    }
    assert!(!store.record_call("s1", &call(NOON)).await.unwrap());
    let calls = store.session_calls("s1").await.unwrap();
    assert_eq!(calls.len(), Session::MAX_CALLS as usize);
}

async fn a_network_has_so_many_open_sessions_and_no_more(store: &dyn Store) {
    let first = session(0, "c", NOON);
    let later = NOON.after(HOUR / 2);
    opened(store, &first).await;
    for number in 1..Session::MAX_OF_NETWORK {
        let session = session(number, "c", later);
        assert_eq!(opened(store, &session).await, SessionAnswer::Opened);
    }
    for number in 1_000..2_000 {
        let refused = opened(store, &session(number, "c", later)).await;
        assert_eq!(refused, SessionAnswer::TooManyOfNetwork(first.expires));
    }
    assert_eq!(store.session_by_id("s1000").await.unwrap(), None);
    let other = session(3_000, "d", later);
    assert_eq!(opened(store, &other).await, SessionAnswer::Opened);
    let freed = session(3_001, "c", first.expires);
    assert_eq!(opened(store, &freed).await, SessionAnswer::Opened);
    store.end_session("s1", first.expires).await.unwrap();
    let freed = session(3_002, "c", first.expires);
    assert_eq!(opened(store, &freed).await, SessionAnswer::Opened);
}

async fn a_network_creates_so_many_sessions_a_day_and_no_more(store: &dyn Store) {
    for number in 0..Session::MAX_A_DAY {
        let session = session(number, "c", NOON);
        assert_eq!(opened(store, &session).await, SessionAnswer::Opened);
        store.end_session(&session.id, NOON).await.unwrap();
    }
    let refused = opened(store, &session(9_000, "c", NOON)).await;
    assert_eq!(
        refused,
        SessionAnswer::TooManyOfNetwork(NOON.after(HOUR * 24))
    );
    let tomorrow = session(9_001, "c", NOON.after(HOUR * 24));
    assert_eq!(opened(store, &tomorrow).await, SessionAnswer::Opened);
}

async fn sessions_are_kept_for_thirty_days(store: &dyn Store) {
    let first = session(1, "c", NOON);
    opened(store, &first).await;
    assert!(store.record_call("s1", &call(NOON)).await.unwrap());
    let kept = first.expires.after(Session::KEPT);
    opened(store, &session(2, "c", kept)).await;
    assert!(store.session_by_id("s1").await.unwrap().is_some());
    opened(store, &session(3, "c", Timestamp(kept.0 + 1))).await;
    assert_eq!(store.session_by_id("s1").await.unwrap(), None);
    assert_eq!(store.session_calls("s1").await.unwrap(), []);
}

async fn the_hash_of_a_network_is_forgotten(store: &dyn Store) {
    let (old, new) = (session(1, "c", NOON), session(2, "c", NOON.after(HOUR)));
    opened(store, &old).await;
    opened(store, &new).await;
    store.forget_networks(NOON.after(HOUR)).await.unwrap();
    let network = async |id| store.session_by_id(id).await.unwrap().unwrap().network;
    assert_eq!((&*network("s1").await, &*network("s2").await), ("", "c"));
}
