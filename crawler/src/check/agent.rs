//! Output of an agent by `crawler check`: every fact that was read, one per line.

use manifest::agent::{Auth, Interface, Param, RateLimit};
use manifest::text::clean;
use manifest::{Agent, Capability, Listing};
use std::fmt::Write as _;
use std::io::Write;

/// Maximum length of a description or a value, in characters.
const MAX_TEXT: usize = 200;
/// Maximum number of entries per list.
const MAX_LISTED: usize = 50;

/// Writes all facts of an agent, with their provenance.
pub(super) fn explain(output: &mut impl Write, listing: &Listing) -> std::io::Result<()> {
    let agent = &listing.agent;
    let (id, name, format) = (&listing.id, &agent.name, &listing.format);
    writeln!(output, "\nagent {id}: {name} [{format}]")?;
    let mut lines = Lines(Vec::new());
    facts(agent, &mut lines);
    for line in lines.0 {
        writeln!(output, "  {line}")?;
    }
    for capability in agent.capabilities.iter().take(MAX_LISTED) {
        explain_capability(output, capability)?;
    }
    match agent.capabilities.len() {
        0 => writeln!(output, "  no capabilities stated")?,
        count if count > MAX_LISTED => writeln!(output, "  and {} more", count - MAX_LISTED)?,
        _ => {}
    }
    if !agent.defaulted.is_empty() {
        let fields = agent.defaulted.join(", ");
        writeln!(output, "  defaults of its format, not stated: {fields}")?;
    }
    explain_provenance(output, listing)?;
    explain_conflicts(output, listing)
}

/// Lines of a label and a value.
struct Lines(Vec<String>);

impl Lines {
    fn add(&mut self, label: &str, value: &str) {
        if !value.is_empty() {
            self.0.push(format!("{label} {}", clean(value, MAX_TEXT)));
        }
    }

    fn maybe(&mut self, label: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.add(label, value);
        }
    }
}

fn facts(agent: &Agent, lines: &mut Lines) {
    lines.maybe("at", agent.url.as_ref());
    lines.maybe("says", agent.description.as_ref());
    lines.maybe("version", agent.version.as_ref());
    if let Some(provider) = &agent.provider {
        let url = provider.url.as_deref().unwrap_or_default();
        lines.add("run by", &format!("{} {url}", provider.name));
    }
    lines.maybe("contact", agent.contact.as_ref());
    lines.maybe("documentation", agent.docs.as_ref());
    let homepage = agent.homepage.as_ref();
    lines.maybe(
        "homepage",
        homepage.filter(|it| agent.url.as_ref() != Some(it)),
    );
    lines.maybe("logo", agent.logo.as_ref());
    for (label, words) in [
        ("tags", &agent.tags),
        ("languages", &agent.languages),
        ("takes", &agent.input_modes),
        ("gives", &agent.output_modes),
    ] {
        lines.add(label, &words.join(", "));
    }
    for interface in agent.interfaces.iter().take(MAX_LISTED) {
        lines.add("interface", &spoken(interface));
    }
    for auth in agent.auth.iter().take(MAX_LISTED) {
        lines.add("auth", &key(auth));
    }
    for limit in agent.rate_limits.iter().take(MAX_LISTED) {
        lines.add("limit", &rate(limit));
    }
    if let Some(it) = &agent.sessions {
        let (create, delete, ttl) = (&it.create, &it.delete, it.ttl_s);
        lines.add(
            "session",
            &format!("created at {create}, deleted at {delete}, valid for {ttl} s"),
        );
    }
    for flow in agent.flows.iter().take(MAX_LISTED) {
        lines.add(
            "flow",
            &format!("{}: {}", flow.name, flow.steps.join(" -> ")),
        );
    }
    if let Some(audit) = &agent.audit {
        lines.add("audit", &audit.endpoint);
    }
    for it in agent.payments.iter().take(MAX_LISTED) {
        let detail = it.detail.as_deref().unwrap_or_default();
        lines.add("payment", &format!("{} {detail}", it.protocol));
    }
    for it in agent.policies.iter().take(MAX_LISTED) {
        lines.add("policy", &format!("{}: {} {}", it.id, it.effect, it.action));
    }
    for it in agent.signatures.iter().take(MAX_LISTED) {
        let alg = it.alg.as_deref().unwrap_or("no algorithm");
        lines.add("signature", &format!("{alg}, {}", it.state));
    }
    if let Some(graph) = &agent.graph {
        let nodes = graph
            .nodes
            .iter()
            .take(MAX_LISTED)
            .map(|node| node.id.as_str());
        lines.add("composed of", &nodes.collect::<Vec<_>>().join(", "));
    }
    let others: Vec<&str> = agent.extensions.keys().map(String::as_str).collect();
    lines.add("also has", &others.join(", "));
}

fn spoken(interface: &Interface) -> String {
    let mut text = interface.protocol.clone();
    for part in [&interface.version, &interface.transport]
        .into_iter()
        .flatten()
    {
        let _ = write!(text, " {part}");
    }
    let _ = write!(text, " at {}", interface.url);
    if let Some(tenant) = &interface.tenant {
        let _ = write!(text, ", tenant {tenant}");
    }
    if interface.preferred {
        text.push_str(", preferred");
    }
    text
}

