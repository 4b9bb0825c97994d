//! Rarely used drafts that identify themselves.
//!
//! jmilinovich's `agents.json`, the open `agent.json` with payouts, AWP, AHP and W2A. Their
//! specifications are short or no longer available, so there is nothing to validate: each member is
//! read in the form in which one of them defines it, and such a document has level C at best. Five
//! formats of a few members share one reader, which shapes with rows would not make shorter.

use crate::agent::{Auth, Interface, Payment};
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::profile::GP_01;
use crate::{Agent, Domain, Fact, FormatId, Reference, extension, link, rate, text};
use action::actions;
use serde_json::{Map, Value};
use url::Url;

mod action;

const NAMES: &[&str] = &[
    "/site_info/name",
    "/name",
    "/display_name",
    "/site/name",
    "/domain",
];
const DESCRIPTIONS: &[&str] = &[
    "/site_info/description",
    "/description",
    "/site/description",
];
const URLS: &[&str] = &[
    "/site_info/home_url",
    "/url",
    "/site/url",
    "/origin",
    "/domain",
];
/// Members in which the drafts list capabilities.
const LISTS: &[&str] = &[
    "/intents/supported",
    "/intents",
    "/actions",
    "/skills",
    "/capabilities",
];
const AUTHS: &[&str] = &["/authentication", "/auth"];
/// Members with a field in the normalized model.
const READ: &[&str] = &[
    "site_info",
    "name",
    "display_name",
    "domain",
    "description",
    "url",
    "origin",
    "version",
    "intents",
    "actions",
    "skills",
    "modes",
    "authentication",
    "auth",
    "rate_limit",
    "payout_address",
];

const OPEN: FormatId = FormatId::habit("open-agent-json");
const AWP: FormatId = FormatId::habit("awp");
const AHP: FormatId = FormatId::habit("ahp");
const W2A: FormatId = FormatId::habit("w2a");

/// Reader of the drafts.
pub(super) struct Drafts;

impl Format for Drafts {
    /// Generic JSON object, without a structure of its own.
    type Manifest = Value;

    const ID: FormatId = FormatId::habit("jmilinovich");
    const ALSO: &'static [FormatId] = &[OPEN, AWP, AHP, W2A];
    const TITLE: &'static str = "Drafts: jmilinovich, open agent.json, AWP, AHP, W2A";
    const MARKERS: &'static [Marker] = &[
        Marker::distinctive(OPEN, |o| {
            o.contains_key("payout_address") && o.contains_key("intents")
        }),
        Marker::distinctive(AWP, |o| o.contains_key("awp_version")),
        Marker::distinctive(AHP, |o| o.contains_key("ahp") && o.contains_key("modes")),
        Marker::distinctive(W2A, |o| {
            let has_steps =
                |skills: &Vec<Value>| skills.iter().any(|skill| skill.get("steps").is_some());
            o.contains_key("w2a") || marker::array(o, "skills").is_some_and(has_steps)
        }),
        Marker::common(Self::ID, |o| {
            marker::object(o, "intents").is_some() || marker::object(o, "site_info").is_some()
        }),
    ];
    const PLACES: &'static [&'static str] =
        &["/agents.json", "/.well-known/agent.json", "/agent.json"];
    const FIELDS: Fields = &[
        (Fact::Name, NAMES),
        (Fact::Description, DESCRIPTIONS),
        (Fact::Url, URLS),
        (Fact::Homepage, URLS),
        (Fact::Version, &["/version"]),
        (Fact::Tags, &["/modes"]),
        (Fact::Capabilities, LISTS),
        (Fact::Interfaces, &["/endpoints/converse"]),
        (Fact::Auth, AUTHS),
        (Fact::RateLimits, &["/rate_limit"]),
        (Fact::Payments, &["/payout_address", "/x402"]),
    ];

    fn parse(input: &Input<'_>) -> Value {
        input.value.clone()
    }

    fn validate(_: &Value, input: &Input<'_>, findings: &mut Findings) {
        let message = format!(
            "{} is a draft without a validator; read by its words",
            input.format
        );
        findings.add(&GP_01, "", message);
    }

    fn normalize(value: &Value, input: &Input<'_>) -> Vec<Agent> {
        let base = &input.document.url;
        let url = strings(value, URLS).find_map(|url| address(base, url));
        let lists = LISTS
            .iter()
            .filter_map(|at| Some((*at, value.pointer(at)?)));
        let mut lists = lists.map(|(at, list)| actions(at, list, base));
        let limit = value.get("rate_limit");
        vec![Agent {
            name: strings(value, NAMES)
                .find_map(text::some)
                .unwrap_or_default(),
            description: strings(value, DESCRIPTIONS).find_map(text::some),
            homepage: url.clone(),
            url,
            version: value["version"].as_str().and_then(text::some),
            tags: words(&value["modes"]),
            capabilities: lists.find(|list| !list.is_empty()).unwrap_or_default(),
            auth: auths(value),
            interfaces: interfaces(value, input),
            rate_limits: limit
                .and_then(|it| rate::read("default", it))
                .into_iter()
                .collect(),
            payments: payments(value),
            extensions: extensions(value),
            ..Agent::default()
        }]
    }

    fn references(value: &Value, input: &Input<'_>) -> Vec<Reference> {
        let pointer = "/endpoints/openapi";
        let address = value.pointer(pointer).and_then(Value::as_str);
        let reference =
            address.and_then(|it| reference::to(input.document, "openapi", it, pointer));
        reference.into_iter().collect()
    }

    fn generation(value: &Value) -> Option<String> {
        let versions = ["/ahp", "/awp_version", "/w2a"];
        strings(value, &versions).find_map(text::some)
    }
}

