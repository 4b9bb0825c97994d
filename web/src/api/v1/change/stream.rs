//! `GET /api/v1/changes/stream`: the change log as server-sent events.
//!
//! The event of a change has the epoch of the log and its number as id, so that a client which
//! reconnects goes on after the last event it received, and only in the same log. Events are made when the connection takes them: nothing is buffered for
//! a slow client, whose connection ends (`server::activity`).

use super::start::{LAST_EVENT_ID, Start};
use super::{ChangeBody, feed, includes_agents, with_agents, within};
use crate::error::{AppError, Problem};
use crate::feed::Place;
use crate::json;
use crate::parameter::{BadParameter, only};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use schemars::json_schema;
use std::collections::VecDeque;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;
use store::{Change, FeedState, Store};
use tokio::time::{Instant, sleep, sleep_until};

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
        .header_parameter(
            LAST_EVENT_ID,
            "Id of the last event that was received; takes precedence over `since` and `epoch`.",
        )
        .bytes(
            200,
            "The changes as server-sent events; an id is the epoch, a hyphen and the number.",
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
    let [since, epoch, include, wait] =
        only(query.as_deref(), ["since", "epoch", "include", "wait"])
            .map_err(AppError::BadParameters)?;
    let start = start(&headers, since.as_deref(), epoch);
    let has_agents = includes_agents(include.as_deref());
    let wait = wait.map_or(Ok(MAX_WAIT), |it| within("wait", &it, 0, MAX_WAIT));
    let (start, has_agents, wait) = match (start, has_agents, wait) {
        (Ok(start), Ok(has_agents), Ok(wait)) => (start, has_agents, wait),
        (start, has_agents, wait) => {
            let faults = [has_agents.err(), wait.err()].into_iter().flatten();
            let faults = start.err().into_iter().flatten().chain(faults);
            return Err(AppError::BadParameters(faults.collect()).into());
        }
    };
    let Some(place) = state.feed.place() else {
        return Err(AppError::TooManyStreams.into());
    };
    let feed = state.store.feed_state().await?;
    let pending = start.changes(&*state.store, &feed, BATCH).await?;
    let reader = Reader {
        store: Arc::clone(&state.store),
        place,
        start,
        feed,
        has_agents,
        pending: pending.into(),
        end: Instant::now() + Duration::from_secs(wait.into()),
    };
    // The stream begins at once, so that its client and proxies know that it is open.
    let first = Event::default().comment("changes").retry(RETRY);
    let first = stream::once(ready(Ok::<_, axum::Error>(first)));
    let events = first.chain(stream::unfold(reader, async |mut reader| {
        let event = reader.next().await?;
        Some((Ok(event), reader))
    }));
    let events = Sse::new(Box::pin(events)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // Proxies would collect events otherwise.
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    Ok((unbuffered, events).into_response())
}

/// Returns the place after which the stream begins.
fn start(
    headers: &HeaderMap,
    since: Option<&str>,
    epoch: Option<String>,
) -> Result<Start, Vec<BadParameter>> {
    match headers.get(LAST_EVENT_ID) {
        Some(id) => Start::of_event(id.to_str().unwrap_or_default()),
        None => Start::of_query(since, epoch),
    }
}

/// Position of an event stream in the log.
struct Reader {
    store: Arc<dyn Store>,
    place: Place,
    start: Start,
    feed: FeedState,
    has_agents: bool,
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
        self.start = self.start.after(&change);
        let event = Event::default().id(format!("{}-{}", self.feed.epoch, change.seq));
        Some(event.data(json::text(&bodies.pop()?).ok()?))
    }

    /// Waits for the next change; `None` if the stream ends before.
    async fn change(&mut self) -> Option<Change> {
        loop {
            if let Some(change) = self.pending.pop_front() {
                return Some(change);
            }
            // A reader that is so slow that its changes are dropped is told when it reconnects.
            let found = self.start.changes(&*self.store, &self.feed, BATCH).await;
            self.pending = found.ok()?.into();
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
