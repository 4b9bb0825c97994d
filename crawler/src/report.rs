//! `--report`: one JSON line per visit, complete without an indexer.

use crate::visit::Visited;
use manifest::merge::{self, Merged};
use manifest::{Document, Listing, Reading, Timestamp};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use store::Visit;

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

/// Visit with the state of its site afterwards.
#[derive(Debug)]
pub(crate) struct Known<'a> {
    visit: &'a Visit,
    fresh: Vec<(&'a Document, &'a Reading)>,
    /// Documents of earlier visits that the site reports as unchanged.
    stored: &'a [(Document, Reading)],
    /// Merged result of all documents.
    pub(crate) merged: Merged,
}

impl<'a> Known<'a> {
    /// Reads and merges the documents of a visit and the stored documents that it found unchanged.
    pub(crate) fn of(visited: &'a Visited, stored: &'a [(Document, Reading)]) -> Self {
        let visit = &visited.visit;
        let fresh: Vec<_> = visit.documents.iter().zip(&visited.readings).collect();
        let known = stored.iter().map(|(document, reading)| (document, reading));
        let readings: Vec<_> = fresh
            .iter()
            .copied()
            .chain(known)
            .map(|(document, reading)| (document, reading.clone()))
            .collect();
        Self {
            visit,
            fresh,
            stored,
            merged: merge::merge(&visit.lease.domain, &readings),
        }
    }

    /// Logs internal errors while documents were read and merged.
    pub(crate) fn tell_faults(&self) {
        let known = self
            .stored
            .iter()
            .map(|(document, reading)| (document, reading));
        let readings = self.fresh.iter().copied().chain(known);
        for ((document, reading), beside) in readings.zip(&self.merged.findings) {
            let mut findings = reading.findings.iter().chain(beside);
            if let Some(ours) = findings.find(|finding| finding.is_ours()) {
                let (url, hash) = (&document.requested, document.hash());
                tracing::error!(%url, hash, "{}", ours.message);
            }
        }
    }

    /// Returns the number of findings on single documents and on all documents together.
    pub(crate) fn findings(&self) -> usize {
        let known = self.stored.iter().map(|(_, reading)| reading);
        let fresh = self.fresh.iter().map(|(_, reading)| *reading);
        let alone: usize = fresh
            .chain(known)
            .map(|reading| reading.findings.len())
            .sum();
        let together: usize = self.merged.findings.iter().map(Vec::len).sum();
        alone + together
    }

    /// Returns the line of the visit, without a line break.
    pub(crate) fn line(&self) -> String {
        let visit = self.visit;
        let fresh = self.fresh.iter();
        let unchanged = visit.unchanged.iter().map(|requested| {
            let mut stored = self.stored.iter();
            let known = stored.find(|(document, _)| document.requested.as_str() == requested);
            (requested.as_str(), known)
        });
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
            agents: self.merged.listings.iter().map(AgentLine::of).collect(),
            findings: self.findings(),
            next_visit: rfc3339(visit.next.due),
        };
        serde_json::to_string(&line).expect("a line has text keys and no failing values")
    }
}

/// Formats a time as RFC 3339 in UTC.
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
    format: &'a str,
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
            format: &listing.format,
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
