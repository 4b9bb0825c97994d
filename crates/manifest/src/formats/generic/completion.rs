//! Completion of the readings of other formats (GP-10).

use super::names::DOCS;
use super::{ProfileReader, texts, words};
use crate::finding::Findings;
use crate::format::Input;
use crate::rule::profile::{GP_01, GP_03, GP_04};
use crate::{Agent, Fact, Finding, Reading, agent, link, payment, reference, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Completes the agent that the reader of a format returned with what the generic profile reads in
/// the members that the reader did not use (GP-10).
///
/// Nothing that the reader found is replaced. `own_meanings` are the members that have another
/// meaning in this format, and addresses are not looked for in members that it defines. A document that describes several agents gives each of them the facts
/// that it states for all.
pub(crate) fn complete(
    reading: &mut Reading,
    own_meanings: &'static [&'static str],
    is_defined: &dyn Fn(&str, &Value) -> bool,
    input: &Input<'_>,
) {
    let ([agent], Some(object)) = (reading.agents.as_mut_slice(), input.value.as_object()) else {
        return share(reading, input);
    };
    let mut reader = ProfileReader::new(input, object);
    reader.own_meanings = own_meanings;
    reader.is_defined = is_defined;
    reader.owned = owned(agent);
    let mut guessed = Agent {
        capabilities: std::mem::take(&mut agent.capabilities),
        interfaces: std::mem::take(&mut agent.interfaces),
        programs: std::mem::take(&mut agent.programs),
        docs: agent.docs.clone(),
        ..Agent::default()
    };
    reader.members_of_known(&mut guessed);
    reader.read(object, &mut guessed);
    let filled = add(agent, guessed, object);
    reader.used.retain(|(field, _)| filled.contains(field));
    note_uses(agent, &reader);
    report(reading, reader, input);
}

/// Adds what was read to the agent; returns the names of the fields that got something.
fn add(agent: &mut Agent, mut guessed: Agent, object: &Map<String, Value>) -> Vec<Fact> {
    agent.capabilities = std::mem::take(&mut guessed.capabilities);
    agent.interfaces = std::mem::take(&mut guessed.interfaces);
    agent.programs = std::mem::take(&mut guessed.programs);
    drop_site(agent);
    let known = agent.payments.len();
    agent.payments.append(&mut guessed.payments);
    settle_payments(object, agent);
    let mut filled = fill(agent, &guessed);
    if agent.payments.len() > known {
        filled.push(Fact::Payments);
    }
    if !filled.contains(&Fact::Tags) {
        agent.tags.extend(words(object, &["tags", "keywords"]));
        agent.tags = text::distinct(std::mem::take(&mut agent.tags));
    }
    filled.extend([Fact::Capabilities, Fact::Interfaces, Fact::Programs]);
    agent.raw_values().for_each(text::unhide);
    filled
}

/// Notes the members that were used. What was not used in them is kept afterwards, value by value.
fn note_uses(agent: &mut Agent, reader: &ProfileReader<'_>) {
    for (field, pointer) in &reader.used {
        let name = pointer.split('/').nth(1).unwrap_or_default();
        agent.extensions.shift_remove(name);
        let pointers = agent.pointers.entry((*field).into());
        pointers.or_insert_with(|| pointer.clone());
    }
}

/// Adds to the reading which members were used (GP-01), the placeholders among them (GP-03, GP-04)
/// and the references that are not known yet.
fn report(reading: &mut Reading, reader: ProfileReader<'_>, input: &Input<'_>) {
    let mut findings = Findings::default();
    if !reader.used.is_empty() {
        let message = format!("read beyond the format: {}", reader.uses());
        findings.add(&GP_01, "", text::clean(&message, text::MAX_CHARS));
    }
    let is_placeholder = |it: &Finding| it.rule == &GP_03 || it.rule == &GP_04;
    let is_known = |it: &Finding| {
        let mut known = reading.findings.iter();
        known.any(|known| known.rule == it.rule && known.pointer == it.pointer)
    };
    let placeholders = reader.findings.into_vec().into_iter();
    for finding in placeholders.filter(|it| is_placeholder(it) && !is_known(it)) {
        findings.push(finding);
    }
    let known = reading.references.iter();
    let known: HashSet<_> = known.map(|it| (it.rel.clone(), it.url.clone())).collect();
    let mut references = reader.references;
    references.retain(|it| !known.contains(&(it.rel.clone(), it.url.clone())));
    reference::bound(&mut references, input.format);
    reference::report_refused(&references, &mut findings);
    reading.references.append(&mut references);
    reading.findings.extend(findings.into_vec());
}

/// Removes the site's own address from the interfaces of an agent that is called elsewhere: it stands
/// there by the format's definition of `url` only (GP-12).
fn drop_site(agent: &mut Agent) {
    let is_called = |it: &agent::Interface| ["mcp", "a2a"].contains(&it.protocol.as_str());
    let has_calls = agent.capabilities.iter().any(|it| it.method.is_some());
    if agent.interfaces.iter().any(is_called) && !has_calls {
        let is_site = |it: &agent::Interface| it.protocol == "rest" && link::is_origin(&it.url);
        agent.interfaces.retain(|it| !(it.preferred && is_site(it)));
    }
}

