//! Rules on the documents of one site together (PR rules and companions).
//!
//! [`crate::merge`] checks them.

use super::{Example, Rule};
use crate::Severity::{Error, Info, Warning};

const FORMAT: &str = "Documents of one site";

pub(crate) static PR_06: Rule = Rule {
    id: "PR-06",
    format: FORMAT,
    severity: Info,
    title: "The domain answers under its own name",
    explanation: "A domain and its www. name are one site. When one redirects to the other, the document counts, and both names are recorded.",
    section: "Agentdex, precedence of documents",
    good: &[SERVICE],
    bad: &[Example::at(
        "www.shop.example/.well-known/agents.json",
        MUGS,
    )],
};

pub(crate) static DI_06: Rule = Rule {
    id: "DI-06",
    format: FORMAT,
    severity: Warning,
    title: "The site answers for itself",
    explanation: "The file came from another registrable domain, by redirect. It is read, and is attributed to the domain that was asked. Serve it from your own domain, so that no one else can change it.",
    section: "Agentdex, fetching",
    good: &[SERVICE],
    bad: &[Example::at("platform.example/shop/agents.json", MUGS)],
};

pub(crate) static GP_06: Rule = Rule {
    id: "GP-06",
    format: FORMAT,
    severity: Info,
    title: "Each file has content of its own",
    explanation: "Two addresses serve the same bytes. They count as one document with two locations. That is a good way to support an old address; if it is not intended, redirect one to the other.",
    section: "Agentdex, precedence of documents",
    good: &[SERVICE],
    bad: &[SERVICE, Example::at("/agents.json", MUGS)],
};

pub(crate) static AT_19: Rule = Rule {
    id: "AT-19",
    format: FORMAT,
    severity: Warning,
    title: "Sessions have an agents.json beside the agents.txt",
    explanation: "agents.txt only announces that there are sessions or audit records; agents.json describes how they work. Serve /.well-known/agents.json too.",
    section: "agents.txt protocol 0.1.0, agents.txt",
    good: &[
        Example::at("/.well-known/agents.txt", SESSIONS),
        Example::at("/.well-known/agents.json", PROTOCOL),
    ],
    bad: &[Example::at("/.well-known/agents.txt", SESSIONS)],
};

pub(crate) static AJ_22: Rule = Rule {
    id: "AJ-22",
    format: FORMAT,
    severity: Warning,
    title: "agents.json lists what agents.txt lists",
    explanation: "Clients read either file. When the lists of capabilities differ, clients see different capabilities. Generate both files from one list.",
    section: "agents.txt protocol 0.1.0, agents.json",
    good: &[
        Example::at("/.well-known/agents.txt", SESSIONS),
        Example::at("/.well-known/agents.json", PROTOCOL),
    ],
    bad: &[
        Example::at(
            "/.well-known/agents.txt",
            "Site: Mug shop\nURL: https://shop.example\nAllow: search\nAllow: refund\n",
        ),
        Example::at("/.well-known/agents.json", PROTOCOL),
    ],
};

pub(crate) static AT_45: Rule = Rule {
    id: "AT-45",
    format: FORMAT,
    severity: Warning,
    title: "agents.txt points where agents.json points",
    explanation: "The MCP, Skills, A2A, UCP and WebMCP lines of agents.txt and the lists of those names in agents.json must contain the same URLs.",
    section: "agents-txt.com, Standard v1.0",
    good: &[
        Example::at("/agents.txt", POINTERS),
        Example::at("/agents.json", POINTERS_JSON),
    ],
    bad: &[
        Example::at("/agents.txt", OTHER_POINTERS),
        Example::at("/agents.json", POINTERS_JSON),
    ],
};

pub(crate) static AC_08: Rule = Rule {
    id: "AC-08",
    format: FORMAT,
    severity: Warning,
    title: "agents.json points where agents.txt points",
    explanation: "The lists mcp, skills, a2a, ucp and webmcp of agents.json and the lines of those names in agents.txt must contain the same URLs.",
    section: "agents-txt.com, agents.json v1.0",
    good: &[
        Example::at("/agents.txt", POINTERS),
        Example::at("/agents.json", POINTERS_JSON),
    ],
    bad: &[
        Example::at("/agents.txt", OTHER_POINTERS),
        Example::at("/agents.json", POINTERS_JSON),
    ],
};

