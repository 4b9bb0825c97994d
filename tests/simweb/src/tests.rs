//! The web as a client sees it, with real sockets, DNS messages and TLS.

use std::io::Write;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

use hickory_proto::op::{Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::{Name, RData, RecordType};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

mod by_hand;

/// Returns a client that trusts this web and uses its name server, as a configured crawler does.
fn client(web: &Simweb) -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = reqwest::Certificate::from_pem(web.ca_pem().as_bytes()).unwrap();
    let mut builder = reqwest::Client::builder()
        .tls_certs_only([root])
        .redirect(reqwest::redirect::Policy::none());
    for host in web.hosts() {
        let addresses: Vec<_> = web
            .addresses_of(&host)
            .into_iter()
            .map(|address| SocketAddr::new(address, 0))
            .collect();
        builder = builder.resolve_to_addrs(&host, &addresses);
    }
    builder.build().unwrap()
}

async fn get(web: &Simweb, host: &str, path: &str) -> reqwest::Response {
    client(web).get(web.url(host, path)).send().await.unwrap()
}

#[expect(
    clippy::disallowed_methods,
    reason = "our own server sends our own small files"
)]
async fn text(response: reqwest::Response) -> reqwest::Result<String> {
    response.text().await
}

/// Queries the name server over UDP; `None` without an answer within a tenth of a second.
async fn ask(web: &Simweb, name: &str, kind: RecordType) -> Option<Message> {
    let (server, question) = (web.dns_address(), question(name, kind));
    let answer = tokio::task::spawn_blocking(move || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket
            .set_read_timeout(Some(Duration::from_millis(100)))
            .unwrap();
        socket.send_to(&question, server).unwrap();
        let mut buffer = [0; 4096];
        let length = socket.recv(&mut buffer).ok()?;
        Some(Message::from_vec(&buffer[..length]).unwrap())
    });
    answer.await.unwrap()
}

fn question(name: &str, kind: RecordType) -> Vec<u8> {
    let mut message = Message::new(7, MessageType::Query, OpCode::Query);
    message.add_query(Query::query(Name::from_ascii(name).unwrap(), kind));
    message.to_vec().unwrap()
}

fn addresses(message: &Message) -> Vec<IpAddr> {
    let address = |data: &RData| match data {
        RData::A(address) => Some(IpAddr::V4(address.0)),
        RData::AAAA(address) => Some(IpAddr::V6(address.0)),
        _ => None,
    };
    message
        .answers
        .iter()
        .filter_map(|record| address(&record.data))
        .collect()
}

#[tokio::test]
async fn a_rotating_name_has_another_address_each_time() {
    let rotating = Behaviour {
        dns: Dns::Rotating,
        addresses: vec![[127, 0, 0, 1].into(), [127, 0, 0, 2].into()],
        ..Behaviour::default()
    };
    let web = Simweb::builder().site("flux.example").behaviour(rotating);
    let web = web.start().await.unwrap();
    for _ in 0..3 {
        ask(&web, "flux.example", RecordType::A).await.unwrap();
    }
    let answers: Vec<_> = web.dns_queries().into_iter().map(|it| it.answer).collect();
    assert_eq!(answers, ["127.0.0.1", "127.0.0.2", "127.0.0.1"]);
}

#[tokio::test]
async fn files_are_served_with_their_type_and_everything_else_is_a_404_page() {
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/index.html", "<h1>Mesa</h1>")
        .file("/agents.txt", "Name: Mesa")
        .file("/.well-known/agent.json", "{}")
        .start()
        .await
        .unwrap();
    for (path, status, media, body) in [
        ("/", 200, "text/html; charset=utf-8", "<h1>Mesa</h1>"),
        (
            "/agents.txt?x=1",
            200,
            "text/plain; charset=utf-8",
            "Name: Mesa",
        ),
        ("/.well-known/agent.json", 200, "application/json", "{}"),
        (
            "/.simweb.toml",
            404,
            "text/html; charset=utf-8",
            "<title>404 Not Found</title>",
        ),
    ] {
        let response = get(&web, "mesa.example", path).await;
        assert_eq!(response.status().as_u16(), status, "{path}");
        assert_eq!(response.headers()["content-type"], media, "{path}");
        let text = text(response).await.unwrap();
        assert!(text.contains(body), "{path}: {text}");
    }
}

