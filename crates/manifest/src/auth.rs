//! Normalization of authentication schemes to one word each (C-51).

use crate::agent::Auth;
use crate::{link, text};

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
        "bearer" | "bearertoken" | "httpbearer" | "jwt" | "jwtbearer" | "bearerjwt" => "bearer",
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
            name: (scheme == "other").then(|| text::some(word)).flatten(),
            ..Self::default()
        }
    }
}

/// Returns the ways that a word, or the words of a sentence, name.
pub(crate) fn of_text(text: &str) -> Vec<Auth> {
    const SCHEMES: [(&str, &str); 12] = [
        ("api key", "api_key"),
        ("api-key", "api_key"),
        ("api_key", "api_key"),
        ("oauth", "oauth2"),
        ("bearer", "bearer"),
        ("basic auth", "basic"),
        ("mtls", "mtls"),
        ("openid", "openid"),
        ("no auth", "none"),
        ("none required", "none"),
        ("not required", "none"),
        ("unauthenticated", "none"),
    ];
    if link::is_absolute(text) || text.trim_start().starts_with('/') {
        return Vec::new();
    }
    if let Some(header) = header(text) {
        let key = Auth {
            name: text::some(header),
            location: text::some("header"),
            ..Auth::of("api_key")
        };
        let lower = text.to_lowercase();
        let has_bearer = lower.contains(" or ") && lower.contains("bearer");
        let bearer = has_bearer.then(|| Auth::of("bearer"));
        return std::iter::once(key).chain(bearer).collect();
    }
    // `none_for_search` says that one call needs none.
    if text.starts_with("none_") || text.starts_with("none-") {
        return Vec::new();
    }
    if let Some(way) = unneeded(text) {
        return vec![way];
    }
    let word = Auth::of(text);
    if word.scheme != "other" || text.split_whitespace().count() <= 3 {
        return vec![word];
    }
    let lower = text.to_lowercase();
    let named = || SCHEMES.iter().filter(|(words, _)| lower.contains(words));
    let is_needed = named().any(|(_, scheme)| *scheme != "none");
    // "Local calls are unauthenticated" beside a scheme says nothing of the calls that need it.
    let named = named().filter(|(_, scheme)| *scheme != "none" || !is_needed);
    named
        .map(|(_, scheme)| Auth {
            description: text::some(text),
            ..Auth::of(scheme)
        })
        .collect()
}

/// Returns authentication that words say is not needed, as `optional` and `no API key needed` do.
fn unneeded(text: &str) -> Option<Auth> {
    const PHRASES: [&str; 11] = [
        "not required",
        "not needed",
        "none required",
        "none needed",
        "no api key",
        "no key",
        "no login",
        "no account",
        "no token",
        "without authentication",
        "unauthenticated",
    ];
    let lower = text.trim().to_lowercase();
    // A longer sentence may say it of a part: "Send your key; scopes are optional".
    let count = lower.split_whitespace().count();
    let is_optional = count <= 2 && lower.contains("optional");
    let is_said = is_optional || (count <= 6 && PHRASES.iter().any(|it| lower.contains(it)));
    // A sentence may say it of some calls only.
    let others = [
        "except",
        "but ",
        "unless",
        "for write",
        "bearer",
        "oauth",
        "basic",
        "required for",
    ];
    let is_partial = others.iter().any(|word| lower.contains(word));
    (is_said && !is_partial).then(|| Auth {
        description: text::some(text),
        ..Auth::of("none")
    })
}

/// Returns the header of a key that is named in place of a scheme, such as `X-Operator-Key`.
fn header(text: &str) -> Option<&str> {
    let text = text.trim();
    let name = text.split([':', ' ']).next()?;
    let is_name = name.len() <= 60
        && name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let is_header = name
        .get(..2)
        .is_some_and(|start| start.eq_ignore_ascii_case("x-"));
    (is_name && is_header && name.len() > 3).then_some(name)
}

/// Returns the authentication that the address of an authorization server's metadata implies (RFC
/// 8414, RFC 9728, `OpenID` Connect Discovery).
pub(crate) fn of_metadata(url: &str) -> Option<Auth> {
    const FILES: [(&str, &str); 3] = [
        ("/.well-known/oauth-authorization-server", "oauth2"),
        ("/.well-known/oauth-protected-resource", "oauth2"),
        ("/.well-known/openid-configuration", "openid"),
    ];
    let (_, scheme) = FILES.iter().find(|(file, _)| url.contains(file))?;
    Some(Auth {
        metadata_url: text::some(url),
        ..Auth::of(scheme)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_of_an_authorization_server_implies_its_scheme() {
        let scheme = |url: &str| of_metadata(url).map(|auth| auth.scheme);
        let server = "https://mugs.example/.well-known/oauth-authorization-server/tenant";
        assert_eq!(scheme(server).as_deref(), Some("oauth2"));
        let openid = "https://mugs.example/.well-known/openid-configuration";
        assert_eq!(scheme(openid).as_deref(), Some("openid"));
        assert_eq!(scheme("https://mugs.example/oauth"), None);
    }

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
