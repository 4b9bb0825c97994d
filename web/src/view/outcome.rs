//! Outcomes of visits, in sentences for the owner of the site.

use store::Outcome;

/// Link to the rule that explains an outcome.
#[derive(Debug)]
pub(crate) struct RuleLink {
    /// Id of the rule, such as `P35`.
    pub(crate) id: &'static str,
    /// Position of the rule in the documentation, such as `/docs/politeness#P35`.
    pub(crate) path: String,
}

impl RuleLink {
    /// Returns the link for an outcome.
    pub(crate) fn of(outcome: Outcome) -> Self {
        let (id, document) = outcome.rule();
        Self {
            id,
            path: format!("/docs/{document}#{id}"),
        }
    }
}

/// Returns an outcome in a few words.
pub(crate) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Found => "document found",
        Outcome::Empty => "no manifest",
        Outcome::Soft404 => "same page at every address",
        Outcome::RobotsDisallow => "blocked by robots.txt",
        Outcome::OptedOut => "asked not to be listed",
        Outcome::Blocked => "refused us its robots.txt",
        Outcome::LoginRequired => "answered 401: login required",
        Outcome::PaymentRequired => "answered 402: payment required",
        Outcome::Refused => "answered 403: refused",
        Outcome::Challenged => "answered with a challenge",
        Outcome::RateLimited => "answered 429: too many requests",
        Outcome::Throttled => "asked us to come later",
        Outcome::Down => "no answer",
        Outcome::DnsError => "domain not found",
        Outcome::TlsError => "no secure connection",
        Outcome::Timeout => "too slow",
        Outcome::TooLarge => "answer too large",
        Outcome::ProtocolError => "not valid HTTP",
        Outcome::BlockedAddress => "address not public",
        Outcome::RedirectRefused => "redirects elsewhere",
        Outcome::Budget => "limit of requests reached",
    }
}

/// Describes an outcome, as the end of "At our last visit, …".
pub(crate) fn sentence(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Found => "we found a document that looks like a manifest",
        Outcome::Empty => "none of the paths that we asked for has a manifest that we can read",
        Outcome::Soft404 => {
            "the site answered every address with the same page, so we cannot tell manifests from missing files"
        }
        Outcome::RobotsDisallow => "robots.txt blocked every path we know",
        Outcome::OptedOut => "the site asked not to be listed",
        Outcome::Blocked => {
            "the server refused our request for robots.txt, so we asked for nothing else"
        }
        Outcome::LoginRequired => {
            "robots.txt did not keep us out, but the server answered 401: it wants a login"
        }
        Outcome::PaymentRequired => {
            "robots.txt did not keep us out, but the server answered 402: it wants a payment"
        }
        Outcome::Refused => {
            "robots.txt did not keep us out, but the server answered 403: it refused our requests"
        }
        Outcome::Challenged => {
            "robots.txt did not keep us out, but the server answered with a challenge that only browsers pass"
        }
        Outcome::RateLimited => {
            "robots.txt did not keep us out, but the server answered 429: too many requests"
        }
        Outcome::Throttled => "the server asked us to try again later (429 or 503)",
        Outcome::Down => "the server did not answer or failed",
        Outcome::DnsError => "the domain was not found",
        Outcome::TlsError => "no secure connection could be made",
        Outcome::Timeout => "the server was too slow",
        Outcome::TooLarge => "a response was larger than our limit",
        Outcome::ProtocolError => "the response was not valid HTTP",
        Outcome::BlockedAddress => {
            "the domain name points to an address that is not on the public Internet, which we do not visit"
        }
        Outcome::RedirectRefused => "the server redirected us to an address that we do not follow",
        Outcome::Budget => "the visit reached our limit of requests per site",
    }
}

/// Returns advice for the owner; `None` if nothing needs to be fixed.
pub(crate) fn advice(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Found => None,
        Outcome::Empty => Some("Publish a manifest at a known path, with status 200."),
        Outcome::Soft404 => Some("Answer addresses that do not exist with status 404."),
        Outcome::RobotsDisallow => {
            Some("Allow the path of the manifest in robots.txt, for our crawler or for all.")
        }
        Outcome::OptedOut => Some("We respect this request and show nothing of the site."),
        Outcome::Blocked => Some(
            "Let our crawler read robots.txt: exempt it from the firewall or bot protection that refuses it, as /bot describes. Then ask for another visit.",
        ),
        Outcome::LoginRequired => {
            Some("Serve the manifest without a login. Then ask for another visit.")
        }
        Outcome::PaymentRequired => Some(
            "Serve the manifest without payment, at least to our crawler, which pays for nothing. Then ask for another visit.",
        ),
        Outcome::Refused | Outcome::Challenged => Some(
            "Exempt our crawler, or the paths of manifests, from the firewall or bot protection that refuses it, as /bot describes. Then ask for another visit.",
        ),
        Outcome::RateLimited => Some(
            "We try again later. If this repeats, exempt our crawler from the limit, as /bot describes.",
        ),
        Outcome::Throttled => Some("We try again later. Nothing needs to be done."),
        Outcome::Down | Outcome::Timeout => {
            Some("We try again later, at growing intervals. Nothing needs to be done.")
        }
        Outcome::DnsError => Some(
            "Check the spelling of the domain, and that it has an A or AAAA record; then ask for another visit.",
        ),
        Outcome::TlsError => {
            Some("Check the certificate: its names, its dates, and that the chain is sent in full.")
        }
        Outcome::TooLarge => Some("Split the manifest, or remove parts that callers do not need."),
        Outcome::ProtocolError => Some("Check the server's status line and headers."),
        Outcome::BlockedAddress => Some("Point the domain to a public address."),
        Outcome::RedirectRefused => {
            Some("Serve the manifest at the address itself, or redirect within the same site.")
        }
        Outcome::Budget => Some("We continue at the next visit."),
    }
}
