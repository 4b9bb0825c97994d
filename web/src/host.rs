//! The host that a request is for (RFC 9112 §3.2, RFC 9113 §8.3.1).

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, Version};

/// Mark of a request that does not name one host, which is answered with 400.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadHost;

/// Reports whether a request names one host: HTTP/1.1 in `Host`, HTTP/2 in `:authority`, in `Host`, or
/// in both. HTTP/1.0 is older than the header.
pub(crate) fn is_named(version: Version, uri: &Uri, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (host, another) = (hosts.next(), hosts.next());
    let host = match host.map(|it| it.to_str().ok().filter(|it| is_valid(it))) {
        Some(None) => return false,
        Some(valid) => valid,
        None => None,
    };
    let authority = uri.authority().filter(|_| version == Version::HTTP_2);
    let is_named = match (authority, host) {
        (Some(authority), Some(host)) => authority.as_str().eq_ignore_ascii_case(host),
        (Some(authority), None) => is_valid(authority.as_str()),
        (None, Some(_)) => true,
        (None, None) => version < Version::HTTP_11,
    };
    is_named && another.is_none()
}

/// Reports whether a text is a host, with or without a port.
fn is_valid(text: &str) -> bool {
    text.parse().is_ok_and(|authority: Authority| {
        let rest = text.strip_prefix(authority.host());
        let is_port = |rest: &str| matches!(rest, "" | ":") || authority.port_u16().is_some();
        !authority.host().is_empty() && rest.is_some_and(is_port)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn is_one(version: Version, uri: &'static str, hosts: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(HOST, HeaderValue::from_static(host));
        }
        is_named(version, &Uri::from_static(uri), &headers)
    }

    #[test]
    fn http2_names_one_host_in_its_authority_or_in_the_header() {
        let over_http2 = |uri, hosts: &[&'static str]| is_one(Version::HTTP_2, uri, hosts);
        assert!(over_http2("http://a/", &[]));
        assert!(over_http2("http://a:8080/", &["A:8080"]));
        assert!(over_http2("/", &["a"]));
        assert!(!over_http2("/", &[]));
        assert!(!over_http2("http://a/", &["b"]));
        assert!(!over_http2("http://a/", &["a:8080"]));
        assert!(!over_http2("http://a/", &["a", "a"]));
        assert!(!over_http2("http://u@a/", &[]));
    }

    #[test]
    fn http1_names_it_in_the_header_whatever_its_target() {
        for (version, uri, hosts, expected) in [
            (Version::HTTP_11, "/", &["[::1]:80"][..], true),
            (Version::HTTP_11, "http://a/", &["b"], true),
            (Version::HTTP_11, "http://a/", &[], false),
            (Version::HTTP_11, "/", &["a", "a"], false),
            (Version::HTTP_11, "/", &[":80"], false),
            (Version::HTTP_11, "/", &["a:99999"], false),
            (Version::HTTP_10, "/", &[], true),
            (Version::HTTP_10, "/", &["a", "b"], false),
        ] {
            let found = is_one(version, uri, hosts);
            assert_eq!(found, expected, "{version:?} {uri} {hosts:?}");
        }
    }
}
