//! Indexing and searching very many agents: speed, size and memory, with two other engines over the
//! same texts.
//!
//! `cargo bench --workspace --bench scale -- --agents 1000000` prints a table; docs/scale.md
//! explains its rows. `--seed N` gives other agents. `--only-ours` leaves the other engines out.
//! `--keep DIR` writes the index into this folder, and searches the one that is there. `--answers
//! FILE` writes every answer down, a line each: two versions of the search that should answer alike
//! are compared by their files. `--registry DIR` only fills a database in this folder, for
//! `tests/load.py`. With `AGENTDEX_TEST_DATA` the words are those of the labelled
//! collections, and else invented.

mod bare;
mod fts;
mod generator;
mod measure;
mod registry;
mod visible;
mod words;

use bare::Filling;
use fts::Fts;
use generator::{Generator, whole_text};
use manifest::AgentId;
use measure::{HEAD, Times, cpu, milliseconds, own_cpu, peak_megabytes, sizes, wait_for_quiet};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use search::embedding::{self, SentenceVector};
use search::{Completion, Facet, IndexWriter, Position, Request, Searcher, SentenceVectors, query};
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::StoredAgent;
use words::Words;

/// Agents made at once, so that making them is not measured.
const BATCH: u64 = 10_000;
/// Agents whose sentence vectors are computed; the others have the same in turn.
const ENCODED: u64 = 20_000;
/// Queries of each kind.
const QUERIES: usize = 1_000;
/// Facets that are counted.
const FACETS: [Facet; 3] = [Facet::Format, Facet::Protocol, Facet::Auth];
/// Lengths of what suggestions complete.
const LETTERS: [usize; 3] = [1, 2, 4];

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Command line arguments.
struct Options {
    agents: u64,
    seed: u64,
    is_ours_only: bool,
    keep: Option<PathBuf>,
    answers: Option<PathBuf>,
    registry: Option<PathBuf>,
    follow: Option<PathBuf>,
}

impl Options {
    fn read() -> Self {
        let mut options = Self {
            agents: 20_000,
            seed: 1,
            is_ours_only: false,
            keep: None,
            answers: None,
            registry: None,
            follow: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().expect("a value");
            match word.as_str() {
                "--agents" => options.agents = value().parse().expect("a number"),
                "--seed" => options.seed = value().parse().expect("a number"),
                "--keep" => options.keep = Some(value().into()),
                "--answers" => options.answers = Some(value().into()),
                "--registry" => options.registry = Some(value().into()),
                "--follow" => options.follow = Some(value().into()),
                "--only-ours" => options.is_ours_only = true,
                // `cargo bench` adds a flag of its own.
                _ => {}
            }
        }
        options
    }
}

fn main() {
    let options = Options::read();
    if let Some(folder) = &options.follow {
        return visible::follow(folder, &request("weather", &[]));
    }
    let data = std::env::var_os("AGENTDEX_TEST_DATA").map(|it| Path::new(&it).join("relevance"));
    let words = Words::new(data.as_deref(), options.seed);
    say(&format!(
        "{} agents, seed {}, {} words of the collections and the rest invented",
        options.agents, options.seed, words.known
    ));
    let generator = Generator::new(words, options.seed);
    if let Some(folder) = &options.registry {
        registry::fill(folder, &generator, options.agents);
        return write_words(folder, &generator, &options);
    }
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let folder = options
        .keep
        .clone()
        .unwrap_or_else(|| temporary.path().join("ours"));
    if Searcher::open(&folder, embedding::shipped()).is_ok_and(|it| it.generation().is_ok()) {
        say("the index that is there");
    } else {
        build(&folder, &generator, options.agents);
    }
    search(&folder, &generator, &options);
    if let Some(file) = &options.answers {
        write_answers(file, &folder, &generator, &options);
    }
    if !options.is_ours_only {
        compare(temporary.path(), &generator, &options);
    }
    if options.keep.is_none() {
        say(&visible::measure(&folder, &generator, options.agents));
    }
}

/// Computes the sentence vectors of the first agents, and says how fast.
fn sentence_vectors(generator: &Generator, count: u64) -> Vec<SentenceVector> {
    let encoder = embedding::shipped().and_then(|it| it.encoder);
    let encoder = encoder.expect("an encoder");
    let mut vectors = Vec::new();
    let mut took = Duration::ZERO;
    for first in (0..count).step_by(500) {
        let batch = first..count.min(first + 500);
        let batch: Vec<_> = batch.map(|it| generator.agent(it)).collect();
        let begun = Instant::now();
        let mut known = search::of_agents(&batch, encoder);
        took += begun.elapsed();
        vectors.extend(batch.iter().filter_map(|it| known.remove(&it.listing.id)));
    }
    say(&format!(
        "sentence vectors: {:.0} agents in 1 s on the clock",
        as_f64(count) / took.as_secs_f64()
    ));
    vectors
}

