//! Output of `indexer`: search results and statistics, as text and as JSON.

use indexer::search::{Fit, Fragment, Hit, Results, query};
use manifest::Agent;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use store::{Stats, StoredAgent};

/// Number of findings listed by [`stats`].
const TOP_FINDINGS: usize = 10;

/// Highlighting of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    /// Colour, for terminals.
    Colour,
    /// No highlighting, for files and pipes.
    None,
}

/// Formats search results as text.
pub(crate) fn search(
    query: &str,
    results: &Results,
    agents: &[StoredAgent],
    marks: Marks,
) -> String {
    let mut text = String::new();
    if results.hits.is_empty() {
        let read = query::parse(query);
        let why = if read.is_lost() {
            "No part of the query could be used"
        } else if read.clauses.is_empty() {
            "No agent meets these conditions"
        } else {
            "No agent matches"
        };
        let query = terminal::line(query);
        let _ = writeln!(text, "{why}: no result for \"{query}\".");
        if !results.nearest_capabilities.is_empty() {
            let names = results.nearest_capabilities.join(", ");
            let _ = writeln!(text, "Nearest capabilities: {names}.");
        }
    }
    if results.fit == Fit::Weak {
        text.push_str("All of these are weak matches.\n");
    }
    for (rank, (hit, stored)) in (1..).zip(found(results, agents)) {
        let agent = &stored.listing.agent;
        let _ = write!(
            text,
            "{rank:>2}. {}  {}",
            marks.strong(&agent.name),
            stored.domain
        );
        // A query of filters only has no match levels.
        if hit.fit != Fit::None {
            let _ = write!(text, "  {} ({}/100)", hit.fit.as_str(), hit.score);
        }
        text.push('\n');
        for reason in &hit.because {
            let snippet: String = reason.snippet.iter().map(|it| marks.fragment(it)).collect();
            let place = match &reason.capability {
                Some(capability) if reason.field != "capability.name" => {
                    format!(
                        "{} of {capability}",
                        reason.field.trim_start_matches("capability.")
                    )
                }
                Some(_) => "capability".to_owned(),
                None => reason.field.clone(),
            };
            let _ = writeln!(text, "    {place}: {snippet}");
        }
        for line in connect(agent) {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(text, "    {}", hit.id);
        if hit.near_duplicates > 0 {
            let _ = writeln!(text, "    and {} more like this", hit.near_duplicates);
        }
    }
    let hidden: u64 = results.more_from_site.values().sum();
    if !results.hits.is_empty() {
        let shown = results.hits.len();
        let _ = write!(text, "\n{shown} of {} agents", results.total);
        if hidden > 0 {
            let _ = write!(text, ", {hidden} more of the same sites");
        }
        text.push_str(".\n");
    }
    for correction in &results.corrected {
        let _ = writeln!(
            text,
            "Interpreted as {:?}: {:?}",
            correction.to, correction.from
        );
    }
    if !results.ignored.is_empty() {
        let ignored = results.ignored.join(" ");
        let _ = writeln!(text, "Ignored: {}", terminal::line(&ignored));
    }
    text
}

/// Formats search results as JSON.
pub(crate) fn search_json(query: &str, results: &Results, agents: &[StoredAgent]) -> Value {
    let hits: Vec<_> = found(results, agents)
        .map(|(hit, stored)| {
            let agent = &stored.listing.agent;
            let because: Vec<_> = hit
                .because
                .iter()
                .map(|reason| {
                    let text: String = reason.snippet.iter().map(|it| it.text.as_str()).collect();
                    json!({"field": reason.field, "capability": reason.capability, "text": text})
                })
                .collect();
            json!({
                "id": hit.id,
                "name": agent.name,
                "site": stored.domain,
                "description": agent.description,
                "format": stored.listing.format,
                "level": stored.listing.level.as_str(),
                "score": hit.score,
                "alike": hit.near_duplicates,
                "match": {"level": hit.fit, "because": because},
                "url": agent.url,
                "interfaces": agent.interfaces,
                "auth": agent.auth,
            })
        })
        .collect();
    json!({
        "query": {"q": query, "terms": results.terms, "ignored": results.ignored, "did_you_mean": results.corrected},
        "match": results.fit,
        "generation": results.generation,
        "total": results.total,
        "results": hits,
        "more_from_site": results.more_from_site,
        "nearest_capabilities": results.nearest_capabilities,
    })
}

/// Pairs hits with their stored agents; skips agents removed since the last commit.
fn found<'a>(
    results: &'a Results,
    agents: &'a [StoredAgent],
) -> impl Iterator<Item = (&'a Hit, &'a StoredAgent)> {
    results.hits.iter().filter_map(|hit| {
        let agent = agents.iter().find(|agent| agent.listing.id == hit.id)?;
        Some((hit, agent))
    })
}

/// Formats the preferred interface or the URL of an agent.
fn connect(agent: &Agent) -> Vec<String> {
    let auth = match &agent.auth[..] {
        [] => String::new(),
        schemes => {
            let schemes: Vec<_> = schemes.iter().map(|it| it.scheme.as_str()).collect();
            format!(" (auth: {})", schemes.join(", "))
        }
    };
    let first = agent.interfaces.iter().max_by_key(|it| it.preferred);
    match (first, &agent.url) {
        (Some(interface), _) => {
            let version = interface.version.as_deref().unwrap_or_default();
            vec![
                format!(
                    "{} {version} at {}{auth}",
                    interface.protocol, interface.url
                )
                .replace("  ", " "),
            ]
        }
        (None, Some(url)) => vec![format!("at {url}{auth}")],
        (None, None) => Vec::new(),
    }
}

