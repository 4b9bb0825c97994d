//! Adds seed lists to the store in batches, so that memory use does not grow with their length.

use super::control::Control;
use super::error::{RunError, while_doing};
use crate::clock::Clock;
use crate::config::Config;
use crate::seeds::{Counts, SeedReader};
use crate::summary::SeedTally;
use manifest::Domain;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use store::{NamedDocument, Seed, Store};
use tokio::sync::mpsc;

/// Number of seeds per batch: the store sorts them, so larger batches write fewer pages of the file
/// per seed. At most three batches are in memory; a list of a million names peaked at 128 MiB,
/// compared with 105 MiB for batches of 20,000.
const BATCH: usize = 200_000;

/// Number of documents of seeds per transaction, few enough that other writers wait only briefly.
const NAMED_AT_ONCE: usize = 500;

/// Message of the reading thread.
enum Part {
    Batch(Vec<Seed>, Vec<(Domain, NamedDocument)>),
    End(Counts),
}

/// Reads all lists of the configuration; ends early, without an error, at the stop signal.
pub(super) async fn read_all(
    config: &Config,
    store: &dyn Store,
    control: &Control,
    clock: Clock,
) -> Result<(), RunError> {
    for path in &config.seeds {
        let admits_special_use = !config.network.allowed.is_empty();
        let mut parts = read(path.clone(), admits_special_use);
        loop {
            let part = tokio::select! {
                part = parts.recv() => part,
                () = control.stop.cancelled() => return Ok(()),
            };
            match part.transpose()? {
                Some(Part::Batch(seeds, named)) => {
                    let added = store
                        .add_seeds(&seeds, config.revisit, clock.now())
                        .await
                        .map_err(while_doing("add seeds to the database"))?;
                    for named in named.chunks(NAMED_AT_ONCE) {
                        store
                            .name_documents(named, clock.now())
                            .await
                            .map_err(while_doing("add documents of seeds to the database"))?;
                    }
                    control.progress.update(|summary| {
                        summary.seeds.new += added.new;
                        summary.seeds.known += added.known;
                    });
                }
                Some(Part::End(counts)) => {
                    let path = path.display().to_string();
                    if counts.rejected > 0 {
                        tracing::warn!(
                            rejected = counts.rejected,
                            lines = counts.lines,
                            "{path}: {} of {} lines are rejected:\n{}",
                            counts.rejected,
                            counts.lines,
                            counts.rejections().trim_end()
                        );
                    }
                    control
                        .progress
                        .update(|summary| summary.seeds.add(&path, &counts));
                    break;
                }
                None => break,
            }
        }
    }
    Ok(())
}

/// Reads on a separate thread, which is not joined because standard input may never end.
fn read(path: PathBuf, admits_special_use: bool) -> mpsc::Receiver<Result<Part, RunError>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let result = read_list(&path, admits_special_use, &sender);
        // A closed receiver means stop.
        let _ = match result {
            Ok(counts) => sender.blocking_send(Ok(Part::End(counts))),
            Err(error) => sender.blocking_send(Err(error)),
        };
    });
    receiver
}

fn read_list(
    path: &Path,
    admits_special_use: bool,
    sender: &mpsc::Sender<Result<Part, RunError>>,
) -> Result<Counts, RunError> {
    let name = || path.display().to_string();
    let input: Box<dyn Read + Send> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        let file = File::open(path).map_err(|source| RunError::OpenSeeds {
            path: name(),
            source,
        })?;
        Box::new(file)
    };
    let unusable = |source| RunError::Seeds {
        path: name(),
        source,
    };
    let mut reader = SeedReader::new(input, admits_special_use).map_err(unusable)?;
    loop {
        let batch = reader.next_batch(BATCH).map_err(unusable)?;
        let named = reader.take_named();
        if batch.is_empty() || sender.blocking_send(Ok(Part::Batch(batch, named))).is_err() {
            return Ok(reader.counts().clone());
        }
    }
}

impl SeedTally {
    fn add(&mut self, path: &str, counts: &Counts) {
        self.lists += 1;
        let path = terminal::line(path);
        self.lines += counts.lines;
        self.accepted += counts.seeds;
        self.rejected += counts.rejected;
        for (reason, count) in &counts.reasons {
            *self.reasons.entry(reason.clone()).or_default() += count;
        }
        for example in &counts.examples {
            if self.examples.len() < Self::MAX_EXAMPLES {
                let (line, text, reason) = (example.line, &example.text, &example.reason);
                self.examples
                    .push(format!("{path}:{line}: '{text}': {reason}"));
            }
        }
    }
}
