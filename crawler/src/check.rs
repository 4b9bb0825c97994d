//! `crawler check`: one visit in the foreground, with an explanation of every request.

use crate::clock::Clock;
use crate::config::{Check, ConfigError, Network};
use crate::membership::Membership;
use crate::observer::{self, Observer, PauseRequest};
use crate::probes;
use crate::rate_limit::Entry;
use crate::report::merged;
use crate::seeds::SeedReader;
use crate::visit::{
    Admission, FinishedVisit, RobotsCache, Sender, Settings, SharedGate, look_up, visit,
};
use manifest::reference::{Follow, Refusal};
use manifest::{Document, Domain, Finding, Level, Reading, Reference};
use rand::rngs::StdRng;
use std::io::Write;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;
use store::{Lease, Outcome, Receipt, RobotsState, Visit};
use tokio::time::Instant;

mod agent;
mod database;
mod edge;
mod error;
mod palette;

use database::{Database, patient};
pub use error::CheckError;
pub use palette::Palette;
use tokio_util::sync::CancellationToken;

/// Visits the domain and writes a report to `output`; returns false if the site gave no usable
/// answer.
pub async fn check(
    check: Check,
    output: impl Write + Send,
    palette: Palette,
    clock: Clock,
    random: StdRng,
) -> Result<bool, CheckError> {
    let network = Network::try_from(check.network)?;
    let lease = lease(&check.domain, !network.allowed.is_empty())?;
    let database = Database::open(&check.database, clock).await?;
    let store = database.store.clone();
    let checked = visit_once(database, (network, lease), (output, palette), random).await;
    if let Some(store) = store {
        // A server would keep the role of this process for some seconds.
        store.close().await;
    }
    checked
}

/// Visits the domain of a lease, and writes the report.
async fn visit_once(
    database: Database,
    (network, lease): (Network, Lease),
    (output, palette): (impl Write + Send, Palette),
    mut random: StdRng,
) -> Result<bool, CheckError> {
    let clock = database.clock;
    let exclusions = database.exclusions(&lease.domain).await?;
    let http = network.open(clock, &mut random)?;
    let settings = Settings {
        token: network.token,
        sender: Sender::from(&network.identity),
        delay: network.delay,
        extra: network.extra,
        http_fallback: network.http_fallback,
        gate: SharedGate::new(network.pace.clone()),
        membership: Membership::none(),
        robots_cache: RobotsCache::default(),
        stopping: CancellationToken::new(),
        late: CancellationToken::new(),
        exclusions,
    };
    let reporter = Reporter {
        output: Mutex::new(output),
        palette,
        database,
    };
    reporter.line(&format!(
        "{}, requested with User-Agent {}; its robots.txt token is {}",
        lease.domain, network.identity.user_agent, settings.token
    ));
    let (database, gate) = (&reporter.database, &settings.gate);
    let delay = settings.delay;
    reporter
        .pause(database.wait(&lease.domain, delay, gate).await?)
        .await;
    let entrance = match look_up(&http, &lease).await {
        Ok(address) => {
            reporter.enter(gate, address, &lease.domain).await?;
            Admission::Open(address, None)
        }
        Err(error) => Admission::Closed(error),
    };
    let address = match &entrance {
        Admission::Open(address, _) => Some(*address),
        Admission::Guest(_) | Admission::Closed(_) => None,
    };
    let visited = visit(
        &http,
        &reporter,
        &settings,
        lease,
        entrance,
        clock.now(),
        &mut random,
    )
    .await;
    if let Some(address) = address {
        let gap = delay.max(network.pace.gap);
        database.rest(address, &visited.visit, gap).await;
    }
    let mut output = reporter
        .output
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    explain(&mut output, &visited, palette)?;
    Ok(is_answer(&visited.visit))
}

