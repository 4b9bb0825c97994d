//! Every integration test, linked once.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod backup;
mod bad_input;
mod bad_requests;
mod checking;
mod client_limits;
mod commands;
mod connections;
mod convert;
mod corpus;
mod crawl;
mod damage;
mod demo;
mod demo_sites;
mod derived;
mod drafts;
mod first_call;
mod formats;
mod hostile;
mod housekeeping;
mod index;
mod judge;
mod kill;
mod kill_repeatedly;
mod language;
mod layers;
mod licences;
mod lint;
mod many_clients;
mod many_seeds;
mod metrics;
mod plain_http;
mod probes;
mod relevance;
mod requested_visits;
mod resource_limits;
mod rules;
mod search_docs;
mod search_quality;
mod seeds;
mod serving;
mod signed_requests;
mod stopping;
mod support;
