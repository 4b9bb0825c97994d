//! Reads recorded documents and the shared test data as a crawler would hand them over.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "manifest/beside.rs"]
mod beside;
#[path = "manifest/bounds.rs"]
mod bounds;
#[path = "manifest/cards.rs"]
mod cards;
#[path = "manifest/catalogue.rs"]
mod catalogue;
#[path = "manifest/clean.rs"]
mod clean;
#[path = "manifest/convert.rs"]
mod convert;
#[path = "manifest/fixtures.rs"]
mod fixtures;
#[path = "manifest/generated.rs"]
mod generated;
#[path = "manifest/huge.rs"]
mod huge;
#[path = "manifest/mutated.rs"]
mod mutated;
#[path = "manifest/places.rs"]
mod places;
#[path = "manifest/properties.rs"]
mod properties;
#[path = "manifest/same_format.rs"]
mod same_format;
#[path = "manifest/secrets.rs"]
mod secrets;
#[path = "manifest/support.rs"]
mod support;
