//! `crawler check`: one visit in the foreground, explained as it goes.

use crate::config::{Check, ConfigError, Network};
use crate::fetch::http::HttpError;
use crate::pace::Entry;
use crate::probes;
use crate::report::{Known, rfc3339};
use crate::run::now;
use crate::seeds::SeedReader;
use crate::status::span;
use crate::visit::{
    Entrance, LedTo, Observer, Plea, Settings, SharedGate, Visited, look_up, visit,
};
use manifest::reference::{Follow, Refusal};
use manifest::{Document, Domain, Finding, Level, Reading, Reference, Timestamp};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;
use store::{Lease, Outcome, Receipt, RobotsState, StoreError, Visit};
use tokio::time::Instant;

mod agent;
mod palette;
mod standing;

pub use palette::Palette;
use standing::{Standing, patient};

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
    /// The site is to be left alone (P4).
    #[error("{domain} is excluded ({reason}): nobody asks it anything")]
    Excluded {
        /// The site.
        domain: Domain,
        /// Why, as the exclusion says.
        reason: String,
    },
    /// The site or its address asked for a pause, which is not over (P35).
    #[error(
        "{domain} or its address asked to be left alone until {} ({} from now): nobody asks it anything before",
        rfc3339(*.until),
        span(*.wait)
    )]
    LeftAlone {
        /// The site.
        domain: Domain,
        /// Until then.
        until: Timestamp,
        /// That is so long from now.
        wait: Duration,
    },
    /// A crawler, or another check, keeps its own pace to the same hosts (P16, P18, P19).
    #[error(
        "crawler {holder} is at work on database {}: wait until it ends, or ask it by a submission; another check counts as a crawler",
        path.display()
    )]
    AtWork {
        /// The database.
        path: PathBuf,
        /// The other: process id and since when.
        holder: String,
    },
    /// The database cannot say who is excluded.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nobody reads what is written.
    #[error("cannot write")]
    Write(#[from] std::io::Error),
}

/// Visits the domain and writes what happens to `output`; false when the site gave no answer to read.
pub async fn check(
    check: Check,
    output: impl Write + Send,
    palette: Palette,
) -> Result<bool, CheckError> {
    let network = Network::try_from(check.network)?;
    let lease = lease(&check.domain, !network.allowed.is_empty())?;
    let standing = Standing::open(&check.database).await?;
    let exclusions = standing.exclusions(&lease.domain).await?;
    let http = network.open()?;
    let settings = Settings {
        token: network.token,
        delay: network.delay,
        extra: network.extra,
        http_fallback: network.http_fallback,
        gate: SharedGate::new(network.pace.clone()),
        led_to: LedTo::default(),
        exclusions,
    };
    let mut random = StdRng::from_os_rng();
    let telling = Telling {
        output: Mutex::new(output),
        palette,
        standing,
    };
    telling.line(&format!(
        "{}, asked as {}; robots.txt can name {}",
        lease.domain, network.identity.user_agent, settings.token
    ));
    let (standing, gate) = (&telling.standing, &settings.gate);
    let delay = settings.delay;
    telling
        .pause(standing.wait(&lease.domain, delay, gate).await?)
        .await;
    let entrance = match look_up(&http, &lease).await {
        Ok(address) => {
            telling.enter(gate, address, &lease.domain).await?;
            Entrance::Open(address, None)
        }
        Err(error) => Entrance::Closed(error),
    };
    let address = match &entrance {
        Entrance::Open(address, _) => Some(*address),
        Entrance::Closed(_) => None,
    };
    let visited = visit(
        &http,
        &telling,
        &settings,
        lease,
        entrance,
        now(),
        &mut random,
    )
    .await;
    if let Some(address) = address {
        let gap = delay.max(network.pace.gap);
        standing.rest(address, &visited.visit, gap).await;
    }
    let mut output = telling
        .output
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    explain(&mut output, &visited, palette)?;
    Ok(is_answer(&visited.visit))
}

/// False when the site could not be asked, so that nothing is known of it.
fn is_answer(visit: &Visit) -> bool {
    use Outcome::{Empty, Found, OptedOut, RobotsDisallow, Soft404};
    let answers = [Found, Empty, OptedOut, RobotsDisallow, Soft404];
    !visit.documents.is_empty() || answers.contains(&visit.outcome)
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
    let named = reader.take_named();
    let seed = seeds
        .map_err(|error| refuse(error.to_string()))?
        .pop()
        .ok_or_else(|| refuse("nothing to visit".to_owned()))?;
    Ok(Lease {
        row: 0,
        domain: seed.domain,
        port: seed.port,
        token: 0,
        fails: 0,
        interval_ms: None,
        rotation: 0,
        last_outcome: None,
        known: Vec::new(),
        robots: None,
        named: named.into_iter().map(|(_, document)| document).collect(),
        unanswered: Vec::new(),
    })
}