#[tokio::test]
async fn http_1_and_http_2_are_served_and_recorded() {
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/index.html", "hello")
        .start()
        .await
        .unwrap();
    get(&web, "mesa.example", "/?second").await;
    let root = reqwest::Certificate::from_pem(web.ca_pem().as_bytes()).unwrap();
    let first = reqwest::Client::builder()
        .tls_certs_only([root])
        .http1_only()
        .user_agent("tester/1")
        .resolve("mesa.example", "127.0.0.1:0".parse().unwrap())
        .build()
        .unwrap();
    for _ in 0..2 {
        let response = first
            .head(web.url("mesa.example", "/"))
            .send()
            .await
            .unwrap();
        assert_eq!(response.headers()["content-length"], "5");
    }
    let requests = web.requests_of("mesa.example");
    let seen: Vec<_> = requests
        .iter()
        .map(|request| {
            let (method, path) = (request.method.as_str(), request.path.as_str());
            (
                request.version.as_str(),
                method,
                path,
                request.connection,
                request.status,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("HTTP/2.0", "GET", "/?second", 1, 200),
            ("HTTP/1.1", "HEAD", "/", 2, 200),
            ("HTTP/1.1", "HEAD", "/", 2, 200),
        ]
    );
    assert_eq!(requests[1].header("user-agent"), Some("tester/1"));
    assert!(requests[0].at <= requests[1].at && requests[0].secure);
    assert_eq!(web.connections(), 2);
    web.forget();
    assert!(web.requests().is_empty());
}

#[tokio::test]
async fn an_unchanged_file_is_not_sent_twice() {
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/a.txt", "one")
        .start()
        .await
        .unwrap();
    let first = get(&web, "mesa.example", "/a.txt").await;
    let again = |name: &'static str| {
        let known = first.headers()[name].clone();
        let header = if name == "etag" {
            "if-none-match"
        } else {
            "if-modified-since"
        };
        let request = client(&web).get(web.url("mesa.example", "/a.txt"));
        request.header(header, known).send()
    };
    assert_eq!(again("etag").await.unwrap().status(), 304);
    assert_eq!(again("last-modified").await.unwrap().status(), 304);
    web.put("mesa.example", "/a.txt", "two").unwrap();
    assert_eq!(again("etag").await.unwrap().status(), 200);
    web.remove("mesa.example", "/a.txt").unwrap();
    assert_eq!(again("etag").await.unwrap().status(), 404);
}

#[tokio::test]
async fn other_methods_are_refused_and_other_hosts_misdirected() {
    let web = Simweb::builder()
        .site("mesa.example")
        .start()
        .await
        .unwrap();
    let client = client(&web);
    let post = client
        .post(web.url("mesa.example", "/"))
        .send()
        .await
        .unwrap();
    assert_eq!(post.status(), 405);
    let stranger = client
        .get(format!("http://127.0.0.1:{}/", web.http_port()))
        .header("host", "stranger.example")
        .send()
        .await
        .unwrap();
    assert_eq!(stranger.status(), 421);
}

