//! Choice between the forms of a page by `Accept`, and the links between them.

use crate::error::ErrorForm;
use crate::routes::{PAGES, Page};
use crate::twin::Form;
use axum::http::header::ACCEPT;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Uri};

/// Longest query that is repeated in `Link`: many clients refuse answers with long heads.
const MAX_QUERY: usize = 2_000;

/// Returns the path of the page that `path` is a form of; `None` outside of the pages.
fn page(path: &str) -> Option<&str> {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    // Files beside a page, which have one form.
    if let ["site", _, "badge.svg" | "badge.json" | "feed.atom"] | ["agent", _, _, "feed.atom"] =
        segments[..]
    {
        return None;
    }
    let page = path.strip_suffix(Form::of(path).ending()).unwrap_or(path);
    let page = if page.is_empty() { "/" } else { page };
    let is_of = |it: &Page| match it.path.split_once('{') {
        Some((before, _)) => page.starts_with(before),
        None => page == it.path,
    };
    PAGES.iter().any(is_of).then_some(page)
}

/// Reports whether the answer at `path` depends on `Accept`.
pub(super) fn has_forms(path: &str) -> bool {
    page(path).is_some()
}

/// Returns the `Link` header with the other forms of the page at `uri`, unless its query is very
/// long.
pub(super) fn links(uri: &Uri) -> Option<HeaderValue> {
    let (own, page) = (Form::of(uri.path()), page(uri.path())?);
    let query = uri.query().map_or_else(String::new, |it| format!("?{it}"));
    if query.len() > MAX_QUERY {
        return None;
    }
    let others = Form::ALL.into_iter().filter(|form| *form != own);
    let links = others.map(|form| {
        let (path, media_type) = (form.path(page), form.media_type());
        format!("<{path}{query}>; rel=\"alternate\"; type=\"{media_type}\"")
    });
    HeaderValue::from_str(&links.collect::<Vec<_>>().join(", ")).ok()
}

/// Returns the form of errors at an address: a problem document too for a client that prefers JSON.
pub(super) fn of_errors(uri: &Uri, headers: &HeaderMap) -> ErrorForm {
    match ErrorForm::at(uri.path()) {
        ErrorForm::Page if preferred(headers) == Form::Json => ErrorForm::Problem,
        form => form,
    }
}

/// Addresses the form that the client prefers, if the request names a page without its form.
pub(super) fn chosen<B>(mut request: Request<B>) -> Request<B> {
    let path = request.uri().path();
    let form = preferred(request.headers());
    // A form that is sent has one answer.
    let is_sent = ![Method::GET, Method::HEAD].contains(request.method());
    if is_sent || form == Form::Html || Form::of(path) != Form::Html || !has_forms(path) {
        return request;
    }
    let query = request
        .uri()
        .query()
        .map_or_else(String::new, |it| format!("?{it}"));
    let mut parts = request.uri().clone().into_parts();
    let address = format!("{}{query}", form.path(path));
    // Longer than an address may be: the page itself is the answer.
    if let Ok(address) = PathAndQuery::try_from(address) {
        parts.path_and_query = Some(address);
        if let Ok(uri) = Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
    }
    request
}

/// Returns the form that a client prefers (RFC 9110 §12.5.1): HTML, unless it names another one
/// that it does not like less.
fn preferred(headers: &HeaderMap) -> Form {
    let values = headers.get_all(ACCEPT).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let ranges: Vec<(&str, f32)> = values
        .flat_map(|value| value.split(','))
        .map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let media_type = parts.next().unwrap_or_default();
            let quality = parts.find_map(|it| it.strip_prefix("q="));
            (
                media_type,
                quality.map_or(1.0, |it| it.parse().unwrap_or(0.0)),
            )
        })
        .collect();
    let quality = |name: &str| {
        let mut ranges = ranges.iter();
        let found = ranges.find(|(range, _)| range.eq_ignore_ascii_case(name));
        found.map(|(_, quality)| *quality)
    };
    let named = quality("text/html");
    let any = || quality("text/*").or_else(|| quality("*/*")).unwrap_or(0.0);
    let mut best = (named.unwrap_or_else(any), named.is_some(), Form::Html);
    for form in [Form::Json, Form::Markdown] {
        let Some(own) = quality(form.media_type()).filter(|it| *it > 0.0) else {
            continue;
        };
        // Of two that it likes as much, the one that it names.
        if own > best.0 || (own >= best.0 && !best.1) {
            best = (own, true, form);
        }
    }
    best.2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preferred(accept: &str) -> Form {
        let value = HeaderValue::from_str(accept).unwrap();
        super::preferred(&HeaderMap::from_iter([(ACCEPT, value)]))
    }

    #[test]
    fn browsers_get_html() {
        for accept in [
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
            "*/*",
            "",
            "text/*",
            "text/html, application/json",
            "image/png",
            "application/json;q=0, */*",
            "application/json;q=0.5, */*",
        ] {
            assert_eq!(preferred(accept), Form::Html, "{accept}");
        }
        assert_eq!(super::preferred(&HeaderMap::new()), Form::Html);
    }

    #[test]
    fn programs_get_the_form_that_they_name() {
        for accept in [
            "application/json",
            "application/json, text/plain, */*",
            "text/html;q=0.5, application/json",
            "Application/JSON; charset=utf-8",
        ] {
            assert_eq!(preferred(accept), Form::Json, "{accept}");
        }
        for accept in ["text/markdown", "text/markdown, text/html;q=0.9, */*;q=0.1"] {
            assert_eq!(preferred(accept), Form::Markdown, "{accept}");
        }
    }

    #[test]
    fn links_name_the_other_forms() {
        let of = |uri: &'static str| links(&Uri::from_static(uri));
        assert_eq!(
            of("/search?q=a").unwrap(),
            "</search/index.json?q=a>; rel=\"alternate\"; type=\"application/json\", \
             </search/index.md?q=a>; rel=\"alternate\"; type=\"text/markdown\""
        );
        assert_eq!(
            of("/index.md").unwrap(),
            "</>; rel=\"alternate\"; type=\"text/html\", \
             </index.json>; rel=\"alternate\"; type=\"application/json\""
        );
        assert_eq!(of("/api/v1/search"), None);
        let long = format!("/search?q={}", "a".repeat(MAX_QUERY));
        assert_eq!(links(&long.parse().unwrap()), None);
    }

    #[test]
    fn only_pages_have_forms() {
        let asked = |uri: &'static str| {
            let request = Request::get(uri).header(ACCEPT, "application/json");
            chosen(request.body(()).unwrap()).uri().to_string()
        };
        assert_eq!(asked("/"), "/index.json");
        assert_eq!(asked("/search?q=a"), "/search/index.json?q=a");
        let sent = Request::post("/leave").header(ACCEPT, "application/json");
        assert_eq!(chosen(sent.body(()).unwrap()).uri(), "/leave");
        for same in [
            "/site/a.example/index.md",
            "/api/v1/rules",
            "/assets/a/b.css",
        ] {
            assert_eq!(asked(same), same);
        }
    }
}
