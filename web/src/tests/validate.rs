//! Tests of the pages that check, correct and convert a manifest, without scripts.

use super::*;
use crate::tests::forms::post;

const BROKEN: &str = "{\n  \"name\": \"Ferry\", // the boat\n  \"description\": \"Crossings\",\n  \"url\": \"https://ferry.com/api\",\n}\n";

/// Sends a form with a file, as a browser does.
async fn upload(registry: &Registry, name: &str, bytes: &[u8], fields: &[(&str, &str)]) -> Answer {
    let mut body = Vec::new();
    for (field, value) in fields {
        let part =
            format!("--b\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n");
        body.extend(part.into_bytes());
    }
    let part = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
    );
    body.extend(part.into_bytes());
    body.extend(bytes);
    body.extend(b"\r\n--b--\r\n");
    let request = Request::post("/validate")
        .header(CONTENT_TYPE, "multipart/form-data; boundary=b")
        .header("sec-fetch-site", "same-origin");
    ask(registry, request.body(Body::from(body)).unwrap()).await
}

#[tokio::test]
async fn a_finding_leads_to_its_line_and_the_line_to_the_finding() {
    let registry = registry::empty().await;
    let page = post(&registry, "/validate", &[("text", BROKEN)]).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    assert_eq!(page.header(CACHE_CONTROL), "no-store");
    page.says(&[
        "Not valid JSON: line 2, column 20</h2>",
        "First: it is not JSON",
        "<li id=\"L2\" data-line=\"2\" class=\"marked-error\">",
        "href=\"#L2\"><code>line 2, column 20</code></a>",
        "id=\"f1\"",
        "<a class=\"sign\" href=\"#f1\" aria-label=\"Line 2: error\">",
        "a comment, in line 2",
        "a comma before a closing bracket, in line 4",
        "name=\"do\" value=\"correct\"",
    ])
    .has_only_our_script();
    page.never_says(&["Publish it, then submit"]);
}