/// Writes each request down as it happens.
struct Telling<W> {
    output: Mutex<W>,
    palette: Palette,
    standing: Standing,
}

impl<W: Write + Send> Telling<W> {
    fn line(&self, text: &str) {
        let mut output = self
            .output
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // The last write of the check reports a reader that went away.
        let _ = writeln!(output, "{text}");
    }

    /// Waits, and says so.
    async fn pause(&self, wait: Duration) {
        if !wait.is_zero() {
            let seconds = wait.as_secs_f64();
            self.line(&format!(
                "waiting {seconds:.1} s, as it was asked a moment ago"
            ));
            tokio::time::sleep(wait).await;
        }
    }

    /// Takes a place at the address, once it may be asked again.
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
            let wall = now();
            let wait = patient(wall.after(until - start), wall, domain)?;
            self.pause(wait).await;
            gate.lock().enter(site, address, Instant::now());
        }
        Ok(())
    }
}

impl<W: Write + Send> Observer for Telling<W> {
    async fn kept_robots(&self, domain: &Domain) -> Option<RobotsState> {
        self.standing.kept_robots(domain).await
    }

    async fn throttled(&self, plea: Plea) {
        self.standing.plea(&plea).await;
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

fn explain(output: &mut impl Write, visited: &Visited, palette: Palette) -> std::io::Result<()> {
    let visit = &visited.visit;
    explain_robots(output, visit)?;
    let detail = visit.detail.as_ref();
    let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
    let style = palette.of_outcome(visit.outcome);
    writeln!(
        output,
        "\noutcome: {style}{}{style:#}{detail}",
        visit.outcome.as_str()
    )?;
    let merged = Known::of(visited, &[]).merged;
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
        "\n{} request{unit}, {} bytes, {:.1} s\n{}; a crawl would come back on {}",
        visit.requests,
        visit.bytes,
        visit.ended.since(visit.started).as_secs_f64(),
        match agents.len() {
            0 => "no agent would be listed".to_owned(),
            1 => "1 agent would be listed".to_owned(),
            count => format!("{count} agents would be listed"),
        },
        rfc3339(visit.next.due)
    )?;
    output.flush()
}

/// Names the paths that were not asked because robots.txt closes them.
fn explain_robots(output: &mut impl Write, visit: &Visit) -> std::io::Result<()> {
    let Some(robots) = visit.robots.as_ref().filter(|it| it.verdict == "partial") else {
        return Ok(());
    };
    writeln!(output, "\nnot asked, as robots.txt forbids it")?;
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
        Level::B => "valid, though not all that a caller wants to know",
        Level::C => "not valid in a format that we know, yet readable enough to be listed",
        Level::D => "kept, but not readable enough to be listed",
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
    match lint.reading.what_is_missing() {
        Some(missing) => writeln!(output, "  not level A: {missing}")?,
        None if lint.reading.findings.is_empty() => writeln!(output, "  nothing to mend")?,
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
            "  speaks of {} at {address}: a mention, not an agent of this site",
            mention.name
        )?;
    }
    for reference in &lint.reading.references {
        let Reference { rel, url, .. } = reference;
        writeln!(
            output,
            "  points at {url} ({rel}): {}",
            fate(reference.follow)
        )?;
    }
    Ok(())
}

/// What a crawl does with a reference, and why.
fn fate(follow: Follow) -> &'static str {
    match follow {
        Follow::Fetch => "may be fetched, as it is the site's own",
        Follow::Queue => "not fetched here: it is another site's, and queued as that",
        Follow::Read => "may be read for what it says of capabilities, not listed",
        Follow::Seed => "not fetched: its site may be visited some day",
        Follow::Link => "not followed, only shown",
        Follow::Refused(Refusal::Scheme) => "never followed, as it is not https",
        Follow::Refused(Refusal::Address) => "never followed, as it gives an address for a name",
        Follow::Refused(Refusal::PrivateName) => "never followed, as its name is a private one",
        Follow::Refused(Refusal::Userinfo) => "never followed, as it holds a user name",
        Follow::Refused(Refusal::Port) => "never followed, as its port is unusual",
    }
}
