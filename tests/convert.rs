//! `indexer convert` as a person runs it.

use crate::support;
use std::path::Path;

/// A site with one call over HTTP, and no version.
const FERRY: &str = r#"{"schema_version": "1.0",
    "site": {"name": "Island Ferry", "url": "https://ferry.example/"},
    "capabilities": [{"name": "timetable", "description": "Sailings of a day.",
        "endpoint": "/api/sailings", "method": "GET",
        "params": {"day": {"type": "string", "required": true}}}]}"#;

fn convert(folder: &Path, arguments: &[&str]) -> support::Ran {
    std::fs::write(folder.join("agents.json"), FERRY).unwrap();
    support::run("indexer", folder, &[&["convert"], arguments].concat())
}

#[test]
fn a_manifest_is_written_in_another_format() {
    let folder = tempfile::tempdir().unwrap();
    let ran = convert(folder.path(), &["agents.json", "--to", "agents-txt"]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    for line in [
        "Site: Island Ferry",
        "URL: https://ferry.example/",
        "Allow: timetable",
    ] {
        assert!(ran.output.contains(line), "{line:?} in {}", ran.output);
    }
    let lost = "an agents.txt cannot express the HTTP method of \"timetable\" (CV-01)";
    assert!(ran.output.contains(lost), "{}", ran.output);
}

#[test]
fn a_catalogue_leads_to_the_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["agents.json", "--to", "ard"];
    let ran = convert(folder.path(), &arguments);
    ran.fails_with(1, &["--path"]);
    let placed = [&arguments[..], &["--path", "/.well-known/agents.json"]].concat();
    let ran = convert(folder.path(), &placed);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let url = r#""url": "https://ferry.example/.well-known/agents.json""#;
    assert!(ran.output.contains(url), "{}", ran.output);
    assert!(ran.output.contains(r#""timetable""#), "{}", ran.output);
}

#[test]
fn missing_values_are_requested_and_taken_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["agents.json", "--to", "openapi"];
    let ran = convert(folder.path(), &arguments);
    ran.fails_with(1, &["requires the agent's version", "CV-02", "--set"]);
    let with_version = [&arguments[..], &["--set", "version=2.0.0"]].concat();
    let ran = convert(folder.path(), &with_version);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(ran.output.contains("\"/api/sailings\""), "{}", ran.output);
}

#[test]
fn wrong_usage_suggests_the_intended_argument() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| convert(folder.path(), arguments);
    run(&["agents.json", "--to", "agent-txt"]).fails_with(2, &["agents-txt"]);
    run(&["agents.json", "--to", "ard", "--set", "colour=red"]).fails_with(2, &["colour"]);
    run(&["nowhere.json", "--to", "ard"]).fails_with(1, &["cannot read 'nowhere.json'"]);
    std::fs::write(folder.path().join("other.json"), "[1, 2]").unwrap();
    run(&[
        "other.json",
        "--to",
        "ard",
        "--origin",
        "https://ferry.example",
    ])
    .fails_with(1, &["describes no agent"]);
}

#[test]
fn a_description_of_an_api_is_a_source() {
    let api = r#"{"openapi": "3.1.0", "info": {"title": "Kiosk", "version": "2.0.0", "description": "Sells papers."},
        "servers": [{"url": "https://kiosk.example/v2"}], "paths": {"/orders": {"post": {
            "operationId": "order", "description": "Orders one.", "requestBody": {"content": {
                "application/json": {"schema": {"type": "object", "properties": {"item": {"type": "string"}}}}}},
            "responses": {}}}}}"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("openapi.json"), api).unwrap();
    let ran = convert(folder.path(), &["openapi.json", "--to", "agent-json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    for part in [
        r#""order""#,
        r#""method": "POST""#,
        "https://kiosk.example/v2",
    ] {
        assert!(ran.output.contains(part), "{part} in {}", ran.output);
    }
    let ran = convert(folder.path(), &["openapi.json", "--to", "openapi"]);
    assert_eq!(ran.output.trim(), api.trim());
}

#[test]
fn a_need_of_one_call_alone_is_reported_as_lost() {
    let api = |of_second: &str| {
        format!(
            r#"{{"openapi": "3.1.0", "info": {{"title": "Kiosk", "version": "2.0.0", "description": "Sells papers."}},
            "components": {{"securitySchemes": {{"reader": {{"type": "http", "scheme": "basic"}},
                                               "editor": {{"type": "http", "scheme": "bearer"}}}}}},
            "servers": [{{"url": "https://kiosk.example/v2"}}],
            "paths": {{"/papers": {{"get": {{"operationId": "papers", "description": "Lists them.",
                                          "security": [{{"reader": []}}], "responses": {{}}}},
                                  "post": {{"operationId": "print", "description": "Prints one.",
                                          "security": [{of_second}], "responses": {{}}}}}}}}}}"#
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let lost = "cannot say which schemes each call needs";
    for (of_second, is_lost) in [
        (r#"{"reader": []}"#, false),
        (r#"{"editor": []}"#, true),
        (r#"{"reader": [], "editor": []}"#, true),
    ] {
        std::fs::write(folder.path().join("openapi.json"), api(of_second)).unwrap();
        let ran = convert(folder.path(), &["openapi.json", "--to", "agent-json"]);
        assert_eq!(
            ran.output.contains(lost),
            is_lost,
            "{of_second}: {}",
            ran.output
        );
    }
}
