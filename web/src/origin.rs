//! Origins of requests: pages of any site may read the registry, but only its own pages and programs
//! may change something in it.
//!
//! Browsers state the relation of a page and its target (`Sec-Fetch-Site`), and the origin of the page
//! with every request that is not a plain read. Programs state neither.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use url::{Host, Url};

/// Relation between the page that sends a request and its target.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Reports whether a page of another origin than the registry's sent a request.
pub(crate) fn is_foreign(headers: &HeaderMap, uri: &Uri, public_url: &str) -> bool {
    let mut relations = headers.get_all(FETCH_SITE).iter();
    let relation = relations.next().map(HeaderValue::as_bytes);
    let (is_same, is_none) = (relation == Some(b"same-origin"), relation == Some(b"none"));
    if relations.next().is_some() || !(is_same || is_none || relation.is_none()) {
        return true;
    }
    // No page can forge the statement of the browser, which knows the address that it used.
    if is_same {
        return false;
    }
    let authority = uri.authority().map(|it| it.as_str().as_bytes());
    let authority = authority.or_else(|| headers.get(HOST).map(HeaderValue::as_bytes));
    let mut origins = headers.get_all(ORIGIN).iter();
    !origins.all(|it| is_own(it, authority, public_url))
}

/// Reports whether an origin is that of the public URL, or of this machine or its address at which it
/// was asked. Any other name may be that of a stranger, who lets it resolve to the registry's address.
fn is_own(origin: &HeaderValue, authority: Option<&[u8]>, public_url: &str) -> bool {
    let Some(origin) = origin.to_str().ok().and_then(|it| Url::parse(it).ok()) else {
        return false;
    };
    if Url::parse(public_url).is_ok_and(|own| own.origin() == origin.origin()) {
        return true;
    }
    let is_address = match origin.host() {
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    is_address && authority == Some(origin.authority().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(headers: &[(HeaderName, &'static str)]) -> bool {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        let mut map = HeaderMap::new();
        map.extend([(HOST, HeaderValue::from_static("127.0.0.1:8080"))]);
        for (name, value) in headers {
            if name == HOST {
                map.insert(name, value);
            } else {
                map.append(name, value);
            }
        }
        !is_foreign(&map, &Uri::from_static("/"), "https://agentdex.example")
    }

    #[test]
    fn a_request_comes_from_our_pages_or_from_no_page() {
        for headers in [
            &[][..],
            &[
                (FETCH_SITE, "same-origin"),
                (ORIGIN, "https://behind-a-proxy.example"),
            ],
            &[(FETCH_SITE, "none")],
            &[(ORIGIN, "https://agentdex.example")],
            &[(ORIGIN, "https://agentdex.example:443")],
            &[(ORIGIN, "http://127.0.0.1:8080")],
            &[(ORIGIN, "http://[::1]:8080"), (HOST, "[::1]:8080")],
            &[(ORIGIN, "http://localhost"), (HOST, "localhost")],
        ] {
            assert!(is_ours(headers), "{headers:?}");
        }
        for headers in [
            &[(FETCH_SITE, "cross-site")][..],
            &[(FETCH_SITE, "same-site")],
            &[(FETCH_SITE, "")],
            &[(FETCH_SITE, "same-origin"), (FETCH_SITE, "cross-site")],
            &[
                (FETCH_SITE, "cross-site"),
                (ORIGIN, "https://agentdex.example"),
            ],
            &[(FETCH_SITE, "none"), (ORIGIN, "https://other.example")],
            &[(ORIGIN, "null")],
            &[(ORIGIN, "")],
            &[
                (ORIGIN, "https://agentdex.example"),
                (ORIGIN, "https://other.example"),
            ],
            &[
                (ORIGIN, "https://other.example"),
                (HOST, "agentdex.example"),
            ],
            &[(ORIGIN, "http://other.example"), (HOST, "other.example")],
            &[(ORIGIN, "http://agentdex.example")],
            &[(ORIGIN, "http://127.0.0.1:8081")],
            &[(ORIGIN, "https://agentdex.example.other.example")],
        ] {
            assert!(!is_ours(headers), "{headers:?}");
        }
    }

    #[test]
    fn the_authority_of_http2_is_the_host() {
        let headers = [(ORIGIN, HeaderValue::from_static("http://127.0.0.1:8080"))];
        let headers = HeaderMap::from_iter(headers);
        let is_foreign = |uri| is_foreign(&headers, &Uri::from_static(uri), "");
        assert!(!is_foreign("http://127.0.0.1:8080/"));
        assert!(is_foreign("http://127.0.0.1:8081/"));
    }
}
