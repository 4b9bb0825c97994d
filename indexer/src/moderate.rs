//! `indexer hide`, `indexer show` and `indexer reports`: moderation by the operator.

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use manifest::{Domain, Timestamp, text};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use store::{ModerationCounts, ProblemReport, ReportSelection, Store, Target};

/// Most characters of a reason.
const MAX_REASON: usize = 500;
/// Maximum number of agents that an error names.
const MAX_NAMED: usize = 20;
/// Characters of the code of a network that are shown and needed.
const CODE: usize = 12;

/// Arguments of `indexer hide` and `indexer show`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Moderate {
    /// Domain, for all its agents, or id of one agent, such as mesa.example/reservations.
    #[arg(value_name = "DOMAIN|AGENT", value_parser = target)]
    pub(crate) target: Target,

    /// Reason, which is public.
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
}

/// Arguments of `indexer reports`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Reports {
    /// Print one JSON array instead of text.
    #[arg(long)]
    pub(crate) json: bool,

    /// Command on reports.
    #[command(subcommand)]
    pub(crate) command: Option<ReportsCommand>,
}

/// Command on reports.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ReportsCommand {
    /// Close reports: some, all on a target, or all from a network. The public log states the reason
    /// once for each target, and the texts of the reports are deleted.
    Close(Close),
}

/// Arguments of `indexer reports close`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Close {
    /// Ids of reports.
    #[arg(value_name = "ID", required_unless_present_any = ["target", "network"])]
    pub(crate) ids: Vec<String>,

    /// Close all reports on a domain and its agents, or on one agent.
    #[arg(
        long, value_name = "DOMAIN|AGENT", value_parser = target,
        conflicts_with_all = ["ids", "network"]
    )]
    pub(crate) target: Option<Target>,

    /// Close all reports from a network, by its code in the list of reports.
    #[arg(long, value_name = "CODE", value_parser = code, conflicts_with = "ids")]
    pub(crate) network: Option<String>,

    /// Reason, which is public.
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
}

/// Report as JSON.
#[derive(Serialize)]
struct ReportJson<'a> {
    id: &'a str,
    at: String,
    target: &'a str,
    kind: &'static str,
    text: &'a str,
    /// Code of the network that it came from; null after a day.
    network: Option<&'a str>,
}

fn target(argument: &str) -> Result<Target, String> {
    let parsed = Target::parse(argument);
    parsed.map_err(|error| format!("{error}; give a domain, or <domain>/<name> of an agent"))
}

fn code(argument: &str) -> Result<String, String> {
    let is_digit = |it: char| it.is_ascii_digit() || ('a'..='f').contains(&it);
    if argument.len() < CODE || !argument.chars().all(is_digit) {
        return Err(format!(
            "the code of a network has {CODE} digits from 0 to f; `indexer reports` shows it"
        ));
    }
    Ok(argument.to_owned())
}

fn reason(argument: &str) -> Result<String, String> {
    if argument.chars().count() > MAX_REASON {
        return Err(format!("a reason has at most {MAX_REASON} characters"));
    }
    match text::clean(argument, MAX_REASON) {
        reason if reason.is_empty() => Err("a public reason is needed".to_owned()),
        reason => Ok(reason),
    }
}

/// Hides agents and returns the message for the operator.
pub(crate) async fn hide(
    command: &Moderate,
    store: &dyn Store,
    now: Timestamp,
) -> anyhow::Result<String> {
    let Moderate { target, reason } = command;
    check_known(target, store).await?;
    let ModerationCounts { is_new, agents } = store.hide(target, reason, now).await?;
    Ok(if is_new {
        format!(
            "{target}: {} hidden; it is visited and read as before\n",
            counted(agents)
        )
    } else {
        format!("{target} was hidden already; the reason is now: {reason}\n")
    })
}

/// Refuses a target that the registry does not know, which is probably mistyped, and names what it
/// knows.
async fn check_known(target: &Target, store: &dyn Store) -> anyhow::Result<()> {
    let domain = Domain::parse(target.domain())?;
    let hidden = store.hidden(&domain).await?;
    let is_target = |id: &str| id == target.as_str();
    if hidden.iter().any(|it| is_target(&it.target)) {
        return Ok(());
    }
    let Some(site) = store.site(&domain).await? else {
        bail!(
            "{domain} is not a domain of this registry, so nothing was hidden; `indexer search \
             site:{}` lists the agents of a site",
            domain.registrable()
        );
    };
    let listed: Vec<&str> = site
        .agents
        .iter()
        .map(|it| it.listing.id.as_str())
        .collect();
    if is_target(domain.as_str()) || listed.iter().any(|id| is_target(id)) {
        return Ok(());
    }
    if listed.is_empty() {
        bail!("{domain} has no agent, so nothing was hidden; give {domain} to hide those to come");
    }
    let (some, others) = listed.split_at(listed.len().min(MAX_NAMED));
    let more = match others.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    bail!(
        "{domain} has no agent {target}, so nothing was hidden; it has {}{more}",
        some.join(", ")
    );
}

