//! The only door to the network.

pub mod address;
