//! The rules AT-20 to AT-28.

use crate::Severity::Warning;
use crate::formats::agents_txt::examples::text;
use crate::rule::{Example, Rule};

const FORMAT: &str = "agents.txt (agents-protocol)";

/// A file without a fault.
const GOOD: &[Example] = &[text(
    "\
Site: Harbour Books
URL: https://shop.example
Description: Second-hand books, shipped from the harbour.
Contact: books@shop.example
Agents-JSON: https://shop.example/.well-known/agents.json
Allow: search
Allow: cart.add
Allow: checkout
Flow: buy → search, cart.add, checkout
Flow-Description: Find a book and buy it
Rate-Limit: 60/minute
Session-TTL: 3600s
Audit: true
Audit-Endpoint: https://shop.example/agents/audit/:session_id
",
)];

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule {
    section: "agents.txt of agents-protocol, later revision",
    ..Rule::shared(FORMAT, GOOD)
};

pub(crate) static AT_20: Rule = Rule {
    id: "AT-20",
    title: "The site has a name",
    explanation: "Site is what people and agents will call the site. Without it we show the host.",
    bad: &[text("URL: https://shop.example\nAllow: search\n")],
    ..RULE
};

pub(crate) static AT_21: Rule = Rule {
    id: "AT-21",
    title: "The site has an absolute URL",
    explanation: "URL is the site's address with https://. It should be the host that serves the file: a file speaks for its own site only.",
    bad: &[text("Site: Harbour Books\nAllow: search\n")],
    ..RULE
};

pub(crate) static AT_22: Rule = Rule {
    id: "AT-22",
    severity: Warning,
    title: "Agents-JSON is a URL",
    explanation: "It is the address of the agents.json with the full contract. If it is missing, `/.well-known/agents.json` applies.",
    bad: &[text(
        "Site: Harbour Books\nURL: https://shop.example\nAllow: search\nAgents-JSON: on request\n",
    )],
    ..RULE
};

pub(crate) static AT_23: Rule = Rule {
    id: "AT-23",
    title: "At least one Allow line names a capability",
    explanation: "Each `Allow` line names one capability. A value that begins with / or * is a path rule as in robots.txt, not a capability.",
    bad: &[text(
        "Site: Harbour Books\nURL: https://shop.example\nAgents-JSON: https://shop.example/agents.json\nAllow: /books\n",
    )],
    ..RULE
};

pub(crate) static AT_24: Rule = Rule {
    id: "AT-24",
    severity: Warning,
    title: "Each step of a flow is an allowed capability",
    explanation: "A flow is a name, an arrow and the steps, separated by commas. Each step should be a capability that an Allow line names.",
    bad: &[text(
        "Site: Harbour Books\nURL: https://shop.example\nAllow: search\nFlow: buy → search, pay\n",
    )],
    ..RULE
};

pub(crate) static AT_25: Rule = Rule {
    id: "AT-25",
    severity: Warning,
    title: "Each Flow-Description follows its Flow",
    explanation: "A description belongs to the flow above it. A description before the first flow describes nothing.",
    bad: &[text(
        "Site: Harbour Books\nURL: https://shop.example\nAllow: search\nFlow-Description: Find a book and buy it\n",
    )],
    ..RULE
};

pub(crate) static AT_26: Rule = Rule {
    id: "AT-26",
    severity: Warning,
    title: "Rate-Limit is a rate",
    explanation: "Write it as `60/minute`. We read a number without a unit as calls per minute.",
    bad: &[text(
        "Site: Harbour Books\nURL: https://shop.example\nAllow: search\nRate-Limit: not too often\n",
    )],
    ..RULE
};

pub(crate) static AT_27: Rule = Rule {
    id: "AT-27",
    severity: Warning,
    title: "Session-TTL is a number of seconds",
    explanation: "`3600s` and `3600` are accepted. If it is missing, sessions last 1,800 seconds.",
    bad: &[text(
        "Site: Harbour Books\nURL: https://shop.example\nAllow: search\nSession-TTL: an hour or so\n",
    )],
    ..RULE
};

pub(crate) static AT_28: Rule = Rule {
    id: "AT-28",
    severity: Warning,
    title: "Audit is true or false",
    explanation: "Audit states whether calls leave signed records. Audit-Endpoint is the address of these records, with `:session_id` in it.",
    bad: &[text(
        "Site: Harbour Books\nURL: https://shop.example\nAllow: search\nAudit: sometimes\n",
    )],
    ..RULE
};

pub(in crate::formats::agents_txt) const RULES: &[&Rule] = &[
    &AT_20, &AT_21, &AT_22, &AT_23, &AT_24, &AT_25, &AT_26, &AT_27, &AT_28,
];