/// Reports whether the visit proves anything about the site; false if the site could not be
/// contacted.
fn is_answer(visit: &Visit) -> bool {
    use Outcome::{Empty, Found, OptedOut, RobotsDisallow, Soft404};
    let answers = [Found, Empty, OptedOut, RobotsDisallow, Soft404];
    !visit.documents.is_empty() || answers.contains(&visit.outcome)
}

/// Parses the argument like a line of a seed list.
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
    let named = reader.take_named();
    let seed = seeds
        .map_err(|error| refuse(error.to_string()))?
        .pop()
        .ok_or_else(|| refuse("nothing to visit".to_owned()))?;
    Ok(Lease {
        port: seed.port,
        named: named.into_iter().map(|(_, document)| document).collect(),
        ..Lease::first(0, seed.domain, 0)
    })
}

/// Observer that writes each request as it happens.
struct Reporter<W> {
    output: Mutex<W>,
    palette: Palette,
    database: Database,
}

impl<W: Write + Send> Reporter<W> {
    fn line(&self, text: &str) {
        let mut output = self
            .output
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // A closed output is reported by the last write of the check.
        let _ = writeln!(output, "{text}");
    }

    /// Waits, and reports the wait.
    async fn pause(&self, wait: Duration) {
        if !wait.is_zero() {
            let seconds = wait.as_secs_f64();
            self.line(&format!(
                "waiting {seconds:.1} s, because the site received a request a moment ago"
            ));
            tokio::time::sleep(wait).await;
        }
    }

    /// Acquires a permit of the address, after waiting for it.
    async fn enter(
        &self,
        gate: &SharedGate,
        address: IpAddr,
        domain: &Domain,
    ) -> Result<(), CheckError> {
        let start = Instant::now();
        let site = domain.registrable();
        let entry = gate.lock().enter(site, address, start);
        if let Entry::NotBefore(until) = entry {
            let wall = self.database.clock.now();
            let wait = patient(wall.after(until - start), wall, domain)?;
            self.pause(wait).await;
            gate.lock().enter(site, address, Instant::now());
        }
        Ok(())
    }
}

impl<W: Write + Send> Observer for Reporter<W> {
    async fn stored_robots(&self, domain: &Domain) -> Option<RobotsState> {
        observer::stored_robots(self.database.store.as_deref()?, domain).await
    }

    async fn throttled(&self, request: PauseRequest) {
        if let Some(store) = self.database.store.as_deref() {
            observer::store_pause(store, &request, self.database.clock.now()).await;
        }
    }

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
        let Palette { aside, .. } = self.palette;
        let answer = self.palette.of_status(receipt.status);
        self.line(&format!(
            "  {answer}{status}{answer:#}  {}\n       {}{why}{aside}; {} bytes, {} ms{aside:#}",
            receipt.url, receipt.verdict, receipt.bytes, receipt.ms
        ));
    }
}

fn explain(
    output: &mut impl Write,
    visited: &FinishedVisit,
    palette: Palette,
) -> std::io::Result<()> {
    let visit = &visited.visit;
    explain_robots(output, visit)?;
    let detail = visit.detail.as_ref();
    let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
    let style = palette.of_outcome(visit.outcome);
    let rule = match visit.outcome {
        Outcome::Found => String::new(),
        outcome => {
            let (id, document) = outcome.rule();
            format!(", see {id} in docs/{document}.md")
        }
    };
    writeln!(
        output,
        "\noutcome: {style}{}{style:#}{detail}{rule}",
        visit.outcome.as_str()
    )?;
    if let Some(answer) = &visit.edge {
        edge::explain(output, answer)?;
    }
    let merged = merged(visited, &[]);
    let readings = visited.readings.iter().zip(&merged.findings);
    for (document, (reading, beside)) in visit.documents.iter().zip(readings) {
        explain_document(output, document, reading, beside)?;
    }
    let agents = &merged.listings;
    for listing in agents {
        agent::explain(output, listing)?;
    }
    let unit = if visit.requests == 1 { "" } else { "s" };
    writeln!(
        output,
        "\n{} request{unit}, {} bytes, {:.1} s\n{}; a crawl would visit it again on {}",
        visit.requests,
        visit.bytes,
        visit.ended.since(visit.started).as_secs_f64(),
        match agents.len() {
            0 => "no agent would be listed".to_owned(),
            1 => "1 agent would be listed".to_owned(),
            count => format!("{count} agents would be listed"),
        },
        visit.next.due.to_rfc3339()
    )?;
    output.flush()
}

