//! HS-03 to HS-40, HS-42 and HS-99: responses that are slow, endless, or not HTTP.

use super::{CARD, CARD_PATH, Row, head, script, whole};
use flate2::Compression;
use flate2::write::GzEncoder;
use simweb::{Act, Answer, Fault, Request, Simweb};
use std::collections::HashSet;
use std::io::Write;
use store::Outcome::{Blocked, Empty, Found, ProtocolError, RobotsDisallow, Timeout, TooLarge};

pub(super) const CLOSED: &str = "User-agent: *\nDisallow: /\n";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = slow_and_endless();
    rows.extend(lengths_and_chunks());
    rows.extend(codings());
    rows.extend(headers());
    rows.extend(statuses());
    rows
}

/// Checks that a connection with surplus data, or with an answer that states its length in two
/// ways, is not used again (HS-10, HS-12).
pub(super) fn check(web: &Simweb) {
    for host in [
        "row10-second-answer.example",
        "row12-length-and-chunks.example",
    ] {
        let requests = web.requests_of(host);
        let Some(bad) = requests.iter().position(|it| it.path == CARD_PATH) else {
            continue;
        };
        let after = &requests[bad + 1..];
        let is_reused = |it: &Request| it.connection == requests[bad].connection;
        assert!(!after.is_empty() && !after.iter().any(is_reused), "{host}");
        let connections: HashSet<u64> = after.iter().map(|it| it.connection).collect();
        assert_eq!(connections.len(), 1, "{host}");
    }
}

fn slow_and_endless() -> Vec<Row> {
    let drip = |start: String, bytes: Vec<u8>, pause| {
        Answer::script([Act::send(start), Act::drip(bytes, pause)])
    };
    let length = |length: u64| head(&format!("Content-Length: {length}\r\n"));
    vec![
        Row::probe(3, "says-nothing", Answer::script([Act::Hold])).ends(Timeout, "headers"),
        Row::robots(3, "robots-says-nothing", Answer::script([Act::Hold]))
            .ends(Timeout, "headers")
            .most(1),
        Row::probe(3, "hangs-up", Answer::script([Act::Close])).ends(ProtocolError, ""),
        Row::robots(3, "robots-hangs-up", Answer::fault(Fault::Close))
            .ends(ProtocolError, "")
            .most(1),
        Row::probe(
            4,
            "slow-head",
            drip("HTTP/1.1 200 OK\r\nX-Slow: ".to_owned(), b"x".to_vec(), 250),
        )
        .ends(Timeout, "headers"),
        Row::probe(5, "slow-body", drip(length(1000), b" ".to_vec(), 250)).ends(Timeout, "rate"),
        Row::robots(
            5,
            "robots-slow-body",
            drip(length(1000), b"#".to_vec(), 250),
        )
        .ends(Timeout, "rate")
        .most(1),
        Row::probe(
            5,
            "silent-body",
            Answer::script([Act::send(length(1000)), Act::Hold]),
        )
        .ends(Timeout, "idle"),
        Row::probe(6, "tarpit", drip(head(""), vec![b' '; 1000], 1000)).ends(Timeout, "total"),
        Row::probe(7, "endless", drip(head(""), vec![b' '; 16_000], 0)).ends(TooLarge, ""),
        Row::probe(7, "endless-h2", Answer::fault(Fault::Endless)).ends(TooLarge, ""),
        Row::robots(
            7,
            "robots-endless",
            Answer::script([
                Act::send(head("")),
                Act::send(CLOSED),
                Act::drip(vec![b'\n'; 16_000], 0),
            ]),
        )
        .ends(RobotsDisallow, "")
        .most(1),
        Row::probe(8, "huge-length", script(length(1_000_000_000_000_000_000))).ends(TooLarge, ""),
        Row::robots(
            8,
            "robots-huge-length",
            script(length(1_000_000_000_000_000_000) + CLOSED),
        )
        .ends(ProtocolError, "")
        .most(1),
        Row::probe(
            99,
            "ten-gigabytes",
            drip(length(10_000_000_000), vec![b' '; 16_000], 0),
        )
        .ends(TooLarge, ""),
        Row::probe(99, "ten-gigabytes-chunked", {
            let chunk = format!("3e80\r\n{}\r\n", " ".repeat(16_000));
            drip(
                head("Transfer-Encoding: chunked\r\n"),
                chunk.into_bytes(),
                0,
            )
        })
        .ends(TooLarge, ""),
    ]
}

