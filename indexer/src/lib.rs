//! Turns stored documents into agents, keeps them and makes them searchable.

pub mod search;
