//! Parameters of a search, for pages and the API.
//!
//! [`SearchParams::parse`] turns a query string into a checked [`SearchParams`], or returns the
//! fault of each parameter; [`SearchParams::canonical`] writes it in canonical form, for links,
//! tags and cursors.

pub(crate) mod documented;
mod value;
mod words;

use crate::cursor::{self, Position};
use crate::parameter::BadParameter;
use crate::secrets::Keys;
use connect::Language;
use manifest::Timestamp;
use search::{Cursor, Facet, Fit, Request, Results, Sort, Unit, query};
use std::collections::{BTreeMap, BTreeSet};
use url::form_urlencoded;
pub(crate) use value::{BUDGET, characters};
pub(crate) use words::Part;

use value::{each, facets, filter, minutes, number, one_of, time_span};
use words::{INCLUDE, LEVELS, SNIPPETS, SORTS, UNITS};

/// Most characters of `q`.
const MAX_TEXT: usize = 2_100;
/// Most parameters in one request.
const MAX_PARAMETERS: usize = 100;
/// Maximum number of bytes of all filters, which every link of a page repeats.
const MAX_FILTERS: usize = 4_000;
/// Default number of hits on a page.
const LIMIT: usize = 20;
/// Number of hits if no agent matches and no number is given.
const NEAREST: usize = 3;
/// Default number of hits of one registrable domain.
const PER_SITE: usize = 2;

/// Parameters with a list of values.
const LISTS: [&str; 3] = ["facets", "include", "snippets"];

/// Parameters with a single value; of repeated ones, pages take the last.
const SINGLE: [&str; 10] = [
    "q",
    "unit",
    "min_match",
    "sort",
    "per_site",
    "unfold",
    "limit",
    "cursor",
    "checked_within",
    "budget_chars",
];

/// Treatment of unknown parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// An error with the most similar name, in the API.
    Refused,
    /// No error, on pages: other sites append their own parameters to links.
    Ignored,
}

/// A checked search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchParams {
    pub(crate) text: String,
    /// Kind of the hits.
    pub(crate) unit: Unit,
    pub(crate) filters: BTreeMap<Facet, Vec<String>>,
    pub(crate) sort: Sort,
    /// Lowest level of the hits; none lists the nearest agents, too.
    pub(crate) min_match: Fit,
    /// `None` if not given.
    pub(crate) per_site: Option<usize>,
    /// True to show near-duplicates one by one.
    pub(crate) unfold: bool,
    pub(crate) limit: usize,
    /// Number of hits if no agent matches: the limit, if one is given.
    pub(crate) nearest: usize,
    pub(crate) cursor: Option<Position>,
    /// Facets to count.
    pub(crate) facets: Vec<Facet>,
    /// Optional parts of the results, in order.
    pub(crate) parts: Vec<Part>,
    /// Languages of the source code of calls; `None` for all.
    pub(crate) snippets: Option<Vec<Language>>,
    /// Minutes within which the agents must have been checked; only in the API.
    pub(crate) checked_within: Option<u32>,
    /// Most characters of all results; only in the API.
    pub(crate) budget: Option<usize>,
}

impl Default for SearchParams {
    fn default() -> Self {
        Self {
            text: String::new(),
            unit: Unit::Agent,
            filters: BTreeMap::new(),
            sort: Sort::Relevance,
            min_match: Fit::None,
            per_site: None,
            unfold: false,
            limit: LIMIT,
            nearest: NEAREST,
            cursor: None,
            facets: Vec::new(),
            parts: vec![Part::Connect, Part::Links],
            snippets: None,
            checked_within: None,
            budget: None,
        }
    }
}

