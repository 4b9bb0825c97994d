//! Tests of the notations of payments.

use super::*;
use serde_json::json;

fn ways(name: &str, value: &Value) -> Vec<Payment> {
    read(name, value, &"https://mesa.example/".parse().unwrap())
}

fn way(protocol: &str, network: &str, asset: &str) -> Payment {
    Payment {
        protocol: protocol.to_owned(),
        network: text::some(network),
        asset: text::some(asset),
        ..Payment::default()
    }
}

#[test]
fn x4_01_offers_give_one_way_each_with_their_facts() {
    let offers = json!({"accepts": [
        {"scheme": "exact", "network": "base", "asset": "USDC", "maxAmountRequired": "10000",
         "resource": "https://mesa.example/report"},
        {"scheme": "exact", "network": "base", "asset": "USDC", "maxAmountRequired": "10000",
         "resource": "https://mesa.example/report"},
        {"scheme": "exact", "network": "solana", "asset": "USDC", "price": 0.02},
    ]});
    let found = ways("x402", &offers);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        found[0],
        Payment {
            scheme: Some("exact".to_owned()),
            price: Some("10000".to_owned()),
            resource: Some("https://mesa.example/report".to_owned()),
            ..way("x402", "base", "USDC")
        }
    );
    assert_eq!(found[1].price.as_deref(), Some("0.02"));
}

#[test]
fn outer_facts_apply_to_each_network() {
    let value = json!({"protocol": "x402", "currency": "USDC", "networks": ["base", "solana"]});
    assert_eq!(
        ways("payment", &value),
        [way("x402", "base", "USDC"), way("x402", "solana", "USDC")]
    );
    let rails = json!({"standard": "x402", "rails": [{"network": "XRPL", "currency": "RLUSD", "note": "fast"}]});
    let found = ways("payment", &rails);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].network.as_deref(), Some("XRPL"));
    assert!(found[0].detail.as_deref().unwrap().contains("fast"));
}

#[test]
fn protocols_may_be_names_of_members() {
    let found = ways(
        "payments",
        &json!({"x402": {"chains": ["base"]}, "mpp": {"methods": ["card"]}}),
    );
    let protocols: Vec<_> = found.iter().map(|it| it.protocol.as_str()).collect();
    assert_eq!(protocols, ["x402", "mpp"]);
    assert_eq!(found[0].network.as_deref(), Some("base"));
}

#[test]
fn nothing_charged_is_no_protocol() {
    for free in [json!("free"), json!({"all": "free"}), json!("None")] {
        let found = ways("pricing", &free);
        assert_eq!(
            (found.len(), found[0].protocol.as_str()),
            (1, "none"),
            "{free}"
        );
    }
    assert_eq!(ways("payment", &json!(null)), []);
    assert_eq!(ways("x402", &json!(false)), []);
    assert_eq!(ways("x402", &json!(true))[0].protocol, "x402");
    assert_eq!(ways("pricing", &json!("from 5 EUR"))[0].protocol, "other");
    assert_eq!(ways("pricing", &json!("paid by x402"))[0].protocol, "x402");
}

#[test]
fn what_is_refused_is_no_way_to_pay() {
    assert_eq!(ways("payment", &json!({"accepted": false})), []);
    assert_eq!(ways("x402", &json!({"enabled": false, "note": "soon"})), []);
    // Paying is not required, and possible.
    let optional = json!({"required": false, "network": "base", "asset": "USDC"});
    assert_eq!(ways("x402", &optional).len(), 1);
}

#[test]
fn details_are_words_and_nothing_nested() {
    let value = json!({"protocol": "x402", "network": "base", "refund_days": 30, "note": "Settled at once",
        "cards": ["visa", "mastercard"], "setup": {"steps": ["one", "two"]}});
    let found = ways("payment", &value);
    let detail = "Settled at once; refund_days: 30; cards: visa, mastercard";
    assert_eq!(found[0].detail.as_deref(), Some(detail));
    let long = json!({"network": "base", "terms": "x".repeat(400), "fee": "2 %"});
    let found = ways("x402", &long);
    assert_eq!(found[0].detail.as_deref(), Some("fee: 2 %"), "too long");
}

#[test]
fn each_plan_is_a_way_with_its_price() {
    let list = json!({"plans": [{"name": "Sail", "price": "9 EUR", "calls": 500}, {"name": "Free", "price": 0}]});
    let map = json!({"tiers": {"Sail": {"price": "9 EUR", "calls": 500}, "Free": {"price": 0}}});
    for value in [list, map] {
        let found = ways("pricing", &value);
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.price.as_deref(), it.detail.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                (Some("9 EUR"), Some("plan: Sail; calls: 500")),
                (Some("0"), Some("plan: Free"))
            ],
            "{value}"
        );
    }
}

#[test]
fn plans_do_not_get_the_only_protocol_that_a_document_states() {
    let plans = ways(
        "pricing",
        &json!({"plans": [{"name": "Pro", "price": "10 EUR"}]}),
    );
    let price = ways("price", &json!({"price": "0.01"}));
    let note = ways("payment", &json!({"note": "by card"}));
    let mut all = [
        ways("x402", &json!({"network": "base"})),
        plans,
        price,
        note,
    ]
    .concat();
    name(&mut all, None);
    let protocols: Vec<&str> = all.iter().map(|it| it.protocol.as_str()).collect();
    assert_eq!(protocols, ["x402", "other", "x402", "x402"]);
}

#[test]
fn a_way_that_says_less_of_the_same_resource_is_left_out() {
    let of = |resource: &str, price: &str, network: &str| Payment {
        price: text::some(price),
        resource: text::some(resource),
        ..way("x402", network, "")
    };
    let full = of("https://mesa.example/q", "0.01", "base");
    let less = Payment {
        detail: Some("per call".to_owned()),
        ..of("https://mesa.example/q", "0.01", "")
    };
    let with_detail = [Payment {
        detail: less.detail.clone(),
        ..full.clone()
    }];
    assert_eq!(distinct(&[less.clone(), full.clone()]), with_detail);
    assert_eq!(distinct(&[full.clone(), less]), with_detail);
    let others = [
        full,
        of("https://mesa.example/r", "0.01", ""),
        of("https://mesa.example/q", "0.02", ""),
    ];
    assert_eq!(distinct(&others), others);
}

#[test]
fn the_work_is_bounded() {
    let many: Vec<Value> = (0..5_000).map(|it| json!({"price": it})).collect();
    assert_eq!(ways("pricing", &json!(many)).len(), MAX_WAYS);
}
