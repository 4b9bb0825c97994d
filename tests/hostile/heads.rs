//! HS-106 to HS-108: heads with faults in headers that matter, and in headers that do not.

use super::{CARD, CARD_PATH, ROBOTS, Row, script, whole};
use crate::crawl::Stage;
use simweb::{Answer, Behaviour, Simweb};
use store::Outcome::{Empty, ProtocolError};

const OPEN: &str = "User-agent: *\nDisallow:\n";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = harmless();
    rows.extend(damaged());
    rows.push(quoted_link());
    rows
}

/// Faults in headers of no importance.
fn harmless() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, junk) in [
        ("no-colon", "Nonsense without an end\r\n"),
        ("control", "X-Powered-By: a\x01\x1b[2Jb\r\n"),
        ("delete", "X-Cache: HIT\x7f\r\n"),
        ("no-name", ": nothing\r\n"),
        ("parentheses", "X(1): a\r\n"),
    ] {
        rows.push(Row::probe(106, name, script(whole(junk, CARD.as_bytes()))));
        let robots: &'static str = format!("robots-{name}").leak();
        rows.push(Row::robots(
            106,
            robots,
            script(whole(junk, OPEN.as_bytes())),
        ));
    }
    rows
}

/// Faults in headers on which the meaning of an answer depends.
fn damaged() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, header) in [
        ("length", "Content-Length: 2\x01\r\n"),
        ("length-name", "Content\x01-Length: 2\r\n"),
        ("transfer", "Transfer-Encoding: chun\x01ked\r\n"),
        ("coding", "Content-Encoding: gz\x01ip\r\n"),
        ("coding-no-colon", "Content-Encoding gzip\r\n"),
        ("location", "Location: /a\x01b\r\n"),
        ("retry-after", "Retry-After: 72\x0100\r\n"),
        ("robots-tag", "X-Robots-Tag: no\x01index\r\n"),
        ("first-folded", " X-Fold: a\r\n"),
        ("tab-before-colon", "X-Space\t: a\r\n"),
        ("nul-in-junk", "Nonsense\0 without an end\r\n"),
        ("bare-return", "X-Return: a\rb\r\n"),
    ] {
        let answer = |body: &str| script(whole(header, body.as_bytes()));
        rows.push(
            Row::probe(106, format!("bad-{name}").leak(), answer(CARD)).ends(ProtocolError, ""),
        );
        let robots = Row::robots(106, format!("robots-bad-{name}").leak(), answer(OPEN));
        rows.push(robots.ends(ProtocolError, "").most(2));
    }
    rows
}

/// Returns a server that sends a link whose title looks like a relation.
fn quoted_link() -> Row {
    let answer = Answer::default().header("link", "</x.json>; title=\"a;rel=agent-card\"");
    Row::probe(108, "quoted-link", answer)
        .file(CARD_PATH, "{}")
        .file("/x.json", CARD)
        .ends(Empty, "")
}

/// HS-107: the bytes of a target that is not UTF-8 are requested as they are.
#[tokio::test]
async fn hs_107_latin_1_in_a_location_is_requested_byte_by_byte() {
    let head = b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9?a=\xff\r\nContent-Length: 0\r\n\r\n";
    let card = Answer {
        body: Some(CARD.to_owned()),
        ..Answer::default()
    };
    let behaviour = Behaviour::default()
        .path(CARD_PATH, script(head.to_vec()))
        .path("/caf%E9", card.header("content-type", "application/json"));
    let web = Simweb::builder().site("mesa.example").behaviour(behaviour);
    let stage = Stage::new(web).await;
    stage.crawl().await;
    assert_eq!(stage.report()["mesa.example"]["outcome"], "found");
    let requests = stage.web.requests_of("mesa.example");
    assert_eq!(requests[0].path, ROBOTS);
    assert!(
        requests.iter().any(|it| it.path == "/caf%E9?a=%FF"),
        "{requests:?}"
    );
}
