//! Registry of the formats, detection of a document's format, and reading.
//!
//! To add one: write `formats/<name>.rs` with a unit struct that implements
//! `Format`, name the module here, and add a line to [`ALL`].

use crate::account::{self, Account, Rows};
use crate::body::{self, Body, Content};
use crate::entry::Entry;
use crate::finding::Findings;
use crate::format::{Format as _, Input, ItemReader};
use crate::rule::document::{DI_03, DI_13, DI_15, DI_16, DI_20, DI_30};
use crate::rule::profile::{GP_03, GP_05};
use crate::shape::nearest::{self, Nearest, Outline};
use crate::{
    Agent, Capability, Document, Fact, Finding, FormatId, Reading, Reference, delivery, fault,
    openapi, provenance, reference, withheld,
};
pub use aliases::{current_id, former_ids};
pub use json_agents::{ajson, policy};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;

pub(crate) mod a2a;
mod agent_permissions;
mod agent_policy;
pub(crate) mod agents_protocol_json;
pub(crate) mod agents_txt;
pub(crate) mod agents_txt_com_json;
mod agents_txt_json;
pub(crate) mod ai_catalog;
mod ai_plugin;
mod aliases;
mod anp;
pub(crate) mod auth_md;
mod credentials;
mod detect;
mod drafts;
mod erc_8004;
mod generic;
mod identity_kit;
pub(crate) mod intentql;
pub(crate) mod json_agents;
mod linkset;
mod mcp;
mod mcp_catalog;
mod oasf;
pub(crate) mod oauth;
pub(crate) mod side_documents;
pub(crate) mod skill_file;
mod wildcard;
mod wording;
mod wrapped_agents;
pub(crate) mod zervice;

/// Maximum number of agents that one document may describe.
const MAX_AGENTS: usize = 500;

/// Maximum number of capabilities of one agent.
pub(crate) const MAX_CAPABILITIES: usize = 500;

/// Every format that is read, in the order in which markers of the same strength are tested.
pub const ALL: &[Entry] = &[
    Entry::of::<json_agents::JsonAgents>(),
    Entry::of::<wildcard::Wildcard>(),
    Entry::of::<agent_policy::AgentPolicy>(),
    Entry::of::<agent_permissions::AgentPermissions>(),
    Entry::of::<linkset::Linkset>(),
    Entry::of::<mcp_catalog::McpCatalog>(),
    Entry::of::<oauth::OAuth>(),
    Entry::of::<ai_catalog::AiCatalog>(),
    Entry::of::<ai_plugin::AiPlugin>(),
    Entry::of::<anp::AnpCollection>(),
    Entry::of::<anp::AnpAgentDescription>(),
    Entry::of::<oasf::Oasf>(),
    Entry::of::<agents_txt_com_json::AgentsTxtComJson>(),
    Entry::of::<agents_txt_json::AgentsTxtJson>(),
    Entry::of::<agents_protocol_json::AgentsProtocolJson>(),
    Entry::of::<mcp::McpServerCard>(),
    Entry::of::<identity_kit::IdentityKit>(),
    Entry::of::<identity_kit::IdentityTeam>(),
    Entry::of::<erc_8004::Erc8004>(),
    Entry::of::<intentql::IntentQlIntents>(),
    Entry::of::<drafts::Drafts>(),
    Entry::of::<auth_md::AuthMd>(),
    Entry::of::<skill_file::SkillFile>(),
    Entry::of::<agents_txt::AgentsTxt>(),
    Entry::of::<side_documents::SideDocuments>(),
    Entry::of::<a2a::A2aAgentCard>(),
    Entry::of::<intentql::IntentQl>(),
    Entry::of::<zervice::Zervice>(),
    Entry::of::<wrapped_agents::WrappedAgents>(),
    Entry::of::<generic::Profile>(),
];

/// Returns the names of all formats and dialects that are read.
pub fn ids() -> impl Iterator<Item = FormatId> {
    let ids = ALL
        .iter()
        .flat_map(|entry| entry.also.iter().chain([&entry.id]));
    ids.copied()
}

