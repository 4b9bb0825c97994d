//! The rules of `agents.json` of the agents.txt protocol.

use crate::Severity::{Info, Warning};
use crate::rule::{Example, Rule};

/// Title of the format.
pub(super) const FORMAT: &str = "agents.json of the agents.txt protocol";

const PATH: &str = "/.well-known/agents.json";

/// Creates the example of a file with these members.
macro_rules! file {
    ($members:expr) => {
        Example::at(PATH, concat!("{", $members, "}"))
    };
}

/// Creates the example of a bookshop's file with these members beside `site`.
macro_rules! shop {
    ($members:expr) => {
        file!(concat!(
            r#""schema_version": "1.0",
            "site": {"name": "Bookshop", "url": "https://shop.example"}, "#,
            $members
        ))
    };
}

/// Creates the example of a file with one capability and these members beside it.
macro_rules! search {
    ($members:expr) => {
        shop!(concat!(
            r#""capabilities": [{"name": "search", "endpoint": "/search", "method": "GET"}], "#,
            $members
        ))
    };
}

/// Creates the example of a file with one capability, which has one parameter.
macro_rules! param {
    ($param:expr) => {
        shop!(concat!(
            r#""capabilities": [{"name": "search", "endpoint": "/search", "method": "GET",
                "params": {"order": "#,
            $param,
            "}}]"
        ))
    };
}

/// A valid file.
const GOOD: &[Example] = &[Example {
    media_type: Some("application/json; charset=utf-8"),
    ..shop!(
        r#"
  "capabilities": [
    {
      "name": "search", "description": "Search the shelves",
      "endpoint": "/.well-known/agents/api/search", "method": "GET",
      "params": {
        "q": {"type": "string", "required": true},
        "condition": {"type": "string", "enum": ["new", "used"], "default": "new"}
      }
    },
    {
      "name": "detail", "description": "One book",
      "endpoint": "/.well-known/agents/api/detail/:isbn", "method": "GET",
      "params": {"isbn": {"type": "string", "required": true}}
    },
    {
      "name": "checkout", "description": "Gives a link where a person pays",
      "endpoint": "/.well-known/agents/api/checkout", "method": "POST",
      "requires_session": true, "human_handoff": true
    }
  ],
  "session": {"create": "/.well-known/agents/api/session", "ttl_seconds": 3600},
  "flows": [{"name": "buy", "steps": ["search", "detail", "checkout"]}],
  "rate_limit": {"requests_per_minute": 60},
  "audit": {"enabled": true, "endpoint": "/.well-known/agents/api/audit/:session_id"}"#
    )
}];

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(FORMAT, GOOD);

pub(crate) static AJ_01: Rule = Rule {
    id: "AJ-01",
    title: "The manifest is an object whose members have their types",
    explanation: "An agents.json of this protocol is one JSON object that describes one site. If it is in a list, take it out. Each member has the type that the schema states.",
    section: "agents.json, \"Top-Level Structure\"",
    bad: &[Example::at(
        PATH,
        r#"[{"schema_version": "1.0", "site": {"name": "Bookshop"}}]"#,
    )],
    ..RULE
};

pub(crate) static AJ_02: Rule = Rule {
    id: "AJ-02",
    severity: Warning,
    title: "The file is served as application/json; charset=utf-8",
    explanation: "The specification asks publishers for exactly this media type. Agentdex reads the document under any other type too.",
    section: "agents.json, \"Overview\"",
    bad: &[Example {
        media_type: Some("text/html"),
        ..search!(r#""flows": []"#)
    }],
    ..RULE
};

pub(crate) static AJ_03: Rule = Rule {
    id: "AJ-03",
    title: "The file gives its `schema_version`",
    explanation: "It says which version of the schema the file follows, such as \"1.0\". Files of the older shape call it `protocol_version`.",
    section: "agents.json, \"Top-Level Structure\"",
    bad: &[file!(
        r#""site": {"name": "Bookshop", "url": "https://shop.example"}, "capabilities": [{"name": "search", "endpoint": "/search", "method": "GET"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_04: Rule = Rule {
    id: "AJ-04",
    title: "The site has a name",
    explanation: "`site` is an object with the name that people know the site by; description and contact are strings.",
    section: "agents.json, \"site Object\"",
    bad: &[file!(
        r#""schema_version": "1.0", "site": {"url": "https://shop.example"}, "capabilities": [{"name": "search", "endpoint": "/search", "method": "GET"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_05: Rule = Rule {
    id: "AJ-05",
    title: "The site has its own absolute URL",
    explanation: "Give the canonical https address of the site that serves the file. A file cannot speak for another site.",
    section: "agents.json, \"site Object\"",
    bad: &[file!(
        r#""schema_version": "1.0", "site": {"name": "Bookshop"}, "capabilities": [{"name": "search", "endpoint": "/search", "method": "GET"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_06: Rule = Rule {
    id: "AJ-06",
    title: "There is at least one capability",
    explanation: "`capabilities` is a list of objects. A site that offers nothing yet needs no file.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(r#""capabilities": []"#)],
    ..RULE
};

pub(crate) static AJ_07: Rule = Rule {
    id: "AJ-07",
    title: "Each capability has a name, an endpoint and a method",
    explanation: "Without them no client can call it; its other members have the types of the specification.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "search", "endpoint": "/search"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_08: Rule = Rule {
    id: "AJ-08",
    severity: Warning,
    title: "Names of capabilities are lower-case words with dots",
    explanation: "A name such as `search` or `cart.add` is easy to call: letters, digits, dots and underscores, a letter first.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "Search Books", "endpoint": "/search", "method": "GET"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_09: Rule = Rule {
    id: "AJ-09",
    title: "The method is GET, POST, PUT or DELETE",
    explanation: "Other methods are not defined. PATCH and lower case are read, with a warning.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "search", "endpoint": "/search", "method": "HEAD"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_10: Rule = Rule {
    id: "AJ-10",
    severity: Warning,
    title: "Endpoints are paths of the site itself",
    explanation: "An endpoint is a path from the root, such as `/api/search`. An endpoint on another origin is listed with a warning.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "search", "endpoint": "https://hub.example/search", "method": "GET"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_11: Rule = Rule {
    id: "AJ-11",
    severity: Warning,
    title: "Path parameters are declared",
    explanation: "Each `:name` in an endpoint is described in `params`. Agentdex treats it as required, and as part of the path.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "detail", "endpoint": "/books/:isbn", "method": "GET"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_12: Rule = Rule {
    id: "AJ-12",
    title: "Parameters have a known type",
    explanation: "The type is string, number, integer, boolean, array or object; `required` is true or false, `enum` a list, `items` an object.",
    section: "agents.json, \"Parameter Descriptor\"",
    bad: &[param!(r#"{"type": "date"}"#)],
    ..RULE
};

pub(crate) static AJ_13: Rule = Rule {
    id: "AJ-13",
    severity: Warning,
    title: "Default, enum and items fit the type",
    explanation: "A default is one of the values that the parameter may have, an enum has a value, and only an array has items.",
    section: "agents.json, \"Parameter Descriptor\"",
    bad: &[param!(
        r#"{"type": "string", "enum": ["new", "used"], "default": "old"}"#
    )],
    ..RULE
};

pub(crate) static AJ_14: Rule = Rule {
    id: "AJ-14",
    severity: Warning,
    title: "Each name is used once",
    explanation: "Callers choose a capability by its name, so they cannot distinguish two with the same name.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "search", "endpoint": "/search", "method": "GET"},
                {"name": "search", "endpoint": "/find", "method": "GET"}]"#
    )],
    ..RULE
};

pub(crate) static AJ_15: Rule = Rule {
    id: "AJ-15",
    title: "Sessions last a minute or more",
    explanation: "`create` and `delete` are paths, `ttl_seconds` a whole number of at least 60. The older names `endpoint` and `ttl` are read, with a warning.",
    section: "agents.json, \"session Object\"",
    bad: &[search!(r#""session": {"ttl_seconds": 5}"#)],
    ..RULE
};

pub(crate) static AJ_16: Rule = Rule {
    id: "AJ-16",
    severity: Warning,
    title: "Sessions are described where they are needed",
    explanation: "Some capability requires a session: give the endpoints of sessions. Without them the defaults of the specification apply, and are marked as such.",
    section: "agents.json, \"session Object\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "cart.add", "endpoint": "/cart", "method": "POST",
                "requires_session": true}]"#
    )],
    ..RULE
};

pub(crate) static AJ_17: Rule = Rule {
    id: "AJ-17",
    title: "Flows have a name, and steps that exist",
    explanation: "A flow is a list of the names of capabilities, in the order in which they are called.",
    section: "agents.json, \"flows Array\"",
    bad: &[search!(r#""flows": [{"steps": ["search"]}]"#)],
    ..RULE
};

pub(crate) static AJ_18: Rule = Rule {
    id: "AJ-18",
    severity: Warning,
    title: "The rate limit is a positive number under its current name",
    explanation: "`rate_limit.requests_per_minute` is a whole number. The older name `max_requests_per_minute` is read too; where the two differ, the lower one counts.",
    section: "agents.json, \"rate_limit Object\"",
    bad: &[search!(r#""rate_limit": {"requests_per_minute": 0}"#)],
    ..RULE
};

pub(crate) static AJ_19: Rule = Rule {
    id: "AJ-19",
    severity: Warning,
    title: "Audit gives the endpoint of the records",
    explanation: "A site with `audit.enabled` gives an endpoint with `:session_id` in it. Without one the default of the specification applies.",
    section: "agents.json, \"audit Object\"",
    bad: &[search!(
        r#""audit": {"enabled": true, "endpoint": "/audit"}"#
    )],
    ..RULE
};

pub(crate) static AJ_20: Rule = Rule {
    id: "AJ-20",
    severity: Info,
    title: "A handoff ends a session by POST",
    explanation: "A capability that hands over to a person usually changes something, within a session. Check whether this one is intended.",
    section: "agents.json, \"capabilities Array\"",
    bad: &[shop!(
        r#""capabilities": [{"name": "checkout", "endpoint": "/checkout", "method": "GET",
                "human_handoff": true}]"#
    )],
    ..RULE
};

pub(crate) static AJ_21: Rule = Rule {
    id: "AJ-21",
    severity: Info,
    title: "The manifest has only members that the format defines",
    explanation: "Unknown members are kept and shown as extensions. Check their spelling.",
    section: "agents.json, \"Top-Level Structure\"",
    bad: &[search!(r#""colour": "blue""#)],
    ..RULE
};

pub(crate) static AJ_23: Rule = Rule {
    id: "AJ-23",
    severity: Warning,
    title: "Parameters in a query are plain values",
    explanation: "How a list or an object goes into a query string is not defined. Use POST, or several parameters.",
    section: "agents.json, \"Parameter Descriptor\"",
    bad: &[param!(r#"{"type": "array", "items": {"type": "string"}}"#)],
    ..RULE
};

pub(crate) static AJ_24: Rule = Rule {
    id: "AJ-24",
    severity: Warning,
    title: "The manifest contains no secrets",
    explanation: "A manifest is public. Remove the value from the manifest, and revoke it.",
    section: "agents.json, \"Overview\"",
    bad: &[search!(r#""api_key": "q7Xb2Lm9Zt4Kc8Vn1Rd6Wp3Hs5""#)],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &AJ_01, &AJ_02, &AJ_03, &AJ_04, &AJ_05, &AJ_06, &AJ_07, &AJ_08, &AJ_09, &AJ_10, &AJ_11, &AJ_12,
    &AJ_13, &AJ_14, &AJ_15, &AJ_16, &AJ_17, &AJ_18, &AJ_19, &AJ_20, &AJ_21, &AJ_23, &AJ_24,
];
