//! Recorded exchanges: the files `tests/fixtures/<format>/<case>.http`.

use manifest::{Document, Domain};
use std::path::{Path, PathBuf};
use url::Url;

/// Returns the path of every recorded exchange, in order.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let list = |directory: &Path| {
        let entries = std::fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    let mut fixtures: Vec<_> = list(&fixture_directory())
        .filter(|path| path.is_dir())
        .flat_map(|directory| list(&directory))
        .filter(|path| path.extension().is_some_and(|it| it == "http"))
        .collect();
    assert!(!fixtures.is_empty());
    fixtures.sort();
    fixtures
}

/// Returns the directory with one directory of recorded exchanges for each format.
pub(crate) fn fixture_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

/// Reads a recorded exchange as the document that the crawler would have stored.
pub(crate) fn recorded(path: &Path) -> Document {
    parse(&std::fs::read(path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Parses `GET url`, the status, the headers and an empty line, one a line; the rest is the body,
/// byte for byte.
fn parse(exchange: &[u8]) -> Result<Document, String> {
    let end = exchange.windows(2).position(|pair| pair == b"\n\n");
    let end = end.ok_or("no empty line after the headers")?;
    let head = str::from_utf8(&exchange[..end]).map_err(|error| error.to_string())?;
    let mut lines = head.lines();
    let url = lines.next().and_then(|line| line.strip_prefix("GET "));
    let url = url.ok_or("the first line is not `GET url`")?;
    let url = Url::parse(url).map_err(|error| error.to_string())?;
    let domain = url.host_str().ok_or("the URL has no host")?;
    let domain = Domain::parse(domain).map_err(|error| error.to_string())?;
    let mut document = Document::new(domain, url, &exchange[end + 2..]);
    let status = lines.next().and_then(|line| line.parse().ok());
    document.status = status.ok_or("the second line is not a status")?;
    for line in lines {
        let (name, value) = line.split_once(": ").ok_or("a header without `: `")?;
        match name.to_ascii_lowercase().as_str() {
            "content-type" => document.media_type = Some(value.to_owned()),
            "etag" => document.etag = Some(value.to_owned()),
            "last-modified" => document.last_modified = Some(value.to_owned()),
            _ => return Err(format!("the header {name} is not read")),
        }
    }
    Ok(document)
}

#[test]
fn an_exchange_is_parsed_with_its_headers_and_its_body_unchanged() {
    let exchange =
        b"GET https://a.example/agents.txt\n404\nContent-Type: text/plain\netag: \"1\"\n\
        last-modified: Tue, 01 Sep 2026 00:00:00 GMT\n\n\xff: one\n\ntwo";
    let document = parse(exchange).unwrap();
    assert_eq!(document.domain.as_str(), "a.example");
    assert_eq!(document.url.as_str(), "https://a.example/agents.txt");
    assert_eq!(document.requested, document.url);
    assert_eq!(document.status, 404);
    assert_eq!(document.media_type.as_deref(), Some("text/plain"));
    assert_eq!(document.etag.as_deref(), Some("\"1\""));
    let modified = document.last_modified.as_deref();
    assert_eq!(modified, Some("Tue, 01 Sep 2026 00:00:00 GMT"));
    assert_eq!(document.body, b"\xff: one\n\ntwo");
}

#[test]
fn a_broken_exchange_is_an_error_that_names_the_fault() {
    for (exchange, fault) in [
        ("GET https://a.example/\n200\n", "no empty line"),
        ("https://a.example/\n200\n\n", "GET url"),
        ("GET a.example\n200\n\n", "relative URL"),
        ("GET https://a.example/\nOK\n\n", "status"),
        ("GET https://a.example/\n200\netag\n\n", "header"),
        ("GET https://a.example/\n200\nserver: x\n\n", "server"),
    ] {
        let error = parse(exchange.as_bytes()).unwrap_err();
        assert!(error.contains(fault), "{exchange:?}: {error}");
    }
}