/// Returns the name of a format or dialect as a [`FormatId`], also of those that are only detected.
pub fn find(name: &str) -> Option<FormatId> {
    let mut known = ids().chain([FormatId::UNRECOGNISED, openapi::ID]);
    known.find(|id| id.as_str() == name)
}

/// Reads a stored name, also a former one; a name that no format has any longer is read as
/// [`FormatId::UNRECOGNISED`].
impl<'de> Deserialize<'de> for FormatId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Ok(find(current_id(&name)).unwrap_or(Self::UNRECOGNISED))
    }
}

/// Recognises a document by its content; the path only breaks ties (DI-20).
///
/// Returns `unrecognised` if no detector matches, and after an internal error.
pub fn detect(document: &Document) -> FormatId {
    let detected = fault::contained(|| detect_body(document, &body::open(document)));
    detected.unwrap_or(FormatId::UNRECOGNISED)
}

/// Recognises a document by its opened body.
pub(crate) fn detect_body(document: &Document, body: &Body<'_>) -> FormatId {
    detect::body(document, body, ALL)
}

/// Recognises and reads a document.
///
/// It never fails: faults of the document are findings, and so are internal errors (DI-11).
pub fn read(document: &Document) -> Reading {
    contained(FormatId::UNRECOGNISED, |format| {
        let body = body::open(document);
        format.set(detect_body(document, &body));
        read_body(document, format.get(), &body)
    })
}

/// Reads a document as `format`, without detection.
pub fn read_as(document: &Document, format: FormatId) -> Reading {
    contained(format, |_| {
        read_body(document, format, &body::open(document))
    })
}

/// Calls `read`, which stores the format as soon as it is known; a panic becomes a finding (DI-11).
fn contained(format: FormatId, read: impl FnOnce(&Cell<FormatId>) -> Reading) -> Reading {
    let format = Cell::new(format);
    fault::contained(|| read(&format)).unwrap_or_else(|fault| fault.reading(format.get()))
}

/// Returns the format of an item of a list.
fn detect_item(item: &Value) -> FormatId {
    detect::item(item, ALL)
}

/// Returns what became of each value of a document, read as `format` or as the one that is detected; an
/// empty account after an internal error.
pub fn account(document: &Document, format: Option<FormatId>) -> Account {
    let account = fault::contained(|| {
        let body = body::open(document);
        let format = format.unwrap_or_else(|| detect_body(document, &body));
        account::of(
            document,
            &body,
            rows_of(format),
            &read_body(document, format, &body),
        )
    });
    account.unwrap_or_default()
}

/// Reads an opened body as `format`.
pub(crate) fn read_body(document: &Document, format: FormatId, body: &Body<'_>) -> Reading {
    let (value, text) = match &body.content {
        Content::Json(value) => (value, ""),
        Content::Text => (&Value::Null, &*body.text),
        Content::Html | Content::Nothing => (&Value::Null, ""),
    };
    let mut reading = read_content(&Input {
        document,
        format,
        value,
        text,
        secrets: &body.secrets,
        items: ItemReader {
            detect: detect_item,
            read: read_content,
            nearest: |object, path| {
                let close = nearest(object, path).filter(Nearest::is_close);
                close.filter(|it| leads_to(it, object, path))
            },
        },
    });
    if matches!(body.content, Content::Html | Content::Nothing) {
        // The findings on the body say why nothing can be read.
        reading.findings.retain(|finding| finding.rule != &DI_30);
    }
    reading.findings.splice(..0, body.findings.iter().cloned());
    if let Some(entry) = ALL.iter().find(|entry| entry.takes(format)) {
        let mut findings = Findings::default();
        delivery::check(document, entry, ALL, &body.content, &mut findings);
        reading.findings.extend(findings.into_vec());
    }
    withheld::remove(&document.domain, &mut reading);
    limit(&mut reading);
    name_metadata(document, &mut reading);
    account::keep(document, body, rows_of(format), &mut reading);
    unreachable_agents(&mut reading);
    provenance::quote(&mut reading.findings, value, &body.text);
    let count = reading.agents.len();
    finish(document, &mut reading);
    if reading.agents.len() < count {
        // What an agent said that is not listed is kept with the first one that is.
        account::keep(document, body, rows_of(format), &mut reading);
    }
    reading
}