/// Formats the statistics of the database as text.
pub(crate) fn stats(stats: &Stats) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{:<28}{:>10}", "Domains", stats.domains);
    let _ = writeln!(
        text,
        "{:<28}{:>10}",
        "Documents",
        stats.formats.values().sum::<u64>()
    );
    let _ = writeln!(text, "{:<28}{:>10}", "Agents", stats.agents);
    let _ = writeln!(text, "{:<28}{:>10}", "Capabilities", stats.capabilities);
    let _ = writeln!(text, "{:<28}{:>10}", "Changes so far", stats.last_change);
    table(&mut text, "Documents by format", &stats.formats, usize::MAX);
    table(&mut text, "Documents by level", &stats.levels, usize::MAX);
    table(
        &mut text,
        "Most frequent findings",
        &stats.findings,
        TOP_FINDINGS,
    );
    text
}

/// Appends one block of counts, most frequent first.
fn table(text: &mut String, title: &str, counts: &BTreeMap<String, u64>, rows: usize) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    for (name, count) in counts.into_iter().take(rows) {
        let name = if name.is_empty() {
            "(not read yet)"
        } else {
            name
        };
        let _ = writeln!(text, "  {name:<26}{count:>10}");
    }
}

impl Marks {
    /// Returns `Colour` on a terminal unless `NO_COLOR` is set.
    pub(crate) fn of_output() -> Self {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if io::stdout().is_terminal() && !is_plain {
            Self::Colour
        } else {
            Self::None
        }
    }

    /// Wraps the text in terminal attributes, such as `1;31` for bold red.
    pub(crate) fn with(self, attributes: &str, text: &str) -> String {
        match self {
            Self::Colour => format!("\u{1b}[{attributes}m{text}\u{1b}[0m"),
            Self::None => text.to_owned(),
        }
    }

    fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    fn fragment(self, fragment: &Fragment) -> String {
        if fragment.is_match {
            self.with("1;33", &fragment.text)
        } else {
            fragment.text.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{AgentId, Domain, Level, Listing, Timestamp};
    use store::AgentStatus;

    fn nothing() -> Results {
        Results {
            terms: vec!["violin".to_owned()],
            ignored: vec!["is:up".to_owned()],
            nearest_capabilities: vec!["tune_piano".to_owned()],
            generation: 7,
            ..Results::default()
        }
    }

    #[test]
    fn an_empty_answer_suggests_capabilities() {
        assert_eq!(
            search("violin is:up", &nothing(), &[], Marks::None),
            "No agent matches: no result for \"violin is:up\".\nNearest capabilities: tune_piano.\nIgnored: is:up\n"
        );
        let json = search_json("violin is:up", &nothing(), &[]);
        assert_eq!(json["match"], "none");
        assert_eq!(json["results"], json!([]));
    }

    fn agent(name: &str) -> StoredAgent {
        let domain = Domain::parse("mesa.example").unwrap();
        StoredAgent {
            listing: Listing {
                id: AgentId::new(&domain, name),
                format: "zervice".to_owned(),
                level: Level::A,
                agent: Agent {
                    name: name.to_owned(),
                    ..Agent::default()
                },
                sources: Vec::new(),
                provenance: BTreeMap::new(),
                conflicts: Vec::new(),
            },
            domain,
            first_seen: Timestamp(0),
            last_seen: Timestamp(0),
            changed: Timestamp(0),
            hash: String::new(),
            status: AgentStatus::Ok,
        }
    }

    #[test]
    fn each_hit_shows_its_match_level() {
        let levels = [(Fit::Strong, 93), (Fit::Good, 51), (Fit::Weak, 12)];
        let agents = ["one", "two", "three"].map(agent);
        let hits = agents.iter().zip(levels);
        let hits = hits.map(|(agent, (fit, score))| Hit {
            id: agent.listing.id.clone(),
            score,
            fit,
            near_duplicates: 0,
            because: Vec::new(),
        });
        let results = Results {
            fit: Fit::Strong,
            total: 3,
            hits: hits.collect(),
            ..nothing()
        };
        let text = search("violin", &results, &agents, Marks::None);
        for line in [
            " 1. one  mesa.example  strong (93/100)",
            " 2. two  mesa.example  good (51/100)",
            " 3. three  mesa.example  weak (12/100)",
        ] {
            assert!(
                text.lines().any(|it| it == line),
                "{line:?} not in:\n{text}"
            );
        }
        let json = search_json("violin", &results, &agents);
        let levels: Vec<_> = (0..3)
            .map(|it| json["results"][it]["match"]["level"].clone())
            .collect();
        assert_eq!(levels, ["strong", "good", "weak"]);
    }

    #[test]
    fn an_empty_answer_names_unmet_conditions_and_unusable_queries() {
        let text = search("is:failing", &nothing(), &[], Marks::None);
        let lost = search("level:Z", &nothing(), &[], Marks::None);
        assert!(
            lost.starts_with("No part of the query could be used: "),
            "{lost}"
        );
        assert!(
            text.starts_with("No agent meets these conditions: no result for"),
            "{text}"
        );
    }

    #[test]
    fn counts_are_shown_most_frequent_first() {
        let stats = stats(&Stats {
            formats: BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2), (String::new(), 3)]),
            ..Stats::default()
        });
        let formats: Vec<_> = stats
            .lines()
            .filter(|line| line.starts_with("  "))
            .map(|line| line.split_whitespace().next_back().unwrap())
            .collect();
        assert_eq!(formats, ["3", "2", "1"]);
        assert!(stats.contains("(not read yet)"));
    }
}
