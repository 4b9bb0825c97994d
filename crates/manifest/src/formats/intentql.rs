//! IntentQL `agent.json`, as specified and as its author publishes it.

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, FormatId, Reference};
use serde_json::Value;

mod intents;
mod manifest;
mod normalize;
mod parameter;
mod rules;
mod shape;
mod validate;

pub(super) use intents::IntentQlIntents;
use manifest::Manifest;

/// Reader of `agent.json` with a map of capabilities.
pub(crate) struct IntentQl;

impl Format for IntentQl {
    type Manifest = Manifest;

    const ID: FormatId = rules::ID;
    const TITLE: &'static str = rules::FORMAT;
    const CLAIMS: &'static [&'static str] = &["agent.json"];
    const MARKERS: &'static [Marker] = &[
        Marker::common(Self::ID, |o| {
            marker::object(o, "capabilities").is_some_and(|map| map.values().all(Value::is_object))
        }),
        Marker::weak(Self::ID, |o| {
            let has = |name| o.contains_key(name);
            let has_its_members = has("auth") || has("rate_limits") || has("base_url");
            marker::object(o, "capabilities").is_some()
                || (has("name") && has("version") && has_its_members)
        }),
    ];
    const PLACES: &'static [&'static str] =
        &["/agent.json", "/.well-known/agent.json", "/api/agent.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::MANIFEST);
    const ROWS: Option<&'static Schema> = Some(&shape::MANIFEST);
    const RULES: &'static [&'static Rule] = rules::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        input.manifest()
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        validate::validate(manifest, input, findings);
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        vec![normalize::normalize(manifest, input)]
    }

    fn references(_: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let docs = input.value.pointer("/metadata/documentation");
        let docs = docs.and_then(Value::as_str);
        docs.and_then(|url| reference::to(input.document, "docs", url, "/metadata/documentation"))
            .into_iter()
            .collect()
    }

    fn generation(_: &Manifest) -> Option<String> {
        Some("0.1".to_owned())
    }
}
