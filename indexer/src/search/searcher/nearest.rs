//! Capabilities near a query that nothing fits: an honest no that helps on.

use super::super::explain::Explainer;
use super::super::need::Need;
use super::super::schema::{Told, ToldCapability};
use super::super::semantic::{Table, Vector};
use super::State;
use std::collections::HashMap;
use tantivy::collector::TopDocs;
use tantivy::schema::Value as _;
use tantivy::{DocAddress, TantivyDocument};

/// Names offered when nothing fits.
const MAX_NEAREST: usize = 5;
/// Agents whose capabilities are looked through for them, and how many of each.
const NEAREST_AGENTS: usize = 10;
const MAX_CAPABILITIES: usize = 30;
/// What all words of the need count beside a cosine, as they do where it is asked whether anybody fits.
const SHARE: f32 = 0.4;
/// What is farther than this in both has nothing to do with the need.
const FAR: f32 = 0.3;

impl State {
    /// The capabilities that come nearest to what is needed, of the agents that do: in meaning, or by their words where
    /// nothing is known of the meaning.
    pub(super) fn nearest_capabilities(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
    ) -> tantivy::Result<Vec<String>> {
        let meaning = need.meaning.as_ref().zip(self.table);
        let agents = match meaning {
            Some((vector, _)) => self.near_in_meaning(searcher, vector)?,
            None => self.near_in_words(searcher, need)?,
        };
        // Where only words are known, any of them will do.
        let far = meaning.map_or(0.0, |_| FAR);
        let mut nearest: HashMap<String, f32> = HashMap::new();
        let mut explainer = Explainer::new(&need.words);
        let total: f32 = need.words.iter().map(|word| word.weight).sum();
        for address in agents {
            let document: TantivyDocument = searcher.doc(address)?;
            let told = document
                .get_first(self.fields.told)
                .and_then(|value| value.as_str())
                .map(Told::parse)
                .unwrap_or_default();
            for capability in told.capabilities.into_iter().take(MAX_CAPABILITIES) {
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

    /// The agents nearest to a need in meaning.
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

    /// The agents that have most of its words.
    fn near_in_words(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
    ) -> tantivy::Result<Vec<DocAddress>> {
        let collector = TopDocs::with_limit(NEAREST_AGENTS).order_by_score();
        let near = searcher.search(&need.any_word(&self.fields), &collector)?;
        Ok(near.into_iter().map(|(_, address)| address).collect())
    }
}

/// How near a capability comes to a need in meaning.
fn cosine(need: &Vector, capability: &ToldCapability, table: &Table) -> f32 {
    let text = format!("{}. {}", capability.name, capability.description);
    let vector = table.embed(&text);
    vector.map_or(0.0, |vector| need.cosine(&vector))
}