/// Reports whether documents in a format only state how to authenticate: a fact of the site, for which other
/// documents name the agent.
fn is_of_auth(format: FormatId) -> bool {
    [auth_md::AuthMd::ID, oauth::RESOURCE, oauth::SERVER].contains(&format)
}

/// Adds references to the metadata of OAuth that the agents name.
fn name_metadata(document: &Document, reading: &mut Reading) {
    let named = reading.agents.iter().flat_map(|agent| {
        let pointer = agent.place(Fact::Auth);
        let addresses = agent
            .auth
            .iter()
            .filter_map(|it| it.metadata_url.as_deref());
        addresses.filter_map(move |it| reference::to(document, reference::OAUTH, it, pointer))
    });
    let is_other = |it: &Reference| it.url != document.url.as_str();
    let mut named = reference::distinct(named.filter(is_other));
    reference::bound(&mut named, reading.format);
    reading.references.extend(named);
}

/// Returns the rows of a format.
pub(crate) fn rows_of(format: FormatId) -> Rows {
    let entry = ALL.iter().find(|entry| entry.takes(format));
    entry.map_or_else(Rows::default, |entry| Rows {
        document: entry.shape,
        agent: entry.rows,
    })
}

fn read_content(input: &Input<'_>) -> Reading {
    if let Some(entry) = ALL.iter().find(|entry| entry.takes(input.format)) {
        let mut reading = (entry.read)(input);
        if entry.id != generic::Profile::ID {
            let is_defined = |name: &str, value: &Value| entry.defines(name, value);
            generic::complete(&mut reading, entry.own_meanings, &is_defined, input);
        }
        for agent in &mut reading.agents {
            generic::add_payments_of_auth(agent);
            credentials::add_places(agent, &input.document.url);
            credentials::add_unneeded(agent);
        }
        return reading;
    }
    let mut findings = Findings::default();
    let other = input
        .value
        .as_object()
        .filter(|_| input.format == FormatId::UNRECOGNISED);
    let other = other.and_then(generic::declared_subject);
    if let Some(subject) = other {
        findings.push(generic::no_service(subject));
    } else if input.text.trim_start().starts_with("v=MCPv1") {
        let message = "a proof for registries of MCP servers that the domain is its publisher's: it describes no \
                       agent, and nothing is listed of it";
        findings.push(Finding::new(GP_05.info(), "", message));
    } else if input.format == FormatId::UNRECOGNISED {
        findings.push(unknown(input.value.as_object(), input.document.path()));
    } else if input.format == openapi::ID {
        let message = "an OpenAPI document describes an API, not an agent: it is read with the manifest that \
            names it, and not listed by itself";
        let finding = Finding::new(GP_05.info(), "", message);
        findings.push(finding.with_help("name it in a manifest, such as an agent card"));
    } else {
        let message = format!("recognised as {}, which is not read yet", input.format);
        findings.add(&DI_20, "", message);
    }
    Reading {
        format: input.format,
        generation: None,
        agents: Vec::new(),
        findings: findings.into_vec(),
        references: Vec::new(),
        mentions: Vec::new(),
        is_complete: false,
    }
}

/// Returns the specified format that an object comes nearest to (GP-02, DI-30), of those into which the
/// missing members make it.
fn nearest(object: &Map<String, Value>, path: &str) -> Option<Nearest> {
    let outlines = ALL.iter().flat_map(|entry| {
        let shape = entry.shape.map(|shape| (shape, 0));
        let outlines = shape.into_iter().chain(entry.outlines.iter().copied());
        outlines.map(|(schema, edition)| Outline {
            id: entry.id,
            title: entry.title,
            schema,
            edition,
            is_at_home: entry.places.contains(&path),
        })
    });
    nearest::among(outlines, object)
}

/// Reports whether an object with the members that a format also requires is of that format.
fn leads_to(nearest: &Nearest, object: &Map<String, Value>, path: &str) -> bool {
    let corrected = nearest.corrected(object);
    let format = corrected.map(|value| detect::value(&value, path, ALL));
    let entry = ALL.iter().find(|entry| entry.id == nearest.id);
    format.is_some_and(|format| entry.is_some_and(|entry| entry.takes(format)))
}

