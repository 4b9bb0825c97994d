//! The rules on the lines of every dialect.

use crate::Severity::{Info, Warning};
use crate::formats::agents_txt::agents_txt_com;
use crate::formats::agents_txt::examples::{GOOD, PLACE, text};
use crate::rule::{Example, Rule};

const FORMAT: &str = "agents.txt";

pub(crate) static AT_02: Rule = Rule {
    id: "AT-02",
    format: FORMAT,
    severity: Warning,
    title: "Every line is a comment or `Key: Value`",
    explanation: "A line is split at its first colon. A line without a colon is neither a comment nor a value, so readers skip it. Begin comments with #.",
    section: "agents.txt, \"Syntax\"",
    good: GOOD,
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nopen every day\n",
    )],
};

pub(crate) static AT_03: Rule = Rule {
    id: "AT-03",
    format: FORMAT,
    severity: Warning,
    title: "Keys are spelled as in the specification",
    explanation: "The keys of agents-txt.com are case-sensitive: `MCP`, not `mcp`. We read both; other readers may not.",
    section: "agents-txt.com, \"Syntax\"",
    good: agents_txt_com::rules::GOOD,
    bad: &[text("mcp: https://shop.example/mcp\n")],
};

pub(crate) static AT_04: Rule = Rule {
    id: "AT-04",
    format: FORMAT,
    severity: Info,
    title: "A specification defines each key",
    explanation: "A key that no specification defines is kept and shown as published; it is never an error. Check its spelling if programs are supposed to understand it.",
    section: "agents.txt, \"Extensibility\"",
    good: GOOD,
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nColour: blue\n",
    )],
};

pub(crate) static AT_06: Rule = Rule {
    id: "AT-06",
    format: FORMAT,
    severity: Warning,
    title: "Values are short and plain",
    explanation: "Control characters can change what people see, and a value of more than 2,000 characters is too long to read. We remove control characters and truncate long values.",
    section: "Common practice; there is no specification",
    good: GOOD,
    bad: &[text(
        "Name: Harbour \u{7}Books\nURL: https://shop.example\nCapabilities: search\n",
    )],
};

pub(crate) static AT_07: Rule = Rule {
    id: "AT-07",
    format: FORMAT,
    severity: Warning,
    title: "Addresses are absolute URLs",
    explanation: "The specifications show absolute URLs only. We resolve a relative one against the file's own address; other readers may resolve it differently.",
    section: "agents.txt, \"Fields\"",
    good: GOOD,
    bad: &[text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nDocs: /docs\n",
    )],
};

pub(crate) static AT_94: Rule = Rule {
    id: "AT-94",
    format: FORMAT,
    severity: Warning,
    title: "Comments have lines of their own",
    explanation: "We take a # between spaces for the start of a comment, so the value ends before it. Other readers take it for part of the value.",
    section: "Common practice; there is no specification",
    good: GOOD,
    bad: &[Example::at(
        PLACE,
        "Name: Harbour Books # since 1932\nURL: https://shop.example\nCapabilities: search\n",
    )],
};

pub(in crate::formats::agents_txt) const RULES: &[&Rule] =
    &[&AT_02, &AT_03, &AT_04, &AT_06, &AT_07, &AT_94];
