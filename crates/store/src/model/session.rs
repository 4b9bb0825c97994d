//! Sessions of the Interaction API, and the calls that their records list.

use manifest::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Session of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Random id, which is public.
    pub id: String,
    /// SHA-256 of the token, in hexadecimal.
    pub token_hash: String,
    /// Keyed hash of the network that it was created from; empty after a day.
    pub network: String,
    /// Statements of the agent about itself, as JSON.
    pub agent: String,
    /// Time of its creation.
    pub created: Timestamp,
    /// Time from which its token is not accepted.
    pub expires: Timestamp,
    /// Time of its deletion.
    pub ended: Option<Timestamp>,
    /// Number of its calls.
    pub calls: u32,
    /// Signature of its record.
    pub seal: Option<Seal>,
}

/// Signature of the record of a session, with what may be different when it is read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Seal {
    /// URL of the registry.
    pub site: String,
    /// Id of the key in the published set.
    pub key_id: String,
    /// Public key in base64url.
    pub public_key: String,
    /// Signature in base64url.
    pub signature: String,
}

impl Session {
    /// Most open sessions of a network.
    pub const MAX_OF_NETWORK: u32 = 50;
    /// Most sessions that a network may create in a day.
    pub const MAX_A_DAY: u32 = 500;
    /// Most open sessions in all.
    pub const MAX_OPEN: u32 = 5_000;
    /// Most stored sessions, with those that have ended.
    pub const MAX_STORED: u32 = 20_000;
    /// Most calls of a session.
    pub const MAX_CALLS: u32 = 200;
    /// Time for which a session is stored after it has expired.
    pub const KEPT: Duration = Duration::from_hours(30 * 24);

    /// Reports whether its token is accepted at `now`.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.ended.is_none() && now < self.expires
    }

    /// Returns the time at which it ended, or will have ended if it is not deleted.
    pub fn end(&self) -> Timestamp {
        self.ended.unwrap_or(self.expires)
    }
}

/// Call within a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCall {
    /// Time of the answer.
    pub at: Timestamp,
    /// Name of the capability.
    pub capability: String,
    /// Method of the request.
    pub method: String,
    /// Parameters without secrets, as JSON.
    pub params: String,
    /// Word for the decision on the call.
    pub policy: String,
    /// Status of the answer.
    pub status: u16,
}

/// Answer to the creation of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionAnswer {
    /// It is stored.
    Opened,
    /// The network has too many; another one is accepted then.
    TooManyOfNetwork(Timestamp),
    /// There are too many in all; another one is accepted then.
    TooMany(Timestamp),
}