/// Creates the finding on a document or an item of one whose format is not known (DI-30).
fn unknown(object: Option<&Map<String, Value>>, path: &str) -> Finding {
    let begin = "this is in no known format";
    let end = "so it is kept, but not listed";
    let nearest = object.and_then(|object| nearest(object, path));
    if let Some(nearest) = nearest.filter(Nearest::has_telling) {
        let message = format!("{begin}, {end}; the nearest is {}", nearest.words());
        return nearest.advise(Finding::new(&DI_30, "", message));
    }
    let lack = match object {
        Some(object) if generic::has_name(object) => " and has nothing but a name",
        Some(_) => " and has no name",
        None => "",
    };
    Finding::new(&DI_30, "", format!("{begin}{lack}, {end}"))
        .with_help("give at least a name and a description of the service")
}

/// Keeps the first [`MAX_CAPABILITIES`] of each agent, and says how many there were (DI-13).
fn limit(reading: &mut Reading) {
    let mut findings = Findings::default();
    for agent in &mut reading.agents {
        let count = agent.capabilities.len();
        if count > MAX_CAPABILITIES {
            let message =
                format!("{count} capabilities, of which the first {MAX_CAPABILITIES} are kept");
            let place = agent.place(Fact::Capabilities).to_owned();
            findings.push(Finding::at(&DI_13, &place, message));
            agent.capabilities.truncate(MAX_CAPABILITIES);
        }
    }
    reading.findings.extend(findings.into_vec());
}

/// Reports each agent of which nothing says where it is called (DI-15), unless another finding says why
/// an address was not taken, or the document leads to others that can give it.
fn unreachable_agents(reading: &mut Reading) {
    // A list of skills is a list of files to read, not of calls.
    let is_list_of_files = reading.format.as_str() == "agent-skills-index";
    let leads_elsewhere =
        |it: &Reference| !["homepage", "docs", "endpoint"].contains(&it.rel.as_str());
    if is_list_of_files
        || is_of_auth(reading.format)
        || reading.references.iter().any(leads_elsewhere)
    {
        return;
    }
    let explains = |it: &Finding, agent: &Agent| {
        let is_of_address = ["A2-06", "A2-07"].contains(&it.rule.id)
            || (it.rule == &GP_03 && is_of_address(&it.pointer));
        is_of_address && it.pointer.starts_with(&agent.pointer)
    };
    let mut findings = Findings::default();
    for agent in &reading.agents {
        let is_explained =
            !agent.withheld.is_empty() || reading.findings.iter().any(|it| explains(it, agent));
        if !agent.is_reachable() && !is_explained {
            let message = "no address is stated at which this can be called; give that of its API, of \
                its MCP server or of its A2A endpoint";
            findings.push(Finding::at(&DI_15, &agent.pointer, message));
        }
    }
    reading.findings.extend(findings.into_vec());
}

/// Reports whether the last member of a pointer is named after an address to call.
fn is_of_address(pointer: &str) -> bool {
    let name = pointer
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_page = ["website", "homepage", "docs", "documentation"]
        .iter()
        .any(|it| name.contains(it));
    let words = [
        "url", "uri", "endpoint", "server", "mcp", "a2a", "api", "base",
    ];
    !is_page && words.iter().any(|word| name.contains(word))
}