/// Lists the paths that were not requested because robots.txt forbids them.
fn explain_robots(output: &mut impl Write, visit: &Visit) -> std::io::Result<()> {
    let Some(robots) = visit.robots.as_ref().filter(|it| it.verdict == "partial") else {
        return Ok(());
    };
    writeln!(output, "\nnot requested, because robots.txt forbids it")?;
    for (position, probe) in probes::ALL.iter().enumerate() {
        if robots.mask & 1 << position == 0 {
            writeln!(output, "  {}", probe.path)?;
        }
    }
    Ok(())
}

fn explain_document(
    output: &mut impl Write,
    document: &Document,
    reading: &Reading,
    beside: &[Finding],
) -> std::io::Result<()> {
    let level = reading.level();
    let meaning = match level {
        Level::A => "valid, with every capability described",
        Level::B => "valid, but without everything that a caller needs to know",
        Level::C => "not valid in a known format, but readable enough to be listed",
        Level::D => "stored, but not readable enough to be listed",
    };
    write!(output, "\n{}", document.requested)?;
    if document.url != document.requested {
        write!(output, ", found at {}", document.url)?;
    }
    write!(output, "\n  {}", reading.format)?;
    if let Some(generation) = &reading.generation {
        write!(output, " {generation}")?;
    }
    writeln!(output, ", level {}: {meaning}", level.as_str())?;
    let mut reading = reading.clone();
    reading.findings.extend_from_slice(beside);
    let lint = manifest::lint::of_reading(document, reading);
    match lint.reading.reason_below_level_a() {
        Some(missing) => writeln!(output, "  not level A: {missing}")?,
        None if lint.reading.findings.is_empty() => writeln!(output, "  no findings")?,
        None => {}
    }
    let findings = lint.show(document.url.as_str(), |_, text| text.to_owned());
    for line in findings.trim_end().lines() {
        let indent = if line.is_empty() { "" } else { "  " };
        writeln!(output, "{indent}{line}")?;
    }
    for mention in &lint.reading.mentions {
        let address = mention.url.as_deref().unwrap_or("no address");
        writeln!(
            output,
            "  mentions {} at {address}, which is not an agent of this site",
            mention.name
        )?;
    }
    for reference in &lint.reading.references {
        let Reference { rel, url, .. } = reference;
        writeln!(
            output,
            "  refers to {url} ({rel}): {}",
            treatment(reference.follow)
        )?;
    }
    Ok(())
}

/// Returns the treatment of a reference by a crawl, and the reason.
fn treatment(follow: Follow) -> &'static str {
    match follow {
        Follow::Fetch => "may be requested, as it is on the same site",
        Follow::Queue => "not requested on this visit, but queued for its own site",
        Follow::Read => "may be read for its capabilities, but is not listed",
        Follow::Seed => "not requested; its site may be visited later",
        Follow::Link => "not requested, only shown",
        Follow::Refused(Refusal::Scheme) => "never requested, as it is not https",
        Follow::Refused(Refusal::Address) => {
            "never requested, as it has an IP address instead of a name"
        }
        Follow::Refused(Refusal::PrivateName) => "never requested, as its name is private",
        Follow::Refused(Refusal::Userinfo) => "never requested, as it holds a user name",
        Follow::Refused(Refusal::Port) => "never requested, as its port is unusual",
    }
}
