//! The rules of A2A agent cards.

use crate::FormatId;
use crate::Severity::{Info, Warning};
use crate::rule::{Example, Rule};

mod examples;

use examples::{GOOD, GOOD_1, card};

/// Id of the format.
pub(super) const ID: FormatId = FormatId::specified("a2a-agent-card");

/// Title of the format.
pub(super) const FORMAT: &str = "A2A agent card";

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(FORMAT, GOOD);

pub(crate) static A2_01: Rule = Rule {
    id: "A2-01",
    title: "The card is an object whose members have their types",
    explanation: "A card is one JSON object. A member that its generation defines has the type given there; before 1.0 null counts as a wrong type, so leave out a member without a value.",
    section: "A2A 0.3.0 section 5.5, 1.0 section 4.4.1 (AgentCard)",
    bad: &[Example::read_as(
        ID,
        "/.well-known/agent-card.json",
        r#""https://shop.example/a2a""#,
    )],
    ..RULE
};

pub(crate) static A2_02: Rule = Rule {
    id: "A2-02",
    severity: Warning,
    title: "A card since 0.3 is published at its own path",
    explanation: "Up to 0.2.6 clients request /.well-known/agent.json, since 0.3 /.well-known/agent-card.json. Clients of today request the new place, so that a card of any generation may be there.",
    section: "A2A 0.3.0 section 5.3 (recommended location)",
    bad: &[Example::at(
        "/.well-known/agent.json",
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_03: Rule = Rule {
    id: "A2-03",
    title: "The agent has a name and a description",
    explanation: "Both are required since 0.2; 0.1 requires only the name. An empty description is a warning: people and agents choose by it.",
    section: "A2A 0.3.0 section 5.5, 1.0 section 4.4.1 (AgentCard)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "url": "https://shop.example/a2a", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_04: Rule = Rule {
    id: "A2-04",
    title: "The agent has a version of its own",
    explanation: "`version` is the agent's, chosen by its provider; the version of A2A is given in `protocolVersion`.",
    section: "A2A 0.3.0 section 5.5, 1.0 section 4.4.1 (AgentCard)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "version": 2, "url": "https://shop.example/a2a", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_05: Rule = Rule {
    id: "A2-05",
    title: "A card from 0.2.5 to 0.3 names its A2A version",
    explanation: "`protocolVersion` is required there, such as 0.3.0; only major and minor count. Since 1.0 each interface names its own.",
    section: "A2A 0.3.0 section 5.5 (AgentCard)",
    bad: &[card(
        r#"{"name": "Gift finder", "url": "https://shop.example/a2a", "preferredTransport": "JSONRPC", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_06: Rule = Rule {
    id: "A2-06",
    title: "The agent can be called",
    explanation: "Without an endpoint and its protocol, no client can call the agent. Before 1.0 a card has `url`, and `additionalInterfaces` with url and transport; since 1.0 `supportedInterfaces`, each with url, protocolBinding and protocolVersion.",
    section: "A2A 0.3.0 section 5.5.5, 1.0 section 4.4.6 (AgentInterface)",
    good: GOOD_1,
    bad: &[card(
        r#"{"name": "Gift finder", "supportedInterfaces": [{"url": "https://shop.example/a2a"}], "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_07: Rule = Rule {
    id: "A2-07",
    severity: Warning,
    title: "Interfaces have https URLs and known bindings",
    explanation: "Endpoints are absolute https URLs; gRPC may be `host:port`. A binding other than JSONRPC, GRPC and HTTP+JSON should be a URI.",
    section: "A2A 0.3.0 section 5.5.5, 1.0 section 4.4.6 (AgentInterface)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "http://shop.example/a2a", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_08: Rule = Rule {
    id: "A2-08",
    title: "The capabilities are an object of protocol features",
    explanation: "In a card `capabilities` says whether the agent streams or pushes; what it does is listed under `skills`. A list of actions there is another format.",
    section: "A2A 0.3.0 section 5.5.2, 1.0 section 4.4.3 (AgentCapabilities)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {"streaming": "yes"}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_09: Rule = Rule {
    id: "A2-09",
    title: "The card lists skills",
    explanation: "`skills` is a required list. An empty one is a warning: a directory has nothing to show, and 1.0 expects at least one.",
    section: "A2A 0.3.0 section 5.5, 1.0 section 4.4.1 (AgentCard)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {"streaming": true}}"#,
    )],
    ..RULE
};

pub(crate) static A2_10: Rule = Rule {
    id: "A2-10",
    title: "Each skill has id, name, description and tags",
    explanation: "0.1 requires id and name; description and tags are required since 0.2. Two skills with the same id are a warning, because callers cannot distinguish them.",
    section: "A2A 0.3.0 section 5.5.4, 1.0 section 4.4.5 (AgentSkill)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {}, "skills": [{"name": "Suggest a gift"}]}"#,
    )],
    ..RULE
};

pub(crate) static A2_11: Rule = Rule {
    id: "A2-11",
    title: "Input and output modes are media types",
    explanation: "`defaultInputModes` and `defaultOutputModes` are required lists since 0.2. Values such as `text` instead of `text/plain` are a warning.",
    section: "A2A 0.3.0 section 5.5, 1.0 section 4.4.1 (AgentCard)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {}, "defaultInputModes": "text/plain", "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_12: Rule = Rule {
    id: "A2-12",
    title: "A provider has a name and a page",
    explanation: "`organization` is required in a provider, and since 0.2 `url` too: leave out the provider, or give both. Empty ones are a warning.",
    section: "A2A 0.3.0 section 5.5.1, 1.0 section 4.4.2 (AgentProvider)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "provider": {"organization": "Harbour Shop"}, "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_13: Rule = Rule {
    id: "A2-13",
    title: "Requirements name security schemes that are declared",
    explanation: "A scheme is declared as its generation writes it: OpenAPI objects with `type` up to 0.3, wrappers such as `httpAuthSecurityScheme` since 1.0. A requirement that names none of them, and `security` where 1.0 says `securityRequirements`, are warnings.",
    section: "A2A 0.3.0 section 5.5.3, 1.0 section 4.5 (security objects)",
    good: GOOD_1,
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "securitySchemes": {"key": {"type": "apiKey", "name": "X-Key"}}, "security": [{"login": []}], "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_14: Rule = Rule {
    id: "A2-14",
    severity: Info,
    title: "A security scheme is written in one form",
    explanation: "Servers built on the official Python SDK merge the form of 0.3 into that of 1.0. Both are read; no change is needed.",
    section: "A2A 1.0 section 4.5 (security objects)",
    good: GOOD_1,
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "securitySchemes": {"login": {"type": "http", "scheme": "Bearer", "httpAuthSecurityScheme": {"scheme": "Bearer"}}}, "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_15: Rule = Rule {
    id: "A2-15",
    title: "An extension has a URI",
    explanation: "Callers recognise an extension only by its URI; before 1.0 the schema requires it. An extension with `required` is reported, because the agent rejects callers that do not support it.",
    section: "A2A 0.3.0 section 5.5.2.1, 1.0 section 4.4.4 (AgentExtension)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {"extensions": [{"required": true}]}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_16: Rule = Rule {
    id: "A2-16",
    severity: Warning,
    title: "OAuth flows are current ones",
    explanation: "The flows `implicit` and `password` are deprecated, and 1.0 says so. Offer `authorizationCode` with PKCE, or `clientCredentials` for machines.",
    section: "A2A 1.0 section 4.5 (OAuthFlows); RFC 9700",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "securitySchemes": {"login": {"type": "oauth2", "flows": {"implicit": {"authorizationUrl": "https://shop.example/login", "scopes": {}}}}}, "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_17: Rule = Rule {
    id: "A2-17",
    title: "The card contains no credentials",
    explanation: "A card is public. State in it how credentials are obtained, and revoke those that it contained. Agentdex does not keep them.",
    section: "A2A 0.3.0 section 5.4 (security of agent cards)",
    bad: &[card(
        r#"{"name": "Gift finder", "url": "https://shop.example/a2a", "authentication": {"schemes": ["Basic"], "credentials": "shop:open-sesame"}, "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_18: Rule = Rule {
    id: "A2-18",
    severity: Info,
    title: "The card has only members that A2A defines",
    explanation: "Clients ignore unknown members; Agentdex keeps them and shows them as published. Put further data into extensions.",
    section: "A2A 1.0 section 4.6 (extensions)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "pricing": "free", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_19: Rule = Rule {
    id: "A2-19",
    severity: Warning,
    title: "Links are absolute https URLs",
    explanation: "`documentationUrl`, `iconUrl` and the provider's `url` are opened by people and programs that have only the card. An icon may be a data: URL.",
    section: "A2A 0.3.0 section 5.5 (AgentCard)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "documentationUrl": "/docs", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_20: Rule = Rule {
    id: "A2-20",
    severity: Info,
    title: "A card for two generations follows both",
    explanation: "A card may hold the members of 0.3 and of 1.0, and is valid if it follows one of them. Clients of the other generation are affected by the errors that are reported.",
    section: "A2A 1.0, appendix on migration from 0.3",
    good: GOOD_1,
    bad: &[card(
        r#"{
  "name": "Gift finder", "description": "Suggests gifts.", "version": "1.4.0",
  "url": "https://shop.example/a2a",
  "supportedInterfaces": [{"url": "https://shop.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
  "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
  "skills": []
}"#,
    )],
    ..RULE
};

pub(crate) static A2_21: Rule = Rule {
    id: "A2-21",
    severity: Info,
    title: "An extended card is announced",
    explanation: "The card announces an extended card for authenticated callers. A directory has no credentials: it shows the public card and states that there is an extended one.",
    section: "A2A 0.3.0 section 7.10, 1.0 section 3.1.11 (extended agent card)",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "supportsAuthenticatedExtendedCard": true, "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_22: Rule = Rule {
    id: "A2-22",
    severity: Warning,
    title: "Interfaces are on the domain of the card",
    explanation: "An endpoint on another organization's domain is possible, but a card can impersonate another agent that way. The endpoint is shown with a flag until that domain names the agent too.",
    section: "Agentdex, protection against impersonation",
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://elsewhere.example/a2a", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2_23: Rule = Rule {
    id: "A2-23",
    severity: Warning,
    title: "Members are in camelCase",
    explanation: "The JSON of a card has `supportedInterfaces`, not `supported_interfaces`. The names of the .proto file are read here, but most clients look for the others only.",
    section: "A2A 1.0 section 5.5 (JSON field naming); ProtoJSON",
    bad: &[card(
        r#"{"protocol_version": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {}, "skills": []}"#,
    )],
    ..RULE
};

pub(crate) static A2S_01: Rule = Rule {
    id: "A2S-01",
    title: "A signature has a protected header that can be used",
    explanation: "Since 0.3 a signature is a JWS with `protected` and `signature` in base64url and a detached payload. A header without alg or kid, or one that cannot be decoded, is a warning: no client can verify the signature.",
    section: "A2A 1.0 section 8.4.2; RFC 7515 section 4",
    good: GOOD_1,
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {}, "skills": [], "signatures": [{"protected": "ES256"}]}"#,
    )],
    ..RULE
};

pub(crate) static A2S_04: Rule = Rule {
    id: "A2S-04",
    severity: Warning,
    title: "Keys come over https from the site or its provider",
    explanation: "`jku` gives the address of the keys. At any other registrable domain they do not prove that the owner of this domain signed, so they are not fetched.",
    section: "A2A 1.0 section 8.4.3; RFC 7515 section 4.1.2",
    good: GOOD_1,
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {}, "skills": [], "signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrMSIsImprdSI6Imh0dHBzOi8vZWxzZXdoZXJlLmV4YW1wbGUva2V5cyJ9", "signature": "c2lnbmF0dXJl"}]}"#,
    )],
    ..RULE
};

pub(crate) static A2S_05: Rule = Rule {
    id: "A2S-05",
    severity: Warning,
    title: "Signatures use public-key algorithms",
    explanation: "Symmetric algorithms and `none` are not accepted: any holder of an HMAC key can create the signature. Marker with ES256, ES384, RS256, PS256 or EdDSA.",
    section: "A2A 1.0 section 8.4.2; RFC 8725 section 3.1",
    good: GOOD_1,
    bad: &[card(
        r#"{"protocolVersion": "0.3.0", "name": "Gift finder", "url": "https://shop.example/a2a", "capabilities": {}, "skills": [], "signatures": [{"protected": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrMSJ9", "signature": "c2lnbmF0dXJl"}]}"#,
    )],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &A2_01, &A2_02, &A2_03, &A2_04, &A2_05, &A2_06, &A2_07, &A2_08, &A2_09, &A2_10, &A2_11, &A2_12,
    &A2_13, &A2_14, &A2_15, &A2_16, &A2_17, &A2_18, &A2_19, &A2_20, &A2_21, &A2_22, &A2_23,
    &A2S_01, &A2S_04, &A2S_05,
];
