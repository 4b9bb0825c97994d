//! The endpoints of the demo refuse calls that break their manifests.

use super::client::http_client;
use super::demo;
use serde_json::Value;

const BEARER: &str = "Bearer token-of-the-demo";
const INVOICE: &str = r#"{"vergi_no": "1234567890", "kalemler": [{}]}"#;

/// Method and URL, `Authorization`, body, and the status of the answer or the code of its error; 404
/// if the files answer.
const CASES: &[(&str, &str, &str, i64)] = &[
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
        404,
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
        -32_601,
    ),
    (
        "POST https://mesa-do-tejo.example/a2a",
        "",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {}}"#,
        -32_602,
    ),
    (
        "POST https://mesa-do-tejo.example/a2a",
        "",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "other"}}"#,
        -32_001,
    ),
    (
        "POST https://agentes.hospital-santa-clara.example/a2a",
        "",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "SendMessage"}"#,
        401,
    ),
    ("GET https://mesa-do-tejo.example/elsewhere", "", "", 404),
];

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "our own server is not hostile")]
async fn the_endpoints_refuse_calls_that_break_their_manifests() {
    let web = demo().await;
    let client = http_client(&web);
    for &(line, authorization, body, expected) in CASES {
        let (method, url) = line.split_once(' ').unwrap();
        let request = client
            .request(method.parse().unwrap(), url)
            .header("authorization", authorization)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(body);
        let answer = request.send().await.unwrap();
        let status = i64::from(answer.status().as_u16());
        let text = answer.text().await.unwrap();
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        let code = body["error"]["code"].as_i64().unwrap_or(status);
        assert_eq!(code, expected, "{line} {body}: {text}");
    }
}