#[tokio::test]
async fn a_corrected_text_is_valid_and_says_what_was_changed() {
    let registry = registry::empty().await;
    let sent = [
        ("text", BROKEN),
        ("do", "correct"),
        ("path", "/agents.json"),
    ];
    let page = post(&registry, "/validate", &sent).await;
    page.says(&[
        "<strong>Corrected</strong>",
        "a comment, in line 2",
        "formaction=\"/validate/file\"",
        "Ferry, 0 capabilities",
    ]);
    page.never_says(&["the boat", "Not valid JSON", "We can correct this"]);
    let nothing = [("text", "{\"name\": \"Ferry\"}"), ("do", "correct")];
    post(&registry, "/validate", &nothing)
        .await
        .says(&["Nothing in it has one certain correction."]);
    let saved = [("text", BROKEN), ("path", "/.well-known/agents.json")];
    let file = post(&registry, "/validate/file", &saved).await;
    assert_eq!(file.body, BROKEN);
    let disposition = HeaderName::from_static("content-disposition");
    assert_eq!(
        file.header(disposition),
        "attachment; filename=\"agents.json\""
    );
    assert!(file.header(CONTENT_SECURITY_POLICY).contains("sandbox"));
    let foreign = Request::post("/validate/file")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "cross-site");
    let foreign = ask(&registry, foreign.body(Body::from("text=a")).unwrap()).await;
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_file_is_checked_in_place_of_the_text() {
    let registry = registry::empty().await;
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(
            "{\"name\": \"Fähre\"}"
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        )
        .collect();
    let page = upload(
        &registry,
        "agents.json",
        &wide,
        &[("text", "other"), ("as", "")],
    )
    .await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    page.says(&[
        "Fähre",
        "the file is UTF-16",
        "text in UTF-16, not UTF-8",
        "name=\"path\" value=\"/.well-known/agents.json\"",
    ])
    .never_says(&["other</textarea>"]);
    let none = upload(&registry, "", b"", &[("text", "{\"name\": \"Pier\"}")]).await;
    none.says(&["Pier"]);
    let bytes = upload(&registry, "a.json", &[0x89, b'P', 0, 1], &[]).await;
    assert_eq!(bytes.status, StatusCode::OK);
    bytes.says(&["the file is neither UTF-8 nor any other text"]);
    let large = vec![b'a'; 1 << 20];
    let large = upload(&registry, "a.json", &large, &[]).await;
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
    let cut = Request::post("/validate")
        .header(CONTENT_TYPE, "multipart/form-data; boundary=b")
        .body(Body::from(
            "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nx",
        ));
    let cut = ask(&registry, cut.unwrap()).await;
    assert_eq!(cut.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn faults_of_the_form_stand_at_their_fields() {
    let registry = registry::empty().await;
    for (fields, expected) in [
        (vec![("text", " ")], "id=\"text-fault\""),
        (vec![("text", "{}"), ("path", "a")], "id=\"path-fault\""),
        (vec![("text", "{}"), ("as", "zervise")], "id=\"as-fault\""),
        (
            vec![("text", "{}"), ("domain", "a b")],
            "id=\"domain-fault\"",
        ),
    ] {
        for address in ["/validate", "/convert"] {
            let page = post(&registry, address, &fields).await;
            assert_eq!(page.status, StatusCode::BAD_REQUEST, "{fields:?}");
            page.says(&[expected, "aria-invalid=\"true\""]);
        }
    }
    let unknown = post(&registry, "/validate", &[("txt", "{}")]).await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn hostile_and_long_texts_stay_harmless_and_bounded() {
    let registry = registry::empty().await;
    let hostile = "\n{\"name\": \"</textarea><script>alert(1)</script>\", \"b\": \"\u{202e}x\"}";
    let page = post(&registry, "/validate", &[("text", hostile)]).await;
    page.says(&[
        "U+202E",
        "&#60;/textarea&#62;",
        "spellcheck=\"false\" autocapitalize=\"none\">\n\n{",
    ]);
    page.has_only_our_script();
    let long = format!("[{}\n\"end\"]", "1,\n".repeat(20_000));
    let page = post(&registry, "/validate", &[("text", &long)]).await;
    page.says(&["lines not shown</li>", "The text is long"]);
    let shown = page.body.matches("data-line=").count();
    assert!((2_000..2_050).contains(&shown), "{shown} lines");
}

#[tokio::test]
async fn examples_and_stored_documents_are_loaded_with_their_findings() {
    let registry = registry::full().await;
    let empty = get(&registry, "/validate").await;
    empty.says(&[
        "<optgroup label=\"A2A\">",
        "<option value=\"broken-card\">",
        "name=\"site\"",
    ]);
    let example = get(&registry, "/validate?example=broken-card").await;
    example.says(&["Not valid JSON: line 6, column", "We can correct this"]);
    let unknown = get(&registry, "/validate?example=card").await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
    let site = get(&registry, "/site/mesa.example").await;
    let (_, rest) = site
        .body
        .split_once("href=\"/validate?site=mesa.example&")
        .unwrap();
    let link = rest.split('"').next().unwrap();
    let link = link.replace("#38;", "").replace("amp;", "");
    let page = get(&registry, &format!("/validate?site=mesa.example&{link}")).await;
    assert_eq!(page.status, StatusCode::OK);
    page.says(&[
        "as our crawler stored it",
        "The site was not asked again.",
        "data-line=\"1\"",
        "value=\"mesa.example\"",
    ]);
    let only = get(&registry, "/validate?site=mesa.example").await;
    only.says(&["as our crawler stored it"]);
    let other = "/validate?site=mesa.example&document=https://mesa.example/none";
    let other = get(&registry, other).await;
    assert_eq!(other.status, StatusCode::BAD_REQUEST);
    other.says(&[
        "is no document of mesa.example that is stored",
        "Documents stored of mesa.example",
    ]);
    let unknown = get(&registry, "/validate?site=unknown.example").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    unknown.says(&["action=\"/submit\""]);
}

#[tokio::test]
async fn a_valid_text_leads_to_its_place_and_to_the_submission() {
    let registry = registry::empty().await;
    let card = get(&registry, "/validate?example=a2a").await;
    card.says(&["class=\"good\"", "Publish it, then submit"]);
    let text = "{\"name\": \"Ferry\", \"description\": \"Crossings.\", \"version\": \"1.0.0\", \"protocolVersion\": \"0.3.0\", \
        \"url\": \"https://ferry.com/a2a\", \"capabilities\": {}, \"defaultInputModes\": [\"text/plain\"], \
        \"defaultOutputModes\": [\"text/plain\"], \"skills\": [{\"id\": \"cross\", \"name\": \"Cross\", \
        \"description\": \"Crosses.\", \"tags\": [\"boat\"]}]}";
    let page = post(&registry, "/validate", &[("text", text)]).await;
    page.says(&[
        "https://ferry.com/.well-known/agent-card.json",
        "Content-Type: application/json",
        "action=\"/submit\"",
        "name=\"domain\" value=\"ferry.com\"",
        "formaction=\"/convert#result\"",
    ]);
}

#[tokio::test]
async fn a_conversion_shows_the_document_and_what_is_lost() {
    let registry = registry::empty().await;
    get(&registry, "/convert")
        .await
        .says(&[
            "action=\"/convert#result\"",
            "<option value=\"ard\">ARD catalogue</option>",
        ])
        .has_only_our_script();
    let example = get(&registry, "/validate?example=agents-json").await;
    let (_, text) = example
        .body
        .split_once("autocapitalize=\"none\">\n")
        .unwrap();
    let text = text.split("</textarea>").next().unwrap();
    let text = text
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#38;", "&");
    let sent = [("text", text.as_str()), ("to", "agents-txt")];
    let page = post(&registry, "/convert", &sent).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    page.says(&[
        "as an agents.txt",
        "What is lost or changed",
        "/agents.txt</code>",
        "formaction=\"/validate/file\"",
    ]);
    let nameless = [
        (
            "text",
            "{\"schema_version\": \"1.0\", \"site\": {\"name\": \"Ferry\"}, \"capabilities\": []}",
        ),
        ("to", "ard"),
    ];
    let refused = post(&registry, "/convert", &nameless).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    refused.says(&["id=\"domain-fault\"", "does not name its site"]);
    let none = post(
        &registry,
        "/convert",
        &[("text", "[1]"), ("to", "ard"), ("domain", "ferry.com")],
    )
    .await;
    none.says(&["id=\"text-fault\"", "nothing to convert"]);
    let missing = [("text", text.as_str()), ("to", "openapi")];
    let missing = post(&registry, "/convert", &missing).await;
    missing.says(&[
        "Not possible yet: an OpenAPI document needs more",
        "(field <code>version</code>)",
    ]);
    let added = [
        ("text", text.as_str()),
        ("to", "openapi"),
        ("set", "version=1.0.0\r\n"),
    ];
    post(&registry, "/convert", &added)
        .await
        .says(&["as an OpenAPI document"]);
    let bad = [
        ("text", text.as_str()),
        ("to", "openapi"),
        ("set", "vresion"),
    ];
    post(&registry, "/convert", &bad)
        .await
        .says(&["id=\"set-fault\"", "FIELD=VALUE"]);
    let unknown = post(&registry, "/convert", &[("text", "{}"), ("to", "x")]).await;
    unknown.says(&["id=\"to-fault\""]);
}
