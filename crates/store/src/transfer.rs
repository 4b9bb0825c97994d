//! Transfers of a registry from a SQLite file to a PostgreSQL server.
//!
//! The copy is driven by the schemas: every table and column of the file must exist on the server, and
//! the other way round. Rows are written in batches, each with its position in the same transaction, so
//! that a transfer which was stopped goes on where it was. At the end both databases are read again, and
//! the counts and hashes of every table must be equal.

mod error;

pub use error::TransferError;

use crate::postgres::incoming::{Incoming, Record, TableProgress};
use crate::sqlite::SqliteStore;
use crate::sqlite::outgoing::{Identity, Outgoing};
use crate::table::digest::Digest;
use crate::table::{Table, matched};
use crate::{is_postgres, sqlite_location};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Rows after which the progress of a verification is reported.
const REPORTED_ROWS: u64 = 10_000;

/// Most texts with a replacement that are listed.
const MOST_REPLACED: usize = 100;

/// Stage of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Rows are copied.
    Copy,
    /// Indexes and constraints are made.
    Index,
    /// Rows are counted and hashed on both sides.
    Verify,
}

/// Progress of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Stage.
    pub stage: Stage,
    /// Table, or the statement that makes an index.
    pub subject: String,
    /// Rows of the table so far.
    pub rows: u64,
    /// Rows of the table in all.
    pub total: u64,
}

/// Table that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Name.
    pub name: String,
    /// Rows, on both sides.
    pub rows: u64,
    /// Hash over all rows, on both sides, in hexadecimal.
    pub hash: String,
}

/// Text that the target has with U+FFFD in the place of what a server cannot store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Table.
    pub table: String,
    /// Column.
    pub column: String,
    /// Key of the row in the source, as JSON.
    pub key: String,
}

/// Transfer that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// True if nothing was to be done, because an earlier transfer was complete.
    pub was_complete: bool,
    /// The tables by name; none if nothing was to be done.
    pub tables: Vec<Verified>,
    /// The first texts that were replaced in part by this call.
    pub replaced: Vec<Replaced>,
    /// Number of all of them.
    pub replacements: u64,
}

/// Receiver of progress, which may stop the transfer.
type Report<'a> = &'a mut (dyn FnMut(Progress) -> ControlFlow<()> + Send);

/// Copies the registry at the URL `from`, a file, into the empty database at the URL `to`, on a server,
/// or goes on with that.
///
/// `report` is called after each batch, and stops the transfer by its answer. No other program may use
/// either database: the file is locked, and programs refuse to open a target that is not complete.
pub async fn transfer(from: &str, to: &str, report: Report<'_>) -> Result<Transfer, TransferError> {
    if is_postgres(from) || !is_postgres(to) {
        return Err(TransferError::Direction);
    }
    let location = sqlite_location(from)?;
    if !SqliteStore::exists(location)? {
        return Err(TransferError::NoSource(SqliteStore::file(location)?));
    }
    let mut source = Outgoing::open(location).await?;
    let moved = match Incoming::open(to).await {
        Ok(target) => {
            let moved = transfer_between(&mut source, &target, report).await;
            target.close().await;
            moved
        }
        Err(error) => Err(error.into()),
    };
    source.close().await;
    moved
}

async fn transfer_between(
    source: &mut Outgoing,
    target: &Incoming,
    report: Report<'_>,
) -> Result<Transfer, TransferError> {
    let tables =
        matched(&source.tables().await?, &target.tables().await?).map_err(TransferError::Schema)?;
    if is_complete(source, target, &tables).await? {
        return Ok(Transfer {
            was_complete: true,
            ..Transfer::default()
        });
    }
    let mut transfer = Transfer::default();
    copy(source, target, &tables, &mut transfer, report).await?;
    let index = |statement: String| Progress {
        stage: Stage::Index,
        subject: statement,
        rows: 0,
        total: 0,
    };
    while let Some(statement) = target.make_index().await? {
        go_on(report, index(statement))?;
    }
    target.analyze().await?;
    transfer.tables = verify(source, target, &tables, report).await?;
    target.complete().await?;
    Ok(transfer)
}

