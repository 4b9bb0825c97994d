//! `/browse`: categories, capabilities from A to Z, formats, protocols, and what is new, changed and gone.

use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::html::{self, Layout};
use crate::pages::atom;
use crate::pages::event::{Event, Events};
use crate::parameter::only;
use crate::query::SearchParams;
use crate::record::NOTE;
use crate::state::AppState;
use crate::twin::Form;
use crate::view::{self, access};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{Redirect, Response};
use search::{Category, Facet, FacetCount, ValueRange};
use serde::Serialize;
use std::collections::BTreeMap;
use url::form_urlencoded;

/// Most values that are read for a page; spellings of one capability are shown as one.
const VALUES: usize = 400;
/// Most values of them on a page: a phone shows them within eight screens.
const SHOWN: usize = 150;
/// Most changes on a page.
const CHANGES: usize = 50;
/// Longest prefix or value in an address, in characters.
const TEXT: usize = 200;

/// Lists by the last segment of their paths.
const LISTS: [(&str, &str); 8] = [
    ("categories", "Categories"),
    ("capabilities", "Capabilities"),
    ("ids", "Capability ids"),
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
    /// True if the values are categories, which are shown as tiles.
    is_tiled: bool,
    /// Links to the values that begin with a letter.
    letters: Vec<Link>,
    values: Vec<Value>,
    events: Vec<Event>,
    next: Option<String>,
}

html::markdown_twin!(BrowsePage, "browse.md");

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
    Redirect::permanent("/browse/categories")
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
            layout: Layout::new("").at(&path).followed_by(atom::of_all()),
            title,
            tabs: LISTS
                .map(|(name, title)| Link {
                    href: format!("/browse/{name}"),
                    words: title.to_owned(),
                    is_current: name == list,
                })
                .into(),
            is_tiled: list == "categories",
            letters: Vec::new(),
            values: Vec::new(),
            events: Vec::new(),
            next: None,
        };
        let facet = match list {
            "categories" => Some(Facet::Category),
            "capabilities" | "ids" => Some(Facet::Capability),
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
            Some(facet) => page.read_values(state, (list, facet), query).await?,
            None => page.events = events.newest(state, CHANGES).await?,
        }
        Ok(page)
    }

    async fn read_values(
        &mut self,
        state: &AppState,
        (list, facet): (&str, Facet),
        query: Option<&str>,
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
            format!("/browse/{list}?{}", query.finish())
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
        let mut groups = match facet {
            Facet::Capability => by_words(found.values),
            _ => found.values.into_iter().map(|it| vec![it]).collect(),
        };
        if facet == Facet::Capability {
            groups.retain(|it| is_id(it) == (list == "ids"));
            if let Some(last) = groups.get(SHOWN - 1).and_then(|it| it.first())
                && groups.len() > SHOWN
            {
                self.next = Some(address("after", &last.value));
                groups.truncate(SHOWN);
            }
        }
        let several = |group: &&Vec<FacetCount>| group.len() > 1;
        let spellings = groups.iter().filter(several);
        let spellings = spellings.map(|group| group.iter().map(|it| it.value.clone()).collect());
        let mut counts = state
            .count_any(facet, spellings.collect())
            .await?
            .into_iter();
        let value = |group: Vec<FacetCount>| {
            let counted = if group.len() > 1 { counts.next() } else { None };
            let agents = counted.unwrap_or_else(|| group.iter().map(|it| it.count).sum());
            // Of spellings, one in words is shown rather than an id.
            let shown = group
                .iter()
                .max_by_key(|it| (it.value.contains(' '), it.count));
            let shown = shown.map_or("", |it| it.value.as_str());
            let search = SearchParams::default();
            let search = group
                .iter()
                .fold(search, |search, it| search.toggled(facet, &it.value));
            Value {
                words: match facet {
                    Facet::Format => view::format_title(shown),
                    Facet::Protocol => access::protocol_title(shown),
                    Facet::Category => view::category_title(shown).to_owned(),
                    _ => shown.to_owned(),
                },
                count: view::grouped(agents),
                agents,
                href: search.page(),
            }
        };
        if facet == Facet::Category {
            let place = |it: &FacetCount| Category::all().iter().position(|of| of.id == it.value);
            // The rest, which no category has, comes last.
            groups.sort_by_key(|it| place(&it[0]).unwrap_or(usize::MAX));
            self.values = groups.into_iter().map(value).collect();
        } else {
            self.values = groups.into_iter().map(value).collect();
            sort(&mut self.values);
        }
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
            note: NOTE,
        }
    }
}

/// Sorts values by their words. The index sorts by bytes, in which a space comes before a hyphen, and by
/// ids instead of titles.
fn sort(values: &mut [Value]) {
    values.sort_by_cached_key(|it| {
        let words = search::words(&it.words);
        (words, it.words.to_lowercase())
    });
}

/// Reports whether all spellings of a capability are ids for programs: several words or parts without a
/// space.
fn is_id(spellings: &[FacetCount]) -> bool {
    spellings.iter().all(|it| {
        let value = it.value.as_str();
        value.is_ascii() && !value.contains(' ') && value.contains(['_', '-', '.', '/', ':'])
    })
}

/// Returns what spellings of one capability have in common: its words without articles.
fn key(value: &str) -> String {
    let words = search::words(value);
    let is_article = |word: &&str| matches!(*word, "a" | "an" | "the");
    let others: Vec<&str> = words.split(' ').filter(|it| !is_article(it)).collect();
    if others.is_empty() {
        words
    } else {
        others.join(" ")
    }
}

/// Groups values that differ only in case, punctuation and articles, in the order of the first of each.
fn by_words(values: Vec<FacetCount>) -> Vec<Vec<FacetCount>> {
    let mut groups: Vec<Vec<FacetCount>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for value in values {
        let words = key(&value.value);
        if let Some(place) = places.get(&words).filter(|_| !words.is_empty()) {
            groups[*place].push(value);
        } else {
            places.insert(words, groups.len());
            groups.push(vec![value]);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_the_order_of_their_words() {
        let value = |words: &str| Value {
            words: words.to_owned(),
            count: String::new(),
            agents: 1,
            href: String::new(),
        };
        let mut values = [
            "A2A card",
            "agents",
            "Agent card",
            "book table",
            "book-a-room",
            "Book",
        ];
        values.reverse();
        let mut values: Vec<Value> = values.map(value).into();
        sort(&mut values);
        let words: Vec<_> = values.iter().map(|it| it.words.as_str()).collect();
        let sorted = [
            "A2A card",
            "Agent card",
            "agents",
            "Book",
            "book-a-room",
            "book table",
        ];
        assert_eq!(words, sorted);
    }

    #[test]
    fn spellings_of_one_capability_are_one_value() {
        let value = |value: &str| FacetCount {
            value: value.to_owned(),
            count: 1,
        };
        let values = [
            "a",
            "book a table",
            "book table",
            "book-hotel",
            "book-table",
            "book_table",
            "本",
            "书",
        ];
        let groups = by_words(values.map(value).into());
        let groups: Vec<Vec<_>> = groups
            .iter()
            .map(|group| group.iter().map(|it| it.value.as_str()).collect())
            .collect();
        assert_eq!(
            groups,
            [
                vec!["a"],
                vec!["book a table", "book table", "book-table", "book_table"],
                vec!["book-hotel"],
                vec!["本"],
                vec!["书"],
            ]
        );
        let ids: Vec<_> = groups
            .iter()
            .map(|group| {
                let group = group.iter().map(|it| value(it));
                is_id(&group.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(ids, [false, false, true, false, false]);
    }
}
