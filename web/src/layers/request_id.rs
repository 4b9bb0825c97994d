//! Ids of requests, in the log and in each response.

use crate::random;
use axum::http::{HeaderMap, HeaderName};
use std::fmt;

/// Header with the id.
pub(super) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is accepted from a client.
const LONGEST: usize = 64;

/// Id of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestId(String);

impl RequestId {
    /// Returns the id that the client gave, if it is well-formed, or a new one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut given = headers.get_all(HEADER).iter();
        match (given.next().and_then(|it| it.to_str().ok()), given.next()) {
            (Some(id), None) if is_well_formed(id) => Self(id.to_owned()),
            _ => Self(random::hex_id()),
        }
    }

    /// Returns the id as text.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Reports whether an id can stand in a log without being taken for something else.
fn is_well_formed(id: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn id(given: &str) -> String {
        let value = HeaderValue::from_str(given).unwrap();
        RequestId::of(&HeaderMap::from_iter([(HEADER, value)])).0
    }

    #[test]
    fn a_well_formed_id_is_accepted_and_any_other_replaced() {
        for given in ["a", "5f0c-1.b_2", &"x".repeat(64)] {
            assert_eq!(id(given), given);
        }
        for given in ["", "a b", "a\tb", "{}", "\"", &"x".repeat(65)] {
            let new = id(given);
            assert_ne!(new, given);
            assert_eq!(new.len(), 32);
        }
        let none = HeaderMap::new();
        assert_ne!(RequestId::of(&none), RequestId::of(&none));
    }
}
