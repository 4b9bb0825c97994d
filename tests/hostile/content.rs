//! HS-83 to HS-94, and HS-112: valid HTTP responses with invalid manifests or robots.txt.

use super::{CARD, CARD_PATH, ROBOTS, Row};
use simweb::{Answer, Behaviour};
use store::Outcome::{Empty, Found, ProtocolError, RobotsDisallow, Soft404, TooLarge};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = everything();
    rows.extend(documents());
    rows.extend(robots());
    rows
}

/// Creates a host that answers every path with the same page.
fn catch_all(number: u8, name: &'static str, body: &str) -> Row {
    let behaviour = Behaviour {
        catch_all: Some("/all".to_owned()),
        ..Behaviour::default()
    };
    Row::new(number, name, behaviour)
        .file("/all", body)
        .file(ROBOTS, "")
}

fn everything() -> Vec<Row> {
    vec![
        catch_all(83, "html", "<!doctype html><title>Hi</title>")
            .ends(Soft404, "")
            .most(12),
        catch_all(83, "manifest-behind", "<!doctype html><title>Hi</title>")
            .file(
                "/agents.txt",
                "Site: Mesa\nURL: https://mesa.example\nDescription: Books tables\nAllow: search\n",
            )
            .ends(Found, ""),
        catch_all(84, "object", "{}").ends(Soft404, "").most(12),
        catch_all(84, "array", "[]").ends(Soft404, "").most(12),
        catch_all(84, "null", "null").ends(Soft404, "").most(12),
        catch_all(84, "string", "\"x\"").ends(Soft404, "").most(12),
        catch_all(85, "honeypot", CARD).ends(Soft404, ""),
    ]
}

fn documents() -> Vec<Row> {
    let served = |number, name, body: Vec<u8>| {
        Row::new(number, name, Behaviour::default()).file(CARD_PATH, body)
    };
    let with = |member: &str| CARD.replacen('{', &format!("{{{member}, "), 1).into_bytes();
    let utf16: Vec<u8> = std::iter::once(0xFEFF)
        .chain(CARD.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let wrapped = |before: &str, after: &str| format!("{before}{CARD}{after}").into_bytes();
    vec![
        served(86, "brackets", vec![b'['; 1_000_000]).ends(Empty, ""),
        served(86, "many-brackets", vec![b'['; 10_000_000]).ends(TooLarge, ""),
        served(86, "braces", "{\"a\":".repeat(150_000).into_bytes()).ends(Empty, ""),
        served(87, "huge-exponent", with("\"x\": 1e999999")).ends(Found, ""),
        served(
            87,
            "long-number",
            with(&format!("\"x\": {}, \"y\": -0", "9".repeat(400))),
        )
        .ends(Found, ""),
        served(87, "not-a-number", with("\"x\": NaN")).ends(Found, ""),
        served(88, "twice", with("\"name\": \"Other\", \"__proto__\": {}")).ends(Found, ""),
        served(88, "bom", wrapped("\u{FEFF}", "")).ends(Found, ""),
        served(88, "surrogate", with("\"x\": \"\\ud800\"")).ends(Found, ""),
        served(
            88,
            "overlong",
            [
                b"{\"x\": \"\xC0\xAF\",".to_vec(),
                CARD.as_bytes()[1..].to_vec(),
            ]
            .concat(),
        )
        .ends(Found, ""),
        served(88, "controls", with("\"x\": \"\\u0000\\u202e\\u001b[2J\"")).ends(Found, ""),
        served(89, "comments", wrapped("/* hi */", "")).ends(Found, ""),
        served(89, "jsonp", wrapped("callback(", ");")).ends(Empty, ""),
        served(89, "guarded", wrapped(")]}'\n", "")).ends(Empty, ""),
        served(90, "utf-16", utf16).ends(Found, ""),
        served(
            90,
            "latin-1",
            CARD.replace("Mesa", "Mésa")
                .chars()
                .map(|c| c as u8)
                .collect(),
        )
        .ends(Found, ""),
        Row::probe(
            91,
            "as-html",
            Answer::default().header("content-type", "text/html"),
        )
        .file(CARD_PATH, CARD),
        Row::probe(
            91,
            "as-bytes",
            Answer::default().header("content-type", "application/octet-stream"),
        )
        .file(CARD_PATH, CARD),
        served(
            92,
            "private-urls",
            CARD.replace("mesa.example/a2a", "127.66.6.6/a2a")
                .into_bytes(),
        ),
        served(
            93,
            "names",
            CARD.replace("\"Mesa\"", "\"<script>';DROP TABLE x;--\\u001b[31m=1+1\"")
                .into_bytes(),
        ),
    ]
}

fn robots() -> Vec<Row> {
    let served = |name, body: Vec<u8>| {
        Row::new(94, name, Behaviour::default())
            .file(ROBOTS, body)
            .file(CARD_PATH, CARD)
    };
    let unreadable = |name, body: &[u8]| {
        Row::new(112, name, Behaviour::default())
            .file(ROBOTS, body)
            .file(CARD_PATH, CARD)
            .ends(ProtocolError, "")
            .most(1)
    };
    let rules: Vec<_> = (10_000..50_000).map(|n| format!("Disallow:/{n}")).collect();
    let rules = rules.join("\n");
    let huge = format!("User-agent: *\n{rules}");
    let bomb = format!("User-agent: *\nDisallow: /{}$\n", "*a".repeat(200));
    let utf16: Vec<u8> = "\u{FEFF}User-agent: *\nDisallow: /\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    vec![
        // More rules than are read keep us out (P33).
        served("robots-huge", huge.into_bytes())
            .ends(RobotsDisallow, "")
            .most(1),
        served("robots-stars", bomb.into_bytes()),
        served(
            "robots-line",
            format!("User-agent: *\nDisallow: /{}\n", "x".repeat(500_000)).into_bytes(),
        ),
        served("robots-utf-16", utf16.clone())
            .ends(RobotsDisallow, "")
            .most(1),
        served("robots-html", b"<!doctype html><title>Hi</title>".to_vec()),
        unreadable("robots-gzip", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255, 3, 0]),
        unreadable("robots-zstd", &[0x28, 0xb5, 0x2f, 0xfd, 4, 0, 1]),
        unreadable("robots-nul", b"User-agent: *\nDisallow:\0 /\n"),
        unreadable("robots-utf-16-unmarked", &utf16[2..]),
        served(
            "robots-latin-1",
            b"# caf\xe9 \xff\nUser-agent: *\n".to_vec(),
        ),
        served(
            "robots-delay-inf",
            b"User-agent: *\nCrawl-delay: inf\n".to_vec(),
        ),
        served(
            "robots-delay-nan",
            b"User-agent: *\nCrawl-delay: NaN\n".to_vec(),
        ),
    ]
}
