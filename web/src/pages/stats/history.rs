//! The counts of earlier days, as lines, a table and CSV.

use super::value_words;
use crate::error::AppError;
use crate::state::AppState;
use crate::view::chart::Line;
use crate::view::grouped;
use search::{Facet, FacetCount};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use store::{Census, CensusDay, Day, Outcome, Stats};

/// Name in the address of the table.
pub(super) const NAME: &str = "history";
/// Days that are shown, today included.
const DAYS: u32 = 365;
/// Rows of the table on the page.
const ROWS: usize = 31;
/// Lines of the most frequent values of a facet.
const VALUES: usize = 3;

/// Counts by value of a facet.
type Counts = fn(&Census) -> &BTreeMap<String, u64>;

/// Groups of counts by their names in the CSV.
const GROUPS: [(&str, Counts); 7] = [
    ("sites_by_outcome", |it| &it.outcomes),
    ("agents_by_format", |it| &it.formats),
    ("agents_by_protocol", |it| &it.protocols),
    ("agents_by_level", |it| &it.levels),
    ("agents_by_auth", |it| &it.auth),
    ("agents_by_tld", |it| &it.tlds),
    ("findings_by_rule", |it| &it.findings),
];

/// Counts of the last days.
#[derive(Debug)]
pub(super) struct History {
    pub(super) lines: Vec<Line>,
    /// Newest days: day, agents, capabilities, sites visited.
    pub(super) rows: Vec<[String; 4]>,
    /// First and last day, which is today.
    pub(super) span: (String, String),
    /// Address of the JSON.
    pub(super) json: String,
}

impl History {
    /// Reads the counts of the last days; those of today are the present ones.
    pub(super) async fn read(
        state: &AppState,
        counted: &Stats,
        facets: &BTreeMap<Facet, Vec<FacetCount>>,
    ) -> Result<Self, AppError> {
        let mut days = days(state).await?;
        let at = (state.now)();
        let day = Day::of(at);
        days.retain(|it| it.day != day);
        let counts = present(counted, facets);
        days.push(CensusDay { day, at, counts });
        Ok(Self::of(&days))
    }

    fn of(days: &[CensusDay]) -> Self {
        let date = |it: &CensusDay| it.day.start().date();
        let row = |it: &CensusDay| {
            let counts = &it.counts;
            let visited = Outcome::contacted(&counts.outcomes);
            let numbers = [counts.agents, counts.capabilities, visited].map(grouped);
            let [agents, capabilities, visited] = numbers;
            [date(it), agents, capabilities, visited]
        };
        Self {
            lines: lines(days),
            rows: days.iter().rev().take(ROWS).map(row).collect(),
            span: (
                days.first().map_or_else(String::new, date),
                days.last().map_or_else(String::new, date),
            ),
            json: format!("/api/v1/stats?days={DAYS}"),
        }
    }
}

/// Returns the present counts.
fn present(stats: &Stats, facets: &BTreeMap<Facet, Vec<FacetCount>>) -> Census {
    let counts = |facet: Facet| {
        let counts = facets.get(&facet).into_iter().flatten();
        counts.map(|it| (it.value.clone(), it.count)).collect()
    };
    Census {
        domains: stats.domains,
        outcomes: stats.outcomes.clone(),
        agents: stats.agents,
        capabilities: stats.capabilities,
        formats: counts(Facet::Format),
        protocols: counts(Facet::Protocol),
        ..Census::default()
    }
}

/// Returns the counts of the last days, oldest first.
pub(super) async fn days(state: &AppState) -> Result<Vec<CensusDay>, AppError> {
    let first = Day::of((state.now)()).before(DAYS - 1);
    Ok(state.store.census_since(first).await?)
}

/// Draws the totals, and the most frequent formats and protocols of the last day.
fn lines(days: &[CensusDay]) -> Vec<Line> {
    let line = |title: String, number: &dyn Fn(&Census) -> u64| {
        let numbers: Vec<_> = days.iter().map(|it| (it.day, number(&it.counts))).collect();
        Line::of(title, &numbers)
    };
    let totals = [
        line("Agents".to_owned(), &|it| it.agents),
        line("Capabilities".to_owned(), &|it| it.capabilities),
        line("Sites visited".to_owned(), &|it| {
            Outcome::contacted(&it.outcomes)
        }),
    ];
    let facets: [(Facet, Counts); 2] = [
        (Facet::Format, |it| &it.formats),
        (Facet::Protocol, |it| &it.protocols),
    ];
    let mut all: Vec<Line> = totals.into_iter().flatten().collect();
    for (facet, counts) in facets {
        let last = days.last().map(|it| counts(&it.counts));
        let mut values: Vec<(&String, &u64)> = last.into_iter().flatten().collect();
        values.sort_by_key(|it| std::cmp::Reverse(it.1));
        all.extend(values.into_iter().take(VALUES).filter_map(|(value, _)| {
            let title = format!("Agents, {}", value_words(facet, value));
            line(title, &|it| counts(it).get(value).copied().unwrap_or(0))
        }));
    }
    all
}

/// Returns all counts of the days as CSV, one number a row.
pub(super) fn csv(days: &[CensusDay]) -> String {
    let mut text = "day,count,value,number\r\n".to_owned();
    for it in days {
        let day = it.day.start().date();
        let counts = &it.counts;
        for (name, number) in [
            ("agents", counts.agents),
            ("capabilities", counts.capabilities),
            ("sites_known", counts.domains),
            ("sites_visited", Outcome::contacted(&counts.outcomes)),
        ] {
            let _ = write!(text, "{day},{name},,{number}\r\n");
        }
        for (name, group) in GROUPS {
            for (value, number) in group(counts) {
                let value = value.replace('"', "\"\"");
                let _ = write!(text, "{day},{name},\"{value}\",{number}\r\n");
            }
        }
    }
    text
}
