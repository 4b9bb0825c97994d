//! `indexer eval`: how good the search is, as numbers.

use crate::config::Config;
use crate::print;
use anyhow::{Context as _, bail};
use indexer::relevance::withheld::{BIAS, Withheld};
use indexer::relevance::{self, Answer, Collection, Held, Report};
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
Crawl and index them first: where the index holds none of them, there is nothing to measure.

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
    let (collection, answers, held) = match (store, &command.folder) {
        (Some(store), _) => {
            let (collection, answers) = of_itself(store, temporary, config.table())?;
            (collection, answers, None)
        }
        (None, Some(folder)) => {
            let collection = Collection::read(folder, command.sites.as_deref())?;
            let searcher = Searcher::open(&config.index, config.table())?;
            let held = Held::of(&searcher, &collection)?;
            if held.judged > 0 && held.indexed == 0 {
                bail!(
                    "the index at '{}' holds none of the {} sites and agents that the collection judges: \
                     crawl and index them first, or give their index with --index{}",
                    config.index.display(),
                    held.judged,
                    if collection.sites.is_empty() {
                        " and their domains with --sites"
                    } else {
                        ""
                    }
                );
            }
            let answers = relevance::answers(&searcher, &collection)?;
            (collection, answers, Some(held))
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
        let answer = json!({
            "groups": report.groups, "unmet": report.unmet, "documents": held, "bias": bias,
        });
        return print(&format!("{answer:#}\n"));
    }
    let held = held.map_or_else(String::new, |Held { judged, indexed }| {
        format!("{indexed} of the {judged} sites and agents that the collection judges are in the index.\n\n")
    });
    let bias = bias.map_or_else(String::new, |bias| format!("\n{bias}\n"));
    print(&format!("{held}{report}{bias}"))
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
