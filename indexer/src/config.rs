//! The command line of `indexer`.

use crate::convert::Convert;
use crate::eval::Eval;
use crate::lint::Lint;
use clap::{Parser, Subcommand};
use indexer::search::semantic::{self, Table};
use std::path::{Path, PathBuf};

/// Turns the documents that the crawler stored into agents and makes them searchable.
///
/// Without a command it reads what is new, brings the index in step and exits. It may run while a crawler and a web
/// server use the same database; only one indexer may work on a database, or on an index, at a time.
#[derive(Clone, Debug, Parser)]
#[command(name = "indexer", version, max_term_width = 100)]
pub(crate) struct Config {
    /// Keep running: new documents become searchable within two seconds.
    #[arg(long, env = "AGENTDEX_WATCH")]
    pub(crate) watch: bool,

    /// The database that crawler, indexer and web share.
    #[arg(
        long,
        global = true,
        env = "AGENTDEX_DATABASE",
        value_name = "URL",
        default_value = "sqlite:data/agentdex.db",
        hide_env_values = true
    )]
    pub(crate) database: String,

    /// Folder of the search index. It is derived from the database and may be deleted at any time.
    #[arg(
        long,
        global = true,
        env = "AGENTDEX_INDEX",
        value_name = "DIR",
        default_value = "data/index"
    )]
    pub(crate) index: PathBuf,

    /// Find agents by their words alone, and keep no vectors of what they mean; an index made otherwise is built anew.
    #[arg(long, global = true, env = "AGENTDEX_NO_SEMANTIC")]
    pub(crate) no_semantic: bool,

    /// What to do instead.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What to do instead of reading what is new.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Build the index anew from the agents in the database; the old one answers until the new one is whole.
    Rebuild,
    /// Read every stored document again, for instance after an update that reads more formats.
    Reread,
    /// Show what the database holds: documents by format and level, agents, findings.
    Stats,
    /// Search the index and say why each agent was found.
    Search(Search),
    /// Measure the search by a labelled collection, or by the registry's own data.
    Eval(Eval),
    /// Say what is wrong in manifests, and where.
    Lint(Lint),
    /// Say a manifest again in another format; what is lost goes to standard error.
    Convert(Convert),
}

/// What to search, and how to show it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Search {
    /// Words, "a phrase", -word, field:value (site, format, cap, tag, auth, protocol, level), is:up, is:failing,
    /// is:signed, OR, begin*.
    ///
    /// Put -- before a query with a -word, so that it is not taken for a flag.
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,

    /// Print one JSON object instead of a list for people.
    #[arg(long)]
    pub(crate) json: bool,

    /// Show at most so many agents.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
}

impl Config {
    /// Where meanings come from, unless they are not wanted.
    pub(crate) fn table(&self) -> Option<&'static Table> {
        semantic::shipped_unless(self.no_semantic)
    }

    /// The database's file, when it names one that does not exist.
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
    fn a_missing_database_is_noticed() {
        let config =
            Config::try_parse_from(["indexer", "--database", "sqlite:no/such.db"]).unwrap();
        assert_eq!(config.missing_database(), Some(PathBuf::from("no/such.db")));
    }
}
