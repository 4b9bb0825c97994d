//! Forms that a browser posts, and their fields.

use crate::cache::{self, Policy};
use crate::error::AppError;
use crate::media_type;
use crate::parameter::BadParameter;
use crate::view::statement::Statement;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use url::form_urlencoded;

/// Maximum number of bytes of a form.
const MAX_BYTES: usize = 16 << 10;

/// Media type of forms.
const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// Fields of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PostedForm(BTreeMap<String, String>);

/// Reason why a form is shown again.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    /// Sentence on the whole form.
    pub(crate) message: Option<Statement>,
    /// Faults of fields.
    faults: Vec<BadParameter>,
    /// True if the domain is excluded.
    pub(crate) is_excluded: bool,
    status: StatusCode,
    /// Seconds after which the form may be sent again.
    wait_s: Option<u64>,
}

impl PostedForm {
    /// Receives a form that has no fields but these.
    pub(crate) async fn receive(request: Request, known: &[&str]) -> Result<Self, AppError> {
        if !media_type::is_one_of(request.headers(), &[MEDIA_TYPE]) {
            return Err(AppError::MediaType(MEDIA_TYPE));
        }
        let body = Bytes::from_request(request, &()).await?;
        if body.len() > MAX_BYTES {
            return Err(AppError::TooLarge(MAX_BYTES));
        }
        Self::parse(&body, known).map_err(|fault| AppError::BadParameters(vec![fault]))
    }

    fn parse(body: &[u8], known: &[&str]) -> Result<Self, BadParameter> {
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(body) {
            if !known.contains(&&*name) {
                return Err(BadParameter::unknown(&name, known));
            }
            if fields.contains_key(&*name) {
                return Err(BadParameter::repeated(&name));
            }
            fields.insert(name.into_owned(), value.into_owned());
        }
        Ok(Self(fields))
    }

    /// Returns the value of a field; empty if it was not sent.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Reports whether a box was ticked.
    pub(crate) fn is_ticked(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl Refusal {
    /// Returns the refusal of a form; errors of the server remain errors.
    pub(crate) fn of(error: AppError) -> Result<Self, AppError> {
        let status = error.kind().status;
        if status.is_server_error() {
            return Err(error);
        }
        Ok(match error {
            AppError::BadParameters(faults) => Self {
                faults,
                status,
                ..Self::default()
            },
            error => Self {
                status,
                is_excluded: matches!(error, AppError::Excluded(_)),
                message: Some(error.statement()),
                wait_s: error.kind().wait_s,
                ..Self::default()
            },
        })
    }

    /// Adds the status and the time of the next attempt to the page of the form.
    pub(crate) fn answer(&self, page: impl IntoResponse) -> Response {
        let mut response = (self.status, page).into_response();
        if let Some(wait) = self.wait_s {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(wait));
        }
        cache::keep(Policy::Never, response)
    }

    /// Returns the fault of a field.
    pub(crate) fn fault(&self, name: &str) -> Option<&BadParameter> {
        self.faults.iter().find(|it| it.pointer == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_known_and_given_once() {
        let known = ["domain", "subdomains"];
        let posted = PostedForm::parse(b"domain=a+b%2F&subdomains=on", &known).unwrap();
        assert_eq!(posted.field("domain"), "a b/");
        assert!(posted.is_ticked("subdomains"));
        assert_eq!(PostedForm::default().field("domain"), "");
        for (body, code) in [
            (&b"domian=a"[..], "unknown_parameter"),
            (b"domain=a&domain=b", "repeated"),
        ] {
            assert_eq!(PostedForm::parse(body, &known).unwrap_err().code, code);
        }
    }
}
