//! The command line: as typed ([`RawConfig`]), then as usable ([`Config`]).

mod contact;
mod error;
mod signing;
#[cfg(test)]
mod tests;
mod value;

pub use error::ConfigError;

use crate::fetch::http::{Http, HttpError, Identity};
use crate::fetch::sign::Key;
use crate::pace;
use clap::{Args, Parser, Subcommand, ValueEnum};
use contact::Contact;
use ipnet::IpNet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use value::{certificates, listen_address, nameserver, shared_addresses};

/// Finds what domains publish for agents, politely.
///
/// Adds the domains of the seed lists to the frontier, visits what is due, prints a summary and
/// exits. A visit asks for robots.txt first, then for at most nine well-known files, over one
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
    /// Nothing is stored, and the frontier is not consulted: for the owner of a site, or for one
    /// who wants to know why a site is listed as it is.
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
    /// The database, created if missing.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = "sqlite:data/agentdex.db"
    )]
    pub database: String,
}

/// Who is to be left alone.
#[derive(Debug, Args)]
pub struct Exclude {
    /// The domain; names below it stay, unless --suffix says otherwise.
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
    /// The domain.
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
    /// The domain, or host:port.
    pub domain: String,
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
    /// One domain, host:port or URL a line, '#' starts a comment, 'rank,domain' CSV is understood,
    /// and so are .gz and .zst files.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SEEDS")]
    pub seeds: Vec<PathBuf>,

    /// The database, created if missing.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = "sqlite:data/agentdex.db"
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

    /// Write one JSON line per visit to this file; '-' is standard output.
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

/// How sites are reached and who we say we are, as typed.
#[derive(Clone, Debug, Args)]
pub struct RawNetwork {
    /// Milliseconds between two requests to one host.
    ///
    /// Less than 1000 only together with --allow-address, and then only for hosts in it.
    #[arg(
        long,
        value_name = "MS",
        env = "AGENTDEX_DELAY",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(0..=60_000)
    )]
    pub delay: u32,

    /// Milliseconds between two requests to one address, whichever hosts are there.
    ///
    /// Less than 1000 only together with --allow-address, and then only for addresses in it; 0 also
    /// lifts the limits on visits at the same time there.
    #[arg(
        long,
        value_name = "MS",
        env = "AGENTDEX_ADDRESS_DELAY",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(0..=60_000)
    )]
    pub address_delay: u32,

    /// A file with address ranges of content delivery networks, one a line with the network's name.
    ///
    /// Thousands of unrelated sites share such an address: it is asked 20 times a second, each network
    /// 50 times, instead of once a second.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SHARED_ADDRESSES")]
    pub shared_addresses: Option<PathBuf>,

    /// Where site owners reach you: a web page about this crawler, or a mailbox.
    ///
    /// It goes into the User-Agent header, a mailbox into From as well. Without it each run warns,
    /// and more than 1,000 due domains are refused.
    #[arg(long, value_name = "URL|MAILBOX", env = "AGENTDEX_CONTACT")]
    pub contact: Option<String>,

    /// The name that robots.txt files address: letters, '-' and '_'.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "AGENTDEX_USER_AGENT_TOKEN",
        default_value = "AgentdexBot"
    )]
    pub user_agent_token: String,

    /// Sign every request with this Ed25519 key (Web Bot Auth); a PEM file with PKCS#8.
    ///
    /// crawler key-directory prints what its agent is to serve.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SIGN_KEY")]
    pub sign_key: Option<PathBuf>,

    /// The https origin that serves the directory of keys; else that of the page in --contact.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_SIGN_AGENT",
        requires = "sign_key"
    )]
    pub sign_agent: Option<String>,

    /// A name server to ask instead of the system's, on port 53 unless it names another; repeatable.
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "AGENTDEX_NAMESERVER",
        value_delimiter = ',',
        value_parser = nameserver
    )]
    pub nameserver: Vec<SocketAddr>,

    /// A PEM file with certificate authorities to trust besides the public ones; repeatable.
    #[arg(
        long,
        value_name = "FILE",
        env = "AGENTDEX_ROOT_CA",
        value_delimiter = ','
    )]
    pub root_ca: Vec<PathBuf>,

    /// Addresses to visit although they are private or special; for your own test hosts.
    ///
    /// Repeatable. Names that end in .test, .local and the like are visited when they resolve into it.
    #[arg(
        long,
        value_name = "CIDR",
        env = "AGENTDEX_ALLOW_ADDRESS",
        value_delimiter = ','
    )]
    pub allow_address: Vec<IpNet>,
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

/// How sites are reached, checked and ready.
#[derive(Clone, Debug)]
pub struct Network {
    /// What the robots.txt matcher is given.
    pub token: String,
    /// Somebody can be reached.
    pub has_contact: bool,
    /// What the HTTP client says of us.
    pub identity: Identity,
    /// Name servers; the system's when empty.
    pub nameservers: Vec<SocketAddr>,
    /// Addresses that are ours.
    pub allowed: Vec<IpNet>,
    /// Between two requests to one host.
    pub delay: Duration,
    /// The pace of addresses, networks and shared edges.
    pub pace: pace::Rules,
}

impl TryFrom<RawConfig> for Config {
    type Error = ConfigError;

    fn try_from(raw: RawConfig) -> Result<Self, ConfigError> {
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

impl TryFrom<RawNetwork> for Network {
    type Error = ConfigError;

    fn try_from(raw: RawNetwork) -> Result<Self, ConfigError> {
        let is_token_character =
            |letter: char| letter.is_ascii_alphabetic() || "-_".contains(letter);
        if raw.user_agent_token.is_empty() || !raw.user_agent_token.chars().all(is_token_character)
        {
            return Err(ConfigError::Token(raw.user_agent_token));
        }
        if raw.delay.min(raw.address_delay) < 1000 && raw.allow_address.is_empty() {
            return Err(ConfigError::Delay);
        }
        let edges = match &raw.shared_addresses {
            Some(path) => shared_addresses(path)?,
            None => Vec::new(),
        };
        let contact = raw.contact.as_deref().map(Contact::parse).transpose()?;
        let mut roots = Vec::new();
        for path in &raw.root_ca {
            roots.extend(certificates(path)?);
        }
        let signer = raw
            .sign_key
            .as_deref()
            .map(|path| signing::signer(path, raw.sign_agent.as_deref(), contact.as_ref()))
            .transpose()?;
        let delay = Duration::from_millis(raw.delay.into());
        let version = env!("CARGO_PKG_VERSION");
        let user_agent = match &contact {
            Some(contact) => format!("{}/{version} (+{})", raw.user_agent_token, contact.text()),
            None => format!("{}/{version}", raw.user_agent_token),
        };
        Ok(Self {
            has_contact: contact.is_some(),
            identity: Identity {
                user_agent,
                from: contact.and_then(Contact::into_mailbox),
                signer,
                roots,
                idle: delay.min(Duration::from_secs(30)) + Duration::from_secs(5),
            },
            token: raw.user_agent_token,
            nameservers: raw.nameserver,
            pace: pace::Rules {
                gap: Duration::from_millis(raw.address_delay.into()),
                own: raw.allow_address.clone(),
                edges,
            },
            allowed: raw.allow_address,
            delay,
        })
    }
}

impl Network {
    /// The door to the network.
    pub fn open(&self) -> Result<Http, HttpError> {
        Http::new(&self.identity, &self.nameservers, self.allowed.clone())
    }
}
