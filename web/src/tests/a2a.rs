//! Tests of A2A: the binding.

use super::*;
use axum::http::header::ALLOW;
use serde_json::json;

const V03: &str = "";
const V10: &str = "1.0";

fn post(version: &str, body: impl Into<Body>) -> Request<Body> {
    let request = Request::post("/a2a").header(CONTENT_TYPE, "application/json");
    let request = match version {
        "" => request,
        version => request.header("a2a-version", version),
    };
    request.body(body.into()).unwrap()
}

/// Sends a request of JSON-RPC and returns the response.
async fn call(registry: &Registry, version: &str, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params});
    let answer = ask(registry, post(version, message.to_string())).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header(CONTENT_TYPE), "application/json");
    assert_eq!(answer.header(CACHE_CONTROL), "no-store");
    let body = answer.json();
    assert_eq!(
        (&body["jsonrpc"], &body["id"]),
        (&json!("2.0"), &json!("a"))
    );
    body
}

/// Sends a message of these parts in both versions, and returns the parts of the answers.
pub(super) async fn send(registry: &Registry, parts: Value) -> [Value; 2] {
    let message =
        |role: &str| json!({"messageId": "1", "contextId": "c", "role": role, "parts": parts});
    let params = json!({"message": message("user")});
    let mut old = call(registry, V03, "message/send", params).await["result"].take();
    assert_eq!(
        (&old["kind"], &old["role"]),
        (&json!("message"), &json!("agent")),
        "{old}"
    );
    let params = json!({"message": message("ROLE_USER")});
    let mut new = call(registry, V10, "SendMessage", params).await["result"]["message"].take();
    assert_eq!(new["role"], "ROLE_AGENT", "{new}");
    for answer in [&old, &new] {
        assert_eq!(answer["contextId"], "c");
        assert_eq!(answer["messageId"].as_str().unwrap().len(), 32);
    }
    [old["parts"].take(), new["parts"].take()]
}

/// Sends a message of one part to be refused in both versions, and returns the errors.
pub(super) async fn refused(registry: &Registry, part: Value) -> [Value; 2] {
    let message =
        |role: &str| json!({"message": {"messageId": "1", "role": role, "parts": [part]}});
    [
        call(registry, V03, "message/send", message("user")).await["error"].take(),
        call(registry, V10, "SendMessage", message("ROLE_USER")).await["error"].take(),
    ]
}

#[tokio::test]
async fn text_is_searched_for_in_both_versions() {
    let registry = registry::full().await;
    let [old, new] = send(&registry, json!([{"text": "book a table in Lisbon"}])).await;
    assert_eq!(
        (&old[0]["kind"], &old[1]["kind"]),
        (&json!("text"), &json!("data"))
    );
    assert_eq!(new[1]["mediaType"], "application/json");
    for parts in [&old, &new] {
        let text = parts[0]["text"].as_str().unwrap();
        assert!(
            text.contains("Mesa reservations (mesa.example/reservations)"),
            "{text}"
        );
        assert!(text.contains("never as instructions"), "{text}");
        assert_eq!(
            parts[1]["data"]["results"][0]["id"],
            "mesa.example/reservations"
        );
    }
    let [none, _] = send(&registry, json!([{"text": "xyzzy plugh quux"}])).await;
    assert_eq!(none[1]["data"]["match"], "none");
    assert!(
        none[0]["text"]
            .as_str()
            .unwrap()
            .starts_with("No listed agent")
    );
}

#[tokio::test]
async fn a_data_part_names_a_skill_and_its_arguments() {
    let registry = registry::full().await;
    for (data, words, pointer, value) in [
        (json!({"q": "table"}), "Mesa", "/query/q", json!("table")),
        (
            json!({"skill": "search", "q": "table", "limit": 1}),
            "Mesa",
            "/query/q",
            json!("table"),
        ),
        (
            json!({"skill": "browse", "sort": "name"}),
            "Found",
            "/query/q",
            json!(""),
        ),
        (
            json!({"skill": "detail", "id": "mesa.example/reservations"}),
            "Mesa reservations (mesa.example/reservations)",
            "/id",
            json!("mesa.example/reservations"),
        ),
        (
            json!({"skill": "check", "domain": "mesa.example"}),
            "mesa.example lists",
            "/agents",
            json!(1),
        ),
        (
            json!({"skill": "capabilities", "prefix": "book"}),
            "Capabilities",
            "/prefix",
            json!("book"),
        ),
        (
            json!({"skill": "detail", "id": "mesa.example/nothing"}),
            "There is no agent",
            "/errorCode",
            json!("not_found"),
        ),
    ] {
        let context = data.to_string();
        for parts in send(&registry, json!([{"data": data}])).await {
            let text = parts[0]["text"].as_str().unwrap();
            assert!(text.contains(words), "{context}: {text}");
            assert_eq!(
                parts[1]["data"].pointer(pointer),
                Some(&value),
                "{context}: {parts}"
            );
        }
    }
    let parts = json!([{"text": "table"}, {"data": {"site": "mesa.example"}}]);
    let [both, _] = send(&registry, parts).await;
    assert_eq!(both[1]["data"]["query"]["q"], "table");
    assert_eq!(both[1]["data"]["total"], 1);
}

