//! Turns stored documents into agents, keeps them and makes them searchable.
//!
//! Path of a document: [`pipeline::read_domain`] reads all documents of its domain and merges them
//! into agents, the store replaces the domain's agents and logs the changes, and the search index
//! applies that log. Each step can be repeated: after a crash at any point the next run completes
//! the work.

pub mod author;
pub mod export;
mod housekeeping;
pub mod metrics;
pub mod pipeline;
pub mod public;
pub mod relevance;
pub mod run;
pub mod search;
