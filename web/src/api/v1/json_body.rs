//! Small JSON objects as bodies of requests: one reader for all of them, which accepts no other value,
//! no unknown member and none that is given twice.

use crate::error::AppError;
use crate::media_type;
use crate::object::Object;
use crate::parameter::{BadParameter, MAX_FAULTS};
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request};
use serde_json::{Map, Value};

/// Maximum number of bytes of such a body, as the description of the API states it.
pub(super) const TOO_LARGE: &str = "The body has more than 16 KiB.";
const MAX_BYTES: usize = 16 << 10;

/// Members of a body that are taken out one by one, and faults found on the way.
#[derive(Debug)]
pub(super) struct Members {
    object: Map<String, Value>,
    known: &'static [&'static str],
    faults: Vec<BadParameter>,
}

impl Members {
    /// Receives a body that has no members but these.
    pub(super) async fn receive(
        request: Request,
        known: &'static [&'static str],
    ) -> Result<Self, AppError> {
        if let Some(query) = request.uri().query() {
            crate::parameter::only(Some(query), []).map_err(AppError::BadParameters)?;
        }
        if !media_type::is_json(request.headers()) {
            return Err(AppError::MediaType(media_type::JSON));
        }
        let too_large = || AppError::TooLarge(MAX_BYTES);
        let body = match Bytes::from_request(request, &())
            .await
            .map_err(AppError::from)
        {
            Ok(body) if body.len() <= MAX_BYTES => body,
            Ok(_) | Err(AppError::TooLarge(_)) => return Err(too_large()),
            Err(error) => return Err(error),
        };
        let Object { members, repeated } = serde_json::from_slice(&body).map_err(|error| {
            let members = known.join("`, `");
            AppError::BadBody(format!(
                "the body must be one JSON object with the members `{members}`: {error}"
            ))
        })?;
        let repeated = repeated.iter().take(MAX_FAULTS);
        Ok(Self {
            object: members,
            known,
            faults: repeated.map(|it| BadParameter::repeated(it)).collect(),
        })
    }

    /// Takes a member that must be a text, which `parse` reads.
    pub(super) fn text<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, BadParameter>,
    ) -> Option<T> {
        let parsed = match self.object.remove(name) {
            Some(Value::String(text)) => parse(&text),
            Some(_) => Err(wrong(name, "a string")),
            None => Err(BadParameter::new(
                name,
                "required",
                format!("the member `{name}` is missing"),
            )),
        };
        parsed.map_err(|fault| self.faults.push(fault)).ok()
    }

    /// Takes a member that may be missing, which means false.
    pub(super) fn flag(&mut self, name: &'static str) -> bool {
        match self.object.remove(name) {
            Some(Value::Bool(flag)) => flag,
            None => false,
            Some(_) => {
                self.faults.push(wrong(name, "true or false"));
                false
            }
        }
    }

    /// Returns what was taken, unless there were faults or members are left.
    pub(super) fn finish<T>(mut self, taken: Option<T>) -> Result<T, AppError> {
        let known = self.known;
        let unknown = self.object.keys().take(MAX_FAULTS);
        let unknown: Vec<_> = unknown
            .map(|name| BadParameter::unknown(name, known))
            .collect();
        self.faults.extend(unknown);
        taken
            .filter(|_| self.faults.is_empty())
            .ok_or(AppError::BadParameters(self.faults))
    }
}

fn wrong(name: &str, expected: &str) -> BadParameter {
    BadParameter::new(name, "bad_type", format!("`{name}` must be {expected}"))
}
