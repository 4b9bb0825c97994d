//! `/browse`: capabilities from A to Z, formats, protocols, and what is new, changed and gone.

use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::html::{self, Layout, Page};
use crate::pages::event::{Event, Events};
use crate::parameter::only;
use crate::query::SearchParams;
use crate::state::AppState;
use crate::twin::Form;
use crate::view::{self, access};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{Redirect, Response};
use indexer::search::{Facet, ValueRange};
use serde::Serialize;
use url::form_urlencoded;

/// Most values on a page.
const VALUES: usize = 200;
/// Most changes on a page.
const CHANGES: usize = 100;
/// Longest prefix or value in an address, in characters.
const TEXT: usize = 200;

/// Lists by the last segment of their paths.
const LISTS: [(&str, &str); 6] = [
    ("capabilities", "Capabilities"),
    ("formats", "Formats"),
    ("protocols", "Protocols"),
    ("new", "New"),
    ("changed", "Changed"),
    ("gone", "Gone"),
];

#[derive(Debug, Template)]
#[template(path = "browse.html")]
struct BrowsePage {
    layout: Layout,
    title: &'static str,
    tabs: Vec<Link>,
    /// Links to the values that begin with a letter.
    letters: Vec<Link>,
    values: Vec<Value>,
    events: Vec<Event>,
    next: Option<String>,
}

/// The twin in Markdown.
#[derive(Template)]
#[template(path = "browse.md")]
struct BrowseMarkdown<'a> {
    page: &'a BrowsePage,
}

impl Page for BrowsePage {
    fn markdown(&self) -> askama::Result<String> {
        BrowseMarkdown { page: self }.render()
    }
}

/// Link to another list or another part of a list.
#[derive(Debug)]
struct Link {
    href: String,
    words: String,
    is_current: bool,
}

/// Value of a facet with its number of agents.
#[derive(Debug)]
struct Value {
    words: String,
    count: String,
    agents: u64,
    href: String,
}

/// Body of the JSON twin.
#[derive(Debug, Serialize)]
struct BrowseBody<'a> {
    values: Vec<ValueBody<'a>>,
    changes: Vec<ChangeBody<'a>>,
    next: Option<&'a str>,
    note: &'static str,
}

#[derive(Debug, Serialize)]
struct ValueBody<'a> {
    text: &'a str,
    agents: u64,
    page: &'a str,
}

#[derive(Debug, Serialize)]
struct ChangeBody<'a> {
    change: &'static str,
    at: &'a str,
    name: &'a str,
    page: Option<&'a str>,
}

/// Answers `GET /browse`.
pub(crate) async fn index() -> Redirect {
    Redirect::permanent("/browse/capabilities")
}

/// Answers `GET /browse/{list}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    form: Form,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(list) = path?;
    let page = BrowsePage::read(&state, &list, query.as_deref(), &uri).await?;
    Ok(html::tagged(form, &page, Policy::Search, &headers)?)
}

/// Answers `GET /browse/{list}/index.json`.
pub(crate) async fn twin(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Path(list) = path?;
    let page = BrowsePage::read(&state, &list, query.as_deref(), &uri).await?;
    Ok(cache::json(&page.body(), Policy::Search, &headers))
}

impl BrowsePage {
    async fn read(
        state: &AppState,
        list: &str,
        query: Option<&str>,
        uri: &Uri,
    ) -> Result<Self, AppError> {
        let known = LISTS.into_iter().find(|it| it.0 == list);
        let (list, title) = known.ok_or_else(|| AppError::no_such_page(uri.path()))?;
        let path = format!("/browse/{list}");
        let mut page = Self {
            layout: Layout::new("").at(&path),
            title,
            tabs: LISTS
                .map(|(name, title)| Link {
                    href: format!("/browse/{name}"),
                    words: title.to_owned(),
                    is_current: name == list,
                })
                .into(),
            letters: Vec::new(),
            values: Vec::new(),
            events: Vec::new(),
            next: None,
        };
        let facet = match list {
            "capabilities" => Some(Facet::Capability),
            "formats" => Some(Facet::Format),
            "protocols" => Some(Facet::Protocol),
            _ => None,
        };
        let events = match list {
            "new" => Events::Found,
            "changed" => Events::Changed,
            _ => Events::Gone,
        };
        match facet {
            Some(facet) => page.read_values(state, facet, query, &path).await?,
            None => page.events = events.newest(state, CHANGES).await?,
        }
        Ok(page)
    }

    async fn read_values(
        &mut self,
        state: &AppState,
        facet: Facet,
        query: Option<&str>,
        path: &str,
    ) -> Result<(), AppError> {
        let [prefix, after] = only(query, ["prefix", "after"]).map_err(AppError::BadParameters)?;
        let text = |value: Option<String>| {
            let value = manifest::text::clean(&value.unwrap_or_default(), TEXT);
            facet.canonical(&value)
        };
        let range = ValueRange {
            prefix: text(prefix),
            after: text(after),
            limit: VALUES,
        };
        let prefix = range.prefix.clone();
        let found = state.values(facet, range).await?;
        let address = |name: &str, value: &str| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            if name == "after" && !prefix.is_empty() {
                query.append_pair("prefix", &prefix);
            }
            query.append_pair(name, value);
            format!("{path}?{}", query.finish())
        };
        self.next = found.next.map(|last| address("after", &last));
        if facet == Facet::Capability {
            self.letters = ('a'..='z')
                .map(|letter| Link {
                    href: address("prefix", &letter.to_string()),
                    words: letter.to_uppercase().to_string(),
                    is_current: prefix == letter.to_string(),
                })
                .collect();
        }
        let value = |it: indexer::search::FacetCount| Value {
            words: match facet {
                Facet::Format => view::format_title(&it.value),
                Facet::Protocol => access::protocol_title(&it.value),
                _ => it.value.clone(),
            },
            count: view::grouped(it.count),
            agents: it.count,
            href: SearchParams::default().toggled(facet, &it.value).page(),
        };
        self.values = found.values.into_iter().map(value).collect();
        Ok(())
    }

    fn body(&self) -> BrowseBody<'_> {
        let values = self.values.iter().map(|it| ValueBody {
            text: &it.words,
            agents: it.agents,
            page: &it.href,
        });
        let changes = self.events.iter().map(|it| ChangeBody {
            change: it.op,
            at: &it.at.iso,
            name: &it.name,
            page: it.path.as_deref(),
        });
        BrowseBody {
            values: values.collect(),
            changes: changes.collect(),
            next: self.next.as_deref(),
            note: super::NOTE,
        }
    }
}
