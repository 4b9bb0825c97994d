//! Finds the documents that domains publish for agents, politely.
//!
//! A visit leases a domain, reads its robots.txt, requests a handful of paths one after the other,
//! and stores everything that it received.
//!
//! The decisions about requests and their times are made by pure modules that take the clock and
//! the random generator as arguments: [`robots`], [`plan`], [`crawl_delay`], [`schedule`] and
//! [`fetch::address`]. [`run`] carries them out; [`visit`] is one visit. `P` numbers in comments
//! are rules of `docs/politeness.md`.

pub mod clock;
pub mod run;
pub mod visit;

pub mod plan;
pub mod probes;

pub mod crawl_delay;
pub mod fleet;
pub mod rate_limit;
pub mod robots;
pub mod schedule;
pub mod seeds;

mod contained;
pub mod descriptors;
pub mod fetch;
pub mod membership;
pub mod observer;
pub mod receipt;

pub mod check;
pub mod config;
pub mod exclude;
pub mod metrics;
pub mod progress;
pub mod report;
pub mod status;
pub mod summary;

#[cfg(test)]
mod test_data;
