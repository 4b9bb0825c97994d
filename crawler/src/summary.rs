//! Counts of a crawl, and its final table.

use crate::status::span;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{Outcome, Visit};
use tokio::time::Instant;

/// Number of distinct kinds of failure that are counted.
const MAX_FAILURES: usize = 200;
/// Number of kinds of failure that the table shows.
const SHOWN_FAILURES: usize = 10;

/// Counts of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Results of the seed lists.
    pub seeds: SeedTally,
    /// Domains that were due when the visits began.
    pub due: u64,
    /// Visits in flight.
    pub in_flight: u64,
    /// Leased domains whose visit has not begun: they wait for their name server, site or address.
    pub in_line: u64,
    /// Domains that this run postponed and waits for, while it has nothing else to do.
    pub awaited: Option<AwaitedTally>,
    /// Recorded visits.
    pub visits: u64,
    /// Visits by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Visits without finds by detailed outcome, such as `dns_error: nxdomain`.
    pub failures: BTreeMap<String, u64>,
    /// Visits in which robots.txt disallowed some or all paths.
    pub robots_denials: u64,
    /// Answers to requests for robots.txt.
    pub robots_fetches: u64,
    /// Domains returned to the frontier because their site or address was busy.
    pub postponements: u64,
    /// HTTP requests sent.
    pub requests: u64,
    /// Body bytes received, decoded.
    pub bytes: u64,
    /// Existing documents: stored now, or unchanged.
    pub documents: u64,
    /// New or changed documents.
    pub new_documents: u64,
    /// Agents in the documents received, before merging, and listed agents of unchanged documents
    /// (304).
    pub agents: u64,
    /// Findings on the documents received, before merging, and stored findings on unchanged ones.
    pub findings: u64,
    /// Visits dropped because another crawler had taken over the domain.
    pub fenced: u64,
    /// Addresses that are edges according to their answers (P50).
    pub learned_edges: u64,
    /// Crawlers of the database.
    pub crawlers: u64,
    /// Slots of networks, of 256, that this one visits.
    pub slots: u64,
    /// Domains that were returned for another crawler of the fleet.
    pub handed_on: u64,
    /// Turns for requests that other crawlers granted.
    pub guest_turns: u64,
    /// Times that the membership in the fleet could not be renewed within its term, or was lost.
    pub lapses: u64,
    /// Outages of this machine's own connection, during which nothing was recorded.
    pub outages: u64,
    /// Domains that this run did not visit because they were not due, if any.
    pub waiting: Option<WaitingTally>,
    /// True if the run was stopped.
    pub interrupted: bool,
}

/// Domains that are not due yet: postponed, or left by a run that was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingTally {
    /// Number of domains.
    pub domains: u64,
    /// Time until the first is due.
    pub next_in: Duration,
}

/// Domains that a run postponed, for instance because their address was busy, and waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwaitedTally {
    /// Number of domains.
    pub domains: u64,
    /// Due time of the last.
    pub until: Instant,
}

/// Results of the seed lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedTally {
    /// Lists read.
    pub lists: u64,
    /// Lines in them.
    pub lines: u64,
    /// Lines with a domain.
    pub accepted: u64,
    /// New domains.
    pub new: u64,
    /// Known domains.
    pub known: u64,
    /// Lines without a domain.
    pub rejected: u64,
    /// Rejected lines by reason.
    pub reasons: BTreeMap<String, u64>,
    /// Some of the rejected lines, with reasons.
    pub examples: Vec<String>,
}

impl SeedTally {
    /// Maximum number of rejected lines shown.
    pub const MAX_EXAMPLES: usize = 5;
}

/// Counts of a running crawl, shared with the displays.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Summary>);

impl Progress {
    /// Returns the current counts.
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

/// Visit in flight, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Flight(Arc<Progress>);

impl Flight {
    /// Counts one more visit in flight.
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
            if self.failures.len() < MAX_FAILURES || self.failures.contains_key(&failure) {
                *self.failures.entry(failure).or_default() += 1;
            }
        }
    }

    /// Returns the number of visits with this outcome.
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
        let rare = [
            ("handed on", self.handed_on),
            ("turns of others", self.guest_turns),
            ("lapses", self.lapses),
            ("connection outages", self.outages),
            ("learned edges", self.learned_edges),
        ];
        for (name, count) in rare.iter().filter(|(_, count)| *count > 0) {
            writeln!(out, "{name:<18} {count:>10}")?;
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
            writeln!(out, "most common reasons without a manifest")?;
        }
        for (failure, count) in failures.into_iter().take(SHOWN_FAILURES) {
            writeln!(out, "{count:>10}  {failure}")?;
        }
        if self.interrupted {
            writeln!(out, "interrupted; the same command continues from here")
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
    fn waiting_domains_are_shown_if_there_are_any() {
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
    fn connection_outages_are_shown_if_there_were_any() {
        let mut summary = Summary::default();
        assert!(!summary.to_string().contains("outages"));
        summary.outages = 2;
        assert!(
            summary
                .to_string()
                .contains("connection outages          2")
        );
    }
}
