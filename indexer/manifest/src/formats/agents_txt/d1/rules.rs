//! The rules AT-10 to AT-18.

use crate::Severity::{Error, Warning};
use crate::formats::agents_txt::rules::{GOOD, text};
use crate::rules::Rule;

const FORMAT: &str = "agents.txt (D1)";

pub(in crate::formats::agents_txt) const RULES: &[Rule] = &[
    Rule {
        id: "AT-10",
        format: FORMAT,
        severity: Error,
        title: "The site has a name",
        explanation: "Name is what people and agents will call the site. Without it we show the host.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text("URL: https://shop.example\nCapabilities: search\n")],
    },
    Rule {
        id: "AT-11",
        format: FORMAT,
        severity: Error,
        title: "The site has an absolute URL",
        explanation: "URL is the site's address with https://. It should be the host that serves the file: a file speaks for its own site only.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: shop.example\nCapabilities: search\n",
        )],
    },
    Rule {
        id: "AT-12",
        format: FORMAT,
        severity: Warning,
        title: "Contact and Docs can be followed",
        explanation: "Contact is a mail address or a URL, Docs is a URL. Anything else leads nowhere.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nContact: the shop assistant\n",
        )],
    },
    Rule {
        id: "AT-13",
        format: FORMAT,
        severity: Error,
        title: "Capabilities are listed",
        explanation: "Capabilities names what agents can do here, separated by commas. Names are of lower-case letters, digits and dots, as cart.add.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: https://shop.example\nAgent-API: https://shop.example/agents/api\n",
        )],
    },
    Rule {
        id: "AT-14",
        format: FORMAT,
        severity: Warning,
        title: "Capabilities-URL is a URL",
        explanation: "It leads to the agents.json with the whole contract; when it is missing, `/.well-known/agents.json` is meant.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nCapabilities-URL: see below\n",
        )],
    },
    Rule {
        id: "AT-15",
        format: FORMAT,
        severity: Warning,
        title: "Agent-API and Session-Endpoint are URLs",
        explanation: "They are called, so they must be whole addresses. When Agent-API is missing, `/.well-known/agents/api` is meant.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nAgent-API: on request\n",
        )],
    },
    Rule {
        id: "AT-16",
        format: FORMAT,
        severity: Warning,
        title: "Rate-Limit is a number",
        explanation: "It is the number of calls a minute. `60/minute`, which a later revision writes, is read as well.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nRate-Limit: not too often\n",
        )],
    },
    Rule {
        id: "AT-17",
        format: FORMAT,
        severity: Warning,
        title: "Session-TTL is a number of seconds",
        explanation: "`3600` and `3600s` are read. When it is missing, sessions last 1800 seconds.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nSession-TTL: an hour or so\n",
        )],
    },
    Rule {
        id: "AT-18",
        format: FORMAT,
        severity: Warning,
        title: "Audit is true or false",
        explanation: "It says whether calls leave signed records. Where they are found is Audit-Endpoint.",
        section: "agents.txt of agents-protocol, first revision",
        good: GOOD,
        bad: &[text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nAudit: sometimes\n",
        )],
    },
];
