//! Tests of claims of owners to leave the registry, or to return to it.

use crate::cast::{NOON, domain, lease, minutes, seeds};
use manifest::Timestamp;
use store::{
    Claim, ClaimAction, ClaimAnswer, ClaimCheck, ClaimState, Exclusion, ExclusionSource,
    ModerationAction, Scope, Seed, Store,
};

on_every_database!(
    a_verified_claim_excludes_its_domain_and_another_ends_that,
    a_domain_that_returns_keeps_its_port,
    a_claim_that_is_not_verified_fails_in_the_end,
    a_claim_for_all_subdomains_covers_them,
    an_exclusion_of_the_operator_is_not_ended_by_a_claim,
    the_checks_of_a_site_are_limited,
    the_same_claim_joins_the_open_one,
    a_lost_check_is_repeated,
    claims_of_a_stranger_leave_those_of_the_owners_of_other_names,
    networks_take_turns_at_checks,
    a_stranger_who_repeats_a_claim_does_not_use_up_its_checks,
    claims_to_own_a_domain_leave_checks_to_those_to_leave_it,
);

fn claim(id: &str, action: ClaimAction, name: &str, now: Timestamp) -> Claim {
    let hash = "hash".to_owned();
    Claim::new(
        id.to_owned(),
        action,
        (domain(name), None),
        false,
        hash,
        now,
    )
}

fn check(is_verified: bool) -> ClaimCheck {
    ClaimCheck {
        is_verified,
        seen_dns: "no record".to_owned(),
        seen_file: Some("404".to_owned()),
    }
}

async fn taken(store: &dyn Store, now: Timestamp) -> Vec<Claim> {
    store.take_claims(10, now).await.unwrap()
}

async fn verified(store: &dyn Store, claim: &Claim, now: Timestamp) {
    let claimed = store.claim(claim, now).await.unwrap();
    assert!(matches!(claimed, ClaimAnswer::Accepted(_)), "{claimed:?}");
    let now = Timestamp(now.0 + 10_000);
    let due = taken(store, now).await;
    assert_eq!(due.len(), 1);
    store
        .settle_claim(&due[0], &check(true), now)
        .await
        .unwrap();
    let state = store.claim_by_id(&claim.id).await.unwrap().unwrap();
    assert_eq!(
        (state.state, state.next_check),
        (ClaimState::Verified, None)
    );
}

async fn a_verified_claim_excludes_its_domain_and_another_ends_that(store: &dyn Store) {
    let names = ["a.example", "www.a.example"];
    store.add_seeds(&seeds(&names), false, NOON).await.unwrap();
    let back = claim("back", ClaimAction::Return, "a.example", NOON);
    let answer = store.claim(&back, NOON).await.unwrap();
    assert_eq!(answer, ClaimAnswer::NotExcluded);
    let leave = claim("leave", ClaimAction::Leave, "a.example", NOON);
    verified(store, &leave, NOON).await;
    assert_eq!(store.site(&domain("a.example")).await.unwrap(), None);
    assert!(store.site(&domain(names[1])).await.unwrap().is_some());
    let covering = store.exclusions_of(&domain("a.example")).await.unwrap();
    assert_eq!(covering[0].source, ExclusionSource::Owner);
    let again = store.claim(&leave, NOON).await.unwrap();
    assert!(matches!(again, ClaimAnswer::Excluded(_)), "{again:?}");
    verified(store, &back, minutes(1)).await;
    assert_eq!(store.exclusions().await.unwrap(), []);
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert!(site.due <= minutes(2));
    let log = store.moderation_log(None, 10).await.unwrap();
    let log: Vec<_> = log
        .iter()
        .map(|it| (it.action, it.target.as_str()))
        .collect();
    let expected = [
        (ModerationAction::Restore, "a.example"),
        (ModerationAction::OptOut, "a.example"),
    ];
    assert_eq!(log, expected);
}

async fn a_domain_that_returns_keeps_its_port(store: &dyn Store) {
    let seed = Seed {
        port: Some(8443),
        ..seeds(&["a.example"]).remove(0)
    };
    store.add_seeds(&[seed], false, NOON).await.unwrap();
    let leave = claim("leave", ClaimAction::Leave, "a.example", NOON);
    verified(store, &leave, NOON).await;
    // The state of the request to leave is deleted after a while, though not if it is needed.
    let later = minutes(90 * 24 * 60);
    let back = claim("back", ClaimAction::Return, "a.example", later);
    verified(store, &back, later).await;
    let state = store.claim_by_id("back").await.unwrap().unwrap();
    assert_eq!(state.port, Some(8443), "the file is looked for there");
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.port, Some(8443));
}

