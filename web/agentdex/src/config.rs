//! The command line: as typed ([`CommandLine`]), then as the parts want it.

use clap::builder::Resettable;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use crawler::config::{ProgressStyle, RawConfig, RawNetwork};
use indexer::switch;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use url::Url;
use web::config::Proxies;

/// Runs a whole registry in one process: crawls the seed lists, indexes what it finds, serves it.
///
/// The pages answer from the first second on, and what the crawler finds is searchable within two.
/// It keeps running and visits each site again when it is due, until Ctrl-C: the first finishes the
/// visits in flight, the second stops at once. The same command carries on from there.
#[derive(Debug, Parser)]
#[command(name = "agentdex", version)]
#[command(group = clap::ArgGroup::new("source").required(true).multiple(true).args(["demo", "seeds"]))]
pub(crate) struct CommandLine {
    /// Start a small web of demo sites on this machine, and crawl that.
    ///
    /// It has its own DNS, certificates and TLS; nothing leaves the machine. The data goes into a
    /// temporary folder that goes at the end, unless --database and --index say where; what the environment says of seeds,
    /// data and network is left alone.
    #[arg(long, conflicts_with_all = ["seeds", "nameserver", "root_ca", "allow_address"])]
    pub(crate) demo: bool,

    /// A seed list: one domain, host:port, URL or ajson:// URI a line; repeatable, '-' is standard input.
    ///
    /// A URL with a path is asked for besides the usual places.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SEEDS")]
    pub(crate) seeds: Vec<PathBuf>,

    /// The database, created if missing [default: sqlite:data/agentdex.db].
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        hide_env_values = true
    )]
    pub(crate) database: Option<String>,

    /// The folder of the search index, made again when it is deleted [default: data/index].
    #[arg(long, value_name = "DIR", env = "AGENTDEX_INDEX")]
    pub(crate) index: Option<PathBuf>,

    /// Leave out what texts mean: agents are found by their words alone.
    ///
    /// The index is then kept without vectors, which makes it smaller; one that was made with them is
    /// built anew, and the other way round. The variable takes true or false.
    #[arg(
        long,
        env = "AGENTDEX_NO_SEMANTIC",
        value_parser = switch::of("AGENTDEX_NO_SEMANTIC")
    )]
    pub(crate) no_semantic: bool,

    /// Where the registry listens; port 0 takes any that is free.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        env = "AGENTDEX_LISTEN",
        default_value = "127.0.0.1:8080"
    )]
    pub(crate) listen: SocketAddr,

    /// Where visitors reach the registry, when that is not the address it listens on.
    #[arg(long, value_name = "URL", env = "AGENTDEX_PUBLIC_URL", value_parser = web::config::public_url)]
    pub(crate) public_url: Option<Url>,

    /// How the registry is reached.
    #[command(flatten)]
    pub(crate) proxies: Proxies,

    /// Visits at the same time, each to another site.
    #[arg(
        long,
        value_name = "N",
        env = "AGENTDEX_CONCURRENCY",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    pub(crate) concurrency: u32,

    /// How to show the crawl's progress on standard error; auto is a bar on a terminal and a log elsewhere.
    #[arg(
        long,
        value_name = "HOW",
        env = "AGENTDEX_PROGRESS",
        default_value = "auto"
    )]
    pub(crate) progress: ProgressStyle,

    /// How to reach the sites.
    #[command(flatten)]
    pub(crate) network: RawNetwork,
}

impl CommandLine {
    /// Reads the command line. The demo brings its own sites and data, so it leaves alone what the
    /// environment says of the operator's.
    pub(crate) fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        let is_demo = arguments.iter().any(|argument| argument == "--demo");
        let own = [
            "seeds",
            "database",
            "index",
            "nameserver",
            "root_ca",
            "allow_address",
            "contact",
        ];
        let command = Self::command().mut_args(|argument| {
            if is_demo && own.contains(&argument.get_id().as_str()) {
                argument.env(Resettable::Reset)
            } else {
                argument
            }
        });
        let mut matches = command.try_get_matches_from(arguments)?;
        Self::from_arg_matches_mut(&mut matches)
    }

    /// The crawler's part: it keeps running, and this process shows its progress.
    pub(crate) fn crawler(&self, database: &str) -> RawConfig {
        RawConfig {
            seeds: self.seeds.clone(),
            database: database.to_owned(),
            watch: true,
            now: false,
            limit: None,
            concurrency: self.concurrency,
            report: None,
            progress: self.progress,
            metrics: None,
            network: self.network.clone(),
        }
    }

    /// The web's part.
    pub(crate) fn web(&self, database: &str, index: PathBuf) -> web::Config {
        web::Config {
            listen: self.listen,
            database: database.to_owned(),
            index,
            no_semantic: self.no_semantic,
            public_url: self.public_url.clone(),
            proxies: self.proxies.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<CommandLine, clap::Error> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        CommandLine::read(&arguments)
    }

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn there_is_something_to_crawl() {
        assert!(read(&["agentdex"]).is_err());
        assert!(read(&["agentdex", "--demo"]).is_ok());
        assert!(read(&["agentdex", "--seeds", "domains.txt"]).is_ok());
        assert!(read(&["agentdex", "--demo", "--seeds", "x"]).is_err());
    }
}
