//! `crawler check`: one visit in the foreground, explained as it goes.

use crate::config::{Check, ConfigError, Network};
use crate::fetch::http::HttpError;
use crate::report::{agents, rfc3339};
use crate::run::now;
use crate::seeds::SeedReader;
use crate::visit::{Observer, Settings, Visited, visit};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;
use store::{Lease, Receipt};

/// Why a check did not happen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The command is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The network cannot be set up.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// Nobody reads what is written.
    #[error("cannot write")]
    Write(#[from] std::io::Error),
}

/// Visits the domain and writes what happens to `output`.
pub async fn check(check: Check, output: impl Write + Send) -> Result<(), CheckError> {
    let network = Network::try_from(check.network)?;
    let lease = lease(&check.domain, !network.allowed.is_empty())?;
    let http = network.open()?;
    let settings = Settings {
        token: network.token,
        delay: network.delay,
    };
    let mut random = StdRng::from_os_rng();
    let telling = Telling(Mutex::new(output));
    telling.line(&format!(
        "{}, as {}",
        lease.domain, network.identity.user_agent
    ));
    let visited = visit(&http, &telling, &settings, lease, now(), &mut random).await;
    let mut output = telling
        .0
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    explain(&mut output, &visited)?;
    Ok(())
}

/// Understands whatever a line of a seed list may be.
fn lease(text: &str, admits_special_use: bool) -> Result<Lease, ConfigError> {
    let refuse = |reason: String| ConfigError::Domain {
        text: text.to_owned(),
        reason,
    };
    let mut reader = SeedReader::new(text.as_bytes(), admits_special_use)
        .map_err(|error| refuse(error.to_string()))?;
    let seeds = reader.next_batch(1);
    if let Some(example) = reader.counts().examples.first() {
        return Err(refuse(example.reason.to_string()));
    }
    let seed = seeds
        .map_err(|error| refuse(error.to_string()))?
        .pop()
        .ok_or_else(|| refuse("nothing to visit".to_owned()))?;
    Ok(Lease {
        domain: seed.domain,
        port: seed.port,
        token: 0,
        fails: 0,
        interval_ms: None,
        rotation: 0,
        last_outcome: None,
        known: Vec::new(),
        robots: None,
    })
}

/// Writes each request down as it happens.
struct Telling<W>(Mutex<W>);

impl<W: Write + Send> Telling<W> {
    fn line(&self, text: &str) {
        let mut output = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // The last write of the check reports a reader that went away.
        let _ = writeln!(output, "{text}");
    }
}

impl<W: Write + Send> Observer for Telling<W> {
    async fn crawl_delay(&self, delay: Duration) {
        self.line(&format!(
            "       robots.txt asks for {delay:?} between requests"
        ));
    }

    fn receipt(&self, receipt: &Receipt) {
        let status = receipt
            .status
            .map_or("---".to_owned(), |status| status.to_string());
        let why = if receipt.why.is_empty() {
            String::new()
        } else {
            format!(" ({})", receipt.why)
        };
        self.line(&format!(
            "  {status}  {}\n       {}{why}; {} bytes, {} ms",
            receipt.url, receipt.verdict, receipt.bytes, receipt.ms
        ));
    }
}

fn explain(output: &mut impl Write, visited: &Visited) -> std::io::Result<()> {
    let visit = &visited.visit;
    writeln!(
        output,
        "\noutcome: {}{}\n{} requests, {} bytes, {:.1} s; a crawl would come back on {}",
        visit.outcome.as_str(),
        visit
            .detail
            .as_deref()
            .map(|detail| format!(" ({detail})"))
            .unwrap_or_default(),
        visit.requests,
        visit.bytes,
        visit.ended.since(visit.started).as_secs_f64(),
        rfc3339(visit.next.due)
    )?;
    for (document, reading) in visit.documents.iter().zip(&visited.readings) {
        let generation = reading.generation.as_deref().unwrap_or("");
        writeln!(
            output,
            "\n{}\n  {} {generation}, level {}",
            document.url,
            reading.format,
            reading.level().as_str()
        )?;
        for finding in &reading.findings {
            let place = match finding.line {
                Some(line) => format!("line {line}"),
                None => finding.pointer.clone(),
            };
            writeln!(
                output,
                "  {} {} {place}: {}",
                finding.severity.as_str(),
                finding.rule,
                finding.message
            )?;
        }
    }
    for listing in agents(visited) {
        let agent = &listing.agent;
        writeln!(
            output,
            "\nagent {}: {} [{}]",
            listing.id, agent.name, listing.format
        )?;
        if let Some(url) = &agent.url {
            writeln!(output, "  at {url}")?;
        }
        for capability in &agent.capabilities {
            writeln!(output, "  can {}", capability.name)?;
        }
    }
    output.flush()
}
