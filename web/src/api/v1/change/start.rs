//! Place in the change log at which a reader begins: a number, and the epoch that it belongs to.

use super::SNAPSHOT;
use crate::error::AppError;
use crate::parameter::BadParameter;
use store::{Change, FeedState, Store};

/// Name of the header with the id of the last event that a client received.
pub(super) const LAST_EVENT_ID: &str = "Last-Event-ID";
/// Hexadecimal digits of an epoch.
const EPOCH_DIGITS: usize = 16;

/// Place after which changes are requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// Number of the last change that the reader has.
    pub(super) since: u64,
    /// Epoch of that number, if the reader states it.
    epoch: Option<String>,
    /// Parameter or header that states the number.
    named: &'static str,
}

impl Start {
    /// Returns the place that a query string states.
    pub(super) fn of_query(
        since: Option<&str>,
        epoch: Option<String>,
    ) -> Result<Self, Vec<BadParameter>> {
        let since = since.map_or(Ok(0), |it| number("since", it, it));
        let epoch = epoch.map(|it| epoch_of("epoch", it)).transpose();
        match (since, epoch) {
            (Ok(since), Ok(epoch)) => Ok(Self {
                since,
                epoch,
                named: "since",
            }),
            (since, epoch) => Err([since.err(), epoch.err()].into_iter().flatten().collect()),
        }
    }

    /// Returns the place after the event with this id: `EPOCH-SEQ`, or `SEQ` alone.
    pub(super) fn of_event(id: &str) -> Result<Self, Vec<BadParameter>> {
        let (epoch, seq) = match id.split_once('-') {
            Some((epoch, seq)) => (Some(epoch.to_owned()), seq),
            None => (None, id),
        };
        let epoch = epoch.map(|it| epoch_of(LAST_EVENT_ID, it)).transpose();
        let since = number(LAST_EVENT_ID, seq, id);
        match (since, epoch) {
            (Ok(since), Ok(epoch)) => Ok(Self {
                since,
                epoch,
                named: LAST_EVENT_ID,
            }),
            // One header has one fault.
            (Err(fault), _) | (_, Err(fault)) => Err(vec![fault]),
        }
    }

    /// Returns the changes after the place, or the error of one at which the log does not go on.
    pub(super) async fn changes(
        &self,
        store: &dyn Store,
        feed: &FeedState,
        limit: u32,
    ) -> Result<Vec<Change>, AppError> {
        let Self { since, named, .. } = self;
        if let Some(other) = self.epoch.as_ref().filter(|it| **it != feed.epoch) {
            return Err(gone(format!(
                "the changes of epoch {other} do not go on: the registry was restored from a backup \
                 and has epoch {} now",
                feed.epoch
            )));
        }
        let changes = store.changes(*since, limit).await?;
        match changes.first() {
            Some(first) if first.seq == since + 1 => Ok(changes),
            Some(first) => Err(gone(format!(
                "the changes after {since} are no longer kept, the first is {}",
                first.seq
            ))),
            None => {
                // The reader may have been at a server that reads from a newer copy.
                if *since <= store.last_change().await? {
                    return Ok(changes);
                }
                let last = store.newest_change().await?;
                if *since <= last {
                    return Ok(changes);
                }
                let message = format!(
                    "`{named}` is {since}, but the newest change is {last}; if this registry was \
                     restored from a backup, start again from {SNAPSHOT}"
                );
                let fault = BadParameter::new(named, "beyond_newest", message);
                Err(AppError::BadParameters(vec![fault]))
            }
        }
    }

    /// Returns the place after a change of the same log.
    pub(super) fn after(&self, change: &Change) -> Self {
        Self {
            since: change.seq,
            ..self.clone()
        }
    }
}

fn gone(reason: String) -> AppError {
    AppError::ChangesGone {
        reason,
        snapshot: SNAPSHOT,
    }
}

/// Parses a number of the log, which is `given` or a part of it.
fn number(name: &'static str, value: &str, given: &str) -> Result<u64, BadParameter> {
    // Databases have signed numbers.
    if let Ok(Ok(number)) = value.parse::<i64>().map(u64::try_from) {
        return Ok(number);
    }
    let right = if name == LAST_EVENT_ID {
        "the id of an event, such as 0f1e2d3c4b5a6978-812"
    } else {
        "a whole number, as `seq` and `next` state it"
    };
    let given = manifest::text::clean(given, 100);
    Err(BadParameter::new(
        name,
        "out_of_range",
        format!("`{name}` must be {right}, not `{given}`"),
    ))
}

/// Checks the form of an epoch.
fn epoch_of(name: &'static str, epoch: String) -> Result<String, BadParameter> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if epoch.len() == EPOCH_DIGITS && epoch.bytes().all(is_digit) {
        return Ok(epoch);
    }
    let epoch = manifest::text::clean(&epoch, 100);
    Err(BadParameter::new(
        name,
        "bad_epoch",
        format!("the epoch must be 16 hexadecimal digits, as `epoch` states it, not `{epoch}`"),
    ))
}
