//! Documents that their site keeps out of indexes (P48).

use super::log::{Exchange, Log};
use super::{Terms, Violation};
use std::collections::BTreeMap;

/// Checks that nothing was kept whose last answer forbids that.
pub(super) fn check(log: &Log, terms: &Terms, found: &mut Vec<Violation>) {
    let mut last: BTreeMap<(&str, &str), &Exchange> = BTreeMap::new();
    for exchange in log
        .exchanges
        .iter()
        .filter(|it| matches!(it.status, 200 | 304))
    {
        last.insert((&exchange.host, &exchange.path), exchange);
    }
    for (host, path) in &terms.kept {
        let Some(exchange) = last.get(&(host.as_str(), path.as_str())) else {
            continue;
        };
        if let Some(header) = refusal(exchange, &terms.token) {
            found.push(Violation {
                rule: "P48",
                whom: host.clone(),
                at: exchange.at,
                what: format!("{path} is kept in spite of {header}"),
            });
        }
    }
}

/// Returns the header of an answer that keeps it out of indexes; of a header for single crawlers, only
/// one that names this crawler first.
pub(super) fn refusal(exchange: &Exchange, token: &str) -> Option<String> {
    exchange.answer.iter().find_map(|(name, value)| {
        let value = value.to_ascii_lowercase();
        let own = format!("{}:", token.to_ascii_lowercase());
        let words = value.strip_prefix(&own).unwrap_or(&value);
        let words: Vec<&str> = words.split(',').map(str::trim).collect();
        let forbids = match name.as_str() {
            "x-robots-tag" => words.contains(&"noindex") || words.contains(&"none"),
            "content-signal" | "content-usage" => {
                words.contains(&"search=no") || words.contains(&"search=n")
            }
            _ => false,
        };
        forbids.then(|| format!("{name}: {value}"))
    })
}
