//! Requests of visitors that are stored: visits to sites, reports of problems, and claims of owners.
//! The API and the forms of the pages share them, with their limits and their messages.

pub(crate) mod address;
pub(crate) mod claim;
pub(crate) mod crawler;
pub(crate) mod report;
pub(crate) mod visit;
