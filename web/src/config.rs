//! The command line of `web`.

use indexer::switch;
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use url::Url;

/// Serves the registry: pages for people, JSON for programs.
///
/// It reads the database that `crawler` and `indexer` write, and the index beside it, and may be
/// started before either has run: searches are answered from the moment that the index is there.
#[derive(Clone, clap::Parser)]
#[command(name = "web", version, about, long_about)]
pub struct Config {
    /// Where to listen; port 0 takes any that is free.
    #[arg(
        long,
        env = "AGENTDEX_LISTEN",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:8080"
    )]
    pub listen: SocketAddr,

    /// The database, created if it is missing.
    #[arg(
        long,
        env = "AGENTDEX_DATABASE",
        value_name = "URL",
        default_value = "sqlite:data/agentdex.db",
        hide_env_values = true
    )]
    pub database: String,

    /// The folder of the search index, which `indexer` writes.
    #[arg(
        long,
        env = "AGENTDEX_INDEX",
        value_name = "DIR",
        default_value = "data/index"
    )]
    pub index: PathBuf,

    /// Leave out what texts mean: agents are found by their words alone.
    ///
    /// So they are without it where the index was made without vectors (`indexer --no-semantic`). The
    /// variable takes true or false.
    #[arg(
        long,
        env = "AGENTDEX_NO_SEMANTIC",
        value_parser = switch::of("AGENTDEX_NO_SEMANTIC")
    )]
    pub no_semantic: bool,

    /// Where visitors reach the registry, as in `https://agentdex.example`; by default the address that
    /// it listens on.
    #[arg(long, env = "AGENTDEX_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<Url>,

    /// How it is reached.
    #[command(flatten)]
    pub proxies: Proxies,
}

/// What stands between the visitors and the registry.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Proxies {
    /// Reverse proxies before the registry: their addresses are those of many visitors, and may have as many
    /// connections as there are.
    ///
    /// Repeatable. Those on the same machine need not be named.
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
    /// Where visitors reach the registry, without a slash at the end: as configured, else `listening`.
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
            .field("index", &self.index)
            .field("no_semantic", &self.no_semantic)
            .field("public_url", &self.public_url)
            .field("proxies", &self.proxies)
            .finish()
    }
}

/// A database URL that may be shown.
pub fn without_password(database: &str) -> String {
    match Url::parse(database) {
        Ok(mut url) if url.password().is_some() => match url.set_password(Some("***")) {
            Ok(()) => url.into(),
            Err(()) => "(hidden)".to_owned(),
        },
        Ok(_) | Err(_) => database.to_owned(),
    }
}

/// Reads a registry's own URL: scheme and host, no path.
pub fn public_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text)
        .map_err(|error| format!("{error}; give it as in https://agentdex.example"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it must begin with https:// or http://".to_owned());
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err("the registry needs a host of its own: leave out the path".to_owned());
    }
    Ok(url)
}

/// Reads a network, or a single address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse().map(|address: IpAddr| IpNet::from(address));
    text.parse()
        .or_else(|_| address())
        .map_err(|_| "give an address or a network, such as 192.0.2.7 or 10.0.0.0/8".to_owned())
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
        let config = Config::parse_from(["web", "--database", "postgres://me:secret@db/x"]);
        let text = format!("{config:?}");
        assert!(!text.contains("secret"), "{text}");
        assert!(text.contains("postgres://me:***@db/x"), "{text}");
    }

    #[test]
    fn visitors_are_sent_where_we_listen_unless_told_otherwise() {
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
        let told = wrong.unwrap_err().to_string();
        assert!(told.contains("10.0.0.0/8"), "{told}");
    }

    #[test]
    fn a_public_url_has_no_path() {
        assert!(public_url("https://agentdex.example").is_ok());
        for wrong in ["agentdex.example", "ftp://a.example", "https://a.example/x"] {
            assert!(public_url(wrong).is_err(), "{wrong}");
        }
    }
}
