//! The parameters of a search, as pages and API take them (DESIGN.md 5.2).
//!
//! [`Asked::parse`] turns a query string into a checked [`Asked`] or says of each parameter what is
//! wrong with it; [`Asked::canonical`] writes it back in one spelling, for links, tags and cursors.

mod value;

use crate::cursor;
use crate::parameter::BadParameter;
use indexer::search::{Cursor, Facet, Request, Sort, query};
use std::collections::{BTreeMap, BTreeSet};
use url::form_urlencoded;
use value::{each, facets, filter, number, one_of};

/// Most characters of `q`.
const MAX_TEXT: usize = 2_100;
/// Most parameters in one request.
const MAX_PARAMETERS: usize = 100;
/// Most bytes of all filters, which every link of a page repeats.
const MAX_FILTERS: usize = 4_000;
/// Hits on a page when nothing is said.
const LIMIT: usize = 20;
/// Hits of one registrable domain when nothing is said.
const PER_SITE: usize = 2;

const OTHERS: [&str; 8] = [
    "q", "sort", "per_site", "unfold", "limit", "cursor", "facets", "include",
];

/// Those that have one value; pages, which refuse little, take the last.
const SINGLE: [&str; 6] = ["q", "sort", "per_site", "unfold", "limit", "cursor"];

const SORTS: [(Sort, &str); 4] = [
    (Sort::Relevance, "relevance"),
    (Sort::Updated, "updated"),
    (Sort::FirstSeen, "first_seen"),
    (Sort::Name, "name"),
];

/// What results may carry besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// What a first call needs.
    Connect,
    /// The documents behind a result.
    Evidence,
}

const INCLUDE: [(Part, &str); 2] = [(Part::Connect, "connect"), (Part::Evidence, "evidence")];

/// What to do with a parameter that nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The API: an error, with the nearest name.
    Refused,
    /// Pages: other sites append their own parameters to links.
    Ignored,
}

/// A checked search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) filters: BTreeMap<Facet, Vec<String>>,
    pub(crate) sort: Sort,
    /// `None` when nothing is said.
    pub(crate) per_site: Option<usize>,
    /// Whether near-identical agents are shown one by one.
    pub(crate) unfold: bool,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<Cursor>,
    /// Facets to count.
    pub(crate) facets: Vec<Facet>,
    /// Whether results carry what a first call needs.
    pub(crate) has_connect: bool,
    /// Whether results carry the documents behind them.
    pub(crate) has_evidence: bool,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            text: String::new(),
            filters: BTreeMap::new(),
            sort: Sort::Relevance,
            per_site: None,
            unfold: false,
            limit: LIMIT,
            cursor: None,
            facets: Vec::new(),
            has_connect: true,
            has_evidence: false,
        }
    }
}

impl Asked {
    /// Reads a query string; every fault of it is in the error.
    pub(crate) fn parse(query: &str, unknown: Unknown) -> Result<Self, Vec<BadParameter>> {
        let mut asked = Self::default();
        let mut faults = Vec::new();
        let mut given = BTreeSet::new();
        let mut token = None;
        let mut include: Option<Vec<Part>> = None;
        let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        if pairs.len() > MAX_PARAMETERS {
            return Err(vec![BadParameter::new(
                "",
                "too_many_parameters",
                format!("at most {MAX_PARAMETERS} parameters are read"),
            )]);
        }
        for (name, value) in pairs {
            // An empty field of a form is the same as none.
            if value.is_empty() && name != "q" {
                continue;
            }
            let is_single = SINGLE.contains(&name.as_str());
            if is_single && !given.insert(name.clone()) && unknown == Unknown::Refused {
                faults.push(BadParameter::new(
                    &name,
                    "repeated",
                    format!("`{name}` is given more than once; give it once"),
                ));
                continue;
            }
            let outcome = match name.as_str() {
                "q" => {
                    asked.text = text(&value);
                    Ok(())
                }
                "sort" => one_of("sort", &value, &SORTS).map(|sort| asked.sort = sort),
                "limit" => number("limit", &value).map(|limit| asked.limit = limit),
                "per_site" => number("per_site", &value).map(|n| asked.per_site = Some(n)),
                "unfold" => {
                    let known = [(true, "true"), (false, "false")];
                    one_of("unfold", &value, &known).map(|it| asked.unfold = it)
                }
                "cursor" => {
                    token = Some(value);
                    Ok(())
                }
                "facets" => {
                    each("facets", &value, &facets(), &mut asked.facets, &mut faults);
                    Ok(())
                }
                "include" => {
                    let include = include.get_or_insert_default();
                    each("include", &value, &INCLUDE, include, &mut faults);
                    Ok(())
                }
                other => match Facet::ALL.into_iter().find(|facet| facet.as_str() == other) {
                    Some(facet) => filter(facet, &value).map(|value| {
                        let values = asked.filters.entry(facet).or_default();
                        if !values.contains(&value) {
                            values.push(value);
                        }
                    }),
                    None if unknown == Unknown::Ignored => Ok(()),
                    None => Err(BadParameter::unknown(other, &names())),
                },
            };
            faults.extend(outcome.err());
        }
        if let Some(parts) = include {
            asked.has_connect = parts.contains(&Part::Connect);
            asked.has_evidence = parts.contains(&Part::Evidence);
        }
        let values = asked.filters.values().flatten();
        if values.map(String::len).sum::<usize>() > MAX_FILTERS {
            faults.push(BadParameter::new(
                "",
                "too_long",
                format!("filters of more than {MAX_FILTERS} bytes in all are not read"),
            ));
        }
        asked.filters.values_mut().for_each(|values| values.sort());
        if let Some(token) = token {
            asked.cursor = cursor::read(&token, &asked.canonical());
            if asked.cursor.is_none() {
                faults.push(
                    BadParameter::new(
                        "cursor",
                        "bad_cursor",
                        "the cursor is damaged or belongs to another search",
                    )
                    .suggesting("leave it out to start from the first page"),
                );
            }
        }
        if faults.is_empty() {
            Ok(asked)
        } else {
            Err(faults)
        }
    }