#[tokio::test]
async fn the_client_chooses_the_media_types_of_the_answer() {
    let registry = registry::full().await;
    let params = |modes: Value| {
        json!({
            "message": {"messageId": "1", "role": "user", "parts": [{"kind": "text", "text": "table"}]},
            "configuration": {"acceptedOutputModes": modes},
        })
    };
    for (modes, kinds) in [
        (json!([]), json!(["text", "data"])),
        (json!(["text/plain"]), json!(["text"])),
        (json!(["image/png", "application/json"]), json!(["data"])),
    ] {
        let body = call(&registry, V03, "message/send", params(modes)).await;
        let parts = body["result"]["parts"].as_array().unwrap().iter();
        assert_eq!(parts.map(|it| it["kind"].clone()).collect::<Value>(), kinds);
    }
    let body = call(&registry, V03, "message/send", params(json!(["image/png"]))).await;
    assert_eq!(body["error"]["code"], -32005);
}

#[tokio::test]
async fn a_message_that_cannot_be_answered_is_refused_with_the_reason() {
    let registry = registry::full().await;
    for (part, code, words) in [
        (
            json!({"data": {"skill": "serch"}}),
            -32602,
            "unknown value `serch`",
        ),
        (
            json!({"data": {"skill": 7}}),
            -32602,
            "must be the id of a skill",
        ),
        (
            json!({"data": {"skill": "leave"}}),
            -32602,
            "`domain` is required",
        ),
        (
            json!({"data": {"q": "a", "limt": 1}}),
            -32602,
            "nknown parameter `limt`",
        ),
        (
            json!({"data": {"q": "a", "limit": 0}}),
            -32602,
            "`limit` must be",
        ),
        (
            json!({"data": {"skill": "detail"}}),
            -32602,
            "`id` is required",
        ),
        (json!({"data": {}}), -32602, "`q` is required"),
        (json!({"data": [1]}), -32602, "an object as its `data`"),
        (json!({"text": 7}), -32602, "a text as its `text`"),
        (json!({"text": " "}), -32602, "the message is empty"),
        (json!({}), -32602, "must have `text` or `data`"),
        (json!(null), -32602, "must have `text` or `data`"),
        (
            json!({"kind": "file", "file": {"uri": "https://a.example"}}),
            -32005,
            "files are not taken",
        ),
        (
            json!({"url": "https://a.example/x.png"}),
            -32005,
            "files are not taken",
        ),
        (json!({"raw": "AAAA"}), -32005, "files are not taken"),
    ] {
        for error in refused(&registry, part.clone()).await {
            assert_eq!(error["code"], code, "{part}: {error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(words), "{part}: {message}");
        }
    }
    let [old, new] = refused(&registry, json!({"data": {"q": "a", "limit": 0}})).await;
    assert_eq!(old["data"]["errorCode"], "bad_parameters");
    assert_eq!(new["data"][0]["fieldViolations"][0]["field"], "limit");
}

#[tokio::test]
async fn incomplete_messages_are_refused_with_the_missing_member() {
    let registry = registry::empty().await;
    let parts = json!([{"text": "a"}]);
    for (params, code, words) in [
        (json!({}), -32602, "`message`"),
        (json!({"message": 7}), -32602, "`message`"),
        (
            json!({"message": {"role": "user", "parts": parts}}),
            -32602,
            "messageId",
        ),
        (
            json!({"message": {"messageId": "1", "parts": parts}}),
            -32602,
            "role",
        ),
        (
            json!({"message": {"messageId": "1", "role": "agent", "parts": parts}}),
            -32602,
            "role",
        ),
        (
            json!({"message": {"messageId": "1", "role": "user", "parts": []}}),
            -32602,
            "parts",
        ),
        (
            json!({"message": {"messageId": "1", "role": "user", "taskId": "t", "parts": parts}}),
            -32001,
            "no such task",
        ),
        (
            json!({
                "message": {"messageId": "1", "role": "user", "parts": parts},
                "configuration": {"pushNotificationConfig": {"url": "https://a.example"}},
            }),
            -32003,
            "push notifications",
        ),
    ] {
        let error = call(&registry, V03, "message/send", params.clone()).await["error"].take();
        assert_eq!(error["code"], code, "{params}: {error}");
        assert!(
            error["message"].as_str().unwrap().contains(words),
            "{params}: {error}"
        );
    }
    let many = json!({"message": {"messageId": "1", "role": "user", "parts": vec![json!({"text": "a"}); 101]}});
    let error = call(&registry, V03, "message/send", many).await["error"].take();
    assert_eq!(error["code"], -32602, "{error}");
}

#[tokio::test]
async fn what_is_not_offered_is_refused_as_its_version_says() {
    let registry = registry::empty().await;
    for (version, method, code, reason) in [
        (V03, "message/stream", -32004, ""),
        (V03, "tasks/resubscribe", -32004, ""),
        (V03, "tasks/get", -32001, ""),
        (V03, "tasks/cancel", -32001, ""),
        (V03, "tasks/pushNotificationConfig/set", -32003, ""),
        (V03, "agent/getAuthenticatedExtendedCard", -32007, ""),
        (V03, "tasks/list", -32601, ""),
        (V03, "message/sent", -32601, ""),
        (V03, "SendMessage", -32601, ""),
        ("0.3", "message/stream", -32004, ""),
        ("0.3.0", "message/stream", -32004, ""),
        (V10, "SendStreamingMessage", -32004, "UNSUPPORTED_OPERATION"),
        (V10, "SubscribeToTask", -32004, "UNSUPPORTED_OPERATION"),
        (V10, "GetTask", -32001, "TASK_NOT_FOUND"),
        (V10, "CancelTask", -32001, "TASK_NOT_FOUND"),
        (
            V10,
            "CreateTaskPushNotificationConfig",
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        (V10, "GetExtendedAgentCard", -32004, "UNSUPPORTED_OPERATION"),
        (V10, "message/send", -32601, ""),
        ("1.0.1", "GetTask", -32001, "TASK_NOT_FOUND"),
        ("2.0", "SendMessage", -32009, "VERSION_NOT_SUPPORTED"),
        ("0.2", "message/send", -32009, "VERSION_NOT_SUPPORTED"),
        ("1", "SendMessage", -32009, "VERSION_NOT_SUPPORTED"),
        ("nonsense", "SendMessage", -32009, "VERSION_NOT_SUPPORTED"),
    ] {
        let error = call(&registry, version, method, json!({"id": "1"})).await["error"].take();
        assert_eq!(error["code"], code, "{version} {method}: {error}");
        match reason {
            "" => assert!(error["data"].is_null(), "{version} {method}: {error}"),
            reason => assert_eq!(error["data"][0]["reason"], reason, "{version} {method}"),
        }
    }
    let error = call(&registry, V03, "SendMessage", json!({})).await["error"].take();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("send the header `A2A-Version: 1.0`"),
        "{message}"
    );
    let tasks = call(&registry, V10, "ListTasks", json!({})).await["result"].take();
    assert_eq!(tasks["tasks"], json!([]));
}

#[tokio::test]
async fn a_body_that_is_no_request_is_an_error_of_the_protocol() {
    let registry = registry::empty().await;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for (body, code, id) in [
        ("", -32700, Value::Null),
        ("{", -32700, Value::Null),
        (&deep, -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("7", -32600, Value::Null),
        ("{}", -32600, Value::Null),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"message/send"}"#,
            -32600,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","method":"message/send"}"#,
            -32600,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"message/send"}"#,
            -32600,
            Value::Null,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, json!(1)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":[]}"#,
            -32600,
            json!(1),
        ),
    ] {
        let answer = ask(&registry, post(V03, body.to_owned())).await;
        let start: String = body.chars().take(60).collect();
        assert_eq!(answer.status, StatusCode::OK, "{start}");
        let answer = answer.json();
        assert_eq!(answer["error"]["code"], code, "{start}: {answer}");
        assert_eq!(answer["id"], id, "{start}");
    }
    let long = ask(&registry, post(V03, vec![b' '; (1 << 20) + 1])).await;
    assert_eq!(long.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(long.json()["error"]["code"], -32600);
    let mut text = post(V03, r#"{"id": 5}"#);
    text.headers_mut()
        .insert(CONTENT_TYPE, "text/plain".parse().unwrap());
    let text = ask(&registry, text).await;
    assert_eq!(text.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(
        (&text.json()["error"]["code"], &text.json()["id"]),
        (&json!(-32600), &json!(5))
    );
    let get = get(&registry, "/a2a").await;
    assert_eq!(get.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(get.header(ALLOW), "POST, OPTIONS");
    assert_eq!(get.json()["error"]["code"], -32600);
}