#[tokio::test]
async fn redirects_get_the_ports_of_this_web() {
    let web = Simweb::builder()
        .site("twin.example")
        .behaviour(
            Behaviour::default()
                .path("/*", Answer::redirect("https://www.twin.example{path}"))
                .path(
                    "/here",
                    Answer {
                        status: Some(307),
                        ..Answer::redirect("/there")
                    },
                )
                .path("/away", Answer::redirect("https://elsewhere.example/")),
        )
        .site("www.twin.example")
        .start()
        .await
        .unwrap();
    let (tls, plain) = (web.https_port(), web.http_port());
    for (path, status, target) in [
        (
            "/menu?day=1",
            301,
            format!("https://www.twin.example:{tls}/menu?day=1"),
        ),
        ("/here", 307, "/there".to_owned()),
        ("/away", 301, "https://elsewhere.example/".to_owned()),
    ] {
        let response = get(&web, "twin.example", path).await;
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(response.headers()["location"], target.as_str(), "{path}");
    }
    let url = format!("http://www.twin.example:{plain}/menu");
    let upgraded = client(&web).get(url).send().await.unwrap();
    assert_eq!(upgraded.status(), 301);
    let target = format!("https://www.twin.example:{tls}/menu");
    assert_eq!(upgraded.headers()["location"], target.as_str());
}

#[tokio::test]
async fn a_site_answers_according_to_its_behaviour() {
    let toml = r#"
        catch_all = "/index.html"
        [all]
        headers = { "server" = "odd" }
        [paths."/robots.txt"]
        status = 503
        headers = { "retry-after" = "120" }
        [paths."/made-up.json"]
        body = "[1]"
        [paths."/late"]
        delay_ms = 50
    "#;
    let web = Simweb::builder()
        .files([
            ("odd.example/index.html", "<p>everything is here</p>"),
            ("odd.example/.simweb.toml", toml),
            ("expected.tsv", "not a site"),
        ])
        .start()
        .await
        .unwrap();
    assert_eq!(web.hosts(), ["odd.example"]);
    let robots = get(&web, "odd.example", "/robots.txt").await;
    assert_eq!(
        (robots.status().as_u16(), &robots.headers()["retry-after"]),
        (503, &"120".parse().unwrap())
    );
    assert_eq!(robots.headers()["server"], "odd");
    let made_up = get(&web, "odd.example", "/made-up.json").await;
    assert_eq!(text(made_up).await.unwrap(), "[1]");
    let start = std::time::Instant::now();
    let late = get(&web, "odd.example", "/late").await;
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert_eq!(
        (
            late.status().as_u16(),
            text(late).await.unwrap().contains("everything")
        ),
        (200, true)
    );
}

#[tokio::test]
async fn each_fault_has_its_documented_effect() {
    let web = Simweb::builder()
        .site("bad.example")
        .file("/cut.json", "{\"name\": \"half\"}")
        .behaviour(
            Behaviour::default()
                .path("/close", Answer::fault(Fault::Close))
                .path("/cut.json", Answer::fault(Fault::Truncate))
                .path("/endless", Answer::fault(Fault::Endless))
                .path("/bomb", Answer::fault(Fault::GzipBomb)),
        )
        .start()
        .await
        .unwrap();
    let client = client(&web);
    assert!(
        client
            .get(web.url("bad.example", "/close"))
            .send()
            .await
            .is_err()
    );
    assert_eq!(web.requests()[0].status, 0);
    let cut = get(&web, "bad.example", "/cut.json").await;
    assert_eq!(cut.headers()["content-length"], "16");
    assert!(text(cut).await.is_err());

    let mut endless = get(&web, "bad.example", "/endless").await;
    let mut length = 0;
    while length < 4 << 20 {
        let chunk = endless.chunk().await.unwrap();
        length += chunk.expect("there is always more").len();
    }
    let mut bomb = get(&web, "bad.example", "/bomb").await;
    assert_eq!(bomb.headers()["content-encoding"], "gzip");
    let mut unpacked = flate2::write::GzDecoder::new(Counter(0));
    while unpacked.get_ref().0 < 64 << 20 {
        let chunk = bomb.chunk().await.unwrap();
        unpacked
            .write_all(&chunk.expect("there is always more"))
            .unwrap();
    }
}