async fn a_claim_that_is_not_verified_fails_in_the_end(store: &dyn Store) {
    let leave = claim("leave", ClaimAction::Leave, "a.example", NOON);
    store.claim(&leave, NOON).await.unwrap();
    assert_eq!(
        taken(store, NOON).await,
        [],
        "the first check is not at once"
    );
    let mut checks = 0;
    let mut state = store.claim_by_id("leave").await.unwrap().unwrap();
    while let Some(at) = state.next_check {
        for due in taken(store, at).await {
            store.settle_claim(&due, &check(false), at).await.unwrap();
            checks += 1;
        }
        state = store.claim_by_id("leave").await.unwrap().unwrap();
        assert_eq!(state.seen_file.as_deref(), Some("404"));
    }
    assert_eq!(state.state, ClaimState::Failed);
    assert_eq!(checks, Claim::MAX_CHECKS);
    assert_eq!(store.exclusions().await.unwrap(), []);
}

async fn a_claim_for_all_subdomains_covers_them(store: &dyn Store) {
    let alone = claim("alone", ClaimAction::Leave, "a.example", NOON);
    verified(store, &alone, NOON).await;
    let whole = Claim::new(
        "whole".to_owned(),
        ClaimAction::Leave,
        (domain("a.example"), Some(8443)),
        true,
        "hash".to_owned(),
        NOON,
    );
    verified(store, &whole, NOON).await;
    let below = domain("www.a.example");
    assert_eq!(store.exclusions_of(&below).await.unwrap().len(), 1);
    let part = claim("part", ClaimAction::Return, "www.a.example", NOON);
    let answer = store.claim(&part, NOON).await.unwrap();
    assert!(matches!(answer, ClaimAnswer::Excluded(_)), "{answer:?}");
    let back = claim("back", ClaimAction::Return, "a.example", NOON);
    verified(store, &back, NOON).await;
    assert_eq!(store.exclusions().await.unwrap(), []);
    lease(store, "a.example", minutes(1)).await;
}

async fn an_exclusion_of_the_operator_is_not_ended_by_a_claim(store: &dyn Store) {
    let exclusion = Exclusion {
        scope: Scope::suffix("example").unwrap(),
        reason: "abuse".to_owned(),
        source: ExclusionSource::Operator,
        since: NOON,
    };
    let leave = claim("leave", ClaimAction::Leave, "a.example", NOON);
    verified(store, &leave, NOON).await;
    let back = claim("back", ClaimAction::Return, "a.example", NOON);
    store.claim(&back, NOON).await.unwrap();
    // Between the request and its verification.
    store.exclude(&exclusion, NOON).await.unwrap();
    let due = taken(store, minutes(1)).await;
    store
        .settle_claim(&due[0], &check(true), minutes(1))
        .await
        .unwrap();
    let all = store.exclusions().await.unwrap();
    assert_eq!(all, std::slice::from_ref(&exclusion));
    assert_eq!(store.site(&domain("a.example")).await.unwrap(), None);
    let answer = store.claim(&back, NOON).await.unwrap();
    assert_eq!(answer, ClaimAnswer::Excluded(exclusion));
}