/// Names the protocol of the ways to pay where the document states only one, and removes repeated
/// ways.
pub(super) fn settle_payments(object: &Map<String, Value>, agent: &mut Agent) {
    let protocols = texts(
        object,
        &["protocols", "payment_protocols", "paymentProtocols"],
    );
    let network = ["network", "chain"]
        .iter()
        .find_map(|name| text::some(object.get(*name)?.as_str()?));
    for way in &mut agent.payments {
        if way.protocol == "x402" {
            way.network = way.network.take().or_else(|| network.clone());
        }
    }
    let stated = payment::only_protocol(protocols.iter().map(String::as_str));
    payment::name(&mut agent.payments, stated);
    agent.payments = payment::distinct(&agent.payments);
}

/// Adds the ways to pay that stand among the ways to authenticate to the payments (X4-01); where
/// there are no others, no capability needs authentication because of them.
pub(crate) fn add_payments_of_auth(agent: &mut Agent) {
    let protocol = |way: &agent::Auth| {
        let name = way.name.as_deref().filter(|_| way.scheme == "other")?;
        payment::only_protocol(std::iter::once(name))
    };
    let stated: Vec<_> = agent.auth.iter().filter_map(protocol).collect();
    if stated.is_empty() {
        return;
    }
    if stated.len() == agent.auth.len() {
        for capability in &mut agent.capabilities {
            capability.requires_auth = capability.requires_auth.filter(|is_needed| !is_needed);
        }
    }
    let ways = stated.into_iter().map(|protocol| agent::Payment {
        protocol: protocol.to_owned(),
        ..agent::Payment::default()
    });
    agent.payments.extend(ways);
    agent.payments = payment::distinct(&agent.payments);
}

/// Gives the facts that a list of agents states for all of them to each that lacks them.
fn share(reading: &mut Reading, input: &Input<'_>) {
    let Some(object) = input
        .value
        .as_object()
        .filter(|_| !reading.agents.is_empty())
    else {
        return;
    };
    let mut reader = ProfileReader::new(input, object);
    let mut shared = Agent {
        provider: reader.provider(object),
        contact: reader.contact(object),
        docs: reader.url(object, Fact::Docs, DOCS),
        ..Agent::default()
    };
    reader.access(object, &mut shared);
    let mut filled = Vec::new();
    for agent in &mut reading.agents {
        let fields = fill(agent, &shared);
        for (field, pointer) in reader
            .used
            .iter()
            .filter(|(field, _)| fields.contains(field))
        {
            let pointers = agent.pointers.entry((*field).into());
            pointers.or_insert_with(|| pointer.clone());
        }
        filled.extend(fields);
    }
    reader.used.retain(|(field, _)| filled.contains(field));
    if !reader.used.is_empty() {
        let message = format!("stated for all agents of the list: {}", reader.uses());
        let message = text::clean(&message, text::MAX_CHARS);
        reading.findings.push(Finding::new(&GP_01, "", message));
    }
}

/// Returns the top-level members from which the agent's capabilities and flows were read.
fn owned(agent: &Agent) -> Vec<String> {
    let pointers = agent.capabilities.iter().map(|it| it.pointer.as_str());
    let listed = [Fact::Capabilities, Fact::Flows, Fact::Sessions].into_iter();
    let listed = listed.filter_map(|field| agent.pointers.get(field.name()).map(String::as_str));
    let own = Some(agent.pointer.as_str());
    // The calls that open and close sessions are no capabilities.
    let sessions = agent.sessions.as_ref().map(|_| "/session");
    let steps = pointers
        .chain(listed)
        .chain(own)
        .chain(sessions)
        .filter_map(|pointer| {
            let step = pointer.strip_prefix('/')?;
            Some(step.split('/').next().unwrap_or(step))
        });
    let mut owned: Vec<String> = Vec::new();
    for step in steps {
        if !owned.iter().any(|known| known == step) {
            owned.push(step.to_owned());
        }
    }
    owned
}

/// Fills the fields that are empty, or hold a default of the specification; returns these facts.
fn fill(agent: &mut Agent, guessed: &Agent) -> Vec<Fact> {
    const WHOLE: [Fact; 15] = [
        Fact::Name,
        Fact::Description,
        Fact::Url,
        Fact::Version,
        Fact::Provider,
        Fact::Contact,
        Fact::Docs,
        Fact::Logo,
        Fact::Homepage,
        Fact::Tags,
        Fact::Languages,
        Fact::Auth,
        Fact::Payments,
        Fact::RateLimits,
        Fact::Translations,
    ];
    let mut filled = Vec::new();
    for fact in WHOLE {
        if fact.is_in(guessed) && (!fact.is_in(agent) || agent.is_default(fact)) {
            fact.copy(agent, guessed);
            agent.defaulted.retain(|it| it != fact.name());
            filled.push(fact);
        }
    }
    filled
}