/// Begins a transfer, or checks that it may go on; true if it was complete before.
async fn is_complete(
    source: &mut Outgoing,
    target: &Incoming,
    tables: &[Table],
) -> Result<bool, TransferError> {
    let identity = source.identity().await?;
    let ours = Record {
        epoch: identity.epoch.clone(),
        size: identity.size,
        modified: identity.modified,
        schema: SqliteStore::newest_schema(),
        is_complete: false,
    };
    let path = target.location().to_owned();
    let record = target.record().await?;
    if let Some(record) = &record {
        if record.epoch != identity.epoch {
            return Err(TransferError::OtherSource { path });
        }
        if record.is_complete {
            return Ok(true);
        }
        if record.schema != ours.schema {
            return Err(TransferError::OtherVersion {
                path,
                version: record.schema,
            });
        }
        if !is_unchanged(record, &identity) {
            return Err(TransferError::Changed {
                source_path: source.path().to_owned(),
                path,
            });
        }
    }
    refuse_others(target).await?;
    if record.is_none() {
        if let Some((table, rows)) = target.begin(&ours, tables).await? {
            return Err(TransferError::Occupied { path, table, rows });
        }
        // From now on none is let in; one may have come before.
        refuse_others(target).await?;
    }
    Ok(false)
}

fn is_unchanged(record: &Record, identity: &Identity) -> bool {
    (record.size, record.modified) == (identity.size, identity.modified)
}

async fn refuse_others(target: &Incoming) -> Result<(), TransferError> {
    match target.others().await? {
        0 => Ok(()),
        connections => Err(TransferError::InUse {
            path: target.location().to_owned(),
            connections,
        }),
    }
}

/// Copies the rows that are missing.
async fn copy(
    source: &mut Outgoing,
    target: &Incoming,
    tables: &[Table],
    transfer: &mut Transfer,
    report: Report<'_>,
) -> Result<(), TransferError> {
    let mut states: BTreeMap<String, TableProgress> = target.progress().await?;
    for table in tables {
        let total = source.count(table).await?;
        let state = states.remove(&table.name);
        let mut rows = state.as_ref().map_or(0, |it| it.rows);
        let after = state.as_ref().map(|it| it.position.as_str());
        let mut reading = source.rows(table, after)?;
        let mut next = reading.next_batch().await?;
        while let Some(batch) = next {
            rows += batch.rows;
            let state = TableProgress {
                position: batch.position,
                rows,
            };
            transfer.note(table, batch.replaced);
            let writing = target.write(table, &batch.bytes, &state);
            // The next batch is read while the server takes this one.
            ((), next) = tokio::try_join!(writing, reading.next_batch())?;
            let progress = Progress {
                stage: Stage::Copy,
                subject: table.name.clone(),
                rows,
                total,
            };
            go_on(report, progress)?;
        }
    }
    Ok(())
}

/// Compares all rows of both databases.
async fn verify(
    source: &mut Outgoing,
    target: &Incoming,
    tables: &[Table],
    report: Report<'_>,
) -> Result<Vec<Verified>, TransferError> {
    let mut verified = Vec::new();
    let mut different = Vec::new();
    for table in tables {
        let theirs = async { Ok(target.digest(table).await?) };
        let (ours, theirs) = tokio::try_join!(digest(source, table, report), theirs)?;
        if ours == theirs {
            verified.push(Verified {
                name: table.name.clone(),
                rows: ours.rows(),
                hash: ours.to_string(),
            });
        } else {
            different.push(format!(
                "table {} has {} rows in the source and {} in the target",
                table.name,
                ours.rows(),
                theirs.rows()
            ));
        }
    }
    if different.is_empty() {
        Ok(verified)
    } else {
        Err(TransferError::Different {
            path: target.location().to_owned(),
            tables: different.join(", "),
        })
    }
}

/// Counts and hashes the rows of a table of the source.
async fn digest(
    source: &mut Outgoing,
    table: &Table,
    report: Report<'_>,
) -> Result<Digest, TransferError> {
    let total = source.count(table).await?;
    let mut reading = source.rows(table, None)?;
    let (mut digest, mut row) = (Digest::default(), Vec::new());
    while reading.append_next(&mut row).await?.is_some() {
        digest.add(&row);
        row.clear();
        if digest.rows().is_multiple_of(REPORTED_ROWS) || digest.rows() == total {
            let progress = Progress {
                stage: Stage::Verify,
                subject: table.name.clone(),
                rows: digest.rows(),
                total,
            };
            go_on(report, progress)?;
        }
    }
    Ok(digest)
}

/// Reports progress, and stops if the receiver says so.
fn go_on(report: Report<'_>, progress: Progress) -> Result<(), TransferError> {
    match report(progress) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(TransferError::Stopped),
    }
}

impl Transfer {
    /// Remembers the texts of a table that were replaced in part.
    fn note(&mut self, table: &Table, replaced: Vec<(String, String)>) {
        self.replacements += replaced.len() as u64;
        for (column, key) in replaced {
            if self.replaced.len() < MOST_REPLACED {
                self.replaced.push(Replaced {
                    table: table.name.clone(),
                    column,
                    key,
                });
            }
        }
    }
}
