//! Finds what domains publish for agents, politely.
//!
//! A visit leases a domain, reads its robots.txt, asks a handful of paths one after the other, and
//! hands everything it saw to the store.
//! What to ask and when is decided by pure modules that take the clock and chance as arguments:
//! [`robots`], [`plan`], [`politeness`], [`schedule`] and [`fetch::address`]; `P` numbers in their
//! documentation are the rules of the project's politeness contract.
//! [`run`] carries it all out; [`visit`] is one visit.

pub mod run;
pub mod visit;

pub mod plan;
pub mod probes;

pub mod pace;
pub mod politeness;
pub mod robots;
pub mod schedule;
pub mod seeds;

mod contained;
pub mod descriptors;
pub mod fetch;
mod noting;
pub mod receipt;

pub mod check;
pub mod config;
pub mod leaving;
pub mod metrics;
pub mod progress;
pub mod report;
pub mod status;
pub mod summary;

#[cfg(test)]
mod test_data;
