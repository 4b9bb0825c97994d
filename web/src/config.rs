//! The command line of `web`.

use crate::crawler_identity::{self, DEFAULT_TOKEN};
use crate::rate::RateLimit;
use admin::{Listen, ListenError};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use terminal::without_password;
use tokio::net::TcpListener;
use url::Url;

/// Serves the registry: pages for people, JSON for programs.
///
/// It reads the database that `crawler` and `indexer` write, and the search index. It may be
/// started before either has run; search works as soon as the index exists.
#[derive(Clone, clap::Parser)]
#[command(name = "web", version, about, long_about)]
pub struct Config {
    /// Address to listen on; port 0 picks a free port.
    #[arg(
        long,
        env = "AGENTDEX_LISTEN",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:8080"
    )]
    pub listen: SocketAddr,

    /// Database URL; the database is created if missing.
    #[arg(
        long,
        env = "AGENTDEX_DATABASE",
        value_name = "URL",
        default_value = store::DEFAULT_DATABASE
    )]
    pub database: String,

    /// URL of a replica of the database, from which pages and answers are read.
    ///
    /// Only with PostgreSQL. What visitors send is written to --database; sessions and the state of
    /// submissions are read there too. Everything is read there while the replica is away or more than
    /// five seconds behind.
    #[arg(long, env = "AGENTDEX_READ_DATABASE", value_name = "URL")]
    pub read_database: Option<String>,

    /// Directory of the search index, which `indexer` writes.
    #[arg(
        long,
        env = "AGENTDEX_INDEX",
        value_name = "DIR",
        default_value = store::DEFAULT_INDEX
    )]
    pub index: PathBuf,

    /// Write the index from the agents in the database, instead of only reading it.
    ///
    /// For a machine without an indexer: another one, on the same database, reads the documents.
    #[arg(long, env = "AGENTDEX_FOLLOW")]
    pub follow: bool,

    /// Folder of the daily exports [default: beside the database, as in `data/export`].
    ///
    /// `indexer --watch` writes them; they are served at `/api/v1/export/`.
    #[arg(long, env = "AGENTDEX_EXPORT", value_name = "DIR")]
    pub export: Option<PathBuf>,

    /// Disable semantic search: agents are matched by words only, without embeddings.
    ///
    /// An index that was built without vectors (`indexer --no-semantic`) is always searched by words
    /// only.
    #[arg(long, env = "AGENTDEX_NO_SEMANTIC")]
    pub no_semantic: bool,

    /// Health and metrics.
    #[command(flatten)]
    pub admin: AdminListen,

    /// URL that visitors use, as in `https://agentdex.example` [default: the listen address].
    #[arg(long, env = "AGENTDEX_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<Url>,

    /// Contact of the operator for the registry's own manifests: URL of a page, or mail address.
    ///
    /// Without it, the manifests state no contact, and there is no security.txt.
    #[arg(long, env = "AGENTDEX_CONTACT", value_name = "URL|MAILBOX", value_parser = contact)]
    pub contact: Option<String>,

    /// File of secrets.
    #[command(flatten)]
    pub secrets: SecretsFile,

    /// Limits of clients.
    #[command(flatten)]
    pub clients: ClientLimits,

    /// Reverse proxies.
    #[command(flatten)]
    pub proxies: Proxies,

    /// Product token of the crawler, as its --user-agent-token sets it.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "AGENTDEX_USER_AGENT_TOKEN",
        default_value = DEFAULT_TOKEN,
        value_parser = crawler_identity::token
    )]
    pub user_agent_token: String,

    /// Keys and addresses of the crawler.
    #[command(flatten)]
    pub crawler: PublishedCrawler,
}

