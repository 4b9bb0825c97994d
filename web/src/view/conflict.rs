//! Facts on which the documents of one agent disagree.

use super::WebLink;
use manifest::listing::{Claim, Conflict, Listing};

/// Conflict as pages show it.
#[derive(Clone, Debug)]
pub(crate) struct ConflictView {
    pub(crate) agent: String,
    /// Path of the agent's page.
    pub(crate) path: String,
    pub(crate) fact: String,
    pub(crate) claims: Vec<ClaimView>,
}

/// Values in one document.
#[derive(Clone, Debug)]
pub(crate) struct ClaimView {
    pub(crate) link: WebLink,
    /// JSON pointer or line; empty for the whole document.
    pub(crate) place: String,
    pub(crate) values: String,
}

impl ConflictView {
    /// Converts a conflict.
    pub(crate) fn of(listing: &Listing, conflict: &Conflict) -> Self {
        let claims = conflict.claims.iter();
        Self {
            agent: listing.agent.name.clone(),
            path: super::agent_path(&listing.id),
            fact: match conflict.field.split_once('/') {
                Some((field, protocol)) => format!("{field} ({protocol})"),
                None if conflict.field == "capabilities" => {
                    "capabilities that not all list".to_owned()
                }
                None if conflict.field == "auth" => "authentication".to_owned(),
                None => conflict.field.clone(),
            },
            claims: claims.map(|claim| ClaimView::of(listing, claim)).collect(),
        }
    }
}

impl ClaimView {
    fn of(listing: &Listing, claim: &Claim) -> Self {
        let source = listing.sources.get(claim.evidence.source);
        Self {
            link: WebLink::of(source.map_or("", |source| source.url.as_str())),
            place: claim.evidence.pointer.clone(),
            values: match claim.values.as_slice() {
                [] => "none of these".to_owned(),
                values => values.join(", "),
            },
        }
    }
}
