//! Descriptions of the parameters of a search, for the description of the API.

use super::value::BUDGET;
use super::words::{INCLUDE, LEVELS, SNIPPETS, SORTS, UNITS};
use super::{LIMIT, PER_SITE};
use schemars::{Schema, json_schema};
use search::Facet;

/// Description of a parameter.
#[derive(Debug)]
pub(crate) struct ParameterDoc {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) format: Schema,
}

/// Returns every parameter of a search.
pub(crate) fn documented() -> Vec<ParameterDoc> {
    let number = |from: usize, to: usize, default: usize| json_schema!({ "type": "integer", "minimum": from, "maximum": to, "default": default });
    let words = |values: Vec<&str>| json_schema!({ "type": "string", "enum": values });
    let list = |mut values: Vec<&str>| {
        // An empty value counts as none.
        values.push("");
        json_schema!({ "type": "array", "items": words(values) })
    };
    let one = |name, description, format| ParameterDoc {
        name,
        description,
        format,
    };
    let sorts = SORTS.map(|(_, word)| word).to_vec();
    let units = UNITS.map(|(_, word)| word).to_vec();
    let levels = LEVELS.map(|(_, word)| word).to_vec();
    let facets = Facet::ALL.map(Facet::as_str).to_vec();
    let include = INCLUDE.map(|(_, word)| word).to_vec();
    let snippets = SNIPPETS.map(|(_, word)| word).to_vec();
    let text = || json_schema!({ "type": "string" });
    let mut all = vec![
        one(
            "q",
            "The need in words, with the operators of /docs/search.",
            text(),
        ),
        one(
            "unit",
            "Kind of the results: agents, or the capabilities of the best 200 agents, at most two of each, with the call of each.",
            words(units),
        ),
        one("sort", "Order of the results.", words(sorts)),
        one(
            "min_match",
            "Lowest level of the results. Without it, the answer to a need that no agent meets has the nearest agents.",
            words(levels),
        ),
        one(
            "per_site",
            "Results of one registrable domain; without it, a list without a need or in another order than by relevance has all.",
            number(1, 100, PER_SITE),
        ),
        one(
            "unfold",
            "True to show near-duplicates one by one.",
            json_schema!({ "type": "boolean", "default": false }),
        ),
        one("limit", "Results of a page.", number(1, 100, LIMIT)),
        one(
            "cursor",
            "Value of `next_cursor`, for the next page.",
            text(),
        ),
        one(
            "checked_within",
            "Time, such as `7d`, within which a site must have confirmed the agent.",
            json_schema!({ "type": "string", "pattern": "^([0-9]+[mhdw])?$" }),
        ),
        one(
            "budget_chars",
            "Most characters of `results`.",
            json_schema!({
                "type": "integer",
                "minimum": BUDGET.start(),
                "maximum": BUDGET.end(),
            }),
        ),
        one("facets", "Facets to count.", list(facets)),
        one(
            "include",
            "Optional parts of a result. An empty value leaves everything out that can be left out.",
            list(include),
        ),
        one(
            "snippets",
            "Languages of the source code in `connect`, instead of all; none if empty.",
            list(snippets),
        ),
    ];
    let filters = Facet::ALL.map(|facet| {
        let values = json_schema!({ "type": "array", "items": { "type": "string" } });
        one(facet.as_str(), "Values of which a result has one.", values)
    });
    all.extend(filters);
    all
}
