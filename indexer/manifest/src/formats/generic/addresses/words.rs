//! Words of a member's name.

/// The words of a name, in lower case.
pub(super) struct Words(pub(super) Vec<String>);

impl Words {
    /// Reports whether the name has no other words than these.
    pub(super) fn all(&self, words: &[&str]) -> bool {
        self.0.iter().all(|word| words.contains(&word.as_str()))
    }

    /// Reports whether the name has any of these words.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.0.iter().any(|word| words.contains(&word.as_str()))
    }
}

/// Splits a name at characters that are neither letters nor digits, and before capitals:
/// `mcpEndpoint`, `mcp_endpoint` and `MCP endpoint` have the same words.
pub(super) fn words(name: &str) -> Words {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for character in name.chars() {
        let is_start = character.is_uppercase() && was_lower;
        if (is_start || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    let joined = |first: &str, second: &str| -> Option<&str> {
        match (first, second) {
            ("open", "api") => Some("openapi"),
            ("agent", "card") => Some("agentcard"),
            ("base", "url") => Some("baseurl"),
            _ => None,
        }
    };
    let pairs: Vec<String> = words
        .windows(2)
        .filter_map(|pair| joined(&pair[0], &pair[1]).map(str::to_owned))
        .collect();
    words.extend(pairs);
    Words(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_have_the_same_words() {
        for name in [
            "mcpEndpoint",
            "mcp_endpoint",
            "MCP endpoint",
            "mcp-endpoint",
        ] {
            assert_eq!(words(name).0, ["mcp", "endpoint"], "{name}");
        }
        assert!(words("OpenAPI").has(&["openapi"]));
        assert!(words("openApiUrl").has(&["openapi"]));
        assert!(words("agentCard").has(&["agentcard"]));
        assert_eq!(words("x402").0, ["x402"]);
        assert_eq!(words("").0, [""; 0]);
    }
}
