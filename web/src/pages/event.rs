//! Events of the change log: found, changed and gone.

use crate::error::AppError;
use crate::state::AppState;
use crate::view;
use crate::view::time::Moment;
use std::collections::BTreeSet;
use store::{Change, Operation};

/// Entries of the change log that are read at a time, and at most.
const PAGE: u32 = 500;
const MAX_READ: u64 = 5_000;
/// Most changes that are counted in groups.
const GROUPED: usize = 2_000;
/// Changes of a group that are named, and the most characters of a name.
const NAMED: usize = 3;
const NAME: usize = 40;
/// Length of an hour in milliseconds.
const HOUR: i64 = 3_600_000;

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Events {
    All,
    Found,
    Changed,
    Gone,
}

/// Change of an agent.
#[derive(Debug)]
pub(crate) struct Event {
    /// `found`, `changed` or `gone`.
    pub(crate) op: &'static str,
    pub(crate) name: String,
    /// Domain of the agent, while it is listed.
    pub(crate) site: Option<String>,
    /// Page of the agent, while it is listed.
    pub(crate) path: Option<String>,
    pub(crate) at: Moment,
}

/// Changes of one kind within one hour.
#[derive(Debug)]
pub(crate) struct EventGroup {
    /// `found`, `changed` or `gone`.
    pub(crate) op: &'static str,
    /// Number of the changes.
    pub(crate) count: String,
    /// The newest of them.
    pub(crate) named: Vec<Event>,
    /// Number of the others, in words.
    pub(crate) more: Option<String>,
    /// Page of all changes of this kind.
    pub(crate) path: String,
    /// Time of the newest of them.
    pub(crate) at: Moment,
}

impl Events {
    /// Returns the word for a change of this kind; `None` for others.
    fn word(self, change: &Change) -> Option<&'static str> {
        let (kind, word) = match change.op {
            Operation::Add | Operation::Restore => (Self::Found, "found"),
            Operation::Update => (Self::Changed, "changed"),
            Operation::Remove | Operation::OptOut => (Self::Gone, "gone"),
            Operation::Status => return None,
        };
        (self == Self::All || self == kind).then_some(word)
    }

    /// Returns the newest changes, at most `most` and one of each agent, newest first. A change that
    /// another kind of change undid is left out: an agent that was listed again is not gone.
    pub(crate) async fn newest(
        self,
        state: &AppState,
        most: usize,
    ) -> Result<Vec<Event>, AppError> {
        let newest = self.changes(state, most).await?;
        Event::named(state, newest).await
    }

    /// Returns the newest changes in groups, at most `most`, the newest first: those of one kind within
    /// one hour are one group.
    pub(crate) async fn by_hour(
        self,
        state: &AppState,
        most: usize,
    ) -> Result<Vec<EventGroup>, AppError> {
        let newest = self.changes(state, GROUPED).await?;
        let is_cut = newest.len() == GROUPED;
        let mut groups: Vec<((i64, &'static str), Vec<Change>)> = Vec::new();
        for (op, change) in newest {
            let key = (change.at.0.div_euclid(HOUR), op);
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, changes)) => changes.push(change),
                None => groups.push((key, vec![change])),
            }
        }
        let now = (state.now)();
        let last = groups.len().saturating_sub(1);
        let mut views = Vec::new();
        for (index, ((_, op), mut changes)) in groups.into_iter().take(most).enumerate() {
            let count = changes.len();
            let Some(at) = changes.first().map(|it| Moment::of(it.at, now)) else {
                continue;
            };
            changes.truncate(NAMED);
            let named = changes.into_iter().map(|it| (op, it)).collect();
            let mut named = Event::named(state, named).await?;
            for event in &mut named {
                event.name = view::shortened(&event.name, NAME);
            }
            let more = count.saturating_sub(NAMED) as u64;
            // Older changes of this group were not read.
            let plus = if is_cut && index == last { "+" } else { "" };
            views.push(EventGroup {
                op,
                count: format!("{}{plus}", view::grouped(count as u64)),
                named,
                more: (more > 0).then(|| format!("{}{plus} more", view::grouped(more))),
                path: format!("/browse/{}", if op == "found" { "new" } else { op }),
                at,
            });
        }
        Ok(views)
    }

    /// Returns the newest changes with their words.
    async fn changes(
        self,
        state: &AppState,
        most: usize,
    ) -> Result<Vec<(&'static str, Change)>, AppError> {
        let last = state.store.last_change().await?;
        let mut newest: Vec<(&'static str, Change)> = Vec::new();
        let mut settled = BTreeSet::new();
        let mut end = last;
        while newest.len() < most && end > 0 && last - end < MAX_READ {
            let since = end.saturating_sub(PAGE.into());
            let changes = state.store.changes(since, PAGE).await?;
            for change in changes.into_iter().rev().filter(|it| it.seq <= end) {
                let word = self.word(&change);
                // An agent exists before and after an update or another status.
                let begins_or_ends = !matches!(change.op, Operation::Update | Operation::Status);
                if word.is_none() && !begins_or_ends || !settled.insert(change.agent.clone()) {
                    continue;
                }
                if let Some(word) = word
                    && newest.len() < most
                {
                    newest.push((word, change));
                }
            }
            end = since;
        }
        Ok(newest)
    }
}

impl Event {
    /// Returns changes with the names of their agents.
    async fn named(
        state: &AppState,
        newest: Vec<(&'static str, Change)>,
    ) -> Result<Vec<Self>, AppError> {
        let ids: Vec<_> = newest.iter().map(|(_, it)| it.agent.clone()).collect();
        let agents = state.store.agents_by_id(&ids).await?;
        let now = (state.now)();
        let event = |(op, change): (&'static str, Change)| {
            let agent = agents.iter().find(|it| it.listing.id == change.agent);
            let name = agent.map(|it| view::title(&it.listing.agent.name));
            Self {
                op,
                name: name.unwrap_or_else(|| change.agent.to_string()),
                site: agent.map(|it| it.domain.to_unicode()),
                path: agent.map(|it| view::agent_path(&it.listing.id)),
                at: Moment::of(change.at, now),
            }
        };
        Ok(newest.into_iter().map(event).collect())
    }
}
