//! The rules IK-01 to IK-03 and IK-10.

use crate::Severity::{Error, Warning};
use crate::rule::{Example, Rule};

/// Title of the format.
pub(super) const FORMAT: &str = "Agent Identity Kit card";

/// Expands to a card of an agent with this handle, and one more member.
macro_rules! card {
    ($handle:literal, $member:literal) => {
        Example::at(
            "/.well-known/agent.json",
            concat!(
                r#"{"version": "1.0", "owner": {"name": "Needle Street"},
                    "agent": {"name": "Tailor", "description": "Alters clothes.", "handle": ""#,
                $handle,
                r#""}, "#,
                $member,
                "}"
            ),
        )
    };
}

const SOUND: Example = card!("@tailor@shop.example", r#""capabilities": ["hemming"]"#);

/// The rules on cards.
pub(crate) static IK_01: Rule = Rule {
    id: "IK-01",
    format: FORMAT,
    severity: Error,
    title: "The card gives version, agent and owner",
    explanation: "A card has version 1.0, an agent with name, handle and description, and an owner with a name: a person or an organization is always responsible for an agent.",
    section: "Agent Identity Kit, schema of the card",
    good: &[SOUND],
    bad: &[
        Example::at(
            "/.well-known/agent.json",
            r#"{"version": "1.0", "owner": {"url": "https://shop.example"},
                    "agent": {"name": "Tailor", "handle": "@tailor@shop.example", "description": "Alters clothes."}}"#,
        ),
        card!(
            "@tailor@shop.example",
            r#""capabilities": ["Hem trousers"]"#
        ),
    ],
};

pub(crate) static IK_02: Rule = Rule {
    id: "IK-02",
    format: FORMAT,
    severity: Warning,
    title: "The handle belongs to this domain",
    explanation: "A handle is written @name@domain, and only that domain can assign it.",
    section: "Agent Identity Kit, schema of the card, agent.handle",
    good: &[SOUND],
    bad: &[
        card!("tailor", r#""capabilities": []"#),
        card!("@tailor@thimble.example", r#""capabilities": []"#),
    ],
};

pub(crate) static IK_03: Rule = Rule {
    id: "IK-03",
    format: FORMAT,
    severity: Warning,
    title: "The card does not claim a trust level above `new`",
    explanation: "`trust.level` is the agent's own statement. Only others can confirm a level above `new`, so we show it as a claim.",
    section: "Agent Identity Kit, schema of the card, trust",
    good: &[
        SOUND,
        card!("@tailor@shop.example", r#""trust": {"level": "new"}"#),
    ],
    bad: &[card!(
        "@tailor@shop.example",
        r#""trust": {"level": "verified"}"#
    )],
};

pub(super) const CARD: &[&Rule] = &[&IK_01, &IK_02, &IK_03];

/// The rule on team files.
pub(crate) static IK_10: Rule = Rule {
    id: "IK-10",
    format: "Agent Identity Kit team",
    severity: Error,
    title: "The team has a name, and each agent a name and a card",
    explanation: "A team file names the organization and lists its agents with the address of each card, which may be relative.",
    section: "Agent Identity Kit, team file",
    good: &[Example::at(
        "/.well-known/agents.json",
        r#"{"version": "1.0", "organization": "Needle Street",
            "agents": [{"name": "Tailor", "card": "/agents/tailor.json", "role": "Alterations"}]}"#,
    )],
    bad: &[Example::at(
        "/.well-known/agents.json",
        r#"{"version": "1.0", "agents": [{"name": "Tailor", "card": "/agents/tailor.json"}, {"card": ""}]}"#,
    )],
};

pub(super) const TEAM: &[&Rule] = &[&IK_10];
