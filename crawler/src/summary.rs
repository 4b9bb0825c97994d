//! What a crawl has done so far, and the table that it ends with.

use crate::status::span;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{Outcome, Visit};
use tokio::time::Instant;

/// Kinds of failure that are told apart.
const MOST_FAILURES: usize = 200;
/// Kinds of failure that the table shows.
const SHOWN_FAILURES: usize = 10;

/// Counts of everything a crawl has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What became of the seed lists.
    pub seeds: SeedTally,
    /// Domains that were due when the visits began.
    pub due: u64,
    /// Visits going on.
    pub in_flight: u64,
    /// Domains taken whose visit has not begun: they wait for their name server, their site or their address.
    pub in_line: u64,
    /// Domains that this run put off and waits for, while there is nothing else to do.
    pub awaited: Option<Awaited>,
    /// Visits recorded.
    pub visits: u64,
    /// How they ended.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// How those that found nothing ended in detail, such as `dns_error: nxdomain`.
    pub failures: BTreeMap<String, u64>,
    /// Visits that robots.txt kept from some path, or from all.
    pub robots_denials: u64,
    /// Answers to requests for robots.txt.
    pub robots_fetches: u64,
    /// Domains given back to the frontier because their site or address was busy.
    pub put_offs: u64,
    /// HTTP requests sent.
    pub requests: u64,
    /// Body bytes received, decoded.
    pub bytes: u64,
    /// Documents that are there: kept, or unchanged since they were.
    pub documents: u64,
    /// Documents that are new or changed.
    pub new_documents: u64,
    /// Agents in them.
    pub agents: u64,
    /// Remarks on them.
    pub findings: u64,
    /// Visits that were dropped because another crawler had taken the domain over.
    pub fenced: u64,
    /// Times that our own line was down, so that nothing was recorded.
    pub outages: u64,
    /// Domains that this run did not visit because their time has not come, if there are any.
    pub waiting: Option<WaitingTally>,
    /// Somebody said stop.
    pub interrupted: bool,
}

/// Domains whose time has not come: put off, or left behind by a run that died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingTally {
    /// How many.
    pub domains: u64,
    /// Until the first of them falls due.
    pub next_in: Duration,
}

/// Domains that a run put off, for instance because their address was crowded, and waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// How many.
    pub domains: u64,
    /// When the last of them falls due.
    pub until: Instant,
}

/// What became of the seed lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedTally {
    /// Lists read.
    pub lists: u64,
    /// Lines in them.
    pub lines: u64,
    /// Lines that gave a domain.
    pub accepted: u64,
    /// Domains not known before.
    pub new: u64,
    /// Domains known before.
    pub known: u64,
    /// Lines that gave none.
    pub rejected: u64,
    /// Rejected lines by reason.
    pub reasons: BTreeMap<String, u64>,
    /// Some of the rejected lines, with the reason.
    pub examples: Vec<String>,
}

impl SeedTally {
    /// Rejected lines that are shown.
    pub const MOST_EXAMPLES: usize = 5;
}

/// The counts of a crawl under way, for whoever shows them.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Summary>);

impl Progress {
    /// The counts as they are now.
    pub fn snapshot(&self) -> Summary {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Changes the counts.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Summary)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A visit going on, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Flight(Arc<Progress>);

impl Flight {
    /// Counts one more.
    pub(crate) fn begin(progress: Arc<Progress>) -> Self {
        progress.update(|summary| summary.in_flight += 1);
        Self(progress)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.0
            .update(|summary| summary.in_flight = summary.in_flight.saturating_sub(1));
    }
}

impl Summary {
    /// Counts a recorded visit.
    pub(crate) fn count(&mut self, visit: &Visit, agents: u64, findings: u64) {
        self.visits += 1;
        *self.outcomes.entry(visit.outcome).or_default() += 1;
        let verdict = visit.robots.as_ref().map(|robots| robots.verdict.as_str());
        self.robots_denials += u64::from(matches!(verdict, Some("disallow" | "partial")));
        let answers = visit.receipts.iter().filter(|it| it.status.is_some());
        let robots = answers.filter(|it| it.url.ends_with("/robots.txt"));
        self.robots_fetches += robots.count() as u64;
        self.requests += u64::from(visit.requests);
        self.bytes += visit.bytes;
        self.documents += (visit.documents.len() + visit.unchanged.len()) as u64;
        self.agents += agents;
        self.findings += findings;
        if let (false, Some(detail)) = (visit.outcome == Outcome::Found, &visit.detail) {
            let failure = format!("{}: {detail}", visit.outcome.as_str());
            if self.failures.len() < MOST_FAILURES || self.failures.contains_key(&failure) {
                *self.failures.entry(failure).or_default() += 1;
            }
        }
    }

