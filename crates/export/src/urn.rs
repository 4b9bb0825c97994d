//! Globally unique names of agents, as ARD forms them.

use manifest::AgentId;
use store::StoredAgent;

/// Returns the globally unique name of an agent: its publisher's own, if the publisher in it is the agent's
/// site (ARD-06), else one made from its id.
pub fn of(stored: &StoredAgent) -> String {
    let key = stored.listing.agent.key.as_str();
    let is_own = publisher(key).is_some_and(|publisher| {
        let publisher = publisher.to_ascii_lowercase();
        publisher == stored.domain.as_str() || publisher == stored.domain.registrable()
    });
    if is_own {
        key.to_owned()
    } else {
        made(&stored.listing.id)
    }
}

/// Returns the publisher in an identifier; `None` if it is no identifier of ARD (ARD-02).
pub fn publisher(identifier: &str) -> Option<&str> {
    let (publisher, rest) = identifier.strip_prefix("urn:air:")?.split_once(':')?;
    let is_of = |text: &str, more: &[u8]| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || more.contains(&byte);
        !text.is_empty() && text.bytes().all(is_allowed)
    };
    let is_valid = is_of(publisher, b".-") && rest.split(':').all(|part| is_of(part, b"._-"));
    is_valid.then_some(publisher)
}

/// Returns the name that this registry makes from the id of an agent.
pub fn made(id: &AgentId) -> String {
    let (domain, slug) = id.parts();
    format!("urn:air:{domain}:agent:{slug}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_publisher_is_found_only_in_an_identifier() {
        assert_eq!(publisher("urn:air:a.example:agent:b"), Some("a.example"));
        for wrong in [
            "urn:air:a.example",
            "urn:air:a.example:",
            "urn:air::agent:b",
            "urn:air:a.example:agent:",
            "urn:air:a.example:agent:b c",
            "urn:air:a_b.example:agent:b",
            "urn:ai:a.example:agent:b",
            "https://a.example/",
        ] {
            assert_eq!(publisher(wrong), None, "{wrong}");
        }
    }
}
