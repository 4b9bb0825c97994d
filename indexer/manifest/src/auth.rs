//! Normalization of authentication schemes to one word each (C-51).

use crate::agent::Auth;

/// Returns the scheme that `word` names, or `other` if it is unknown.
pub(crate) fn scheme(word: &str) -> &'static str {
    let word: String = word
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    match word.as_str() {
        "none" | "public" | "anonymous" | "open" | "noauth" => "none",
        "apikey" | "key" | "pat" | "xapikey" | "token" => "api_key",
        "oauth" | "oauth2" | "oauth20" | "oauth21" => "oauth2",
        "bearer" | "bearertoken" | "httpbearer" | "jwt" => "bearer",
        "basic" | "httpbasic" => "basic",
        "openid" | "openidconnect" | "oidc" => "openid",
        "mtls" | "mutualtls" => "mtls",
        "hmac" => "hmac",
        _ => "other",
    }
}

impl Auth {
    /// Creates the authentication that `word` names; an unknown word is kept as its name.
    pub(crate) fn of(word: &str) -> Self {
        let scheme = scheme(word);
        Self {
            scheme: scheme.to_owned(),
            name: (scheme == "other")
                .then(|| crate::text::some(word))
                .flatten(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_scheme_are_normalized() {
        for (word, expected) in [
            ("api_key", "api_key"),
            ("api-key", "api_key"),
            ("apiKey", "api_key"),
            ("pat", "api_key"),
            ("oauth", "oauth2"),
            ("OAuth 2.1", "oauth2"),
            ("bearer-token", "bearer"),
            ("Bearer", "bearer"),
            ("http", "other"),
            ("mutualTLS", "mtls"),
            ("openIdConnect", "openid"),
            ("none", "none"),
            ("", "other"),
        ] {
            assert_eq!(scheme(word), expected, "{word}");
        }
        assert_eq!(Auth::of("ERC-8128").name.as_deref(), Some("ERC-8128"));
        assert_eq!(Auth::of("oauth").name, None);
    }
}
