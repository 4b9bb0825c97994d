//! The command line: as typed ([`RawConfig`]), then as usable ([`Config`]).

mod contact;
mod error;
mod network;
mod signing;
#[cfg(test)]
mod tests;
mod value;

pub use error::ConfigError;
pub use network::{Network, RawNetwork};

use crate::fetch::sign::Key;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use value::listen_address;

/// Where everything is stored unless somebody says otherwise.
const DATABASE: &str = "sqlite:data/agentdex.db";

/// Finds what domains publish for agents, politely.
///
/// Adds the domains of the seed lists to the frontier, visits what is due, prints a summary and
/// exits. A visit asks for robots.txt first, then for at most eleven other files, over one
/// connection, one request a second. What it finds is kept in the database exactly as served.
///
/// The first Ctrl-C finishes the visits in flight, the second stops at once; the same command
/// carries on from there. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "crawler", version, args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    /// Without a subcommand: crawl.
    #[command(flatten)]
    pub crawl: RawConfig,
    /// What to do instead of crawling.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do instead of crawling.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Visits one domain now and explains every request, verdict, finding and agent.
    ///
    /// Nothing that it finds is stored: for the owner of a site, or for one who wants to know why a site is listed
    /// as it is. Where there is a database, a domain that is excluded is left alone here, too, the pause since the
    /// last request is kept, and so is one that the site or its address asked for: when that is longer than 30
    /// seconds, nothing is asked. Nor is it while a crawler or another check is at work on the database, as each
    /// would keep a pace of its own: wait until that ends, or submit the domain to a crawler that watches. Exit
    /// codes: 0 an answer, 1 none, 2 wrong usage.
    Check(Check),
    /// Prints the public half of the key of --sign-key.
    ///
    /// It is to be served as /.well-known/http-message-signatures-directory, with the media type
    /// application/http-message-signatures-directory+json, by the origin of --sign-agent.
    KeyDirectory(KeyDirectory),
    /// Leaves a domain alone for good, and deletes all that is stored of it.
    ///
    /// It is neither looked up nor visited nor listed from then on, whoever names it. A crawler that runs on
    /// the same database takes notice within ten seconds. Exit codes: 0 done, 1 failed, 2 wrong usage.
    Exclude(Exclude),
    /// Deletes all that is stored of a domain, without excluding it.
    ///
    /// It comes back when a seed list or another site names it. Exit codes: 0 done, 1 failed, 2 wrong usage.
    Forget(Forget),
    /// Shows the frontier: what is due, under lease, in back-off, and how visits ended.
    Status(Status),
}

/// What of the frontier is to be shown.
#[derive(Debug, Args)]
pub struct Status {
    /// One JSON object for programs, with times in Unix milliseconds.
    #[arg(long)]
    pub json: bool,
    /// Where everything is stored.
    #[command(flatten)]
    pub database: RawDatabase,
}

/// Where everything is stored.
#[derive(Clone, Debug, Args)]
pub struct RawDatabase {
    /// The database; only what adds to it creates one.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = DATABASE
    )]
    pub database: String,
}

/// Who is to be left alone.
#[derive(Debug, Args)]
pub struct Exclude {
    /// The domain, or a URL of it; names below it stay, unless --suffix says otherwise.
    pub domain: String,
    /// Everything below the name as well; it may be a top-level domain.
    #[arg(long)]
    pub suffix: bool,
    /// Why, for the log of changes.
    #[arg(long, value_name = "TEXT", required_unless_present = "remove")]
    pub reason: Option<String>,
    /// The owner wished it, not the operator.
    #[arg(long, conflicts_with = "remove")]
    pub by_owner: bool,
    /// Take the exclusion back.
    #[arg(long, conflicts_with = "reason")]
    pub remove: bool,
    /// Where everything is stored.
    #[command(flatten)]
    pub database: RawDatabase,
}

/// Whose records are to go.
#[derive(Debug, Args)]
pub struct Forget {
    /// The domain, or a URL of it.
    pub domain: String,
    /// Why, for the log of changes.
    #[arg(long, value_name = "TEXT", default_value = "forgotten by the operator")]
    pub reason: String,
    /// Where everything is stored.
    #[command(flatten)]
    pub database: RawDatabase,
}

