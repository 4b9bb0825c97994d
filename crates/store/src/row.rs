//! Conversion of rows to the model, for every database.
//!
//! A column with an invalid value is a decoding error, which the back ends report as damage;
//! nothing here panics.

use crate::model::{
    AgentStatus, Census, CensusDay, Change, Claim, ClaimAction, ClaimState, ClosedVersion, Day,
    DocumentKind, DocumentVersion, DomainState, Exclusion, ExclusionSource, FeedState,
    FrontierLoad, FrontierStats, HiddenTarget, KnownDocument, Lease, ListedAgent, ModerationAction,
    ModerationEntry, NamedDocument, Operation, Outcome, ProblemReport, Receipt, ReportKind,
    ReportState, RobotsState, Scope, Seal, SeedSource, Session, SessionCall, SiteDocument,
    SiteMark, SiteSnapshot, SiteVisit, Stats, StoredAgent, Submission, SubmissionKind,
    SubmissionState, Tombstone, UnreadDomain, Waiting,
};
use manifest::document::Delivery;
use manifest::{AgentId, ChangeClass, Domain, Level, Listing, Severity, Timestamp};
use serde::{Serialize, de::DeserializeOwned};
use sqlx::{ColumnIndex, Decode, Row, Type};
use url::Url;

/// Type of a value that a column holds.
pub(crate) trait Column: Sized {
    /// Type in the database.
    type Raw;

    /// Converts the value of a column.
    fn read(raw: Self::Raw) -> sqlx::Result<Self>;
}

/// Returns the value of a column.
pub(crate) fn get<'r, R: Row, T: Column>(row: &'r R, name: &'static str) -> sqlx::Result<T>
where
    T::Raw: Decode<'r, R::Database> + Type<R::Database>,
    &'static str: ColumnIndex<R>,
{
    T::read(row.try_get(name)?)
}

impl<T: Column> Column for Option<T> {
    type Raw = Option<T::Raw>;

    fn read(raw: Self::Raw) -> sqlx::Result<Self> {
        raw.map(T::read).transpose()
    }
}

/// Implements [`Column`] for types that are stored alike.
macro_rules! columns {
    ($raw:ty: $($type:ty),+ => $read:expr) => {$(
        impl Column for $type {
            type Raw = $raw;

            fn read(raw: $raw) -> sqlx::Result<Self> {
                $read(raw)
            }
        }
    )+};
}

columns!(i64: i64 => Ok);
columns!(bool: bool => Ok);
columns!(String: String => Ok);
columns!(Vec<u8>: Vec<u8> => Ok);
columns!(i64: Day => |raw| Ok(Day(raw)));
columns!(i64: Timestamp => |raw| Ok(Timestamp(raw)));
columns!(i64: u64 => |raw| Ok(count(raw)));
columns!(i64: u16, u32, usize => |raw| Self::try_from(raw).map_err(damaged));
columns!(String: Domain => |raw: String| {
    Self::parse(&raw).map_err(|error| damaged(format!("domain '{raw}': {error}")))
});
columns!(String: Url => |raw: String| {
    Self::parse(&raw).map_err(|error| damaged(format!("URL '{raw}': {error}")))
});
columns!(String: AgentId => |raw: String| {
    let Some((name, slug)) = raw.split_once('/') else {
        return Err(damaged(format!("'{raw}' is not an agent id")));
    };
    Ok(Self::new(&Domain::read(name.to_owned())?, slug))
});
columns!(
    String: ClaimAction, ClaimState, DocumentKind, ExclusionSource, Level, ModerationAction, Operation, Outcome,
        ReportKind, SeedSource, SubmissionKind, SubmissionState
    => |raw: String| Self::parse(&raw).ok_or_else(|| damaged(format!("unknown word '{raw}'")))
);
columns!(
    String: Census, Delivery, Listing, RobotsState, Seal, SiteSnapshot, Vec<ChangeClass>, Vec<Receipt>,
        Vec<String>
    => |raw: String| from_json(&raw)
);
columns!(String: Severity => |raw: String| {
    let mut all = [Self::Info, Self::Warning, Self::Error].into_iter();
    let found = all.find(|severity| severity.as_str() == raw);
    found.ok_or_else(|| damaged(format!("unknown severity '{raw}'")))
});
columns!(String: Scope => |raw: String| {
    Ok(match raw.strip_prefix('.') {
        Some(name) => Self::stored(name.to_owned(), true),
        None => Self::stored(raw, false),
    })
});
columns!(Option<String>: AgentStatus => |raw| Ok(Self::after(Column::read(raw)?)));

