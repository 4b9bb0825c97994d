//! How a visit ended, in sentences for the owner of the site.

use store::Outcome;

/// What happened, as the end of "At our last visit …".
pub(crate) fn sentence(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Found => "we found a manifest that we can read",
        Outcome::Empty => {
            "the site answered, but we found no manifest that we can read at the usual places"
        }
        Outcome::Soft404 => {
            "the site answered every address with the same page, so that nothing there can be told from a missing file"
        }
        Outcome::RobotsDisallow => "robots.txt kept us away from every place where manifests are",
        Outcome::OptedOut => "the site asked not to be listed",
        Outcome::Blocked => "the server refused us (401, 402 or 403)",
        Outcome::Throttled => "the server asked us to come back later (429 or 503)",
        Outcome::Down => "nothing answered, or the server failed",
        Outcome::DnsError => "the name did not resolve",
        Outcome::TlsError => "no secure connection could be made",
        Outcome::Timeout => "the server was too slow",
        Outcome::TooLarge => "the answer was larger than we read",
        Outcome::ProtocolError => "the answer was not HTTP that we understand",
        Outcome::BlockedAddress => {
            "the name leads to an address that is not on the public Internet, where we never go"
        }
        Outcome::RedirectRefused => "we were redirected to a place that we do not follow to",
        Outcome::Budget => "the visit used up the requests that we allow ourselves per site",
    }
}

/// What its owner can do about it; `None` when there is nothing to mend.
pub(crate) fn advice(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Found => None,
        Outcome::Empty => Some(
            "Publish a manifest, such as /.well-known/agent-card.json or /.well-known/agents.json, as application/json with status 200.",
        ),
        Outcome::Soft404 => {
            Some("Answer addresses that do not exist with status 404, and we can see which do.")
        }
        Outcome::RobotsDisallow => {
            Some("Allow the path of the manifest in robots.txt, for us or for everybody.")
        }
        Outcome::OptedOut => Some("We keep to it. Nothing of the site is shown."),
        Outcome::Blocked => Some(
            "Serve the manifest without authentication, and see whether a firewall or bot protection refuses us.",
        ),
        Outcome::Throttled => Some("We come back later by ourselves."),
        Outcome::Down | Outcome::Timeout => {
            Some("We try again later, at growing intervals. Nothing else is needed.")
        }
        Outcome::DnsError => Some("Check that the name has an A or AAAA record."),
        Outcome::TlsError => {
            Some("Check the certificate: its names, its dates, and that the chain is sent in full.")
        }
        Outcome::TooLarge => Some("Split the manifest, or leave out what callers do not need."),
        Outcome::ProtocolError => Some("Check the server's status line and headers."),
        Outcome::BlockedAddress => Some("Point the name to a public address."),
        Outcome::RedirectRefused => {
            Some("Serve the manifest at the address itself, or redirect within the same site.")
        }
        Outcome::Budget => Some("We go on at the next visit."),
    }
}
