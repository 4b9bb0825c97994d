//! Forms that a browser posts: their fields, and the check that they come from our own pages.

use crate::cache::{self, Policy};
use crate::error::AppError;
use crate::parameter::BadParameter;
use crate::view::statement::Statement;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use url::{Url, form_urlencoded};

/// Most bytes of a form.
const MOST_BYTES: usize = 16 << 10;

/// Media type of forms.
const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// Relation between the page that sends a request and its target, which browsers state.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Fields of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Posted(BTreeMap<String, String>);

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

impl Posted {
    /// Receives a form that has no fields but these.
    pub(crate) async fn receive(
        request: Request,
        public_url: &str,
        known: &[&str],
    ) -> Result<Self, AppError> {
        if !is_from_our_pages(request.headers(), public_url) {
            return Err(AppError::CrossSite);
        }
        let media_type = request.headers().get(CONTENT_TYPE);
        let media_type = media_type.and_then(|it| it.to_str().ok());
        let media_type = media_type.and_then(|it| it.split(';').next());
        if !media_type.is_some_and(|it| it.trim().eq_ignore_ascii_case(MEDIA_TYPE)) {
            return Err(AppError::MediaType(MEDIA_TYPE));
        }
        let body = Bytes::from_request(request, &()).await?;
        if body.len() > MOST_BYTES {
            return Err(AppError::TooLarge(MOST_BYTES));
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
        let status = error.status();
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
                wait_s: error.wait_s(),
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

/// Reports whether a page of this registry sent a request, or no page at all.
///
/// Browsers state the relation of page and target, and older ones the origin of the page; a page of
/// another site must not send forms in the name of its visitors.
fn is_from_our_pages(headers: &HeaderMap, public_url: &str) -> bool {
    let value = |name| headers.get(name).map(HeaderValue::as_bytes);
    if let Some(relation) = value(FETCH_SITE) {
        return relation == b"same-origin" || relation == b"none";
    }
    let Some(origin) = value(ORIGIN) else {
        return true;
    };
    let origin = std::str::from_utf8(origin).ok();
    let Some(origin) = origin.and_then(|it| Url::parse(it).ok()) else {
        return false;
    };
    let is_public = Url::parse(public_url).is_ok_and(|own| own.origin() == origin.origin());
    let host = value(HOST).unwrap_or_default();
    is_public || origin.authority().as_bytes() == host
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(headers: &[(HeaderName, &'static str)]) -> bool {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), value.parse().unwrap()));
        is_from_our_pages(&headers.collect(), "https://agentdex.example")
    }

    #[test]
    fn a_form_comes_from_our_pages_or_from_no_page() {
        let own = "http://127.0.0.1:8080";
        for headers in [
            &[][..],
            &[
                (FETCH_SITE, "same-origin"),
                (ORIGIN, "https://other.example"),
            ],
            &[(FETCH_SITE, "none")],
            &[(ORIGIN, "https://agentdex.example")],
            &[(ORIGIN, own), (HOST, "127.0.0.1:8080")],
        ] {
            assert!(is_ours(headers), "{headers:?}");
        }
        for headers in [
            &[(FETCH_SITE, "cross-site")][..],
            &[(FETCH_SITE, "same-site")],
            &[(FETCH_SITE, "")],
            &[(ORIGIN, "null")],
            &[
                (ORIGIN, "https://other.example"),
                (HOST, "agentdex.example"),
            ],
            &[(ORIGIN, "http://agentdex.example")],
            &[(ORIGIN, own), (HOST, "127.0.0.1:8081")],
        ] {
            assert!(!is_ours(headers), "{headers:?}");
        }
    }

    #[test]
    fn fields_are_known_and_given_once() {
        let known = ["domain", "subdomains"];
        let posted = Posted::parse(b"domain=a+b%2F&subdomains=on", &known).unwrap();
        assert_eq!(posted.field("domain"), "a b/");
        assert!(posted.is_ticked("subdomains"));
        assert_eq!(Posted::default().field("domain"), "");
        for (body, code) in [
            (&b"domian=a"[..], "unknown_parameter"),
            (b"domain=a&domain=b", "repeated"),
        ] {
            assert_eq!(Posted::parse(body, &known).unwrap_err().code, code);
        }
    }
}
