//! Rules on any document, whatever its format (FORMATS.md sections 1 to 3).

use super::{Example, Rule};
use crate::{Severity, fault};

const ANY: &str = "Any document";
const CARD: &str = r#"{
  "name": "Shoe shop",
  "description": "Finds shoes that fit.",
  "url": "https://shop.example/a2a",
  "version": "1.0.0",
  "protocolVersion": "0.3.0",
  "capabilities": {},
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [{"id": "fit", "name": "Fit", "description": "Finds a size.", "tags": ["shoes"]}]
}"#;
const GOOD: &[Example] = &[Example::at("/.well-known/agent-card.json", CARD)];

const fn served(path: &'static str, media_type: &'static str, body: &'static str) -> Example {
    Example {
        media_type: Some(media_type),
        ..Example::at(path, body)
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "DI-01",
        format: ANY,
        severity: Severity::Error,
        title: "The body is not empty",
        explanation: "An answer of status 200 without a body says that there is a manifest and gives none. Answer 404 where there is no manifest.",
        section: "RFC 9110, section 15.5.5",
        good: GOOD,
        bad: &[Example::at("/.well-known/agents.json", " \n")],
    },
    Rule {
        id: "DI-02",
        format: ANY,
        severity: Severity::Warning,
        title: "The media type is the format's own",
        explanation: "Manifests in JSON are application/json or a type that ends in +json, agents.txt is text/plain. We decide by content, other clients may refuse anything else.",
        section: "RFC 8259, section 11; the section on serving in each format",
        good: &[served(
            "/.well-known/agent-card.json",
            "application/json",
            CARD,
        )],
        bad: &[served("/.well-known/agent-card.json", "text/html", CARD)],
    },
    Rule {
        id: "DI-03",
        format: ANY,
        severity: Severity::Error,
        title: "UTF-8 within bounds",
        explanation: "JSON up to 1 MiB and text up to 256 KiB is read, nested at most 64 levels and with at most 100,000 values. JSON on the Internet is UTF-8 without a byte order mark; UTF-16 with a mark and windows-1252 are read all the same.",
        section: "RFC 8259, sections 8.1 and 9",
        good: GOOD,
        bad: &[Example {
            body: b"{\"name\": \"Caf\xE9\", \"description\": \"Coffee all day\"}",
            ..Example::at("/.well-known/agents.json", "")
        }],
    },
    Rule {
        id: "DI-04",
        format: ANY,
        severity: Severity::Error,
        title: "A manifest, not a web page",
        explanation: "A web page of status 200 where no manifest is makes every client look twice. Answer 404.",
        section: "RFC 9110, section 15.5.5",
        good: GOOD,
        bad: &[Example::at(
            "/.well-known/agents.json",
            "<!doctype html><title>Not found</title>",
        )],
    },
    Rule {
        id: "DI-05",
        format: ANY,
        severity: Severity::Error,
        title: "A manifest, not some other text",
        explanation: "A copy of robots.txt or of llms.txt says nothing about agents that the site offers.",
        section: "agents.txt, all dialects",
        good: GOOD,
        bad: &[Example::at(
            "/agents.txt",
            "User-agent: *\nDisallow: /private\n",
        )],
    },
    Rule {
        id: "DI-07",
        format: ANY,
        severity: Severity::Error,
        title: "The file is JSON, each member given once",
        explanation: "Comments, trailing commas and other quotes are not JSON: most clients refuse the file, we read it once more with patience and call it malformed. A member given twice is read differently by every client, so such a file is never valid; half of a surrogate pair and a number beyond every double are warnings.",
        section: "RFC 8259, sections 2, 4, 6 and 8.2",
        good: GOOD,
        bad: &[Example::at(
            "/.well-known/agents.json",
            "{\n  \"name\": \"Shoe shop\", // ours\n  \"description\": \"Finds shoes that fit.\",\n}",
        )],
    },
    Rule {
        id: "DI-08",
        format: ANY,
        severity: Severity::Info,
        title: "Served with a validator",
        explanation: "With ETag or Last-Modified a client asks whether the file has changed; without either it fetches all of it on every visit.",
        section: "RFC 9110, sections 8.8 and 13",
        good: &[Example {
            headers: Some(&[("ETag", "\"shoes-7\"")]),
            ..Example::at("/.well-known/agent-card.json", CARD)
        }],
        bad: &[Example {
            headers: Some(&[("Cache-Control", "max-age=3600")]),
            ..Example::at("/.well-known/agent-card.json", CARD)
        }],
    },
    Rule {
        id: "DI-09",
        format: ANY,
        severity: Severity::Warning,
        title: "References lead to public https addresses",
        explanation: "We follow no reference to plain http, an IP address, a name of a private network, an address with a password in it or an unusual port: whoever does can be led into his own network.",
        section: "No specification: what any careful client does",
        good: GOOD,
        bad: &[Example::at(
            "/.well-known/agents.json",
            r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "version": "1.2.0", "openapi_url": "http://10.0.0.7/openapi.json", "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
        )],
    },
    Rule {
        id: "DI-10",
        format: ANY,
        severity: Severity::Warning,
        title: "No secrets",
        explanation: "A manifest is public. What looks like a token, a password or a private key is replaced before anybody sees it; revoke it, for others have read it too.",
        section: "The section on security in each format",
        good: GOOD,
        bad: &[Example::at(
            "/.well-known/agents.json",
            r#"{"name": "Shoe shop", "description": "Finds shoes that fit.", "api_key": "a1b2c3d4e5f6a7b8c9d0e1f2"}"#,
        )],
    },
    Rule {
        id: fault::RULE,
        format: ANY,
        severity: Severity::Error,
        title: "We can read it",
        explanation: "Our own program broke off on this document, which is our fault and none of the document's: there is nothing to mend in it. The document is kept, nothing of it is listed, and it is read again with the next version. No document is known that does this, for what is known is repaired.",
        section: "None: our promise that no input stops us",
        good: GOOD,
        bad: &[],
    },
    Rule {
        id: "DI-20",
        format: ANY,
        severity: Severity::Info,
        title: "Each format lies at its own place",
        explanation: "Content decides how a file is read, for several formats claim the same paths. Clients of one format look at its own places first.",
        section: "The section on discovery in each format",
        good: GOOD,
        bad: &[Example::at("/.well-known/agents.json", CARD)],
    },
    Rule {
        id: "DI-30",
        format: ANY,
        severity: Severity::Info,
        title: "The format is known",
        explanation: "The file is kept, and read again when its format becomes known; nothing of it is listed; to whoever lints it that is an error. A name and a description are enough to be listed.",
        section: "None",
        good: GOOD,
        bad: &[Example::at("/.well-known/agents.json", r#"{"foo": 1}"#)],
    },
    Rule {
        id: "AT-95",
        format: "agents.txt",
        severity: Severity::Warning,
        title: "Text in agents.txt, JSON in agents.json",
        explanation: "A JSON document under the name agents.txt is read as the JSON that it is; clients of agents.txt find no line in it.",
        section: "agents.txt, all dialects",
        good: GOOD,
        bad: &[Example::at("/.well-known/agents.txt", CARD)],
    },
];
