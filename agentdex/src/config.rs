//! The command line, and its conversion to the configurations of the parts.

use crate::backup;
use crate::bridge::Bridge;
use crate::migrate::Migrate;
use crate::seeds::Seeds;
use clap::builder::Resettable;
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use crawler::config::{ProgressStyle, RawConfig, RawNetwork, StopWithin};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use url::Url;
use web::config::{AdminListen, ClientLimits, Proxies, PublishedCrawler, SecretsFile};

/// Runs a whole registry in one process: crawls the seed lists, indexes what it finds, serves it.
///
/// The pages are available at once, and new agents are searchable within two seconds. The program
/// keeps running and visits each site again when it is due. Ctrl-C finishes the visits in flight
/// and stops; a second Ctrl-C stops at once. The same command resumes the crawl, and needs no seeds
/// once there is a database.
#[derive(Debug, Parser)]
#[command(name = "agentdex", version, args_conflicts_with_subcommands = true)]
pub(crate) struct CommandLine {
    /// Command to execute instead.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Start a small web of demo sites on this machine, and crawl it.
    ///
    /// It has its own DNS, certificates and TLS; nothing leaves the machine. Its agents answer calls:
    /// the program prints how to reach them with curl. The data is stored in
    /// a temporary directory that is removed at the end, unless --database and --index name other
    /// places. Environment variables for seeds, data and network are ignored.
    #[arg(long, conflicts_with_all = ["seeds", "nameserver", "root_ca", "allow_address"])]
    pub(crate) demo: bool,

    /// Options of the registry.
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Options of a registry in one process.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Seed list: a domain, host:port, URL or ajson:// URI a line; repeatable, '-' is stdin.
    ///
    /// A URL with a path is requested in addition to the known paths.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_SEEDS")]
    pub(crate) seeds: Vec<PathBuf>,

    /// Database URL; the database is created if missing [default: sqlite:data/agentdex.db].
    #[arg(long, value_name = "URL", env = "AGENTDEX_DATABASE")]
    pub(crate) database: Option<String>,

    /// URL of a replica of the database, from which pages, answers and exports are read.
    ///
    /// Only with PostgreSQL. What visitors send is written to --database, and the crawler and the indexer
    /// use it alone. Pages and answers are read there too while the replica is away or more than five
    /// seconds behind.
    #[arg(long, value_name = "URL", env = "AGENTDEX_READ_DATABASE")]
    pub(crate) read_database: Option<String>,

    /// Directory of the search index, rebuilt if deleted [default: data/index].
    #[arg(long, value_name = "DIR", env = "AGENTDEX_INDEX")]
    pub(crate) index: Option<PathBuf>,

    /// Folder of the daily exports [default: beside the database, as in `data/export`].
    ///
    /// They are written once a day, and served at `/api/v1/export/`.
    #[arg(long, env = "AGENTDEX_EXPORT", value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,

    /// Disable semantic search: agents are matched by words only, without embeddings.
    ///
    /// The index is then stored without vectors, which makes it smaller. Changing this setting
    /// rebuilds the index.
    #[arg(long, env = "AGENTDEX_NO_SEMANTIC")]
    pub(crate) no_semantic: bool,

    /// File of domains that are neither visited nor listed; it is read again while the program runs.
    ///
    /// Each line has a domain, or '*.' and a suffix, and after a space the public reason; '#' starts
    /// a comment line. A domain that leaves the file has to be added as a seed again.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_BLOCKLIST")]
    pub(crate) blocklist: Option<PathBuf>,

    /// Address to listen on; port 0 picks a free port.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        env = "AGENTDEX_LISTEN",
        default_value = "127.0.0.1:8080"
    )]
    pub(crate) listen: SocketAddr,

    /// Health and metrics.
    #[command(flatten)]
    pub(crate) admin: AdminListen,

    /// URL that visitors use [default: the listen address].
    #[arg(long, value_name = "URL", env = "AGENTDEX_PUBLIC_URL", value_parser = web::config::public_url)]
    pub(crate) public_url: Option<Url>,

    /// File of secrets.
    #[command(flatten)]
    pub(crate) secrets: SecretsFile,

    /// Limits of clients.
    #[command(flatten)]
    pub(crate) clients: ClientLimits,

    /// Reverse proxies.
    #[command(flatten)]
    pub(crate) proxies: Proxies,

    /// Keys and addresses of the crawler.
    #[command(flatten)]
    pub(crate) crawler: PublishedCrawler,

    /// Number of concurrent visits, each to a different site.
    #[arg(
        long,
        value_name = "N",
        env = "AGENTDEX_CONCURRENCY",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    pub(crate) concurrency: u32,

    /// Progress display on standard error; auto is a bar on a terminal and a log elsewhere.
    #[arg(
        long,
        value_name = "HOW",
        env = "AGENTDEX_PROGRESS",
        default_value = "auto"
    )]
    pub(crate) progress: ProgressStyle,

    /// Time in which the program stops.
    #[command(flatten)]
    pub(crate) stop: StopWithin,

    /// Network settings of the crawler.
    #[command(flatten)]
    pub(crate) network: RawNetwork,
}