/// Shows hidden agents again and returns the message for the operator.
pub(crate) async fn show(
    command: &Moderate,
    store: &dyn Store,
    now: Timestamp,
) -> anyhow::Result<String> {
    let Moderate { target, reason } = command;
    let ModerationCounts { is_new, agents } = store.show(target, reason, now).await?;
    if !is_new {
        bail!("{target} is not hidden");
    }
    Ok(format!("{target}: {} shown again\n", counted(agents)))
}

fn counted(agents: u64) -> String {
    match agents {
        1 => "1 agent is".to_owned(),
        _ => format!("{agents} agents are"),
    }
}

/// Lists open reports, or closes one, and returns the text to print.
pub(crate) async fn reports(
    command: &Reports,
    store: &dyn Store,
    now: Timestamp,
) -> anyhow::Result<String> {
    match &command.command {
        Some(ReportsCommand::Close(close)) => {
            let closed = store
                .close_reports(&close.selection(), &close.reason, now)
                .await?;
            let targets: BTreeSet<&str> = closed.iter().map(String::as_str).collect();
            let (named, others) = (
                targets.iter().copied().take(MAX_NAMED).collect::<Vec<_>>(),
                targets.len().saturating_sub(MAX_NAMED),
            );
            let on = named.join(", ");
            Ok(match (closed.len(), others) {
                (0, _) => bail!("no such report is open"),
                (1, _) => format!("closed the report on {on}\n"),
                (number, 0) => format!("closed {number} reports on {on}\n"),
                (number, others) => format!("closed {number} reports on {on} and {others} more\n"),
            })
        }
        None => {
            let open = store.reports(ProblemReport::MAX_OPEN).await?;
            if command.json {
                let open: Vec<_> = open.iter().map(ReportJson::of).collect();
                let json = serde_json::to_string_pretty(&open).context("cannot write JSON")?;
                return Ok(terminal::json(&format!("{json}\n")).into_owned());
            }
            Ok(terminal::lines(&listed(&open)).into_owned())
        }
    }
}

impl Close {
    fn selection(&self) -> ReportSelection {
        match (&self.target, &self.network) {
            (Some(target), _) => ReportSelection::Target(target.clone()),
            (None, Some(network)) => ReportSelection::Network(network.clone()),
            (None, None) => ReportSelection::Ids(self.ids.clone()),
        }
    }
}

/// Returns the code of the network of a report, which is the beginning of its hash.
fn network(report: &ProblemReport) -> Option<&str> {
    report.network.as_deref()?.get(..CODE)
}

impl<'a> ReportJson<'a> {
    fn of(report: &'a ProblemReport) -> Self {
        Self {
            id: &report.id,
            at: report.at.to_rfc3339(),
            target: &report.target,
            kind: report.kind.as_str(),
            text: &report.text,
            network: network(report),
        }
    }
}

fn listed(reports: &[ProblemReport]) -> String {
    if reports.is_empty() {
        return "No report is open.\n".to_owned();
    }
    let mut text = String::new();
    for report in reports {
        let (at, kind) = (report.at.to_rfc3339(), report.kind.as_str());
        // Writing to a String cannot fail.
        let _ = write!(text, "{}  {at}  {kind}  {}", report.id, report.target);
        let _ = match network(report) {
            Some(network) => writeln!(text, "  from {network}"),
            None => writeln!(text),
        };
        for line in report.text.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_short_enough_or_refused() {
        assert_eq!(reason(" sells\npills ").unwrap(), "sells pills");
        assert_eq!(
            reason(&"ä".repeat(MAX_REASON)).unwrap().chars().count(),
            MAX_REASON
        );
        let error = reason(&"ä".repeat(MAX_REASON + 1)).unwrap_err();
        assert_eq!(error, "a reason has at most 500 characters");
        assert!(reason(" ").is_err());
    }
}
