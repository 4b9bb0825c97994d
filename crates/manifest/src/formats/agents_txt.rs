//! agents.txt: a family of text formats under one file name, read by one reader.
//!
//! Publishers use many dialects of agents.txt. A few have a specification; the others are common
//! practice. Each dialect has a module with its fields, rules and mapping. One file may mix
//! dialects, so every key of every dialect is accepted anywhere (AT-05). `read` collects the
//! lines, `agent` maps them to an agent, and the dialect selects the rules to check. A text in
//! no dialect is an `other` file (DI-05), which gives no agent.
//!
//! Specifications: kaylacar/agents-protocol (agents-protocol-legacy, agents-protocol),
//! kaylacar/agents-txt with draft-car-agents-txt-wellknown-00 (agents.txt 1.0), agents-txt.com.

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::Marker;
use crate::rule::Rule;
use crate::{Agent, FormatId, Reference};
pub(super) use detect::{format, is_text_path};
pub(crate) use dialect::{Dialect, OTHER};
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
mod directives;
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
mod rules;
#[cfg(test)]
mod tests;
mod well_known;
mod yaml_blocks;

/// Reader of all dialects.
pub(crate) struct AgentsTxt;

impl Format for AgentsTxt {
    type Manifest = Manifest;

    const ID: FormatId = Dialect::AgentsProtocol.id();
    const ALSO: &'static [FormatId] = &[
        Dialect::AgentsProtocolLegacy.id(),
        Dialect::WellKnown.id(),
        Dialect::AgentsTxtCom.id(),
        Dialect::AgentstxtDev.id(),
        Dialect::AgentPolicy.id(),
        Dialect::AgentsBrief.id(),
        Dialect::YamlList.id(),
        Dialect::YamlBlocks.id(),
        Dialect::HashedPolicy.id(),
        Dialect::Prose.id(),
        Dialect::RobotsLike.id(),
        Dialect::FreeKeys.id(),
        Dialect::Adp.id(),
        Dialect::AgentNav.id(),
        OTHER,
    ];
    const TITLE: &'static str = "agents.txt";
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Dialect::AgentNav.id(), |o| {
        o.contains_key("agentnav")
            || (o.contains_key("intent_map") && o.contains_key("pages"))
            || (o.contains_key("agents_txt_version") && o.contains_key("sections"))
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.txt", "/agents.txt"];
    const RULES: &'static [&'static Rule] = &rules::ALL;

    fn parse(input: &Input<'_>) -> Manifest {
        let dialect = Dialect::of(input.format);
        match dialect {
            Dialect::None | Dialect::YamlBlocks | Dialect::AgentNav => Manifest::of(dialect),
            _ => read::read(input.text, dialect),
        }
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        let report = &mut Report {
            manifest,
            input,
            findings,
        };
        common::validate(report);
        match manifest.dialect {
            Dialect::AgentsProtocolLegacy => agents_protocol_legacy::validate(report),
            Dialect::AgentsProtocol => agents_protocol::validate(report),
            Dialect::WellKnown => well_known::validate(report),
            Dialect::AgentsTxtCom => agents_txt_com::validate(report),
            Dialect::Prose => prose::validate(report),
            Dialect::RobotsLike => robots_like::validate(report),
            Dialect::FreeKeys => free_keys::validate(report),
            Dialect::Adp => adp::validate(report),
            Dialect::None => other::validate(report),
            // The other dialects have no rules of their own.
            _ => {}
        }
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let agent = match manifest.dialect {
            Dialect::None => None,
            Dialect::YamlBlocks => yaml_blocks::agent(input.text),
            Dialect::HashedPolicy => hashed_policy::agent(manifest),
            Dialect::AgentNav => agentnav::agent(input),
            _ => Some(agent::agent(manifest, input.document)),
        };
        agent.into_iter().collect()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        match manifest.dialect {
            Dialect::HashedPolicy => Vec::new(),
            _ => references::references(manifest, input.document),
        }
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        let version = manifest.directives.first("spec-version")?;
        (manifest.dialect == Dialect::WellKnown).then(|| version.value.clone())
    }
}
