//! The rules on the manifest (JA), its `ajson:` URIs (AU) and its policy expressions (PE).

use crate::FormatId;
use crate::Severity::{Info, Warning};
use crate::rule::{Example, Rule};

/// Id of the format.
pub(super) const ID: FormatId = FormatId::specified("json-agents");

/// Title of the format.
pub(super) const FORMAT: &str = "JSON Agents";

const PATH: &str = "/.well-known/agents/clerk.agents.json";

/// Expands to a manifest with these members and those that every manifest has.
macro_rules! clerk {
    ($members:expr) => {
        Example::at(
            PATH,
            concat!(
                r#"{"manifest_version": "1.0",
                "agent": {"id": "ajson://shop.example/agents/clerk", "name": "Clerk"}, "#,
                $members,
                "}"
            ),
        )
    };
}

/// Expands to a manifest whose graph refers to the agent with this URI.
macro_rules! reference {
    ($uri:literal) => {
        clerk!(concat!(
            r#""graph": {"nodes": [{"id": "faq", "ref": ""#,
            $uri,
            r#""}]}"#
        ))
    };
}

/// Expands to a manifest with a policy for the calls that match this expression.
macro_rules! policy {
    ($expression:literal) => {
        clerk!(concat!(
            r#""policies": [{"id": "p", "effect": "deny", "action": "tool.call", "where": ""#,
            $expression,
            r#""}]"#
        ))
    };
}

/// A manifest without a fault.
const GOOD: &[Example] = &[clerk!(
    r#"
  "profiles": ["core", "exec", "gov", "graph"],
  "capabilities": [{"id": "qa", "description": "Answers questions on books."}],
  "tools": [{
    "id": "tool://clerk/search", "name": "Search", "type": "http",
    "endpoint": "https://shop.example/api/search",
    "auth": {"method": "env", "ref": "SEARCH_KEY"}
  }],
  "modalities": {"input": ["text"], "output": ["text"]},
  "context": {"window": 8192},
  "runtime": {"type": "container"},
  "policies": [{
    "id": "own-tools", "effect": "deny", "action": "tool.call",
    "where": "tool.type == 'http' && tool.endpoint !~ '^https://shop\\.example/'"
  }],
  "graph": {
    "nodes": [
      {"id": "clerk", "ref": "ajson://shop.example/agents/clerk"},
      {"id": "faq", "ref": "ajson://shop.example/agents/faq"}
    ],
    "edges": [{"from": "clerk", "to": "faq", "condition": "message.intent == 'faq'"}]
  }"#
)];

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(FORMAT, GOOD);

pub(crate) static JA_01: Rule = Rule {
    id: "JA-01",
    title: "The manifest is an object",
    explanation: "A manifest describes one agent, as a JSON object at the top of the file. Publish one file for each agent, and name them in a graph.",
    section: "JSON Agents, section 5",
    bad: &[Example::read_as(
        ID,
        PATH,
        r#"[{"manifest_version": "1.0"}]"#,
    )],
    ..RULE
};

pub(crate) static JA_02: Rule = Rule {
    id: "JA-02",
    title: "`manifest_version` is 1.0",
    explanation: "The version states which specification the manifest follows. We read a later 1.x as 1.0, with a warning.",
    section: "JSON Agents, section 5",
    bad: &[Example::at(
        PATH,
        r#"{"manifest_version": "2.0", "agent": {"id": "clerk", "name": "Clerk"}}"#,
    )],
    ..RULE
};

pub(crate) static JA_03: Rule = Rule {
    id: "JA-03",
    title: "The agent has an id and a name",
    explanation: "`agent` identifies the agent: `id`, preferably a permanent `ajson://` URI, and `name` for people. Its other members have the types of the schema.",
    section: "JSON Agents, section 5",
    bad: &[Example::at(
        PATH,
        r#"{"manifest_version": "1.0", "agent": {"id": "clerk"}}"#,
    )],
    ..RULE
};

