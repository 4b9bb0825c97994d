//! The command line of `indexer`.

use crate::convert::Convert;
use crate::eval::Eval;
use crate::lint::Lint;
use clap::{Parser, Subcommand};
use indexer::search::semantic::{self, Table};
use indexer::switch;
use std::path::{Path, PathBuf};

/// What the options of the registry stand under: every command takes them, and two have no use for them.
const REGISTRY: &str = "Registry (lint and convert need none)";

/// Turns the documents that the crawler stored into agents and makes them searchable.
///
/// Without a command it reads what is new, brings the index in step and exits. It may run while a crawler and a web
/// server use the same database; only one indexer may work on a database, or on an index, at a time.
#[derive(Clone, Debug, Parser)]
#[command(name = "indexer", version, max_term_width = 100)]
pub(crate) struct Config {
    /// Keep running: new documents become searchable within two seconds. Only without a command.
    ///
    /// The variable takes true or false.
    #[arg(long, env = "AGENTDEX_WATCH", value_parser = switch::of("AGENTDEX_WATCH"))]
    pub(crate) watch: bool,

    /// The database that crawler, indexer and web share.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_DATABASE",
        value_name = "URL",
        default_value = "sqlite:data/agentdex.db",
        hide_env_values = true
    )]
    pub(crate) database: String,

    /// The folder of the search index. It comes from the database: deleted, it is made again by the next run.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_INDEX",
        value_name = "DIR",
        default_value = "data/index"
    )]
    pub(crate) index: PathBuf,

    /// Leave out what texts mean: agents are found by their words alone.
    ///
    /// Without a command, and with rebuild or reread, the index is then kept without vectors, which makes it smaller;
    /// one that was made with them is built anew, and the other way round. With search and eval, which leave the index
    /// as it is, it decides for this search. The variable takes true or false.
    #[arg(
        long,
        global = true,
        help_heading = REGISTRY,
        env = "AGENTDEX_NO_SEMANTIC",
        value_parser = switch::of("AGENTDEX_NO_SEMANTIC")
    )]
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
#[command(after_help = "\
Query:
  book a table       what is needed, in words: the more they tell, the better
  \"book a table\"     these words in this order
  -hotel             nobody with this word; so with a phrase or a field after the minus
  ferry OR boat      either of them
  reserv*            words that begin so, from two letters on
  auth:none          only agents with this value of a field; of two values, either

Fields:
  site:shop.example         a domain, with everything below it
  tld:org                   the end of the domain
  format:a2a-agent-card     the format of the file that describes it
  protocol:mcp              how to talk to it
  auth:none                 how to sign in: none, api_key, oauth2, bearer, basic, openid, unknown ...
  level:A                   the quality of its files: A, B or C
  cap:book_table            a capability, by its whole name or id (also capability:)
  tag:travel                a tag
  lang:pt                   a language (also language:)
  status:ok                 how its site answered at our last visit: ok, failing or unknown
  signed:true               a file of it carries a signature
  openapi:true              there is an OpenAPI description
  session:true              a capability needs a session
  handoff:true              a capability is finished by a person
  modality_in:text/plain    what it takes
  modality_out:image/png    what it gives
  is:up, is:failing, is:signed   the same as status:ok, status:failing, signed:true

Levels of a hit: strong, right with a chance of 60 % and more; good, 40 % and more; weak, rather wrong.

Examples:
  indexer search book a table for four in Lisbon
  indexer search 'rent a bike lang:pt auth:none'
  indexer search -- ferry -hotel is:up")]
pub(crate) struct Search {
    /// What is needed, in words; signs and fields, told below, say more.
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
    use indexer::search::Facet;

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
    fn the_help_of_a_search_tells_every_field() {
        let mut command = Config::command();
        let search = command.find_subcommand_mut("search").unwrap();
        let help = search.render_long_help().to_string();
        for facet in Facet::ALL {
            let field = format!("{}:", facet.as_str());
            assert!(help.contains(&field), "{field} is not in:\n{help}");
        }
        for sign in [
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
            assert!(help.contains(sign), "{sign} is not in:\n{help}");
        }
    }

    #[test]
    fn a_missing_database_is_noticed() {
        let config =
            Config::try_parse_from(["indexer", "--database", "sqlite:no/such.db"]).unwrap();
        assert_eq!(config.missing_database(), Some(PathBuf::from("no/such.db")));
    }
}
