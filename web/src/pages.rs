//! The pages for people: each file is one page with its template, its parameters and its handler.

pub(crate) mod agent;
pub(crate) mod asset;
pub(crate) mod atom;
pub(crate) mod badge;
pub(crate) mod bot;
pub(crate) mod browse;
pub(crate) mod claim;
pub(crate) mod convert;
pub(crate) mod docs;
pub(crate) mod event;
pub(crate) mod home;
pub(crate) mod log;
pub(crate) mod owners;
pub(crate) mod quotes;
pub(crate) mod reference;
pub(crate) mod report;
pub(crate) mod rule;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod site;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod submission;
pub(crate) mod validate;
pub(crate) mod visit;
