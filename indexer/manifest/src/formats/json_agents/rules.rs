//! The rules of FORMATS.md section 7: the manifest, its URIs and its expressions.

use crate::Severity::{Error, Info, Warning};
use crate::rules::{Example, Rule};

const FORMAT: &str = "JSON Agents";

const PATH: &str = "/.well-known/agents/clerk.agents.json";

/// A manifest with these members beside those that every manifest has.
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

/// A manifest whose graph leads to the agent with this URI.
macro_rules! reference {
    ($uri:literal) => {
        clerk!(concat!(
            r#""graph": {"nodes": [{"id": "faq", "ref": ""#,
            $uri,
            r#""}]}"#
        ))
    };
}

/// A manifest with a policy for the calls that this expression chooses.
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

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "JA-01",
        format: FORMAT,
        severity: Error,
        title: "The manifest is an object",
        explanation: "A manifest describes one agent, as a JSON object at the top of the file. Publish one file for each agent, and name them in a graph.",
        section: "JSON Agents, section 5",
        good: GOOD,
        bad: &[Example::read_as(
            super::ID,
            PATH,
            r#"[{"manifest_version": "1.0"}]"#,
        )],
    },
    Rule {
        id: "JA-02",
        format: FORMAT,
        severity: Error,
        title: "`manifest_version` is 1.0",
        explanation: "The version says which specification the manifest follows. A later 1.x is read as 1.0, with a warning.",
        section: "JSON Agents, section 5",
        good: GOOD,
        bad: &[Example::at(
            PATH,
            r#"{"manifest_version": "2.0", "agent": {"id": "clerk", "name": "Clerk"}}"#,
        )],
    },
    Rule {
        id: "JA-03",
        format: FORMAT,
        severity: Error,
        title: "The agent has an id and a name",
        explanation: "`agent` says who this is: `id`, best an `ajson://` URI that stays the same, and `name` for people. Its other members have the types of the schema.",
        section: "JSON Agents, section 5",
        good: GOOD,
        bad: &[Example::at(
            PATH,
            r#"{"manifest_version": "1.0", "agent": {"id": "clerk"}}"#,
        )],
    },
    Rule {
        id: "JA-04",
        format: FORMAT,
        severity: Error,
        title: "Only members that the format defines",
        explanation: "The schema is closed: anything else goes under `extensions`, or under a name that begins with `x-` at the top of the manifest. We keep and list what is there all the same.",
        section: "JSON Agents, sections 4 and 10",
        good: GOOD,
        bad: &[clerk!(r#""shoe_size": 44"#)],
    },
    Rule {
        id: "JA-05",
        format: FORMAT,
        severity: Error,
        title: "Profile gov has something to govern with",
        explanation: "A manifest that lists the profile `gov` has at least one of `security`, `policies` and `observability`.",
        section: "JSON Agents, sections 6 and 8",
        good: GOOD,
        bad: &[clerk!(r#""profiles": ["core", "gov"]"#)],
    },
    Rule {
        id: "JA-06",
        format: FORMAT,
        severity: Error,
        title: "Profiles exec and graph have their sections",
        explanation: "A manifest that lists the profile `exec` has a `runtime`; one that lists `graph` has a `graph`. Without `profiles`, only `core` is meant.",
        section: "JSON Agents, section 6",
        good: GOOD,
        bad: &[clerk!(r#""profiles": ["core", "exec"]"#)],
    },
    Rule {
        id: "JA-07",
        format: FORMAT,
        severity: Warning,
        title: "Capabilities or tools are listed",
        explanation: "Only `manifest_version` and `agent` are required, but a manifest without capabilities and tools says nothing that a search could find. Section 5 of the full specification asks for `profiles`, `modalities` and `context` too.",
        section: "JSON Agents, section 5",
        good: GOOD,
        bad: &[clerk!(r#""capabilities": []"#)],
    },
    Rule {
        id: "JA-08",
        format: FORMAT,
        severity: Error,
        title: "Profiles are known, and listed once",
        explanation: "`profiles` is a list of `core`, `exec`, `gov` and `graph`, each at most once.",
        section: "JSON Agents, section 6",
        good: GOOD,
        bad: &[clerk!(r#""profiles": ["core", "core"]"#)],
    },
    Rule {
        id: "JA-09",
        format: FORMAT,
        severity: Error,
        title: "Capabilities have an id",
        explanation: "A capability has an `id`, best one of the registry: summarization, routing, retrieval, qa, classification, extraction, generation. An id of your own is fine, and worth a description.",
        section: "JSON Agents, section 7",
        good: GOOD,
        bad: &[clerk!(
            r#""capabilities": [{"description": "Answers questions"}]"#
        )],
    },
    Rule {
        id: "JA-10",
        format: FORMAT,
        severity: Error,
        title: "Tools have an id, a name and a type",
        explanation: "The type is `http`, `function`, `plugin`, `system`, `mcp` or `custom`. A tool without a name is listed under its id all the same.",
        section: "JSON Agents, section 7",
        good: GOOD,
        bad: &[clerk!(
            r#""tools": [{"id": "tool://clerk/search", "type": "function"}]"#
        )],
    },
    Rule {
        id: "JA-11",
        format: FORMAT,
        severity: Warning,
        title: "Tools that are called over a network have an endpoint",
        explanation: "A tool of type `http` has an `https` URL as its `endpoint`, and an MCP tool says where its server is.",
        section: "JSON Agents, sections 7 and 11",
        good: GOOD,
        bad: &[clerk!(
            r#""tools": [{"id": "search", "name": "Search", "type": "http",
                "endpoint": "http://shop.example/api"}]"#
        )],
    },
    Rule {
        id: "JA-12",
        format: FORMAT,
        severity: Error,
        title: "No credentials in the manifest",
        explanation: "A manifest is public. Refer to a credential by name, as `auth.ref` does, and revoke the one that was published.",
        section: "JSON Agents, section 11",
        good: GOOD,
        bad: &[clerk!(
            r#""runtime": {"type": "node", "env": {"API_TOKEN": "q7Xb2Lm9Zt4Kc8Vn1Rd6Wp3Hs5"}}"#
        )],
    },
    Rule {
        id: "JA-13",
        format: FORMAT,
        severity: Error,
        title: "Policies have an id, an effect and an action",
        explanation: "The effect is `allow`, `deny`, `audit` or `notify`; `where` is an expression as a string.",
        section: "JSON Agents, section 8",
        good: GOOD,
        bad: &[clerk!(
            r#""policies": [{"id": "no-tools", "effect": "forbid", "action": "tool.call"}]"#
        )],
    },
    Rule {
        id: "JA-14",
        format: FORMAT,
        severity: Error,
        title: "Nodes have an id and a ref, and edges join nodes",
        explanation: "Each node names the manifest of its agent. Two nodes with one id, an edge to a node that is not there, and a condition that does not parse are worth a warning.",
        section: "JSON Agents, section 9",
        good: GOOD,
        bad: &[clerk!(r#""graph": {"nodes": [{"id": "faq"}]}"#)],
    },
    Rule {
        id: "JA-15",
        format: FORMAT,
        severity: Info,
        title: "Extensions are kept, not understood",
        explanation: "What stands under `extensions` or an `x-` name is shown as published. Who does not know it ignores it.",
        section: "JSON Agents, section 10",
        good: GOOD,
        bad: &[clerk!(r#""x-memory": {"provider": "file"}"#)],
    },
    Rule {
        id: "JA-16",
        format: FORMAT,
        severity: Warning,
        title: "The profiles fit the content",
        explanation: "List `exec` when there is a `runtime`, `gov` when there are `security`, `policies` or `observability`, `graph` when there is a `graph`; and give each section that you list a content.",
        section: "JSON Agents, section 6",
        good: GOOD,
        bad: &[clerk!(
            r#""profiles": ["core"], "runtime": {"type": "node"}"#
        )],
    },
    Rule {
        id: "AU-01",
        format: FORMAT,
        severity: Error,
        title: "An `ajson` URI has an authority",
        explanation: "The URI is `ajson://` followed by a host and a path, such as `ajson://shop.example/agents/clerk`.",
        section: "JSON Agents, section 12",
        good: GOOD,
        bad: &[reference!("ajson:faq")],
    },
    Rule {
        id: "AU-02",
        format: FORMAT,
        severity: Error,
        title: "An `ajson` URI names no user",
        explanation: "A URI with a user before the host must be rejected: remove it.",
        section: "JSON Agents, full specification, section 16.7",
        good: GOOD,
        bad: &[reference!("ajson://me@shop.example/agents/faq")],
    },
    Rule {
        id: "AU-03",
        format: FORMAT,
        severity: Error,
        title: "The host of an `ajson` URI is a name",
        explanation: "The authority is a DNS name, and a port between 1 and 65535 if it must be.",
        section: "JSON Agents, full specification, section 16.2",
        good: GOOD,
        bad: &[reference!("ajson://shop.example:99999/agents/faq")],
    },
    Rule {
        id: "AU-04",
        format: FORMAT,
        severity: Info,
        title: "An `ajson` URI has a path",
        explanation: "Without a path the URI is a mere identifier: nobody can find the manifest by it.",
        section: "JSON Agents, full specification, section 16.2",
        good: GOOD,
        bad: &[reference!("ajson://shop.example")],
    },
    Rule {
        id: "AU-05",
        format: FORMAT,
        severity: Error,
        title: "The path of an `ajson` URI is plain",
        explanation: "Spaces, control characters, `..` segments and encoded slashes are rejected, because they lead a resolver to other files than meant.",
        section: "JSON Agents, full specification, section 16.7",
        good: GOOD,
        bad: &[reference!("ajson://shop.example/../private/faq")],
    },
    Rule {
        id: "AU-06",
        format: FORMAT,
        severity: Info,
        title: "The host of an `ajson` URI is public",
        explanation: "Names without a dot, `localhost`, addresses and private names are identifiers only: nobody outside can resolve them, and we never try.",
        section: "JSON Agents, full specification, section 16.4",
        good: GOOD,
        bad: &[reference!("ajson://faq/agent")],
    },
    Rule {
        id: "AU-07",
        format: FORMAT,
        severity: Warning,
        title: "An `ajson` URI needs no query",
        explanation: "Resolving drops the query, so that two URIs that differ in it name one manifest.",
        section: "JSON Agents, full specification, section 16.4",
        good: GOOD,
        bad: &[reference!("ajson://shop.example/agents/faq?version=2")],
    },
    Rule {
        id: "AU-12",
        format: FORMAT,
        severity: Info,
        title: "`/agents/api/` belongs to the Interaction API",
        explanation: "Manifests are found under `/.well-known/agents/`, which the agents.txt protocol uses for its API. A path under `api/` is not resolved.",
        section: "agents.txt protocol, \"Interaction API\"",
        good: GOOD,
        bad: &[reference!("ajson://shop.example/agents/api/faq")],
    },
    Rule {
        id: "PE-02",
        format: FORMAT,
        severity: Error,
        title: "Expressions use the operators of the language",
        explanation: "They are `==`, `!=`, `>`, `<`, `>=`, `<=`, `~`, `!~`, `in`, `not in`, `contains`, `starts_with`, `ends_with`, `&&`, `||` and `not`; strings stand in single quotes.",
        section: "JSON Agents, section 13 and Appendix B",
        good: GOOD,
        bad: &[policy!("tool.type === 'http'")],
    },
    Rule {
        id: "PE-03",
        format: FORMAT,
        severity: Error,
        title: "Expressions are complete",
        explanation: "Brackets and quotes are closed, and every operator has a value on both sides. A policy that does not parse must deny when it is enforced.",
        section: "JSON Agents, Appendix B",
        good: GOOD,
        bad: &[policy!("tool.type == ")],
    },
    Rule {
        id: "PE-04",
        format: FORMAT,
        severity: Warning,
        title: "Expressions speak of tool, message, agent or runtime",
        explanation: "Other names mean nothing to whoever enforces the policy.",
        section: "JSON Agents, Appendix B",
        good: GOOD,
        bad: &[policy!("request.type == 'http'")],
    },
    Rule {
        id: "PE-05",
        format: FORMAT,
        severity: Warning,
        title: "Expressions are short and flat",
        explanation: "Up to 2,000 bytes and 10 levels of nesting are read; split what is longer into several policies.",
        section: "JSON Agents, Appendix B",
        good: GOOD,
        bad: &[policy!("((((((((((((tool.cached))))))))))))")],
    },
    Rule {
        id: "PE-06",
        format: FORMAT,
        severity: Warning,
        title: "Patterns run in linear time",
        explanation: "Look-around and back-references let a short text stop a policy engine for minutes. Write the pattern without them, or use `contains`, `starts_with` and `ends_with`.",
        section: "JSON Agents, Appendix B",
        good: GOOD,
        bad: &[policy!("tool.endpoint ~ '(?=https)'")],
    },
];