/// Writer that counts its bytes.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn only_good_certificates_are_trusted() {
    let with = |certificate| Behaviour {
        certificate,
        ..Behaviour::default()
    };
    let web = Simweb::builder()
        .site("good.example")
        .site("expired.example")
        .behaviour(with(Certificate::Expired))
        .site("other.example")
        .behaviour(with(Certificate::OtherName))
        .site("self.example")
        .behaviour(with(Certificate::SelfSigned))
        .start()
        .await
        .unwrap();
    let client = client(&web);
    for (host, reason) in [
        ("expired.example", "expired"),
        ("other.example", "not valid for name"),
        ("self.example", "UnknownIssuer"),
    ] {
        let error = client.get(web.url(host, "/")).send().await.unwrap_err();
        let error = format!("{error:?}");
        assert!(
            error.contains(reason) || error.contains("NotValidForName"),
            "{host}: {error}"
        );
    }
    assert_eq!(
        client
            .get(web.url("good.example", "/"))
            .send()
            .await
            .unwrap()
            .status(),
        404
    );
    assert_eq!(web.requests().len(), 1);
    assert_eq!(web.connections(), 4);
}

#[tokio::test]
async fn dns_knows_its_hosts_and_has_the_configured_faults() {
    let with = |dns| Behaviour {
        dns,
        ..Behaviour::default()
    };
    let private = Behaviour {
        addresses: vec!["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()],
        ..Behaviour::default()
    };
    let web = Simweb::builder()
        .site("good.example")
        .site("gone.example")
        .behaviour(with(Dns::Nxdomain))
        .site("failing.example")
        .behaviour(with(Dns::Servfail))
        .site("refusing.example")
        .behaviour(with(Dns::Refused))
        .site("silent.example")
        .behaviour(with(Dns::Silent))
        .site("private.example")
        .behaviour(private)
        .start()
        .await
        .unwrap();
    for (name, code, given) in [
        ("GOOD.example.", ResponseCode::NoError, vec!["127.0.0.1"]),
        (
            "private.example.",
            ResponseCode::NoError,
            vec!["10.0.0.1", "10.0.0.2"],
        ),
        ("gone.example.", ResponseCode::NXDomain, vec![]),
        ("unknown.example.", ResponseCode::NXDomain, vec![]),
        ("failing.example.", ResponseCode::ServFail, vec![]),
        ("refusing.example.", ResponseCode::Refused, vec![]),
    ] {
        let answer = ask(&web, name, RecordType::A).await.unwrap();
        assert_eq!(answer.metadata.response_code, code, "{name}");
        let given: Vec<IpAddr> = given
            .iter()
            .map(|address| address.parse().unwrap())
            .collect();
        assert_eq!(addresses(&answer), given, "{name}");
        assert_eq!(answer.metadata.id, 7);
    }
    assert!(ask(&web, "silent.example.", RecordType::A).await.is_none());
    let no_such_type = ask(&web, "good.example.", RecordType::AAAA).await.unwrap();
    assert_eq!(no_such_type.metadata.response_code, ResponseCode::NoError);
    assert!(addresses(&no_such_type).is_empty());

    let queries = web.dns_queries();
    let first = &queries[0];
    assert_eq!(
        (first.name.as_str(), first.kind.as_str()),
        ("good.example", "A")
    );
    assert_eq!(first.answer, "127.0.0.1");
    assert_eq!(
        queries.last().map(|query| query.kind.as_str()),
        Some("AAAA")
    );
}

#[tokio::test]
async fn dns_answers_over_tcp_and_ignores_invalid_messages() {
    let web = Simweb::builder()
        .site("good.example")
        .start()
        .await
        .unwrap();
    let mut stream = tokio::net::TcpStream::connect(web.dns_address())
        .await
        .unwrap();
    for message in [
        b"nonsense".to_vec(),
        question("good.example.", RecordType::A),
    ] {
        stream
            .write_u16(u16::try_from(message.len()).unwrap())
            .await
            .unwrap();
        stream.write_all(&message).await.unwrap();
    }
    let length = stream.read_u16().await.unwrap();
    let mut message = vec![0; length.into()];
    stream.read_exact(&mut message).await.unwrap();
    let answer = Message::from_vec(&message).unwrap();
    assert_eq!(addresses(&answer), ["127.0.0.1".parse::<IpAddr>().unwrap()]);
}

#[tokio::test]
async fn hosts_spread_over_several_addresses() {
    let mut builder = Simweb::builder().addresses(4);
    for number in 0..32 {
        builder = builder.site(&format!("s{number}.example"));
    }
    let web = builder.start().await.unwrap();
    let mut used: Vec<_> = web
        .hosts()
        .iter()
        .flat_map(|host| web.addresses_of(host))
        .collect();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used, web.addresses());
    for host in web.hosts().iter().take(8) {
        assert_eq!(get(&web, host, "/").await.status(), 404);
    }
    let came_to = |host: &str| web.requests_of(host)[0].local.ip();
    assert_eq!(came_to("s0.example"), web.addresses_of("s0.example")[0]);
}

