//! The last answer to a request, which is given again while the database is away.
//!
//! A cache that serves a stale answer in the place of an error is what RFC 5861 §4 describes. Here the
//! bound is [`MOST_STALE`]: an agent that is taken down meanwhile, by another server that still reaches
//! the database, is shown for that long at most.

use super::{Accepted, Answers, ENTRY, Key, Lasting};
use crate::cache::Tag;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use manifest::Timestamp;
use moka::sync::Cache;
use std::time::Duration;

/// Age of the oldest answer that is given again.
const MOST_STALE: Duration = Duration::from_hours(1);

/// Bytes of the addresses whose last answers are known.
const CAPACITY: u64 = 16 << 20;
/// Bytes of the longest address.
const MAX_ADDRESS: usize = 2 << 10;

/// Request whose last answer is known.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    /// Path, which names the form of the answer, and query.
    address: Box<str>,
    accepted: Accepted,
}

/// The last answer to a request.
#[derive(Clone)]
pub(super) struct LastAnswer {
    tag: Tag,
    /// Time at which it was known to be current.
    at: Timestamp,
}

/// Returns a cache of the last answers.
pub(super) fn cache() -> Cache<Asked, LastAnswer> {
    let weight = |asked: &Asked, _: &LastAnswer| {
        let length = ENTRY + asked.address.len() + asked.accepted.len();
        u32::try_from(length).unwrap_or(u32::MAX)
    };
    Cache::builder()
        .max_capacity(CAPACITY)
        .weigher(weight)
        .build()
}

impl Asked {
    /// Returns the request; `None` if it does not only read, or its answers are not kept.
    pub(crate) fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Self> {
        let address = uri.path_and_query()?.as_str();
        let is_read = [Method::GET, Method::HEAD].contains(method);
        (is_read && address.len() <= MAX_ADDRESS).then_some(())?;
        Some(Self {
            address: address.into(),
            accepted: Accepted::of(headers)?,
        })
    }
}

impl Answers {
    /// Notes that an answer is the last one to a request, if it is kept.
    pub(crate) fn note(&self, asked: Asked, answer: &Response, now: Timestamp) {
        if let Some(lasting) = answer.extensions().get::<Lasting>() {
            let tag = lasting.tag.clone();
            self.last.insert(asked, LastAnswer { tag, at: now });
        }
    }

    /// Returns the last answer to a request, and the time at which it was known to be current; `None` if
    /// none is kept, or it is too old.
    pub(crate) fn last(&self, asked: &Asked, now: Timestamp) -> Option<(Response, Timestamp)> {
        let LastAnswer { tag, at } = self.last.get(asked)?;
        // A clock that was set back makes it old.
        if at > now || now.since(at) > MOST_STALE {
            return None;
        }
        let kept = self.bodies.get(&Key(tag, asked.accepted.clone()))?;
        Some((kept.response(), at))
    }
}
