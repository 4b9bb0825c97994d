//! Statements that both SQLite and PostgreSQL understand.
//!
//! Rules that keep them portable: `$1` placeholders, `CAST(… AS BIGINT)` around counts, no
//! sub-select in `RETURNING`, no function that reads the clock, no scalar `max(a, b)`.
//!
//! A limit is written as `CAST($1 AS BIGINT)` too: SQLite plans a statement again each time a bare
//! `LIMIT $1` is bound.

pub(crate) mod agents;
pub(crate) mod blocks;
pub(crate) mod census;
pub(crate) mod changes;
pub(crate) mod claims;
pub(crate) mod documents;
pub(crate) mod edge_answers;
pub(crate) mod exclusions;
pub(crate) mod frontier;
pub(crate) mod leases;
pub(crate) mod moderation;
pub(crate) mod named;
pub(crate) mod operation;
pub(crate) mod recovery;
pub(crate) mod retention;
pub(crate) mod sessions;
pub(crate) mod sites;
pub(crate) mod submissions;
pub(crate) mod transfer;
pub(crate) mod vectors;
pub(crate) mod visits;
