//! Rules on any document, whatever its format.

use super::{Example, Rule};
use crate::Severity;

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

/// Beginning of an agents.txt with a list of capabilities.
const LIST: &[u8] = b"Name: Shoe shop\nURL: https://shop.example\nContact: shop@shop.example\nDescription: Finds shoes that fit.\nCapabilities: ";
const SIZE: &[u8] = b"fit-000, ";
/// Number of capabilities of the list, one too many.
const MANY_COUNT: usize = 501;
/// An agents.txt with too many capabilities.
static MANY: [u8; LIST.len() + MANY_COUNT * SIZE.len() + 1] =
    numbered(LIST, SIZE, MANY_COUNT, b"\n");

const SHOP: &[u8] = b"{\"name\": \"Shoe shop\", \"description\": \"Finds shoes that fit.\", \"url\": \"https://shop.example\",";
const RACK: &[u8] = b"\n\"x_000\": \"left\",";
/// Number of values without a meaning, more than are kept.
const RACKS: usize = 300;
const END: &[u8] = b"\n\"endpoint\": \"https://shop.example/api\"}";
/// A profile with too many values that no rule interprets.
static UNKNOWN: [u8; SHOP.len() + RACKS * RACK.len() + END.len()] =
    numbered(SHOP, RACK, RACKS, END);

/// Returns `head`, `count` items with their number in place of `000`, and `tail`.
const fn numbered<const LENGTH: usize>(
    head: &[u8],
    item: &[u8],
    count: usize,
    tail: &[u8],
) -> [u8; LENGTH] {
    const DIGITS: &[u8; 10] = b"0123456789";
    let mut bytes = [0; LENGTH];
    let (mut at, mut number) = (0, 0);
    while at < head.len() {
        bytes[at] = head[at];
        at += 1;
    }
    while number < count {
        let (mut offset, mut zeros) = (0, 0);
        while offset < item.len() {
            bytes[at] = item[offset];
            if item[offset] == b'0' && zeros < 3 {
                let digit = [number / 100, number / 10 % 10, number % 10][zeros];
                bytes[at] = DIGITS[digit];
                zeros += 1;
            }
            (at, offset) = (at + 1, offset + 1);
        }
        number += 1;
    }
    let mut offset = 0;
    while offset < tail.len() {
        bytes[at] = tail[offset];
        (at, offset) = (at + 1, offset + 1);
    }
    bytes
}

const fn served(path: &'static str, media_type: &'static str, body: &'static str) -> Example {
    Example {
        media_type: Some(media_type),
        ..Example::at(path, body)
    }
}

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(ANY, GOOD);

pub(crate) static DI_01: Rule = Rule {
    id: "DI-01",
    title: "The body is not empty",
    explanation: "A response with status 200 and no body claims a manifest without giving one. Answer 404 where there is no manifest.",
    section: "RFC 9110, section 15.5.5",
    bad: &[Example::at("/.well-known/agents.json", " \n")],
    ..RULE
};

pub(crate) static DI_02: Rule = Rule {
    id: "DI-02",
    severity: Severity::Warning,
    title: "The media type is the format's own",
    explanation: "Manifests in JSON are application/json or a type that ends in +json, agents.txt is text/plain. Agentdex decides by content; other clients may reject anything else.",
    section: "RFC 8259, section 11; the section on serving in each format",
    good: &[served(
        "/.well-known/agent-card.json",
        "application/json",
        CARD,
    )],
    bad: &[served("/.well-known/agent-card.json", "text/html", CARD)],
    ..RULE
};

pub(crate) static DI_03: Rule = Rule {
    id: "DI-03",
    title: "The body is UTF-8 and within the limits of size and depth",
    explanation: "JSON up to 1 MiB and text up to 256 KiB is read, nested at most 64 levels and with at most 100,000 values. JSON on the Internet is UTF-8 without a byte order mark; UTF-16 with a mark and windows-1252 are read all the same.",
    section: "RFC 8259, sections 8.1 and 9",
    bad: &[Example {
        body: b"{\"name\": \"Caf\xE9\", \"description\": \"Coffee all day\"}",
        ..Example::at("/.well-known/agents.json", "")
    }],
    ..RULE
};

