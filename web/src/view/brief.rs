//! Facts of an agent in a few words, for lists and heads.

use super::access::{NO_KEY, scheme_word};
use super::foreign;
use connect::Callable;
use manifest::Agent;

/// Longest price in a list, in characters.
const LONGEST_PRICE: usize = 24;

/// Returns a way in which an agent can be used, in a few words.
pub(crate) fn callable_words(callable: Callable) -> &'static str {
    match callable {
        Callable::Call => "Ready to call",
        Callable::Connect => "With an MCP or A2A client",
        Callable::Run => "Runs on your machine",
        Callable::Ask => "After asking for access",
        Callable::Described => "Descriptive only",
    }
}

/// Names the authentication in a few words; `None` if nothing is stated.
pub(crate) fn key_words(agent: &Agent) -> Option<String> {
    let mut schemes: Vec<&str> = Vec::new();
    for auth in agent.auth.iter().filter(|it| it.scheme != "unknown") {
        let scheme = scheme_word(&auth.scheme);
        if !schemes.contains(&scheme) {
            schemes.push(scheme);
        }
    }
    let all = schemes.len();
    schemes.retain(|it| *it != NO_KEY);
    match (schemes.is_empty(), schemes.len() < all) {
        (true, false) => None,
        (true, true) => Some(NO_KEY.to_owned()),
        (false, false) => Some(schemes.join(" or ")),
        (false, true) => Some(format!("{NO_KEY}, or {}", schemes.join(" or "))),
    }
}

/// Names the price in a few words; `None` if no payment is stated.
pub(crate) fn price_words(agent: &Agent) -> Option<String> {
    let payment = agent.payments.first()?;
    let is_only = agent.payments.iter().all(|it| it.price == payment.price);
    // The asset may be the address of a contract.
    let is_currency = |it: &&String| it.len() <= 5 && it.chars().all(|it| it.is_ascii_alphabetic());
    let asset = payment.asset.as_ref().filter(is_currency);
    let price = payment.price.as_ref();
    let price = price.filter(|it| is_only && it.chars().count() <= LONGEST_PRICE);
    Some(match (price, asset) {
        (Some(price), Some(asset)) if !price.contains(asset.as_str()) => {
            format!("{} {asset}", foreign(price))
        }
        // A number without a currency says nothing.
        (Some(price), _) if price.parse::<f64>().is_err() => foreign(price),
        _ if payment.protocol == "other" => "paid".to_owned(),
        _ => format!("paid by {}", foreign(&payment.protocol)),
    })
}

/// Returns the English name of a language that is recognised (ISO 639-1); the code of another one.
pub(crate) fn language_name(code: &str) -> &str {
    match code {
        "ar" => "Arabic",
        "de" => "German",
        "en" => "English",
        "es" => "Spanish",
        "fr" => "French",
        "it" => "Italian",
        "ja" => "Japanese",
        "ko" => "Korean",
        "nl" => "Dutch",
        "pl" => "Polish",
        "pt" => "Portuguese",
        "ru" => "Russian",
        "sv" => "Swedish",
        "th" => "Thai",
        "tr" => "Turkish",
        "zh" => "Chinese",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::agent::{Auth, Payment};

    #[test]
    fn keys_and_prices_are_told_in_a_few_words() {
        let keys = |schemes: &[&str]| {
            let auth = schemes.iter().map(|it| Auth {
                scheme: (*it).to_owned(),
                ..Auth::default()
            });
            key_words(&Agent {
                auth: auth.collect(),
                ..Agent::default()
            })
        };
        assert_eq!(keys(&[]), None);
        assert_eq!(keys(&["unknown"]), None);
        assert_eq!(keys(&["none"]).as_deref(), Some("no key needed"));
        assert_eq!(
            keys(&["api_key", "basic", "api_key"]).as_deref(),
            Some("API key or HTTP Basic")
        );
        assert_eq!(
            keys(&["api_key", "none"]).as_deref(),
            Some("no key needed, or API key")
        );
        let price = |payments: &[(&str, &str)]| {
            let payments = payments.iter().map(|(price, asset)| Payment {
                protocol: "x402".to_owned(),
                price: (!price.is_empty()).then(|| (*price).to_owned()),
                asset: Some((*asset).to_owned()),
                ..Payment::default()
            });
            price_words(&Agent {
                payments: payments.collect(),
                ..Agent::default()
            })
        };
        assert_eq!(price(&[]), None);
        assert_eq!(price(&[("0.01", "USDC")]).as_deref(), Some("0.01 USDC"));
        assert_eq!(price(&[("$0.01", "0x833589fc")]).as_deref(), Some("$0.01"));
        assert_eq!(
            price(&[("10000", "0x833589fc")]).as_deref(),
            Some("paid by x402")
        );
        assert_eq!(price(&[("", "USDC")]).as_deref(), Some("paid by x402"));
        let several = [("0.01", "USDC"), ("0.02", "USDC")];
        assert_eq!(price(&several).as_deref(), Some("paid by x402"));
    }
}
