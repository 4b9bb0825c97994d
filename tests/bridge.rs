//! `agentdex mcp`, which leads a client on standard input and output to the MCP server of a registry.

use crate::serving::{registry, serve};
use crate::support::running::Running;
use crate::support::{binary, http, run};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Time in which a line must come.
const PATIENCE: Duration = Duration::from_mins(1);

/// A bridge whose client is the test.
struct Bridge {
    running: Running,
    input: ChildStdin,
    messages: Receiver<String>,
    log: Receiver<String>,
}

impl Bridge {
    fn start(registry: &str) -> Self {
        let mut child = Command::new(binary("agentdex"))
            .args(["mcp", "--registry", registry])
            // The registry is asked, and no other server.
            .env("HTTP_PROXY", "http://127.0.0.1:1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let messages = lines(child.stdout.take().unwrap());
        let log = lines(child.stderr.take().unwrap());
        let running = Running(child);
        Self {
            running,
            input,
            messages,
            log,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Sends a request, and returns the next message, which answers it.
    fn ask(&mut self, id: u32, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let line = self.messages.recv_timeout(PATIENCE).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Starts the conversation as clients with a handshake do.
    fn initialize(&mut self) -> Value {
        let client = json!({"name": "a test", "version": "1"});
        let version = "2025-06-18";
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let answer = self.ask(0, "initialize", &params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    /// Closes standard input; returns the exit code, the other messages and the log.
    fn close(self) -> (Option<i32>, Vec<String>, Vec<String>) {
        let Self {
            mut running,
            input,
            messages,
            log,
        } = self;
        drop(input);
        let code = running.0.wait().unwrap().code();
        (code, messages.iter().collect(), log.iter().collect())
    }
}

/// Returns the lines of a pipe as they come.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Asks the MCP server of a registry itself.
async fn directly(url: &str, method: &str, params: &Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = http::client()
        .post(format!("{url}/mcp"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    http::answer(request.body(body.to_string())).await.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_of_a_registry_are_used_over_standard_input_and_output() {
    let pipeline = registry().await;
    let server = serve(&pipeline);
    let mut bridge = Bridge::start(&server.url);
    let started = bridge.initialize();
    let client = json!({"name": "a test", "version": "1"});
    let version = "2025-06-18";
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    let own = directly(&server.url, "initialize", &params).await;
    for member in ["protocolVersion", "serverInfo", "instructions"] {
        assert_eq!(started[member], own["result"][member], "{member}");
    }
    let own = directly(&server.url, "tools/list", &json!({})).await;
    let tools = bridge.ask(1, "tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"], own["result"]["tools"]);
    assert!(tools["result"]["tools"].as_array().unwrap().len() >= 5);

    let search = json!({"name": "search_agents", "arguments": {"q": "book a ferry"}});
    let found = bridge.ask(2, "tools/call", &search);
    let results = &found["result"]["structuredContent"]["results"];
    assert_eq!(results[0]["site"], "ferry.example", "{found}");
    for (id, name, arguments) in [
        (3, "get_agent", json!({"id": "no.example/agent"})),
        (4, "no_tool", json!({})),
    ] {
        let call = json!({"name": name, "arguments": arguments});
        let answer = bridge.ask(id, "tools/call", &call);
        let own = directly(&server.url, "tools/call", &call).await;
        assert_eq!(answer["error"], own["error"]);
        assert_eq!(answer["result"]["content"], own["result"]["content"]);
        assert_eq!(answer["result"]["isError"], own["result"]["isError"]);
    }
    assert_eq!(bridge.ask(5, "ping", &json!({}))["result"], json!({}));
    let unknown = bridge.ask(6, "prompts/get", &json!({"name": "none"}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");

    // Longer than the registry takes.
    let text = "x".repeat(1024 * 1024);
    bridge.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"text": text}}));
    bridge.ask(8, "ping", &json!({}));
    let dropped = bridge.log.recv_timeout(PATIENCE).unwrap();
    assert!(dropped.contains("maximum line length"), "{dropped}");

    drop(server);
    let failed = bridge.ask(9, "tools/call", &search);
    let text = failed["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("did not answer: Connection refused"),
        "{text}"
    );
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    bridge.ask(10, "ping", &json!({}));
    let (code, messages, log) = bridge.close();
    assert_eq!(code, Some(0), "{log:?}");
    assert_eq!((messages.len(), log.len()), (0, 0), "{messages:?} {log:?}");
}

/// Listens on a port of loopback, and gives each connection to `serve` after its first request.
fn listen(serve: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if read_request(&stream).is_some() {
                serve(stream);
            }
        }
    });
    url
}

/// Reads a request to its end; a connection that is closed with unread bytes is reset.
fn read_request(stream: &TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()?;
            }
            None if line.trim_end().is_empty() => break,
            Some(_) | None => {}
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()
}

/// Returns the address of a server with always the same answer.
fn always(status: &'static str, head: &'static str, body: String) -> String {
    listen(move |mut stream| {
        let length = body.len();
        // A client that has seen enough may hang up.
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{head}\r\n\r\n{body}"
        );
    })
}

/// Runs a bridge to an address at which it must fail, and checks its message.
fn assert_refused(address: &str, code: i32, words: &str) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["mcp", "--registry", address, "--timeout", "1"];
    let ran = run("agentdex", folder.path(), &arguments);
    ran.fails_with(code, &[words]);
    // Clients show it as it is.
    assert!(
        code == 2 || ran.output.lines().count() == 1,
        "{}",
        ran.output
    );
}

