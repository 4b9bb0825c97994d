//! Requests of owners to leave the registry, to return to it, or to be known as owners.

use store::{Claim, ClaimAction};

/// Places of a token; one of them is enough.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Name of the TXT record.
    pub(crate) dns_name: String,
    /// Address of the file.
    pub(crate) file_url: String,
    /// Value of the record, and line of the file.
    pub(crate) value: String,
}

impl Places {
    /// Returns the places in which the token of a claim is looked for.
    pub(crate) fn of(claim: &Claim, token: &str) -> Self {
        let action = claim.action.as_str();
        let domain = &claim.domain;
        let port = claim.port.map(|port| format!(":{port}"));
        let port = port.unwrap_or_default();
        Self {
            dns_name: format!("_agentdex.{domain}"),
            file_url: format!("https://{domain}{port}/.well-known/agentdex-{action}.txt"),
            value: match claim.action {
                ClaimAction::Leave | ClaimAction::Return => format!("agentdex-{action}={token}"),
                // The owner goes on to use the token, so only its hash is published.
                ClaimAction::Own => format!("agentdex-{action}={}", claim.token_hash),
            },
        }
    }
}

/// Returns a sentence on the state of a claim; without a crawler, no check is in a moment.
pub(crate) fn message(claim: &Claim, is_crawler_absent: bool) -> String {
    use store::ClaimState::{Checking, Failed, Verified, Waiting};
    let scope = &claim.scope;
    let published = published(claim.action);
    match (claim.state, claim.action) {
        (Waiting, _) if is_crawler_absent => format!(
            "Publish the {published} in one of the two places. No crawler takes up work at the moment; it \
             is looked for as soon as one does."
        ),
        (Waiting, _) if claim.checks == 0 => {
            format!(
                "Publish the {published} in one of the two places; the first check is in a moment."
            )
        }
        (Waiting, _) => {
            format!("The {published} was not there at the last check; it is looked for again.")
        }
        (Checking, _) => format!("A crawler is looking for the {published}."),
        (Verified, ClaimAction::Leave) => {
            format!("{scope}: no longer visited or listed; everything stored was deleted.")
        }
        (Verified, ClaimAction::Return) => {
            format!("{scope}: may be visited and listed again; a visit is due.")
        }
        (Verified, ClaimAction::Own) => {
            let verified = claim.checked.unwrap_or(claim.at);
            let end = verified.after(Claim::OWNED).format("%-d %B %Y");
            format!("{scope}: its rechecks with this token wait less, until {end}.")
        }
        (Failed, _) => format!("The {published} was not found in time; ask again for a new token."),
    }
}

/// Returns the name of the text that proves a claim. The token of an owner stays secret, and only its
/// fingerprint is published.
pub(crate) fn published(action: ClaimAction) -> &'static str {
    match action {
        ClaimAction::Leave | ClaimAction::Return => "token",
        ClaimAction::Own => "fingerprint",
    }
}
