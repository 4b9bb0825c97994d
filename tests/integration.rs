//! Every integration test, linked once.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod checking;
mod connections;
mod conversions;
mod convert;
mod corpus;
mod crawl;
mod damage;
mod demo;
mod demo_sites;
mod derived;
mod guide;
mod hostile;
mod index;
mod judge;
mod kill;
mod kills;
mod layers;
mod leaving;
mod licences;
mod lint;
mod many_clients;
mod many_seeds;
mod metrics;
mod needs;
mod ourselves;
mod plain_http;
mod probes;
mod readings;
mod real_files;
mod relevance;
mod rules;
mod schemas;
mod seeds;
mod serving;
mod signatures;
mod signed_requests;
mod stopping;
mod support;
mod vectors;