    /// The search in its one spelling, without cursor: `q=…&auth=none&sort=name`.
    pub(crate) fn canonical(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if !self.text.is_empty() {
            query.append_pair("q", &self.text);
        }
        for (facet, values) in &self.filters {
            for value in values {
                query.append_pair(facet.as_str(), value);
            }
        }
        if self.sort != Sort::Relevance {
            query.append_pair("sort", sort_word(self.sort));
        }
        if let Some(per_site) = self.per_site {
            query.append_pair("per_site", &per_site.to_string());
        }
        if self.unfold {
            query.append_pair("unfold", "true");
        }
        if self.limit != LIMIT {
            query.append_pair("limit", &self.limit.to_string());
        }
        query.finish()
    }

    /// True when words say what is needed; nothing, or conditions such as `is:up` alone, fit everybody or nobody.
    pub(crate) fn is_need(&self) -> bool {
        !query::parse(&self.text).clauses.is_empty()
    }

    /// Everything that decides an answer of the API, for its tag.
    pub(crate) fn identity(&self) -> String {
        format!(
            "{}#{:?}#{:?}#{}#{}",
            self.canonical(),
            self.cursor,
            self.facets,
            self.has_connect,
            self.has_evidence
        )
    }

    /// The page of this search.
    pub(crate) fn page(&self) -> String {
        location("/search", &self.canonical())
    }

    /// The same search, from its beginning, with `value` of `facet` added or taken away.
    pub(crate) fn toggled(&self, facet: Facet, value: &str) -> Self {
        let mut asked = self.clone();
        let values = asked.filters.entry(facet).or_default();
        match values.iter().position(|it| it == value) {
            Some(place) => {
                values.remove(place);
            }
            None => values.push(value.to_owned()),
        }
        values.sort();
        asked.cursor = None;
        asked
    }

    /// True when results are limited to `value` of `facet`.
    pub(crate) fn has(&self, facet: Facet, value: &str) -> bool {
        self.filters
            .get(&facet)
            .is_some_and(|values| values.iter().any(|it| it == value))
    }

    /// The request for the index.
    pub(crate) fn request(&self) -> Request {
        Request {
            text: self.text.clone(),
            filters: self
                .filters
                .iter()
                .filter(|(_, values)| !values.is_empty())
                .map(|(facet, values)| (*facet, values.clone()))
                .collect(),
            sort: self.sort,
            per_site: self.per_site.unwrap_or(PER_SITE),
            unfold: self.unfold,
            limit: self.limit,
            after: self.cursor.clone(),
            facets: self.facets.clone(),
        }
    }
}

/// `path?query`, or `path` alone.
pub(crate) fn location(path: &str, query: &str) -> String {
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// The word of a sort order.
pub(crate) fn sort_word(sort: Sort) -> &'static str {
    match sort {
        Sort::Relevance => "relevance",
        Sort::Updated => "updated",
        Sort::FirstSeen => "first_seen",
        Sort::Name => "name",
    }
}

fn names() -> Vec<&'static str> {
    OTHERS
        .into_iter()
        .chain(Facet::ALL.map(Facet::as_str))
        .collect()
}

/// A query, cut where the index would stop to read and a little later, so that it can say what it left out.
pub(crate) fn text(value: &str) -> String {
    manifest::text::clean(value, MAX_TEXT)
}

#[cfg(test)]
mod tests;
