//! Answers that are kept in memory as they were sent, compressed, because they cost much and are
//! asked for again.

mod last;

use crate::cache::{Policy, Tag};
use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
pub(crate) use last::Asked;
use last::LastAnswer;
use moka::sync::Cache;
use std::fmt;

/// Bytes of all answers that are kept, about 19,000 of twenty results.
const CAPACITY: u64 = 128 << 20;
/// Bytes that an answer takes besides its body and the encodings, roughly.
const ENTRY: usize = 512;
/// Bytes of the longest answer that is kept, before compression.
const MAX_ANSWER: usize = 1 << 20;
/// Bytes of the longest `Accept-Encoding` whose answers are kept.
const MAX_ACCEPTED: usize = 256;

/// The answers that were given last and most often; cheap to clone.
///
/// A tag names the generation of the index, so answers of an older one are never found again and
/// make room for others.
#[derive(Clone)]
pub(crate) struct Answers {
    bodies: Cache<Key, StoredBody>,
    last: Cache<Asked, LastAnswer>,
}

/// Tag of an answer, and the encodings that its client accepts.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key(Tag, Accepted);

/// Encodings that a client accepts, as its header states them.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Accepted(Option<HeaderValue>);

/// A body with the headers that describe it.
#[derive(Clone)]
struct StoredBody {
    media_type: HeaderValue,
    encoding: Option<HeaderValue>,
    body: Bytes,
}

/// Mark of an answer that depends on nothing but its tag.
#[derive(Clone)]
struct Lasting {
    tag: Tag,
    /// False if it is kept already.
    is_new: bool,
}

impl Answers {
    /// Returns the answer with `tag` and `policy`: 304 if the client has it, else the kept one, else that
    /// of `make`, which is kept then unless it is very long.
    pub(crate) fn serve<E>(
        &self,
        tag: &Tag,
        policy: Policy,
        headers: &HeaderMap,
        make: impl Future<Output = Result<Response, E>>,
    ) -> impl Future<Output = Result<Response, E>> {
        tag.serve(policy, headers, async move {
            match self.get(tag, headers) {
                Some(response) => Ok(response),
                None => Ok(lasting(tag, make.await?)),
            }
        })
    }

    /// Returns the answer with this tag to the same request, if one is kept.
    fn get(&self, tag: &Tag, headers: &HeaderMap) -> Option<Response> {
        let key = Key(tag.clone(), Accepted::of(headers)?);
        let mut response = self.bodies.get(&key)?.response();
        let (tag, is_new) = (key.0, false);
        response.extensions_mut().insert(Lasting { tag, is_new });
        Some(response)
    }
}

impl StoredBody {
    fn response(self) -> Response {
        let mut response = ([(CONTENT_TYPE, self.media_type)], self.body).into_response();
        if let Some(encoding) = self.encoding {
            response.headers_mut().insert(CONTENT_ENCODING, encoding);
        }
        response
    }
}

impl Accepted {
    /// Returns the encodings that a client accepts; `None` if they are long, or in several lines.
    fn of(headers: &HeaderMap) -> Option<Self> {
        let mut lines = headers.get_all(ACCEPT_ENCODING).iter();
        let accepted = lines.next();
        let is_short = accepted.is_none_or(|it| it.len() <= MAX_ACCEPTED);
        // A clone would keep the buffer that the request was read into.
        let own = |it: &HeaderValue| HeaderValue::from_bytes(it.as_bytes()).ok();
        (is_short && lines.next().is_none()).then(|| Self(accepted.and_then(own)))
    }

    fn len(&self) -> usize {
        self.0.as_ref().map_or(0, HeaderValue::len)
    }
}

impl Default for Answers {
    fn default() -> Self {
        let weight = |key: &Key, it: &StoredBody| {
            let length = ENTRY + it.body.len() + key.1.len();
            u32::try_from(length).unwrap_or(u32::MAX)
        };
        Self {
            bodies: Cache::builder()
                .max_capacity(CAPACITY)
                .weigher(weight)
                .build(),
            last: last::cache(),
        }
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Answers").finish_non_exhaustive()
    }
}

/// Returns a response that is kept by a tag once it is compressed, unless it is very long.
pub(crate) fn lasting(tag: &Tag, mut response: Response) -> Response {
    let length = response.body().size_hint().upper();
    if length.is_some_and(|it| it <= MAX_ANSWER as u64) {
        let (tag, is_new) = (tag.clone(), true);
        response.extensions_mut().insert(Lasting { tag, is_new });
    }
    response
}

/// Keeps the answer to a request if it is [`lasting`]. Compression must come first.
pub(crate) async fn keep(State(answers): State<Answers>, request: Request, next: Next) -> Response {
    // An answer to HEAD has no body.
    let accepted = (request.method() == Method::GET).then(|| request.headers().clone());
    let response = next.run(request).await;
    let lasting = response.extensions().get::<Lasting>().cloned();
    let key = lasting
        .filter(|it| it.is_new)
        .zip(accepted)
        .and_then(|(it, headers)| Some(Key(it.tag, Accepted::of(&headers)?)));
    let Some(key) = key.filter(|_| response.status() == StatusCode::OK) else {
        return response;
    };
    let (parts, body) = response.into_parts();
    // Compression adds a few bytes to what it cannot shorten.
    let Ok(body) = to_bytes(body, MAX_ANSWER * 2).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    if let Some(media_type) = parts.headers.get(CONTENT_TYPE) {
        let kept = StoredBody {
            media_type: media_type.clone(),
            encoding: parts.headers.get(CONTENT_ENCODING).cloned(),
            // The compressor's buffer may be longer.
            body: Bytes::copy_from_slice(&body),
        };
        answers.bodies.insert(key, kept);
    }
    Response::from_parts(parts, Body::from(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(encodings: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_str(encodings).unwrap())])
    }

    fn insert(answers: &Answers, tag: Tag, headers: &HeaderMap, body: Bytes) {
        let kept = StoredBody {
            media_type: HeaderValue::from_static("application/json"),
            encoding: None,
            body,
        };
        let key = Key(tag, Accepted::of(headers).unwrap());
        answers.bodies.insert(key, kept);
    }

    #[test]
    fn answers_are_bounded_by_their_bytes() {
        let answers = Answers::default();
        let body = Bytes::from(vec![b'a'; 1 << 20]);
        let tag = |number: u64| Tag::of(&["search", &number.to_string()]);
        let (headers, all) = (HeaderMap::new(), CAPACITY >> 19);
        for number in 0..all {
            insert(&answers, tag(number), &headers, body.clone());
        }
        answers.bodies.run_pending_tasks();
        let kept = (0..all).filter(|it| answers.get(&tag(*it), &headers).is_some());
        assert!((1..=CAPACITY >> 20).contains(&(kept.count() as u64)));
    }

    #[test]
    fn an_answer_is_kept_for_the_encodings_that_its_client_accepts() {
        let (answers, tag) = (Answers::default(), Tag::of(&["search", "q=a"]));
        insert(
            &answers,
            tag.clone(),
            &accepting("br"),
            Bytes::from_static(b"[]"),
        );
        assert!(answers.get(&tag, &accepting("br")).is_some());
        assert!(answers.get(&tag, &accepting("gzip")).is_none());
        assert!(answers.get(&tag, &HeaderMap::new()).is_none());
        let long = accepting(&"br,".repeat(MAX_ACCEPTED));
        let mut lines = accepting("br");
        lines.append(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        for headers in [long, lines] {
            assert!(Accepted::of(&headers).is_none(), "{headers:?}");
        }
    }
}
