//! Time until another process finds a change, while writing goes on.

use crate::generator::Generator;
use crate::measure::milliseconds;
use search::{IndexWriter, Position, Request, Searcher, embedding};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Commits that are followed, and agents of each: as many changes as the indexer takes into one.
const COMMITS: u64 = 100;
const AGENTS: u64 = 1_000;

/// Writes commits one after the other, and measures when a reader in a process of its own answers
/// from each.
pub(crate) fn measure(folder: &Path, generator: &Generator, first: u64) -> String {
    let program = std::env::current_exe().expect("this program");
    let mut reader = Command::new(program)
        .arg("--follow")
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a reader");
    let mut lines = BufReader::new(reader.stdout.take().expect("its output")).lines();
    lines.next();
    let mut writer = IndexWriter::open(folder, embedding::shipped()).expect("a writer");
    let (mut waits, mut commits) = (Vec::new(), Vec::new());
    for number in 1..=COMMITS {
        let agents = (0..AGENTS).map(|it| generator.agent(first + number * AGENTS + it));
        let agents: Vec<_> = agents.collect();
        let ids: Vec<_> = agents.iter().map(|it| it.listing.id.clone()).collect();
        let start = Instant::now();
        let position = Position {
            seq: number,
            ..Position::default()
        };
        writer
            .apply(&ids, &agents, &search::SentenceVectors::new(), position)
            .expect("a commit");
        commits.push(start.elapsed());
        while let Some(Ok(line)) = lines.next() {
            if line.trim().parse() == Ok(number) {
                break;
            }
        }
        waits.push(start.elapsed());
    }
    drop(lines);
    reader.kill().expect("an ended reader");
    reader.wait().expect("an ended reader");
    waits.sort_unstable();
    commits.sort_unstable();
    let middle = waits.len() / 2;
    format!(
        "{COMMITS} commits of {AGENTS} agents: the commit alone p50 {} ms, most {} ms; from the first agent to an answer in another process p50 {} ms, most {} ms",
        milliseconds(commits[middle]),
        milliseconds(commits[commits.len() - 1]),
        milliseconds(waits[middle]),
        milliseconds(waits[waits.len() - 1]),
    )
}

/// Reads the index and prints the generation that answers whenever it changes.
pub(crate) fn follow(folder: &Path, request: &Request) {
    let searcher = Searcher::open(folder, embedding::shipped()).expect("an index");
    let mut last = None;
    loop {
        let results = searcher.search(request).expect("an answer");
        if last != Some(results.generation) {
            last = Some(results.generation);
            if writeln!(std::io::stdout(), "{}", results.generation).is_err() {
                return;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
