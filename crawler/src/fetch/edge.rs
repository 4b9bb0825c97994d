//! Headers by which a site, or what stands before it, says how it treats a request (P49).

use hyper::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};

/// Headers that are kept as evidence of a refusal. Cookies are never among them.
const KEPT: [&str; 21] = [
    "server",
    "via",
    "content-type",
    "retry-after",
    "www-authenticate",
    "cf-mitigated",
    "cf-ray",
    "x-vercel-mitigated",
    "x-vercel-id",
    "x-amzn-waf-action",
    "x-amz-cf-id",
    "x-cache",
    "akamai-grn",
    "x-datadome",
    "x-sucuri-id",
    "x-sucuri-block",
    "x-iinfo",
    "x-cdn",
    "x-azure-ref",
    "crawler-price",
    "crawler-error",
];

/// Headers that say that an answer is a challenge for browsers, with the values that say so.
const CHALLENGES: [(&str, &[&str]); 3] = [
    ("cf-mitigated", &["challenge"]),
    ("x-vercel-mitigated", &["challenge"]),
    ("x-amzn-waf-action", &["challenge", "captcha"]),
];

/// Maximum length of a kept value, in characters.
const VALUE_CHARS: usize = 200;

/// Returns the headers that are kept of an answer with this status; none if it refuses nothing.
pub(super) fn kept(status: u16, headers: &HeaderMap) -> Vec<(&'static str, String)> {
    if !may_refuse(status) {
        return Vec::new();
    }
    let kept = KEPT.into_iter().filter_map(|name| {
        let mut values = headers.get_all(name).iter().peekable();
        values.peek()?;
        let values: Vec<String> = values.map(|it| text(name, it)).collect();
        Some((name, manifest::text::clean(&values.join(", "), VALUE_CHARS)))
    });
    kept.collect()
}

/// Reports whether a header says that an answer is a challenge for browsers. Its body says nothing.
pub fn is_challenge(headers: &[(&str, String)]) -> bool {
    let says_so = |(name, value): &(&str, String)| {
        let words = CHALLENGES.iter().find(|(header, _)| header == name);
        let value = value.trim();
        words.is_some_and(|(_, words)| words.iter().any(|it| value.eq_ignore_ascii_case(it)))
    };
    headers.iter().any(says_so)
}

/// Reports whether an answer with this status can refuse a request. Other answers are documents,
/// redirects, or say that there is nothing.
pub fn may_refuse(status: u16) -> bool {
    !matches!(status, 200 | 300..=399 | 404 | 410)
}

/// Returns the value of a header; of a login only its scheme, as the rest may be meant for one
/// client.
fn text(name: &str, value: &HeaderValue) -> String {
    let text = String::from_utf8_lossy(value.as_bytes());
    if name == WWW_AUTHENTICATE.as_str() {
        let scheme = text.trim().split([' ', ',']).next();
        return scheme.unwrap_or_default().to_owned();
    }
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderName;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = list.iter().map(|(name, value)| {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            (HeaderName::from_static(name), value)
        });
        pairs.collect()
    }

    #[test]
    fn p49_a_header_alone_makes_a_challenge() {
        let rows = [
            ("cf-mitigated", "challenge", true),
            ("cf-mitigated", " Challenge ", true),
            ("cf-mitigated", "block", false),
            ("x-vercel-mitigated", "challenge", true),
            ("x-vercel-mitigated", "deny", false),
            ("x-amzn-waf-action", "challenge", true),
            ("x-amzn-waf-action", "captcha", true),
            ("x-amzn-waf-action", "", false),
            ("server", "challenge", false),
            ("content-type", "text/challenge", false),
        ];
        for (name, value, expected) in rows {
            let kept = kept(403, &headers(&[(name, value)]));
            assert_eq!(is_challenge(&kept), expected, "{name}: {value}");
        }
        assert!(!is_challenge(&[]));
    }

    #[test]
    fn p49_cookies_and_credentials_of_a_login_are_not_kept() {
        let headers = headers(&[
            ("set-cookie", "session=secret"),
            ("x-internal", "secret"),
            (
                "www-authenticate",
                "Bearer realm=\"secret\", nonce=\"secret\"",
            ),
            ("server", "nginx"),
        ]);
        let expected = [("server", "nginx"), ("www-authenticate", "Bearer")];
        let expected = expected.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(kept(401, &headers), expected);
    }

    #[test]
    fn p49_values_are_bounded_and_clean() {
        let long = "x".repeat(10_000);
        let kept = kept(
            403,
            &headers(&[("server", &long), ("via", "a\tb \u{9b}31m")]),
        );
        assert!(
            kept.iter()
                .all(|(_, it)| it.chars().count() <= VALUE_CHARS + 1)
        );
        let is_control = |(_, it): &(&str, String)| it.chars().any(char::is_control);
        assert!(!kept.iter().any(is_control), "{kept:?}");
    }

    #[test]
    fn p49_answers_that_refuse_nothing_have_no_evidence() {
        let headers = headers(&[("server", "cloudflare"), ("cf-mitigated", "challenge")]);
        for status in [200, 301, 304, 404, 410] {
            assert_eq!(kept(status, &headers), []);
        }
        for status in [202, 401, 402, 403, 405, 429, 503] {
            assert_eq!(kept(status, &headers).len(), 2, "{status}");
        }
    }
}
