//! Findings on the facts of an agent that a conversion loses or changes.

use super::{Origin, Target};
use crate::agent::Auth;
use crate::rule::Rule;
use crate::rule::convert::{CV_01, CV_02, CV_03, CV_04, CV_05};
use crate::{Agent, Capability, CapabilityFact, Fact, Finding, Severity, text};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;

/// Maximum number of findings.
const MAX_FINDINGS: usize = 20_000;

/// Maximum number of findings of one kind that are listed one by one.
const MAX_ALIKE: usize = 2;

/// Maximum number of further names that a united finding quotes.
const EXAMPLES: usize = 3;

/// The findings on one conversion.
pub(super) struct Report<'a> {
    pub(super) target: Target,
    pub(super) origin: &'a Origin,
    findings: Vec<Finding>,
    /// Facts that the target requires and the source lacks: reasons to refuse, or to leave an agent
    /// out.
    missing: Vec<Finding>,
    /// Positions in the source that the target's writer handles itself.
    handled: HashSet<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(target: Target, origin: &'a Origin) -> Self {
        Self {
            target,
            origin,
            findings: Vec::new(),
            missing: Vec::new(),
            handled: HashSet::new(),
        }
    }

    /// Records that the writer handles `pointer`: its facts are in the result or in other findings.
    pub(super) fn handles(&mut self, pointer: impl Into<String>) {
        self.handled.insert(pointer.into());
    }

    /// Returns the positions in the source that a finding or the writer covers already.
    pub(super) fn covered(&self) -> HashSet<String> {
        // A finding on one fact of an agent does not cover its other facts.
        let owners = self.owners();
        let mut covered = self.left_out_places();
        let places = self.places_of([&CV_01, &CV_04]);
        covered.extend(places.filter(|it| !owners.contains(it)));
        covered.extend(self.handled.iter().cloned());
        covered
    }

    /// Returns the positions of agents and capabilities.
    pub(super) fn owners(&self) -> HashSet<String> {
        let agents = self.origin.source().map_or(&[][..], |it| &it.agents);
        let capabilities = agents.iter().flat_map(|it| &it.capabilities);
        let owners = agents.iter().map(|it| &it.pointer);
        owners
            .chain(capabilities.map(|it| &it.pointer))
            .cloned()
            .collect()
    }

    /// Returns the positions of agents and capabilities that are not in the result.
    pub(super) fn left_out_places(&self) -> HashSet<String> {
        self.places_of([&CV_03, &CV_05]).collect()
    }

    fn places_of(&self, rules: [&'static Rule; 2]) -> impl Iterator<Item = String> {
        let of_rules = self.findings.iter();
        let of_rules = of_rules.filter(move |it| rules.contains(&it.rule));
        of_rules
            .flat_map(Finding::places)
            .filter(|it| !it.is_empty())
    }

    /// Removes the findings on losses (CV-01).
    pub(super) fn forget_losses(&mut self) {
        self.findings.retain(|it| it.rule != &CV_01);
    }

    /// Reports whether each member of the source is looked up in the result, so that extensions
    /// need no finding of their own.
    pub(super) fn is_accounted_for(&self) -> bool {
        let Some(source) = self.origin.source() else {
            return false;
        };
        let is_same = self.origin.format == self.target.format().as_str();
        let is_text = self.target == Target::AgentsTxt && !source.text.is_empty();
        is_text || is_same && !source.value.is_null()
    }

    /// Returns the findings; missing facts are warnings if a document was written anyway.
    pub(super) fn finish(mut self, is_written: bool) -> Vec<Finding> {
        for mut finding in self.missing {
            if is_written {
                finding.severity = Severity::Warning;
            }
            self.findings.push(finding);
        }
        self.findings
    }

    /// Reports each fact of `agent` that is not listed in `kept`; defaults are not facts.
    pub(super) fn keep(&mut self, agent: &Agent, kept: &[Fact]) {
        self.keep_except(agent, kept, &[]);
    }

    /// Reports each fact of `agent` that is not listed in `kept`, and each further member that is
    /// not listed in `written`.
    pub(super) fn keep_except(&mut self, agent: &Agent, kept: &[Fact], written: &[&str]) {
        let is_accounted_for = self.is_accounted_for();
        let mut further = Vec::new();
        for fact in Fact::ALL.into_iter().filter(|it| !kept.contains(it)) {
            let members = match fact {
                Fact::Specified => &agent.specified,
                Fact::Extensions => &agent.extensions,
                _ => {
                    if !agent.is_default(fact) && fact.value(agent).as_ref().is_some_and(is_fact) {
                        self.lost(agent.place(fact), fact.words());
                    }
                    continue;
                }
            };
            if !is_accounted_for {
                let lost = members.keys().filter(|it| !written.contains(&it.as_str()));
                further.extend(lost.cloned());
            }
        }
        self.lost_members(&agent.pointer, further.iter(), "");
        let has_params = agent.interfaces.iter().any(|it| !it.params.is_empty());
        if has_params && !is_accounted_for {
            let what = "the headers and variables of its interfaces";
            self.lost(agent.place(Fact::Interfaces), what);
        }
        if !agent.other_names.is_empty() {
            self.lost(&agent.pointer, "its other names");
        }
    }

    /// Reports each fact of `capabilities` that is not listed in `kept`, one finding per field.
    pub(super) fn keep_of<'c>(
        &mut self,
        capabilities: impl IntoIterator<Item = &'c Capability>,
        kept: &[CapabilityFact],
    ) {
        let mut lost: BTreeMap<&str, (CapabilityFact, Vec<&Capability>)> = BTreeMap::new();
        for capability in capabilities {
            for fact in CapabilityFact::ALL
                .into_iter()
                .filter(|it| !kept.contains(it))
            {
                let is_stated = fact
                    .value(capability)
                    .is_some_and(|it| fact == CapabilityFact::RequiresAuth || is_fact(&it));
                if is_stated && !is_implied(capability, fact) {
                    let (_, of) = lost.entry(fact.name()).or_insert((fact, Vec::new()));
                    of.push(capability);
                }
            }
        }
        for (fact, of) in lost.into_values() {
            if fact == CapabilityFact::Extensions {
                if !self.is_accounted_for() {
                    let names = of.iter().flat_map(|it| it.extensions.keys());
                    let of_these = format!(" of {}", named(&of));
                    self.lost_members(&of[0].pointer, names, &of_these);
                }
                continue;
            }
            self.lost_of(&of, fact.words());
        }
    }

    /// Reports that the target cannot express members that the model keeps as published.
    fn lost_members<'n>(&mut self, place: &str, names: impl Iterator<Item = &'n String>, of: &str) {
        let names = text::distinct(names.cloned());
        if !names.is_empty() {
            let which = listed(names.iter().map(String::as_str), names.len());
            self.lost(
                place,
                format!("members that are specific to its format ({which}){of}"),
            );
        }
    }

    /// Reports the facts of `auth` that are not in `written`.
    pub(super) fn lost_of_auth(&mut self, agent: &Agent, auth: &Auth, written: &Value) {
        let written = written.to_string();
        let has = |text: &String| written.contains(&Value::from(text.as_str()).to_string());
        let is_lost = |text: &Option<String>| text.as_ref().is_some_and(|it| !has(it));
        let scopes = auth.scopes.iter().any(|it| !has(it));
        let meanings = auth.scope_descriptions.values().any(|it| !has(it));
        for (which, url) in [
            ("token", &auth.token_url),
            ("authorization", &auth.authorization_url),
            ("metadata", &auth.metadata_url),
        ] {
            if let Some(url) = url.as_ref().filter(|url| !has(url)) {
                let what = format!("the {which} URL {url} of authentication by {}", auth.scheme);
                self.lost(agent.place(Fact::Auth), what);
            }
        }
        for (is_lost, what) in [
            (scopes, "the scopes of the authentication"),
            (meanings, "the meaning of the scopes"),
            (is_lost(&auth.token_format), "the format of the token"),
            (
                is_lost(&auth.description),
                "the explanation of the authentication",
            ),
            (
                is_lost(&auth.docs),
                "the documentation of the authentication",
            ),
        ] {
            if is_lost {
                self.lost(agent.place(Fact::Auth), what);
            }
        }
    }

    /// Reports that the target cannot express `what` (CV-01).
    pub(super) fn lost(&mut self, place: &str, what: impl Display) {
        let message = format!("{} cannot express {what}", self.target.title());
        self.add(&CV_01, place, message);
    }

    /// Reports that the target cannot express `what` of these capabilities (CV-01).
    pub(super) fn lost_of(&mut self, capabilities: &[&Capability], what: impl Display) {
        if let [first, ..] = capabilities {
            self.lost(&first.pointer, format!("{what} of {}", named(capabilities)));
        }
    }

    /// Reports that the target cannot express a capability (CV-03).
    pub(super) fn left_out(&mut self, capability: &Capability, why: impl Display) {
        let message = format!("{:?} is left out: {why}", capability.name);
        self.add(&CV_03, &capability.pointer, message);
    }

    /// Reports a fact that was changed to fit the target (CV-04).
    pub(super) fn changed(&mut self, place: &str, message: impl Into<String>) {
        self.add(&CV_04, place, message);
    }

    /// Records that the target requires `what`, which the source does not state (CV-02).
    pub(super) fn missing(&mut self, place: &str, what: &str) {
        let message = format!("{} requires {what}", self.target.title());
        let message = text::clean(&message, text::MAX_CHARS);
        self.missing.push(Finding::at(&CV_02, place, message));
    }

    /// Records that the target requires `what`, which another fact of the agent would supply (CV-02).
    pub(super) fn missing_field(&mut self, agent: &Agent, fact: Fact, what: &str) {
        let what = format!("{what} (field `{}`)", fact.name());
        self.missing(agent.place(fact), &what);
    }

    /// Returns the value, or records that the target requires it.
    pub(super) fn require<T>(&mut self, agent: &Agent, fact: Fact, value: Option<T>) -> Option<T> {
        if value.is_none() {
            let message = if fact == Fact::Url && agent.url.is_some() {
                format!(
                    "the URL of an HTTP API, and that of {:?} is none",
                    agent.name
                )
            } else {
                format!("{}, which {:?} does not give", fact.words(), agent.name)
            };
            self.missing_field(agent, fact, &message);
        }
        value
    }

    /// Returns the agent's description, or its name if the target requires a description and none
    /// is given.
    pub(super) fn description(&mut self, agent: &Agent) -> String {
        agent.description.clone().unwrap_or_else(|| {
            let message = "no description is given: the name is written instead";
            self.changed(&agent.pointer, message);
            agent.name.clone()
        })
    }

    /// Returns a capability's description, or its name if the target requires a description and
    /// none is given.
    pub(super) fn description_of(&mut self, capability: &Capability) -> String {
        capability.description.clone().unwrap_or_else(|| {
            let name = &capability.name;
            let message = format!("{name:?} has no description: its name is written instead");
            self.changed(&capability.pointer, message);
            name.clone()
        })
    }

    /// Records that there is no agent at all (CV-02).
    pub(super) fn nothing(&mut self) {
        self.missing("", "an agent, but the document describes none");
    }

    /// Reports an agent that does not fit into a document that describes one agent (CV-05).
    pub(super) fn second_agent(&mut self, agent: &Agent) {
        let title = self.target.title();
        let message = format!(
            "{:?} is left out: {title} describes one agent; convert this one separately",
            agent.name
        );
        self.add(&CV_05, &agent.pointer, message);
    }

    /// Records that the target's own reader finds an error in the written document (CV-02).
    pub(super) fn unsound(&mut self, error: &Finding) {
        let at = match error.line {
            Some(line) => format!("line {line}"),
            None => error.pointer.clone(),
        };
        let message = format!(
            "a valid document; at {at} ({}): {}",
            error.rule, error.message
        );
        self.missing("", &message);
    }

    fn add(&mut self, rule: &'static Rule, place: &str, message: impl Into<String>) {
        if self.findings.len() >= MAX_FINDINGS {
            return;
        }
        let message = text::clean(&message.into(), text::MAX_CHARS);
        self.findings.push(Finding::at(rule, place, message));
    }
}

