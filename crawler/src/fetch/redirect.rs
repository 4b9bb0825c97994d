//! Where a redirect may lead (P26, P42): decided here, followed by the visit, never by a library.
//!
//! The address guard and the target's robots.txt have their say afterwards, on every hop.

use crate::fetch::address::URL_CAP;
use crate::fetch::{FetchError, RedirectRefusal, Response};
use manifest::Domain;
use url::Url;

/// What is being asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// robots.txt: up to 5 hops, across hosts (P26).
    Robots,
    /// A probe: up to 3 hops, within the registrable domain (P42).
    Probe,
}

impl Rule {
    fn hops(self) -> usize {
        match self {
            Self::Robots => 5,
            Self::Probe => 3,
        }
    }
}

/// True for the statuses that lead to `Location`.
pub fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Where `response` points, as an absolute URL without fragment.
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

/// Whether the hop to `target` may follow the URLs of `chain`, the first of which was asked for.
pub fn check(chain: &[Url], target: &Url, rule: Rule) -> Result<(), FetchError> {
    let refuse = |refusal| Err(FetchError::RedirectRefused(refusal));
    let (Some(first), Some(last)) = (chain.first(), chain.last()) else {
        return Ok(());
    };
    if chain.contains(target) {
        return refuse(RedirectRefusal::Loop);
    }
    if chain.len() > rule.hops() {
        return refuse(RedirectRefusal::TooMany);
    }
    if last.scheme() == "https" && target.scheme() == "http" {
        return refuse(RedirectRefusal::Downgrade);
    }
    match rule {
        Rule::Probe if is_cross_site(first, target) => refuse(RedirectRefusal::CrossSite),
        Rule::Probe | Rule::Robots => Ok(()),
    }
}

/// A host that is no domain is left to the address guard, which names the reason.
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

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn refusal(chain: &[&str], target: &str, rule: Rule) -> Option<RedirectRefusal> {
        let chain: Vec<Url> = chain.iter().map(|text| url(text)).collect();
        match check(&chain, &url(target), rule) {
            Err(FetchError::RedirectRefused(refusal)) => Some(refusal),
            Err(other) => panic!("{other}"),
            Ok(()) => None,
        }
    }

    #[test]
    fn a_probe_stays_within_its_registrable_domain() {
        let from = ["https://mesa.example.com/agents.txt"];
        let probe = |target| refusal(&from, target, Rule::Probe);
        assert_eq!(probe("https://www.example.com/agents.txt"), None);
        assert_eq!(probe("https://example.com/x"), None);
        assert_eq!(
            probe("https://example.org/x"),
            Some(RedirectRefusal::CrossSite)
        );
        assert_eq!(refusal(&from, "https://example.org/x", Rule::Robots), None);
    }

    #[test]
    fn https_never_leads_to_http() {
        let from = ["https://example.com/robots.txt"];
        for rule in [Rule::Robots, Rule::Probe] {
            let refused = refusal(&from, "http://example.com/robots.txt", rule);
            assert_eq!(refused, Some(RedirectRefusal::Downgrade));
        }
    }

    #[test]
    fn loops_and_long_chains_end() {
        let chain: Vec<String> = (0..6).map(|n| format!("https://example.com/{n}")).collect();
        let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
        let next = "https://example.com/next";
        assert_eq!(refusal(&chain[..3], next, Rule::Probe), None);
        assert_eq!(
            refusal(&chain[..4], next, Rule::Probe),
            Some(RedirectRefusal::TooMany)
        );
        assert_eq!(refusal(&chain[..5], next, Rule::Robots), None);
        assert_eq!(
            refusal(&chain, next, Rule::Robots),
            Some(RedirectRefusal::TooMany)
        );
        let back = refusal(&chain[..2], "https://example.com/0", Rule::Robots);
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
}
