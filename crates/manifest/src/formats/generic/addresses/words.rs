//! Words of a member's name.

/// Pairs of words that have one meaning together, such as `open` and `api`.
const PAIRS: [(&str, &str, &str); 3] = [
    ("open", "api", "openapi"),
    ("agent", "card", "agentcard"),
    ("base", "url", "baseurl"),
];

/// The words of a name: split at characters that are neither letters nor digits, and before
/// capitals. `mcpEndpoint`, `mcp_endpoint` and `MCP endpoint` have the same words.
#[derive(Clone, Copy)]
pub(super) struct Words<'n>(&'n str);

pub(super) fn words(name: &str) -> Words<'_> {
    Words(name)
}

impl<'n> Words<'n> {
    /// Reports whether the name has no other words than these, which are in lower case.
    pub(super) fn all(self, words: &[&str]) -> bool {
        self.parts().all(|part| is_among(part, words))
    }

    /// Reports whether the name has any of these words, which are in lower case.
    pub(super) fn has(self, words: &[&str]) -> bool {
        self.parts().any(|part| is_among(part, words)) || self.pairs().any(|it| words.contains(&it))
    }

    /// Returns the meanings of pairs of words.
    fn pairs(self) -> impl Iterator<Item = &'static str> {
        let nexts = self.parts().skip(1);
        self.parts().zip(nexts).filter_map(|(first, second)| {
            let is_pair = |(one, other, _): &&(&str, &str, &'static str)| {
                first.eq_ignore_ascii_case(one) && second.eq_ignore_ascii_case(other)
            };
            Some(PAIRS.iter().find(is_pair)?.2)
        })
    }

    /// Returns the words as written.
    fn parts(self) -> impl Iterator<Item = &'n str> {
        let runs = self.0.split(|it: char| !it.is_alphanumeric());
        runs.flat_map(Humps).filter(|part| !part.is_empty())
    }
}

fn is_among(part: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(part))
}

/// The parts of a run of letters and digits: each begins with a capital after a small letter.
struct Humps<'n>(&'n str);

impl<'n> Iterator for Humps<'n> {
    type Item = &'n str;

    fn next(&mut self) -> Option<&'n str> {
        if self.0.is_empty() {
            return None;
        }
        let mut was_lower = false;
        let end = self.0.char_indices().find_map(|(at, it)| {
            let is_start = it.is_uppercase() && was_lower;
            was_lower = it.is_lowercase() || it.is_ascii_digit();
            is_start.then_some(at)
        });
        let (part, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        Some(part)
    }
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
            let found: Vec<_> = words(name).parts().map(str::to_lowercase).collect();
            assert_eq!(found, ["mcp", "endpoint"], "{name}");
        }
        assert!(words("OpenAPI").has(&["openapi"]));
        assert!(words("openApiUrl").has(&["openapi"]));
        assert!(words("agentCard").has(&["agentcard"]));
        assert!(words("x402").all(&["x402"]));
        assert!(words("open_api_url").has(&["openapi"]) && !words("openings").has(&["open"]));
        assert_eq!(words("").parts().count(), 0);
    }
}