/// Facts by which sites recognise the crawler.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PublishedCrawler {
    /// Public addresses from which the crawler sends its requests, or networks; repeatable.
    ///
    /// They are published at /bot/addresses.json, so that sites can admit the crawler. Without any,
    /// that address is 404, and pages say that no addresses are published.
    #[arg(
        long,
        value_name = "CIDR",
        env = "AGENTDEX_CRAWLER_ADDRESSES",
        value_delimiter = ',',
        value_parser = crawler_identity::address
    )]
    pub crawler_addresses: Vec<IpNet>,

    /// File with what crawler key-directory prints, the public keys of signed requests.
    ///
    /// It is served at /.well-known/http-message-signatures-directory.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_CRAWLER_KEYS")]
    pub crawler_keys: Option<PathBuf>,
}

/// Limits of clients.
#[derive(Clone, Debug, clap::Args)]
pub struct ClientLimits {
    /// Requests that a client may send in a minute, or `off`.
    ///
    /// A client is an IPv4 address or an IPv6 network of /64, behind a trusted proxy as
    /// `X-Forwarded-For` names it. It may send a fifth of the number at once. A request with another
    /// method than GET, HEAD and OPTIONS counts as 20, except calls of MCP and A2A that read.
    /// Submissions and rechecks also have a limit of their own, 60 an hour, which `off` lifts as well.
    /// A client on this machine is limited too,
    /// unless it is a trusted proxy.
    #[arg(
        long,
        value_name = "N",
        env = "AGENTDEX_RATE_LIMIT",
        default_value = "600"
    )]
    pub rate_limit: RateLimit,
}

/// Address for the operator.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct AdminListen {
    /// Address for the operator: /healthz, /readyz and /metrics, or `off` [default: 127.0.0.1:9090,
    /// if it is free].
    ///
    /// A port alone means 127.0.0.1. Visitors must not reach it.
    #[arg(long, value_name = "ADDRESS:PORT", env = "AGENTDEX_ADMIN_LISTEN")]
    pub admin_listen: Option<Listen>,
}

impl AdminListen {
    /// Binds the address.
    pub async fn bind(self) -> Result<Option<TcpListener>, ListenError> {
        let default = SocketAddr::from(([127, 0, 0, 1], 9_090));
        admin::bind_or_warn(self.admin_listen, default).await
    }
}

/// File of secrets.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SecretsFile {
    /// File with the keys that authenticate cursors and sign the agent card [default: beside the database, as in
    /// `data/agentdex.secrets`].
    ///
    /// It is made at the first start, readable only by its owner. Servers that answer for one
    /// registry share it: on other machines, by a copy or a shared folder. Keys are replaced every 30 days; the previous one is still accepted.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SECRETS")]
    pub secrets: Option<PathBuf>,
}

/// Reverse proxies between visitors and the registry.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Proxies {
    /// Reverse proxies in front of the registry.
    ///
    /// They are exempt from the limit of connections per address, and their `X-Forwarded-For` names
    /// the clients that the rate limit counts. Takes addresses or networks; repeatable. A proxy on
    /// the same machine is named like any other: 127.0.0.1.
    #[arg(
        long,
        value_name = "CIDR",
        env = "AGENTDEX_TRUSTED_PROXY",
        value_delimiter = ',',
        value_parser = network
    )]
    pub trusted_proxy: Vec<IpNet>,
}

impl Config {
    /// Returns the URL that visitors use, without a trailing slash: as configured, else `listening`.
    pub fn public_url(&self, listening: SocketAddr) -> String {
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{listening}"),
        }
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Config")
            .field("listen", &self.listen)
            .field("database", &without_password(&self.database))
            .field(
                "read_database",
                &self.read_database.as_deref().map(without_password),
            )
            .field("index", &self.index)
            .field("export", &self.export)
            .field("follow", &self.follow)
            .field("no_semantic", &self.no_semantic)
            .field("admin", &self.admin)
            .field("public_url", &self.public_url)
            .field("contact", &self.contact)
            .field("secrets", &self.secrets)
            .field("clients", &self.clients)
            .field("proxies", &self.proxies)
            .field("user_agent_token", &self.user_agent_token)
            .field("crawler", &self.crawler)
            .finish()
    }
}

