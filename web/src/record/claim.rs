//! Claim of a request.

use crate::action::claim;
use crate::parameter::value;
use crate::view;
use store::Claim;

/// Returns the address of the state, with the token that is to be published.
pub(crate) fn path(claim: &Claim, token: &str) -> String {
    let path = view::path(&[claim.action.as_str(), &claim.id]);
    format!("{path}?token={token}")
}

/// Returns the token of a claim, if the query has it: only that of this request, so that no address makes
/// the page show another text.
pub(crate) fn token(claim: &Claim, query: Option<&str>) -> Option<String> {
    value(query, "token").filter(|it| claim::has_token(claim, it))
}
