//! Ways to pay, in the notations that sites use (X4-01).

use crate::agent::Payment;
use crate::{link, text};
use serde_json::{Map, Value};
use url::Url;

#[cfg(test)]
mod tests;

/// Maximum number of ways to pay that are read of one member.
const MAX_WAYS: usize = 50;
/// Maximum length of the details, in characters.
const MAX_DETAIL: usize = 300;
/// Words for protocols, as they occur in names and texts.
const PROTOCOLS: [&str; 8] = [
    "x402", "mpp", "ap2", "acp", "ucp", "l402", "xmr402", "stripe",
];

/// Members of a way to pay with its facts.
const PROTOCOL: &[&str] = &["protocol", "standard", "type", "provider", "method", "name"];
const SCHEME: &[&str] = &["scheme"];
const NETWORK: &[&str] = &["network", "chain", "chainId", "chain_id"];
const ASSET: &[&str] = &["asset", "currency", "token"];
const PRICE: &[&str] = &[
    "price",
    "price_usd",
    "price_usdc",
    "priceUsd",
    "amount",
    "maxAmountRequired",
    "price_range",
    "cost",
    "total",
    "monthly",
    "monthly_price",
    "price_monthly",
];
const RESOURCE: &[&str] = &["resource", "url", "endpoint", "gateway"];
/// Members that list ways to pay of the object around them.
const LISTS: &[&str] = &[
    "accepts", "rails", "networks", "methods", "options", "chains",
];
/// Members that list the plans of a subscription.
const PLANS: [&str; 2] = ["plans", "tiers"];
/// Beginning of the details of a plan.
pub(crate) const PLAN: &str = "plan: ";
/// Members that describe the whole way.
const NAMELESS: [&str; 8] = [
    "name",
    "title",
    "label",
    "description",
    "summary",
    "notes",
    "note",
    "model",
];
/// Members that say, if they are false, that nothing is paid this way.
const REFUSALS: &[&str] = &[
    "accepted",
    "accepts_payment",
    "acceptsPayment",
    "enabled",
    "supported",
    "available",
];

/// Returns the ways to pay that the member `name` states; relative URLs resolve against `base`.
///
/// A word or an object that says only that nothing is charged gives one way, with the protocol
/// `none`.
pub(crate) fn read(name: &str, value: &Value, base: &Url) -> Vec<Payment> {
    let outer = Payment {
        protocol: word(name).unwrap_or_default().to_owned(),
        ..Payment::default()
    };
    let mut ways = Vec::new();
    collect(value, &outer, base, 0, &mut ways);
    distinct(&ways)
}

/// Removes repeated ways, in order; one that says less than another of its protocol is left out, and
/// the other gets its details.
pub(crate) fn distinct(ways: &[Payment]) -> Vec<Payment> {
    let says_anything =
        |way: &Payment| way.protocol != "other" || way.detail.is_some() || !is_bare(way);
    let mut distinct: Vec<Payment> = Vec::new();
    for way in ways.iter().filter(|way| says_anything(way)) {
        if let Some(known) = distinct.iter_mut().find(|known| says_less(way, known)) {
            known.detail = known.detail.take().or_else(|| way.detail.clone());
        } else if let Some(at) = distinct.iter().position(|known| says_less(known, way)) {
            let less = std::mem::replace(&mut distinct[at], way.clone());
            distinct[at].detail = distinct[at].detail.take().or(less.detail);
        } else if distinct.len() < MAX_WAYS {
            distinct.push(way.clone());
        }
    }
    distinct
}

/// Reports whether a way has no facts but its protocol.
fn is_bare(way: &Payment) -> bool {
    let facts = [&way.network, &way.asset, &way.price, &way.resource];
    facts.into_iter().all(Option::is_none)
}

/// Reports whether a way has no facts that another of its protocol, for the same resource, lacks.
fn says_less(way: &Payment, other: &Payment) -> bool {
    let is_part = |own: &Option<String>, other: &Option<String>| own.is_none() || own == other;
    // Two prices with their own words are those of two things.
    let (own, known) = (way.detail.as_ref(), other.detail.as_ref());
    if way.price.is_some() && own.is_some() && known.is_some() && own != known {
        return false;
    }
    way.protocol == other.protocol
        && (is_bare(way)
            || way.resource == other.resource
                && is_part(&way.scheme, &other.scheme)
                && is_part(&way.network, &other.network)
                && is_part(&way.asset, &other.asset)
                && is_part(&way.price, &other.price))
}

