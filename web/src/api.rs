//! The JSON API.

pub(crate) mod v1;
