//! Requests that change something, by method and address.

use crate::error::ErrorForm;
use axum::http::Method;

/// Addresses of pages and of the native API to which a body is posted that is only read.
const READING: [&str; 4] = [
    "/api/v1/validate",
    "/api/v1/convert",
    "/validate",
    "/convert",
];

/// Reports whether a request changes something; an unknown one counts as a change.
pub(super) fn is_act(method: &Method, path: &str) -> bool {
    let is_decided_elsewhere = match ErrorForm::at(path) {
        // By the capability that is called (`operation`); ARD has searches only, whose parameters are in
        // the body.
        ErrorForm::Rpc | ErrorForm::Interaction | ErrorForm::Ard => true,
        ErrorForm::Page | ErrorForm::Problem | ErrorForm::Servers => false,
    };
    !method.is_safe() && !is_decided_elsewhere && !READING.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_to_read_changes_something() {
        for (method, path, expected) in [
            (Method::GET, "/api/v1/leave", false),
            (Method::OPTIONS, "/api/v1/leave", false),
            (Method::POST, "/api/v1/leave", true),
            (Method::POST, "/api/v1/to-come", true),
            (Method::DELETE, "/api/v1/search", true),
            (Method::POST, "/report", true),
            (Method::POST, "/api/v1/validate", false),
            (Method::POST, "/validate", false),
            (Method::POST, "/convert", false),
            (Method::POST, "/validate/file", true),
            (Method::POST, "/ard/search", false),
            (Method::POST, "/a2a", false),
        ] {
            assert_eq!(is_act(&method, path), expected, "{method} {path}");
        }
    }
}