/// Resolves a URL, a path, or a host name.
fn address(base: &Url, text: &str) -> Option<String> {
    let is_path = text.contains('/');
    match Domain::parse(text).ok().filter(|_| !is_path) {
        Some(host) => link::absolute(base, &format!("https://{host}/")),
        None => link::absolute(base, text),
    }
}

/// Returns the strings at the pointers, in order.
fn strings<'v>(value: &'v Value, pointers: &'v [&str]) -> impl Iterator<Item = &'v str> {
    let values = pointers.iter().filter_map(|pointer| value.pointer(pointer));
    values.filter_map(Value::as_str)
}

/// Returns the strings of a list.
fn words(list: &Value) -> Vec<String> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    let words = items.iter().filter_map(|item| text::some(item.as_str()?));
    text::distinct(words)
}

/// Returns the single endpoint of an AHP site.
fn interfaces(value: &Value, input: &Input<'_>) -> Vec<Interface> {
    let address = value.pointer("/endpoints/converse").and_then(Value::as_str);
    let url = address.and_then(|address| link::absolute(&input.document.url, address));
    let interface = url.map(|url| Interface {
        protocol: "ahp".to_owned(),
        url,
        ..Interface::default()
    });
    interface.into_iter().collect()
}

/// Returns a word, or the type of an object.
fn auths(value: &Value) -> Vec<Auth> {
    let members = AUTHS.iter().filter_map(|at| value.pointer(at));
    let mut words = members.filter_map(|it| it.as_str().or_else(|| it["type"].as_str()));
    words.next().map(Auth::of).into_iter().collect()
}

/// Returns the other members as published; flags under `capabilities` are not capabilities and
/// stay.
fn extensions(value: &Value) -> Map<String, Value> {
    let Some(members) = value.as_object() else {
        return Map::new();
    };
    let mut extensions = extension::unknown(members, READ);
    extensions.retain(|name, member| name != "capabilities" || !member.is_array());
    extensions
}

fn payments(value: &Value) -> Vec<Payment> {
    let payout = value["payout_address"].as_str().and_then(text::some);
    let payout = payout.map(|address| Payment {
        protocol: "payout".to_owned(),
        detail: Some(address),
        ..Payment::default()
    });
    let x402 = value["x402"].is_object().then(|| Payment {
        protocol: "x402".to_owned(),
        detail: text::some(&text::clean(&value["x402"].to_string(), 300)),
        ..Payment::default()
    });
    payout.into_iter().chain(x402).collect()
}
