//! The command line: as typed ([`RawConfig`]), then as usable ([`Config`]).

use crate::fetch::http::{Http, HttpError, Identity};
use crate::pace;
use clap::{Args, Parser, Subcommand, ValueEnum};
use ipnet::IpNet;
use manifest::Domain;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// A wrong value on the command line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// P1.
    #[error(
        "--user-agent-token '{0}' may have letters, '-' and '_' only, so that robots.txt can name it"
    )]
    Token(String),
    /// P16.
    #[error(
        "--delay and --address-delay below 1000 are for your own hosts: name them with --allow-address, such as 127.0.0.0/8"
    )]
    Delay,
    /// P3.
    #[error("--contact '{0}' is neither an http(s) URL nor a mailbox such as crawler@example.com")]
    Contact(String),
    /// A list of shared addresses that cannot be used.
    #[error("cannot use --shared-addresses {path}: {reason}")]
    SharedAddresses {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// An unreadable certificate file.
    #[error("cannot read certificates from --root-ca {path}: {reason}")]
    RootCa {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// P4.
    #[error("--reason says nothing; those who look at the log of changes want to know why")]
    Reason,
    /// Not a domain.
    #[error("'{text}' is not a domain: {reason}")]
    Domain {
        /// As typed.
        text: String,
        /// Why not.
        reason: String,
    },
}

/// Reads an address with or without a port.
fn nameserver(text: &str) -> Result<SocketAddr, String> {
    let with_port = text.parse();
    with_port
        .or_else(|_| {
            text.parse()
                .map(|address: IpAddr| SocketAddr::new(address, 53))
        })
        .map_err(|_| "give an IP address, such as 192.0.2.53 or 127.0.0.1:5300".to_owned())
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

/// A way to reach whoever runs the crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Contact {
    Page(String),
    Mailbox(String),
}

impl Contact {
    fn parse(text: &str) -> Result<Self, ConfigError> {
        let text = text.trim();
        let is_sendable = |letter: char| letter.is_ascii_graphic() && !"()<>\"\\".contains(letter);
        if !text.chars().all(is_sendable) {
            return Err(ConfigError::Contact(text.to_owned()));
        }
        let mailbox = text.strip_prefix("mailto:").unwrap_or(text);
        let is_page = url::Url::parse(text)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        match mailbox.split_once('@') {
            _ if is_page => Ok(Self::Page(text.to_owned())),
            Some((local, host)) if !local.is_empty() && Domain::parse(host).is_ok() => {
                Ok(Self::Mailbox(mailbox.to_owned()))
            }
            Some(_) | None => Err(ConfigError::Contact(text.to_owned())),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Page(text) | Self::Mailbox(text) => text,
        }
    }

    fn into_mailbox(self) -> Option<String> {
        match self {
            Self::Page(_) => None,
            Self::Mailbox(mailbox) => Some(mailbox),
        }
    }
}

fn shared_addresses(path: &Path) -> Result<Vec<pace::Edge>, ConfigError> {
    let fail = |reason: String| ConfigError::SharedAddresses {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    pace::edges(&text).map_err(fail)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let fail = |reason: String| ConfigError::RootCa {
        path: path.display().to_string(),
        reason,
    };
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| fail(error.to_string()))?;
    if certificates.is_empty() {
        Err(fail("it has no PEM certificate".to_owned()))
    } else {
        Ok(certificates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(arguments: &[&str]) -> Result<Network, ConfigError> {
        let line = CommandLine::try_parse_from([&["crawler"], arguments].concat()).unwrap();
        line.crawl.network.try_into()
    }

    #[test]
    fn a_name_server_may_leave_out_its_port() {
        assert_eq!(nameserver("127.0.0.1").unwrap().port(), 53);
        assert_eq!(nameserver("[::1]:5300").unwrap().port(), 5300);
        assert!(
            nameserver("dns.example")
                .unwrap_err()
                .contains("192.0.2.53")
        );
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_token_that_robots_txt_cannot_name_is_refused() {
        for token in ["", "Bot2", "a bot", "bot/1", "bött"] {
            let refused = network(&["--user-agent-token", token]);
            assert!(matches!(refused, Err(ConfigError::Token(_))), "{token}");
        }
    }

    #[test]
    fn the_user_agent_begins_with_the_token_and_names_the_contact() {
        let network = network(&["--contact", "bot@agents.example.com"]).unwrap();
        let expected = concat!(
            "AgentdexBot/",
            env!("CARGO_PKG_VERSION"),
            " (+bot@agents.example.com)"
        );
        assert_eq!(network.identity.user_agent, expected);
        assert_eq!(
            network.identity.from.as_deref(),
            Some("bot@agents.example.com")
        );
        assert!(network.identity.user_agent.starts_with(&network.token));
    }

    #[test]
    fn a_page_as_contact_sends_no_from() {
        let network = network(&["--contact", "https://agents.example.com/bot"]).unwrap();
        assert_eq!(network.identity.from, None);
    }

    #[test]
    fn a_contact_that_reaches_nobody_is_refused() {
        for contact in [
            "me",
            "@",
            "a@b",
            "ftp://example.com",
            "x@example.com\r\nEvil: 1",
        ] {
            let refused = network(&["--contact", contact]);
            assert!(matches!(refused, Err(ConfigError::Contact(_))), "{contact}");
        }
    }

    #[test]
    fn a_short_delay_needs_own_hosts() {
        assert!(matches!(
            network(&["--delay", "999"]),
            Err(ConfigError::Delay)
        ));
        assert!(network(&["--delay", "0", "--allow-address", "127.0.0.0/8"]).is_ok());
    }

    #[test]
    fn a_root_certificate_file_without_a_certificate_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        let error = network(&["--root-ca", path]).unwrap_err().to_string();
        assert!(error.contains(path), "{error}");
    }

    #[test]
    fn p04_an_exclusion_says_why_and_its_end_does_not() {
        let parse = |arguments: &[&str]| {
            let start = ["crawler", "exclude", "shop.example"];
            CommandLine::try_parse_from([&start[..], arguments].concat()).is_ok()
        };
        assert!(parse(&["--reason", "asked"]));
        assert!(parse(&["--suffix", "--reason", "asked", "--by-owner"]));
        assert!(parse(&["--remove", "--database", "sqlite:other.db"]));
        assert!(!parse(&[]));
        assert!(!parse(&["--remove", "--reason", "asked"]));
    }

    #[test]
    fn an_unknown_flag_names_the_nearest() {
        let error = CommandLine::try_parse_from(["crawler", "--concurency", "5"]).unwrap_err();
        assert!(error.to_string().contains("--concurrency"), "{error}");
    }
}
