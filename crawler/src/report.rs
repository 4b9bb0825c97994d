//! `--report`: one JSON line per visit, complete without an indexer.

use crate::visit::FinishedVisit;
use manifest::merge::{self, MergedSite};
use manifest::{Document, FormatId, Listing, Reading};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use store::{Store, Visit};

/// Error while writing the report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file cannot be created.
    #[error("cannot write the report to {path}")]
    Open {
        /// The file.
        path: String,
        /// Reason.
        #[source]
        source: std::io::Error,
    },
    /// Writing failed, for instance because the disk is full.
    #[error("cannot write the report; the visits are recorded in the database")]
    Write(#[source] std::io::Error),
}

/// Destination of the lines.
pub(crate) struct Report {
    output: Option<Box<dyn Write + Send + Sync>>,
    is_reader_gone: bool,
}

impl Report {
    /// Opens the report at `path` for appending; `-` is standard output, `None` is no report.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, ReportError> {
        let output: Option<Box<dyn Write + Send + Sync>> = match path {
            None => None,
            Some(path) if path == Path::new("-") => Some(Box::new(std::io::stdout())),
            Some(path) => {
                let file = append(path).map_err(|source| ReportError::Open {
                    path: path.display().to_string(),
                    source,
                })?;
                Some(Box::new(BufWriter::new(file)))
            }
        };
        Ok(Self {
            output,
            is_reader_gone: false,
        })
    }

    /// Reports whether the reader has closed the report, so that nothing more is written.
    pub(crate) fn is_reader_gone(&self) -> bool {
        self.is_reader_gone
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.output.is_some()
    }

    pub(crate) fn write(&mut self, line: &str) -> Result<(), ReportError> {
        let line = terminal::json(line);
        self.put(|output| writeln!(output, "{line}"))
    }

    pub(crate) fn flush(&mut self) -> Result<(), ReportError> {
        self.put(|output| output.flush())
    }

    fn put(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), ReportError> {
        let Some(output) = &mut self.output else {
            return Ok(());
        };
        match write(&mut **output) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.output = None;
                self.is_reader_gone = true;
                Ok(())
            }
            result => result.map_err(ReportError::Write),
        }
    }
}

/// Opens a file for appending. Earlier lines are kept, and an incomplete line of a killed run is
/// terminated.
fn append(path: &Path) -> std::io::Result<File> {
    let mut file = File::options().append(true).create(true).open(path)?;
    if file.metadata()?.is_file() && !ends_a_line(path)? {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

fn ends_a_line(path: &Path) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Merges the documents of a visit with `stored`, those that the site reports as unchanged.
pub(crate) fn merged(visited: &FinishedVisit, stored: &[(Document, Reading)]) -> MergedSite {
    let visit = &visited.visit;
    let fresh = visit.documents.iter().zip(&visited.readings);
    let stored = stored.iter().map(|(document, reading)| (document, reading));
    let readings: Vec<_> = fresh
        .chain(stored)
        .map(|(document, reading)| (document, reading.clone()))
        .collect();
    merge::merge(&visit.lease.domain, &readings)
}

/// Loads and reads the documents that the site reports as unchanged, which are reported like
/// fetched ones, whether or not an indexer has seen them.
async fn unchanged(visit: &Visit, store: &dyn Store) -> Vec<(Document, Reading)> {
    if visit.unchanged.is_empty() {
        return Vec::new();
    }
    let domain = &visit.lease.domain;
    let documents = store.documents(domain).await.unwrap_or_else(|error| {
        tracing::warn!(%error, %domain, "cannot load the unchanged documents for the report");
        Vec::new()
    });
    let documents = documents.into_iter().map(|stored| stored.document);
    documents
        .filter(|document| {
            let mut unchanged = visit.unchanged.iter();
            unchanged.any(|requested| requested == document.requested.as_str())
        })
        .map(|document| {
            let reading = manifest::read(&document);
            (document, reading)
        })
        .collect()
}

/// Returns the line of a visit, without a line break.
pub(crate) async fn line(visited: &FinishedVisit, store: &dyn Store) -> String {
    let visit = &visited.visit;
    let stored = unchanged(visit, store).await;
    let merged = merged(visited, &stored);
    let fresh = visit.documents.iter().zip(&visited.readings);
    let unchanged = visit.unchanged.iter().map(|requested| {
        let mut stored = stored.iter();
        match stored.find(|(document, _)| document.requested.as_str() == requested) {
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
        }
    });
    let readings = visited.readings.iter();
    let readings = readings.chain(stored.iter().map(|(_, reading)| reading));
    let alone: usize = readings.map(|reading| reading.findings.len()).sum();
    let together: usize = merged.findings.iter().map(Vec::len).sum();
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
            .chain(unchanged)
            .collect(),
        agents: merged.listings.iter().map(AgentLine::of).collect(),
        findings: alone + together,
        next_visit: visit.next.due.to_rfc3339(),
    };
    serde_json::to_string(&line).expect("a line has text keys and no failing values")
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
    /// This and the following members are omitted for an unchanged document that is no longer
    /// stored.
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
    format: FormatId,
    url: Option<&'a str>,
    capabilities: usize,
    /// Facts on which its documents disagree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<&'a str>,
}

impl<'a> AgentLine<'a> {
    fn of(listing: &'a Listing) -> Self {
        let conflicts = listing.conflicts.iter();
        Self {
            id: listing.id.as_str(),
            name: &listing.agent.name,
            format: listing.format,
            url: listing.agent.url.as_deref(),
            capabilities: listing.agent.capabilities.len(),
            conflicts: conflicts.map(|it| it.field.as_str()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_appended_to_an_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.jsonl");
        for (line, text) in [("1", "1\n"), ("2", "1\n2\n")] {
            let mut report = Report::open(Some(&path)).unwrap();
            report.write(line).unwrap();
            report.flush().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, "{\"domain\"").unwrap();
        let mut report = Report::open(Some(&path)).unwrap();
        report.write("3").unwrap();
        report.flush().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"domain\"\n3\n");
    }
}
