//! API descriptions as sites publish them, and hostile ones.

use super::*;
use serde_json::json;
use std::fmt::Write as _;

#[test]
fn json_and_yaml_give_the_same_api() {
    let document = json!({
        "openapi": "3.0.3",
        "info": {"title": "Mugs", "version": "1"},
        "servers": [{"url": "/api"}, {"url": "https://eu.shop.example/api"}, {"url": 3}],
        "paths": {
            "/mugs": {
                "summary": "Not an operation",
                "parameters": [],
                "get": {"operationId": "listMugs", "summary": "All mugs",
                        "responses": {"200": {"description": "ok"}}},
                "post": {"operationId": 7},
            },
            "/broken": [],
        },
    });
    let yaml = "
openapi: 3.0.3
info: {title: Mugs, version: '1'}
servers:
  - url: /api
  - url: https://eu.shop.example/api
  - url: 3
paths:
  /mugs:
    summary: Not an operation
    parameters: []
    get:
      operationId: listMugs
      summary: All mugs
      responses:
        200:
          description: ok
    post: {operationId: 7}
  /broken: []
";
    let api = read(document.to_string().as_bytes()).unwrap();
    assert_eq!(read(yaml.as_bytes()).as_ref(), Some(&api));
    assert_eq!(api.version, "3.0.3");
    assert_eq!(api.servers, ["/api", "https://eu.shop.example/api"]);
    let calls: Vec<_> = api
        .operations
        .iter()
        .map(|it| (&*it.method, &*it.path, it.id.as_deref()))
        .collect();
    assert_eq!(
        calls,
        [("GET", "/mugs", Some("listMugs")), ("POST", "/mugs", None)]
    );
}

#[test]
fn the_server_of_swagger_is_joined_from_its_parts() {
    let server = |members: &str| {
        let api = read(format!("swagger: 2.0\n{members}").as_bytes()).unwrap();
        api.servers.join(" ")
    };
    assert_eq!(
        server("host: shop.example\nbasePath: /v1"),
        "https://shop.example/v1"
    );
    assert_eq!(
        server("host: shop.example\nschemes: [http]"),
        "http://shop.example"
    );
    assert_eq!(server("basePath: /v1"), "/v1");
    assert_eq!(server("info: {}"), "");
}

#[test]
fn other_documents_are_not_read() {
    for body in [
        "",
        "{}",
        "[]",
        "openapi: yes",
        "openapi: 4.0.0",
        "openapi: /openapi.json",
        "asyncapi: 3.0.0",
        "openapi: 3.0.0\n\tpaths: {",
        "\u{0}\u{1}",
    ] {
        assert_eq!(read(body.as_bytes()), None, "{body}");
    }
    assert_eq!(read(b"\xFF\xFEo"), None);
    let mut long = String::from("openapi: 3.0.0\n# ");
    long.push_str(&"x".repeat(MAX_BYTES));
    assert_eq!(read(long.as_bytes()), None);
}

#[test]
fn aliases_cannot_multiply_without_bound() {
    let mut bomb = String::from("openapi: 3.0.0\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{items}]").unwrap();
    }
    assert_eq!(read(bomb.as_bytes()), None);
    let cycle = "openapi: 3.0.0\na: &a [*a]\n";
    assert_eq!(read(cycle.as_bytes()), None);
    let few = "openapi: 3.0.0\nx: &get {summary: One}\npaths: {/a: {get: *get}, /b: {get: *get}}\n";
    assert_eq!(read(few.as_bytes()).unwrap().operations.len(), 2);
}

#[test]
fn depth_and_operations_are_bounded() {
    for depth in [100, 100_000] {
        let deep = format!(
            "openapi: 3.0.0\na: {}{}",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        assert_eq!(read(deep.as_bytes()), None);
        let json = format!(
            r#"{{"openapi": "3.0.0", "a": {}{}}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        );
        assert!(read(json.as_bytes()).is_none() || depth == 100);
    }
    let paths: Map<String, Value> = (0..=MAX_OPERATIONS)
        .map(|number| (format!("/{number}"), json!({"get": {}})))
        .collect();
    let api = read(
        json!({"openapi": "3.1.0", "paths": paths})
            .to_string()
            .as_bytes(),
    )
    .unwrap();
    assert_eq!(api.operations.len(), MAX_OPERATIONS);
    assert!(api.is_cut);
}