/// Reads types of the model from columns that are named like their fields; those after the
/// semicolon are left empty.
macro_rules! rows {
    ($($type:ident { $($field:ident),+ $(; $($empty:ident),+)? })+) => {$(
        impl<'r, R: sqlx::Row> sqlx::FromRow<'r, R> for $type
        where
            i64: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
            String: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
            bool: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
            &'static str: sqlx::ColumnIndex<R>,
        {
            fn from_row(row: &'r R) -> sqlx::Result<Self> {
                Ok(Self {
                    $($field: $crate::row::get(row, stringify!($field))?,)+
                    $($($empty: Default::default(),)+)?
                })
            }
        }
    )+};
}
pub(crate) use rows;

rows! {
    CensusDay { day, at, counts }
    ClosedVersion { id, document, is_skill, last_seen }
    Change { seq, at, op, agent, classes, hash, previous_hash, reason, successor }
    DocumentVersion { hash, bytes, first_seen, last_seen }
    DomainState { last_visit, not_before, robots }
    Claim {
        id, action, scope, domain, port, token_hash, at, expires, state, checks, next_check, checked,
        seen_dns, seen_file, network
    }
    Exclusion { scope, reason, source, since }
    FeedState { epoch, last_change, withdrawals }
    FrontierLoad { domains, due, oldest_due, back_off, submissions }
    FrontierStats { next_due, leased, unvisited, discovered, exclusions; load, outcomes }
    HiddenTarget { target, reason, since }
    KnownDocument { requested, url, etag, last_modified, hash, content, missing_since, format }
    ListedAgent { id, changed }
    Lease {
        row, domain, port, token, fails, interval_ms, rotation, requests_left, last_outcome, robots,
        unanswered;
        known, named
    }
    ModerationEntry { id, at, action, target, reason, source }
    NamedDocument { url, named_by, is_own, kind, is_absent }
    ProblemReport { id, at, target, kind, text, network }
    ReportState { target, kind, at, closed }
    Session { id, token_hash, network, agent, created, expires, ended, calls, seal }
    SessionCall { at, capability, method, params, policy, status }
    SiteDocument {
        url, requested, status, media_type, etag, last_modified, served, hash, bytes, format, generation, level,
        first_seen, fetched, changed, agents; findings, mentions
    }
    SiteMark { domain, first_seen, last_visit, due, revision, is_unread, visit, moderation, is_awaited }
    SiteVisit { started, ended, outcome, detail, requests, bytes; receipts }
    Stats {
        domains, due, leased, agents, capabilities, sites, last_change, last_visit;
        outcomes, formats, levels, graded, findings
    }
    StoredAgent { listing, domain, first_seen, last_seen, changed, hash, status }
    Submission {
        id, kind, domain, port, at, state, earliest, outcome, detail, started, ended, before, after
    }
    Tombstone { agent, at, op, reason, successor }
    UnreadDomain { domain, revision }
    Waiting { domains, next, last }
}

/// Converts a number to a signed one, as databases require, with saturation.
pub(crate) fn stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Converts a number back that was [`stored`].
pub(crate) fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Serializes a value as JSON text.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> sqlx::Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Parses a value from JSON text.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> sqlx::Result<T> {
    serde_json::from_str(text).map_err(damaged)
}

/// Compresses bytes for storage; returns their size too.
pub(crate) fn compress(bytes: &[u8]) -> sqlx::Result<(i64, Vec<u8>)> {
    let compressed =
        zstd::bulk::compress(bytes, zstd::DEFAULT_COMPRESSION_LEVEL).map_err(sqlx::Error::Io)?;
    Ok((stored(bytes.len() as u64), compressed))
}

/// Decompresses bytes; the stored size bounds the memory used.
pub(crate) fn decompress(bytes: &[u8], size: usize) -> sqlx::Result<Vec<u8>> {
    zstd::bulk::decompress(bytes, size).map_err(damaged)
}

/// Compresses a value as JSON text for storage; returns the size of the text too.
pub(crate) fn pack(value: &(impl Serialize + ?Sized)) -> sqlx::Result<(i64, Vec<u8>)> {
    compress(json(value)?.as_bytes())
}

/// Returns a value that was packed.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8], size: usize) -> sqlx::Result<T> {
    serde_json::from_slice(&decompress(bytes, size)?).map_err(damaged)
}

fn damaged(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> sqlx::Error {
    sqlx::Error::Decode(reason.into())
}
