//! Forms of a page: HTML for people, JSON and Markdown for programs.
//!
//! A page at `/site/mesa.example` has the twins `/site/mesa.example/index.json` and
//! `/site/mesa.example/index.md`, which `Accept` chooses as well.

use axum::extract::FromRequestParts;
use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Uri};
use std::convert::Infallible;

/// Longest query that is repeated in `Link`: many clients refuse answers with long heads.
const MAX_QUERY: usize = 2_000;

/// Form of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Page for people, at the address itself.
    Html,
    /// JSON twin.
    Json,
    /// Markdown twin.
    Markdown,
}

impl Form {
    const ALL: [Self; 3] = [Self::Html, Self::Json, Self::Markdown];

    /// Returns the form that a path names.
    pub(crate) fn of(path: &str) -> Self {
        let twin = [Self::Json, Self::Markdown];
        let named = twin.into_iter().find(|it| path.ends_with(it.ending()));
        named.unwrap_or(Self::Html)
    }

    /// Returns the media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Json => "application/json",
            Self::Markdown => "text/markdown",
        }
    }

    /// Returns the path of this form of the page at `page`.
    pub(crate) fn path(self, page: &str) -> String {
        match self {
            Self::Html => page.to_owned(),
            Self::Json | Self::Markdown => {
                format!("{}{}", page.trim_end_matches('/'), self.ending())
            }
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Html => "",
            Self::Json => "/index.json",
            Self::Markdown => "/index.md",
        }
    }

    /// Returns the form that a client prefers (RFC 9110 §12.5.1): HTML, unless it names another one
    /// that it does not like less.
    fn preferred(headers: &HeaderMap) -> Self {
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
        let mut best = (named.unwrap_or_else(any), named.is_some(), Self::Html);
        for form in [Self::Json, Self::Markdown] {
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
}

/// Reads the form of a page from its path.
impl<S: Sync> FromRequestParts<S> for Form {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts.uri.path()))
    }
}

/// Returns the path of the page that `path` is a form of; `None` outside of the pages.
fn page(path: &str) -> Option<&str> {
    let page = path.strip_suffix(Form::of(path).ending()).unwrap_or(path);
    let is_below = [
        "/agent/", "/site/", "/docs/", "/browse/", "/leave/", "/return/",
    ];
    match page {
        "" | "/" => Some("/"),
        "/search" | "/docs" | "/stats" | "/status" | "/bot" | "/about" | "/leave" | "/return" => {
            Some(page)
        }
        _ => is_below
            .iter()
            .any(|it| page.starts_with(it))
            .then_some(page),
    }
}

/// Reports whether the answer at `path` depends on `Accept`.
pub(crate) fn has_forms(path: &str) -> bool {
    page(path).is_some()
}

/// Returns the `Link` header with the other forms of the page at `uri`, unless its query is very
/// long.
pub(crate) fn links(uri: &Uri) -> Option<HeaderValue> {
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

/// Addresses the form that the client prefers, if the request names a page without its form.
pub(crate) fn chosen<B>(mut request: Request<B>) -> Request<B> {
    let path = request.uri().path();
    let form = Form::preferred(request.headers());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn preferred(accept: &str) -> Form {
        let value = HeaderValue::from_str(accept).unwrap();
        Form::preferred(&HeaderMap::from_iter([(ACCEPT, value)]))
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
        assert_eq!(Form::preferred(&HeaderMap::new()), Form::Html);
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