/// Command that replaces running the registry.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Backups of the database.
    #[command(flatten)]
    Data(backup::Command),
    /// Move the registry from its file to an empty database of a PostgreSQL server.
    ///
    /// `agentdex migrate --from sqlite:data/agentdex.db --to postgres://agentdex@db.example/agentdex`
    ///
    /// Stop all programs first: none may use either database meanwhile. All tables are copied; then
    /// both databases are read again, and the counts and hashes of each table compared. The change log
    /// goes on with its epoch, so that followers and search indexes need not begin anew. The file
    /// stays as it is. A move that was stopped goes on with the same command, and until it is complete,
    /// programs refuse the new database. Exit codes: 0 moved, or moved before, 1 failed, 2 usage error
    /// or a database that is not empty, 130 stopped by Ctrl-C.
    Migrate(Migrate),
    /// Serve the MCP tools of a registry on standard input and output.
    ///
    /// For clients of MCP that can only start a command. Clients that take an address need no
    /// bridge: the server is at /mcp of the registry. Standard output has nothing but messages of
    /// the protocol, standard error has the log, and the end of standard input ends the command.
    /// It follows no redirects, uses no proxy, and trusts the certificates that this machine trusts.
    Mcp(Bridge),
    /// Print the configuration that is in force, with the source of each value, and what is missing.
    ///
    /// It takes the options of the registry, and reads the same environment variables. Nothing is
    /// started, written or sent, and no password is printed. Exit codes: 0 the registry would start, 2 it
    /// would not.
    CheckConfig(Box<Options>),
    /// Print a seed list made from a ranking of sites or an export of a registry.
    ///
    /// One seed a line on standard output, each once (of more than seven million, later ones may come
    /// again); counts on standard error of what was rejected, and why. Exit codes: 0 done, 1 nothing
    /// usable or a file that is cut off, whose seeds are printed up to there, 2 usage error.
    Seeds(Seeds),
}

impl CommandLine {
    /// Returns the description of the command line for these arguments. The demo has its own sites and
    /// data, so it ignores the environment variables for the operator's.
    pub(crate) fn described(arguments: &[OsString]) -> clap::Command {
        let is_demo = arguments.iter().any(|argument| argument == "--demo");
        let own = [
            "seeds",
            "database",
            "read_database",
            "index",
            "export",
            "secrets",
            "blocklist",
            "nameserver",
            "root_ca",
            "allow_address",
            "contact",
            "crawler_addresses",
            "crawler_keys",
        ];
        Self::command().mut_args(|argument| {
            if is_demo && own.contains(&argument.get_id().as_str()) {
                argument.env(Resettable::Reset)
            } else {
                argument
            }
        })
    }
}

impl Options {
    /// Returns the database URL, as given or the default.
    pub(crate) fn database(&self) -> &str {
        self.database.as_deref().unwrap_or(store::DEFAULT_DATABASE)
    }

    /// Returns the directory of the index, as given or the default.
    pub(crate) fn index(&self) -> PathBuf {
        let given = self.index.clone();
        given.unwrap_or_else(|| PathBuf::from(store::DEFAULT_INDEX))
    }

    /// Returns the crawler's configuration: it keeps running, and this process shows its progress.
    pub(crate) fn crawler(&self) -> RawConfig {
        RawConfig {
            seeds: self.seeds.clone(),
            database: self.database().to_owned(),
            watch: true,
            now: false,
            limit: None,
            concurrency: self.concurrency,
            blocklist: self.blocklist.clone(),
            report: None,
            progress: self.progress,
            admin_listen: None,
            stop: self.stop,
            network: self.network.clone(),
        }
    }

    /// Returns the contact for the registry's own manifests: that of the crawler, if it is a mail
    /// address or a page with TLS.
    fn contact(&self) -> Option<String> {
        let contact = self.network.contact.as_deref()?;
        web::config::contact(contact).ok()
    }

    /// Returns the web server's configuration.
    pub(crate) fn web(&self) -> web::Config {
        web::Config {
            listen: self.listen,
            database: self.database().to_owned(),
            read_database: self.read_database.clone(),
            index: self.index(),
            // The indexer of this process writes it.
            follow: false,
            export: self.export.clone(),
            no_semantic: self.no_semantic,
            admin: self.admin,
            public_url: self.public_url.clone(),
            contact: self.contact(),
            secrets: self.secrets.clone(),
            clients: self.clients.clone(),
            proxies: self.proxies.clone(),
            user_agent_token: self.network.user_agent_token.clone(),
            crawler: self.crawler.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches as _;

    fn read(arguments: &[&str]) -> Result<CommandLine, clap::Error> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let command = terminal::usage::prepared(CommandLine::described(&arguments));
        let matches = command.try_get_matches_from(&arguments)?;
        CommandLine::from_arg_matches(&matches)
    }

    #[test]
    fn the_command_line_is_valid() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn the_demo_and_commands_exclude_options() {
        for valid in [
            &["agentdex"][..],
            &["agentdex", "--demo"],
            &["agentdex", "--seeds", "domains.txt"],
            &["agentdex", "backup", "x.tar.zst"],
            &["agentdex", "mcp", "--registry", "http://localhost:8080"],
            &["agentdex", "check-config", "--seeds", "domains.txt"],
            &["agentdex", "seeds", "mcp", "servers.json"],
            &[
                "agentdex",
                "migrate",
                "--from",
                "sqlite:x",
                "--to",
                "postgres://h/x",
            ],
        ] {
            assert!(read(valid).is_ok(), "{valid:?}");
        }
        for wrong in [
            &["agentdex", "--demo", "--seeds", "x"][..],
            &["agentdex", "--demo", "backup", "x.tar.zst"],
            &["agentdex", "mcp"],
            &["agentdex", "migrate", "--from", "sqlite:x"],
            &["agentdex", "seeds", "csv", "servers.json"],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
