//! Quoting, checked by the interpreters themselves.

use super::*;
use crate::model::{Call, Gives, Step};
use proptest::prelude::*;
use serde_json::{Map, json};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Texts that mean something to a shell, to Python or to JavaScript.
const HOSTILE: [&str; 16] = [
    "'; touch /tmp/owned; '",
    "\"; import os; \"",
    "$(id) `id` ${IFS} $HOME !! %s",
    "line one\nline two\r\n\ttabbed",
    "\\",
    "\\' \\\" \\n \\u0041",
    "'\\''",
    "@/etc/passwd",
    "-o/tmp/owned",
    "*/ // # <!-- --> </script>",
    "\u{202e}\u{2028}\u{feff}\u{200b}",
    "{a} [b] {c,d} [1-9]",
    "é 漢 😀",
    "__proto__",
    "",
    "%00\u{7f}\u{1b}[2J",
];

fn text() -> impl Strategy<Value = String> {
    // A program's arguments cannot have a NUL.
    let any = any::<String>().prop_map(|it| it.replace('\0', ""));
    prop_oneof![
        any,
        proptest::sample::select(&HOSTILE[..]).prop_map(str::to_owned)
    ]
}

fn body() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((text(), inner), 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn call() -> impl Strategy<Value = Call> {
    let headers = proptest::collection::btree_map(text(), text(), 0..4);
    let parts = (text(), text(), headers, proptest::option::of(body()));
    parts.prop_map(|(method, url, headers, body)| Call {
        method,
        url,
        headers,
        // `json=None` is no body.
        body: body.filter(|it| !it.is_null()),
    })
}

fn request(call: &Call) -> Request<'_> {
    Request { call, gives: None }
}

/// Runs a program with a source as its input; `None` with a notice if it is not installed.
fn run(program: &str, arguments: &[&str], source: &str) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        eprintln!("SKIPPED: {program} is not installed");
        return None;
    };
    let mut input = child.stdin.take().unwrap();
    input.write_all(source.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{source}");
    Some(output.stdout)
}

/// Returns what a request of a snippet became: method, address, headers, body.
fn parts_of(call: &Call) -> Value {
    json!([call.method, call.url, call.headers, call.body])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn curl_gets_every_value_as_it_is(call in call()) {
        let source = curl::source(&[request(&call)], &Uuid::nil());
        let shell = format!("curl() {{ printf '%s\\0' \"$@\"; }}\n{source}\n");
        let output = run("sh", &[], &shell).unwrap();
        let arguments: Vec<_> = output.split(|it| *it == 0).map(<[u8]>::to_vec).collect();
        let mut expected = vec![
            "--globoff".to_owned(), "--request".to_owned(), call.method.clone(),
            "--url".to_owned(), call.url.clone(),
        ];
        for (name, value) in &call.headers {
            expected.extend(["--header".to_owned(), format!("{name}: {value}")]);
        }
        if let Some(body) = &call.body {
            expected.extend(["--data-raw".to_owned(), body.to_string()]);
        }
        expected.push(String::new());
        let expected: Vec<_> = expected.into_iter().map(String::into_bytes).collect();
        prop_assert_eq!(arguments, expected);
    }

    #[test]
    fn python_gets_every_value_as_it_is(call in call()) {
        let source = python::source(&[request(&call)]);
        let stub = "import sys, types, json as encoder\n\
            class Answer:\n    status_code = 0\n    text = ''\n\
            def request(method, url, headers=None, json=None, timeout=None):\n    \
            sys.stderr = sys.stdout\n    \
            print(encoder.dumps([method, url, headers or {}, json]))\n    return Answer\n\
            sys.modules['requests'] = types.SimpleNamespace(request=request)\n";
        if let Some(output) = run("python3", &["-X", "utf8", "-"], &format!("{stub}{source}\n")) {
            let first = output.split(|it| *it == b'\n').next().unwrap();
            let seen: Value = serde_json::from_slice(first).unwrap();
            prop_assert_eq!(seen, parts_of(&call), "{}", source);
        }
    }

    #[test]
    fn typescript_gets_every_value_as_it_is(call in call()) {
        let source = typescript::source(&[request(&call)]);
        let stub = "const say = console.log;\n\
            console.log = () => {};\n\
            globalThis.fetch = async (url, it) => {\n\
              const headers = JSON.stringify(it.headers ?? {});\n\
              const parts = [JSON.stringify(it.method), JSON.stringify(url), headers];\n\
              say(`[${parts},${it.body ?? 'null'}]`);\n\
              return { status: 0, text: async () => '' };\n\
            };\n";
        let arguments = ["--input-type=module", "-"];
        if let Some(output) = run("node", &arguments, &format!("{stub}{source}\n")) {
            let seen: Value = serde_json::from_slice(&output).unwrap();
            prop_assert_eq!(seen, parts_of(&call), "{}", source);
        }
    }
}

