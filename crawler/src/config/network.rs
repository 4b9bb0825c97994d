//! How sites are reached and who we say we are: as typed ([`RawNetwork`]), then as usable ([`Network`]).

use super::contact::Contact;
use super::value::{certificates, nameserver, own_addresses, shared_addresses};
use super::{ConfigError, signing};
use crate::fetch::http::{Http, HttpError, Identity};
use crate::pace;
use crate::politeness::PATIENCE;
use crate::probes::{self, Probe};
use clap::Args;
use clap::builder::PossibleValuesParser;
use ipnet::IpNet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

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

    /// Try http where nobody answers https: where port 443 is refused or cannot be reached.
    ///
    /// It is another origin, with a robots.txt of its own; both share one visit's requests.
    #[arg(long, env = "AGENTDEX_HTTP_FALLBACK")]
    pub http_fallback: bool,

    /// Paths to ask for besides, within the same twelve requests a visit: api-catalog, mcp-legacy, anp; repeatable.
    ///
    /// api-catalog is /.well-known/api-catalog, mcp-legacy two older places of MCP server cards, and anp
    /// /.well-known/agent-descriptions. Rarer paths of the usual ones make room for them.
    #[arg(
        long,
        value_name = "LIST",
        env = "AGENTDEX_PROBE_EXTRA",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(probes::EXTRA.map(|(name, _)| name))
    )]
    pub probe_extra: Vec<String>,

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
        value_delimiter = ',',
        value_parser = own_addresses
    )]
    pub allow_address: Vec<IpNet>,
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
    /// Paths that are asked besides those of the table.
    pub extra: Vec<Probe>,
    /// Try http where nobody answers https (P14).
    pub http_fallback: bool,
    /// Between two requests to one host.
    pub delay: Duration,
    /// The pace of addresses, networks and shared edges.
    pub pace: pace::Rules,
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
                // A visit waits no longer between two requests, whatever robots.txt asks for (P13).
                idle: PATIENCE + Duration::from_secs(5),
            },
            token: raw.user_agent_token,
            nameservers: raw.nameserver,
            pace: pace::Rules {
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
    /// The door to the network.
    pub fn open(&self) -> Result<Http, HttpError> {
        Http::new(&self.identity, &self.nameservers, self.allowed.clone())
    }
}