/// Writes the index, and says how fast and how large.
fn build(folder: &Path, generator: &Generator, agents: u64) {
    let known = sentence_vectors(generator, agents.min(ENCODED));
    let mut known = known.iter().cycle();
    let mut writer = IndexWriter::open(folder, embedding::shipped()).expect("a writer");
    let build = writer.rebuild().expect("a new index");
    let (mut wall, mut making, start) = (Duration::ZERO, Duration::ZERO, cpu());
    for first in (0..agents).step_by(usize::try_from(BATCH).unwrap_or(1)) {
        let made = own_cpu();
        let batch = first..agents.min(first + BATCH);
        let batch: Vec<_> = batch.map(|it| generator.agent(it)).collect();
        let ids = batch.iter().map(|it| it.listing.id.clone());
        let vectors: SentenceVectors = ids.zip(known.by_ref().copied()).collect();
        making += own_cpu().saturating_sub(made);
        let begun = Instant::now();
        // As many at once as the indexer reads from its store.
        for agents in batch.chunks(500) {
            build.add_all(agents, &vectors).expect("documents");
        }
        wall += begun.elapsed();
    }
    let begun = Instant::now();
    writer.switch(build, Position::default()).expect("a commit");
    wall += begun.elapsed();
    let busy = cpu().saturating_sub(start + making);
    wait_for_quiet();
    let count = as_f64(agents);
    say(&format!(
        "indexing: {:.0} agents in 1 s on the clock, {:.0} in 1 s of two cores' time; {} MB of memory at most; merging went on for {} ms of a core",
        count / wall.as_secs_f64(),
        2.0 * count / busy.as_secs_f64(),
        peak_megabytes(),
        milliseconds(cpu().saturating_sub(start + making + busy)),
    ));
    drop(writer);
    let sizes = sizes(folder);
    let sum: u64 = sizes.iter().map(|it| it.1).sum();
    let parts = sizes
        .iter()
        .map(|(kind, bytes)| format!("{kind} {:.0}", as_f64(*bytes) / count));
    say(&format!(
        "size: {:.0} bytes an agent: {}",
        as_f64(sum) / count,
        parts.collect::<Vec<_>>().join(", ")
    ));
}

/// Measures our search.
fn search(folder: &Path, generator: &Generator, options: &Options) {
    let searcher = Searcher::open(folder, embedding::shipped()).expect("an index");
    let start = Instant::now();
    searcher
        .search(&request("weather", &FACETS))
        .expect("an answer");
    say(&format!(
        "first search after opening: {} ms",
        milliseconds(start.elapsed())
    ));
    say(&format!("{:46} {HEAD}  matches", ""));
    for (name, queries) in queries(generator, options) {
        let (times, found) = Times::of(&queries, |text| {
            searcher
                .search(&request(text, facets_of(name)))
                .expect("an answer")
                .total
        });
        say(&format!("{name:46} {} {:>8}", times.row(), found));
        let results = queries.iter().map(|text| {
            let results = searcher.search(&request(text, &[])).expect("an answer");
            let agents = agents(generator, &results.ids());
            RefCell::new(Some((results, agents)))
        });
        let (times, found) = Times::of(&results.collect::<Vec<_>>(), |it| {
            let (results, agents) = it.take().expect("a result that was not joined yet");
            results.join(agents).found.len() as u64
        });
        say(&format!(
            "{:46} {} {found:>8}",
            "  their reasons",
            times.row()
        ));
    }
    for (letters, beginnings) in LETTERS.into_iter().zip(beginnings(generator, options)) {
        let (times, found) = Times::of(&beginnings, |text| {
            searcher.suggest(text, 10).expect("an answer").len() as u64
        });
        say(&format!(
            "suggestions for {letters} letters{:22} {} {:>8}",
            "",
            times.row(),
            found
        ));
    }
    say(&format!("memory at most: {} MB", peak_megabytes()));
}

