//! Capabilities near a query that nothing fits: an honest no that helps on.

use super::super::analyzer::{self, Term};
use super::super::need::Need;
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
        for (_, address) in searcher.search(&query, &collector)? {
            let document: TantivyDocument = searcher.doc(address)?;
            let told = document
                .get_first(self.fields.told)
                .and_then(|value| value.as_str())
                .map(Told::parse)
                .unwrap_or_default();
            for capability in told.capabilities {
                let name = analyzer::terms(&capability.name);
                let description = analyzer::terms(&capability.description);
                let nearness: f32 = need
                    .words
                    .iter()
                    .map(|word| word.weight * nearness(&name, &description, &word.terms))
                    .sum();
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

/// How near a capability's name and description come to a word: the word itself, or one slip away.
fn nearness(name: &[Term], description: &[Term], wanted: &[String]) -> f32 {
    let has = |terms: &[Term]| terms.iter().any(|term| wanted.contains(&term.text));
    let is_near = || {
        let mut long = wanted.iter().filter(|wanted| wanted.len() >= 4);
        long.any(|wanted| {
            name.iter()
                .any(|term| strsim::osa_distance(wanted, &term.text) <= 1)
        })
    };
    if has(name) {
        1.0
    } else if is_near() {
        0.7
    } else if has(description) {
        0.5
    } else {
        0.0
    }
}