/// Parses the registry's public URL: scheme and host, no path.
pub fn public_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text)
        .map_err(|error| format!("{error}; use the form https://agentdex.example"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("the URL must begin with https:// or http://".to_owned());
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        let text = "the registry needs a host of its own; leave out what follows the host";
        return Err(text.to_owned());
    }
    Ok(url)
}

/// Parses a contact: a page, or a mail address without `mailto:`.
pub fn contact(text: &str) -> Result<String, String> {
    let text = text.trim();
    let mailbox = text.strip_prefix("mailto:").unwrap_or(text);
    let is_page = Url::parse(text).is_ok_and(|url| url.scheme() == "https" && url.has_host());
    let is_mailbox = mailbox
        .split_once('@')
        .is_some_and(|(local, host)| !local.is_empty() && manifest::Domain::parse(host).is_ok());
    let is_plain = mailbox.chars().all(|it| it.is_ascii_graphic());
    if is_plain && (is_page || is_mailbox) {
        Ok(mailbox.to_owned())
    } else {
        Err("expected the https URL of a page, or a mail address".to_owned())
    }
}

/// Parses a network or a single address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse().map(|address: IpAddr| IpNet::from(address));
    text.parse()
        .or_else(|_| address())
        .map_err(|_| "expected an address or a network, such as 192.0.2.7 or 10.0.0.0/8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_command_line_is_sound() {
        Config::command().debug_assert();
    }

    #[test]
    fn a_password_is_never_logged() {
        let urls = [
            "postgres://me:open-sesame@db/x",
            "postgres://me:open-sesame@replica/x",
        ];
        let config = Config::parse_from(["web", "--database", urls[0], "--read-database", urls[1]]);
        let text = format!("{config:?}");
        assert!(!text.contains("sesame"), "{text}");
        for shown in ["postgres://me:***@db/x", "postgres://me:***@replica/x"] {
            assert!(text.contains(shown), "{text}");
        }
    }

    #[test]
    fn visitors_are_sent_where_we_listen_unless_message_otherwise() {
        let listening: SocketAddr = "127.0.0.1:81".parse().unwrap();
        let config = Config::parse_from(["web"]);
        assert_eq!(config.public_url(listening), "http://127.0.0.1:81");
        let config = Config::parse_from(["web", "--public-url", "https://agentdex.example"]);
        assert_eq!(config.public_url(listening), "https://agentdex.example");
    }

    #[test]
    fn a_proxy_is_an_address_or_a_network() {
        let config = Config::parse_from(["web", "--trusted-proxy", "192.0.2.7,fd00::/8"]);
        let networks = ["192.0.2.7/32", "fd00::/8"].map(|it| it.parse().unwrap());
        assert_eq!(config.proxies.trusted_proxy, networks);
        let wrong = Config::try_parse_from(["web", "--trusted-proxy", "proxy.example"]);
        let message = wrong.unwrap_err().to_string();
        assert!(message.contains("10.0.0.0/8"), "{message}");
    }

    #[test]
    fn a_contact_is_a_page_with_tls_or_a_mail_address() {
        let page = "https://agentdex.example/contact";
        assert_eq!(contact(page).as_deref(), Ok(page));
        for mailbox in ["a@agentdex.example", "mailto:a@agentdex.example"] {
            assert_eq!(contact(mailbox).as_deref(), Ok("a@agentdex.example"));
        }
        for wrong in [
            "",
            "agentdex",
            "@agentdex.example",
            "http://agentdex.example/",
            "a b@c.example",
            "a@b\nc",
        ] {
            assert!(contact(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_public_url_has_no_path() {
        assert!(public_url("https://agentdex.example").is_ok());
        for wrong in ["agentdex.example", "ftp://a.example", "https://a.example/x"] {
            assert!(public_url(wrong).is_err(), "{wrong}");
        }
    }
}
