//! Reads every dialect of agent manifest into one model, without I/O, clock or async.
//!
#![doc = include_str!("../README.md")]
//!
//! # Getting started
//!
//! [`read()`] turns one [`Document`] into a [`Reading`] with its [`Agent`]s and [`Finding`]s.
//! [`merge::merge`] combines everything that a domain publishes into [`Listing`]s, which record the
//! source of each fact:
//!
//! ```
//! use manifest::{Document, Domain, merge};
//!
//! let domain = Domain::parse("ferry.example")?;
//! let url = "https://ferry.example/.well-known/agents.json".parse()?;
//! let body = br#"{"name": "Island Ferry", "description": "Crossings to the islands."}"#;
//! let document = Document::new(domain.clone(), url, body);
//! let reading = manifest::read(&document);
//!
//! let merged = merge::merge(&domain, &[(&document, reading)]);
//! let listing = &merged.listings[0];
//! assert_eq!(listing.id.to_string(), "ferry.example/island-ferry");
//! let evidence = &listing.provenance["name"];
//! assert_eq!(listing.sources[evidence.source].hash, document.hash());
//! assert_eq!(evidence.pointer, "/name");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod account;
pub mod agent;
mod auth;
pub mod author;
mod body;
pub mod caution;
pub mod change;
pub mod convert;
pub mod corrected;
mod correction;
mod delivery;
pub mod difference;
pub mod document;
pub mod domain;
mod entry;
mod extension;
pub mod fact;
pub mod fault;
mod field;
mod file;
pub mod finding;
pub mod format;
mod format_id;
pub mod formats;
mod json;
mod link;
pub mod lint;
pub mod listing;
mod marker;
pub mod merge;
pub mod openapi;
mod payment;
mod placeholder;
mod position;
mod provenance;
pub mod public_address;
mod rate;
pub mod redacted;
pub mod reference;
pub mod rule;
pub mod rules;
mod schema;
mod secret;
mod shape;
pub mod signature;
pub mod succession;
pub mod text;
pub mod time;
mod withheld;
mod words;

pub use agent::{Agent, AgentId, Capability};
pub use change::ChangeClass;
pub use convert::{Conversion, convert};
pub use corrected::{CorrectedText, corrected};
pub use correction::Correction;
pub use document::Document;
pub use domain::Domain;
pub use entry::Entry;
pub use fact::{CapabilityFact, Fact};
pub use finding::{Finding, Place};
pub use format::{Level, Mention, Reading};
pub use format_id::FormatId;
pub use formats::{ajson, detect, policy, read};
pub use link::is_repository;
pub use lint::{Lint, lint};
pub use listing::Listing;
pub use redacted::{RedactedText, redacted};
pub use reference::Reference;
pub use rule::{Rule, Severity};
pub use time::Timestamp;
