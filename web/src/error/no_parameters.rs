//! Endpoints without parameters refuse all, so that a mistyped one is noticed.

use super::{AppError, Problem};
use crate::parameter::BadParameter;
use aide::OperationInput;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use url::form_urlencoded;

/// Most parameters that an error names.
const MOST: usize = 20;

/// Query of an endpoint that takes no parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoParameters;

/// Operations state no parameters.
impl OperationInput for NoParameters {}

impl<S: Sync> FromRequestParts<S> for NoParameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let given = form_urlencoded::parse(query.as_bytes()).take(MOST);
        let faults: Vec<_> = given
            .map(|(name, _)| BadParameter::unknown(&name, &[]))
            .collect();
        if faults.is_empty() {
            Ok(Self)
        } else {
            Err(Problem(AppError::BadParameters(faults)))
        }
    }
}
