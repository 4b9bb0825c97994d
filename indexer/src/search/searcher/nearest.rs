//! Capabilities near a query that nothing fits: an honest no that helps on.

use super::super::analyzer::{self, Term};
use super::super::explain::Explainer;
use super::super::need::{Need, Word};
use super::super::schema::Told;
use super::State;
use std::collections::HashMap;
use tantivy::TantivyDocument;
use tantivy::collector::TopDocs;
use tantivy::schema::Value as _;

/// Names offered when nothing fits.
const MAX_NEAREST: usize = 5;
/// Agents whose capabilities are looked through for them.
const NEAREST_AGENTS: usize = 50;

impl State {
    /// Capabilities that share a word with the query, or nearly so.
    pub(super) fn nearest_capabilities(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
    ) -> tantivy::Result<Vec<String>> {
        let mut queries = vec![(tantivy::query::Occur::Should, need.any_word(&self.fields))];
        for word in need.words.iter().filter(|it| it.label.len() >= 4) {
            for term in &word.terms {
                let term = tantivy::Term::from_field_text(self.fields.text, term);
                let query = tantivy::query::FuzzyTermQuery::new(term, 1, true);
                queries.push((tantivy::query::Occur::Should, Box::new(query)));
            }
        }
        let query = tantivy::query::BooleanQuery::new(queries);
        let collector = TopDocs::with_limit(NEAREST_AGENTS).order_by_score();
        let mut nearest: HashMap<String, f32> = HashMap::new();
        let mut explainer = Explainer::new(&need.words);
        for (_, address) in searcher.search(&query, &collector)? {
            let document: TantivyDocument = searcher.doc(address)?;
            let told = document
                .get_first(self.fields.told)
                .and_then(|value| value.as_str())
                .map(Told::parse)
                .unwrap_or_default();
            for capability in told.capabilities {
                let name = analyzer::terms(&capability.name);
                let in_name = explainer.words_in(&capability.name);
                let in_description = explainer.words_in(&capability.description);
                let nearness = |(at, word): (usize, &Word)| {
                    let nearness = if in_name.contains(&at) {
                        1.0
                    } else if is_near(&name, &word.terms) {
                        0.7
                    } else if in_description.contains(&at) {
                        0.5
                    } else {
                        0.0
                    };
                    word.weight * nearness
                };
                let nearness: f32 = need.words.iter().enumerate().map(nearness).sum();
                if nearness > 0.0 {
                    let best = nearest.entry(capability.name).or_default();
                    *best = best.max(nearness);
                }
            }
        }
        let mut nearest: Vec<_> = nearest.into_iter().collect();
        nearest.sort_by(|left, right| {
            right
                .1
                .total_cmp(&left.1)
                .then_with(|| left.0.cmp(&right.0))
        });
        nearest.truncate(MAX_NEAREST);
        Ok(nearest.into_iter().map(|(name, _)| name).collect())
    }
}

/// True when a word of a capability's name is one slip away from a wanted one.
fn is_near(name: &[Term], wanted: &[String]) -> bool {
    let mut long = wanted.iter().filter(|wanted| wanted.len() >= 4);
    long.any(|wanted| {
        let length = wanted.chars().count();
        name.iter().any(|term| {
            term.text.chars().count().abs_diff(length) <= 1
                && strsim::osa_distance(wanted, &term.text) <= 1
        })
    })
}
