//! Reads every dialect of agent manifest into one model.
//!
//! The crate is pure: it reads no clock, no file, no network and no database, so the same bytes
//! give the same [`Reading`] on every machine.
//! A document is either not in a format, or it gives agents *and* findings: faults in a manifest
//! are data, never an error.

pub mod agent;
pub mod auth;
pub mod body;
pub mod document;
pub mod domain;
pub mod extension;
pub mod field;
pub mod finding;
pub mod format;
pub mod formats;
pub mod json;
pub mod leftover;
pub mod link;
pub mod merge;
pub mod rate;
pub mod schema;
pub mod secret;
pub mod text;
pub mod time;

pub use agent::{Agent, AgentId, Capability};
pub use document::Document;
pub use domain::Domain;
pub use finding::{Finding, Severity};
pub use format::{FormatId, Level, Reading, Reference};
pub use time::Timestamp;
