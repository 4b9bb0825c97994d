//! The command line of `indexer`.

use crate::convert::Convert;
use crate::eval::Eval;
use crate::lint::Lint;
use crate::moderate::{Moderate, Reports};
use admin::Listen;
use clap::{Parser, Subcommand};
use export::{self, daily};
use search::embedding::{self, Models};
use std::path::{Path, PathBuf};

/// Help heading of the options that every command accepts, although `lint` and `convert` ignore
/// them.
const REGISTRY: &str = "Registry (not used by lint and convert)";

/// Reads the stored documents, extracts the agents and makes them searchable.
///
/// Without a command it reads new documents, updates the index and exits. It may run while a
/// crawler and a web server use the same database. Only one indexer reads the documents of a database at
/// a time, and only one works on an index. On PostgreSQL, further ones with --watch keep indexes of their
/// own up to date, and one takes over within ten seconds once the reading one has ended.
#[derive(Clone, Debug, Parser)]
#[command(name = "indexer", version, max_term_width = 100)]
pub(crate) struct Config {
    /// Keep running: new documents become searchable within two seconds. Commands ignore it.
    #[arg(long, env = "AGENTDEX_WATCH")]
    pub(crate) watch: bool,

    /// Update the index from the agents in the database, and read no documents: another indexer does, on
    /// another machine. Its index is at another place. Commands ignore it.
    #[arg(long, env = "AGENTDEX_INDEX_ONLY")]
    pub(crate) index_only: bool,

    /// Serve /healthz, /readyz and /metrics at this address; a port alone means 127.0.0.1.
    /// Commands ignore it.
    #[arg(long, env = "AGENTDEX_INDEXER_ADMIN_LISTEN", value_name = "ADDR:PORT")]
    pub(crate) admin_listen: Option<Listen>,

    /// Database shared by crawler, indexer and web.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_DATABASE",
        value_name = "URL",
        default_value = store::DEFAULT_DATABASE
    )]
    pub(crate) database: String,

    /// URL of a replica of the database, from which exports are read.
    ///
    /// Only with PostgreSQL, where what reads for minutes keeps old rows from being removed. Everything
    /// else reads --database.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_READ_DATABASE",
        value_name = "URL"
    )]
    pub(crate) read_database: Option<String>,

    /// Directory of the search index. It is derived from the database: if deleted, the next run
    /// rebuilds it.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_INDEX",
        value_name = "DIR",
        default_value = store::DEFAULT_INDEX
    )]
    pub(crate) index: PathBuf,

    /// Folder of the daily exports [default: beside the database, as in `data/export`].
    ///
    /// With --watch, all agents are exported there once a day, and entries of the change log that are
    /// older than 90 days and that the export contains are dropped. The last 7 exports are kept.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_EXPORT",
        value_name = "DIR"
    )]
    pub(crate) export: Option<PathBuf>,

    /// Disable semantic search: agents are matched by words only, without embeddings.
    ///
    /// Without a command, and with rebuild or reread, the index then contains no vectors, which
    /// makes it smaller; changing this setting rebuilds the index. search and eval do not change
    /// the index; there it applies to this run only.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_NO_SEMANTIC"
    )]
    pub(crate) no_semantic: bool,

    /// File of domains that are neither visited nor listed. Commands ignore it.
    ///
    /// Each line has a domain, or '*.' and a suffix, and after a space the public reason; '#' starts
    /// a comment line. With --watch the file is read again every few seconds. A domain that leaves
    /// the file has to be added as a seed again. Every program on the database applies the list; give
    /// all that have this option the same file.
    #[arg(long, value_name = "FILE", env = "AGENTDEX_BLOCKLIST")]
    pub(crate) blocklist: Option<PathBuf>,

    /// Command to run instead of reading new documents.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Command that replaces reading new documents.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Rebuild the index from the agents in the database; the old one serves searches until the new
    /// one is complete.
    Rebuild,
    /// Read every stored document again, for example after an update that supports more formats.
    Reread,
    /// Show statistics of the database: documents by format and level, agents, findings.
    Stats,
    /// Write all agents to a file, without e-mail addresses and telephone numbers.
    Export(Export),
    /// Drop old entries of the change log that the newest export contains.
    Compact(Compact),
    /// Search the index and explain why each agent matches.
    Search(Search),
    /// Measure search quality with a labelled collection or with the registry's own data.
    Eval(Eval),
    /// Hide the agents of a domain, or one agent, with a public reason; they are visited as before.
    Hide(Moderate),
    /// Show hidden agents again.
    Show(Moderate),
    /// List the open reports of problems, which are third-party text, or close some.
    Reports(Reports),
    /// Check manifests and report each finding with its position.
    Lint(Lint),
    /// Convert a manifest to another format; losses are reported on standard error.
    Convert(Convert),
}

