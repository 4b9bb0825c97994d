//! `GET /api/v1/changes/stream`: the change log as server-sent events.
//!
//! The event of a change has its number as id, so that a client which reconnects goes on after the
//! last event it received. Events are made when the connection takes them: nothing is buffered for
//! a slow client, whose connection ends (`server::activity`).

use super::{ChangeBody, after, feed, includes_agents, number, with_agents, within};
use crate::error::{AppError, Problem};
use crate::feed::Place;
use crate::parameter::{BadParameter, only};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use schemars::json_schema;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use store::{Change, Store};
use tokio::time::{Instant, sleep, sleep_until};

/// Header with the id of the last event that a client received.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Most seconds for which a stream waits for further changes, and the number by default: an hour.
/// Clients reconnect by themselves.
const MAX_WAIT: u32 = 3_600;
/// Interval between two looks at the log.
const PAUSE: Duration = Duration::from_millis(500);
/// Interval between two comments that keep the connection alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Time after which a client reconnects.
const RETRY: Duration = Duration::from_secs(2);
/// Changes that are read at a time.
const BATCH: u32 = 50;

/// Describes `GET /api/v1/changes/stream`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let wait = json_schema!({ "type": "integer", "minimum": 0, "maximum": MAX_WAIT });
    feed(operation, "streamChanges", "Streams the changes of agents.")
        .query("wait", "Seconds after which the stream ends.", wait)
        .header_parameter("Last-Event-ID", "Takes precedence over `since`.")
        .bytes(
            200,
            "The changes as server-sent events, whose ids are their numbers.",
            &["text/event-stream"],
        )
        .done()
}

/// Answers `GET /api/v1/changes/stream`.
pub(crate) async fn show(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let [since, include, wait] =
        only(query.as_deref(), ["since", "include", "wait"]).map_err(AppError::BadParameters)?;
    let since = start(&headers, since.as_deref());
    let has_agents = includes_agents(include.as_deref());
    let wait = wait.map_or(Ok(MAX_WAIT), |it| within("wait", &it, 0, MAX_WAIT));
    let (since, has_agents, wait) = match (since, has_agents, wait) {
        (Ok(since), Ok(has_agents), Ok(wait)) => (since, has_agents, wait),
        (since, has_agents, wait) => {
            let faults = [since.err(), has_agents.err(), wait.err()];
            return Err(AppError::BadParameters(faults.into_iter().flatten().collect()).into());
        }
    };
    let Some(place) = state.feed.place() else {
        return Err(AppError::TooManyStreams.into());
    };
    let pending = after(&*state.store, since, BATCH).await?;
    let reader = Reader {
        store: Arc::clone(&state.store),
        place,
        since,
        has_agents,
        is_first: true,
        pending: pending.into(),
        end: Instant::now() + Duration::from_secs(wait.into()),
    };
    let events = stream::unfold(reader, async |mut reader| {
        let event = reader.next().await?;
        Some((Ok::<_, axum::Error>(event), reader))
    });
    let events = Sse::new(Box::pin(events)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // Proxies would collect events otherwise.
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    Ok((unbuffered, events).into_response())
}

/// Returns the number after which the stream begins.
fn start(headers: &HeaderMap, since: Option<&str>) -> Result<u64, BadParameter> {
    match (headers.get(LAST_EVENT_ID), since) {
        (Some(id), _) => number("Last-Event-ID", id.to_str().unwrap_or_default()),
        (None, Some(since)) => number("since", since),
        (None, None) => Ok(0),
    }
}

/// Position of an event stream in the log.
struct Reader {
    store: Arc<dyn Store>,
    place: Place,
    since: u64,
    has_agents: bool,
    is_first: bool,
    pending: VecDeque<Change>,
    end: Instant,
}

impl Reader {
    /// Returns the next event; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        let change = self.change().await?;
        let mut bodies = if self.has_agents {
            let found = with_agents(&*self.store, std::slice::from_ref(&change)).await;
            // The client reconnects and is told.
            found.ok()?
        } else {
            vec![ChangeBody::of(&change)]
        };
        self.since = change.seq;
        let event = Event::default().id(change.seq.to_string());
        let event = event.json_data(bodies.pop()?).ok()?;
        Some(if std::mem::take(&mut self.is_first) {
            event.retry(RETRY)
        } else {
            event
        })
    }

    /// Waits for the next change; `None` if the stream ends before.
    async fn change(&mut self) -> Option<Change> {
        loop {
            if let Some(change) = self.pending.pop_front() {
                return Some(change);
            }
            // A reader that is so slow that its changes are dropped is told when it reconnects.
            self.pending = after(&*self.store, self.since, BATCH).await.ok()?.into();
            if self.pending.is_empty() {
                tokio::select! {
                    () = self.place.stopped() => return None,
                    () = sleep_until(self.end) => return None,
                    () = sleep(PAUSE) => {}
                }
            }
        }
    }
}