/// Gives the ways without a protocol the only one that the document states, except the plans of a
/// subscription.
pub(crate) fn name(ways: &mut [Payment], stated: Option<&str>) {
    let mut known = ways.iter().map(|way| way.protocol.as_str());
    let first = known.find(|protocol| PROTOCOLS.contains(protocol));
    let Some(only) = first.or(stated).map(str::to_owned) else {
        return;
    };
    let is_only =
        |way: &Payment| !PROTOCOLS.contains(&way.protocol.as_str()) || way.protocol == only;
    if ways.iter().all(is_only) {
        let unnamed = ways.iter_mut().filter(|way| way.protocol == "other");
        for way in unnamed.filter(|way| !is_plan(way)) {
            way.protocol.clone_from(&only);
        }
    }
}

/// Reports whether a way is a plan of a subscription.
fn is_plan(way: &Payment) -> bool {
    let detail = way.detail.as_deref();
    detail.is_some_and(|it| it.starts_with(PLAN))
}

/// Returns the only protocol that a list of words names.
pub(crate) fn only_protocol<'t>(texts: impl Iterator<Item = &'t str>) -> Option<&'static str> {
    let mut named = texts.filter_map(word);
    let first = named.next()?;
    named.all(|other| other == first).then_some(first)
}

/// Reports whether a word names a protocol of payments.
pub(crate) fn is_protocol(name: &str) -> bool {
    word(name).is_some()
}

/// Reports whether a way says that nothing is charged.
pub(crate) fn is_nothing(way: &Payment) -> bool {
    let price = way.price.as_deref().unwrap_or("?");
    let amount = price.trim_start_matches('$').split_whitespace().next();
    amount.and_then(|it| it.parse::<f64>().ok()) == Some(0.0)
        || way.price.as_deref().is_some_and(says_free)
}

fn collect(value: &Value, outer: &Payment, base: &Url, depth: u8, ways: &mut Vec<Payment>) {
    if ways.len() >= MAX_WAYS {
        return;
    }
    match value {
        Value::Bool(true) | Value::Number(_) => ways.push(Payment {
            protocol: protocol(outer, None),
            ..outer.clone()
        }),
        Value::String(text) => ways.extend(of_text(text, outer)),
        Value::Array(items) if depth < 3 => {
            for item in items.iter().take(MAX_WAYS) {
                collect(item, outer, base, depth + 1, ways);
            }
        }
        Value::Object(members) if is_free(members) => ways.push(free(value)),
        Value::Object(members) => of_object(members, outer, base, depth, ways),
        Value::Null | Value::Bool(false) | Value::Array(_) => {}
    }
}

fn of_text(text: &str, outer: &Payment) -> Option<Payment> {
    let detail = text::some(&text::clean(text, MAX_DETAIL))?;
    if says_free(&detail) && outer.protocol.is_empty() {
        return Some(free(&Value::from(detail)));
    }
    Some(Payment {
        protocol: protocol(outer, word(&detail)),
        detail: (word(&detail) != Some(detail.as_str())).then_some(detail),
        ..outer.clone()
    })
}

