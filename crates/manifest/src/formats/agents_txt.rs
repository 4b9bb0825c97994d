//! agents.txt: a family of text formats under one file name, read by one reader.
//!
//! Publishers use many dialects of agents.txt. A few have a specification; the others are common
//! practice. Each dialect has a module with its fields, rules and mapping. One file may mix
//! dialects, so every key of every dialect is accepted anywhere (AT-05). `read` collects the
//! lines, `agent` maps them to an agent, and the dialect selects the rules to check. A text in
//! no dialect is an `other` file (DI-05), which gives no agent. Lines are no members of objects,
//! so there are no rows: the reader records the line of each fact itself.
//!
//! Specifications: kaylacar/agents-protocol (agents-protocol-legacy, agents-protocol),
//! kaylacar/agents-txt with draft-car-agents-txt-wellknown-00 (agents.txt 1.0), agents-txt.com.

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::Marker;
use crate::rule::Rule;
use crate::rule::profile::GP_03;
use crate::{Agent, FormatId, Reference};
pub(super) use detect::{format, is_text_path};
pub(crate) use dialect::Dialect;
use manifest::Manifest;
use report::Report;

mod adp;
mod agent;
mod agentnav;
mod agents_brief;
mod agents_protocol;
mod agents_protocol_legacy;
mod agents_txt_com;
mod agentstxt_dev;
mod common;
mod detect;
mod dialect;
mod dialect_table;
mod directives;
mod examples;
mod facts;
mod free_keys;
mod hashed_policy;
mod interaction;
mod keys;
pub(super) mod lines;
mod manifest;
pub(super) mod other;
mod prose;
mod read;
mod references;
mod report;
mod robots_like;
#[cfg(test)]
mod tests;
mod well_known;
mod yaml_blocks;

const TABLES: [&[&Rule]; 10] = [
    common::rules::RULES,
    agents_protocol_legacy::rules::RULES,
    agents_protocol::rules::RULES,
    well_known::rules::RULES,
    agents_txt_com::rules::RULES,
    prose::RULES,
    robots_like::RULES,
    free_keys::RULES,
    adp::RULES,
    other::RULES,
];

/// All rules, dialect by dialect.
const ALL: [&Rule; count()] = joined();

const fn count() -> usize {
    let mut count = 0;
    let mut table = 0;
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
}

const fn joined() -> [&'static Rule; count()] {
    let mut all = [TABLES[0][0]; count()];
    let (mut table, mut row, mut next) = (0, 0, 0);
    while table < TABLES.len() {
        if row == TABLES[table].len() {
            table += 1;
            row = 0;
        } else {
            all[next] = TABLES[table][row];
            row += 1;
            next += 1;
        }
    }
    all
}

/// Reader of all dialects.
pub(crate) struct AgentsTxt;

impl Format for AgentsTxt {
    type Manifest = Manifest;

    const ID: FormatId = Dialect::AGENTS_PROTOCOL.id;
    const ALSO: &'static [FormatId] = &[
        Dialect::AGENTS_PROTOCOL_LEGACY.id,
        Dialect::WELL_KNOWN.id,
        Dialect::AGENTS_TXT_COM.id,
        Dialect::AGENTSTXT_DEV.id,
        Dialect::AGENT_POLICY.id,
        Dialect::AGENTS_BRIEF.id,
        Dialect::YAML_LIST.id,
        Dialect::YAML_BLOCKS.id,
        Dialect::HASHED_POLICY.id,
        Dialect::PROSE.id,
        Dialect::ROBOTS_LIKE.id,
        Dialect::FREE_KEYS.id,
        Dialect::ADP.id,
        Dialect::AGENTNAV.id,
        Dialect::OTHER.id,
    ];
    const TITLE: &'static str = "agents.txt";
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Dialect::AGENTNAV.id, |o| {
        o.contains_key("agentnav")
            || (o.contains_key("intent_map") && o.contains_key("pages"))
            || (o.contains_key("agents_txt_version") && o.contains_key("sections"))
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.txt", "/agents.txt"];
    const RULES: &'static [&'static Rule] = &ALL;

    fn parse(input: &Input<'_>) -> Manifest {
        let row = dialect_table::of(input.format);
        (row.read)(input.text, row.dialect)
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        let report = &mut Report {
            manifest,
            input,
            findings,
        };
        common::validate(report);
        let templates = manifest.operations.iter().filter(|it| it.is_template());
        for operation in templates {
            let message = "begins with a variable, so it is no address that can be called; give the whole address";
            report.at(&GP_03, operation.at, message);
        }
        (dialect_table::of(manifest.dialect.id).validate)(report);
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let agent = (dialect_table::of(manifest.dialect.id).agent)(manifest, input);
        agent.into_iter().collect()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        match manifest.dialect {
            Dialect::HASHED_POLICY => Vec::new(),
            _ => references::references(manifest, input.document),
        }
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        let version = manifest.directives.first("spec-version")?;
        (manifest.dialect == Dialect::WELL_KNOWN).then(|| version.value.clone())
    }
}
