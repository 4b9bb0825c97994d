//! The facts of an agent and of a capability: one row for each field of the model.

use crate::agent::{Agent, Capability};
use serde_json::Value;

/// Marks in [`Agent::defaulted`] of fields that are a default in part.
pub mod part {
    /// The transport of the interfaces.
    pub const TRANSPORT: &str = "interfaces.transport";
    /// The protocol of some capability.
    pub const PROTOCOL: &str = "capabilities.protocol";
    /// The HTTP method of some capability.
    pub const METHOD: &str = "capabilities.method";
    /// The need for authentication of some capability.
    pub const REQUIRES_AUTH: &str = "capabilities.requires_auth";
    /// The endpoint that creates sessions.
    pub const SESSION_CREATE: &str = "sessions.create";
    /// The endpoint that deletes sessions.
    pub const SESSION_DELETE: &str = "sessions.delete";
    /// The lifetime of sessions.
    pub const SESSION_TTL: &str = "sessions.ttl_s";
    /// The endpoint for records of calls.
    pub const AUDIT_ENDPOINT: &str = "audit.endpoint";
}

/// Reports whether a field is not empty.
fn is_stated<T: Default + PartialEq>(field: &T) -> bool {
    *field != T::default()
}

/// Defines an enum with a variant for each field of a type that is a fact, by the name of the field
/// and with words for it. The fields that are none are named too, so that a new field does not
/// compile before it has a row.
macro_rules! facts {
    (
        $(#[$doc:meta])*
        $facts:ident of $record:ident { $($fact:ident = $field:ident, $words:literal;)+ }
        besides { $($other:ident),+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $facts {
            $(#[doc = $words] $fact,)+
        }

        impl $facts {
            /// All facts, in the order of the fields.
            pub const ALL: [Self; [$(stringify!($fact)),+].len()] = [$(Self::$fact),+];

            /// Returns the name of the field.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$fact => stringify!($field),)+ }
            }

            /// Names the fact in words.
            pub(crate) const fn words(self) -> &'static str {
                match self { $(Self::$fact => $words,)+ }
            }

            /// Reports whether `record` states the fact.
            pub(crate) fn is_in(self, record: &$record) -> bool {
                match self { $(Self::$fact => is_stated(&record.$field),)+ }
            }

            /// Returns the fact as JSON, if `record` states it.
            pub(crate) fn value(self, record: &$record) -> Option<Value> {
                let value = match self { $(Self::$fact => serde_json::to_value(&record.$field),)+ };
                let value = value.expect("a fact has text keys and no failing values");
                Some(value).filter(|_| self.is_in(record))
            }

            /// Gives `record` the fact as `other` states it.
            pub(crate) fn copy(self, record: &mut $record, other: &$record) {
                match self { $(Self::$fact => record.$field.clone_from(&other.$field),)+ }
            }
        }

        impl From<$facts> for String {
            fn from(fact: $facts) -> Self {
                fact.name().to_owned()
            }
        }

        const _: fn($record) = |$record { $($field: _,)+ $($other: _),+ }| ();
    };
}

facts! {
    /// A fact about an agent.
    Fact of Agent {
        Key = key, "its own identifier";
        Name = name, "the name";
        Description = description, "the description";
        Url = url, "the URL";
        Version = version, "the agent's version";
        Provider = provider, "the provider";
        Contact = contact, "the contact";
        Docs = docs, "the documentation URL";
        Logo = logo, "the logo";
        Homepage = homepage, "the homepage";
        Tags = tags, "the tags";
        Languages = languages, "the languages";
        Capabilities = capabilities, "the capabilities";
        Auth = auth, "the authentication";
        Interfaces = interfaces, "the interfaces";
        Programs = programs, "the programs to run locally";
        RateLimits = rate_limits, "the rate limit";
        Sessions = sessions, "the sessions";
        Flows = flows, "the flows";
        Audit = audit, "the audit endpoint";
        Graph = graph, "the graph of agents";
        Policies = policies, "the policies";
        Payments = payments, "the payment methods";
        Signatures = signatures, "the signatures, which are valid for the signed bytes only";
        InputModes = input_modes, "the media types of the input";
        OutputModes = output_modes, "the media types of the output";
        Translations = translations, "the texts in other languages";
        Specified = specified, "members that only its format defines";
        Extensions = extensions, "members that are specific to its format";
    } besides { pointer, pointers, other_names, withheld, defaulted }
}

facts! {
    /// A fact about a capability.
    CapabilityFact of Capability {
        Id = id, "the identifier";
        Name = name, "the name";
        Description = description, "the description";
        Method = method, "the HTTP method";
        Endpoint = endpoint, "the endpoint";
        Url = url, "the URL";
        Params = params, "the parameters";
        InputSchema = input_schema, "the schema of the input";
        OutputSchema = output_schema, "the schema of the output";
        RequiresAuth = requires_auth, "the need for authentication";
        RequiresSession = requires_session, "the need for a session";
        HumanHandoff = human_handoff, "the completion by a person";
        RateLimit = rate_limit, "the rate limit";
        Tags = tags, "the tags";
        Examples = examples, "the examples";
        InputModes = input_modes, "the media types of the input";
        OutputModes = output_modes, "the media types of the output";
        Deprecated = deprecated, "the deprecation";
        Protocol = protocol, "the protocol";
        Translations = translations, "the texts in other languages";
        Extensions = extensions, "members that are specific to its format";
    } besides { pointer }
}

impl Fact {
    /// Returns the path of an item of the field.
    pub(crate) fn item(self, index: usize) -> String {
        format!("{}/{index}", self.name())
    }
}

impl Agent {
    /// Returns the position of a field in the document, or that of the agent if it has none.
    pub(crate) fn place(&self, fact: Fact) -> &str {
        self.pointers.get(fact.name()).unwrap_or(&self.pointer)
    }

    /// Returns the position of an item of a field, or that of the field if it has none.
    pub(crate) fn place_of_item(&self, fact: Fact, index: usize) -> &str {
        let own = self.pointers.get(&fact.item(index));
        own.map_or_else(|| self.place(fact), String::as_str)
    }

    /// Records the position of a field.
    pub(crate) fn set_place(&mut self, fact: Fact, pointer: impl Into<String>) {
        self.pointers.insert(fact.into(), pointer.into());
    }

    /// Reports whether a whole field is a default of the specification.
    pub fn is_default(&self, fact: Fact) -> bool {
        self.is_default_in_part(fact.name())
    }

    /// Reports whether a [`part`] of a field is a default of the specification.
    pub fn is_default_in_part(&self, part: &str) -> bool {
        self.defaulted.iter().any(|it| it == part)
    }
}
