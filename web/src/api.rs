//! The JSON API.

pub(crate) mod openapi;
pub(crate) mod v1;