/// Arguments of `indexer export`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Export {
    /// Form of the file.
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) format: export::Format,

    /// File to write, compressed by zstd if its name ends with .zst [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Arguments of `indexer compact`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Compact {
    /// Days for which entries are kept.
    #[arg(
        long,
        value_name = "DAYS",
        env = "AGENTDEX_KEEP_DAYS",
        default_value_t = daily::KEPT_DAYS
    )]
    pub(crate) keep_days: u16,
}

/// Arguments of `indexer search`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Query:
  book a table       a description in words: more detail gives better matches
  \"book a table\"     these words in this order
  -hotel             no agents with this word; also before a phrase or a field
  ferry OR boat      either word
  reserv*            words with this prefix of at least two letters
  auth:none          only agents with this value of a field; two values mean either

Fields:
  site:shop.example         a domain and its subdomains
  tld:org                   the top-level domain
  format:a2a-agent-card     the format of its manifest
  document:mcp-server-card  the format of any of its documents
  protocol:mcp              the protocol of an interface
  auth:none                 authentication: none, api_key, oauth2, bearer, basic, openid, unknown ...
  level:A                   manifest A, B or C
  cap:book_table            a capability, by its full name or id (also capability:)
  tag:travel                a tag
  lang:pt                   a language (also language:)
  status:ok                 the result of the last visit of its site: ok, failing or unknown
  signed:true               one of its manifests is signed
  callable:call             a complete first call is stated; or connect, run, ask, described
  category:food             the kind of need that it meets, or other
  openapi:true              there is an OpenAPI description
  registration:true         a program can register by itself to get a credential
  session:true              a capability requires a session
  handoff:true              a capability hands over to a person
  modality_in:text/plain    an accepted media type
  modality_out:image/png    a media type that it returns
  is:up, is:failing, is:signed   the same as status:ok, status:failing, signed:true

Match levels: strong, correct with a probability of at least 60 %; good, at least 40 %; weak, probably wrong.

Examples:
  indexer search book a table for four in Lisbon
  indexer search 'rent a bike lang:pt auth:none'
  indexer search -- ferry -hotel is:up")]
pub(crate) struct Search {
    /// The query: words, operators and fields, as described below.
    ///
    /// Put -- before a query that contains a -word; otherwise it is read as a flag.
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,

    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,

    /// Maximum number of agents to show.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
}

impl Config {
    /// Returns the models, or `None` with `--no-semantic`.
    pub(crate) fn models(&self) -> Option<Models> {
        embedding::shipped_unless(self.no_semantic)
    }

    /// Returns the folder of the daily exports.
    pub(crate) fn exports(&self) -> PathBuf {
        let folder = self.export.clone();
        folder.unwrap_or_else(|| daily::beside(&self.database))
    }

    /// Returns the path of the database file if it does not exist.
    pub(crate) fn missing_database(&self) -> Option<PathBuf> {
        let path = self.database.strip_prefix("sqlite:")?;
        let path = Path::new(path.strip_prefix("//").unwrap_or(path));
        (!path.exists()).then(|| path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use search::Facet;

    #[test]
    fn the_command_line_is_consistent() {
        Config::command().debug_assert();
    }

    #[test]
    fn flags_may_follow_a_query_and_two_dashes_end_them() {
        let query = |line: &[&str]| {
            let config = Config::try_parse_from(line).unwrap();
            let Some(Command::Search(search)) = config.command else {
                panic!("not a search: {config:?}");
            };
            (search.query, search.json, search.limit)
        };
        assert_eq!(
            query(&[
                "indexer", "search", "book", "a table", "--json", "--limit", "1"
            ]),
            (vec!["book".to_owned(), "a table".to_owned()], true, 1)
        );
        assert_eq!(
            query(&["indexer", "search", "--", "book", "-bar"]),
            (vec!["book".to_owned(), "-bar".to_owned()], false, 10)
        );
        assert!(Config::try_parse_from(["indexer", "search", "book", "--jsn"]).is_err());
    }

    #[test]
    fn the_help_of_search_lists_every_field() {
        let mut command = Config::command();
        let search = command.find_subcommand_mut("search").unwrap();
        let help = search.render_long_help().to_string();
        for facet in Facet::ALL {
            let field = format!("{}:", facet.as_str());
            assert!(help.contains(&field), "{field} is not in:\n{help}");
        }
        for operator in [
            "cap:",
            "lang:",
            "is:up",
            "is:failing",
            "is:signed",
            "OR",
            "reserv*",
            "-hotel",
            "\"book a table\"",
        ] {
            assert!(help.contains(operator), "{operator} is not in:\n{help}");
        }
    }

    #[test]
    fn a_missing_database_is_detected() {
        let config =
            Config::try_parse_from(["indexer", "--database", "sqlite:no/such.db"]).unwrap();
        assert_eq!(config.missing_database(), Some(PathBuf::from("no/such.db")));
    }
}
