//! The table of the dialects: how a file of each is recognised, read and checked.

use super::detect::Traits;
use super::report::Report;
use super::{
    Dialect, Manifest, adp, agent, agentnav, agents_protocol, agents_protocol_legacy,
    agents_txt_com, free_keys, hashed_policy, other, prose, read, robots_like, well_known,
    yaml_blocks,
};
use crate::format::Input;
use crate::{Agent, FormatId};

/// Row of the table.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) dialect: Dialect,
    /// Reports whether a text is in the dialect; the first row for which it holds applies.
    pub(super) detects: fn(&Traits<'_>) -> bool,
    /// Reports whether a text that no row detects is in the dialect.
    pub(super) detects_last: fn(&Traits<'_>) -> bool,
    pub(super) read: fn(&str, Dialect) -> Manifest,
    /// Checks the rules of the dialect's own.
    pub(super) validate: fn(&mut Report<'_>),
    pub(super) agent: fn(&Manifest, &Input<'_>) -> Option<Agent>,
}

impl Row {
    const fn detects_last(self, detects_last: fn(&Traits<'_>) -> bool) -> Self {
        Self {
            detects_last,
            ..self
        }
    }

    const fn read(self, read: fn(&str, Dialect) -> Manifest) -> Self {
        Self { read, ..self }
    }

    const fn validate(self, validate: fn(&mut Report<'_>)) -> Self {
        Self { validate, ..self }
    }

    const fn agent(self, agent: fn(&Manifest, &Input<'_>) -> Option<Agent>) -> Self {
        Self { agent, ..self }
    }
}

/// Creates the row of a dialect that is read like most, and has no rules of its own.
const fn dialect(dialect: Dialect, detects: fn(&Traits<'_>) -> bool) -> Row {
    Row {
        dialect,
        detects,
        detects_last: |_| false,
        read: read::read,
        validate: |_| {},
        agent: |manifest, input| Some(agent::agent(manifest, input.document)),
    }
}

/// Returns the contents of a file of which no lines are read.
fn unread(_: &str, dialect: Dialect) -> Manifest {
    Manifest::of(dialect)
}

/// All dialects, in the order in which they are tested: those without a specification last.
pub(super) static DIALECTS: [Row; 16] = [
    dialect(Dialect::YAML_BLOCKS, |t| t.has_yaml_block)
        .read(unread)
        .agent(|_, input| Some(yaml_blocks::agent(input.text))),
    dialect(Dialect::AGENTNAV, |t| t.is_agentnav)
        .read(unread)
        .agent(|_, input| agentnav::agent(input)),
    dialect(Dialect::AGENTS_BRIEF, |t| {
        let keys = ["allow-training", "allow-rag", "preferred-interface"];
        t.has_agent_section || (t.has_any(&keys) && !t.has_capability_block)
    }),
    dialect(Dialect::WELL_KNOWN, |t| {
        t.has_capability_block
            || t.has_any(&[
                "spec-version",
                "site-name",
                "site-url",
                "declaration-type",
                "operates-on",
            ])
    })
    .validate(well_known::validate),
    dialect(Dialect::YAML_LIST, |t| t.has_capability_list),
    dialect(Dialect::AGENTS_PROTOCOL, |t| {
        let names_site = t.value("site").is_some_and(|value| !is_url(value));
        t.has_any(&["agents-json"])
            || t.allows_capability
            || (names_site && t.has_any(&["url", "flow"]))
    })
    .validate(agents_protocol::validate),
    dialect(Dialect::AGENTS_PROTOCOL_LEGACY, |t| {
        t.has_any(&["agent-api", "capabilities-url", "session-endpoint"])
            || t.value("capabilities").is_some()
    })
    .validate(agents_protocol_legacy::validate),
    dialect(Dialect::AGENTS_TXT_COM, |t| {
        const DIRECTIVES: [&str; 5] = ["mcp", "skills", "a2a", "ucp", "webmcp"];
        t.names_agents_txt_com
            || t.has_any(&["protocols", "authorization"])
            || DIRECTIVES
                .iter()
                .any(|key| t.value(key).is_some_and(is_url))
    })
    // AT-41: comments alone declare nothing.
    .detects_last(|t| t.is_at_text_path && t.comments > 0 && t.has_only_comments())
    .validate(agents_txt_com::validate),
    dialect(Dialect::AGENT_POLICY, |t| {
        t.value("policy").is_some_and(is_url) && t.has_any(&["contact"])
    }),
    dialect(Dialect::AGENTSTXT_DEV, |t| {
        let keys = [
            "communication",
            "communication-protocol",
            "payment-system",
            "logo",
        ];
        t.has_any(&keys) && t.has_any(&["name", "agent"])
    }),
    dialect(Dialect::ADP, |t| {
        t.names_adp || (t.has_any(&["engine"]) && t.has_any(&["spec"]))
    })
    .validate(adp::validate),
    dialect(Dialect::HASHED_POLICY, |t| t.starts_with_hash)
        .agent(|manifest, _| hashed_policy::agent(manifest)),
    dialect(Dialect::ROBOTS_LIKE, |t| {
        t.has_any(&["user-agent"]) && t.has_other_than_robots_keys
    })
    .validate(robots_like::validate)
    .agent(robots_like::agent),
    dialect(Dialect::OTHER, |t| {
        t.is_humans_txt
            || t.has_any(&["user-agent"])
            || t.coding_notes.are_certain()
            || t.is_llms_txt
    })
    .read(unread)
    .validate(other::validate)
    .agent(|_, _| None),
    dialect(Dialect::FREE_KEYS, |t| {
        t.pairs >= 2 && t.pairs > t.prose && t.has_any(FREE_KEYS)
    })
    .validate(free_keys::validate),
    // AT-90: a title with some text below it.
    dialect(Dialect::PROSE, |_| false)
        .detects_last(|t| {
            let is_text = t.comments > 0 || t.has_operation;
            t.is_at_text_path && is_text && t.comments + t.prose + t.pairs > 1
        })
        .validate(prose::validate),
];

/// Returns the row of the dialect with this id, or that of other files.
pub(super) fn of(format: FormatId) -> &'static Row {
    let row = |id| DIALECTS.iter().find(|it| it.dialect.id == id);
    let found = row(format).or_else(|| row(Dialect::OTHER.id));
    found.expect("the table has a row for other files")
}

/// Keys that make a file of free `Key: Value` lines a manifest (AT-92).
const FREE_KEYS: &[&str] = &[
    "name",
    "site",
    "url",
    "website",
    "owner",
    "contact",
    "docs",
    "documentation",
    "api",
    "manifest",
    "llms",
    "index",
    "description",
    "purpose",
    "status",
    "agent-card",
    "openapi",
];

fn is_url(value: &str) -> bool {
    value.starts_with('/') || crate::link::is_absolute(value)
}
