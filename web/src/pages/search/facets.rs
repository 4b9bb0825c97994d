//! Filters of the search page.

use super::Choice;
use super::words::{facet_title, value_words};
use crate::query::SearchParams;
use crate::view;
use search::{Facet, Results};

/// Most values shown of one facet.
const VALUES: usize = 8;

/// Facets that the page offers, and the number of the first of them whose values are shown at once.
const OPEN: usize = 6;
pub(super) const SHOWN: [Facet; 15] = [
    Facet::Callable,
    Facet::Category,
    Facet::Protocol,
    Facet::Auth,
    Facet::Level,
    Facet::Status,
    Facet::Format,
    Facet::Tag,
    Facet::Language,
    Facet::Tld,
    Facet::ModalityIn,
    Facet::ModalityOut,
    Facet::Registration,
    Facet::Session,
    Facet::Handoff,
];

/// Facet with its values.
#[derive(Debug)]
pub(super) struct FacetView {
    pub(super) title: &'static str,
    /// True if its values are shown at once.
    pub(super) is_open: bool,
    /// True if its values are letters, which are explained elsewhere.
    pub(super) has_legend: bool,
    pub(super) choices: Vec<Choice>,
}

/// Returns the facets of an answer that are filters, each with links that set and remove its values.
pub(super) fn facets(asked: &SearchParams, results: &Results) -> Vec<FacetView> {
    let views = SHOWN.into_iter().enumerate().map(|(index, facet)| {
        let counts = results.facets.get(&facet).map_or(&[][..], Vec::as_slice);
        // Categories are few, and none of them is more telling than another.
        let most = if facet == Facet::Category {
            counts.len()
        } else {
            VALUES
        };
        let choices = counts.iter().take(most).map(|count| Choice {
            count: view::grouped(count.count),
            is_active: asked.has(facet, &count.value),
            ..Choice::of(
                value_words(facet, &count.value),
                &asked.toggled(facet, &count.value),
            )
        });
        FacetView {
            title: facet_title(facet),
            has_legend: facet == Facet::Level,
            is_open: index < OPEN || asked.filters.contains_key(&facet),
            choices: choices.collect(),
        }
    });
    // A facet with a single value is no filter.
    views
        .filter(|view| view.choices.len() > 1 || view.choices.iter().any(|it| it.is_active))
        .collect()
}
