//! `indexer eval`: measures search quality.

use crate::print;
use anyhow::{Context as _, bail};
use search::embedding::Models;
use search::follower::vectors;
use search::relevance::holdout::{BIAS, Holdout};
use search::relevance::{self, Answer, Collection, IndexedShare, Report};
use search::{IndexWriter, Position, Searcher, SentenceVectors};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Store, StoredAgent};
use tokio::runtime::Handle;

/// Agents read per batch.
const AGENTS: u32 = 500;

/// Arguments of `indexer eval`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A collection is a directory with queries.jsonl, with {\"qid\", \"text\", \"type\"} on each line, and qrels.tsv, with query id,
document id and grade separated by tabs. Documents are domains or agents, unless a map of sites names them.
Crawl and index the documents first: without any of them in the index there is nothing to measure.

Examples:
  indexer eval needs/
  indexer eval --self --database sqlite:data/agentdex.db")]
pub(crate) struct Eval {
    /// Directory of the labelled collection.
    #[arg(
        value_name = "DIR",
        required_unless_present = "own",
        conflicts_with = "own"
    )]
    folder: Option<PathBuf>,

    /// Measure with the registry's own data: publishers' examples, held out of a temporary index.
    #[arg(long = "self")]
    pub(crate) own: bool,

    /// Domains of the documents: document id, tab, domain on each line [default: DIR/sites.tsv, if
    /// it exists].
    #[arg(long, value_name = "FILE", conflicts_with = "own")]
    sites: Option<PathBuf>,

    /// Write the results for other evaluation tools: query id, document id, rank and score,
    /// separated by tabs.
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,

    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

/// Measures search quality and prints the figures.
///
/// With a store it measures the registry's own data, with an index in `temporary`.
pub(crate) fn run(
    (index, models): (&Path, Option<Models>),
    command: &Eval,
    store: Option<&Arc<dyn Store>>,
    temporary: &Path,
) -> anyhow::Result<()> {
    let (collection, answers, coverage) = match (store, &command.folder) {
        (Some(store), _) => {
            let (collection, answers) = of_itself(store, temporary, models)?;
            (collection, answers, None)
        }
        (None, Some(folder)) => {
            let collection = Collection::read(folder, command.sites.as_deref())?;
            let searcher = Searcher::open(index, models)?;
            let coverage = IndexedShare::of(&searcher, &collection)?;
            if coverage.judged > 0 && coverage.indexed == 0 {
                bail!(
                    "the index at '{}' contains none of the {} sites and agents that the collection judges: \
                     crawl and index them first, or give their index with --index{}",
                    index.display(),
                    coverage.judged,
                    if collection.sites.is_empty() {
                        " and their domains with --sites"
                    } else {
                        ""
                    }
                );
            }
            let answers = relevance::answers(&searcher, &collection)?;
            (collection, answers, Some(coverage))
        }
        (None, None) => bail!("give the directory of a collection, or --self"),
    };
    if let Some(file) = &command.run {
        std::fs::write(file, relevance::run_file(&collection, &answers))
            .with_context(|| format!("cannot write '{}'", file.display()))?;
    }
    let report = Report::of(&collection, &answers);
    let bias = command.own.then_some(BIAS);
    if command.json {
        let answer = json!({
            "groups": report.groups, "reliability": report.reliability, "unmet": report.unmet,
            "documents": coverage, "bias": bias,
        });
        return print(&format!("{answer:#}\n"));
    }
    let coverage = coverage.map_or_else(String::new, |IndexedShare { judged, indexed }| {
        format!("{indexed} of the {judged} sites and agents that the collection judges are in the index.\n\n")
    });
    let bias = bias.map_or_else(String::new, |bias| format!("\n{bias}\n"));
    print(&format!("{coverage}{report}{bias}"))
}

/// Indexes every agent without its held-out example, then searches for these examples.
fn of_itself(
    store: &Arc<dyn Store>,
    temporary: &Path,
    models: Option<Models>,
) -> anyhow::Result<(Collection, Vec<Answer>)> {
    let mut withheld = Holdout::default();
    each_page(store, |agents| {
        for agent in &agents {
            withheld.offer(agent);
        }
        Ok(())
    })?;
    if withheld.is_empty() {
        bail!("no agent in the database has an example, so there is nothing to measure");
    }
    let mut writer = IndexWriter::open(temporary, models)?;
    let build = writer.rebuild()?;
    let runtime = Handle::current();
    each_page(store, |agents| {
        let agents: Vec<_> = agents.into_iter().map(|it| withheld.without(it)).collect();
        let mut vectors = SentenceVectors::new();
        if let Some(encoder) = models.and_then(|it| it.encoder) {
            vectors = runtime.block_on(vectors::stored(&**store, &agents))?;
            let is_new = |it: &&StoredAgent| !vectors.contains_key(&it.listing.id);
            let new: Vec<_> = agents.iter().filter(is_new).cloned().collect();
            vectors.extend(search::of_agents(&new, encoder));
        }
        Ok(build.add_all(&agents, &vectors)?)
    })?;
    writer.switch(build, Position::default())?;
    let collection = withheld.collection();
    let answers = relevance::answers(&Searcher::open(temporary, models)?, &collection)?;
    Ok((collection, answers))
}

/// Goes through the agents of a store, page by page, on a thread that may block.
fn each_page(
    store: &Arc<dyn Store>,
    mut look: impl FnMut(Vec<StoredAgent>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = Handle::current();
    let mut after = None;
    loop {
        let agents = runtime.block_on(store.agents(after.as_ref(), AGENTS))?;
        let Some(last) = agents.last() else {
            return Ok(());
        };
        after = Some(last.listing.id.clone());
        look(agents)?;
    }
}