fn of_object(
    members: &Map<String, Value>,
    outer: &Payment,
    base: &Url,
    depth: u8,
    ways: &mut Vec<Payment>,
) {
    if depth < 3
        && let Some((name, networks)) = networks(members)
    {
        for network in networks {
            let mut one = members.clone();
            one.insert(name.to_owned(), network.clone());
            of_object(&one, outer, base, depth + 1, ways);
        }
        return;
    }
    let fact = |names: &[&str]| names.iter().find_map(|name| fact(members.get(*name)?));
    let stated = PROTOCOL
        .iter()
        .find_map(|name| word(members.get(*name)?.as_str()?));
    let way = Payment {
        protocol: stated.map_or_else(|| outer.protocol.clone(), str::to_owned),
        scheme: fact(SCHEME).or_else(|| outer.scheme.clone()),
        network: fact(NETWORK).or_else(|| outer.network.clone()),
        asset: fact(ASSET).or_else(|| outer.asset.clone()),
        price: fact(PRICE).or_else(|| outer.price.clone()),
        resource: RESOURCE
            .iter()
            .find_map(|name| link::absolute(base, members.get(*name)?.as_str()?))
            .or_else(|| outer.resource.clone()),
        detail: None,
    };
    let before = ways.len();
    if depth < 3 {
        for name in LISTS {
            if let Some(list @ Value::Array(_)) = members.get(*name) {
                let is_names = |name: &str| ["networks", "chains"].contains(&name);
                collect_list(list, is_names(name), &way, base, depth, ways);
            }
        }
        let is_plans = |name: &str, list: &Value| PLANS.contains(&name) || is_map_of_prices(list);
        let lists = members.iter().filter(|(name, list)| is_plans(name, list));
        for (_, list) in lists {
            plans(list, &way, base, depth, ways);
        }
        by_name(members, &way, ways);
        for (name, member) in members.iter().take(MAX_WAYS) {
            if let Some(protocol) = PROTOCOLS.into_iter().find(|known| name == known) {
                let named = Payment {
                    protocol: protocol.to_owned(),
                    ..way.clone()
                };
                collect(member, &named, base, depth + 1, ways);
            }
        }
    }
    let is_false = |name: &&str| members.get(*name) == Some(&Value::Bool(false));
    let is_refused = REFUSALS.iter().any(is_false) || (is_bare(&way) && is_false(&"required"));
    if ways.len() == before && !is_refused {
        ways.push(Payment {
            protocol: protocol(&way, None),
            detail: detail(members),
            ..way
        });
    }
}

/// Returns the networks of a way that is open on several, and the name of their member.
fn networks(members: &Map<String, Value>) -> Option<(&'static str, &[Value])> {
    const MAX_NETWORKS: usize = 10;
    let mut lists = NETWORK
        .iter()
        .filter_map(|name| Some((*name, members.get(*name)?.as_array()?)));
    lists
        .find(|(_, list)| !list.is_empty() && list.iter().all(Value::is_string))
        .map(|(name, list)| (name, &list[..list.len().min(MAX_NETWORKS)]))
}

/// Reports whether a value is a map from names to objects, of which some state a price.
fn is_map_of_prices(value: &Value) -> bool {
    let has_price = |plan: &Value| PRICE.iter().any(|name| plan.get(*name).is_some());
    let plans = value.as_object();
    plans.is_some_and(|plans| plans.values().all(Value::is_object) && plans.values().any(has_price))
}

/// Adds a way for each price of a map from the names of what is sold, as in `{"search": "0.02"}`.
fn by_name(members: &Map<String, Value>, way: &Payment, ways: &mut Vec<Payment>) {
    let maps = ["pricing", "prices"].iter();
    for prices in maps.filter_map(|name| members.get(*name)?.as_object()) {
        let amount = |value: &Value| {
            let text = fact(value)?;
            let is_amount = text
                .trim_start_matches('$')
                .starts_with(|it: char| it.is_ascii_digit());
            is_amount.then_some(text)
        };
        if !prices.values().all(|value| amount(value).is_some()) {
            continue;
        }
        for (name, value) in prices.iter().take(MAX_WAYS) {
            ways.push(Payment {
                protocol: protocol(way, None),
                price: amount(value),
                detail: text::some(name),
                ..way.clone()
            });
        }
    }
}

/// Returns the members that are not facts of their own as words.
fn detail(members: &Map<String, Value>) -> Option<String> {
    let facts = [SCHEME, NETWORK, ASSET, PRICE, &["protocol", "resource"]];
    let is_fact = |name: &str| facts.iter().any(|names| names.contains(&name));
    let others = members.iter().filter(|(name, _)| !is_fact(name));
    words(others.take(MAX_WAYS))
}

/// Returns members as words, such as `settled at once; refund: 30 days`: texts that describe the whole
/// without their names, then numbers, texts and lists of them with their names. What is nested deeper,
/// or beyond the maximum length, is kept as published only.
pub(crate) fn words<'m>(
    members: impl Iterator<Item = (&'m String, &'m Value)> + Clone,
) -> Option<String> {
    let is_nameless = |name: &str| NAMELESS.contains(&name);
    let whole = members.clone().filter(|(name, _)| is_nameless(name));
    let whole = whole.filter_map(|(_, value)| value_in_words(value));
    let named = members.filter(|(name, _)| !is_nameless(name));
    let named = named.filter_map(|(name, value)| {
        let name = text::some(name)?;
        Some(format!("{name}: {}", value_in_words(value)?))
    });
    let mut found = String::new();
    for part in whole.chain(named) {
        let separator = if found.is_empty() { "" } else { "; " };
        if [&found, separator, &part]
            .map(|it| it.chars().count())
            .iter()
            .sum::<usize>()
            <= MAX_DETAIL
        {
            found = [&found, separator, &part].concat();
        }
    }
    text::some(&found)
}