fn lengths_and_chunks() -> Vec<Row> {
    let bad = |number, name, bytes: String| {
        Row::probe(number, name, script(bytes)).ends(ProtocolError, "")
    };
    let bad_chunk = |number, name, bytes: String| {
        bad(number, name, bytes).ends(ProtocolError, "not a response")
    };
    let chunked = head("Transfer-Encoding: chunked\r\n");
    let smuggled = [whole("", b"{}"), whole("", CARD.as_bytes())].concat();
    vec![
        bad(9, "too-short", head("Content-Length: 1000\r\n") + CARD),
        Row::robots(
            9,
            "robots-too-short",
            script(head("Content-Length: 1000\r\n") + CLOSED),
        )
        .ends(ProtocolError, "")
        .most(1),
        bad(9, "too-short-chunked", format!("{chunked}100\r\n{{")),
        Row::probe(10, "second-answer", Answer::script([Act::send(smuggled)])).ends(Empty, ""),
        Row::probe(
            10,
            "too-long",
            script(head("Content-Length: 2\r\n") + "{}" + CARD),
        )
        .ends(Empty, ""),
        bad(
            11,
            "two-lengths",
            head("Content-Length: 2\r\nContent-Length: 3\r\n") + "{} ",
        ),
        Row::probe(12, "length-and-chunks", {
            let headers = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n";
            let length = CARD.len();
            let answer = format!("{}{length:x}\r\n{CARD}\r\n0\r\n\r\n", head(headers));
            Answer::script([Act::send(answer)])
        })
        .ends(Found, ""),
        bad_chunk(
            13,
            "chunk-of-letters",
            format!("{chunked}zz\r\n{{}}\r\n0\r\n\r\n"),
        ),
        bad_chunk(
            14,
            "chunk-too-big",
            format!("{chunked}100000000000000000\r\n{{}}\r\n0\r\n\r\n"),
        ),
        Row::probe(
            15,
            "chunk-extensions",
            Answer::script([
                Act::send(chunked.clone() + "1"),
                Act::drip(";a=b".repeat(1000), 0),
            ]),
        )
        .ends(ProtocolError, ""),
        Row::probe(
            16,
            "trailers",
            Answer::script([
                Act::send(chunked.clone() + "2\r\n{}\r\n0\r\n"),
                Act::drip("X-Trailer: yes\r\n".repeat(100), 0),
            ]),
        )
        .ends(ProtocolError, ""),
        bad(17, "length-negative", head("Content-Length: -1\r\n") + "{}"),
        bad(
            17,
            "length-in-words",
            head("Content-Length: ten\r\n") + "{}",
        ),
    ]
}

fn codings() -> Vec<Row> {
    let coded = |coding: &str, body: &[u8]| {
        let header = format!("Content-Encoding: {coding}\r\n");
        Answer::script([Act::send(whole(&header, body))])
    };
    let thrice = gzip(&gzip(&gzip(CARD.as_bytes())));
    let bad =
        |number, name, answer| Row::probe(number, name, answer).ends(ProtocolError, "bad_encoding");
    vec![
        Row::probe(18, "gzip-bomb", Answer::fault(Fault::GzipBomb)).ends(TooLarge, ""),
        // It consists of zeros, which are no robots.txt (HS-112).
        Row::robots(18, "robots-gzip-bomb", Answer::fault(Fault::GzipBomb))
            .ends(ProtocolError, "")
            .most(1),
        Row::robots(18, "robots-gzip-lines", {
            let lines = format!("{CLOSED}{}", "\n".repeat(16 << 20));
            coded("gzip", &gzip(lines.as_bytes()))
        })
        .ends(RobotsDisallow, "")
        .most(1),
        Row::probe(19, "brotli-bomb", coded("br", &brotli(false))).ends(TooLarge, ""),
        Row::probe(19, "brotli-window", coded("br", &brotli(true)))
            .ends(ProtocolError, "bad_encoding"),
        bad(19, "zstd", coded("zstd", &[0x28, 0xb5, 0x2f, 0xfd, 4, 0])),
        bad(20, "nested", coded("gzip, gzip, gzip", &thrice)),
        Row::probe(
            20,
            "nested-lines",
            coded(
                "gzip\r\nContent-Encoding: gzip",
                &gzip(&gzip(CARD.as_bytes())),
            ),
        )
        .ends(ProtocolError, "bad_encoding"),
        bad(21, "not-gzip", coded("gzip", CARD.as_bytes())),
        bad(21, "gzip-cut", coded("gzip", &gzip(CARD.as_bytes())[..60])),
        Row::robots(21, "robots-not-gzip", coded("gzip", CLOSED.as_bytes()))
            .ends(ProtocolError, "bad_encoding")
            .most(1),
        bad(22, "compress", coded("compress", CARD.as_bytes())),
        bad(23, "deflate", coded("deflate", CARD.as_bytes())),
    ]
}

