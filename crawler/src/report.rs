//! `--report`: one JSON line per visit, complete without an indexer (DESIGN section 4).

use crate::visit::Visited;
use manifest::merge::{self, Merged};
use manifest::{Document, Reading, Timestamp};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The report cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file cannot be made.
    #[error("cannot write the report to {path}")]
    Open {
        /// The file.
        path: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Writing failed, for instance because the disk is full.
    #[error("cannot write the report; the visits are recorded in the database")]
    Write(#[source] std::io::Error),
}

/// Where the lines go.
pub(crate) struct Report {
    output: Option<Box<dyn Write + Send + Sync>>,
}

impl Report {
    /// Begins a new report at `path`; `-` is standard output, `None` is no report.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, ReportError> {
        let output: Option<Box<dyn Write + Send + Sync>> = match path {
            None => None,
            Some(path) if path == Path::new("-") => Some(Box::new(std::io::stdout())),
            Some(path) => {
                let file = File::create(path).map_err(|source| ReportError::Open {
                    path: path.display().to_string(),
                    source,
                })?;
                Some(Box::new(BufWriter::new(file)))
            }
        };
        Ok(Self { output })
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.output.is_some()
    }

    pub(crate) fn write(&mut self, line: &str) -> Result<(), ReportError> {
        match &mut self.output {
            Some(output) => writeln!(output, "{line}").map_err(ReportError::Write),
            None => Ok(()),
        }
    }

    pub(crate) fn flush(&mut self) -> Result<(), ReportError> {
        match &mut self.output {
            Some(output) => output.flush().map_err(ReportError::Write),
            None => Ok(()),
        }
    }
}

/// What the documents of a visit say together.
pub(crate) fn merged(visited: &Visited) -> Merged {
    let documents = visited.visit.documents.iter();
    let readings: Vec<_> = documents.zip(visited.readings.iter().cloned()).collect();
    merge::merge(&visited.visit.lease.domain, &readings)
}

/// The line of a visit, without its line break; `stored` are documents of earlier visits, for those that the
/// site says have not changed, and `merged` is what those of this visit say.
pub(crate) fn line(visited: &Visited, merged: &Merged, stored: &[(Document, Reading)]) -> String {
    let visit = &visited.visit;
    let fresh = visit.documents.iter().zip(&visited.readings);
    let unchanged = visit.unchanged.iter().map(|requested| {
        let mut stored = stored.iter();
        let known = stored.find(|(document, _)| document.requested.as_str() == requested);
        (requested.as_str(), known)
    });
    let known = stored.iter().map(|(document, reading)| (document, reading));
    let readings: Vec<_> = fresh.clone().chain(known).collect();
    let together = (!stored.is_empty()).then(|| {
        let readings = readings.iter();
        let readings: Vec<_> = readings
            .map(|&(document, reading)| (document, reading.clone()))
            .collect();
        merge::merge(&visit.lease.domain, &readings)
    });
    let merged = together.as_ref().unwrap_or(merged);
    let line = Line {
        domain: visit.lease.domain.as_str(),
        outcome: visit.outcome.as_str(),
        detail: visit.detail.as_deref(),
        requests: visit.requests,
        bytes: visit.bytes,
        duration_ms: visit.ended.since(visit.started).as_millis(),
        robots: visit.robots.as_ref().map(|robots| robots.verdict.as_str()),
        documents: fresh
            .map(|(document, reading)| DocumentLine::of(document, reading))
            .chain(unchanged.map(|(requested, known)| match known {
                Some((document, reading)) => DocumentLine {
                    status: 304,
                    ..DocumentLine::of(document, reading)
                },
                None => DocumentLine {
                    url: requested,
                    status: 304,
                    format: None,
                    level: None,
                    bytes: None,
                },
            }))
            .collect(),
        agents: merged
            .listings
            .iter()
            .map(|listing| AgentLine {
                id: listing.id.as_str(),
                name: &listing.agent.name,
                format: &listing.format,
                url: listing.agent.url.as_deref(),
                capabilities: listing.agent.capabilities.len(),
                conflicts: listing
                    .conflicts
                    .iter()
                    .map(|it| it.field.as_str())
                    .collect(),
            })
            .collect(),
        findings: count(readings.into_iter().map(|(_, reading)| reading), merged),
        next_visit: rfc3339(visit.next.due),
    };
    serde_json::to_string(&line).expect("a line has text keys and no failing values")
}

/// How many findings there are, on the documents one by one and side by side.
pub(crate) fn findings(visited: &Visited, merged: &Merged) -> usize {
    count(visited.readings.iter(), merged)
}

fn count<'a>(readings: impl Iterator<Item = &'a Reading>, merged: &Merged) -> usize {
    let alone: usize = readings.map(|reading| reading.findings.len()).sum();
    let together: usize = merged.findings.iter().map(Vec::len).sum();
    alone + together
}

/// The time as RFC 3339 in UTC.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(time.0)
        .map_or_else(|_| String::new(), |time| time.to_string())
}

#[derive(Serialize)]
struct Line<'a> {
    domain: &'a str,
    outcome: &'a str,
    detail: Option<&'a str>,
    requests: u32,
    bytes: u64,
    duration_ms: u128,
    robots: Option<&'a str>,
    documents: Vec<DocumentLine<'a>>,
    agents: Vec<AgentLine<'a>>,
    findings: usize,
    next_visit: String,
}

#[derive(Serialize)]
struct DocumentLine<'a> {
    url: &'a str,
    status: u16,
    /// This and the rest are left out of a document that the site says has not changed, when it is not stored
    /// any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
}

impl<'a> DocumentLine<'a> {
    fn of(document: &'a Document, reading: &'a Reading) -> Self {
        Self {
            url: document.url.as_str(),
            status: document.status,
            format: Some(reading.format.as_str()),
            level: Some(reading.level().as_str()),
            bytes: Some(document.body.len()),
        }
    }
}

#[derive(Serialize)]
struct AgentLine<'a> {
    id: &'a str,
    name: &'a str,
    format: &'a str,
    url: Option<&'a str>,
    capabilities: usize,
    /// Facts on which its documents disagree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<&'a str>,
}
