//! Turns stored documents into agents, keeps them and makes them searchable.
//!
//! Path of a document: [`pipeline::read_domain`] reads all documents of its domain and merges them
//! into agents, the store replaces the domain's agents and logs the changes, and the search index
//! applies that log. Each step can be repeated: after a crash at any point the next run completes
//! the work.

pub mod housekeeping;
pub mod pipeline;
pub mod run;
