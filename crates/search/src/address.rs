//! Pasted addresses: of a site, of one of its pages, or of an agent.

use super::facet::Facet;
use super::schema::Fields;
use manifest::AgentId;
use manifest::domain::{Domain, DomainError};
use tantivy::Term;
use url::Url;

/// Maximum number of path segments examined.
const MAX_SEGMENTS: usize = 16;
/// Prefix of agent names assigned by registries.
const URN: &str = "urn:air:";

/// Returns the possible targets of an address, the most likely first; empty if the text is no
/// address.
///
/// In a registry the page of an agent ends with the agent's id, and that of a site with `site/` and
/// its domain; any other page stands for its site. The registry itself may be at
/// an address without a domain.
pub(crate) fn terms(text: &str, fields: &Fields) -> Vec<Term> {
    let Some((host, segments)) = parts(text) else {
        return Vec::new();
    };
    let host = host.ok();
    let mut terms = Vec::new();
    let ids = segments.windows(2).rev().filter_map(|pair| {
        let domain = Domain::parse(&pair[0]).ok()?;
        Some(AgentId::new(&domain, &pair[1]))
    });
    let own = host.iter().zip(segments.last());
    let own = own.map(|(host, slug)| AgentId::new(host, slug));
    for id in ids.chain(own) {
        terms.push(Term::from_field_text(fields.id, id.as_str()));
    }
    let domains = segments.windows(2).filter(|pair| pair[0] == "site");
    let domains = domains.filter_map(|pair| Domain::parse(&pair[1]).ok());
    for host in domains.chain(host) {
        let name = host.as_str();
        let names = [Some(name), name.strip_prefix("www.")];
        for name in names.into_iter().flatten() {
            terms.push(Term::from_field_text(fields.exact, name));
        }
        let site = fields.facet(Facet::Site);
        terms.push(Term::from_field_text(site, host.registrable()));
    }
    terms
}

/// Reports whether a text is an address and nothing else: a URL, a name of a registry, a domain
/// below a suffix that exists or is reserved, or such a suffix of several labels (`github.io`).
/// `node.js` is a name; `left/right` is neither.
pub(crate) fn is_address(text: &str) -> bool {
    let text = text.trim();
    if text.contains(char::is_whitespace) {
        return false;
    }
    let is_named = text.contains("://") || starts_with_urn(text);
    let has_suffix = parts(text).is_some_and(|(host, _)| match host {
        Ok(host) => host.has_known_suffix(),
        Err(error) => error == DomainError::PublicSuffix,
    });
    is_named || has_suffix
}

/// Returns the host of an address, or of one of its pages.
pub(crate) fn host(text: &str) -> Option<Domain> {
    parts(text)?.0.ok()
}

/// Reports whether a text is clearly an address by its form; a bare domain may also be a name
/// (`node.js`).
pub(crate) fn is_plain(text: &str) -> bool {
    let start = text.get(.."www.".len()).unwrap_or_default();
    let is_named = starts_with_urn(text) || start.eq_ignore_ascii_case("www.");
    !text.contains(char::is_whitespace) && (is_named || text.contains('/'))
}

fn starts_with_urn(text: &str) -> bool {
    let start = text.get(..URN.len()).unwrap_or_default();
    start.eq_ignore_ascii_case(URN)
}

/// Returns the host of an address, or the reason why it is no domain, and the segments of its path.
fn parts(text: &str) -> Option<(Result<Domain, DomainError>, Vec<String>)> {
    let is_path = text.starts_with('/');
    let text = text.trim_matches(|it: char| !it.is_alphanumeric());
    if text.contains(char::is_whitespace) {
        return None;
    }
    if let Some((start, name)) = text.split_at_checked(URN.len())
        && start.eq_ignore_ascii_case(URN)
    {
        let mut names = name.split(':').take(MAX_SEGMENTS);
        let host = Domain::parse(names.next()?).ok()?;
        return Some((Ok(host), names.map(str::to_lowercase).collect()));
    }
    let url = if text.contains("://") {
        Url::parse(text)
    } else if is_path {
        Url::parse(&format!("https://localhost/{text}"))
    } else {
        Url::parse(&format!("https://{text}"))
    };
    let url = url.ok()?;
    let host = Domain::parse(url.host_str()?);
    let segments = url.path().split('/').filter(|it| !it.is_empty());
    let segments = segments.take(MAX_SEGMENTS).map(str::to_lowercase);
    Some((host, segments.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_an_agent_or_else_a_site() {
        let table: &[(&str, &[&str])] = &[
            (
                "https://mesa.example/agents/x?from=1#top",
                &["mesa.example/x", "mesa.example", "mesa.example"],
            ),
            (
                "HTTP://www.Mesa.example.",
                &["www.mesa.example", "mesa.example", "mesa.example"],
            ),
            (
                "mesa.example/reservations",
                &["mesa.example/reservations", "mesa.example", "mesa.example"],
            ),
            (
                "<https://registry.example:8443/agent/mesa.example/Reservations/>",
                &[
                    "mesa.example/reservations",
                    "registry.example/reservations",
                    "registry.example",
                    "registry.example",
                ],
            ),
            (
                "URN:AIR:mesa.example:agent:reservations",
                &["mesa.example/reservations", "mesa.example", "mesa.example"],
            ),
            (
                "ajson://book.mesa.example/agents/mesa",
                &[
                    "book.mesa.example/mesa",
                    "book.mesa.example",
                    "mesa.example",
                ],
            ),
            (
                "bücher.example",
                &["xn--bcher-kva.example", "xn--bcher-kva.example"],
            ),
            (
                "http://127.0.0.1:8080/agent/mesa.example/Mesa",
                &["mesa.example/mesa"],
            ),
            ("/agent/mesa.example/mesa", &["mesa.example/mesa"]),
            (
                "http://localhost:8080/site/mesa.example",
                &["mesa.example", "mesa.example"],
            ),
            ("/site/mesa.example", &["mesa.example", "mesa.example"]),
            ("https://192.0.2.1/x", &[]),
            ("book a table", &[]),
            ("mesa.example and more", &[]),
            ("left/right", &[]),
            ("urn:air:", &[]),
            ("urn:air:mesa", &[]),
            ("https://", &[]),
            ("://", &[]),
            ("", &[]),
        ];
        let (_, fields) = Fields::define();
        for (text, expected) in table {
            let terms = terms(text, &fields);
            let found: Vec<_> = terms
                .iter()
                .map(|it| str::from_utf8(it.serialized_value_bytes()).unwrap())
                .collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
}
