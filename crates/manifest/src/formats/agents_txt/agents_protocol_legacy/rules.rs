//! The rules AT-10 to AT-18.

use crate::Severity::Warning;
use crate::formats::agents_txt::examples::{GOOD, text};
use crate::rule::Rule;

const FORMAT: &str = "agents.txt (agents-protocol-legacy)";

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule {
    section: "agents.txt of agents-protocol, first revision",
    ..Rule::shared(FORMAT, GOOD)
};

pub(crate) static AT_10: Rule = Rule {
    id: "AT-10",
    title: "The site has a name",
    explanation: "Name is what people and agents will call the site. Without it we show the host.",
    bad: &[text("URL: https://shop.example\nCapabilities: search\n")],
    ..RULE
};

pub(crate) static AT_11: Rule = Rule {
    id: "AT-11",
    title: "The site has an absolute URL",
    explanation: "URL is the site's address with https://. It should be the host that serves the file: a file speaks for its own site only.",
    bad: &[text(
        "Name: Harbour Books\nURL: shop.example\nCapabilities: search\n",
    )],
    ..RULE
};

pub(crate) static AT_12: Rule = Rule {
    id: "AT-12",
    severity: Warning,
    title: "Contact and Docs are addresses",
    explanation: "Contact is a mail address or a URL, Docs is a URL. Agents cannot use anything else.",
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nContact: the shop assistant\n",
    )],
    ..RULE
};

pub(crate) static AT_13: Rule = Rule {
    id: "AT-13",
    title: "Capabilities are listed",
    explanation: "Capabilities names what agents can do here, separated by commas. A name consists of lower-case letters, digits and dots, such as cart.add.",
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nAgent-API: https://shop.example/agents/api\n",
    )],
    ..RULE
};

pub(crate) static AT_14: Rule = Rule {
    id: "AT-14",
    severity: Warning,
    title: "Capabilities-URL is a URL",
    explanation: "It is the address of the agents.json with the full contract. If it is missing, `/.well-known/agents.json` applies.",
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nCapabilities-URL: see below\n",
    )],
    ..RULE
};

pub(crate) static AT_15: Rule = Rule {
    id: "AT-15",
    severity: Warning,
    title: "Agent-API and Session-Endpoint are URLs",
    explanation: "Agents call these addresses, so they must be absolute. If Agent-API is missing, `/.well-known/agents/api` applies.",
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nAgent-API: on request\n",
    )],
    ..RULE
};

pub(crate) static AT_16: Rule = Rule {
    id: "AT-16",
    severity: Warning,
    title: "Rate-Limit is a number",
    explanation: "It is the number of calls per minute. `60/minute`, as in the later revision, is accepted too.",
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nRate-Limit: not too often\n",
    )],
    ..RULE
};

pub(crate) static AT_17: Rule = Rule {
    id: "AT-17",
    severity: Warning,
    title: "Session-TTL is a number of seconds",
    explanation: "`3600` and `3600s` are accepted. If it is missing, sessions last 1,800 seconds.",
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nSession-TTL: an hour or so\n",
    )],
    ..RULE
};

pub(crate) static AT_18: Rule = Rule {
    id: "AT-18",
    severity: Warning,
    title: "Audit is true or false",
    explanation: "Audit states whether calls leave signed records. Audit-Endpoint is the address of these records.",
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nAudit: sometimes\n",
    )],
    ..RULE
};

pub(in crate::formats::agents_txt) const RULES: &[&Rule] = &[
    &AT_10, &AT_11, &AT_12, &AT_13, &AT_14, &AT_15, &AT_16, &AT_17, &AT_18,
];