#[test]
fn marks_of_direction_are_visible_in_the_source() {
    let call = Call::post(
        "https://mesa.example/",
        "application/json",
        json!({"a": "\u{202e}b"}),
    );
    assert!(python::source(&[request(&call)]).contains("\\u202eb"));
    assert!(typescript::source(&[request(&call)]).contains("\\u202eb"));
}

#[test]
fn a_snippet_has_every_request_in_order() {
    let calls = [
        Call::new("GET", "https://mesa.example/1"),
        Call::new("GET", "https://mesa.example/2"),
    ];
    let calls: Vec<_> = calls.iter().map(request).collect();
    assert_eq!(
        curl::source(&calls, &Uuid::nil()),
        "curl --globoff --request 'GET' \\\n  --url 'https://mesa.example/1'\n\n\
         curl --globoff --request 'GET' \\\n  --url 'https://mesa.example/2'"
    );
}

/// Returns the requests of a conversation: the first answer gives a header, the second a member.
fn conversation() -> Draft {
    let step = |name, call, gives| Step { name, call, gives };
    let gives = |placeholder, location, name| {
        Some(Gives {
            placeholder,
            location,
            name,
        })
    };
    let call = |body: Value| Call::post("https://mesa.example/mcp", "application/json", body);
    let mut second = call(json!({"id": "{uuid}"}));
    second.add_header("Mcp-Session-Id", "{mcp_session_id}");
    let mut third = call(json!({"token": "it's {session_token}"}));
    third.add_header("Mcp-Session-Id", "{mcp_session_id}");
    Draft {
        steps: vec![
            step(
                "first",
                call(json!({})),
                gives("{mcp_session_id}", "header", "Mcp-Session-Id"),
            ),
            step(
                "second",
                second,
                gives("{session_token}", "body", "data.session_token"),
            ),
            step("third", third, None),
        ],
        ..Draft::default()
    }
}

/// Starts a server of one conversation on loopback, which answers what it got in the third request.
fn answer_conversation() -> (u16, std::thread::JoinHandle<Vec<String>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut seen = Vec::new();
        for _ in 0..3 {
            let (mut stream, _) = listener.accept().unwrap();
            seen.push(read_request(&stream));
            let body = r#"{"data": {"session_token": "t0k-1"}}"#;
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nMCP-Session-ID: s-1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
        seen
    });
    (port, server)
}

/// Returns the head and the body of a request.
fn read_request(stream: &std::net::TcpStream) -> String {
    use std::io::{BufRead as _, BufReader, Read as _};
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    head + &String::from_utf8(body).unwrap()
}

#[test]
fn ids_are_made_and_what_an_answer_gives_is_carried_on() {
    let id = id_of_day("mesa.example/mesa", "2026-11-27");
    let snippets = snippets(&conversation(), None, &id).unwrap();
    let languages = [
        ("sh", vec![], snippets.curl.unwrap()),
        (
            "node",
            vec!["--input-type=module", "-"],
            snippets.typescript.unwrap(),
        ),
        ("python3", vec!["-"], snippets.python.unwrap()),
    ];
    for (program, arguments, source) in languages {
        let has_library = || {
            Command::new(program)
                .args(["-c", "import requests"])
                .status()
        };
        if program == "python3" && !has_library().is_ok_and(|it| it.success()) {
            eprintln!("SKIPPED: the library requests of Python is not installed");
            continue;
        }
        let (port, server) = answer_conversation();
        let source = source.replace("https://mesa.example", &format!("http://127.0.0.1:{port}"));
        run(program, &arguments, &source).unwrap();
        let seen = server.join().unwrap();
        assert!(
            !seen[0].to_lowercase().contains("mcp-session-id"),
            "{}",
            seen[0]
        );
        for request in &seen[1..] {
            assert!(
                request.to_lowercase().contains("mcp-session-id: s-1"),
                "{program}: {request}"
            );
        }
        assert!(!seen[1].contains("{uuid}"), "{program}: {}", seen[1]);
        assert!(seen[2].contains("it's t0k-1"), "{program}: {}", seen[2]);
    }
}
