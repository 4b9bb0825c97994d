//! Cache policies, and entity tags for conditional requests.
//!
//! Tags are weak, because compression changes the bytes and not the meaning (RFC 9110 §8.8.1).

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use manifest::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

/// Cache policy of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Front page: a few seconds, since it shows what is new.
    Front,
    /// Search results: a minute, and a stale copy for ten while a new one is fetched.
    Search,
    /// One agent or one site: asked for anew each time, since its owner may just have mended it.
    Current,
    /// Documentation, forms and what else changes with the program or by the day: five minutes.
    Details,
    /// Our own manifests: an hour, as agents.txt asks for.
    Manifest,
    /// Content named by its hash, which never changes.
    Immutable,
    /// Errors and other responses that must not be cached.
    Never,
    /// Answers to the holder of a token.
    Private,
}

impl Policy {
    /// Time after which results are made anew that say when agents were checked: as long as stale
    /// ones are shown elsewhere.
    pub(crate) const KEPT: Duration = Duration::from_mins(10);

    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Front => "public, max-age=5",
            Self::Search => "public, max-age=60, stale-while-revalidate=600",
            Self::Current => "no-cache",
            Self::Details => "public, max-age=300",
            Self::Manifest => "public, max-age=3600",
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::Never => "no-store",
            Self::Private => "private, no-store",
        })
    }
}

/// A weak entity tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tag(String);

impl Tag {
    /// Returns the tag of a response that depends on `parts` and this version of the program alone.
    pub(crate) fn of(parts: &[&str]) -> Self {
        Self(format!("W/\"{}\"", fingerprint(parts)))
    }

    /// Reports whether `If-None-Match` names this tag (RFC 9110 §13.1.2, weak comparison).
    fn is_known_to(&self, headers: &HeaderMap) -> bool {
        let opaque = |tag: &str| tag.trim_start_matches("W/").to_owned();
        asked(headers).any(|tag| opaque(tag) == opaque(&self.0))
    }

    /// Returns the response 304 with this tag and `policy`.
    fn not_modified(&self, policy: Policy) -> Response {
        self.on(policy, StatusCode::NOT_MODIFIED.into_response())
    }

    /// Returns `response` with this tag and `policy`; 304 if the client has it.
    pub(crate) fn answer(
        &self,
        policy: Policy,
        headers: &HeaderMap,
        response: impl IntoResponse,
    ) -> Response {
        if self.is_known_to(headers) || is_any_known(headers) {
            self.not_modified(policy)
        } else {
            self.on(policy, response.into_response())
        }
    }

    /// Returns the response that `make` makes, with this tag and `policy`; 304 without making it if the
    /// client has it.
    pub(crate) fn serve<R: IntoResponse, E>(
        &self,
        policy: Policy,
        headers: &HeaderMap,
        make: impl Future<Output = Result<R, E>>,
    ) -> impl Future<Output = Result<Response, E>> {
        // The futures around it would each hold one as large.
        let make = Box::pin(make);
        async move {
            if self.is_known_to(headers) {
                return Ok(self.not_modified(policy));
            }
            // Only what can be made can be known.
            let response = make.await?;
            Ok(if is_any_known(headers) {
                self.not_modified(policy)
            } else {
                self.on(policy, response.into_response())
            })
        }
    }

    /// Adds this tag and `policy` to `response`.
    fn on(&self, policy: Policy, response: Response) -> Response {
        let mut response = keep(policy, response);
        let tag = HeaderValue::from_str(&self.0).expect("a tag is hexadecimal in quotes");
        response.headers_mut().insert(ETAG, tag);
        response
    }
}

/// Returns the tags of `If-None-Match`.
fn asked(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(IF_NONE_MATCH).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Reports whether the client knows whatever there is.
fn is_any_known(headers: &HeaderMap) -> bool {
    asked(headers).any(|tag| tag == "*")
}

/// Returns `body` as JSON with `policy` and a tag of its content; 304 if the client has it.
pub(crate) fn json(body: &impl Serialize, policy: Policy, headers: &HeaderMap) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Tag::of(&["body", &text]).answer(policy, headers, Json(body))
}

/// Returns a response with a body that is JSON already.
pub(crate) fn json_text(body: Vec<u8>) -> Response {
    let media_type = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, media_type)], body).into_response()
}

/// Adds the headers of `policy` to `response`.
pub(crate) fn keep(policy: Policy, mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(CACHE_CONTROL, policy.header());
    response
}

/// Returns the number of the period that `now` lies in, as a part of the tag of a page that says how
/// long ago things happened.
///
/// Periods of different pages end at different times, so that not all are made anew at once.
pub(crate) fn period(length: Duration, page: &str, now: Timestamp) -> String {
    let length = length.as_millis().max(1);
    let mut hasher = DefaultHasher::new();
    page.hash(&mut hasher);
    let since = u128::from(hasher.finish()) % length;
    let now = u128::try_from(now.0).unwrap_or_default();
    ((now + since) / length).to_string()
}

/// Returns sixteen hexadecimal digits of a hash of `parts` and this version of the program.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in [env!("CARGO_PKG_VERSION")].iter().chain(parts) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    HEXLOWER.encode(&hasher.finalize()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn periods_of_pages_are_as_long_and_end_at_different_times() {
        let length = Duration::from_mins(10);
        let ends = |page: &str| -> Vec<i64> {
            let period = |minute: i64| period(length, page, Timestamp(minute * 60_000));
            (1..=60)
                .filter(|it| period(*it) != period(it - 1))
                .collect()
        };
        let of_pages = ["a", "b", "c", "d"].map(ends);
        for ends in &of_pages {
            assert_eq!(ends.len(), 6);
            assert!(ends.windows(2).all(|it| it[1] - it[0] == 10), "{ends:?}");
        }
        assert!(of_pages.iter().any(|it| *it != of_pages[0]));
        period(Duration::ZERO, "a", Timestamp(i64::MIN));
    }

    #[test]
    fn a_tag_is_recognised_weak_or_strong_and_among_others() {
        let tag = Tag::of(&["7", "q=a"]);
        let strong = tag.0.trim_start_matches("W/").to_owned();
        assert!(tag.is_known_to(&asking(&tag.0)));
        assert!(tag.is_known_to(&asking(&format!("\"other\", {strong}"))));
        assert!(is_any_known(&asking("*")) && !is_any_known(&asking("\"*\"")));
        assert!(!tag.is_known_to(&asking("\"other\"")));
        assert!(!tag.is_known_to(&HeaderMap::new()));
    }

    #[test]
    fn moving_a_character_between_parts_changes_the_tag() {
        assert_ne!(Tag::of(&["ab", "c"]), Tag::of(&["a", "bc"]));
    }
}
