//! Members of an agent card of A2A 1.0, with the members that are kept if they have their default.
//!
//! Taken from the messages of the specification's `a2a.proto`: members marked REQUIRED or
//! `optional` and members with a message type are written whenever they are set, the others only if
//! they are not empty, zero or false (A2S-02).

/// The members of one message.
pub(super) type Message = &'static [Member];

/// One member of a message.
pub(super) struct Member {
    /// Its name in JSON.
    pub(super) name: &'static str,
    /// True if it is written even if it is empty, zero or false.
    pub(super) keeps_default: bool,
    /// Type of its content.
    pub(super) holds: Content,
}

/// Type of a member's content.
pub(super) enum Content {
    /// A scalar, a list or map of scalars, or free JSON.
    Value,
    /// A message.
    Message(Message),
    /// A list of messages.
    Messages(Message),
    /// A map from names to messages.
    Map(Message),
}

/// Describes a member that is written only if it is not empty, zero or false.
const fn plain(name: &'static str) -> Member {
    Member {
        name,
        keeps_default: false,
        holds: Content::Value,
    }
}

/// Describes a member that is written whenever it is set.
const fn kept(name: &'static str) -> Member {
    Member {
        keeps_default: true,
        ..plain(name)
    }
}

const fn message(name: &'static str, message: Message) -> Member {
    Member {
        name,
        keeps_default: true,
        holds: Content::Message(message),
    }
}

const fn messages(name: &'static str, message: Message) -> Member {
    Member {
        name,
        keeps_default: false,
        holds: Content::Messages(message),
    }
}

const fn map(name: &'static str, message: Message) -> Member {
    Member {
        name,
        keeps_default: false,
        holds: Content::Map(message),
    }
}

const fn required(member: Member) -> Member {
    Member {
        keeps_default: true,
        ..member
    }
}

/// The card itself, without its signatures, which are not signed.
pub(super) const AGENT_CARD: Message = &[
    kept("name"),
    kept("description"),
    required(messages("supportedInterfaces", AGENT_INTERFACE)),
    message("provider", &[kept("url"), kept("organization")]),
    kept("version"),
    kept("documentationUrl"),
    message("capabilities", AGENT_CAPABILITIES),
    map("securitySchemes", SECURITY_SCHEME),
    messages("securityRequirements", SECURITY_REQUIREMENT),
    kept("defaultInputModes"),
    kept("defaultOutputModes"),
    required(messages("skills", AGENT_SKILL)),
    kept("iconUrl"),
];

const AGENT_INTERFACE: Message = &[
    kept("url"),
    kept("protocolBinding"),
    plain("tenant"),
    kept("protocolVersion"),
];

const AGENT_CAPABILITIES: Message = &[
    kept("streaming"),
    kept("pushNotifications"),
    messages("extensions", AGENT_EXTENSION),
    kept("extendedAgentCard"),
];

const AGENT_EXTENSION: Message = &[
    plain("uri"),
    plain("description"),
    plain("required"),
    kept("params"),
];

const AGENT_SKILL: Message = &[
    kept("id"),
    kept("name"),
    kept("description"),
    kept("tags"),
    plain("examples"),
    plain("inputModes"),
    plain("outputModes"),
    messages("securityRequirements", SECURITY_REQUIREMENT),
];

const SECURITY_REQUIREMENT: Message = &[map("schemes", &[plain("list")])];

const SECURITY_SCHEME: Message = &[
    message(
        "apiKeySecurityScheme",
        &[plain("description"), kept("location"), kept("name")],
    ),
    message(
        "httpAuthSecurityScheme",
        &[plain("description"), kept("scheme"), plain("bearerFormat")],
    ),
    message(
        "oauth2SecurityScheme",
        &[
            plain("description"),
            message("flows", OAUTH_FLOWS),
            plain("oauth2MetadataUrl"),
        ],
    ),
    message(
        "openIdConnectSecurityScheme",
        &[plain("description"), kept("openIdConnectUrl")],
    ),
    message("mtlsSecurityScheme", &[plain("description")]),
];

const OAUTH_FLOWS: Message = &[
    message(
        "authorizationCode",
        &[
            kept("authorizationUrl"),
            kept("tokenUrl"),
            plain("refreshUrl"),
            kept("scopes"),
            plain("pkceRequired"),
        ],
    ),
    message(
        "clientCredentials",
        &[kept("tokenUrl"), plain("refreshUrl"), kept("scopes")],
    ),
    message(
        "implicit",
        &[
            plain("authorizationUrl"),
            plain("refreshUrl"),
            plain("scopes"),
        ],
    ),
    message(
        "password",
        &[plain("tokenUrl"), plain("refreshUrl"), plain("scopes")],
    ),
    message(
        "deviceCode",
        &[
            kept("deviceAuthorizationUrl"),
            kept("tokenUrl"),
            plain("refreshUrl"),
            kept("scopes"),
        ],
    ),
];
