//! The rule of agent policies.

use crate::Severity::Error;
use crate::rule::{Example, Rule};

/// Creates the example of a policy with these members in its one capability.
macro_rules! policy {
    ($members:literal) => {
        Example::at(
            "/.well-known/agent-policy.json",
            concat!(
                r#"{"agentPolicyVersion": "0.1", "contact": "desk@shop.example",
                    "issuer": {"name": "Lock & Key", "url": "https://shop.example"},
                    "capabilities": [{"id": "keys.copy", "description": "Copies a key.",
                      "door": {"type": "mcp", "url": "https://shop.example/mcp"}, "#,
                $members,
                "}]}"
            ),
        )
    };
}

pub(crate) static AT_61: Rule = Rule {
    id: "AT-61",
    format: "Agent policy 0.1",
    severity: Error,
    title: "The policy follows its closed schema",
    explanation: "Version 0.1, an issuer with name and url, a contact, and capabilities with a dotted id, a description, a door (mcp or openapi), auth (none or credential) and a riskTier (auto or checkpoint). A member that the schema does not define makes the policy invalid: an agent must not guess what it permits.",
    section: "agents-txt 0.1 (agent policy), schema",
    good: &[policy!(
        r#""auth": "credential", "riskTier": "checkpoint", "rateLimit": {"max": 5, "window": "1d"}"#
    )],
    bad: &[
        policy!(r#""auth": "none", "riskTier": "auto", "priority": 1"#),
        policy!(r#""auth": "password", "riskTier": "auto""#),
        policy!(r#""auth": "none""#),
    ],
};

pub(super) const RULES: &[&Rule] = &[&AT_61];
