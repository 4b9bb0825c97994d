//! Parsing of a parameter's value; a fault names the accepted values.

use crate::parameter::{BadParameter, MAX_FAULTS};
use manifest::Domain;
use search::Facet;
use std::ops::RangeInclusive;

/// Most characters of a filter's value.
const MAX_VALUE: usize = 200;
/// Most hits on a page.
const MAX_LIMIT: usize = 100;
/// Minutes of a day.
const DAY: u32 = 24 * 60;
/// Longest time span.
const MAX_DAYS: u32 = 366;
/// Numbers of characters to which results can be limited.
pub(crate) const BUDGET: RangeInclusive<usize> = 1_000..=1_000_000;

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

/// Parses a time span, such as `7d`, to minutes.
pub(super) fn minutes(name: &'static str, value: &str) -> Result<u32, BadParameter> {
    let unit = |word| {
        let factor = match word {
            "m" => 1,
            "h" => 60,
            "d" => DAY,
            "w" => 7 * DAY,
            _ => return None,
        };
        Some(factor)
    };
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, word) = value.split_at(digits);
    let minutes = number.parse().ok().zip(unit(word));
    let minutes = minutes.and_then(|(number, factor): (u32, u32)| number.checked_mul(factor));
    minutes
        .filter(|it| (1..=MAX_DAYS * DAY).contains(it))
        .ok_or_else(|| {
            BadParameter::new(
                name,
                "bad_time_span",
                format!(
                    "`{name}` must be a number with the unit m, h, d or w, such as 7d, and at most \
                     {MAX_DAYS} days"
                ),
            )
        })
}

/// Formats a time span in minutes, with its largest unit.
pub(super) fn time_span(minutes: u32) -> String {
    match minutes {
        days if days % DAY == 0 => format!("{}d", days / DAY),
        hours if hours % 60 == 0 => format!("{}h", hours / 60),
        minutes => format!("{minutes}m"),
    }
}

/// Parses a number of characters.
pub(crate) fn characters(name: &'static str, value: &str) -> Result<usize, BadParameter> {
    match value.parse() {
        Ok(number) if BUDGET.contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(BadParameter::new(
            name,
            "out_of_range",
            format!(
                "`{name}` must be a whole number from {} to {}",
                BUDGET.start(),
                BUDGET.end()
            ),
        )),
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
