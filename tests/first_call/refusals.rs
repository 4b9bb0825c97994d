//! The endpoints of the demo refuse calls that break their manifests.

use crate::support;
use simweb::Endpoints;
use std::path::Path;

const BEARER: &str = "Bearer token-of-the-demo";
const INVOICE: &str = r#"{"vergi_no": "1234567890", "kalemler": [{}]}"#;

/// Method and URL, `Authorization`, body, and the status of the answer; 0 if the files answer.
const CASES: &[(&str, &str, &str, u16)] = &[
    (
        "GET https://api.caixa-ribeira.example/v2/financiamentos/simulacao?valor=50000&meses=12",
        "",
        "",
        200,
    ),
    (
        "GET https://api.caixa-ribeira.example/v2/financiamentos/simulacao?valor=50000",
        "",
        "",
        400,
    ),
    (
        "GET https://api.caixa-ribeira.example/v2/financiamentos/simulacao?valor=1&meses=12",
        "",
        "",
        400,
    ),
    (
        "GET https://api.caixa-ribeira.example/v2/financiamentos/simulacao?valor=x&meses=12",
        "",
        "",
        400,
    ),
    (
        "POST https://api.caixa-ribeira.example/v2/financiamentos/simulacao?valor=50000&meses=12",
        "",
        "",
        405,
    ),
    (
        "POST https://api.fatura-kolay.example/faturalar",
        BEARER,
        INVOICE,
        200,
    ),
    (
        "POST https://api.fatura-kolay.example/faturalar",
        "",
        INVOICE,
        401,
    ),
    (
        "POST https://api.fatura-kolay.example/faturalar",
        "Bearer other",
        INVOICE,
        401,
    ),
    (
        "POST https://api.fatura-kolay.example/faturalar",
        BEARER,
        r#"{"vergi_no": "1234567890", "kalemler": []}"#,
        400,
    ),
    (
        "POST https://api.fatura-kolay.example/faturalar",
        BEARER,
        r#"{"vergi_no": "no", "kalemler": [{}]}"#,
        400,
    ),
    (
        "POST https://rathaus-birkenau.example/api/termine",
        "",
        r#"{"anliegen": "reisepass"}"#,
        200,
    ),
    (
        "POST https://rathaus-birkenau.example/api/termine",
        "",
        r#"{"anliegen": "other"}"#,
        400,
    ),
    (
        "POST https://rathaus-birkenau.example/api/termine",
        "",
        r#"{"anliegen": "reisepass", "more": 1}"#,
        400,
    ),
    (
        "POST https://skerry-ferries.example/.well-known/agents/api/cart",
        "",
        r#"{"sailing": "7"}"#,
        401,
    ),
    (
        "DELETE https://skerry-ferries.example/.well-known/agents/api/session",
        "Bearer none",
        "",
        401,
    ),
    (
        "GET https://skerry-ferries.example/.well-known/agents/api/sailings/{id}",
        "",
        "",
        0,
    ),
    (
        "GET https://snow-oracle.example/api/depth?slope=north",
        "",
        "",
        402,
    ),
    (
        "POST https://tide-house.example/mcp",
        "",
        r#"{"jsonrpc": "2.0"}"#,
        401,
    ),
    (
        "POST https://tide-house.example/mcp",
        BEARER,
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#,
        400,
    ),
    (
        "POST https://mesa-do-tejo.example/a2a",
        "",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "SendMessage"}"#,
        400,
    ),
    ("GET https://mesa-do-tejo.example/elsewhere", "", "", 0),
];

/// Reads the files below a directory of sites, each with its host.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut waiting = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(current) = waiting.pop() {
        for entry in std::fs::read_dir(current).unwrap() {
            let path = entry.unwrap().path();
            let inner = path.strip_prefix(folder).unwrap();
            let host = inner.iter().next().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.push((host, std::fs::read(&path).unwrap()));
            }
        }
    }
    files
}

#[test]
fn the_endpoints_refuse_calls_that_break_their_manifests() {
    let files = files(&support::workspace().join("seeds/demo"));
    let files = files.iter().map(|(host, bytes)| (host.as_str(), &**bytes));
    let endpoints = Endpoints::of(files);
    for &(line, authorization, body, status) in CASES {
        let (method, url) = line.split_once(' ').unwrap();
        let url: url::Url = url.parse().unwrap();
        let path = url.query().map_or_else(
            || url.path().to_owned(),
            |it| format!("{}?{it}", url.path()),
        );
        let request = ::http::Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", authorization)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(body.into())
            .unwrap();
        let answer = endpoints.answer(url.host_str().unwrap(), &request);
        let answered = answer.as_ref().map_or(0, |it| it.status().as_u16());
        assert_eq!(answered, status, "{line} {body}: {answer:?}");
    }
}
