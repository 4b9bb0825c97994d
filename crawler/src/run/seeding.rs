//! Seed lists into the store, in batches: memory stays flat however long they are.

use super::{Control, RunError, Stop, now, while_doing};
use crate::config::Config;
use crate::seeds::{Counts, SeedReader};
use crate::summary::SeedTally;
use manifest::Domain;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use store::{NamedDocument, Seed, Store};
use tokio::sync::mpsc;

/// Seeds handed to the store at once: it sorts them, so that the more they are, the fewer pages of the file each
/// of them costs. Three batches are in memory at most: a list of a million names peaked at 128 MiB, at 105 with
/// batches of 20,000.
const BATCH: usize = 200_000;

/// Documents of seeds in one transaction: as many as keep others that write waiting for a moment only.
const NAMED_AT_ONCE: usize = 500;

/// What the reading thread hands over.
enum Part {
    Batch(Vec<Seed>, Vec<(Domain, NamedDocument)>),
    End(Counts),
}

/// Reads every list of the configuration; ends early, without an error, when somebody says stop.
pub(super) async fn read_all(
    config: &Config,
    store: &dyn Store,
    control: &Control,
) -> Result<(), RunError> {
    for path in &config.seeds {
        let admits_special_use = !config.network.allowed.is_empty();
        let mut parts = read(path.clone(), admits_special_use);
        let mut stop = control.stop.clone();
        loop {
            let part = tokio::select! {
                part = parts.recv() => part,
                _ = stop.wait_for(|stop| *stop != Stop::No) => return Ok(()),
            };
            match part.transpose()? {
                Some(Part::Batch(seeds, named)) => {
                    let added = store
                        .add_seeds(&seeds, config.revisit, now())
                        .await
                        .map_err(while_doing("add seeds to the database"))?;
                    for named in named.chunks(NAMED_AT_ONCE) {
                        store
                            .name_documents(named, now())
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

/// Reads on a thread of its own, which nobody waits for: standard input may never end.
fn read(path: PathBuf, admits_special_use: bool) -> mpsc::Receiver<Result<Part, RunError>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let result = read_list(&path, admits_special_use, &sender);
        // A receiver that is gone has been told to stop.
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
            if self.examples.len() < Self::MOST_EXAMPLES {
                let (line, text, reason) = (example.line, &example.text, &example.reason);
                self.examples
                    .push(format!("{path}:{line}: '{text}': {reason}"));
            }
        }
    }
}
