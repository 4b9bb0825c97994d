//! Search quality over labelled collections without a crawl, for tuning.
//!
//! `cargo bench -p search --bench relevance -- DIR…` indexes the `agents.jsonl` of each folder
//! in a temporary one and prints the figures of `indexer eval`. Of several folders the needs of each
//! are also asked of the agents of the others, where most have no answer. `AGENTDEX_EVAL_RUN=FILE`
//! also writes the run of the last folder.

use manifest::listing::Listing;
use manifest::{Agent, AgentId, Capability, Domain, Level, Timestamp};
use search::relevance::{self, Collection, Report};
use search::{IndexWriter, Position, Searcher, embedding};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;
use store::{AgentStatus, StoredAgent};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A line of `agents.jsonl`.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    name: String,
    description: String,
    url: url::Url,
    capabilities: Vec<LineCapability>,
}

/// Capability of such an agent.
#[derive(Debug, Deserialize)]
struct LineCapability {
    name: String,
    description: String,
}

fn main() {
    // `cargo bench` adds a flag of its own.
    let folders = std::env::args().skip(1).filter(|it| !it.starts_with("--"));
    let folders: Vec<String> = folders.collect();
    for folder in &folders {
        let others = folders.iter().filter(|it| *it != folder);
        evaluate(Path::new(folder), others.map(Path::new));
    }
}

fn evaluate<'a>(folder: &Path, others: impl Iterator<Item = &'a Path>) {
    let mut collection = Collection::read(folder, None).expect("a labelled collection");
    let lines = std::fs::read_to_string(folder.join("agents.jsonl")).expect("agents.jsonl");
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut writer = IndexWriter::open(temporary.path(), embedding::shipped()).expect("a writer");
    let build = writer.rebuild().expect("a new index");
    let mut agents = Vec::new();
    for line in lines.lines() {
        let line: Line = serde_json::from_str(line).expect("an agent");
        let stored = stored(&line);
        let site = (stored.domain.as_str().to_owned(), line.id);
        collection.sites.extend([site]);
        agents.push(stored);
    }
    let encoder = embedding::shipped()
        .and_then(|it| it.encoder)
        .expect("an encoder");
    let vectors = search::of_agents(&agents, encoder);
    build.add_all(&agents, &vectors).expect("documents");
    writer.switch(build, Position::default()).expect("a commit");
    let searcher = Searcher::open(temporary.path(), embedding::shipped()).expect("the index");
    let start = Instant::now();
    let answers = relevance::answers(&searcher, &collection).expect("answers");
    let took = start.elapsed();
    if let Some(file) = std::env::var_os("AGENTDEX_EVAL_RUN") {
        let run = relevance::run_file(&collection, &answers);
        std::fs::write(file, run).expect("a run file");
    }
    let report = Report::of(&collection, &answers);
    let _ = write!(
        std::io::stdout(),
        "{} · {} agents · {} queries in {took:.1?}\n{report}\n",
        folder.display(),
        collection.sites.len(),
        answers.len(),
    );
    for other in others {
        let mut needs = Collection::read(other, None).expect("a labelled collection");
        needs.queries.retain(|it| it.kind.starts_with("need"));
        needs.grades.clear();
        let answers = relevance::answers(&searcher, &needs).expect("answers");
        let report = Report::of(&needs, &answers);
        let levels = report.unmet.expect("needs without a grade");
        let _ = writeln!(
            std::io::stdout(),
            "needs of {}: {:.3} none, {:.3} weak, {:.3} good, {:.3} strong\n",
            other.display(),
            levels.none,
            levels.weak,
            levels.good,
            levels.strong,
        );
    }
}

/// Returns the agent as the indexer would store it.
fn stored(line: &Line) -> StoredAgent {
    let host = line.url.host_str().expect("a site");
    let domain = Domain::parse(host).expect("a domain");
    let capability = |it: &LineCapability| Capability {
        id: it.name.clone(),
        name: it.name.clone(),
        description: Some(it.description.clone()),
        ..Capability::default()
    };
    let agent = Agent {
        name: line.name.clone(),
        description: Some(line.description.clone()),
        capabilities: line.capabilities.iter().map(capability).collect(),
        ..Agent::default()
    };
    StoredAgent {
        listing: Listing {
            id: AgentId::new(&domain, "agent"),
            format: manifest::formats::find("a2a-agent-card").expect("a format"),
            level: Level::A,
            agent,
            sources: Vec::new(),
            provenance: BTreeMap::new(),
            conflicts: Vec::new(),
        },
        domain,
        first_seen: Timestamp(0),
        last_seen: Timestamp(0),
        changed: Timestamp(0),
        hash: String::new(),
        status: AgentStatus::Ok,
    }
}
