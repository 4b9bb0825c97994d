//! Turns stored documents into agents, keeps them and makes them searchable.
//!
//! The way of a document: [`pipeline::read_domain`] reads all documents of its domain and merges them into agents,
//! the store replaces the domain's agents and notes what changed, and the search index follows those changes.
//! Each step can be repeated: a process that dies anywhere is made up for by the next run.

pub mod pipeline;
pub mod relevance;
pub mod run;
pub mod search;
pub mod switch;
