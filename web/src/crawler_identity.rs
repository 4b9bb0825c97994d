//! Identity of the registry's crawler for machines: its card, its keys, and its addresses.
//!
//! The card follows draft-meunier-webbotauth-registry-04, the key directory
//! draft-ietf-webbotauth-httpsig-protocol, and the list of addresses the form that operators of
//! well-known crawlers publish. All of it is configured: the crawler is another process.

use crate::view::edge::{ADDRESSES, KEY_DIRECTORY};
use ipnet::IpNet;
use manifest::Timestamp;
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::path::Path;

/// Path of the card, which is the identifier of the crawler.
pub(crate) const CARD: &str = "/bot/signature-agent-card.json";

/// Product token of a crawler whose operator chose no other.
pub const DEFAULT_TOKEN: &str = "AgentdexBot";

/// Paths that the crawler requests, besides those that a site names itself.
const KNOWN_URLS: [&str; 8] = [
    "/robots.txt",
    "/.well-known/*",
    "/agents.txt",
    "/agents.json",
    "/agent.json",
    "/agent-card.json",
    "/api/agent.json",
    "/auth.md",
];

/// Identity of the crawler, as its operator configured it.
#[derive(Clone, Debug)]
pub struct CrawlerIdentity {
    token: String,
    addresses: Vec<IpNet>,
    keys: Option<Value>,
    since: Timestamp,
}

/// Errors of a file of public keys.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeySetError {
    /// It cannot be read.
    #[error("cannot read the public keys of the crawler in {0}: {1}")]
    Unreadable(String, std::io::Error),
    /// It is not what `crawler key-directory` prints.
    #[error("the public keys of the crawler in {0} {1}; use what crawler key-directory prints")]
    Invalid(String, &'static str),
}

impl CrawlerIdentity {
    /// Creates the identity of a crawler with this product token, whose requests come from
    /// `addresses` and are signed with one of `keys`, as of `since`.
    pub fn new(token: &str, addresses: &[IpNet], keys: Option<Value>, since: Timestamp) -> Self {
        Self {
            token: token.to_owned(),
            addresses: addresses.to_vec(),
            keys,
            since,
        }
    }

    /// Adds the keys with which requests are signed.
    #[must_use]
    pub fn with_keys(self, keys: Value) -> Self {
        Self {
            keys: Some(keys),
            ..self
        }
    }

    /// Reports whether the addresses are published.
    pub(crate) fn has_addresses(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// Returns the key directory; `None` if requests are not signed.
    pub(crate) fn keys(&self) -> Option<&Value> {
        self.keys.as_ref()
    }

    /// Returns the list of addresses; `None` if there is none.
    pub(crate) fn address_list(&self) -> Option<Value> {
        let prefixes = self.addresses.iter().map(|network| match network {
            IpNet::V4(network) => json!({ "ipv4Prefix": network.to_string() }),
            IpNet::V6(network) => json!({ "ipv6Prefix": network.to_string() }),
        });
        self.has_addresses().then(|| {
            json!({
                "creationTime": self.since.to_rfc3339(),
                "prefixes": prefixes.collect::<Vec<_>>(),
            })
        })
    }

    /// Returns the card of the crawler of the registry at `url`.
    pub(crate) fn card(&self, url: &str, contact: Option<&str>) -> Value {
        let mut bot = json!({
            "expected-user-agent": format!("{}/*", self.token),
            "rfc9309-product-token": self.token,
            "rfc9309-compliance": ["User-Agent", "Allow", "Disallow", "Crawl-delay", "Content-Signal"],
            "trigger": "crawler",
            "purpose": "search",
            "targeted-content": "Manifests for software agents",
            "rate-control": "Crawl-delay in robots.txt; 429 or 503 with Retry-After",
            "rate-expectation": "at most 1 request a second to a host, and 12 a visit",
            "known-urls": KNOWN_URLS,
        });
        let mut card = Map::from_iter([
            ("client_id".to_owned(), format!("{url}{CARD}").into()),
            ("client_name".to_owned(), self.token.clone().into()),
            ("client_uri".to_owned(), format!("{url}/bot").into()),
        ]);
        if let Some(contact) = contact {
            let uri = if contact.contains(':') {
                contact.to_owned()
            } else {
                format!("mailto:{contact}")
            };
            card.insert("contacts".to_owned(), json!([uri]));
        }
        if self.keys.is_some() {
            card.insert(
                "jwks_uri".to_owned(),
                format!("{url}{KEY_DIRECTORY}").into(),
            );
        }
        if self.has_addresses() {
            bot["ips_uri"] = format!("{url}{ADDRESSES}").into();
        }
        card.insert("web_bot_auth".to_owned(), bot);
        Value::Object(card)
    }
}

/// Reads a file of public keys, as `crawler key-directory` prints it.
pub fn read_keys(path: &Path) -> Result<Value, KeySetError> {
    let name = || path.display().to_string();
    let text = std::fs::read(path).map_err(|error| KeySetError::Unreadable(name(), error))?;
    key_set(&text).map_err(|fault| KeySetError::Invalid(name(), fault))
}

/// Parses a set of public Ed25519 keys; the error completes a sentence.
fn key_set(text: &[u8]) -> Result<Value, &'static str> {
    let set: Value = serde_json::from_slice(text).map_err(|_| "are not JSON")?;
    let keys = set["keys"].as_array().filter(|keys| !keys.is_empty());
    for key in keys.ok_or("have no member `keys` with a key")? {
        let is_text = |name: &str| key[name].as_str().is_some_and(|it| !it.is_empty());
        if key.get("d").is_some() {
            return Err("contain a private key");
        }
        if key["kty"] != "OKP" || key["crv"] != "Ed25519" || !is_text("x") || !is_text("kid") {
            return Err("contain another key than Ed25519 with `x` and `kid`");
        }
    }
    Ok(set)
}

