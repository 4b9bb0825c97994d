//! Content types of bodies.

use super::*;
use crate::document::sample;

fn opened(path: &str, body: &[u8]) -> (Content, Vec<&'static str>) {
    let document = sample("a.example", path, body);
    let body = open(&document);
    let rules = body.findings.into_iter().map(|finding| finding.rule.id);
    (body.content, rules.collect())
}

#[test]
fn bytes_become_json_text_html_or_nothing() {
    let json = "/agents.json";
    let text = "/agents.txt";
    for (path, bytes, expected, rules) in [
        (json, &b"{}"[..], "json", &[][..]),
        (json, b"\xEF\xBB\xBF {}", "json", &["DI-03"]),
        (json, b" [1,]", "json", &["DI-07"]),
        (json, b"{", "nothing", &["DI-07"]),
        ("/agent-descriptions", b"{\"a\"", "nothing", &["DI-07"]),
        (text, b"[Agent: all]", "text", &[]),
        (text, b"Name: A", "text", &[]),
        (text, b"\n<!DOCTYPE HTML><p>", "html", &["DI-04"]),
        (json, b"<?xml?><html><BODY class=a>", "html", &["DI-04"]),
        (json, b"\xFF\xFE{\0}\0", "json", &["DI-03"]),
        (json, b"\xFE\xFF\0{\0}", "json", &["DI-03"]),
        (json, b"\xFF\xFE\0\0{\0\0\0}\0\0\0", "nothing", &["DI-03"]),
        (json, b"\0\0\xFE\xFF\0\0\0{\0\0\0}", "nothing", &["DI-03"]),
        (text, b"Name: Caf\xE9", "text", &["DI-03"]),
        (json, b"\xFF\0{", "nothing", &["DI-03"]),
        (json, b"// a\n{}", "json", &["DI-07"]),
        (text, b"/ is the root", "text", &[]),
        (json, b"```json\n{}\n```\n", "json", &["DI-07"]),
        (json, b"\n```\n[1]", "json", &["DI-07"]),
        (json, b"```json\n{\n```", "nothing", &["DI-07", "DI-07"]),
        (text, b"```\nName: A\n```", "text", &[]),
        (json, b"```", "text", &[]),
        (json, b" \n", "nothing", &["DI-01"]),
    ] {
        let (content, found) = opened(path, bytes);
        let kind = match content {
            Content::Json(_) => "json",
            Content::Text => "text",
            Content::Html => "html",
            Content::Nothing => "nothing",
        };
        assert_eq!((kind, found), (expected, rules.to_vec()), "{bytes:?}");
    }
}