fn headers() -> Vec<Row> {
    let with = |headers: String| script(whole(&headers, CARD.as_bytes()));
    let bad = |number, name, headers: String| {
        Row::probe(number, name, with(headers)).ends(ProtocolError, "")
    };
    let cookie = |length| format!("Set-Cookie: a={}\r\n", "b".repeat(length));
    let many = |mut answer: Answer| {
        for number in 0..101 {
            answer = answer.header(&format!("x-{number}"), "y");
        }
        answer
    };
    vec![
        bad(24, "many-headers", "X-Many: 1\r\n".repeat(101)),
        Row::probe(24, "many-headers-h2", many(Answer::default()))
            .file(CARD_PATH, CARD)
            .ends(ProtocolError, ""),
        bad(
            25,
            "long-header",
            format!("X-Long: {}\r\n", "x".repeat(500_000)),
        ),
        bad(
            25,
            "longish-header",
            format!("X-Long: {}\r\n", "x".repeat(300_000)),
        ),
        Row::robots(
            25,
            "robots-long-header",
            with(format!("X-Long: {}\r\n", "x".repeat(40_000))),
        )
        .ends(ProtocolError, "")
        .most(1),
        bad(26, "cookie-flood", cookie(4000).repeat(90)),
        bad(26, "cookies", cookie(4000).repeat(10)),
        Row::robots(26, "cookie-kept", script(whole(&cookie(10), b""))).ends(Found, ""),
        bad(27, "nul", "X-Nul: a\0b\r\n".to_owned()),
        bad(27, "folded", "X-Fold: a\r\n b\r\n".to_owned()),
        bad(27, "space-before-colon", "X-Space : a\r\n".to_owned()),
        Row::probe(
            39,
            "long-etag",
            with(format!("ETag: \"{}\"\r\n", "e".repeat(8000))),
        ),
        Row::probe(39, "bad-etag", with("ETag: W/W/\"\"\"\r\n".to_owned())),
        Row::probe(
            40,
            "from-the-future",
            with("Last-Modified: Thu, 01 Jan 2099 00:00:00 GMT\r\n".to_owned()),
        ),
        Row::probe(
            42,
            "max-age",
            with("Cache-Control: max-age=99999999999999999999\r\nAge: 9\r\n".to_owned()),
        ),
    ]
}

fn statuses() -> Vec<Row> {
    let line = |line: &str| format!("HTTP/1.1 {line}\r\nContent-Length: 2\r\n\r\n{{}}");
    let bad = |number, name, bytes: String| {
        Row::probe(number, name, script(bytes)).ends(ProtocolError, "")
    };
    let bare = |line: &str, body: &str| script(format!("HTTP/1.1 {line}\r\n\r\n{body}"));
    vec![
        bad(28, "http-0-9", CARD.to_owned()),
        bad(28, "http-3000", "HTTP/3000 200 OK\r\n\r\n".to_owned()),
        bad(29, "status-99", line("99 Low")),
        bad(29, "status-1000", line("1000 High")),
        Row::probe(30, "status-999", script(line("999 Denied"))).ends(Empty, ""),
        Row::robots(30, "robots-999", script(line("999 Denied"))).ends(Blocked, "").most(1),
        Row::probe(31, "leading-lines", script([b"\r\n\r\n".to_vec(), whole("", CARD.as_bytes())].concat())),
        Row::probe(
            32,
            "hints",
            Answer::script([Act::drip("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 2)]),
        )
        .ends(Timeout, "headers"),
        Row::probe(
            32,
            "hints-and-answer",
            Answer::script([
                Act::flood("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 16),
                Act::send(whole("", CARD.as_bytes())),
            ]),
        ),
        Row::probe(
            32,
            "hints-flood",
            Answer::script([
                Act::flood("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 50_000),
                Act::Hold,
            ]),
        )
        .ends(Timeout, "headers"),
        bad(33, "switching", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n".to_owned()),
        Row::probe(34, "not-modified", bare("304 Not Modified", "")).ends(ProtocolError, "304 without a condition"),
        Row::robots(34, "robots-not-modified", bare("304 Not Modified", ""))
            .ends(ProtocolError, "304 without a condition")
            .most(1),
        Row::probe(35, "no-content", bare("204 No Content", CARD)).ends(Empty, ""),
        Row::probe(35, "reset-content", bare("205 Reset Content\r\nContent-Length: 0", CARD)).ends(Empty, ""),
        Row::probe(35, "empty", script(whole("", b""))).ends(Empty, ""),
        bad(36, "partial", "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\n{}".to_owned()),
        Row::robots(36, "robots-partial", script(line("206 Partial Content"))).ends(ProtocolError, "").most(1),
    ]
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Compresses sixteen mebibytes of spaces into a few bytes; or a little in a window of a gibibyte.
fn brotli(window: bool) -> Vec<u8> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: 5,
        large_window: window,
        lgwin: if window { 30 } else { 22 },
        ..Default::default()
    };
    let size = if window { CARD.len() } else { 16 << 20 };
    let text = vec![b' '; size];
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut text.as_slice(), &mut packed, &params).unwrap();
    packed
}
