//! Parsing of a parameter's value; a fault names the accepted values.

use crate::parameter::BadParameter;
use indexer::search::Facet;
use manifest::Domain;

/// Most characters of a filter's value.
const MAX_VALUE: usize = 200;
/// Most hits on a page.
const MAX_LIMIT: usize = 100;
/// Most faults of a list; the rest of the list is then skipped.
pub(super) const MAX_FAULTS: usize = 20;

/// Parses a list without duplicates; each unknown word is a fault of its own.
pub(super) fn each<T: Copy + PartialEq>(
    name: &'static str,
    list: &str,
    known: &[(T, &'static str)],
    taken: &mut Vec<T>,
    faults: &mut Vec<BadParameter>,
) {
    let words = list.split(',').map(str::trim).filter(|it| !it.is_empty());
    for word in words {
        match one_of(name, word, known) {
            Ok(meaning) if taken.contains(&meaning) => {}
            Ok(meaning) => taken.push(meaning),
            Err(fault) if faults.contains(&fault) => {}
            Err(fault) => faults.push(fault),
        }
        if faults.len() >= MAX_FAULTS {
            return;
        }
    }
}

/// Parses a number of hits.
pub(super) fn number(name: &'static str, value: &str) -> Result<usize, BadParameter> {
    match value.parse() {
        Ok(number) if (1..=MAX_LIMIT).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(BadParameter::new(
            name,
            "out_of_range",
            format!("`{name}` must be a whole number from 1 to {MAX_LIMIT}"),
        )),
    }
}

/// Parses one of the values that a parameter accepts.
pub(super) fn one_of<T: Copy>(
    name: &'static str,
    value: &str,
    known: &[(T, &'static str)],
) -> Result<T, BadParameter> {
    let words: Vec<&str> = known.iter().map(|(_, word)| *word).collect();
    known
        .iter()
        .find(|(_, word)| *word == value)
        .map(|(meaning, _)| *meaning)
        .ok_or_else(|| BadParameter::unknown_value(name, value, &words))
}

/// Returns all facets with their names.
pub(super) fn facets() -> [(Facet, &'static str); Facet::ALL.len()] {
    Facet::ALL.map(|facet| (facet, facet.as_str()))
}

/// Parses a value to filter by, into the spelling of the index.
pub(super) fn filter(facet: Facet, value: &str) -> Result<String, BadParameter> {
    let value = facet.canonical(&manifest::text::clean(value, MAX_VALUE));
    match facet {
        Facet::Status if value == "gone" => {
            let message =
                "agents that are gone are not in the index; `status` accepts ok, failing, unknown";
            let fault = BadParameter::new(facet.as_str(), "unknown_value", message);
            return Err(fault.suggesting("failing"));
        }
        Facet::Site => {
            Domain::parse(&value).map_err(|error| {
                BadParameter::new(facet.as_str(), "bad_domain", error.to_string())
            })?;
        }
        _ => {}
    }
    match facet.values() {
        Some(known) if !known.contains(&value.as_str()) => {
            Err(BadParameter::unknown_value(facet.as_str(), &value, &known))
        }
        Some(_) | None => Ok(value),
    }
}