fn value_in_words(value: &Value) -> Option<String> {
    match value {
        Value::Bool(_) => Some(value.to_string()),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(fact).collect();
            items.map(|it| it.join(", ")).filter(|it| !it.is_empty())
        }
        other => fact(other),
    }
}

/// Reads the plans of a subscription: a list of objects, or a map from names to objects.
fn plans(list: &Value, way: &Payment, base: &Url, depth: u8, ways: &mut Vec<Payment>) {
    let before = ways.len();
    match list {
        Value::Array(plans) => {
            for plan in plans.iter().filter(|it| it.is_object()).take(MAX_WAYS) {
                collect(plan, way, base, depth + 1, ways);
            }
        }
        Value::Object(plans) => {
            for (name, plan) in plans.iter().take(MAX_WAYS) {
                let start = ways.len();
                if plan.is_object() {
                    collect(plan, way, base, depth + 1, ways);
                }
                for plan in &mut ways[start..] {
                    let parts = [text::some(name), plan.detail.take()];
                    let parts: Vec<String> = parts.into_iter().flatten().collect();
                    plan.detail = text::some(&text::clean(&parts.join("; "), MAX_DETAIL));
                }
            }
        }
        _ => {}
    }
    for plan in &mut ways[before..] {
        let detail = plan.detail.take().unwrap_or_default();
        plan.detail = Some(text::clean(&format!("{PLAN}{detail}"), MAX_DETAIL));
    }
}

/// Reads a list of ways; strings in a list of networks are networks.
fn collect_list(
    list: &Value,
    is_networks: bool,
    way: &Payment,
    base: &Url,
    depth: u8,
    ways: &mut Vec<Payment>,
) {
    for item in list.as_array().into_iter().flatten().take(MAX_WAYS) {
        match item {
            Value::String(network) if is_networks => ways.push(Payment {
                protocol: protocol(way, None),
                network: text::some(network),
                ..way.clone()
            }),
            item => collect(item, way, base, depth + 1, ways),
        }
    }
}

/// Returns the protocol of a way; `other` if nothing names it.
fn protocol(way: &Payment, stated: Option<&str>) -> String {
    let known = Some(way.protocol.as_str()).filter(|protocol| !protocol.is_empty());
    known.or(stated).unwrap_or("other").to_owned()
}

/// Returns the protocol that a text names.
fn word(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|it: char| !it.is_ascii_alphanumeric());
    words.find_map(|word| PROTOCOLS.into_iter().find(|known| *known == word))
}

/// Returns a text or a number as text.
fn fact(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => text::some(&text::clean(text, MAX_DETAIL)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn free(value: &Value) -> Payment {
    Payment {
        protocol: "none".to_owned(),
        detail: match value {
            Value::Object(members) => words(members.iter()),
            other => fact(other),
        },
        ..Payment::default()
    }
}

/// Reports whether every text of an object says that nothing is charged.
fn is_free(members: &Map<String, Value>) -> bool {
    !members.is_empty()
        && (members
            .values()
            .all(|value| value.as_str().is_some_and(says_free))
            || ["summary", "status", "description"]
                .iter()
                .any(|name| says_nothing(members.get(*name))))
}

/// Reports whether a summary says that nothing can be bought.
fn says_nothing(summary: Option<&Value>) -> bool {
    let text = summary.and_then(Value::as_str).unwrap_or_default();
    says_free(text) || text.starts_with("nothing_") || text.starts_with("Nothing ")
}

fn says_free(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let is_word = matches!(text.as_str(), "none" | "no charge" | "gratis" | "$0");
    let starts_free = text.strip_prefix("free").is_some_and(|rest| {
        let is_whole = rest.is_empty() || rest.starts_with([' ', '.', ',']);
        is_whole && !rest.contains(|it: char| it.is_ascii_digit() || it == '$')
    });
    is_word
        || (starts_free
            && !["trial", "tier", "plan:", "then"]
                .iter()
                .any(|it| text.contains(it)))
}
