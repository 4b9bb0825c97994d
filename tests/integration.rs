//! Every integration test, linked once.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod crawl;
mod demo_sites;
mod index;
mod layers;
mod licences;
mod readings;
mod seeds;
mod support;
mod vectors;
