//! Tests of the configuration file of a site.

use super::*;

#[test]
fn every_documented_key_is_parsed() {
    let behaviour = Behaviour::parse(
        r#"
        dns = "servfail"
        addresses = ["10.0.0.1", "::1"]
        later_addresses = ["10.0.0.2"]
        aliases = 20
        ttl = 0
        tls = { alert = 40 }
        http2 = "go-away"
        certificate = "other-name"
        edge = "vercel"
        plain_http = true
        catch_all = "/sorry.html"
        [all]
        headers = { "x-powered-by" = "hope" }
        delay_ms = 200
        [paths."/old/*"]
        redirect = "https://www.twin.example{path}"
        status = 308
        [paths."/agents.json"]
        body = "{}"
        fault = "gzip-bomb"
        [paths."/agent.json"]
        script = [{ send = "HTTP/1.1" }, { wait_ms = 50 }, "hold"]
        [answers]
        tides = { low = "04:12" }
        "#,
    )
    .unwrap();
    assert_eq!(behaviour.dns, Dns::Servfail);
    assert_eq!(behaviour.addresses.len(), 2);
    assert_eq!(
        (behaviour.aliases, behaviour.ttl, behaviour.tls),
        (20, Some(0), Tls::Alert(40))
    );
    assert_eq!(behaviour.http2, Http2::GoAway);
    let (name, value) = Edge::Vercel.header();
    assert_eq!(behaviour.answer_to("/any").headers[name], value);
    assert_eq!(
        behaviour.answer_to("/agent.json").script,
        [Act::send("HTTP/1.1"), Act::WaitMs(50), Act::Hold]
    );
    assert_eq!(behaviour.certificate, Certificate::OtherName);
    assert_eq!(behaviour.answers["tides"]["low"], "04:12");
    let old = behaviour.answer_to("/old/menu?x=1");
    assert_eq!((old.status, old.delay_ms), (Some(308), Some(200)));
    assert_eq!(old.headers["x-powered-by"], "hope");
    assert_eq!(
        behaviour.answer_to("/agents.json").fault,
        Some(Fault::GzipBomb)
    );
    assert_eq!(behaviour.answer_to("/").redirect, None);
}

#[test]
fn an_invalid_behaviour_is_an_error_that_names_it() {
    for (text, part) in [
        ("delay = 5", "delay"),
        ("[paths.\"/a\"]\nstat = 5", "stat"),
        ("dns = \"gone\"", "gone"),
        ("[paths.robots]\nstatus = 404", "\"robots\""),
        ("[all]\nstatus = 99", "99"),
        ("[all]\nheaders = { \"a b\" = \"c\" }", "a b"),
    ] {
        let message = Behaviour::parse(text).unwrap_err().to_string();
        assert!(message.contains(part), "{text:?} gave {message:?}");
    }
}

#[test]
fn the_longest_pattern_wins() {
    let behaviour = Behaviour::default()
        .path("/*", Answer::status(500))
        .path("/a/*", Answer::status(404))
        .path("/a/b", Answer::status(200));
    let status = |path| behaviour.answer_to(path).status;
    assert_eq!(status("/a/b"), Some(200));
    assert_eq!(status("/a/c"), Some(404));
    assert_eq!(status("/c"), Some(500));
}