#[test]
fn an_address_that_no_registry_has_is_wrong_usage() {
    for (address, words) in [
        ("ftp://registry.example", "must begin with https://"),
        ("registry.example", "use the form https://agentdex.example"),
        (
            "http://registry.example/mcp",
            "leave out what follows the host",
        ),
    ] {
        assert_refused(address, 2, words);
    }
}

#[test]
fn an_address_where_no_registry_answers_is_explained() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let refused = format!("no registry answers at http://a:***@{address}/mcp: Connection refused");
    assert_refused(&format!("http://a:secret@{address}"), 1, &refused);
    // The connections stay open.
    assert_refused(&listen(std::mem::forget), 1, "no answer within 1 s");

    let elsewhere = "location: http://other.example/mcp";
    let page = "content-type: text/html";
    let message = "content-type: application/json";
    let error = json!({"code": -32601, "message": "no such method"});
    let error = json!({"jsonrpc": "2.0", "id": 0, "error": error}).to_string();
    let endless = " ".repeat(17 * 1024 * 1024);
    for (status, head, body, words) in [
        (
            "308 Moved",
            elsewhere,
            "",
            "redirects to http://other.example/mcp",
        ),
        (
            "429 Busy",
            "retry-after: 7",
            "",
            "the next is possible in 7 s",
        ),
        ("503 Busy", "retry-after: 7", "", "at present: HTTP 503"),
        (
            "200 OK",
            page,
            "<p>Hello",
            "no MCP server of a registry: the answer is text/html",
        ),
        (
            "404 Not Found",
            page,
            "<p>\u{1b}[31m",
            "HTTP 404 Not Found\n",
        ),
        (
            "200 OK",
            message,
            &error,
            "no MCP server of a registry: no such method",
        ),
        ("200 OK", message, &endless, "exceeded the maximum size"),
    ] {
        assert_refused(&always(status, head, body.to_owned()), 1, words);
    }
}

#[test]
fn a_call_that_the_client_cancels_ends_at_the_registry() {
    let (sender, ended) = channel();
    let (begun, call) = channel();
    let answer = json!({"jsonrpc": "2.0", "id": 0, "result": {
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private",
    }})
    .to_string();
    let requests = std::sync::atomic::AtomicUsize::new(0);
    let url = listen(move |mut stream| {
        if requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
            let length = answer.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}"
            )
            .unwrap();
            return;
        }
        begun.send(()).unwrap();
        let sender = sender.clone();
        std::thread::spawn(move || {
            // It ends when the other side hangs up.
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            let _ = sender.send(());
        });
    });
    let mut bridge = Bridge::start(&url);
    bridge.initialize();
    let call_tool = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_agents"}});
    bridge.send(&call_tool);
    call.recv_timeout(PATIENCE).unwrap();
    bridge.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    ended.recv_timeout(PATIENCE).unwrap();
    bridge.ask(2, "ping", &json!({}));
    assert_eq!(bridge.close().0, Some(0));
}
