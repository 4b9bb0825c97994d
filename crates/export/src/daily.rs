//! The export of each day, in a folder that the web side serves, and what follows it: old exports
//! and old entries of the change log are dropped.

use super::sink::{Sink, failed, pack};
use super::{Counts, ExportError, Format, LICENCE, blocking, fill};
use manifest::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{FeedState, Store, StoreError};
use tempfile::NamedTempFile;

/// Name of the file that describes the newest export.
pub const LATEST: &str = "latest.json";

/// Number of exports that are kept.
pub const KEPT: usize = 7;

/// Time from an export to the next one if agents are withdrawn in between: far more than it takes to
/// write one.
const WITHDRAWN_PAUSE: Duration = Duration::from_mins(10);

/// Days for which entries of the change log are kept, if an export contains them.
pub const KEPT_DAYS: u16 = 90;

/// Entries of the change log that are dropped in one transaction.
const BATCH: u32 = 1_000;

/// Maximum number of bytes of a description of an export.
const MAX_LATEST: u64 = 64 << 10;

/// Start of the names of files that are not complete.
const UNFINISHED: &str = ".unfinished-";

/// Description of an export.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Latest {
    /// Day of the export, `2026-11-20`.
    pub date: String,
    /// Time of the export.
    pub at: String,
    /// Epoch of the change log; continue with it as `epoch`.
    #[serde(default)]
    pub epoch: String,
    /// Newest sequence number of the change log that the export contains; continue with it as
    /// `since`.
    pub seq: u64,
    /// Number of times that agents were withdrawn before: hidden, excluded, or left with their owner.
    /// No earlier export is kept that has some of them.
    #[serde(default)]
    pub withdrawals: u64,
    /// Number of agents.
    pub agents: u64,
    /// Number of sites that have agents.
    pub sites: u64,
    /// Number of capabilities of all agents.
    pub capabilities: u64,
    /// Terms of use.
    pub licence: String,
    /// The files.
    pub files: Vec<LatestFile>,
}

/// File of an export.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct LatestFile {
    /// Name, relative to this description.
    pub name: String,
    /// `jsonl` or `sqlite`, before compression by zstd.
    pub format: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes, in hexadecimal.
    pub sha256: String,
}

/// Returns the default folder of exports: beside the database if that is a file, else in the data
/// directory.
pub fn beside(database: &str) -> PathBuf {
    let location = database.strip_prefix("sqlite:").unwrap_or_default();
    let location = location.strip_prefix("//").unwrap_or(location);
    match Path::new(location).parent() {
        Some(folder) => folder.join("export"),
        None => PathBuf::from("data/export"),
    }
}

/// Returns the description of the newest export; `None` if there is none.
pub fn latest(folder: &Path) -> io::Result<Option<Latest>> {
    let path = folder.join(LATEST);
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if metadata.len() > MAX_LATEST => {
            return Err(io::Error::other("it is too large for a description"));
        }
        Ok(_) => {}
        Err(error) => return Err(error),
    }
    Ok(Some(serde_json::from_slice(&fs::read(&path)?)?))
}

/// Reports whether a name is one of an exported file: `agents-2026-11-20.jsonl.zst` or
/// `registry-2026-11-20.sqlite.zst`.
pub fn is_name(name: &str) -> bool {
    date_of(name).is_some()
}

/// Returns the date in the name of an exported file.
fn date_of(name: &str) -> Option<&str> {
    let of = |start, end| name.strip_prefix(start)?.strip_suffix(end);
    let date: &str = of("agents-", ".jsonl.zst").or_else(|| of("registry-", ".sqlite.zst"))?;
    let is_date = date.len() == 10
        && date.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date.then_some(date)
}

/// Returns the day of a time, `2026-11-20` (UTC).
fn day(at: Timestamp) -> String {
    at.date()
}

/// Reports whether an export is to be made: none is there, or the newest is of an earlier day or of
/// another change log, or agents were withdrawn since then.
fn is_due(newest: Option<&Latest>, feed: &FeedState, now: Timestamp) -> bool {
    newest.is_none_or(|it| {
        let is_withdrawn = it.withdrawals != feed.withdrawals;
        it.date < day(now) || !it.is_of(feed) || is_withdrawn && !it.is_recent(now)
    })
}

/// Makes the export of the day and drops old entries of the change log, if that is due. Returns the
/// export and the number of dropped entries; `None` if there was nothing to do. A registry without
/// changes has nothing to export.
pub async fn keep(
    store: &dyn Store,
    folder: &Path,
    now: Timestamp,
) -> Result<Option<(Latest, u64)>, ExportError> {
    // A description that cannot be read is replaced.
    let newest = latest(folder).unwrap_or_default();
    let feed = store.feed_state().await?;
    if feed.last_change == 0 || !is_due(newest.as_ref(), &feed, now) {
        return Ok(None);
    }
    let newest = export(store, folder, now).await?;
    let dropped = compact(store, Some(&newest), KEPT_DAYS, now).await?;
    Ok(Some((newest, dropped)))
}

