//! Protocols of agents and of other registries, beside the API of our own.

pub(crate) mod a2a;
pub(crate) mod ard;
pub(crate) mod interaction;
pub(crate) mod mcp;
pub(crate) mod operation;
pub(crate) mod servers;
