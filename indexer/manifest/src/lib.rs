//! Reads every dialect of agent manifest into one model.
//!
//! The crate is pure: it reads no clock, no file, no network and no database, so the same bytes
//! give the same [`Reading`] on every machine.
//! A document is either not in a format, or it gives agents *and* findings: faults in a manifest
//! are data, never an error.
//!
//! [`read()`] reads one document, [`merge::merge`] makes agents of all that a domain
//! publishes; [`openapi::read`] reads the API descriptions that manifests point at:
//!
//! ```
//! use manifest::{Document, Domain, Level, merge};
//!
//! let domain = Domain::parse("ferry.example")?;
//! let url: url::Url = "https://ferry.example/.well-known/agents.json".parse()?;
//! let body = br#"{"name": "Island Ferry", "description": "Crossings to the islands."}"#;
//! let document = Document::new(domain.clone(), url, body);
//! let reading = manifest::read(&document);
//! assert_eq!(reading.format.as_str(), "profile");
//! assert_eq!(reading.level(), Level::C, "it follows no specification");
//!
//! let merged = merge::merge(&domain, &[(&document, reading)]);
//! let listing = &merged.listings[0];
//! assert_eq!(listing.id.to_string(), "ferry.example/island-ferry");
//! assert_eq!(listing.agent.name, "Island Ferry");
//! let evidence = &listing.provenance["name"];
//! assert_eq!(listing.sources[evidence.source].hash, document.hash());
//! assert_eq!(evidence.pointer, "/name");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agent;
pub mod ajson;
mod auth;
mod body;
pub mod convert;
pub mod document;
pub mod domain;
mod evidence;
mod extension;
mod field;
pub mod finding;
pub mod format;
pub mod formats;
mod json;
mod leftover;
mod link;
pub mod lint;
pub mod listing;
pub mod merge;
pub mod openapi;
mod place;
pub mod policy;
mod rate;
pub mod reference;
pub mod rules;
mod schema;
mod secret;
mod served;
pub mod signature;
pub mod text;
pub mod time;

pub use agent::{Agent, AgentId, Capability};
pub use convert::{Conversion, convert};
pub use document::Document;
pub use domain::Domain;
pub use finding::{Finding, Severity};
pub use format::{FormatId, Level, Mention, Reading};
pub use formats::{detect, read};
pub use lint::{Lint, lint};
pub use listing::Listing;
pub use reference::Reference;
pub use time::Timestamp;
