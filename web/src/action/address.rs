//! The domain that the body of a request means: a name, a host with a port, or a URL.

use crate::parameter::BadParameter;
use manifest::domain::DomainError;
use manifest::{Domain, text};
use schemars::{Schema, json_schema};

/// Longest text that is parsed, in bytes.
const LONGEST: usize = 2_048;

/// Returns the schema of the member.
pub(crate) fn schema() -> Schema {
    json_schema!({
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST,
        "description": "A domain; a URL or a host with a port is reduced to its domain.",
    })
}

/// Returns the domain and the port, unless that is 443, of a domain, a host with a port, or a URL.
pub(crate) fn parse(given: &str) -> Result<(Domain, Option<u16>), BadParameter> {
    let given = given.trim();
    let bad = |code, reason: &str| {
        let shown = text::clean(given, 100);
        let message = format!("`{shown}`: {reason}");
        BadParameter::new("domain", code, message)
    };
    if given.len() > LONGEST {
        return Err(bad("bad_domain", "longer than any address of a site"));
    }
    let (scheme, rest) = given.split_once("://").unwrap_or(("https", given));
    if !matches!(scheme.to_ascii_lowercase().as_str(), "https" | "http") {
        return Err(bad(
            "bad_scheme",
            "the URL of a site begins with https://; give a domain such as shop.example",
        ));
    }
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(bad(
            "bad_domain",
            "a mailbox or a URL with a user name; give a domain such as shop.example",
        ));
    }
    let (host, port) = split_port(authority)
        .ok_or_else(|| bad("bad_port", "a port is a number from 1 to 65535"))?;
    let domain =
        Domain::parse(host).map_err(|error| BadParameter::no_domain("domain", given, error))?;
    if domain.is_special_use() {
        let message = format!("{domain} is a reserved name, which no site in the public DNS has");
        return Err(BadParameter::new("domain", "reserved_name", message));
    }
    if !domain.has_known_suffix() {
        let reason = format!("there is no top-level domain `{}`", domain.tld());
        return Err(bad("unknown_suffix", &reason));
    }
    let usual = if scheme.eq_ignore_ascii_case("http") {
        80
    } else {
        443
    };
    Ok((domain, port.filter(|port| *port != usual && *port != 443)))
}

/// Returns the domain of what a visitor types as a site: a domain, a host with a port, or a URL.
pub(crate) fn site(given: &str) -> Result<Domain, DomainError> {
    let given = given.trim();
    let rest = given.split_once("://").map_or(given, |it| it.1);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = split_port(authority).map_or(authority, |it| it.0);
    Domain::parse(host)
}

/// Splits the port off; `None` if it is not one.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    // An IPv6 address has colons within its brackets.
    let is_address = authority.starts_with('[') || authority.matches(':').count() > 1;
    match authority.rsplit_once(':') {
        Some((host, port)) if !is_address => {
            let port: u16 = port.parse().ok().filter(|port| *port > 0)?;
            Some((host, Some(port)))
        }
        _ => Some((authority, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use url::Url;

    fn code(given: &str) -> &'static str {
        parse(given).unwrap_err().code
    }

    #[test]
    fn a_url_or_a_host_with_a_port_is_reduced_to_its_domain() {
        for (given, name, port) in [
            ("shop.example", "shop.example", None),
            (" Shop.Example. ", "shop.example", None),
            ("bücher.example", "xn--bcher-kva.example", None),
            ("https://shop.example/a?b#c", "shop.example", None),
            ("HTTP://shop.example:80/", "shop.example", None),
            ("shop.example:443", "shop.example", None),
            ("https://shop.example:8443/x", "shop.example", Some(8443)),
            ("shop.example/agents.txt", "shop.example", None),
            ("v2--otter.example", "v2--otter.example", None),
            (
                "https://my_desk.otter.example/",
                "my_desk.otter.example",
                None,
            ),
        ] {
            let (domain, found) = parse(given).unwrap();
            assert_eq!((domain.as_str(), found), (name, port), "{given}");
        }
    }

    #[test]
    fn the_problem_names_the_fault() {
        for (given, expected) in [
            ("", "bad_domain"),
            ("localhost", "bad_domain"),
            ("localhost:8080", "bad_domain"),
            ("127.0.0.1", "bad_domain"),
            ("https://[::1]:443/", "bad_domain"),
            ("::1", "bad_domain"),
            ("0x7f.1", "bad_domain"),
            ("co.uk", "bad_domain"),
            ("a..example", "bad_domain"),
            ("ann@shop.example", "bad_domain"),
            ("https://a:b@shop.example/", "bad_domain"),
            ("mailto://shop.example", "bad_scheme"),
            ("shop.example:0", "bad_port"),
            ("shop.example:99999", "bad_port"),
            ("printer.local", "reserved_name"),
            ("a.test", "reserved_name"),
            ("node.js", "unknown_suffix"),
        ] {
            assert_eq!(code(given), expected, "{given}");
        }
        let suffix = parse("co.uk").unwrap_err().message;
        assert!(suffix.contains("public suffix"), "{suffix}");
    }

    proptest! {
        /// A URL that a browser would follow is reduced to the site that the browser would ask.
        #[test]
        fn it_means_the_host_that_a_browser_means(given in "https?://[a-z@:/\\\\?#.]{1,20}\\.example[a-z@:/\\\\?#.0-9]{0,20}") {
            if let (Ok((domain, _)), Ok(url)) = (parse(&given), Url::parse(&given)) {
                prop_assert_eq!(domain.as_str(), url.host_str().unwrap().trim_end_matches('.'));
            }
        }
    }
}
