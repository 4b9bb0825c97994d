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

use crate::fetch::message_signature::Key;
use admin::Listen;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Finds the documents that domains publish for agents, politely.
///
/// Adds the domains of the seed lists to the frontier, visits those that are due, prints a summary
/// and exits. A visit requests robots.txt first, then at most eleven other files, over one
/// connection, at most one request a second. Documents are stored in the database exactly as
/// served.
///
/// The summary counts the agents and findings of each document received, before documents of a site
/// are merged; of a document that its site reports as unchanged (304), those that an indexer stored.
///
/// The first Ctrl-C finishes the visits in flight, the second stops immediately; the same command
/// continues from there. Exit codes: 0 done, 1 failed, 2 usage error, 130 interrupted,
/// 143 terminated; --watch ends with 0 when it is terminated.
#[derive(Debug, Parser)]
#[command(name = "crawler", version, args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    /// Crawl, without a subcommand.
    #[command(flatten)]
    pub crawl: RawConfig,
    /// Subcommand.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Visits one domain now and explains every request, verdict, finding and agent.
    ///
    /// Nothing is stored. The command is meant for owners of sites, and for finding out why a site
    /// is listed as it is. If there is a database, an excluded domain is not contacted, and the
    /// command waits for the pause since the last request and for any pause that the site or its
    /// address asked for; if that takes longer than 30 seconds, no request is sent. It also refuses
    /// to run while a crawler or another check uses the database, because their rate limits are
    /// separate: wait until that ends, or submit the domain to a watching crawler. Exit codes: 0
    /// the site answered, 1 it did not, 2 usage error.
    Check(Check),
    /// Prints the public part of the key given by --sign-key.
    ///
    /// Serve it as /.well-known/http-message-signatures-directory, with the media type
    /// application/http-message-signatures-directory+json, from the origin of --sign-agent.
    KeyDirectory(KeyDirectory),
    /// Excludes a domain permanently and deletes its stored data.
    ///
    /// The domain is no longer resolved, visited or listed, even if a seed list or a document names
    /// it. A crawler that is running on the same database applies the exclusion within four seconds.
    /// Exit codes: 0 done, 1 failed, 2 usage error.
    Exclude(Exclude),
    /// Deletes the stored data of a domain without excluding it.
    ///
    /// The domain returns when a seed list or another site names it. Exit codes: 0 done, 1 failed,
    /// 2 usage error.
    Forget(Forget),
    /// Shows the frontier: domains that are due, leased or in back-off, and the outcomes of visits.
    Status(Status),
}

/// Options of `crawler status`.
#[derive(Debug, Args)]
pub struct Status {
    /// Print one JSON object for programs, with times in Unix milliseconds.
    #[arg(long)]
    pub json: bool,
    /// Location of the database.
    #[command(flatten)]
    pub database: RawDatabase,
}

/// Location of the database.
#[derive(Clone, Debug, Args)]
pub struct RawDatabase {
    /// Database; only commands that add data create one.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = store::DEFAULT_DATABASE
    )]
    pub database: String,
}

/// Options of `crawler exclude`.
#[derive(Debug, Args)]
pub struct Exclude {
    /// Domain, or a URL of it; its subdomains are not excluded unless --suffix is given.
    pub domain: String,
    /// Exclude all subdomains too; the name may be a top-level domain.
    #[arg(long)]
    pub suffix: bool,
    /// Reason, for the change log; required without --remove.
    #[arg(long, value_name = "TEXT", required_unless_present = "remove")]
    pub reason: Option<String>,
    /// The exclusion was requested by the owner, not by the operator.
    #[arg(long, conflicts_with = "remove")]
    pub by_owner: bool,
    /// Remove the exclusion.
    #[arg(long, conflicts_with = "reason")]
    pub remove: bool,
    /// Location of the database.
    #[command(flatten)]
    pub database: RawDatabase,
}

/// Options of `crawler forget`.
#[derive(Debug, Args)]
pub struct Forget {
    /// Domain, or a URL of it.
    pub domain: String,
    /// Reason, for the change log.
    #[arg(long, value_name = "TEXT", default_value = "forgotten by the operator")]
    pub reason: String,
    /// Location of the database.
    #[command(flatten)]
    pub database: RawDatabase,
}

/// Options of `crawler check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Domain, host:port, URL of a document there, or an ajson:// URI without a port.
    pub domain: String,
    /// Database with exclusions and pauses; without a database, none apply.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = store::DEFAULT_DATABASE
    )]
    pub database: String,
    /// Network options.
    #[command(flatten)]
    pub network: RawNetwork,
}

