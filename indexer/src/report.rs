//! Output of `indexer`: search results and statistics, as text and as JSON.

use manifest::Agent;
use search::{Answer, Fit, Fragment, MatchedField};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use store::{CensusDay, Stats};

/// Number of findings listed by [`stats`].
const TOP_FINDINGS: usize = 10;

/// Number of days listed by [`stats`], today included.
pub(crate) const DAYS: u32 = 14;

/// Highlighting of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    /// Colour, for terminals.
    Colour,
    /// No highlighting, for files and pipes.
    None,
}

/// Formats search results as text.
pub(crate) fn search(query: &str, answer: &Answer, marks: Marks) -> String {
    let (mut text, results) = (String::new(), &answer.results);
    if answer.found.is_empty() {
        let why = if results.query.is_lost() {
            "No part of the query could be used"
        } else if !results.query.is_need() {
            "No agent meets these conditions"
        } else if results.query.is_address() {
            "No agent has this address"
        } else if results.is_too_general {
            "Words that almost every agent has find nothing by themselves"
        } else {
            "No agent matches"
        };
        let query = terminal::line(query);
        let _ = writeln!(text, "{why}: no result for \"{query}\".");
    } else if results.query.is_need() && results.fit == Fit::None {
        text.push_str("No agent here seems to do this. These are the nearest.\n");
    }
    if !answer.nearest_capabilities.is_empty() {
        let names = answer.nearest_capabilities.join(", ");
        let _ = writeln!(text, "Nearest capabilities: {names}.");
    }
    if results.fit == Fit::Weak {
        text.push_str("No match is better than weak.\n");
    }
    for (rank, found) in (1..).zip(&answer.found) {
        let (hit, agent) = (&found.hit, &found.agent.listing.agent);
        let _ = write!(
            text,
            "{rank:>2}. {}  {}",
            marks.strong(&agent.name),
            found.agent.domain
        );
        // A query of filters only has no match levels.
        if results.query.is_need() {
            let _ = write!(text, "  {} ({}/100)", hit.fit.as_str(), hit.score);
        }
        text.push('\n');
        for reason in &found.because {
            let snippet: String = reason.snippet.iter().map(|it| marks.fragment(it)).collect();
            let place = match &reason.capability {
                Some(_) if reason.field == MatchedField::CapabilityName => "capability".to_owned(),
                Some(capability) => {
                    let field = reason.field.as_str();
                    format!(
                        "{} of {capability}",
                        field.trim_start_matches("capability.")
                    )
                }
                None => reason.field.as_str().to_owned(),
            };
            let _ = writeln!(text, "    {place}: {snippet}");
        }
        if let Some(line) = connect(agent) {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(text, "    {}", hit.id);
        if hit.near_duplicates > 0 {
            let _ = writeln!(text, "    and {} more like this", hit.near_duplicates);
        }
    }
    let hidden: u64 = results.more_from_site.values().sum();
    if !answer.found.is_empty() {
        let shown = answer.found.len();
        let _ = write!(
            text,
            "\n{shown} of {} agents",
            results.total + results.weaker
        );
        if results.weaker > 0 {
            let _ = write!(text, ", of which {} match", results.total);
        }
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
    if !results.query.ignored.is_empty() {
        let ignored = results.query.ignored.join(" ");
        let _ = writeln!(text, "Ignored: {}", terminal::line(&ignored));
    }
    text
}

/// Formats search results as JSON.
pub(crate) fn search_json(query: &str, answer: &Answer) -> Value {
    let results = &answer.results;
    let hits: Vec<_> = answer
        .found
        .iter()
        .map(|found| {
            let (hit, stored) = (&found.hit, &found.agent);
            let agent = &stored.listing.agent;
            let because: Vec<_> = found
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
        "query": {"q": query, "terms": results.terms, "ignored": results.query.ignored, "did_you_mean": results.corrected},
        "match": results.fit,
        "generation": results.generation,
        "total": results.total,
        "weaker": results.weaker,
        "results": hits,
        "more_from_site": results.more_from_site,
        "nearest_capabilities": answer.nearest_capabilities,
    })
}

/// Formats the preferred interface or the URL of an agent.
fn connect(agent: &Agent) -> Option<String> {
    let schemes: Vec<_> = agent.auth.iter().map(|it| it.scheme.as_str()).collect();
    let auth = match &schemes[..] {
        [] => String::new(),
        schemes => format!(" (auth: {})", schemes.join(", ")),
    };
    let Some(interface) = agent.interfaces.iter().max_by_key(|it| it.preferred) else {
        return agent.url.as_ref().map(|url| format!("at {url}{auth}"));
    };
    let version = interface.version.as_deref().unwrap_or_default();
    let line = format!(
        "{} {version} at {}{auth}",
        interface.protocol, interface.url
    );
    Some(line.replace("  ", " "))
}

/// Formats the statistics of the database as text, with the counts of the last [`DAYS`].
pub(crate) fn stats(stats: &Stats, days: &[CensusDay]) -> String {
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
    if !days.is_empty() {
        text.push_str("\nCounted each day    domains    agents  capabilities\n");
    }
    for day in days.iter().rev() {
        let (date, counts) = (day.day.start().date(), &day.counts);
        let _ = writeln!(
            text,
            "  {date:<15}{:>10}{:>10}{:>14}",
            counts.domains, counts.agents, counts.capabilities
        );
    }
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
    use search::{AgentHit, Hit, Results, query};
    use store::{AgentStatus, StoredAgent};

    fn nothing(text: &str) -> Answer {
        let mut results = Results::none(query::parse(text));
        results.query.ignored = vec!["is:up".to_owned()];
        results.terms = vec!["violin".to_owned()];
        Answer {
            results,
            nearest_capabilities: vec!["tune_piano".to_owned()],
            ..Answer::default()
        }
    }

    #[test]
    fn an_empty_answer_suggests_capabilities() {
        assert_eq!(
            search("violin is:up", &nothing("violin"), Marks::None),
            "No agent matches: no result for \"violin is:up\".\nNearest capabilities: tune_piano.\nIgnored: is:up\n"
        );
        let json = search_json("violin is:up", &nothing("violin"));
        assert_eq!(json["match"], "none");
        assert_eq!(json["results"], json!([]));
    }

    fn agent(name: &str) -> StoredAgent {
        let domain = Domain::parse("mesa.example").unwrap();
        StoredAgent {
            listing: Listing {
                id: AgentId::new(&domain, name),
                format: manifest::formats::find("zervice").unwrap(),
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
        let agents = ["one", "two", "three"].map(agent).into_iter();
        let found = agents.zip(levels).map(|(agent, (fit, score))| AgentHit {
            cautions: Vec::new(),
            hit: Hit {
                id: agent.listing.id.clone(),
                score,
                fit,
                category: None,
                near_duplicates: 0,
                value: 0.0,
                waiting: 0,
            },
            agent,
            because: Vec::new(),
            capability: None,
            language: None,
        });
        let answer = Answer {
            found: found.collect(),
            ..nothing("violin")
        };
        let text = search("violin", &answer, Marks::None);
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
        let json = search_json("violin", &answer);
        let levels: Vec<_> = (0..3)
            .map(|it| json["results"][it]["match"]["level"].clone())
            .collect();
        assert_eq!(levels, ["strong", "good", "weak"]);
    }

    #[test]
    fn an_empty_answer_names_unmet_conditions_and_unusable_queries() {
        let text = search("is:failing", &nothing("is:failing"), Marks::None);
        let lost = search("level:Z", &nothing("level:Z"), Marks::None);
        assert!(
            lost.starts_with("No part of the query could be used: "),
            "{lost}"
        );
        assert!(
            text.starts_with("No agent meets these conditions: no result for"),
            "{text}"
        );
        let address = "nowhere.example";
        let text = search(address, &nothing(address), Marks::None);
        assert!(text.starts_with("No agent has this address: "), "{text}");
    }

    #[test]
    fn counts_are_shown_most_frequent_first() {
        let counted = Stats {
            formats: BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2), (String::new(), 3)]),
            ..Stats::default()
        };
        let stats = stats(&counted, &[]);
        let formats: Vec<_> = stats
            .lines()
            .filter(|line| line.starts_with("  "))
            .map(|line| line.split_whitespace().next_back().unwrap())
            .collect();
        assert_eq!(formats, ["3", "2", "1"]);
        assert!(stats.contains("(not read yet)"));
    }
}
