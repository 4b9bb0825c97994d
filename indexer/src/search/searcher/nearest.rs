//! Nearest capabilities, suggested when no agent fits a query.

use super::super::embedding::{Table, Vector};
use super::super::explain::Explainer;
use super::super::query_plan::QueryPlan;
use super::super::schema::{SnippetCapability, SnippetSource};
use super::State;
use std::collections::HashMap;
use tantivy::collector::TopDocs;
use tantivy::schema::Value as _;
use tantivy::{DocAddress, TantivyDocument};

/// Maximum number of suggested names.
const MAX_NEAREST: usize = 5;
/// Maximum number of agents whose capabilities are compared, and of capabilities of each.
const NEAREST_AGENTS: usize = 10;
const MAX_CAPABILITIES: usize = 30;
/// Weight of the share of words relative to the cosine, as in the decision whether the need is met.
const SHARE: f32 = 0.4;
/// Minimum score; capabilities below it are unrelated to the need.
const FAR: f32 = 0.3;

impl State {
    /// Returns the capabilities nearest to the need, of the nearest agents: by meaning, or by words
    /// if the need has no vector.
    pub(super) fn nearest_capabilities(
        &self,
        searcher: &tantivy::Searcher,
        need: &QueryPlan,
    ) -> tantivy::Result<Vec<String>> {
        let meaning = need.meaning.as_ref().zip(self.table);
        let agents = match meaning {
            Some((vector, _)) => self.near_in_meaning(searcher, vector)?,
            None => self.near_in_words(searcher, need)?,
        };
        // Without a vector, any of the words suffices.
        let far = meaning.map_or(0.0, |_| FAR);
        let mut nearest: HashMap<String, f32> = HashMap::new();
        let mut explainer = Explainer::new(&need.words);
        let total: f32 = need.words.iter().map(|word| word.weight).sum();
        for address in agents {
            let document: TantivyDocument = searcher.doc(address)?;
            let source = document
                .get_first(self.fields.snippet_source)
                .and_then(|value| value.as_str())
                .map(SnippetSource::parse)
                .unwrap_or_default();
            for capability in source.capabilities.into_iter().take(MAX_CAPABILITIES) {
                let mut words = explainer.words_in(&capability.name);
                words.extend(explainer.words_in(&capability.description));
                let weight: f32 = words.iter().map(|at| need.words[*at].weight).sum();
                let cosine = meaning.map_or(0.0, |(need, table)| cosine(need, &capability, table));
                let nearness = cosine + SHARE * weight / total.max(f32::MIN_POSITIVE);
                if nearness > far {
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

    /// Returns the agents nearest to a need in meaning.
    fn near_in_meaning(
        &self,
        searcher: &tantivy::Searcher,
        need: &Vector,
    ) -> tantivy::Result<Vec<DocAddress>> {
        let column = searcher.schema().get_field_name(self.fields.meaning);
        let is_listed = |at, document| !searcher.segment_reader(at).is_deleted(document);
        let near = self.sketches.nearest(need, searcher, column, is_listed)?;
        let mut near: Vec<_> = (0..)
            .zip(near)
            .flat_map(|(at, near)| near.into_iter().map(move |it| (it.1, at, it.0)))
            .collect();
        near.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        near.truncate(NEAREST_AGENTS);
        let near = near.into_iter();
        Ok(near
            .map(|(_, at, document)| DocAddress::new(at, document))
            .collect())
    }

    /// Returns the agents with the highest scores for any of the need's words.
    fn near_in_words(
        &self,
        searcher: &tantivy::Searcher,
        need: &QueryPlan,
    ) -> tantivy::Result<Vec<DocAddress>> {
        let collector = TopDocs::with_limit(NEAREST_AGENTS).order_by_score();
        let near = searcher.search(&need.any_word(&self.fields), &collector)?;
        Ok(near.into_iter().map(|(_, address)| address).collect())
    }
}

/// Returns the cosine between a capability and a need; zero for a capability without a vector.
fn cosine(need: &Vector, capability: &SnippetCapability, table: &Table) -> f32 {
    let text = format!("{}. {}", capability.name, capability.description);
    let vector = table.embed(&text);
    vector.map_or(0.0, |vector| need.cosine(&vector))
}
