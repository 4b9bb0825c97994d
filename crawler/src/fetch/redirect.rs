//! The rules for redirects (P26, P42). They are decided here and followed by the visit, never by a
//! library.
//!
//! The address guard and the target's robots.txt are checked afterwards, on every hop.

use crate::fetch::address::URL_CAP;
use crate::fetch::{FetchError, RedirectRefusal, Response};
use manifest::Domain;
use url::{Position, Url};

/// Maximum number of redirects of a robots.txt (P26).
const ROBOTS_HOPS: usize = 5;
/// Maximum number of redirects of a probe (P42).
const PROBE_HOPS: usize = 3;

/// Kind of a request that is redirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// robots.txt: across hosts (P26).
    Robots,
    /// A probe: within the registrable domain (P42).
    Probe,
}

impl RequestKind {
    fn hops(self) -> usize {
        match self {
            Self::Robots => ROBOTS_HOPS,
            Self::Probe => PROBE_HOPS,
        }
    }
}

/// Reports whether a status redirects to `Location`.
pub fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Reports whether `status` permanently moves this path of a host to another host of its site.
///
/// For robots.txt this means the whole host; for any other path only between [twins](are_twins).
pub fn is_move(status: u16, from: &Url, target: &Url) -> bool {
    matches!(status, 301 | 308)
        && target.scheme() == "https"
        && from.host() != target.host()
        && from[Position::BeforePath..Position::AfterQuery]
            == target[Position::BeforePath..Position::AfterQuery]
        && !is_cross_site(from, target)
}

/// Reports whether the hosts are `example.com` and `www.example.com`, in either order (P15).
///
/// A single file may be on any host of a site, but a file that moved to its host's twin indicates
/// that the whole host moved.
pub fn are_twins(one: &Url, other: &Url) -> bool {
    match (one.host_str(), other.host_str()) {
        (Some(one), Some(other)) => twin(one) == other || twin(other) == one,
        _ => false,
    }
}

/// Returns the name of the [twin](are_twins) of a host.
pub fn twin(host: &str) -> String {
    host.strip_prefix("www.")
        .map_or_else(|| format!("www.{host}"), str::to_owned)
}

/// Returns the target of a redirect, as an absolute URL without fragment.
pub fn location(from: &Url, response: &Response) -> Result<Url, FetchError> {
    let target = response
        .location
        .as_deref()
        .filter(|target| target.len() <= URL_CAP)
        .ok_or(FetchError::Protocol("a redirect without a usable target"))?;
    let mut target = from
        .join(target.trim())
        .map_err(|_| FetchError::Protocol("a redirect without a usable target"))?;
    target.set_fragment(None);
    Ok(target)
}

/// Checks whether a hop to `target` may follow the URLs of `chain`, of which the first was
/// requested originally.
pub fn check(chain: &[Url], target: &Url, kind: RequestKind) -> Result<(), FetchError> {
    let refuse = |refusal| Err(FetchError::RedirectRefused(refusal));
    let (Some(first), Some(last)) = (chain.first(), chain.last()) else {
        return Ok(());
    };
    if chain.contains(target) {
        return refuse(RedirectRefusal::Loop);
    }
    if chain.len() > kind.hops() {
        return refuse(RedirectRefusal::TooMany);
    }
    if last.scheme() == "https" && target.scheme() == "http" {
        return refuse(RedirectRefusal::Downgrade);
    }
    match kind {
        RequestKind::Probe if is_cross_site(first, target) => refuse(RedirectRefusal::CrossSite),
        RequestKind::Probe | RequestKind::Robots => Ok(()),
    }
}

