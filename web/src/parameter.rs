//! Invalid parameters, with a suggestion.

use manifest::domain::DomainError;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use url::form_urlencoded;

/// Most known values that a message lists.
const MAX_LISTED: usize = 20;
/// Most faults of one request; its other parameters are then skipped.
pub(crate) const MAX_FAULTS: usize = 20;

/// One invalid parameter.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct BadParameter {
    /// Name of the parameter.
    pub(crate) pointer: String,
    /// Stable word for programs.
    pub(crate) code: &'static str,
    /// Description of the fault and of the accepted values.
    pub(crate) message: String,
    /// Known value that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggestion: Option<String>,
}

impl BadParameter {
    /// Creates a fault of parameter `pointer`.
    pub(crate) fn new(pointer: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            code,
            message: message.into(),
            suggestion: None,
        }
    }

    /// Creates the fault of a text that is no domain.
    pub(crate) fn no_domain(pointer: &str, given: &str, error: DomainError) -> Self {
        let given = manifest::text::clean(given.trim(), 100);
        let message = match given.as_str() {
            "" => "enter a domain, such as example.com".to_owned(),
            given => format!("`{given}` is not a domain: {error}"),
        };
        Self::new(pointer, "bad_domain", message)
    }

    /// Creates the fault of an unknown parameter, with the most similar known one.
    pub(crate) fn unknown(name: &str, known: &[&str]) -> Self {
        let name = manifest::text::clean(name, 100);
        let valid = match known {
            [] => "this address has no parameters".to_owned(),
            known => format!("known parameters: {}", known.join(", ")),
        };
        Self {
            suggestion: nearest(&name, known),
            ..Self::new(
                &name,
                "unknown_parameter",
                format!("unknown parameter `{name}`; {valid}"),
            )
        }
    }

    /// Creates the fault of a parameter that is given more than once.
    pub(crate) fn repeated(name: &str) -> Self {
        let message = format!("`{name}` may be given only once");
        Self::new(name, "repeated", message)
    }

    /// Creates the fault of an unknown value, with the most similar accepted one.
    pub(crate) fn unknown_value(name: &str, value: &str, known: &[&str]) -> Self {
        let value = manifest::text::clean(value, 100);
        let (some, others) = known.split_at(known.len().min(MAX_LISTED));
        let mut message = format!(
            "unknown value `{value}` of `{name}`; accepted values: {}",
            some.join(", ")
        );
        if !others.is_empty() {
            let _ = write!(message, " and {} more", others.len());
        }
        Self {
            suggestion: nearest(&value, known),
            ..Self::new(name, "unknown_value", message)
        }
    }

    /// Adds a suggestion.
    pub(crate) fn suggesting(self, suggestion: &str) -> Self {
        Self {
            suggestion: Some(suggestion.to_owned()),
            ..self
        }
    }
}

/// Values of a query string.
#[derive(Debug)]
pub(crate) struct QueryValues<const N: usize> {
    /// Values of the parameters that are given at most once.
    pub(crate) values: [Option<String>; N],
    /// Values of the one that may be repeated.
    pub(crate) listed: Vec<String>,
}

/// Returns the first value of a parameter of a page, which ignores parameters that it does not know; an
/// empty value counts as none.
pub(crate) fn value(query: Option<&str>, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let (_, value) = pairs.find(|it| it.0 == name)?;
    (!value.is_empty()).then(|| value.into_owned())
}

/// Parses the query string of an address that has no parameters but these, each given at most once.
/// An empty value counts as none. The error lists the faults of all parameters.
pub(crate) fn only<const N: usize>(
    query: Option<&str>,
    names: [&'static str; N],
) -> Result<[Option<String>; N], Vec<BadParameter>> {
    parsed(query, names, None).map(|given| given.values)
}

/// Parses a query string like [`only`], with one more parameter that may be repeated, whose empty
/// values are returned too.
pub(crate) fn with_list<const N: usize>(
    query: Option<&str>,
    names: [&'static str; N],
    list: &'static str,
) -> Result<QueryValues<N>, Vec<BadParameter>> {
    parsed(query, names, Some(list))
}

fn parsed<const N: usize>(
    query: Option<&str>,
    names: [&'static str; N],
    list: Option<&'static str>,
) -> Result<QueryValues<N>, Vec<BadParameter>> {
    let mut values = [const { None }; N];
    let mut listed = Vec::new();
    let mut faults = Vec::new();
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if list.is_some_and(|it| it == name) {
            listed.push(value.into_owned());
            continue;
        }
        let at = names.iter().position(|it| *it == name);
        match at.and_then(|at| values.get_mut(at)) {
            None => {
                let known: Vec<&str> = names.into_iter().chain(list).collect();
                faults.push(BadParameter::unknown(&name, &known));
            }
            Some(Some(_)) => faults.push(BadParameter::repeated(&name)),
            Some(none) => *none = Some(value.into_owned()),
        }
        if faults.len() >= MAX_FAULTS {
            break;
        }
    }
    if faults.is_empty() {
        let values = values.map(|value| value.filter(|it| !it.is_empty()));
        Ok(QueryValues { values, listed })
    } else {
        Err(faults)
    }
}

/// Returns the most similar of `known`, if it is similar enough to have been meant: one mistake in
/// three characters.
pub(crate) fn nearest(name: &str, known: &[&str]) -> Option<String> {
    known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(name, word), word))
        .min()
        .filter(|(distance, word)| distance * 3 <= word.chars().count())
        .map(|(_, word)| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_taken_by_name_in_any_order() {
        let found = only(Some("b=2&a=a+b%2F"), ["a", "b", "c"]).unwrap();
        assert_eq!(found, [Some("a b/".to_owned()), Some("2".to_owned()), None]);
        assert_eq!(only(None, ["a"]), Ok([None]));
        assert_eq!(only(Some("a="), ["a"]), Ok([None]));
    }

    #[test]
    fn every_fault_of_the_parameters_is_named() {
        let faults = only(Some("from=1&from=2&form=3"), ["from", "to"]).unwrap_err();
        let codes: Vec<_> = faults.iter().map(|it| (&*it.pointer, it.code)).collect();
        assert_eq!(codes, [("from", "repeated"), ("form", "unknown_parameter")]);
        assert_eq!(faults[1].suggestion.as_deref(), Some("from"));
        let none = only(Some("a=1"), []).unwrap_err();
        assert_eq!(
            none[0].message,
            "unknown parameter `a`; this address has no parameters"
        );
        let many = "x=1&".repeat(1_000);
        assert_eq!(only(Some(&many), []).unwrap_err().len(), MAX_FAULTS);
    }
}