async fn the_checks_of_a_site_are_limited(store: &dyn Store) {
    let mut refused = 0;
    for number in 0..30 {
        let name = format!("h{number}.a.example");
        let leave = claim(&name, ClaimAction::Leave, &name, NOON);
        match store.claim(&leave, NOON).await.unwrap() {
            ClaimAnswer::Accepted(_) => {}
            ClaimAnswer::TooMany(until) => {
                refused += 1;
                assert_eq!(until, minutes(24 * 60));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(refused, 24);
    let mut checks = 0;
    for minute in 1..24 * 60 {
        for due in taken(store, minutes(minute)).await {
            store
                .settle_claim(&due, &check(false), minutes(minute))
                .await
                .unwrap();
            checks += 1;
        }
    }
    assert_eq!(checks, 20);
    // Those of other sites are not.
    let other = claim(
        "other",
        ClaimAction::Leave,
        "b.example",
        minutes(24 * 60 - 2),
    );
    store.claim(&other, other.at).await.unwrap();
    assert_eq!(taken(store, minutes(24 * 60 - 1)).await.len(), 1);
}

async fn the_same_claim_joins_the_open_one(store: &dyn Store) {
    let claimed = async |id: &str, name: &str, now| {
        let leave = claim(id, ClaimAction::Leave, name, now);
        match store.claim(&leave, now).await.unwrap() {
            ClaimAnswer::Accepted(claim) => *claim,
            other => panic!("{other:?}"),
        }
    };
    let owner = claimed("owner", "a.example", NOON).await;
    for number in 0..10 {
        let below = format!("h{number}.a.example");
        let leave = claim(&below, ClaimAction::Leave, &below, NOON);
        store.claim(&leave, NOON).await.unwrap();
        let stranger = claimed(&number.to_string(), "a.example", minutes(1)).await;
        assert_eq!(
            (stranger.id, stranger.token_hash),
            ("owner".to_owned(), owner.token_hash.clone())
        );
    }
    // Requests for names below leave the checks of the domain itself.
    let mut last = NOON;
    for hour in 1..24 {
        last = minutes(hour * 60);
        for due in taken(store, last).await {
            store.settle_claim(&due, &check(false), last).await.unwrap();
        }
    }
    let again = claimed("again", "a.example", last).await;
    assert_eq!((again.state, again.checks), (ClaimState::Waiting, 0));
    let soon = Timestamp(last.0 + 10_000);
    let due = taken(store, soon).await;
    let due = due.iter().find(|it| it.id == "owner").unwrap();
    store.settle_claim(due, &check(true), soon).await.unwrap();
    assert_eq!(store.exclusions().await.unwrap().len(), 1);
}

async fn a_lost_check_is_repeated(store: &dyn Store) {
    let leave = claim("leave", ClaimAction::Leave, "a.example", NOON);
    store.claim(&leave, NOON).await.unwrap();
    assert_eq!(taken(store, minutes(1)).await.len(), 1);
    assert_eq!(taken(store, minutes(2)).await, []);
    let state = store.claim_by_id("leave").await.unwrap().unwrap();
    assert_eq!(state.state, ClaimState::Checking);
    assert_eq!(taken(store, minutes(31)).await.len(), 1);
}

async fn claimed_from(network: &str, store: &dyn Store, name: &str, now: Timestamp) -> ClaimAnswer {
    let claim = Claim {
        network: Some(network.to_owned()),
        ..claim(name, ClaimAction::Leave, name, now)
    };
    store.claim(&claim, now).await.unwrap()
}

async fn claims_of_a_stranger_leave_those_of_the_owners_of_other_names(store: &dyn Store) {
    let mut refused = 0;
    for number in 0..30 {
        let name = format!("h{number}.platform.example");
        let answer = claimed_from("stranger", store, &name, NOON).await;
        refused += u32::from(matches!(answer, ClaimAnswer::TooMany(_)));
    }
    assert_eq!(refused, 24);
    let mut checks = 0;
    for minute in 1..30 {
        for due in store.take_claims(16, minutes(minute)).await.unwrap() {
            let missing = check(false);
            let done = store.settle_claim(&due, &missing, minutes(minute));
            done.await.unwrap();
            checks += 1;
        }
    }
    assert!(checks <= 20, "{checks}");
    let now = minutes(30);
    let answer = claimed_from("owner", store, "shop.platform.example", now).await;
    assert!(matches!(answer, ClaimAnswer::Accepted(_)), "{answer:?}");
    let due = store.take_claims(16, minutes(31)).await.unwrap();
    assert!(due.iter().any(|it| it.id == "shop.platform.example"));
}

async fn networks_take_turns_at_checks(store: &dyn Store) {
    let mut refused = 0;
    for number in 0..110 {
        let name = format!("s{number}.example");
        let answer = claimed_from("stranger", store, &name, NOON).await;
        refused += u32::from(matches!(answer, ClaimAnswer::TooManyOfNetwork(_)));
    }
    assert_eq!(refused, 10);
    let now = minutes(1);
    assert_eq!(store.take_claims(16, now).await.unwrap().len(), 8);
    assert_eq!(store.take_claims(8, now).await.unwrap(), [], "half of them");
    claimed_from("owner", store, "shop.example", now).await;
    let due = store.take_claims(8, minutes(2)).await.unwrap();
    let ids: Vec<_> = due.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["shop.example"]);
}

async fn a_stranger_who_repeats_a_claim_does_not_use_up_its_checks(store: &dyn Store) {
    claimed_from("owner", store, "shop.example", NOON).await;
    for minute in 1..=300 {
        claimed_from("stranger", store, "shop.example", minutes(minute)).await;
        let now = Timestamp(minutes(minute).0 + 10_000);
        for due in taken(store, now).await {
            store.settle_claim(&due, &check(false), now).await.unwrap();
        }
    }
    let state = store.claim_by_id("shop.example").await.unwrap().unwrap();
    let next = state.next_check.unwrap();
    assert!(next < minutes(12 * 60), "{next:?}");
    assert_eq!(taken(store, next).await.len(), 1);
}

/// Checks also that each network has a claim of its own, since its token is the owner's secret.
async fn claims_to_own_a_domain_leave_checks_to_those_to_leave_it(store: &dyn Store) {
    let own = |id: &str, network: &str| Claim {
        network: Some(network.to_owned()),
        ..claim(id, ClaimAction::Own, "a.example", NOON)
    };
    for number in 0..6 {
        let id = format!("own{number}");
        let answer = store.claim(&own(&id, &id), NOON).await.unwrap();
        assert!(matches!(answer, ClaimAnswer::Accepted(it) if it.id == id));
    }
    let again = store.claim(&own("other", "own0"), NOON).await.unwrap();
    assert!(matches!(again, ClaimAnswer::Accepted(it) if it.id == "own0"));
    let more = store.claim(&own("more", "more"), NOON).await.unwrap();
    assert!(matches!(more, ClaimAnswer::TooMany(_)), "{more:?}");
    // Their checks end at half of those of a day.
    let mut checks = 0;
    for minute in 1..20 {
        for due in taken(store, minutes(minute)).await {
            checks += 1;
            store
                .settle_claim(&due, &check(false), minutes(minute))
                .await
                .unwrap();
        }
    }
    assert_eq!(checks, 10);
    let leave = claim("leave", ClaimAction::Leave, "a.example", minutes(20));
    verified(store, &leave, minutes(20)).await;
}
