//! Tests of the headers of every request, and of the limits of every answer.

use super::*;

fn identity(from: Option<&str>) -> Identity {
    Identity {
        user_agent: "AgentdexBot/1".to_owned(),
        from: from.map(str::to_owned),
        signer: None,
        roots: Vec::new(),
        idle: Duration::from_secs(6),
    }
}

#[test]
fn p02_every_request_carries_these_headers_and_no_others() {
    let sent = |from| {
        let headers = headers(&identity(from)).unwrap();
        let names = headers.keys().map(|name| name.as_str().to_owned());
        (names.collect::<Vec<_>>(), headers)
    };
    assert_eq!(sent(None).0, ["accept", "user-agent", "accept-encoding"]);
    let (names, headers) = sent(Some("bot@agents.example.com"));
    assert_eq!(names, ["accept", "user-agent", "accept-encoding", "from"]);
    assert_eq!(headers[USER_AGENT], "AgentdexBot/1");
    assert_eq!(headers[ACCEPT_ENCODING], "gzip, br");
    assert_eq!(headers[FROM], "bot@agents.example.com");
}

#[test]
fn p43_every_wait_has_an_end() {
    let seconds = [CONNECT, HEADERS, IDLE, RATE_GRACE].map(|limit| limit.as_secs());
    assert_eq!(seconds, [5, 10, 5, 5]);
    let total = [Limits::MANIFEST, Limits::ROBOTS].map(|limits| limits.total.as_secs());
    assert_eq!(total, [15, 20]);
    assert_eq!(MINIMUM_RATE, 100);
}

#[test]
fn p44_no_answer_is_longer_than_its_cap() {
    let caps = [Limits::MANIFEST, Limits::OPENAPI, Limits::ROBOTS]
        .map(|it| (it.body_bytes, it.may_be_cut));
    assert_eq!(caps, [(1 << 20, false), (2 << 20, false), (512_000, true)]);
    assert_eq!((head::HEADER_COUNT, head::HEADER_BYTES), (64, 32 * 1024));
}
