//! The answer to a path: a file, a redirect, or a small page that names the error.

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED, LOCATION,
};
use http::{HeaderName, HeaderValue, Method, Response, StatusCode, Uri};

use crate::behaviour::{Answer, Fault};
use crate::body::{self, Body};
use crate::server::{WebServer, path_and_query};
use crate::site::Site;

impl WebServer {
    pub(crate) fn response<B>(
        &self,
        request: &http::Request<B>,
        host: &str,
        site: Option<&Site>,
        answer: &Answer,
        is_served: bool,
    ) -> Response<Body> {
        let asked = path_and_query(request.uri());
        let head = request.method() == Method::HEAD;
        let mut response = if !head && request.method() != Method::GET {
            page(StatusCode::METHOD_NOT_ALLOWED)
        } else if !is_served && site.is_some() {
            moved(&with_port(
                &format!("https://{host}{asked}"),
                self.https_port,
            ))
        } else if let Some(target) = &answer.redirect {
            moved(&self.target(&target.replace("{path}", asked)))
        } else if let Some(site) = site {
            self.file(request, site, answer)
        } else {
            // RFC 9110 section 15.5.20: this web does not serve that host.
            page(StatusCode::MISDIRECTED_REQUEST)
        };
        if let Some(status) = answer
            .status
            .and_then(|status| StatusCode::from_u16(status).ok())
        {
            *response.status_mut() = status;
        }
        for (name, value) in &answer.headers {
            if let (Ok(name), Ok(value)) = (
                HeaderName::try_from(name.as_str()),
                HeaderValue::try_from(value.as_str()),
            ) {
                response.headers_mut().insert(name, value);
            }
        }
        if head {
            *response.body_mut() = Body::empty();
        }
        response
    }

    fn file<B>(&self, request: &http::Request<B>, site: &Site, answer: &Answer) -> Response<Body> {
        let path = request.uri().path();
        let caught = || site.file(site.behaviour.catch_all.as_deref()?);
        let file = site.file(path).or_else(caught);
        let (bytes, etag) = match (&answer.body, file) {
            (Some(body), _) => (Bytes::from(body.clone()), None),
            (None, Some(file)) => (file.bytes.clone(), Some(file.etag.as_str())),
            (None, None) if answer.fault.is_some() => (Bytes::new(), None),
            (None, None) => {
                let status = answer
                    .status
                    .and_then(|status| StatusCode::from_u16(status).ok());
                return page(status.unwrap_or(StatusCode::NOT_FOUND));
            }
        };
        let modified = httpdate::fmt_http_date(self.modified);
        let unchanged = match request.headers().get(IF_NONE_MATCH) {
            Some(known) => etag.is_some() && known.to_str().ok() == etag,
            None => request
                .headers()
                .get(IF_MODIFIED_SINCE)
                .and_then(|since| httpdate::parse_http_date(since.to_str().ok()?).ok())
                // HTTP dates have no fractions of a second.
                .is_some_and(|since| {
                    etag.is_some() && since + Duration::from_secs(1) > self.modified
                }),
        };
        let (length, body) = match answer.fault {
            _ if unchanged => (None, Body::empty()),
            Some(Fault::Endless) => (None, Body::Endless),
            Some(Fault::Truncate) => (Some(bytes.len().max(1)), Body::cut_off(&bytes)),
            Some(Fault::GzipBomb) => {
                let bomb = body::gzip_bomb();
                (Some(bomb.len()), Body::from(bomb))
            }
            Some(Fault::Close) | None => (Some(bytes.len()), Body::from(bytes)),
        };
        let mut response = Response::new(body);
        if unchanged {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(path)));
        if let Some(length) = length {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if answer.fault == Some(Fault::GzipBomb) {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if let Some(etag) = etag
            && let (Ok(etag), Ok(modified)) =
                (HeaderValue::try_from(etag), HeaderValue::try_from(modified))
        {
            headers.insert(ETAG, etag);
            headers.insert(LAST_MODIFIED, modified);
        }
        response
    }

    /// Returns a redirect's target, with this web's port if its host is on this web.
    fn target(&self, target: &str) -> String {
        let Ok(uri) = target.parse::<Uri>() else {
            return target.to_owned();
        };
        let port = match uri.scheme_str() {
            Some("https") => self.https_port,
            Some("http") => self.http_port,
            _ => return target.to_owned(),
        };
        let ours = uri
            .host()
            .is_some_and(|host| self.sites.get(host).is_some());
        if ours && uri.port().is_none() {
            with_port(target, port)
        } else {
            target.to_owned()
        }
    }
}

/// Adds a port to an absolute URL without one.
fn with_port(url: &str, port: u16) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    format!("{scheme}://{host}:{port}{path}")
}

fn moved(target: &str) -> Response<Body> {
    let mut response = page(StatusCode::MOVED_PERMANENTLY);
    if let Ok(target) = HeaderValue::try_from(target) {
        response.headers_mut().insert(LOCATION, target);
    }
    response
}

/// Returns a small page that names the status.
fn page(status: StatusCode) -> Response<Body> {
    let text = Bytes::from(format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{status}</title><h1>{status}</h1></html>\n"
    ));
    let length = text.len();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    response
}

fn content_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        _ if name.is_empty() => "text/html; charset=utf-8",
        Some("html" | "htm") => "text/html; charset=utf-8",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        Some("md") => "text/markdown; charset=utf-8",
        Some("xml") => "application/xml",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some(_) | None => "application/octet-stream",
    }
}
