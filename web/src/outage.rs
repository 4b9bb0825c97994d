//! Answers while the database is away: the last ones to the same requests, which say so.

use crate::answers::{Answers, Asked};
use crate::cache::{self, Policy};
use crate::error;
use crate::view::time::Moment;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{AGE, CONTENT_TYPE, HeaderName};
use axum::response::{IntoResponse as _, Response};
use manifest::Timestamp;
use std::convert::Infallible;
use std::future::ready;
use tower::{ServiceExt as _, service_fn};
use tower_http::decompression::Decompression;

/// Header in which a cache describes how it answered (RFC 9211).
const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// Most bytes of a page that gets a notice, before compression.
const MAX_PAGE: usize = 2 << 20;

/// Beginning of the content of a page.
const CONTENT: &str = "<main id=\"content\" tabindex=\"-1\">";

/// Notes the answer to a request if it is kept, and puts the last one in the place of the error of a
/// database that is away.
pub(crate) async fn answered(
    answers: &Answers,
    asked: Asked,
    response: Response,
    now: Timestamp,
) -> Response {
    if !error::is_database_away(&response) {
        answers.note(asked, &response, now);
        return response;
    }
    last(answers, &asked, now).await.unwrap_or(response)
}

/// Returns the last answer to a request, with a notice and its age.
async fn last(answers: &Answers, asked: &Asked, now: Timestamp) -> Option<Response> {
    let (last, at) = answers.last(asked, now)?;
    let last = noticed(last, &Moment::of(at, now)).await?;
    let mut last = marked(last, "agentdex; hit; detail=database_away");
    let age = HeaderValue::from(now.since(at).as_secs());
    last.headers_mut().insert(AGE, age);
    Some(last)
}

/// Returns an answer that was made without the database, marked as such.
pub(crate) fn without_database(response: Response) -> Response {
    marked(response, "agentdex; detail=database_away")
}

fn marked(response: Response, status: &'static str) -> Response {
    let mut response = cache::keep(Policy::Never, response);
    let status = HeaderValue::from_static(status);
    response.headers_mut().insert(CACHE_STATUS, status);
    response
}

/// Returns a page with a notice at the beginning of its content; an answer of another type as it is.
/// `None` if it cannot be decompressed.
async fn noticed(response: Response, at: &Moment) -> Option<Response> {
    let media_type = response.headers().get(CONTENT_TYPE);
    let media_type = media_type.and_then(|it| it.to_str().ok());
    let is = |name| media_type.is_some_and(|it| it.starts_with(name));
    let (is_page, is_markdown) = (is("text/html"), is("text/markdown"));
    if !is_page && !is_markdown {
        return Some(response);
    }
    let media_type = response.headers().get(CONTENT_TYPE).cloned();
    let mut text = decoded(response).await?;
    if is_markdown {
        text.insert_str(0, &format!("> {}\n\n", words(&at.words)));
    } else if let Some(place) = text.find(CONTENT) {
        let time = format!("<time datetime=\"{}\">{}</time>", at.iso, at.words);
        let notice = format!(
            "\n<p class=\"warning\" role=\"status\">{}</p>",
            words(&time)
        );
        text.insert_str(place + CONTENT.len(), &notice);
    }
    let mut response = text.into_response();
    if let Some(media_type) = media_type {
        response.headers_mut().insert(CONTENT_TYPE, media_type);
    }
    Some(response)
}

fn words(time: &str) -> String {
    format!("The database of this registry cannot be reached at present. This is as of {time}.")
}

/// Returns the text of an answer that is compressed.
async fn decoded(response: Response) -> Option<String> {
    let mut response = Some(response);
    let kept = service_fn(move |_: Request| {
        ready(Ok::<_, Infallible>(response.take().unwrap_or_default()))
    });
    let decompression = Decompression::new(kept);
    let answered = decompression.oneshot(Request::new(Body::empty())).await;
    let body = match answered {
        Ok(response) => Body::new(response.into_body()),
        Err(never) => match never {},
    };
    let bytes = to_bytes(body, MAX_PAGE).await.ok()?;
    String::from_utf8(bytes.into()).ok()
}
