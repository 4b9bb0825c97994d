//! Encodings that a client refuses.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::ACCEPT_ENCODING;

/// Removes the refusal of an answer as it is (`identity;q=0`, `*;q=0`), which every client can read.
///
/// Compression would answer 406 if it has no other encoding that the client accepts, after the request
/// had its effect.
pub(super) fn with_identity(mut request: Request) -> Request {
    let headers = request.headers_mut();
    let given = headers.get_all(ACCEPT_ENCODING).iter();
    let given = given.filter_map(|it| it.to_str().ok());
    let given: Vec<&str> = given.flat_map(|it| it.split(',')).collect();
    if !given.iter().any(|it| refuses_identity(it)) {
        return request;
    }
    let rest = given.into_iter().filter(|it| !refuses_identity(it));
    let rest = rest.map(str::trim).collect::<Vec<_>>().join(", ");
    match HeaderValue::from_str(&rest) {
        Ok(rest) if !rest.is_empty() => headers.insert(ACCEPT_ENCODING, rest),
        _ => headers.remove(ACCEPT_ENCODING),
    };
    request
}

/// Reports whether an element of the header refuses an answer as it is, by its name or as one of all.
fn refuses_identity(element: &str) -> bool {
    let (name, weight) = element.split_once(';').unwrap_or((element, ""));
    let is_identity = ["identity", "*"]
        .iter()
        .any(|it| name.trim().eq_ignore_ascii_case(it));
    let weight = weight.trim().strip_prefix(['q', 'Q']);
    let weight = weight.and_then(|it| it.trim_start().strip_prefix('='));
    is_identity && weight.and_then(|it| it.trim().parse().ok()) == Some(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn accepted(lines: &[&'static str]) -> Option<String> {
        let mut request = Request::new(Body::empty());
        for line in lines {
            let line = HeaderValue::from_static(line);
            request.headers_mut().append(ACCEPT_ENCODING, line);
        }
        let request = with_identity(request);
        let lines = request.headers().get_all(ACCEPT_ENCODING).iter();
        let lines: Vec<_> = lines.map(|it| it.to_str().unwrap()).collect();
        (!lines.is_empty()).then(|| lines.join(" | "))
    }

    #[test]
    fn an_answer_as_it_is_cannot_be_refused() {
        for (lines, expected) in [
            (&["gzip, br"][..], Some("gzip, br")),
            (&["gzip", "br"], Some("gzip | br")),
            (
                &["identity;q=0.5, *;q=0.1"],
                Some("identity;q=0.5, *;q=0.1"),
            ),
            (&["identity;q=0"], None),
            (&["*; Q=0.000"], None),
            (&["gzip;q=0, *;q=0, br;q=0.5"], Some("gzip;q=0, br;q=0.5")),
            (&["gzip", "identity ; q = 0"], Some("gzip")),
            (&["*;q=x"], Some("*;q=x")),
        ] {
            assert_eq!(accepted(lines).as_deref(), expected, "{lines:?}");
        }
    }
}