/// Reports whether two URLs are on different sites; false for a host that is not a domain, which
/// the address guard refuses with a precise reason.
fn is_cross_site(from: &Url, to: &Url) -> bool {
    let domain = |url: &Url| url.host_str().and_then(|host| Domain::parse(host).ok());
    match (domain(from), domain(to)) {
        (Some(from), Some(to)) => from.registrable() != to.registrable(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn refusal(chain: &[&str], target: &str, kind: RequestKind) -> Option<RedirectRefusal> {
        let chain: Vec<Url> = chain.iter().map(|text| url(text)).collect();
        match check(&chain, &url(target), kind) {
            Err(FetchError::RedirectRefused(refusal)) => Some(refusal),
            Err(other) => panic!("{other}"),
            Ok(()) => None,
        }
    }

    #[test]
    fn p42_a_probe_stays_within_its_registrable_domain() {
        let from = ["https://mesa.example.com/agents.txt"];
        let probe = |target| refusal(&from, target, RequestKind::Probe);
        assert_eq!(probe("https://www.example.com/agents.txt"), None);
        assert_eq!(probe("https://example.com/x"), None);
        assert_eq!(
            probe("https://example.org/x"),
            Some(RedirectRefusal::CrossSite)
        );
        assert_eq!(
            refusal(&from, "https://example.org/x", RequestKind::Robots),
            None
        );
    }

    #[test]
    fn only_a_permanent_redirect_of_the_same_path_within_the_site_is_a_move() {
        let from = url("https://example.com/agents.txt?a");
        let www = "https://www.example.com/agents.txt?a";
        assert!(is_move(301, &from, &url(www)));
        assert!(is_move(308, &from, &url(www)));
        for (status, target) in [
            (302, www),
            (307, www),
            (301, "https://www.example.com/agents.txt"),
            (301, "https://www.example.com/"),
            (301, "https://example.com/agents.txt?a"),
            (301, "http://www.example.com/agents.txt?a"),
            (301, "https://www.example.org/agents.txt?a"),
        ] {
            assert!(!is_move(status, &from, &url(target)), "{status} {target}");
        }
    }

    #[test]
    fn twins_differ_only_by_www() {
        let are = |one: &str, other: &str| are_twins(&url(one), &url(other));
        assert!(are("https://example.com/", "https://www.example.com/a"));
        assert!(are("https://www.example.com/", "https://example.com/"));
        assert!(!are("https://example.com/", "https://agents.example.com/"));
        assert!(!are("https://example.com/", "https://example.com/"));
        assert!(!are(
            "https://www.example.com/",
            "https://www.www.example.org/"
        ));
    }

    #[test]
    fn p42_https_never_leads_to_http() {
        let from = ["https://example.com/robots.txt"];
        for kind in [RequestKind::Robots, RequestKind::Probe] {
            let refused = refusal(&from, "http://example.com/robots.txt", kind);
            assert_eq!(refused, Some(RedirectRefusal::Downgrade));
        }
    }

    #[test]
    fn p26_p42_loops_and_long_chains_end() {
        let chain: Vec<String> = (0..6).map(|n| format!("https://example.com/{n}")).collect();
        let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
        let next = "https://example.com/next";
        assert_eq!(refusal(&chain[..3], next, RequestKind::Probe), None);
        assert_eq!(
            refusal(&chain[..4], next, RequestKind::Probe),
            Some(RedirectRefusal::TooMany)
        );
        assert_eq!(refusal(&chain[..5], next, RequestKind::Robots), None);
        assert_eq!(
            refusal(&chain, next, RequestKind::Robots),
            Some(RedirectRefusal::TooMany)
        );
        let back = refusal(&chain[..2], "https://example.com/0", RequestKind::Robots);
        assert_eq!(back, Some(RedirectRefusal::Loop));
    }

    #[test]
    fn a_target_is_absolute_and_has_no_fragment() {
        let from = url("https://example.com/a/b");
        let to = |target: Option<&str>| {
            let response = Response {
                location: target.map(str::to_owned),
                ..Response::default()
            };
            location(&from, &response).map(String::from)
        };
        assert_eq!(to(Some("../c#x")).as_deref(), Ok("https://example.com/c"));
        assert_eq!(
            to(Some("//other.example/")).as_deref(),
            Ok("https://other.example/")
        );
        assert!(matches!(to(None), Err(FetchError::Protocol(_))));
        assert!(matches!(to(Some("https://")), Err(FetchError::Protocol(_))));
    }

    proptest! {
        #[test]
        fn no_target_makes_a_redirect_panic(
            start in "(https?:)?/{0,3}(\\[|[a-z@:.]{0,9})", text in "\\PC{0,3}|%|\\.\\./|é", times in 0_usize..9_000,
        ) {
            let from = url("https://mesa.example.com/agents.txt");
            let response = Response {
                status: 301,
                location: Some(format!("{start}{}", text.repeat(times))),
                ..Response::default()
            };
            if let Ok(target) = location(&from, &response) {
                let _ = check(std::slice::from_ref(&from), &target, RequestKind::Probe);
                let _ = (are_twins(&from, &target), is_move(301, &from, &target));
            }
        }
    }
}