/// Reports whether a value states a fact: empty text and `false` do not.
fn is_fact(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some("")
}

/// Reports whether another member or the name states the same.
fn is_implied(capability: &Capability, fact: CapabilityFact) -> bool {
    match fact {
        CapabilityFact::Id | CapabilityFact::Name => capability.id == capability.name,
        CapabilityFact::Endpoint => capability.url.is_some(),
        CapabilityFact::Params => capability.input_schema.is_some(),
        CapabilityFact::Tags => is_prefix(&capability.tags, &capability.name),
        _ => false,
    }
}

/// Reports whether the only tag is the prefix of a dotted name, such as `cart` of `cart.add`.
fn is_prefix(tags: &[String], name: &str) -> bool {
    let prefix = name.split_once('.').map(|(prefix, _)| prefix);
    matches!((tags, prefix), ([tag], Some(prefix)) if tag == prefix)
}

/// Returns the member that the model keeps as published under this name.
pub(super) fn further<'a>(agent: &'a Agent, name: &str) -> Option<&'a Value> {
    let specified = agent.specified.get(name);
    specified.or_else(|| agent.extensions.get(name))
}

/// Unites findings that differ only in the names that they quote: the first of a kind says how many
/// follow, with examples.
pub(super) fn grouped(findings: &[Finding]) -> Vec<Finding> {
    let mut kinds: HashMap<(&'static str, String), Vec<&Finding>> = HashMap::new();
    let mut order = Vec::new();
    for finding in findings {
        let kind = (finding.rule.id, kind(&finding.message));
        let group = kinds.entry(kind.clone()).or_default();
        if group.is_empty() {
            order.push(kind);
        }
        group.push(finding);
    }
    let mut all = Vec::new();
    for kind in order {
        let group = kinds.remove(&kind).unwrap_or_default();
        if group.len() <= MAX_ALIKE {
            all.extend(group.into_iter().cloned());
            continue;
        }
        let examples = group.iter().skip(1).filter_map(|it| quoted(&it.message));
        let examples = text::distinct(examples.take(EXAMPLES).map(str::to_owned)).join(", ");
        let more = group.len() - 1;
        if let Some(&finding) = group.first() {
            let examples = match (examples.as_str(), more) {
                ("", _) => String::new(),
                (examples, ..=EXAMPLES) => format!(": {examples}"),
                (examples, _) => format!(", such as {examples}"),
            };
            let message = format!("{}; the same for {more} more{examples}", finding.message);
            all.push(Finding {
                message,
                ..finding.clone()
            });
        }
    }
    all
}

/// Returns a message without the texts that it quotes.
fn kind(message: &str) -> String {
    let parts = message.split('"');
    parts.step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// Returns the last text that a message quotes, with its quotation marks.
fn quoted(message: &str) -> Option<&str> {
    let end = message.rfind('"')?;
    let begin = message[..end].rfind('"')?;
    Some(&message[begin..=end])
}

/// Lists the names of capabilities, at most the first five.
fn named(capabilities: &[&Capability]) -> String {
    let names = capabilities.iter().map(|it| it.name.as_str());
    listed(names, capabilities.len())
}

/// Lists the first five of `count` names, in quotation marks.
fn listed<'n>(names: impl Iterator<Item = &'n str>, count: usize) -> String {
    const SHOWN: usize = 5;
    let names: Vec<_> = names.take(SHOWN).map(|it| format!("{it:?}")).collect();
    let rest = match count.saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.join(", ") + &rest
}
