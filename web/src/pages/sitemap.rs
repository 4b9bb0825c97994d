//! `/sitemap.xml` and its parts: the pages that search engines list, with the times at which agents
//! changed ([sitemaps.org](https://www.sitemaps.org/protocol.html)).

use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::pages::docs::DocIndex;
use crate::state::AppState;
use crate::view;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use manifest::{Timestamp, rules};
use store::ListedAgent;

/// Maximum number of agents of a part, which has a page of each and of its site: fewer than 50,000
/// addresses, which a sitemap may have.
const AGENTS: u32 = 10_000;
/// Part of the pages that every registry has.
const PAGES: &str = "pages.xml";
/// Pages that every registry has, without its documentation.
const OWN: [&str; 8] = [
    "/",
    "/search",
    "/browse/categories",
    "/stats",
    "/validate",
    "/convert",
    "/owners",
    "/submit",
];

#[derive(Debug, Template)]
#[template(path = "sitemap_index.xml")]
struct Index {
    parts: Vec<String>,
}

#[derive(Debug, Template)]
#[template(path = "sitemap.xml")]
struct Part {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    url: String,
    /// Time of the last change.
    changed: Option<String>,
}

/// Answers `GET /sitemap.xml`.
pub(crate) async fn index(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let count = parts(state.stats().await?.agents);
    let names = (1..=count).map(|part| format!("agents-{part}.xml"));
    let names = std::iter::once(PAGES.to_owned()).chain(names);
    let index = Index {
        parts: names
            .map(|name| format!("{}/sitemap/{name}", state.public_url))
            .collect(),
    };
    let text = index.render()?;
    let tag = Tag::of(&["sitemap", &text]);
    Ok(tag.answer(Policy::Search, &headers, xml(text)))
}

/// Answers `GET /sitemap/{part}`.
pub(crate) async fn part(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(name) = path?;
    let missing = || AppError::no_such_page(&name);
    let number = match name.as_str() {
        PAGES => None,
        name => {
            let number = name
                .strip_prefix("agents-")
                .and_then(|it| it.strip_suffix(".xml"));
            let number: Option<u64> = number.and_then(|it| it.parse().ok());
            Some(number.filter(|it| *it >= 1).ok_or_else(missing)?)
        }
    };
    let change = state.store.last_change().await?.to_string();
    let tag = Tag::of(&["sitemap part", &name, &change]);
    tag.serve(Policy::Search, &headers, async {
        let entries = match number {
            None => own(&state.public_url),
            Some(number) => {
                let before = (number - 1).saturating_mul(u64::from(AGENTS));
                let agents = state.store.listed_agents(before, AGENTS).await?;
                if agents.is_empty() {
                    return Err(missing());
                }
                of_agents(&agents, &state.public_url)
            }
        };
        Ok(xml(Part { entries }.render()?))
    })
    .await
}

/// Returns the number of parts that so many agents have.
fn parts(agents: u64) -> u64 {
    agents.div_ceil(u64::from(AGENTS))
}

/// Lists the pages that every registry has.
fn own(base: &str) -> Vec<Entry> {
    let rules = rules::all().map(|rule| view::rule_path(rule.id));
    let docs = DocIndex::paths().map(str::to_owned);
    let others = ["/docs", "/docs/rules"].map(str::to_owned);
    let paths = OWN.map(str::to_owned).into_iter();
    let paths = paths.chain(others).chain(docs).chain(rules);
    paths
        .map(|path| Entry {
            url: format!("{base}{path}"),
            changed: None,
        })
        .collect()
}

/// Lists the pages of agents in the order of their ids, and before those of each site its own.
fn of_agents(agents: &[ListedAgent], base: &str) -> Vec<Entry> {
    let domain = |it: &ListedAgent| it.id.parts().0.to_owned();
    let sites = agents.chunk_by(|left, right| domain(left) == domain(right));
    let entries = sites.flat_map(|site| {
        let newest = site.iter().map(|it| it.changed).max();
        let of_site = site.iter().take(1).map(move |it| Entry {
            url: format!("{base}{}", view::site_path(it.id.parts().0)),
            changed: newest.map(Timestamp::to_rfc3339),
        });
        let of_agents = site.iter().map(|it| Entry {
            url: format!("{base}{}", view::agent_path(&it.id)),
            changed: Some(it.changed.to_rfc3339()),
        });
        of_site.chain(of_agents)
    });
    entries.collect()
}

fn xml(text: String) -> Response {
    ([(CONTENT_TYPE, "application/xml")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_at_most_ten_thousand_agents() {
        let counts = [0, 1, 10_000, 10_001, 1_000_000];
        assert_eq!(counts.map(parts), [0, 1, 1, 2, 100]);
    }
}
