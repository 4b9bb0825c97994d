//! Network configuration and identity: as typed ([`RawNetwork`]), then as usable ([`Network`]).

use super::contact::Contact;
use super::error::ConfigError;
use super::signing;
use super::value::{certificates, nameserver, own_addresses, shared_addresses};
use crate::clock::Clock;
use crate::crawl_delay::LONGEST_WAIT;
use crate::fetch::http::{Http, HttpError, Identity};
use crate::probes::{self, Probe};
use crate::rate_limit;
use clap::Args;
use clap::builder::PossibleValuesParser;
use ipnet::IpNet;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Network options and identity, as typed.
#[derive(Clone, Debug, Args)]
pub struct RawNetwork {
    /// Minimum milliseconds from the end of an answer to the next request to the same host.
    ///
    /// Values below 1000 require --allow-address and apply only to hosts in that range.
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
    /// Values below 1000 require --allow-address and apply only to addresses in that range; 0 also
    /// removes the limits on concurrent visits there. At an address that is a content delivery
    /// network according to the answers of 50 sites, a fifth of the time passes.
    #[arg(
        long,
        value_name = "MS",
        env = "AGENTDEX_ADDRESS_DELAY",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(0..=60_000)
    )]
    pub address_delay: u32,

    /// File with address ranges of content delivery networks, one per line with the network's name.
    ///
    /// Thousands of unrelated sites share such an address: each receives up to 20 requests a second
    /// instead of one, and each network up to 50. docs/operating.md says where networks publish
    /// their ranges.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SHARED_ADDRESSES")]
    pub shared_addresses: Option<PathBuf>,

    /// Contact for site owners: a web page about this crawler, or a mailbox.
    ///
    /// It is sent in the User-Agent header, a mailbox also in From. Without it, every run prints a
    /// warning, and more than 1,000 due domains are refused.
    #[arg(long, value_name = "URL|MAILBOX", env = "AGENTDEX_CONTACT")]
    pub contact: Option<String>,

    /// Product token for robots.txt: letters, '-' and '_'.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "AGENTDEX_USER_AGENT_TOKEN",
        default_value = "AgentdexBot"
    )]
    pub user_agent_token: String,

    /// Sign every request with this Ed25519 key (Web Bot Auth), a PEM file with PKCS#8.
    ///
    /// crawler key-directory prints the document that the signature agent must serve.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SIGN_KEY")]
    pub sign_key: Option<PathBuf>,

    /// https origin that serves the key directory; the default is the origin of the page in
    /// --contact.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_SIGN_AGENT",
        requires = "sign_key"
    )]
    pub sign_agent: Option<String>,

    /// Name server to use instead of the system's, on port 53 unless stated; repeatable.
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "AGENTDEX_NAMESERVER",
        value_delimiter = ',',
        value_parser = nameserver
    )]
    pub nameserver: Vec<SocketAddr>,

    /// Try http if https is unavailable because port 443 is refused or unreachable.
    ///
    /// http is a different origin with its own robots.txt; both share the request limit of the
    /// visit.
    #[arg(long, env = "AGENTDEX_HTTP_FALLBACK")]
    pub http_fallback: bool,

    /// Additional paths to request within the same twelve requests per visit: api-catalog,
    /// mcp-legacy, anp; repeatable.
    ///
    /// api-catalog is /.well-known/api-catalog, which later visits request anyway, mcp-legacy is
    /// /.well-known/mcp-server-card, and anp is /.well-known/agent-descriptions. They replace less
    /// common default paths.
    #[arg(
        long,
        value_name = "LIST",
        env = "AGENTDEX_PROBE_EXTRA",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(probes::EXTRA.map(|(name, _)| name))
    )]
    pub probe_extra: Vec<String>,

    /// PEM file with additional certificate authorities to trust; repeatable.
    #[arg(
        long,
        value_name = "FILE",
        env = "AGENTDEX_ROOT_CA",
        value_delimiter = ','
    )]
    pub root_ca: Vec<PathBuf>,

    /// Private or special addresses that may be visited, for your own test hosts.
    ///
    /// Repeatable. Names that end in .test, .local and the like are visited if they resolve into
    /// this range.
    #[arg(
        long,
        value_name = "CIDR",
        env = "AGENTDEX_ALLOW_ADDRESS",
        value_delimiter = ',',
        value_parser = own_addresses
    )]
    pub allow_address: Vec<IpNet>,
}

/// Validated network configuration.
#[derive(Clone, Debug)]
pub struct Network {
    /// Token for the robots.txt matcher.
    pub token: String,
    /// True if there is contact information.
    pub has_contact: bool,
    /// Headers with the identity of the crawler.
    pub identity: Identity,
    /// Name servers; the system's if empty.
    pub nameservers: Vec<SocketAddr>,
    /// The operator's own addresses.
    pub allowed: Vec<IpNet>,
    /// Paths that are requested in addition to those of the table.
    pub extra: Vec<Probe>,
    /// True to try http if https is unavailable (P14).
    pub http_fallback: bool,
    /// Time between two requests to one host.
    pub delay: Duration,
    /// Rate limits of addresses, networks and shared edges.
    pub pace: rate_limit::Rules,
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
                // A visit never waits longer between two requests, whatever robots.txt asks for
                // (P13).
                idle: LONGEST_WAIT + Duration::from_secs(5),
            },
            token: raw.user_agent_token,
            nameservers: raw.nameserver,
            pace: rate_limit::Rules {
                gap: Duration::from_millis(raw.address_delay.into()),
                own: raw.allow_address.clone(),
                edges,
            },
            allowed: raw.allow_address,
            extra: probes::EXTRA
                .iter()
                .filter(|(name, _)| raw.probe_extra.iter().any(|wanted| wanted == name))
                .flat_map(|(_, probes)| probes.iter().copied())
                .collect(),
            http_fallback: raw.http_fallback,
            delay,
        })
    }
}

impl Network {
    /// Returns the network client, whose signatures use this time and these random numbers.
    pub fn open(&self, clock: Clock, random: &mut StdRng) -> Result<Http, HttpError> {
        let random = StdRng::from_rng(random);
        let (identity, own) = (&self.identity, self.allowed.clone());
        Http::new(identity, &self.nameservers, own, clock, random)
    }
}
