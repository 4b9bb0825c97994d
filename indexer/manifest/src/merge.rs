//! Several documents of one domain become its agents (PR-01, PR-02, PR-05).

use crate::agent::Listing;
use crate::{Document, Domain, Reading};

/// Merges what the documents of one domain say into its agents, in order of id.
///
/// The result does not depend on the order of `readings`.
pub fn merge(domain: &Domain, readings: &[(&Document, Reading)]) -> Vec<Listing> {
    let _ = (domain, readings);
    Vec::new()
}