/// Writes down every answer to what [`search`] asks.
fn write_answers(file: &Path, folder: &Path, generator: &Generator, options: &Options) {
    let searcher = Searcher::open(folder, embedding::shipped()).expect("an index");
    let mut file = BufWriter::new(File::create(file).expect("a file"));
    for (name, queries) in queries(generator, options) {
        for text in queries {
            let results = searcher.search(&request(&text, facets_of(name)));
            let results = results.expect("an answer");
            let agents = agents(generator, &results.ids());
            let answer = results.join(agents);
            writeln!(file, "{text}: {answer:?}").expect("a written line");
        }
    }
    for text in beginnings(generator, options).iter().flatten() {
        let found = searcher.suggest(text, 10).expect("an answer");
        let ids: Vec<_> = found.iter().map(|it| it.agent.clone()).collect();
        let answer = Completion::spell(found, &agents(generator, &ids));
        writeln!(file, "{text}: {answer:?}").expect("a written line");
    }
    file.flush().expect("a written file");
}

/// Writes the queries of all kinds to `queries.txt`, and the beginnings of words to
/// `beginnings.txt`, one a line.
fn write_words(folder: &Path, generator: &Generator, options: &Options) {
    let queries = queries(generator, options).map(|(_, queries)| queries.join("\n"));
    let beginnings = beginnings(generator, options).map(|it| it.join("\n"));
    for (name, lines) in [
        ("queries.txt", queries.join("\n")),
        ("beginnings.txt", beginnings.join("\n")),
    ] {
        std::fs::write(folder.join(name), lines).expect("a written file");
    }
}

/// Makes the agents with these ids again, as a store would load them.
fn agents(generator: &Generator, ids: &[AgentId]) -> Vec<StoredAgent> {
    let numbers = ids
        .iter()
        .filter_map(|id| id.as_str().rsplit('-').next()?.parse().ok());
    numbers.map(|number| generator.agent(number)).collect()
}

/// Measures the others over the same texts.
fn compare(folder: &Path, generator: &Generator, options: &Options) {
    let bare = folder.join("bare");
    std::fs::create_dir(&bare).expect("a folder");
    let bare = Filling::begin(&bare);
    let mut fts = Fts::begin(&folder.join("fts.db"));
    for number in 0..options.agents {
        let stored = generator.agent(number);
        let text = whole_text(&stored);
        bare.add(&text);
        fts.add(number, text, &stored);
    }
    let mut bare = bare.end();
    fts.end();
    wait_for_quiet();
    say(&format!("bare Tantivy has {} segments", bare.segments()));
    for (name, queries) in queries(generator, options) {
        let (times, _) = Times::of(&queries, |text| bare.best(text));
        say(&format!(
            "{:46} {}",
            format!("Tantivy, ten best: {name}"),
            times.row()
        ));
        let (times, found) = Times::of(&queries, |text| bare.best_and_count(text));
        say(&format!(
            "{:46} {} {:>8}",
            format!("Tantivy, and count: {name}"),
            times.row(),
            found
        ));
        let (times, _) = Times::of(&queries, |text| fts.best(text));
        say(&format!(
            "{:46} {}",
            format!("FTS5, ten best: {name}"),
            times.row()
        ));
        if name.contains("facets") {
            let (times, _) = Times::of(&queries, |text| fts.best_and_counts(text));
            say(&format!(
                "{:46} {}",
                format!("FTS5, and counts: {name}"),
                times.row()
            ));
        }
    }
    fts.close();
}

/// Queries of each kind, the same for every engine.
fn queries(generator: &Generator, options: &Options) -> [(&'static str, Vec<String>); 4] {
    let mut random = StdRng::seed_from_u64(options.seed);
    let mut keywords = |count| {
        let queries = (0..QUERIES).map(|_| generator.keywords(options.agents, count, &mut random));
        queries.collect()
    };
    let (one, two, ten) = (keywords(1), keywords(2), keywords(10));
    let needs = (0..QUERIES)
        .map(|_| generator.sentence(10, &mut random))
        .collect();
    [
        ("two words, three facets", two),
        ("ten words as agents say them", needs),
        ("ten informative words", ten),
        ("one word", one),
    ]
}

/// Returns the beginnings of words that suggestions are asked for, by the number of their letters.
fn beginnings(generator: &Generator, options: &Options) -> [Vec<String>; LETTERS.len()] {
    LETTERS.map(|letters| {
        let mut random = StdRng::seed_from_u64(options.seed);
        let beginnings = (0..QUERIES).map(|_| generator.beginning(letters, &mut random));
        beginnings.collect()
    })
}

/// Returns the facets that a kind of query counts.
fn facets_of(name: &str) -> &'static [Facet] {
    if name.contains("facets") {
        &FACETS
    } else {
        &[]
    }
}

fn request(text: &str, facets: &[Facet]) -> Request {
    Request {
        per_site: 3,
        unfold: false,
        facets: facets.to_vec(),
        ..Request::new(query::parse(text), 10)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
fn as_f64(number: u64) -> f64 {
    number as f64
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