/// One visit in the foreground.
#[derive(Debug, Args)]
pub struct Check {
    /// The domain, host:port, the URL of a document there, or an ajson:// URI without a port.
    pub domain: String,
    /// The database that says who is to be left alone, for good or for now; nobody is when there is none.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = DATABASE
    )]
    pub database: String,
    /// How to reach it.
    #[command(flatten)]
    pub network: RawNetwork,
}

/// Which key to publish.
#[derive(Debug, Args)]
pub struct KeyDirectory {
    /// The Ed25519 key, PKCS#8 in PEM.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SIGN_KEY")]
    pub sign_key: PathBuf,
}

impl KeyDirectory {
    /// Reads the key.
    pub fn key(&self) -> Result<Key, ConfigError> {
        signing::key(&self.sign_key)
    }
}

/// The crawl as typed.
#[derive(Clone, Debug, Args)]
pub struct RawConfig {
    /// A seed list; repeatable, '-' is standard input.
    ///
    /// One domain, host:port, URL or ajson:// URI a line, '#' starts a comment, 'rank,domain' CSV is understood,
    /// and so are .gz and .zst files. A URL with a path is asked for besides the usual places.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SEEDS")]
    pub seeds: Vec<PathBuf>,

    /// The database, created if missing.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = DATABASE
    )]
    pub database: String,

    /// Keep running: revisit domains as they fall due, and pick up submissions.
    #[arg(long, env = "AGENTDEX_WATCH")]
    pub watch: bool,

    /// Visit the given seeds even if they are not due, though never more often than every 10 minutes.
    #[arg(long, env = "AGENTDEX_NOW")]
    pub now: bool,

    /// Stop after this many visits.
    #[arg(long, value_name = "N", env = "AGENTDEX_LIMIT")]
    pub limit: Option<u64>,

    /// Visits at the same time, each to another site.
    #[arg(
        long,
        value_name = "N",
        env = "AGENTDEX_CONCURRENCY",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    pub concurrency: u32,

    /// Write one JSON line per visit to this file, behind what is in it; '-' is standard output.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_REPORT")]
    pub report: Option<PathBuf>,

    /// How to show progress on standard error; auto is a bar on a terminal and a log elsewhere.
    #[arg(
        long,
        value_name = "HOW",
        env = "AGENTDEX_PROGRESS",
        default_value = "auto"
    )]
    pub progress: ProgressStyle,

    /// Answer Prometheus at http://ADDR:PORT/metrics; a port alone is one of 127.0.0.1.
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "AGENTDEX_CRAWLER_METRICS",
        value_parser = listen_address
    )]
    pub metrics: Option<SocketAddr>,

    /// How to reach the sites.
    #[command(flatten)]
    pub network: RawNetwork,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressStyle {
    /// A bar on a terminal, a log elsewhere.
    Auto,
    /// A bar.
    Bar,
    /// A line every 10 seconds.
    Log,
    /// Nothing until the summary.
    None,
}

/// The crawl, checked and ready.
#[derive(Clone, Debug)]
pub struct Config {
    /// Seed lists; `-` is standard input.
    pub seeds: Vec<PathBuf>,
    /// Keep running when nothing is due.
    pub watch: bool,
    /// Make the seeds due.
    pub revisit: bool,
    /// At most this many visits.
    pub limit: Option<u64>,
    /// Visits at the same time.
    pub concurrency: usize,
    /// Where the report goes; `-` is standard output.
    pub report: Option<PathBuf>,
    /// How to reach the sites.
    pub network: Network,
}

impl TryFrom<RawConfig> for Config {
    type Error = ConfigError;

    fn try_from(raw: RawConfig) -> Result<Self, ConfigError> {
        if raw.limit == Some(0) {
            return Err(ConfigError::Limit);
        }
        if raw.now && raw.seeds.is_empty() {
            return Err(ConfigError::NowWithoutSeeds);
        }
        raw.seeds
            .iter()
            .try_for_each(|path| value::seed_list(path))?;
        Ok(Self {
            seeds: raw.seeds,
            watch: raw.watch,
            revisit: raw.now,
            limit: raw.limit,
            concurrency: raw.concurrency as usize,
            report: raw.report,
            network: raw.network.try_into()?,
        })
    }
}