pub(crate) static DI_04: Rule = Rule {
    id: "DI-04",
    title: "The body is a manifest, not a web page",
    explanation: "A web page with status 200 in place of a manifest makes every client parse it in vain. Answer 404.",
    section: "RFC 9110, section 15.5.5",
    bad: &[Example::at(
        "/.well-known/agents.json",
        "<!doctype html><title>Not found</title>",
    )],
    ..RULE
};

pub(crate) static DI_05: Rule = Rule {
    id: "DI-05",
    title: "The body is a manifest, not some other text",
    explanation: "A copy of robots.txt or of llms.txt says nothing about agents that the site offers.",
    section: "agents.txt, all dialects",
    bad: &[Example::at(
        "/agents.txt",
        "User-agent: *\nDisallow: /private\n",
    )],
    ..RULE
};

pub(crate) static DI_07: Rule = Rule {
    id: "DI-07",
    title: "The file is JSON and gives each member once",
    explanation: "Comments, trailing commas and other quotes are not JSON: most clients reject the file. Agentdex repairs it where it can, and reports it as malformed. Clients differ on a member that is given twice, so such a file is never valid. Half of a surrogate pair and a number beyond the range of a double are warnings.",
    section: "RFC 8259, sections 2, 4, 6 and 8.2",
    bad: &[Example::at(
        "/.well-known/agents.json",
        "{\n  \"name\": \"Shoe shop\", // ours\n  \"description\": \"Finds shoes that fit.\",\n}",
    )],
    ..RULE
};

pub(crate) static DI_08: Rule = Rule {
    id: "DI-08",
    severity: Severity::Info,
    title: "The response has a validator",
    explanation: "With ETag or Last-Modified a client can ask whether the file has changed; without either it fetches the whole file on every visit.",
    section: "RFC 9110, sections 8.8 and 13",
    good: &[Example {
        headers: Some(&[("ETag", "\"shoes-7\"")]),
        ..Example::at("/.well-known/agent-card.json", CARD)
    }],
    bad: &[Example {
        headers: Some(&[("Cache-Control", "max-age=3600")]),
        ..Example::at("/.well-known/agent-card.json", CARD)
    }],
    ..RULE
};

pub(crate) static DI_09: Rule = Rule {
    id: "DI-09",
    severity: Severity::Warning,
    title: "References lead to public https addresses",
    explanation: "References to plain http, an IP address, a name of a private network, an address with a password in it or an unusual port are not followed: they can lead a client into its own network.",
    section: "None: common practice of careful clients",
    bad: &[Example::at(
        "/.well-known/agents.json",
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "version": "1.2.0", "openapi_url": "http://10.0.0.7/openapi.json", "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
    )],
    ..RULE
};

pub(crate) static DI_10: Rule = Rule {
    id: "DI-10",
    severity: Severity::Warning,
    title: "The manifest contains no secrets",
    explanation: "A manifest is public. What looks like a token, a password or a private key is replaced before it is stored or shown. Revoke it, because other clients may have read it.",
    section: "The section on security in each format",
    bad: &[Example::at(
        "/.well-known/agents.json",
        r#"{"name": "Shoe shop", "description": "Finds shoes that fit.", "api_key": "a1b2c3d4e5f6a7b8c9d0e1f2"}"#,
    )],
    ..RULE
};

pub(crate) static DI_11: Rule = Rule {
    id: "DI-11",
    title: "Reading ends without an internal error",
    explanation: "Agentdex failed on this document because of an internal error. The document is not at fault and needs no change. It is kept, nothing of it is listed, and it is read again with the next version. There is no example, because every known error of this kind is fixed.",
    section: "None: Agentdex reads any input without stopping",
    bad: &[],
    ..RULE
};

pub(crate) static DI_12: Rule = Rule {
    id: "DI-12",
    severity: Severity::Warning,
    title: "Every address can be called from the Internet",
    explanation: "An IP address that is private, local or reserved, in any notation, a name of one label, and a name that the public DNS does not resolve, such as one below .internal or .local, lead each caller to its own machine or network. Such an address is left out, and the page of the agent says so. A name below the domain that serves the document is kept.",
    section: "RFC 6761, RFC 6762, RFC 6890, RFC 9476",
    bad: &[Example::at(
        "/.well-known/agent-card.json",
        r#"{
  "name": "Shoe shop",
  "description": "Finds shoes that fit.",
  "url": "http://shoes.internal/a2a",
  "version": "1.0.0",
  "protocolVersion": "0.3.0",
  "capabilities": {},
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [{"id": "fit", "name": "Fit", "description": "Finds a size.", "tags": ["shoes"]}]
}"#,
    )],
    ..RULE
};

