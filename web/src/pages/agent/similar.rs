//! Neighbours of an agent, for its page.

use crate::query::SearchParams;
use crate::record::agent::Neighbours;
use crate::view::card::Card;
use manifest::Timestamp;
use search::Facet;

/// Category of an agent, and similar agents of other sites.
#[derive(Debug, Default)]
pub(super) struct Similar {
    pub(super) cards: Vec<Card>,
    /// Title of the category, and the search for its agents.
    pub(super) category: Option<(&'static str, String)>,
}

impl Similar {
    /// Creates the view of the neighbours of an agent.
    pub(super) fn of(neighbours: &Neighbours, now: Timestamp) -> Self {
        let similar = neighbours.similar.iter();
        let category = neighbours.category.map(|it| {
            let search = SearchParams::default().toggled(Facet::Category, it.id);
            (it.title, search.page())
        });
        Self {
            cards: similar.map(|it| Card::of(it, now)).collect(),
            category,
        }
    }
}