/// Parses an address or a network from which the crawler sends its requests.
pub fn address(text: &str) -> Result<IpNet, String> {
    let single = || text.parse().map(|address: IpAddr| IpNet::from(address));
    let network: IpNet = text.parse().or_else(|_| single()).map_err(|_| {
        format!(
            "`{text}` is neither an address nor a network, such as 203.0.114.7 or 203.0.114.0/24"
        )
    })?;
    let whole = network.trunc();
    if whole != network {
        return Err(format!("`{text}` has bits after its prefix; write {whole}"));
    }
    let is_public = |address| manifest::public_address::of_ip(address).is_none();
    if is_public(network.network()) && is_public(network.broadcast()) {
        Ok(network)
    } else {
        Err(format!(
            "`{text}` is not in the public Internet, so no site sees requests from it"
        ))
    }
}

/// Parses a product token.
pub fn token(text: &str) -> Result<String, String> {
    let is_token = |it: char| it.is_ascii_alphabetic() || "-_".contains(it);
    if !text.is_empty() && text.chars().all(is_token) {
        Ok(text.to_owned())
    } else {
        Err("expected letters, `-` and `_` only, so that robots.txt can name it".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://registry.example";

    fn identity(addresses: &[&str], keys: Option<Value>) -> CrawlerIdentity {
        let addresses: Vec<_> = addresses.iter().map(|it| address(it).unwrap()).collect();
        CrawlerIdentity::new(DEFAULT_TOKEN, &addresses, keys, Timestamp(0))
    }

    #[test]
    fn an_address_is_public_and_a_whole_network() {
        for (text, expected) in [
            ("198.41.0.4", "198.41.0.4/32"),
            ("198.41.0.0/24", "198.41.0.0/24"),
            ("2001:500:200::b", "2001:500:200::b/128"),
            ("2001:500:200::/48", "2001:500:200::/48"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), expected);
        }
        for (text, message) in [
            ("", "neither an address nor a network"),
            ("crawler.example", "neither an address nor a network"),
            ("198.41.0.4/24", "write 198.41.0.0/24"),
            ("127.0.0.1", "not in the public Internet"),
            ("10.0.0.0/8", "not in the public Internet"),
            ("0.0.0.0/0", "not in the public Internet"),
            ("fd00::/8", "not in the public Internet"),
        ] {
            let error = address(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn keys_are_public_ed25519_keys() {
        let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "b", "use": "sig"});
        let set = json!({ "keys": [key] });
        assert_eq!(key_set(set.to_string().as_bytes()), Ok(set));
        let with = |name: &str, value: Value| {
            let mut key = key.clone();
            key[name] = value;
            json!({ "keys": [key] }).to_string()
        };
        for (text, fault) in [
            ("-----BEGIN PRIVATE KEY-----".to_owned(), "are not JSON"),
            ("{}".to_owned(), "no member `keys`"),
            (json!({"keys": []}).to_string(), "no member `keys`"),
            (with("d", "secret".into()), "contain a private key"),
            (with("kty", "RSA".into()), "another key than Ed25519"),
            (with("x", Value::Null), "another key than Ed25519"),
        ] {
            let error = key_set(text.as_bytes()).unwrap_err();
            assert!(error.contains(fault), "{text}: {error}");
        }
        let missing = read_keys(Path::new("/nowhere/keys.json")).unwrap_err();
        assert!(
            missing.to_string().contains("/nowhere/keys.json"),
            "{missing}"
        );
    }

    #[test]
    fn the_card_names_only_what_is_published() {
        let plain = identity(&[], None);
        let card = plain.card(URL, None);
        for absent in ["contacts", "jwks_uri", "jwks"] {
            assert_eq!(card.get(absent), None);
        }
        assert_eq!(card["web_bot_auth"].get("ips_uri"), None);
        assert_eq!((plain.address_list(), plain.keys()), (None, None));
        let whole = identity(
            &["198.41.0.4", "2001:500:200::/48"],
            Some(json!({"keys": []})),
        );
        let card = whole.card(URL, Some("bot@registry.example"));
        assert_eq!(card["client_id"], format!("{URL}{CARD}"));
        assert_eq!(card["contacts"], json!(["mailto:bot@registry.example"]));
        assert_eq!(card["jwks_uri"], format!("{URL}{KEY_DIRECTORY}"));
        assert_eq!(card["web_bot_auth"]["ips_uri"], format!("{URL}{ADDRESSES}"));
        let list = whole.address_list().unwrap();
        let expected = json!({
            "creationTime": "1970-01-01T00:00:00Z",
            "prefixes": [{"ipv4Prefix": "198.41.0.4/32"}, {"ipv6Prefix": "2001:500:200::/48"}],
        });
        assert_eq!(list, expected);
    }
}