pub(crate) static JA_04: Rule = Rule {
    id: "JA-04",
    title: "The manifest has only members that the format defines, with their types",
    explanation: "The schema is closed, and states the type of each member: anything else belongs under `extensions`, or under a name that begins with `x-` at the top of the manifest. We keep and show other members nevertheless.",
    section: "JSON Agents, sections 4 and 10",
    bad: &[clerk!(r#""shoe_size": 44"#)],
    ..RULE
};

pub(crate) static JA_05: Rule = Rule {
    id: "JA-05",
    title: "A manifest with profile gov has a section for it",
    explanation: "A manifest that lists the profile `gov` has at least one of `security`, `policies` and `observability`.",
    section: "JSON Agents, sections 6 and 8",
    bad: &[clerk!(r#""profiles": ["core", "gov"]"#)],
    ..RULE
};

pub(crate) static JA_06: Rule = Rule {
    id: "JA-06",
    title: "A manifest with profile exec or graph has a section for it",
    explanation: "A manifest that lists the profile `exec` has a `runtime`; one that lists `graph` has a `graph`. Without `profiles`, only `core` applies.",
    section: "JSON Agents, section 6",
    bad: &[clerk!(r#""profiles": ["core", "exec"]"#)],
    ..RULE
};

pub(crate) static JA_07: Rule = Rule {
    id: "JA-07",
    severity: Warning,
    title: "Capabilities or tools are listed",
    explanation: "Only `manifest_version` and `agent` are required, but without capabilities and tools, searches find little in a manifest. Section 5 of the full specification asks for `profiles`, `modalities` and `context` too.",
    section: "JSON Agents, section 5",
    bad: &[clerk!(r#""capabilities": []"#)],
    ..RULE
};

pub(crate) static JA_08: Rule = Rule {
    id: "JA-08",
    title: "Each profile is known and listed once",
    explanation: "`profiles` is a list of `core`, `exec`, `gov` and `graph`, each at most once.",
    section: "JSON Agents, section 6",
    bad: &[clerk!(r#""profiles": ["core", "core"]"#)],
    ..RULE
};

pub(crate) static JA_09: Rule = Rule {
    id: "JA-09",
    title: "Each capability has an id",
    explanation: "A capability has an `id`, preferably one of the registry: summarization, routing, retrieval, qa, classification, extraction, generation. An id of your own is accepted; give it a description.",
    section: "JSON Agents, section 7",
    bad: &[clerk!(
        r#""capabilities": [{"description": "Answers questions"}]"#
    )],
    ..RULE
};

pub(crate) static JA_10: Rule = Rule {
    id: "JA-10",
    title: "Each tool has an id, a name and a type",
    explanation: "The type is `http`, `function`, `plugin`, `system`, `mcp` or `custom`. We list a tool without a name under its id.",
    section: "JSON Agents, section 7",
    bad: &[clerk!(
        r#""tools": [{"id": "tool://clerk/search", "type": "function"}]"#
    )],
    ..RULE
};

pub(crate) static JA_11: Rule = Rule {
    id: "JA-11",
    severity: Warning,
    title: "Tools that are called over a network have an endpoint",
    explanation: "A tool of type `http` has an `https` URL as its `endpoint`, and a tool of type `mcp` has the address of its server.",
    section: "JSON Agents, sections 7 and 11",
    bad: &[clerk!(
        r#""tools": [{"id": "search", "name": "Search", "type": "http",
                "endpoint": "http://shop.example/api"}]"#
    )],
    ..RULE
};

pub(crate) static JA_12: Rule = Rule {
    id: "JA-12",
    title: "The manifest contains no credentials",
    explanation: "A manifest is public. Refer to a credential by name, as `auth.ref` does, and revoke the one that was published.",
    section: "JSON Agents, section 11",
    bad: &[clerk!(
        r#""runtime": {"type": "node", "env": {"API_TOKEN": "q7Xb2Lm9Zt4Kc8Vn1Rd6Wp3Hs5"}}"#
    )],
    ..RULE
};

pub(crate) static JA_13: Rule = Rule {
    id: "JA-13",
    title: "Each policy has an id, an effect and an action",
    explanation: "The effect is `allow`, `deny`, `audit` or `notify`; `where` is an expression as a string.",
    section: "JSON Agents, section 8",
    bad: &[clerk!(
        r#""policies": [{"id": "no-tools", "effect": "forbid", "action": "tool.call"}]"#
    )],
    ..RULE
};

pub(crate) static JA_14: Rule = Rule {
    id: "JA-14",
    title: "Nodes have an id and a ref, and edges join nodes",
    explanation: "The `ref` of a node is the id of its agent. Two nodes with the same id, an edge to a missing node, and a condition that does not parse are warnings.",
    section: "JSON Agents, section 9",
    bad: &[clerk!(r#""graph": {"nodes": [{"id": "faq"}]}"#)],
    ..RULE
};

pub(crate) static JA_15: Rule = Rule {
    id: "JA-15",
    severity: Info,
    title: "The manifest has no extensions",
    explanation: "Extensions are permitted. We show members under `extensions` or an `x-` name as published; clients that do not know them ignore them.",
    section: "JSON Agents, section 10",
    bad: &[clerk!(r#""x-memory": {"provider": "file"}"#)],
    ..RULE
};

pub(crate) static JA_16: Rule = Rule {
    id: "JA-16",
    severity: Warning,
    title: "The profiles fit the content",
    explanation: "List `exec` when there is a `runtime`, `gov` when there are `security`, `policies` or `observability`, `graph` when there is a `graph`. The section of a listed profile should not be empty.",
    section: "JSON Agents, section 6",
    bad: &[clerk!(
        r#""profiles": ["core"], "runtime": {"type": "node"}"#
    )],
    ..RULE
};

pub(crate) static AU_01: Rule = Rule {
    id: "AU-01",
    title: "An `ajson` URI has an authority",
    explanation: "The URI is `ajson://` followed by a host and a path, such as `ajson://shop.example/agents/clerk`.",
    section: "JSON Agents, section 12",
    bad: &[reference!("ajson:faq")],
    ..RULE
};

pub(crate) static AU_02: Rule = Rule {
    id: "AU-02",
    title: "An `ajson` URI has no user",
    explanation: "A URI with a user before the host must be rejected: remove it.",
    section: "JSON Agents, full specification, section 16.7",
    bad: &[reference!("ajson://me@shop.example/agents/faq")],
    ..RULE
};

pub(crate) static AU_03: Rule = Rule {
    id: "AU-03",
    title: "The host of an `ajson` URI is a name",
    explanation: "The authority is a DNS name, optionally with a port between 1 and 65535.",
    section: "JSON Agents, full specification, section 16.2",
    bad: &[reference!("ajson://shop.example:99999/agents/faq")],
    ..RULE
};

pub(crate) static AU_04: Rule = Rule {
    id: "AU-04",
    severity: Info,
    title: "An `ajson` URI has a path",
    explanation: "Without a path, the URI is only an identifier, from which a client cannot find the manifest.",
    section: "JSON Agents, full specification, section 16.2",
    bad: &[reference!("ajson://shop.example")],
    ..RULE
};

pub(crate) static AU_05: Rule = Rule {
    id: "AU-05",
    title: "The path of an `ajson` URI has no special segments or characters",
    explanation: "Spaces, control characters, `..` segments and encoded slashes are rejected, because they can lead a resolver to the wrong file.",
    section: "JSON Agents, full specification, section 16.7",
    bad: &[reference!("ajson://shop.example/../private/faq")],
    ..RULE
};

pub(crate) static AU_06: Rule = Rule {
    id: "AU-06",
    severity: Info,
    title: "The host of an `ajson` URI is public",
    explanation: "Names without a dot, `localhost`, addresses and private names are identifiers only: clients elsewhere cannot resolve them, and Agentdex never requests them.",
    section: "JSON Agents, full specification, section 16.4",
    bad: &[reference!("ajson://faq/agent")],
    ..RULE
};

pub(crate) static AU_07: Rule = Rule {
    id: "AU-07",
    severity: Warning,
    title: "An `ajson` URI has no query",
    explanation: "The query is dropped when the URI is resolved, so two URIs that differ only in the query name the same manifest.",
    section: "JSON Agents, full specification, section 16.4",
    bad: &[reference!("ajson://shop.example/agents/faq?version=2")],
    ..RULE
};

pub(crate) static AU_12: Rule = Rule {
    id: "AU-12",
    severity: Info,
    title: "An `ajson` URI does not point below `/agents/api/`",
    explanation: "`ajson` URIs resolve to `/.well-known/agents/`. The agents.txt protocol uses `/.well-known/agents/api/` for its Interaction API, so we do not resolve such paths.",
    section: "agents.txt protocol, \"Interaction API\"",
    bad: &[reference!("ajson://shop.example/agents/api/faq")],
    ..RULE
};

pub(crate) static AU_13: Rule = Rule {
    id: "AU-13",
    severity: Warning,
    title: "The URI of an agent is on its own site",
    explanation: "The `ajson` URI in `agent.id` says where the agent's manifest is served. A URI on another host names an agent of that host: the manifest there is the one that counts for it, and this one is listed for this site.",
    section: "JSON Agents, full specification, section 16.2",
    bad: &[Example::at(
        PATH,
        r#"{"manifest_version": "1.0",
            "agent": {"id": "ajson://other.example/agents/clerk", "name": "Clerk"}}"#,
    )],
    ..RULE
};

pub(crate) static PE_02: Rule = Rule {
    id: "PE-02",
    title: "Expressions use the operators of the language",
    explanation: "They are `==`, `!=`, `>`, `<`, `>=`, `<=`, `~`, `!~`, `in`, `not in`, `contains`, `starts_with`, `ends_with`, `&&`, `||` and `not`; strings are in single quotes.",
    section: "JSON Agents, section 13 and Appendix B",
    bad: &[policy!("tool.type === 'http'")],
    ..RULE
};

pub(crate) static PE_03: Rule = Rule {
    id: "PE-03",
    title: "Expressions are complete",
    explanation: "Brackets and quotes are closed, and every operator has a value on both sides. A policy that does not parse must deny when it is enforced.",
    section: "JSON Agents, Appendix B",
    bad: &[policy!("tool.type == ")],
    ..RULE
};

pub(crate) static PE_04: Rule = Rule {
    id: "PE-04",
    severity: Warning,
    title: "Expressions refer to tool, message, agent or runtime",
    explanation: "Other names have no meaning for the program that enforces the policy.",
    section: "JSON Agents, Appendix B",
    bad: &[policy!("request.type == 'http'")],
    ..RULE
};

pub(crate) static PE_05: Rule = Rule {
    id: "PE-05",
    severity: Warning,
    title: "Expressions are short and flat",
    explanation: "We read up to 2,000 bytes and 10 levels of nesting. Split a longer expression into several policies.",
    section: "JSON Agents, Appendix B",
    bad: &[policy!("((((((((((((tool.cached))))))))))))")],
    ..RULE
};

pub(crate) static PE_06: Rule = Rule {
    id: "PE-06",
    severity: Warning,
    title: "Patterns run in linear time",
    explanation: "Look-around and back-references let a short text stop a policy engine for minutes. Write the pattern without them, or use `contains`, `starts_with` and `ends_with`.",
    section: "JSON Agents, Appendix B",
    bad: &[policy!("tool.endpoint ~ '(?=https)'")],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &JA_01, &JA_02, &JA_03, &JA_04, &JA_05, &JA_06, &JA_07, &JA_08, &JA_09, &JA_10, &JA_11, &JA_12,
    &JA_13, &JA_14, &JA_15, &JA_16, &AU_01, &AU_02, &AU_03, &AU_04, &AU_05, &AU_06, &AU_07, &AU_12,
    &AU_13, &PE_02, &PE_03, &PE_04, &PE_05, &PE_06,
];