#[tokio::test]
async fn the_log_has_a_line_for_every_request_and_query() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let web = Simweb::builder()
        .site("mesa.example")
        .log(&log)
        .start()
        .await
        .unwrap();
    ask(&web, "mesa.example.", RecordType::A).await.unwrap();
    get(&web, "mesa.example", "/agents.txt").await;
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["event"], &lines[0]["name"]),
        (&"dns".into(), &"mesa.example".into())
    );
    assert_eq!(
        (&lines[1]["event"], &lines[1]["path"]),
        (&"request".into(), &"/agents.txt".into())
    );
    assert_eq!(
        (&lines[2]["event"], &lines[2]["number"]),
        (&"response".into(), &lines[1]["number"])
    );
    let ended = web.exchanges()[0].ended_ms;
    assert_eq!(lines[2]["unix_ms"].as_u64(), ended);
    assert_eq!(web.connections_seen().len(), 1);
}

#[tokio::test]
async fn an_invalid_configuration_is_an_error_at_the_start() {
    let message = |builder: Builder| async { builder.start().await.unwrap_err().to_string() };
    let no_site = message(Simweb::builder().file("/a", "b")).await;
    assert!(no_site.contains("name a site"), "{no_site}");
    let outside = message(Simweb::builder().dns("192.0.2.1:53".parse().unwrap())).await;
    assert!(outside.contains("192.0.2.1"), "{outside}");
    let missing = message(Simweb::builder().folder("no/such/folder")).await;
    assert!(missing.contains("no/such/folder"), "{missing}");
    let running = Simweb::builder().start().await.unwrap();
    let taken = message(Simweb::builder().https_port(running.https_port())).await;
    assert!(taken.contains("for https"), "{taken}");
}

#[tokio::test]
async fn a_dropped_web_stops() {
    let web = Simweb::builder()
        .site("mesa.example")
        .start()
        .await
        .unwrap();
    let address = (web.addresses()[0], web.https_port());
    drop(web);
    // The runtime has to run once before the aborted servers release their sockets.
    let stopped = async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), stopped)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_web_listens_on_further_addresses_of_loopback_only() {
    let further = IpAddr::from([127, 9, 9, 9]);
    let behaviour = Behaviour {
        addresses: vec![further],
        ..Behaviour::default()
    };
    let web = Simweb::builder().site("mesa.example").behaviour(behaviour);
    let web = web.listen([further]).start().await.unwrap();
    assert!(web.addresses().contains(&further));
    let port = web.https_port();
    tokio::net::TcpStream::connect((further, port))
        .await
        .unwrap();
    let elsewhere = Simweb::builder().listen([IpAddr::from([10, 0, 0, 1])]);
    let refused = elsewhere.start().await.unwrap_err();
    assert!(refused.to_string().contains("10.0.0.1"), "{refused}");
}