/// Drops empty agents, keeps at most [`MAX_AGENTS`], and names nameless agents after the domain.
fn finish(document: &Document, reading: &mut Reading) {
    let is_of_auth = is_of_auth(reading.format);
    let has_something = |agent: &Agent| {
        !agent.name.is_empty()
            || !agent.capabilities.is_empty()
            || !agent.interfaces.is_empty()
            || (is_of_auth && !agent.auth.is_empty())
    };
    let count = reading.agents.len();
    let mut left_out = Vec::new();
    reading.agents.retain(|agent| {
        let is_listed = has_something(agent);
        if !is_listed {
            left_out.push(agent.pointer.clone());
        }
        is_listed
    });
    if !reading.agents.is_empty() {
        let message = "not listed: neither a name nor anything that can be called is stated where the format has it";
        let left_out = left_out.iter().map(|at| Finding::new(&DI_16, at, message));
        reading.findings.extend(left_out);
    }
    if reading.agents.is_empty() && count > 0 {
        // Where it is called does not matter to an agent that is not listed.
        reading.findings.retain(|it| it.rule != &DI_15);
        // A rule of the format says more.
        let mut findings = reading.findings.iter();
        if findings.all(|it| it.rule.format == DI_16.format) {
            let message = "nothing is listed: neither a name nor anything that can be called is stated where the \
                format has it; give at least the name";
            reading.findings.push(Finding::new(&DI_16, "", message));
        }
    }
    if reading.agents.len() > MAX_AGENTS {
        let message = format!(
            "describes {} agents, of which the first {MAX_AGENTS} are kept",
            reading.agents.len()
        );
        let finding = Finding::new(DI_03.warning(), "", message);
        reading.findings.push(finding);
        reading.agents.truncate(MAX_AGENTS);
    }
    for agent in &mut reading.agents {
        if agent.name.is_empty() {
            agent.name = document.site_name();
            agent.defaulted.push(Fact::Name.into());
        }
    }
}

impl Reading {
    /// Returns the reason why a valid document without findings on it does not have level A.
    pub fn reason_below_level_a(&self) -> Option<String> {
        if self.is_complete
            || self.agents.is_empty()
            || !self.is_valid()
            || !self.format.is_specified()
        {
            return None;
        }
        let capabilities = || self.agents.iter().flat_map(|agent| &agent.capabilities);
        let named = |lacks: fn(&Capability) -> bool| {
            let names = capabilities()
                .filter(|it| lacks(it))
                .map(|it| it.name.as_str());
            let names: Vec<&str> = names.take(4).collect();
            match names.as_slice() {
                [] => None,
                [first, second, third, _] => Some(format!("{first}, {second}, {third}, …")),
                few => Some(few.join(", ")),
            }
        };
        if let Some(names) = named(|it| it.description.is_none()) {
            return Some(format!("no description of these capabilities: {names}"));
        }
        let entry = ALL.iter().find(|entry| entry.takes(self.format));
        if entry.is_some_and(|entry| entry.has_schemas)
            && let Some(names) = named(|it| it.input_schema.is_none())
        {
            return Some(format!("no input schema of these capabilities: {names}"));
        }
        Some("none of the agent's URLs is on the site that serves this document".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_panic_of_a_reader_is_a_finding() {
        let format = a2a::A2aAgentCard::ID;
        let reading = contained(FormatId::UNRECOGNISED, |known| {
            known.set(format);
            panic!("a reader");
        });
        assert_eq!((reading.format, reading.agents.len()), (format, 0));
        assert!(!reading.is_valid() && !reading.is_indexable());
        let message = "reading it failed: an internal error; this document is not at fault";
        assert_eq!(reading.fault(), Some(message));
        assert_eq!(reading.findings.len(), 1);
    }

    #[test]
    fn the_format_with_the_largest_part_is_the_nearest() {
        for (value, title, missing) in [
            (
                json!({"protocolVersion": "0.3.0", "name": "A", "description": "b", "version": "1.0.0",
                    "url": "https://a.example", "defaultInputModes": ["text/plain"],
                    "defaultOutputModes": ["text/plain"], "capabilities": {}}),
                "A2A agent card",
                vec!["skills"],
            ),
            (
                json!({"site": {"name": "A", "url": "https://a.example"}}),
                "agents.json of the agents.txt protocol",
                vec!["capabilities"],
            ),
            (
                json!({"supportedInterfaces": [], "name": "A", "description": "b", "version": "1",
                    "capabilities": {}, "defaultInputModes": [], "defaultOutputModes": []}),
                "A2A agent card",
                vec!["skills"],
            ),
        ] {
            let nearest = nearest(value.as_object().unwrap(), "").unwrap();
            let names: Vec<_> = nearest.lacks.iter().map(|it| it.name).collect();
            assert_eq!((nearest.title, names), (title, missing));
        }
        assert!(nearest(json!({"foo": 1}).as_object().unwrap(), "").is_none());
    }
}
