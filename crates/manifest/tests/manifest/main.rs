//! Tests of the public interface: recorded documents, generated ones and the shared test data are
//! read, linted and converted.
#![expect(clippy::unwrap_used, reason = "tests")]

mod ard_and_mcp_catalogues;
mod beside;
mod bounds;
mod broken;
mod cards;
mod catalogue;
mod claims;
mod clean;
mod conversions;
mod convert;
mod corrected;
mod fixtures;
mod generated;
mod huge;
mod laws;
mod losses;
mod mutated;
mod places;
mod properties;
mod readings;
mod real_files;
mod same_format;
mod schemas;
mod secrets;
mod shapes;
mod signatures;
mod stated_types;
mod support;
mod vectors;