/// Options of `crawler key-directory`.
#[derive(Debug, Args)]
pub struct KeyDirectory {
    /// Ed25519 key, PKCS#8 in PEM.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SIGN_KEY")]
    pub sign_key: PathBuf,
}

impl KeyDirectory {
    /// Reads the key.
    pub fn key(&self) -> Result<Key, ConfigError> {
        signing::key(&self.sign_key)
    }
}

/// Options of a crawl as typed.
#[derive(Clone, Debug, Args)]
pub struct RawConfig {
    /// Seed list; repeatable, '-' is standard input.
    ///
    /// Each line has one domain, host:port, URL or ajson:// URI; '#' starts a comment.
    /// 'rank,domain' CSV and .gz and .zst files are accepted. A URL with a path is requested in
    /// addition to the default paths.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SEEDS")]
    pub seeds: Vec<PathBuf>,

    /// Database: a file, created if missing, or an existing one of a PostgreSQL server, which several
    /// crawlers can share.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = store::DEFAULT_DATABASE
    )]
    pub database: String,

    /// Keep running: revisit domains as they become due, and visit submitted domains.
    #[arg(long, env = "AGENTDEX_WATCH")]
    pub watch: bool,

    /// Visit the given seeds even if they are not due, but at most once every 10 minutes.
    #[arg(long, env = "AGENTDEX_NOW")]
    pub now: bool,

    /// Stop after this many visits.
    #[arg(long, value_name = "N", env = "AGENTDEX_LIMIT")]
    pub limit: Option<u64>,

    /// Concurrent visits, each to a different site.
    #[arg(
        long,
        value_name = "N",
        env = "AGENTDEX_CONCURRENCY",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    pub concurrency: u32,

    /// File of domains that are neither visited nor listed; it is read again while the crawl runs.
    ///
    /// Each line has a domain, or '*.' and a suffix, and after a space the public reason; '#' starts
    /// a comment line. A domain that leaves the file has to be added as a seed again. Every program
    /// on the database applies the list; give all that have this option the same file.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_BLOCKLIST")]
    pub blocklist: Option<PathBuf>,

    /// Append one JSON line per visit to this file; '-' is standard output.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_REPORT")]
    pub report: Option<PathBuf>,

    /// Progress display on standard error; auto is a bar on a terminal and a log elsewhere.
    #[arg(
        long,
        value_name = "HOW",
        env = "AGENTDEX_PROGRESS",
        default_value = "auto"
    )]
    pub progress: ProgressStyle,

    /// Serve /healthz, /readyz and /metrics at this address; a port alone means 127.0.0.1.
    #[arg(
        long,
        alias = "metrics",
        value_name = "ADDR:PORT",
        env = "AGENTDEX_CRAWLER_ADMIN_LISTEN"
    )]
    pub admin_listen: Option<Listen>,

    /// Time in which the program stops.
    #[command(flatten)]
    pub stop: StopWithin,

    /// Network options.
    #[command(flatten)]
    pub network: RawNetwork,
}

/// Time in which visits in flight end when the program is asked to stop.
#[derive(Clone, Copy, Debug, Args)]
pub struct StopWithin {
    /// Seconds for which a stopping crawler waits for answers.
    ///
    /// Each visit ends after its current request, and the next run continues it. An answer that
    /// takes longer is abandoned.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "AGENTDEX_STOP_WITHIN",
        default_value_t = 8,
        value_parser = clap::value_parser!(u32).range(0..=60)
    )]
    pub stop_within: u32,
}

/// Progress display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressStyle {
    /// A bar on a terminal, a log elsewhere.
    Auto,
    /// A bar.
    Bar,
    /// A log line every 10 seconds.
    Log,
    /// Nothing until the summary.
    None,
}

/// Validated configuration of a crawl.
#[derive(Clone, Debug)]
pub struct Config {
    /// Seed lists; `-` is standard input.
    pub seeds: Vec<PathBuf>,
    /// Keep running when no domain is due.
    pub watch: bool,
    /// Make the seeds due.
    pub revisit: bool,
    /// Maximum number of visits.
    pub limit: Option<u64>,
    /// Concurrent visits.
    pub concurrency: usize,
    /// File of excluded domains.
    pub blocklist: Option<PathBuf>,
    /// Destination of the report; `-` is standard output.
    pub report: Option<PathBuf>,
    /// Time for which a stopping crawl waits for answers.
    pub stop_within: Duration,
    /// Network configuration.
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
            blocklist: raw.blocklist,
            report: raw.report,
            stop_within: Duration::from_secs(raw.stop.stop_within.into()),
            network: raw.network.try_into()?,
        })
    }
}
