//! `agentdex migrate`.

use admin::{Signal, Signals};
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use store::StoreError;
use store::transfer::{Progress, Stage, Transfer, TransferError, transfer};
use terminal::without_password;
use tokio_util::sync::CancellationToken;

/// Rows of a table whose end has a line of its own.
const LARGE: u64 = 10_000;

/// Time between two lines of progress of one table.
const PERIOD: Duration = Duration::from_secs(10);

/// Databases of a move.
#[derive(Args, Debug)]
pub(crate) struct Migrate {
    /// Database to move, such as sqlite:data/agentdex.db.
    #[arg(long, value_name = "URL")]
    from: String,

    /// Empty database of a PostgreSQL server, such as `postgres://agentdex@db.example/agentdex`.
    ///
    /// A password may be in the URL, in the variable PGPASSWORD or in the file ~/.pgpass.
    #[arg(long, value_name = "URL")]
    to: String,
}

/// Times of a move, from the reports of its progress.
struct Times {
    last: Instant,
    /// Last line and the rows at that time.
    shown: (Instant, u64),
    spent: BTreeMap<(&'static str, String), Duration>,
}

impl Migrate {
    /// Moves the registry, or what is missing of it, and prints the result.
    pub(crate) async fn print(&self) -> ExitCode {
        match self.run().await {
            Ok(code) => code,
            Err(error) => {
                terminal::say(&terminal::failure(&error));
                ExitCode::FAILURE
            }
        }
    }

    async fn run(&self) -> io::Result<ExitCode> {
        let mut signals = Signals::catch()?;
        let stop = CancellationToken::new();
        let mut times = Times::start();
        let mut report = |progress: Progress| {
            times.note(&progress);
            if stop.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let moved = {
            let work = transfer(&self.from, &self.to, &mut report);
            tokio::pin!(work);
            let signal = tokio::select! {
                moved = &mut work => Err(moved),
                signal = signals.next() => Ok(signal),
            };
            match signal {
                Err(moved) => (moved, None),
                Ok(signal) => {
                    terminal::say("stopping after these rows; a second signal stops at once");
                    stop.cancel();
                    tokio::select! {
                        moved = &mut work => (moved, Some(signal)),
                        signal = signals.next() => return Ok(signal.unfinished()),
                    }
                }
            }
        };
        let (moved, signal) = moved;
        Ok(self.ended(moved, signal, &times))
    }

    fn ended(
        &self,
        moved: Result<Transfer, TransferError>,
        signal: Option<Signal>,
        times: &Times,
    ) -> ExitCode {
        match (moved, signal) {
            (Ok(transfer), _) => {
                terminal::say(&terminal::lines(&self.summary(&transfer, times)));
                ExitCode::SUCCESS
            }
            (Err(TransferError::Stopped), Some(signal)) => {
                terminal::say("stopped: the same command goes on from here");
                signal.unfinished()
            }
            (Err(error), _) => {
                terminal::say(&terminal::failure(&error));
                ExitCode::from(if is_usage(&error) { 2 } else { 1 })
            }
        }
    }

    fn summary(&self, transfer: &Transfer, times: &Times) -> String {
        let (from, to) = (without_password(&self.from), without_password(&self.to));
        if transfer.was_complete {
            return format!("{from} was moved to {to} before: nothing was done");
        }
        let mut text = format!("{:<18} {:>12}  copied verified  SHA-256\n", "table", "rows");
        for table in &transfer.tables {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{:<18} {:>12} {:>6} s {:>6} s  {}",
                table.name,
                table.rows,
                times.seconds(Stage::Copy, &table.name),
                times.seconds(Stage::Verify, &table.name),
                &table.hash[..table.hash.len().min(16)],
            );
        }
        for replaced in &transfer.replaced {
            let _ = writeln!(
                text,
                "warning: column {} of row {} of table {}: U+FFFD is in the place of what PostgreSQL cannot store",
                replaced.column, replaced.key, replaced.table
            );
        }
        if transfer.replacements > 0 {
            let _ = writeln!(text, "warning: {} texts changed", transfer.replacements);
        }
        let _ = write!(
            text,
            "moved {from} to {to}, with indexes in {} s: counts and hashes of all tables are equal, and the change log goes on\nstart the programs with --database and the new URL, and nothing on the file any more",
            times.indexing()
        );
        text
    }
}

impl Times {
    fn start() -> Self {
        let now = Instant::now();
        Self {
            last: now,
            shown: (now, 0),
            spent: BTreeMap::new(),
        }
    }

    /// Adds the time since the last report, and logs a line now and then.
    fn note(&mut self, progress: &Progress) {
        let now = Instant::now();
        let key = (name(progress.stage), progress.subject.clone());
        let is_new = !self.spent.contains_key(&key);
        *self.spent.entry(key).or_default() += now.duration_since(self.last);
        if is_new {
            self.shown = (self.last, 0);
        }
        self.last = now;
        let passed = now.duration_since(self.shown.0);
        let is_last = progress.rows == progress.total && progress.rows >= LARGE;
        if passed < PERIOD && !is_last {
            return;
        }
        let (rows, stage) = (progress.rows, name(progress.stage));
        if progress.stage == Stage::Index {
            tracing::debug!("{stage}: {}", progress.subject);
        } else {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a rate for a person"
            )]
            let rate = ((rows - self.shown.1.min(rows)) as f64 / passed.as_secs_f64()) as u64;
            tracing::info!(
                table = progress.subject,
                rows,
                total = progress.total,
                rate,
                "{stage} {}: {rows} of {} rows, {rate}/s",
                progress.subject,
                progress.total
            );
        }
        self.shown = (now, rows);
    }

    /// Formats the seconds that a stage took for a table.
    fn seconds(&self, stage: Stage, table: &str) -> String {
        let spent = self.spent.get(&(name(stage), table.to_owned()));
        format!("{:.1}", spent.copied().unwrap_or_default().as_secs_f64())
    }

    /// Formats the seconds that all indexes took.
    fn indexing(&self) -> String {
        let stage = name(Stage::Index);
        let all = self.spent.iter().filter(|((it, _), _)| *it == stage);
        let all: Duration = all.map(|(_, spent)| *spent).sum();
        format!("{:.1}", all.as_secs_f64())
    }
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Copy => "copy",
        Stage::Index => "index",
        Stage::Verify => "verify",
    }
}

/// Reports whether the command line has to be corrected.
fn is_usage(error: &TransferError) -> bool {
    match error {
        TransferError::Direction
        | TransferError::NoSource(_)
        | TransferError::Occupied { .. }
        | TransferError::OtherSource { .. } => true,
        TransferError::Store(error) => StoreError::is_wrong_name(error),
        _ => false,
    }
}
