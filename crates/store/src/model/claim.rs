//! Claims: requests to leave the registry, to return to it, or to be known as the owner of a domain,
//! which only the owner can prove.

use super::Scope;
use manifest::{Domain, Timestamp};
use std::time::Duration;

/// Waits before the checks of a claim, each from the end of the one before.
const GAPS: [Duration; 10] = [
    Duration::from_secs(3),
    Duration::from_secs(10),
    Duration::from_mins(1),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(8),
    Duration::from_hours(24),
    Duration::from_hours(48),
    Duration::from_hours(72),
];

/// Purpose of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaimAction {
    /// To be neither visited nor listed.
    Leave,
    /// To be visited and listed again.
    Return,
    /// To have the domain rechecked after shorter waits (P47).
    Own,
}

manifest::words!(ClaimAction {
    Leave = "leave",
    Return = "return",
    Own = "own",
});

/// State of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaimState {
    /// It waits for its next check.
    Waiting,
    /// A crawler looks for the token.
    Checking,
    /// The token was found, and the claim is in effect.
    Verified,
    /// The token was not found in time.
    Failed,
}

manifest::words!(ClaimState {
    Waiting = "waiting",
    Checking = "checking",
    Verified = "verified",
    Failed = "failed",
});

/// Claim to a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Random id.
    pub id: String,
    /// Purpose.
    pub action: ClaimAction,
    /// The domain, with or without its subdomains.
    pub scope: Scope,
    /// The domain on which the token is looked for.
    pub domain: Domain,
    /// Port of its https origin, unless 443.
    pub port: Option<u16>,
    /// SHA-256 of the token, in hexadecimal.
    pub token_hash: String,
    /// Time of the request.
    pub at: Timestamp,
    /// Time after which the token is not looked for.
    pub expires: Timestamp,
    /// State.
    pub state: ClaimState,
    /// Number of checks begun.
    pub checks: u32,
    /// Time of the next check.
    pub next_check: Option<Timestamp>,
    /// Time of the last check.
    pub checked: Option<Timestamp>,
    /// Description of what the last check found in the DNS.
    pub seen_dns: Option<String>,
    /// Description of what the last check found at the URL of the file.
    pub seen_file: Option<String>,
    /// Keyed hash of the network that it came from; `None` after a day, or if that is not known.
    pub network: Option<String>,
}

impl Claim {
    /// Most new claims of a network in a day.
    pub const MAX_OF_NETWORK: u32 = 100;

    /// Most claims of a network that are under check at the same time.
    pub const MAX_CHECKED_OF_NETWORK: u32 = 8;

    /// Returns a new claim from a network that is not known, which waits for its first check.
    pub fn new(
        id: String,
        action: ClaimAction,
        (domain, port): (Domain, Option<u16>),
        with_subdomains: bool,
        token_hash: String,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            action,
            scope: Scope::stored(domain.as_str().to_owned(), with_subdomains),
            domain,
            port,
            token_hash,
            at: now,
            expires: now.after(Self::LIFE),
            state: ClaimState::Waiting,
            checks: 0,
            next_check: Some(now.after(GAPS[0])),
            checked: None,
            seen_dns: None,
            seen_file: None,
            network: None,
        }
    }

    /// Time for which a verified claim to own a domain counts.
    pub const OWNED: Duration = Duration::from_hours(30 * 24);

    /// Time in which the token is looked for.
    pub const LIFE: Duration = Duration::from_hours(7 * 24);

    /// Most checks of one claim.
    pub const MAX_CHECKS: usize = GAPS.len();

    /// Returns the time of the check after the last one, which ended at `now`; `None` if there is
    /// none before the token expires.
    pub fn check_after(&self, now: Timestamp) -> Option<Timestamp> {
        let gap = GAPS.get(self.checks as usize)?;
        let at = now.after(*gap);
        (at < self.expires).then_some(at)
    }
}

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimCheck {
    /// True if the token was found.
    pub is_verified: bool,
    /// Description of what was found in the DNS.
    pub seen_dns: String,
    /// Description of what was found at the URL of the file; `None` if it was not needed.
    pub seen_file: Option<String>,
}

/// Answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimAnswer {
    /// It is stored, or joins the open one on the same domain, and will be checked.
    Accepted(Box<Claim>),
    /// There is nothing to leave: an exclusion covers the domain already.
    Excluded(super::Exclusion),
    /// There is nothing to return from: no exclusion covers the domain.
    NotExcluded,
    /// Too many claims for this site today; the next one is accepted then.
    TooMany(Timestamp),
    /// Too many claims of this network today; the next one is accepted then.
    TooManyOfNetwork(Timestamp),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checks_of_a_claim_grow_rare_and_end() {
        let start = Timestamp(1_800_000_000_000);
        let domain = Domain::parse("mesa.example").unwrap();
        let action = ClaimAction::Leave;
        let mut claim = Claim::new(
            "i".to_owned(),
            action,
            (domain, None),
            false,
            "h".to_owned(),
            start,
        );
        let (mut now, mut gap, mut checks) = (start, Duration::ZERO, 0);
        let mut next = claim.next_check;
        while let Some(at) = next {
            assert!(at.since(now) > gap, "{at:?}");
            gap = at.since(now);
            (now, checks) = (at, checks + 1);
            assert!(now < claim.expires);
            claim.checks += 1;
            next = claim.check_after(now);
        }
        assert_eq!(checks, Claim::MAX_CHECKS);
    }
}
