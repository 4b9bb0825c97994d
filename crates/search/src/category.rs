//! Categories: the kinds of needs that agents meet, one or none for each agent.
//!
//! The sentence vector of an agent is compared with those of some texts about each category
//! ([`table`]). The nearest category is that of the agent, unless it is far, or another one about as near.

mod table;

use super::embedding::SentenceVector;
use encoder::Encoder;
use std::sync::LazyLock;
use table::{CATEGORIES, NEUTRAL, NONE};

/// Value of the facet of categories for an agent that has none.
pub const OTHER: &str = "other";

/// Least nearness of the category of an agent.
const MIN_NEARNESS: f32 = 0.2;
/// Least nearness by which it is ahead of the next one.
const MIN_LEAD: f32 = 0.02;

/// A category of needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Category {
    /// The value of the facet.
    pub id: &'static str,
    /// The name, in English.
    pub title: &'static str,
    /// Descriptions of typical agents.
    texts: &'static [&'static str],
}

impl Category {
    /// Returns all categories in the order of pages.
    pub fn all() -> &'static [Self] {
        &CATEGORIES
    }

    /// Returns the category with an id; `None` for [`OTHER`].
    pub fn find(id: &str) -> Option<&'static Self> {
        CATEGORIES.iter().find(|it| it.id == id)
    }

    /// Returns the category of an agent with this vector.
    pub(crate) fn of(vector: &SentenceVector) -> Option<&'static Self> {
        static CLASSIFIER: LazyLock<Option<Classifier>> =
            LazyLock::new(|| Some(Classifier::new(Encoder::shipped()?)));
        CLASSIFIER.as_ref()?.category(vector)
    }
}

/// Vectors of the table.
struct Classifier {
    /// Directions at right angles to one another, which are left out.
    neutral: Vec<SentenceVector>,
    /// Vectors of the texts of each category.
    texts: Vec<(Option<&'static Category>, Vec<SentenceVector>)>,
}

impl Classifier {
    fn new(encoder: &Encoder) -> Self {
        let vectors_of = |texts: &[&str]| {
            let vectors = encoder.encode(texts);
            let vectors = vectors.iter().map(SentenceVector::of_embedding);
            vectors.collect::<Vec<_>>()
        };
        let mut neutral = Vec::new();
        for vector in vectors_of(NEUTRAL) {
            neutral.extend(without(&vector, &neutral));
        }
        let texts = CATEGORIES.iter().map(|it| (Some(it), it.texts));
        let texts = texts.chain([(None, NONE)]).map(|(category, texts)| {
            let vectors = vectors_of(texts);
            let vectors = vectors.iter().filter_map(|it| without(it, &neutral));
            (category, vectors.collect())
        });
        Self {
            texts: texts.collect(),
            neutral,
        }
    }

    fn category(&self, vector: &SentenceVector) -> Option<&'static Category> {
        let vector = without(vector, &self.neutral)?;
        let mut nearest: Vec<_> = self
            .texts
            .iter()
            .map(|(category, texts)| (nearness(&vector, texts), *category))
            .collect();
        nearest.sort_by(|left, right| right.0.total_cmp(&left.0));
        let [(first, category), (second, _), ..] = *nearest.as_slice() else {
            return None;
        };
        category.filter(|_| first >= MIN_NEARNESS && first - second >= MIN_LEAD)
    }
}

/// Returns the mean cosine of a vector and the two nearest of some texts.
fn nearness(vector: &SentenceVector, texts: &[SentenceVector]) -> f32 {
    let (mut first, mut second) = (-1.0_f32, -1.0_f32);
    for text in texts {
        let cosine = vector.cosine(text);
        second = second.max(cosine.min(first));
        first = first.max(cosine);
    }
    f32::midpoint(first, second)
}

/// Returns what remains of a direction without others, which are at right angles to one another; none if it
/// consists of them.
fn without(vector: &SentenceVector, others: &[SentenceVector]) -> Option<SentenceVector> {
    let parts = others.iter().map(|it| (*it, -f64::from(vector.cosine(it))));
    SentenceVector::weighted(std::iter::once((*vector, 1.0)).chain(parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn of(text: &str) -> Option<&'static str> {
        let encoder = Encoder::shipped().unwrap();
        let vector = SentenceVector::of_embedding(&encoder.encode(&[text])[0]);
        Category::of(&vector).map(|it| it.id)
    }

    #[test]
    fn an_agent_of_a_kind_is_in_its_category() {
        for (text, expected) in [
            ("Pasta Bar. Reserves tables and shows today's menu.", "food"),
            ("FlightFox. Searches flights and compares fares.", "travel"),
            (
                "Finanzamt-Helfer. Rechnungen, Buchhaltung und Steuern.",
                "money",
            ),
            ("SwapBot. Swaps tokens across chains.", "crypto"),
            (
                "Uptime Watch. Alerts you when your server is down.",
                "developer_tools",
            ),
            ("SwarmHub. Agents delegate tasks to each other.", "agents"),
        ] {
            assert_eq!(of(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn an_agent_for_anything_or_nothing_has_no_category() {
        for text in [
            "My agent. A helpful assistant that answers your questions.",
            "Hello world. A test agent.",
            "Portfolio of Jane Doe, engineer in Berlin: projects and résumé.",
            "",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn categories_have_ids_and_titles_of_their_own() {
        let ids: BTreeSet<_> = Category::all().iter().map(|it| it.id).collect();
        let titles: BTreeSet<_> = Category::all().iter().map(|it| it.title).collect();
        let count = Category::all().len();
        assert_eq!((ids.len(), titles.len()), (count, count));
        assert!((12..=20).contains(&count) && !ids.contains(OTHER));
        for category in Category::all() {
            assert_eq!(Category::find(category.id), Some(category));
            assert!(category.texts.len() >= 2, "{}", category.id);
        }
    }
}