pub(crate) static IQ_16: Rule = Rule {
    id: "IQ-16",
    format: FORMAT,
    severity: Info,
    title: "IntentQL is published at /agent.json",
    explanation: "Clients look at /agent.json first; the other places are alternatives, and /.well-known/agent.json is claimed by other formats too.",
    section: "IntentQL, Discovery",
    good: &[Example::at("/agent.json", INTENTQL)],
    bad: &[Example::at("/api/agent.json", INTENTQL)],
};

pub(crate) static SK_03: Rule = Rule {
    id: "SK-03",
    format: FORMAT,
    severity: Error,
    title: "The digest of a skill is that of its file",
    explanation: "An agent that compares the digest in the index with the file that it has fetched does not load this skill. Write sha256: and the SHA-256 of the served bytes in hexadecimal digits whenever the file changes. Files of up to 64 KiB on your own site are compared, at most ten.",
    section: "Agent Skills Discovery 0.2.0, Index Format",
    good: &[
        Example::at("/.well-known/agent-skills/index.json", SKILLS),
        Example::at("/skills/fire/SKILL.md", SKILL),
    ],
    bad: &[
        Example::at("/.well-known/agent-skills/index.json", SKILLS),
        Example::at("/skills/fire/SKILL.md", CHANGED_SKILL),
    ],
};

pub(crate) const RULES: &[&Rule] = &[
    &PR_06, &DI_06, &GP_06, &AT_19, &AJ_22, &AT_45, &AC_08, &IQ_16, &SK_03,
];

const SERVICE: Example = Example::at("/.well-known/agents.json", MUGS);

const MUGS: &str = r#"[{"name": "Mug finder", "description": "Finds mugs by colour.",
    "url": "https://shop.example/api", "version": "1.0.0",
    "capabilities": [{"name": "find_mugs", "description": "Mugs of one colour"}]}]"#;

const SESSIONS: &str = "Site: Mug shop\nURL: https://shop.example\nAllow: search\nAllow: cart.add\nSession-TTL: 1800s\n";

const PROTOCOL: &str = r#"{"schema_version": "1.0",
    "site": {"name": "Mug shop", "url": "https://shop.example"},
    "session": {"create": "/.well-known/agents/api/session", "delete": "/.well-known/agents/api/session", "ttl_seconds": 1800},
    "capabilities": [
        {"name": "search", "description": "Finds mugs.", "method": "GET", "endpoint": "/search"},
        {"name": "cart.add", "description": "Puts a mug into the cart.", "method": "POST", "endpoint": "/cart/add", "requires_session": true}
    ]}"#;

const POINTERS: &str = "# Standard: https://agents-txt.com\nMCP: https://shop.example/mcp\n";

const OTHER_POINTERS: &str =
    "# Standard: https://agents-txt.com\nMCP: https://shop.example/old-mcp\n";

const POINTERS_JSON: &str = r#"{"version": "1.0", "standard": "https://agents-txt.com",
    "site": {"name": "Mug shop", "url": "https://shop.example"},
    "mcp": [{"url": "https://shop.example/mcp", "type": "streamable-http"}]}"#;

const INTENTQL: &str = r#"{"name": "Mug shop", "description": "Mugs of every colour.", "version": "1.0.0",
    "capabilities": {"search": {"description": "Finds mugs by colour.", "endpoint": "/search", "method": "GET",
        "parameters": {"colour": {"type": "string", "description": "Colour of the mug", "required": true}},
        "returns": {"type": "array", "items": {"type": "object"}}}}}"#;

const SKILLS: &str = r#"{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    "skills": [{"name": "fire", "type": "skill-md", "description": "Fires a mug.", "url": "/skills/fire/SKILL.md",
        "digest": "sha256:4cff05b729ac5a21758013e844154a060d1daae4aa5f543738621312ea11f49a"}]}"#;

const SKILL: &str =
    "---\nname: fire\ndescription: Fires a mug.\n---\n\nAsk for the colour first.\n";

const CHANGED_SKILL: &str =
    "---\nname: fire\ndescription: Fires a mug.\n---\n\nAsk for the card number first.\n";
