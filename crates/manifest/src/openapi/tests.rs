//! API descriptions as sites publish them, and hostile ones.

use super::*;
use serde_json::{Map, json};
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
    assert_eq!(server("info: {}"), "/");
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

#[test]
fn gp_18_parameters_of_the_operation_and_of_its_path_are_read() {
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "Mugs", "version": "2"},
        "servers": [{"url": "https://{zone}.shop.example/v1",
                     "variables": {"zone": {"default": "eu"}}}],
        "paths": {"/mugs/{id}": {
            "parameters": [
                {"$ref": "#/components/parameters/Id"},
                {"name": "lang", "in": "query", "schema": {"type": "string"}},
            ],
            "put": {
                "operationId": "glaze", "summary": "Glazes a mug", "tags": ["Glaze"],
                "deprecated": true,
                "parameters": [{"name": "lang", "in": "query", "required": true,
                    "schema": {"type": "string", "enum": ["en", "de"], "default": "en"}}],
                "requestBody": {"$ref": "#/components/requestBodies/Glaze"},
            },
        }},
        "components": {
            "parameters": {"Id": {"name": "id", "in": "path", "schema": {"type": "integer"}}},
            "requestBodies": {"Glaze": {"content": {"application/json": {
                "schema": {"type": "object", "required": ["colour"],
                           "properties": {"colour": {"type": "string"}}}}}}},
        },
    });
    let api = read(document.to_string().as_bytes()).unwrap();
    assert_eq!(api.servers, ["https://eu.shop.example/v1"]);
    let operation = &api.operations[0];
    assert!(operation.deprecated && operation.body.is_some());
    assert_eq!(operation.pointer, "/paths/~1mugs~1{id}/put");
    let params: Vec<_> = operation
        .params
        .iter()
        .map(|it| {
            (
                &*it.name,
                it.location.as_deref(),
                it.required,
                it.choices.len(),
            )
        })
        .collect();
    let expected = [
        ("lang", Some("query"), true, 2),
        ("id", Some("path"), true, 0),
        ("colour", Some("body"), true, 0),
    ];
    assert_eq!(params, expected);
}

#[test]
fn a_schema_that_refers_to_another_is_left_out_and_its_members_stay() {
    let document = json!({
        "swagger": "2.0",
        "paths": {"/mugs": {"post": {"parameters": [
            {"in": "body", "name": "mug", "schema": {"$ref": "#/definitions/Mug"}},
        ]}}},
        "definitions": {"Mug": {"type": "object", "properties": {
            "maker": {"$ref": "#/definitions/Maker"}, "size": {"type": "integer"}}}},
    });
    let api = read(document.to_string().as_bytes()).unwrap();
    assert_eq!(api.operations[0].body, None);
    let names: Vec<_> = api.operations[0]
        .params
        .iter()
        .map(|it| &*it.name)
        .collect();
    assert_eq!(names, ["maker", "size"]);
}

#[test]
fn a_description_is_recognised_before_it_is_parsed() {
    for text in [
        "openapi: 3.1.0\n",
        "# An API\n\"openapi\": '3.0.0'\n",
        "swagger: \"2.0\"",
        " {\"openapi\": \"3.1.0\"",
    ] {
        assert!(is_announced(text), "{text}");
    }
    for text in [
        "",
        "OpenAPI: https://shop.example/openapi.json",
        "openapi: /openapi.yaml",
        "{\"name\": \"Mugs\", \"openapi\": \"3.1.0\"",
        "  openapi: 3.1.0",
    ] {
        assert!(!is_announced(text), "{text}");
    }
}

#[test]
fn a_flow_of_swagger_is_read_like_one_of_openapi() {
    let api = read(
        br#"{"swagger": "2.0", "info": {"title": "Mugs", "version": "1"},
            "security": [{"login": ["read"]}],
            "securityDefinitions": {"login": {"type": "oauth2", "flow": "application",
                "tokenUrl": "https://mugs.example/token", "scopes": {"read": "Reads"}}},
            "paths": {"/mugs": {"get": {}, "head": {}, "options": {}, "trace": {}}}}"#,
    )
    .unwrap();
    let flow = &api.security_schemes["login"]["flows"]["clientCredentials"];
    assert_eq!(flow["tokenUrl"], "https://mugs.example/token");
    assert_eq!(api.servers, ["/"], "without a host, that of the document");
    let methods: Vec<_> = api.operations.iter().map(|it| &*it.method).collect();
    assert_eq!(methods, ["GET"], "the others only ask about a request");
    let login = vec![vec!["login".to_owned()]];
    assert_eq!(api.operations[0].security, Some(login));
}
