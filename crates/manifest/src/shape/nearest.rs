//! The format that an object comes nearest to, with what it lacks (GP-02, DI-30).

use super::{Lack, Member, Schema};
use crate::{Finding, FormatId};
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// Maximum number of members that a finding names.
const MAX_NAMES: usize = 4;
/// Smallest part of the required members that an object has, in thousandths.
const LEAST_PART: usize = 333;

/// A format whose required members an object has in part.
pub(crate) struct Nearest {
    pub(crate) id: FormatId,
    pub(crate) title: &'static str,
    /// Required members that are there.
    met: Vec<&'static str>,
    /// Required members that are not.
    pub(crate) lacks: Vec<&'static Member>,
}

/// Shape of a format, as a document of it may have.
#[derive(Clone, Copy)]
pub(crate) struct Outline {
    pub(crate) id: FormatId,
    pub(crate) title: &'static str,
    pub(crate) schema: &'static Schema,
    pub(crate) edition: u8,
    /// True if documents of the format are expected at the place of this one.
    pub(crate) is_at_home: bool,
}

/// Returns the format of whose required members the object has the largest part; one that is expected at
/// its place comes first. Of several with the same part, it is the one that defines most members of the
/// object.
pub(crate) fn among(
    outlines: impl Iterator<Item = Outline>,
    object: &Map<String, Value>,
) -> Option<Nearest> {
    let compared = outlines.map(|it| {
        let (met, known, lacks) = it.schema.compare(it.edition, object);
        let Outline {
            id,
            title,
            is_at_home,
            ..
        } = it;
        (
            is_at_home,
            known,
            Nearest {
                id,
                title,
                met,
                lacks,
            },
        )
    });
    // Parts are compared as integers: thousandths.
    let part = |it: &Nearest| it.met.len() * 1000 / (it.met.len() + it.lacks.len()).max(1);
    let is_near = |nearest: &Nearest| part(nearest) >= LEAST_PART && !nearest.lacks.is_empty();
    let near = compared.filter(|(_, _, nearest)| is_near(nearest));
    let best = near.min_by_key(|(is_at_home, known, nearest)| {
        let is_expected = *is_at_home && nearest.is_close();
        (
            Reverse(is_expected),
            Reverse(part(nearest)),
            Reverse(*known),
        )
    });
    best.map(|(_, _, nearest)| nearest)
}

impl Nearest {
    /// Reports whether the object has two thirds of the members that the format requires.
    pub(crate) fn is_close(&self) -> bool {
        self.has_telling() && self.met.len() >= 2 * self.lacks.len()
    }

    /// Reports whether the object has a required member that descriptions of anything do not have.
    pub(crate) fn has_telling(&self) -> bool {
        let is_telling = |name: &&str| !["name", "description", "version"].contains(name);
        self.met.iter().any(is_telling)
    }

    /// Returns the object with the missing members as they could be written, if all are known.
    pub(crate) fn corrected(&self, object: &Map<String, Value>) -> Option<Value> {
        let mut corrected = object.clone();
        for member in &self.lacks {
            let sample = Lack::of(member).sample?;
            let sample: Map<String, Value> = serde_json::from_str(&format!("{{{sample}}}")).ok()?;
            corrected.extend(sample);
        }
        Some(Value::Object(corrected))
    }

    /// Returns the name of the format and the members that are missing, in words.
    pub(crate) fn words(&self) -> String {
        let names = self.lacks.iter().take(MAX_NAMES);
        let names: Vec<_> = names.map(|lack| format!("`{}`", lack.name)).collect();
        let more = self.lacks.len().saturating_sub(MAX_NAMES);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!(
            "{}, which also requires {}{more}",
            self.title,
            names.join(", ")
        )
    }

    /// Adds the members that are missing to the finding as its correction.
    pub(crate) fn advise(&self, finding: Finding) -> Finding {
        let lacks: Vec<Lack> = self
            .lacks
            .iter()
            .take(MAX_NAMES)
            .map(|it| Lack::of(it))
            .collect();
        let give = lacks
            .iter()
            .map(|it| format!("`{}` ({})", it.name, it.words));
        let finding = finding.with_help(format!(
            "give what {} also requires: {}",
            self.title,
            give.collect::<Vec<_>>().join(", ")
        ));
        let samples: Option<Vec<&str>> = lacks.iter().map(|it| it.sample.as_deref()).collect();
        match samples.filter(|_| self.lacks.len() <= MAX_NAMES) {
            Some(samples) => finding.with_correction(samples.join(", ")),
            None => finding,
        }
    }
}
