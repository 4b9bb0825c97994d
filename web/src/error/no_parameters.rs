//! Endpoints without parameters refuse all, so that a mistyped one is noticed.

use super::{AppError, Problem};
use crate::parameter::only;
use aide::OperationInput;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// Query of an endpoint that takes no parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoParameters;

/// Operations state no parameters.
impl OperationInput for NoParameters {}

impl<S: Sync> FromRequestParts<S> for NoParameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match only(parts.uri.query(), []) {
            Ok([]) => Ok(Self),
            Err(faults) => Err(Problem(AppError::BadParameters(faults))),
        }
    }
}