    /// Visits that ended like this.
    pub fn outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes.get(&outcome).copied().unwrap_or(0)
    }
}

impl Display for Summary {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        if self.seeds.lists > 0 {
            self.seeds.fmt(out)?;
        }
        writeln!(out, "{:<18} {:>10}", "visits", self.visits)?;
        for (outcome, count) in &self.outcomes {
            writeln!(out, "  {:<16} {count:>10}", outcome.as_str())?;
        }
        let rows = [
            ("requests", self.requests),
            ("bytes", self.bytes),
            ("documents", self.documents),
            ("  new or changed", self.new_documents),
            ("agents", self.agents),
            ("findings", self.findings),
        ];
        for (name, count) in rows {
            writeln!(out, "{name:<18} {count:>10}")?;
        }
        if self.fenced > 0 {
            writeln!(out, "{:<18} {:>10}", "taken over", self.fenced)?;
        }
        if self.outages > 0 {
            writeln!(out, "{:<18} {:>10}", "outages of our own", self.outages)?;
        }
        if let Some(WaitingTally { domains, next_in }) = self.waiting {
            let next_in = span(next_in);
            writeln!(
                out,
                "{:<18} {domains:>10}  the next in {next_in}",
                "waiting"
            )?;
        }
        let mut failures: Vec<_> = self.failures.iter().collect();
        failures.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        if !failures.is_empty() {
            writeln!(out, "most common without a manifest")?;
        }
        for (failure, count) in failures.into_iter().take(SHOWN_FAILURES) {
            writeln!(out, "{count:>10}  {failure}")?;
        }
        if self.interrupted {
            writeln!(out, "interrupted; the same command carries on from here")
        } else {
            Ok(())
        }
    }
}

impl Display for SeedTally {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{:<18} {:>10}", "seeds", self.accepted)?;
        writeln!(out, "  {:<16} {:>10}", "new", self.new)?;
        writeln!(out, "  {:<16} {:>10}", "known", self.known)?;
        if self.rejected == 0 {
            return Ok(());
        }
        writeln!(out, "  {:<16} {:>10}", "rejected lines", self.rejected)?;
        for (reason, count) in &self.reasons {
            writeln!(out, "{count:>10}  {reason}")?;
        }
        for example in &self.examples {
            writeln!(out, "            {example}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_the_ten_most_common_failures() {
        let failures = (1..=12).map(|number| (format!("down: {number:02}"), number));
        let summary = Summary {
            failures: failures.collect(),
            ..Summary::default()
        };
        let table = summary.to_string();
        let shown = table.lines().filter(|line| line.contains("down: "));
        assert_eq!(shown.count(), 10);
        assert!(
            table.contains("down: 12") && !table.contains("down: 02"),
            "{table}"
        );
    }

    #[test]
    fn those_left_behind_are_told_when_there_are_any() {
        let mut summary = Summary::default();
        assert!(!summary.to_string().contains("waiting"));
        summary.waiting = Some(WaitingTally {
            domains: 4,
            next_in: Duration::from_secs(113),
        });
        assert!(
            summary
                .to_string()
                .contains("waiting                     4  the next in 1 min 53 s\n")
        );
    }

    #[test]
    fn outages_of_our_own_line_are_told_when_there_were_any() {
        let mut summary = Summary::default();
        assert!(!summary.to_string().contains("outages"));
        summary.outages = 2;
        assert!(
            summary
                .to_string()
                .contains("outages of our own          2")
        );
    }
}