impl SearchParams {
    /// Creates a search for a text.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// Parses a query string; the error lists all of its faults.
    pub(crate) fn parse(
        query: &str,
        unknown: Unknown,
        keys: &Keys,
    ) -> Result<Self, Vec<BadParameter>> {
        let mut asked = Self::default();
        let mut faults = Vec::new();
        let mut given = BTreeSet::new();
        let mut token = None;
        let mut include: Option<Vec<Part>> = None;
        for (name, value) in pairs(query)? {
            // An empty field of a form means no value, but an empty list of parts means none of them.
            if value.is_empty() && !["q", "include", "snippets"].contains(&name.as_str()) {
                continue;
            }
            let is_single = SINGLE.contains(&name.as_str());
            if is_single && !given.insert(name.clone()) && unknown == Unknown::Refused {
                faults.push(BadParameter::repeated(&name));
                continue;
            }
            let outcome = match name.as_str() {
                "q" => {
                    asked.text = text(&value);
                    Ok(())
                }
                "unit" => one_of("unit", &value, &UNITS).map(|unit| asked.unit = unit),
                "sort" => one_of("sort", &value, &SORTS).map(|sort| asked.sort = sort),
                "min_match" => one_of("min_match", &value, &LEVELS).map(|it| asked.min_match = it),
                "limit" => number("limit", &value).map(|limit| {
                    (asked.limit, asked.nearest) = (limit, limit);
                }),
                "per_site" => number("per_site", &value).map(|n| asked.per_site = Some(n)),
                "unfold" => {
                    let known = [(true, "true"), (false, "false")];
                    one_of("unfold", &value, &known).map(|it| asked.unfold = it)
                }
                "checked_within" | "budget_chars" if unknown == Unknown::Ignored => Ok(()),
                "checked_within" => {
                    minutes("checked_within", &value).map(|it| asked.checked_within = Some(it))
                }
                "budget_chars" => {
                    characters("budget_chars", &value).map(|it| asked.budget = Some(it))
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
                "snippets" => {
                    let snippets = asked.snippets.get_or_insert_default();
                    each("snippets", &value, &SNIPPETS, snippets, &mut faults);
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
        if let Some(mut parts) = include {
            // Links cost little beside any other part.
            if !parts.is_empty() {
                parts.push(Part::Links);
            }
            parts.sort_unstable();
            asked.parts = parts;
        }
        let values = asked.filters.values().flatten();
        if values.map(String::len).sum::<usize>() > MAX_FILTERS {
            faults.push(BadParameter::new(
                "",
                "too_long",
                format!("all filters together may have at most {MAX_FILTERS} bytes"),
            ));
        }
        asked.filters.values_mut().for_each(|values| values.sort());
        if let Some(token) = token {
            asked.cursor = cursor::read(&token, &asked.canonical(), keys);
            if asked.cursor.is_none() {
                faults.push(BadParameter::new(
                    "cursor",
                    "bad_cursor",
                    "the cursor is damaged or belongs to another search; leave it out to start at \
                     the first page",
                ));
            }
        }
        if faults.is_empty() {
            Ok(asked)
        } else {
            Err(faults)
        }
    }

    /// Returns the search in canonical form, without cursor: `q=…&unit=capability&auth=none&sort=name`.
    pub(crate) fn canonical(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if !self.text.is_empty() {
            query.append_pair("q", &self.text);
        }
        if self.unit == Unit::Capability {
            query.append_pair("unit", "capability");
        }
        for (facet, values) in &self.filters {
            for value in values {
                query.append_pair(facet.as_str(), value);
            }
        }
        if self.sort != Sort::Relevance {
            query.append_pair("sort", sort_word(self.sort));
        }
        if let Some((_, word)) = LEVELS.iter().find(|it| it.0 == self.min_match) {
            query.append_pair("min_match", word);
        }
        if let Some(per_site) = self.per_site {
            query.append_pair("per_site", &per_site.to_string());
        }
        if self.unfold {
            query.append_pair("unfold", "true");
        }
        if (self.limit, self.nearest) != (LIMIT, NEAREST) {
            query.append_pair("limit", &self.limit.to_string());
        }
        if let Some(minutes) = self.checked_within {
            query.append_pair("checked_within", &time_span(minutes));
        }
        query.finish()
    }

    /// Reports whether results include a part.
    pub(crate) fn includes(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Returns the time at or after which the agents must have been checked.
    pub(crate) fn checked_since(&self, now: Timestamp) -> Option<Timestamp> {
        let minutes = self.checked_within?;
        Some(Timestamp(now.0.saturating_sub(i64::from(minutes) * 60_000)))
    }

    /// Returns all that a response of the API depends on, for its tag.
    pub(crate) fn identity(&self) -> String {
        format!(
            "{}#{:?}#{:?}#{:?}#{:?}#{:?}",
            self.canonical(),
            self.cursor,
            self.facets,
            self.parts,
            self.snippets,
            self.budget
        )
    }

    /// Returns the token of the page that follows these results, if there is one.
    pub(crate) fn next(&self, results: &Results, keys: &Keys) -> Option<String> {
        let after = results.next.clone()?;
        Some(self.following(after, results.generation, keys))
    }

    /// Returns the token of the page that follows a hit of a generation of the index.
    pub(crate) fn following(&self, after: Cursor, generation: u64, keys: &Keys) -> String {
        let position = Position { generation, after };
        cursor::write(&position, &self.canonical(), keys)
    }

    /// Returns the path of this search's page.
    pub(crate) fn page(&self) -> String {
        location("/search", &self.canonical())
    }

    /// Returns this search from its first page, with `value` of `facet` added or removed.
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

    /// Reports whether results are filtered by `value` of `facet`.
    pub(crate) fn has(&self, facet: Facet, value: &str) -> bool {
        self.filters
            .get(&facet)
            .is_some_and(|values| values.iter().any(|it| it == value))
    }

    /// Returns the request for the index, with the query parsed.
    pub(crate) fn request(&self) -> Request {
        let query = query::parse(&self.text);
        // A list is complete: only hits for a need compete for places.
        let is_list = self.sort != Sort::Relevance || !(query.is_need() || query.is_lost());
        let per_site = if is_list { 0 } else { PER_SITE };
        Request {
            query,
            filters: self
                .filters
                .iter()
                .filter(|(_, values)| !values.is_empty())
                .map(|(facet, values)| (*facet, values.clone()))
                .collect(),
            unit: self.unit,
            sort: self.sort,
            least: self.min_match,
            per_site: self.per_site.unwrap_or(per_site),
            unfold: self.unfold || is_list,
            limit: self.limit,
            nearest: if self.cursor.is_none() {
                self.nearest
            } else {
                self.limit
            },
            after: self.cursor.as_ref().map(|it| it.after.clone()),
            generation: self.cursor.as_ref().map(|it| it.generation),
            facets: self.facets.clone(),
        }
    }
}

/// Returns the names and values of a query string; an error if there are too many.
fn pairs(query: &str) -> Result<Vec<(String, String)>, Vec<BadParameter>> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let pairs: Vec<_> = pairs.into_owned().collect();
    if pairs.len() > MAX_PARAMETERS {
        return Err(vec![BadParameter::new(
            "",
            "too_many_parameters",
            format!("a request may have at most {MAX_PARAMETERS} parameters"),
        )]);
    }
    Ok(pairs)
}

/// Returns `path?query`, or `path` if there is no query.
pub(crate) fn location(path: &str, query: &str) -> String {
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// Returns the parameter value of a sort order.
pub(crate) fn sort_word(sort: Sort) -> &'static str {
    let mut sorts = SORTS.into_iter();
    sorts.find(|it| it.0 == sort).map_or("", |it| it.1)
}

fn names() -> Vec<&'static str> {
    let facets = Facet::ALL.map(Facet::as_str);
    SINGLE.into_iter().chain(LISTS).chain(facets).collect()
}

/// Cleans a query and truncates it slightly beyond the index's own limit, so that the index can
/// report what it ignored.
pub(crate) fn text(value: &str) -> String {
    manifest::text::clean(value, MAX_TEXT)
}

#[cfg(test)]
mod tests;
