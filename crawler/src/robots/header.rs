//! Headers by which a site keeps one document out of indexes (P48): `X-Robots-Tag`, and
//! `Content-Signal` and `Content-Usage` with the meaning that they have in a robots.txt.

use super::group;

/// Names of the headers, as they are written, with those in lower case.
pub(crate) const NAMES: [(&str, &str); 3] = [
    ("X-Robots-Tag", "x-robots-tag"),
    ("Content-Signal", "content-signal"),
    ("Content-Usage", "content-usage"),
];

/// Directives of `X-Robots-Tag` whose value follows a colon, as the name of a crawler does.
const WITH_VALUE: [&str; 4] = [
    "max-image-preview",
    "max-snippet",
    "max-video-preview",
    "unavailable_after",
];

/// Returns the header that keeps a document from being indexed by `token`, as `X-Robots-Tag: noindex`;
/// `None` if none of these `headers`, pairs of name and value, does.
pub(crate) fn refusal(headers: &[(&'static str, String)], token: &str) -> Option<String> {
    headers.iter().find_map(|(name, value)| {
        let words = if *name == NAMES[0].0 {
            directive(value, token)?.to_owned()
        } else {
            let mut signals = group::signals(value.as_bytes());
            let (signal, wish) = signals.find(|(signal, wish)| is_refusal(signal, wish))?;
            format!("{signal}={wish}")
        };
        Some(format!("{name}: {words}"))
    })
}

/// Reports whether a content signal asks not to be listed (DS-04).
pub(super) fn is_refusal(signal: &str, wish: &str) -> bool {
    let wish = wish.split(';').next().unwrap_or_default().trim();
    signal == "search" && matches!(wish, "no" | "n" | "?0")
}

/// Returns the directive `noindex` or `none` of an `X-Robots-Tag` that applies to all crawlers or to
/// `token`. The name of a crawler applies to the directives after it, up to the next name.
fn directive(value: &str, token: &str) -> Option<&'static str> {
    let mut is_for_us = true;
    for element in value.split(',') {
        let mut word = element.trim();
        if let Some((name, rest)) = word.split_once(':') {
            let name = name.trim();
            if WITH_VALUE.iter().any(|it| it.eq_ignore_ascii_case(name)) {
                continue;
            }
            is_for_us = name == "*" || name.eq_ignore_ascii_case(token);
            word = rest.trim();
        }
        let found = ["noindex", "none"].into_iter();
        let mut found = found.filter(|it| it.eq_ignore_ascii_case(word));
        if is_for_us && let Some(found) = found.next() {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(name: &'static str, value: &str) -> Option<String> {
        refusal(&[(name, value.to_owned())], "FinderBot")
    }

    #[test]
    fn p48_noindex_for_all_or_for_this_crawler_counts() {
        for (value, refused) in [
            ("noindex", Some("noindex")),
            ("none", Some("none")),
            ("nofollow, NoIndex", Some("noindex")),
            ("finderbot: noindex", Some("noindex")),
            ("FinderBot: nofollow, none", Some("none")),
            ("*: noindex", Some("noindex")),
            ("otherbot: nofollow, finderbot: noindex", Some("noindex")),
            (
                "unavailable_after: 25 Jun 2027 15:00:00 PST, noindex",
                Some("noindex"),
            ),
            ("max-snippet: 20, noindex", Some("noindex")),
            ("otherbot: noindex", None),
            ("otherbot: nofollow, noindex", None),
            ("finderbot: nofollow, otherbot: noindex", None),
            ("nofollow, noarchive", None),
            ("noindexing", None),
            ("all", None),
            ("", None),
        ] {
            let refused = refused.map(|it| format!("X-Robots-Tag: {it}"));
            assert_eq!(of("X-Robots-Tag", value), refused, "{value}");
        }
    }

    #[test]
    fn p48_a_signal_against_search_counts() {
        for name in ["Content-Signal", "Content-Usage"] {
            for (value, refused) in [
                ("search=no", Some("search=no")),
                ("ai-train=no, search=N", Some("search=n")),
                ("search=?0", Some("search=?0")),
                ("search=yes, ai-train=no", None),
                ("ai-train=no", None),
                ("noindex", None),
                ("", None),
            ] {
                let refused = refused.map(|it| format!("{name}: {it}"));
                assert_eq!(of(name, value), refused, "{value}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_header_is_read_to_its_end(value in "(finderbot|noindex|search=no|[a-z:,;= é]){0,20}") {
            for (name, _) in NAMES {
                if let Some(refusal) = of(name, &value) {
                    prop_assert!(value.contains("no"), "{value:?}: {refusal}");
                }
            }
        }
    }
}