fn key(auth: &Auth) -> String {
    let mut text = auth.scheme.clone();
    if let Some(name) = &auth.name {
        let _ = write!(text, " {name}");
    }
    if let Some(location) = &auth.location {
        let _ = write!(text, " in {location}");
    }
    for (label, words) in [("flows", &auth.flows), ("scopes", &auth.scopes)] {
        if !words.is_empty() {
            let _ = write!(text, ", {label} {}", words.join(" "));
        }
    }
    for (label, url) in [
        ("authorize at", &auth.authorization_url),
        ("tokens from", &auth.token_url),
        ("see", &auth.docs),
    ] {
        if let Some(url) = url {
            let _ = write!(text, ", {label} {url}");
        }
    }
    text
}

fn rate(limit: &RateLimit) -> String {
    let note = limit.note.as_deref().unwrap_or_default();
    format!(
        "{}: {} in {} s {note}",
        limit.scope, limit.limit, limit.window_s
    )
}

fn explain_capability(output: &mut impl Write, capability: &Capability) -> std::io::Result<()> {
    write!(output, "  can {}", capability.name)?;
    if let Some(description) = &capability.description {
        write!(output, ": {}", clean(description, MAX_TEXT))?;
    }
    writeln!(output)?;
    let mut lines = Lines(Vec::new());
    let method = capability.method.as_deref().unwrap_or_default();
    let endpoint = capability.url.as_deref().or(capability.endpoint.as_deref());
    lines.add(
        "call",
        format!("{method} {}", endpoint.unwrap_or_default()).trim(),
    );
    let params = capability.params.iter().take(MAX_LISTED).map(param);
    lines.add("with", &params.collect::<Vec<_>>().join(", "));
    let needs = [
        (capability.requires_auth, "authentication"),
        (capability.requires_session, "a session"),
        (capability.human_handoff, "a person to finish it"),
    ];
    let needs = needs.into_iter().filter(|(is_so, _)| *is_so == Some(true));
    lines.add(
        "needs",
        &needs.map(|(_, what)| what).collect::<Vec<_>>().join(", "),
    );
    if let Some(limit) = &capability.rate_limit {
        lines.add("limit", &rate(limit));
    }
    lines.add("tags", &capability.tags.join(", "));
    for line in lines.0 {
        writeln!(output, "    {line}")?;
    }
    Ok(())
}

fn param(param: &Param) -> String {
    let kind = param.kind.as_deref().unwrap_or("any");
    let required = if param.required { ", required" } else { "" };
    format!("{} ({kind}{required})", param.name)
}

/// Writes the document and position of every fact.
fn explain_provenance(output: &mut impl Write, listing: &Listing) -> std::io::Result<()> {
    for (index, source) in listing.sources.iter().enumerate() {
        let facts = listing
            .provenance
            .iter()
            .filter(|(_, it)| it.source == index);
        let facts = facts.map(|(field, it)| match it.pointer.as_str() {
            "" => field.clone(),
            place => format!("{field} {place}"),
        });
        let facts: Vec<String> = facts.take(MAX_LISTED).collect();
        let facts = clean(&facts.join(", "), 10 * MAX_TEXT);
        writeln!(
            output,
            "  from {} (level {}): {facts}",
            source.url,
            source.level.as_str()
        )?;
    }
    Ok(())
}

fn explain_conflicts(output: &mut impl Write, listing: &Listing) -> std::io::Result<()> {
    for conflict in &listing.conflicts {
        writeln!(output, "  documents disagree on {}", conflict.field)?;
        for claim in &conflict.claims {
            let source = listing.sources.get(claim.evidence.source);
            let url = source.map_or("", |source| source.url.as_str());
            let values = claim.values.join(", ");
            let place = &claim.evidence.pointer;
            writeln!(output, "    {values}  ({url} {place})")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{Document, Domain, merge};

    #[test]
    fn all_facts_of_an_agent_are_written() {
        let body = r#"{"schema_version": "1.0", "site": {"name": "Ferry", "url": "https://ferry.example",
            "contact": "crew@ferry.example"}, "session": {"create": "/.well-known/agents/api/session",
            "delete": "/.well-known/agents/api/session", "ttl_seconds": 60},
            "rate_limit": {"requests_per_minute": 30},
            "flows": [{"name": "Book", "steps": ["find", "find"]}],
            "capabilities": [{"name": "find", "description": "Finds a crossing", "method": "GET",
            "endpoint": "/find", "params": {"to": {"type": "string", "required": true}}}]}"#;
        let domain = Domain::parse("ferry.example").unwrap();
        let url = "https://ferry.example/.well-known/agents.json"
            .parse()
            .unwrap();
        let document = Document::new(domain.clone(), url, body);
        let reading = manifest::read(&document);
        let merged = merge::merge(&domain, &[(&document, reading)]);
        let mut output = Vec::new();
        explain(&mut output, &merged.listings[0]).unwrap();
        let output = String::from_utf8(output).unwrap();
        for expected in [
            "contact crew@ferry.example",
            "interface interaction-api",
            "limit default: 30 in 60 s",
            "session created at",
            "flow Book: find -> find",
            "with to (string, required)",
            "  from https://ferry.example/.well-known/agents.json (level ",
            "/site/contact",
        ] {
            assert!(output.contains(expected), "{expected}:\n{output}");
        }
    }
}