pub(crate) static DI_13: Rule = Rule {
    id: "DI-13",
    severity: Severity::Warning,
    title: "An agent has at most 500 capabilities",
    explanation: "The first 500 capabilities of an agent are listed. The finding says how many there were. Callers choose among capabilities by reading them, so describe what belongs together once.",
    section: "None: it is a rule of this registry",
    bad: &[Example {
        body: &MANY,
        ..Example::at("/agents.txt", "")
    }],
    ..RULE
};

pub(crate) static DI_14: Rule = Rule {
    id: "DI-14",
    severity: Severity::Info,
    title: "What is not understood is kept within bounds",
    explanation: "Values that no rule interprets are kept as the publisher wrote them, and shown on the page of the agent. Members that a format does not define are kept whole; single values inside of members that it does define up to 200 of an agent, with 16 KiB of text. The finding says how many more there were.",
    section: "None: it is a rule of this registry",
    bad: &[Example {
        body: &UNKNOWN,
        ..Example::at("/agents.json", "")
    }],
    ..RULE
};

pub(crate) static DI_15: Rule = Rule {
    id: "DI-15",
    severity: Severity::Warning,
    title: "The document says where the agent is called",
    explanation: "An agent without an address, a call or a program to run is listed, but nothing can be done with it. A card of an MCP server without an address has level C. Name the address of its API, of its MCP server or of its A2A endpoint, in the member that the format has for it.",
    section: "None: it is a rule of this registry",
    bad: &[Example::at(
        "/agents.json",
        r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "skills": ["Timetable"]}"#,
    )],
    ..RULE
};

pub(crate) static DI_16: Rule = Rule {
    id: "DI-16",
    severity: Severity::Warning,
    title: "The document names what it is about",
    explanation: "A document of a known format in which neither a name, a capability nor an address is found is kept, but not listed. Names count only where the format has them: a text of agents-brief has `Site-Name` before its sections.",
    section: "None: it is a rule of this registry",
    bad: &[Example::at(
        "/agents.txt",
        "[Agent: helper]\nDescription: Answers questions about crossings.\n",
    )],
    ..RULE
};

pub(crate) static DI_20: Rule = Rule {
    id: "DI-20",
    severity: Severity::Info,
    title: "Each format is served at its own place",
    explanation: "Content decides how a file is read, because several formats claim the same paths. Clients of one format look at its own places first.",
    section: "The section on discovery in each format",
    bad: &[Example::at("/.well-known/agents.json", CARD)],
    ..RULE
};

pub(crate) static DI_30: Rule = Rule {
    id: "DI-30",
    severity: Severity::Info,
    title: "The format is known",
    explanation: "The file is kept, and read again when its format becomes known; nothing of it is listed. The linter reports it as an error. A name and a description are enough to be listed.",
    section: "None: it is a rule of this registry",
    bad: &[Example::at("/.well-known/agents.json", r#"{"foo": 1}"#)],
    ..RULE
};

pub(crate) static AT_95: Rule = Rule {
    id: "AT-95",
    format: "agents.txt",
    severity: Severity::Warning,
    title: "agents.txt contains text, and agents.json contains JSON",
    explanation: "A JSON document under the name agents.txt is read as JSON; clients of agents.txt find no line in it.",
    section: "agents.txt, all dialects",
    bad: &[Example::at("/.well-known/agents.txt", CARD)],
    ..RULE
};

pub(crate) const RULES: &[&Rule] = &[
    &DI_01, &DI_02, &DI_03, &DI_04, &DI_05, &DI_07, &DI_08, &DI_09, &DI_10, &DI_11, &DI_12, &DI_13,
    &DI_14, &DI_15, &DI_16, &DI_20, &DI_30, &AT_95,
];
