//! The JSON API.

pub(crate) mod ard;
pub(crate) mod openapi;
pub(crate) mod reference;
pub(crate) mod servers;
pub(crate) mod v1;

pub(crate) use crate::pages::NOTE;
