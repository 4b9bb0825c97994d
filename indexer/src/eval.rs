//! `indexer eval`: how good the search is, as numbers.

use crate::config::Config;
use crate::print;
use anyhow::{Context as _, bail};
use indexer::relevance::withheld::{BIAS, Withheld};
use indexer::relevance::{self, Answer, Collection, Report};
use indexer::search::semantic::Table;
use indexer::search::writer::Position;
use indexer::search::{IndexWriter, Searcher};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;
use tokio::runtime::Handle;

/// Agents read at once.
const AGENTS: u32 = 500;

/// What to measure the search by.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A collection is a folder of queries.jsonl, with {\"qid\", \"text\", \"type\"} on each line, and qrels.tsv, with query id,
document id and grade separated by tabs. Documents are domains or agents, unless a map of sites names them.

Examples:
  indexer eval needs/
  indexer eval --self --database sqlite:data/agentdex.db")]
pub(crate) struct Eval {
    /// Folder of the labelled collection.
    #[arg(
        value_name = "DIR",
        required_unless_present = "own",
        conflicts_with = "own"
    )]
    folder: Option<PathBuf>,

    /// Measure the registry by its own data: examples of publishers, withheld from a temporary index.
    #[arg(long = "self")]
    pub(crate) own: bool,

    /// The documents' domains: document id, tab, domain on each line. Without it, DIR/sites.tsv if it is there.
    #[arg(long, value_name = "FILE", conflicts_with = "own")]
    sites: Option<PathBuf>,

    /// Write what was found for other scorers: query id, document id, rank and score, separated by tabs.
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,

    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

/// Measures, and prints the figures. With a store it is the registry's own data; `temporary` is then for its index.
pub(crate) fn run(
    config: &Config,
    command: &Eval,
    store: Option<&Arc<dyn Store>>,
    temporary: &Path,
) -> anyhow::Result<()> {
    let (collection, answers) = match (store, &command.folder) {
        (Some(store), _) => of_itself(store, temporary, config.table())?,
        (None, Some(folder)) => {
            let collection = Collection::read(folder, command.sites.as_deref())?;
            let answers =
                relevance::answers(&Searcher::open(&config.index, config.table())?, &collection)?;
            (collection, answers)
        }
        (None, None) => bail!("give the folder of a collection, or --self"),
    };
    if let Some(file) = &command.run {
        std::fs::write(file, relevance::run_file(&collection, &answers))
            .with_context(|| format!("cannot write '{}'", file.display()))?;
    }
    let report = Report::of(&collection, &answers);
    let bias = command.own.then_some(BIAS);
    if command.json {
        let answer = json!({"groups": report.groups, "unmet": report.unmet, "bias": bias});
        return print(&format!("{answer:#}\n"));
    }
    print(&bias.map_or_else(|| report.to_string(), |bias| format!("{report}\n{bias}\n")))
}

/// Indexes every agent but for the withheld examples, and asks for these.
fn of_itself(
    store: &Arc<dyn Store>,
    temporary: &Path,
    table: Option<&'static Table>,
) -> anyhow::Result<(Collection, Vec<Answer>)> {
    let mut withheld = Withheld::default();
    each_agent(store, |agent| {
        withheld.offer(&agent);
        Ok(())
    })?;
    if withheld.is_empty() {
        bail!("no agent in the database gives an example, so there is nothing to ask for");
    }
    let mut writer = IndexWriter::open(temporary, table)?;
    let build = writer.rebuild()?;
    each_agent(store, |agent| Ok(build.add(&withheld.without(agent))?))?;
    writer.switch(build, Position::default())?;
    let collection = withheld.collection();
    let answers = relevance::answers(&Searcher::open(temporary, table)?, &collection)?;
    Ok((collection, answers))
}

/// Goes through the agents of a store, page by page, on a thread that may block.
fn each_agent(
    store: &Arc<dyn Store>,
    mut look: impl FnMut(store::StoredAgent) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = Handle::current();
    let mut after = None;
    loop {
        let agents = runtime.block_on(store.agents(after.as_ref(), AGENTS))?;
        let Some(last) = agents.last() else {
            return Ok(());
        };
        after = Some(last.listing.id.clone());
        agents.into_iter().try_for_each(&mut look)?;
    }
}