/// Exports all agents to dated files in `folder`, deletes all but the newest exports, and describes the
/// new one in `latest.json`. If agents were withdrawn since the last one, all earlier exports are
/// deleted, since they may have them. A file appears under its name only when it is complete.
pub async fn export(
    store: &dyn Store,
    folder: &Path,
    now: Timestamp,
) -> Result<Latest, ExportError> {
    let date = day(now);
    let lines_name = format!("agents-{date}.jsonl.zst");
    let table_name = format!("registry-{date}.sqlite.zst");
    prepare(folder)?;
    let lines = unfinished(folder)?;
    let table = unfinished(folder)?;
    let packed = unfinished(folder)?;
    let file = lines.reopen().map_err(|error| failed(folder, error))?;
    let sinks = vec![
        Sink::compressed(file, &folder.join(&lines_name))?,
        Sink::open(Format::Sqlite, super::Output::File(table.path().to_owned())).await?,
    ];
    let (counts, written) = fill(store, sinks).await?;
    let folder = folder.to_owned();
    let before = latest(&folder).unwrap_or_default();
    let finish = move || {
        let into = packed.reopen().map_err(|error| failed(&folder, error))?;
        let of_table = pack(table.path(), into, &folder.join(&table_name))?;
        let of_lines = written.into_iter().next().unwrap_or_default();
        let described = |name: &str, format: &str, file: super::sink::FileDigest| LatestFile {
            name: name.to_owned(),
            format: format.to_owned(),
            bytes: file.bytes,
            sha256: file.sha256,
        };
        let latest = Latest {
            at: now.to_rfc3339(),
            date,
            files: vec![
                described(&lines_name, "jsonl", of_lines),
                described(&table_name, "sqlite", of_table),
            ],
            ..Latest::of(counts)
        };
        publish(lines, &folder.join(&lines_name))?;
        publish(packed, &folder.join(&table_name))?;
        let same = |it: &Latest| (&it.epoch, it.withdrawals) == (&latest.epoch, latest.withdrawals);
        if before.as_ref().is_some_and(same) {
            delete_old(&folder, &latest.date, KEPT - 1)?;
        } else {
            delete_old(&folder, &latest.date, 0)?;
        }
        // Last, so that a deletion that failed or was interrupted is repeated.
        let description = describe(&folder, &latest)?;
        publish(description, &folder.join(LATEST))?;
        Ok(latest)
    };
    blocking(finish).await?
}

impl Latest {
    /// Reports whether it is of this change log, and not of one that a restored backup replaced.
    pub fn is_of(&self, feed: &FeedState) -> bool {
        self.epoch == feed.epoch
    }

    /// Reports whether it was made within [`WITHDRAWN_PAUSE`].
    fn is_recent(&self, now: Timestamp) -> bool {
        let made = Timestamp::parse(&self.at).filter(|made| *made <= now);
        made.is_some_and(|made| now.since(made) < WITHDRAWN_PAUSE)
    }

    fn of(counts: Counts) -> Self {
        Self {
            date: String::new(),
            at: String::new(),
            epoch: counts.epoch,
            seq: counts.seq,
            withdrawals: counts.withdrawals,
            agents: counts.agents,
            sites: counts.sites,
            capabilities: counts.capabilities,
            licence: LICENCE.to_owned(),
            files: Vec::new(),
        }
    }
}

/// Creates the folder, and deletes what an interrupted export left there.
fn prepare(folder: &Path) -> Result<(), ExportError> {
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for name in names(folder) {
        if name.starts_with(UNFINISHED) {
            // It is tried again on the next day.
            let _ = fs::remove_file(folder.join(name));
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Creates a file that is deleted unless it is published.
fn unfinished(folder: &Path) -> Result<NamedTempFile, ExportError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // The web side may run as another user.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o644));
    }
    let file = builder.tempfile_in(folder);
    file.map_err(|error| failed(folder, error))
}

fn describe(folder: &Path, latest: &Latest) -> Result<NamedTempFile, ExportError> {
    let mut file = unfinished(folder)?;
    let text = serde_json::to_string_pretty(latest).map_err(io::Error::from);
    let written = text.and_then(|text| {
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()
    });
    written.map_err(|error| failed(folder, error))?;
    Ok(file)
}

fn publish(file: NamedTempFile, path: &Path) -> Result<(), ExportError> {
    let persisted = file.persist(path);
    persisted.map_err(|error| failed(path, error.error))?;
    Ok(())
}

/// Deletes the files of all exports but the newest one and `kept` others.
fn delete_old(folder: &Path, newest: &str, kept: usize) -> Result<(), ExportError> {
    let names = names(folder);
    let dates = names.iter().filter_map(|name| date_of(name));
    let mut others: Vec<&str> = dates.filter(|date| *date != newest).collect();
    others.sort_unstable();
    others.dedup();
    let old = &others[..others.len().saturating_sub(kept)];
    for name in &names {
        if date_of(name).is_some_and(|date| old.contains(&date)) {
            let path = folder.join(name);
            if let Err(error) = fs::remove_file(&path)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(failed(&path, error));
            }
        }
    }
    Ok(())
}

/// Drops entries of the change log that are older than `days`, but none that the newest export does
/// not contain; returns their number. Without an export of this log nothing is dropped: a reader that
/// is behind could not start anew.
pub async fn compact(
    store: &dyn Store,
    newest: Option<&Latest>,
    days: u16,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let Some(newest) = newest else {
        return Ok(0);
    };
    let kept = Duration::from_hours(24 * u64::from(days));
    let before = Timestamp(
        now.0
            .saturating_sub(kept.as_millis().try_into().unwrap_or(i64::MAX)),
    );
    let mut dropped = 0;
    loop {
        let batch = store.compact(before, newest.seq, BATCH).await?;
        if batch == 0 {
            return Ok(dropped);
        }
        dropped += batch;
    }
}
