//! Nearest capabilities, suggested when no agent fits a query.

use super::embedding::{Embedder, Vector};
use super::explain::{Explainer, Need, cut};
use manifest::Capability;
use std::collections::HashMap;
use store::StoredAgent;

/// Maximum number of suggested names.
const MAX_NEAREST: usize = 5;
/// Maximum number of capabilities of an agent that are compared.
const MAX_CAPABILITIES: usize = 30;
/// Weight of the share of words relative to the cosine.
const SHARE: f32 = 0.4;
/// Minimum score; capabilities below it are unrelated to the need.
const FAR: f32 = 0.2;

/// Returns the names of the capabilities nearest to a need, by meaning, or by words if the need has
/// no vector.
pub(crate) fn capabilities(need: &Need, agents: &[StoredAgent]) -> Vec<String> {
    // Without a vector, any of the words suffices.
    let far = need.meaning.map_or(0.0, |_| FAR);
    let total: f32 = need.words.iter().map(|word| word.idf).sum();
    let mut nearest: HashMap<&str, f32> = HashMap::new();
    let mut explainer = Explainer::new(need);
    let mut meaning = need
        .meaning
        .map(|(need, table)| (need, Embedder::new(table)));
    for stored in agents {
        let capabilities = &stored.listing.agent.capabilities;
        for capability in capabilities.iter().take(MAX_CAPABILITIES) {
            let share = explainer.weight_of(capability, None) / total.max(f32::MIN_POSITIVE);
            let cosine = meaning
                .as_mut()
                .map_or(0.0, |(need, embedder)| cosine(need, embedder, capability));
            let nearness = cosine + SHARE * share;
            if nearness > far {
                let best = nearest.entry(cut(&capability.name)).or_default();
                *best = best.max(nearness);
            }
        }
    }
    let mut nearest: Vec<_> = nearest.into_iter().collect();
    nearest.sort_by(|left, right| {
        let by_nearness = right.1.total_cmp(&left.1);
        by_nearness.then_with(|| left.0.cmp(right.0))
    });
    let names = nearest.into_iter().map(|(name, _)| name.to_owned());
    names.take(MAX_NEAREST).collect()
}

/// Returns the cosine between a capability and a need; zero if the capability has no vector.
fn cosine(need: &Vector, embedder: &mut Embedder, capability: &Capability) -> f32 {
    let description = capability.description.as_deref().unwrap_or_default();
    let text = format!("{}. {}", cut(&capability.name), cut(description));
    let vector = embedder.embed(&text);
    vector.map_or(0.0, |vector| need.cosine(&vector))
}
