//! The documents that `Link` headers name (RFC 8288, DS-10).

use super::header;
use crate::probes;
use manifest::reference;

/// Maximum length of a header that is read, in bytes.
const HEADER_BYTES: usize = 4 * 1024;

/// Maximum number of documents named by one answer.
const MOST: usize = 8;

/// Maximum length of a target, in bytes.
const TARGET_BYTES: usize = 1024;

/// Relations whose targets are manifests.
const RELATIONS: [&str; 6] = [
    "agent",
    "agents",
    "agent-card",
    "ai-catalog",
    "api-catalog",
    "ard",
];

/// Returns the targets of a header's links that lead to manifests: by their relation, or, for
/// `describedby`, by their file name.
pub(super) fn targets(header: &[u8]) -> Vec<String> {
    let header = std::str::from_utf8(header).unwrap_or_default();
    if header.len() > HEADER_BYTES {
        return Vec::new();
    }
    let links = Links(header);
    links
        .filter(|link| is_manifest(link) && link.target.len() <= TARGET_BYTES)
        .take(MOST)
        .map(|link| link.target.to_owned())
        .collect()
}

/// A link.
struct Link<'a> {
    target: &'a str,
    relations: String,
}

/// Iterator over the links of a header; anything that violates the grammar is skipped.
struct Links<'a>(&'a str);

impl<'a> Iterator for Links<'a> {
    type Item = Link<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.0.trim_start_matches([' ', '\t', ',']);
            let Some(link) = start.strip_prefix('<') else {
                let end = header::end_of_element(start, ',');
                self.0 = &start[end..];
                if self.0.is_empty() {
                    return None;
                }
                continue;
            };
            let (target, rest) = link.split_once('>')?;
            let (parameters, rest) = rest.split_at(header::end_of_element(rest, ','));
            self.0 = rest;
            return Some(Link {
                target: target.trim(),
                relations: relations(parameters).unwrap_or_default(),
            });
        }
    }
}

/// Returns the value of the first `rel`.
fn relations(parameters: &str) -> Option<String> {
    header::elements(parameters, ';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_rel = name.trim().eq_ignore_ascii_case("rel");
        is_rel.then(|| header::unquoted(value.trim()))
    })
}

fn is_manifest(link: &Link<'_>) -> bool {
    let has = |name: &str| {
        let mut relations = link.relations.split_ascii_whitespace();
        relations.any(|relation| relation.eq_ignore_ascii_case(name))
    };
    let path = link.target.split(['?', '#']).next().unwrap_or_default();
    RELATIONS.into_iter().any(has)
        // The same relation gives the endpoint of a server, which is never requested.
        || (has("mcp") && reference::is_mcp_card(path))
        || (has("describedby") && probes::ALL.iter().any(|probe| path.ends_with(probe.path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ds_10_links_to_manifests_are_read_and_others_are_not() {
        for (header, found) in [
            ("</card.json>; rel=agent-card", &["/card.json"][..]),
            (
                "<https://a.example/c.json>;title=\"a, <b>\";rel=\"next AI-Catalog\", </x>; rel=icon",
                &["https://a.example/c.json"],
            ),
            ("</a>; rel=\"agents\", < /b >;REL=agent", &["/a", "/b"]),
            (
                "</.well-known/agents.json?v=2>; rel=describedby",
                &["/.well-known/agents.json?v=2"],
            ),
            ("</manifest.json>; rel=describedby", &[]),
            ("</openapi.json>; rel=service-desc", &[]),
            (
                "</apis>; rel=api-catalog, </a.json>; rel=ard",
                &["/apis", "/a.json"],
            ),
            (
                "</mcp>; rel=mcp, </mcp/server-card.json>; rel=mcp",
                &["/mcp/server-card.json"],
            ),
            ("</a; rel=agents", &[]),
            ("</a>", &[]),
            ("", &[]),
            ("</x.json>; title=\"a;rel=agent-card\"", &[]),
            ("</x.json>; title=\"a, </y.json>; rel=agent-card\"", &[]),
            ("</x.json>; title=\"a\\\";rel=agent-card\"", &[]),
            (
                "</x.json>; title=\"a;rel=icon\"; rel=\"agent\\-card\"",
                &["/x.json"],
            ),
            ("</x>; title=\"; rel=agents", &[]),
            ("a=\"</x>; rel=agents\", </b>; rel=agents", &["/b"]),
            (", ,</a>;;rel=agents;;,", &["/a"]),
        ] {
            assert_eq!(targets(header.as_bytes()), found, "{header}");
        }
        assert!(targets(b"<\xff>; rel=agents").is_empty());
        let many = "</a>; rel=agents, ".repeat(100);
        assert_eq!(targets(many.as_bytes()).len(), MOST);
        assert!(targets(many.repeat(10).as_bytes()).is_empty());
        let long = format!("</{}>; rel=agents", "a".repeat(TARGET_BYTES));
        assert!(targets(long.as_bytes()).is_empty());
    }

    proptest! {
        #[test]
        fn any_header_is_read_to_its_end(header in "[<>;,=\"\\\\ a-zé]{0,200}") {
            prop_assert!(targets(header.as_bytes()).len() <= MOST);
        }
    }
}
