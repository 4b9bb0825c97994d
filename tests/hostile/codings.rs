//! HS-102 to HS-105: unusual content codings and transfer codings, and refusals without a readable
//! body.

use super::http::{CLOSED, gzip};
use super::{CARD, CARD_PATH, Row, head, whole};
use simweb::{Act, Answer};
use store::Outcome::{Blocked, Empty, Found, ProtocolError, RobotsDisallow, Throttled};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = members();
    rows.extend(transfer_codings());
    rows.extend(names());
    rows.extend(refusals());
    rows
}

/// Returns an answer with this status, these headers and a correct length.
fn coded(headers: &str, body: &[u8]) -> Answer {
    Answer::script([Act::send(whole(headers, body))])
}

fn gzipped(body: &[u8]) -> Answer {
    coded("Content-Encoding: gzip\r\n", body)
}

fn members() -> Vec<Row> {
    let (start, end) = CARD.as_bytes().split_at(40);
    let rules = [gzip(b"User-agent: *\n"), gzip(b"Disallow: /\n")].concat();
    let card = gzip(CARD.as_bytes());
    vec![
        Row::robots(102, "robots-members", gzipped(&rules))
            .ends(RobotsDisallow, "")
            .most(1),
        Row::probe(102, "members", gzipped(&[gzip(start), gzip(end)].concat())),
        Row::probe(
            102,
            "padded",
            gzipped(&[card.as_slice(), &[0; 600]].concat()),
        ),
        Row::probe(
            102,
            "broken-member",
            gzipped(&[card.as_slice(), b"more"].concat()),
        )
        .ends(ProtocolError, "bad_encoding"),
    ]
}

fn transfer_codings() -> Vec<Row> {
    let sent = |coding: &str, body: &[u8]| {
        let head = head(&format!("Transfer-Encoding: {coding}\r\n"));
        let chunk = format!("{:x}\r\n", body.len());
        let bytes = [head.as_bytes(), chunk.as_bytes(), body, b"\r\n0\r\n\r\n"].concat();
        Answer::script([Act::send(bytes), Act::Close])
    };
    let closed = gzip(CLOSED.as_bytes());
    vec![
        Row::robots(103, "robots-gzip-chunked", sent("gzip, chunked", &closed))
            .ends(ProtocolError, "")
            .most(1),
        Row::robots(103, "robots-identity", sent("identity", CLOSED.as_bytes()))
            .ends(ProtocolError, "")
            .most(1),
        Row::probe(
            103,
            "gzip-chunked",
            sent("gzip, chunked", &gzip(CARD.as_bytes())),
        )
        .ends(ProtocolError, "transfer coding"),
        Row::probe(
            103,
            "gzip-line",
            sent("gzip\r\nTransfer-Encoding: chunked", CARD.as_bytes()),
        )
        .ends(ProtocolError, "transfer coding"),
        Row::probe(103, "chunked", sent("Chunked", CARD.as_bytes())),
    ]
}

fn names() -> Vec<Row> {
    let named = |coding: &str, body: &[u8]| coded(&format!("Content-Encoding: {coding}\r\n"), body);
    let closed = CLOSED.as_bytes();
    let reads = |name, answer| {
        Row::robots(104, name, answer)
            .ends(RobotsDisallow, "")
            .most(1)
    };
    vec![
        reads("robots-empty-elements", named(", gzip,", &gzip(closed))),
        reads(
            "robots-empty-line",
            named("\r\nContent-Encoding: gzip", &gzip(closed)),
        ),
        reads("robots-utf-8", named("UTF-8", closed)),
        reads("robots-none", named("none", closed)),
        reads("robots-aws", named("aws-chunked", closed)),
        reads("robots-aws-gzip", named("aws-chunked,gzip", &gzip(closed))),
        Row::probe(104, "utf-8", named("utf-8", CARD.as_bytes())),
        Row::robots(104, "robots-utf-8-gzip", named("UTF-8", &gzip(closed)))
            .ends(ProtocolError, "bad_encoding")
            .most(1),
        Row::robots(104, "robots-unknown", named("base64", closed))
            .ends(ProtocolError, "bad_encoding")
            .most(1),
        Row::robots(104, "robots-aws-frames", {
            let framed = format!("1b;chunk-signature=ad80\r\n{CLOSED}\r\n0;chunk-signature=b6\r\n");
            named("aws-chunked", framed.as_bytes())
        })
        .ends(ProtocolError, "bad_encoding")
        .most(1),
    ]
}

/// Refusals whose status says all that counts, with a body that cannot be read.
fn refusals() -> Vec<Row> {
    let sent = |status: &str, headers: &str, body: &str| {
        let head = format!("HTTP/1.1 {status} No\r\n{headers}\r\n");
        Answer::script([Act::send(head + body), Act::Close])
    };
    let cut = "Content-Length: 1000\r\n";
    let plain = "Content-Encoding: gzip\r\nContent-Length: 4\r\n";
    let zstd = "Content-Encoding: zstd\r\nContent-Length: 4\r\n";
    let bad_chunk = "Transfer-Encoding: chunked\r\n";
    let busy = format!("Retry-After: 60\r\n{plain}");
    let open = |name, answer| Row::robots(105, name, answer).ends(Found, "");
    vec![
        open("robots-404-cut", sent("404", cut, "gone")),
        open("robots-404-not-gzip", sent("404", plain, "gone")),
        open("robots-410-zstd", sent("410", zstd, "gone")),
        open("robots-400-chunk", sent("400", bad_chunk, "zz\r\ngone")),
        Row::robots(105, "robots-403-not-gzip", sent("403", plain, "away"))
            .ends(Blocked, "")
            .most(1),
        Row::robots(105, "robots-429-not-gzip", sent("429", &busy, "wait"))
            .ends(Throttled, "")
            .most(1),
        Row::robots(105, "robots-203-not-gzip", sent("203", plain, "away"))
            .ends(ProtocolError, "")
            .most(1),
        Row::probe(105, "404-not-gzip", sent("404", plain, "gone")).ends(Empty, ""),
        Row::probe(105, "503-not-gzip", sent("503", &busy, "wait"))
            .path("/agents.txt", Answer::status(404))
            .file(CARD_PATH, CARD)
            .ends(Throttled, "")
            .most(2),
    ]
}
