//! The table of the registry's capabilities.

use super::parameter::{self, Parameter};
use super::place;
use axum::http::Method;
use schemars::Schema;
use search::Facet;

/// One thing that the registry can do, in every protocol.
#[derive(Debug)]
pub(crate) struct Capability {
    /// Name of the capability: skill of A2A, intent, and capability of the other formats.
    pub(crate) name: &'static str,
    /// Title for people.
    pub(crate) title: &'static str,
    /// Purpose of the capability, in one or two sentences.
    pub(crate) description: &'static str,
    /// Size of an answer, and what a call counts as, in one sentence.
    pub(crate) cost: &'static str,
    /// Requests of users that it answers.
    pub(crate) examples: &'static [&'static str],
    /// Tags.
    pub(crate) tags: &'static [&'static str],
    /// Parameters of all protocols.
    parameters: fn() -> Vec<Parameter>,
    /// Tool of MCP, if there is one.
    pub(crate) tool: Option<&'static str>,
    /// Method of the native API and of the Interaction API.
    pub(crate) method: Method,
    /// Path in the native API, below its base, with variables as `{name}`.
    pub(crate) api_path: &'static str,
    /// Path in the Interaction API, below its base, with variables as `{name}`.
    pub(crate) interaction_path: &'static str,
    /// True if the Interaction API requires a session.
    pub(crate) needs_session: bool,
    /// True if the Interaction API answers with an address at which a person completes the call.
    pub(crate) needs_person: bool,
}

/// Every capability.
pub(crate) const CAPABILITIES: [Capability; 9] = [
    Capability {
        name: "search",
        title: "Search agents",
        description: "Finds agents that meet a need, described in words, and states how to call \
             them. If none seems to do it, the answer says so.",
        cost: "An answer has about 2,000 characters for each hit; a call counts as one request.",
        examples: &[
            "Find an agent that books a table for four in Lisbon",
            "Find a translation agent that needs no key",
            "Find an MCP server with tools for calendars",
        ],
        tags: &["search", "discovery"],
        parameters: || {
            let need = Parameter {
                is_required: true,
                ..Parameter::of_search("q")
            };
            let others = ["unit", "min_match"].map(Parameter::of_search);
            [vec![need], others.to_vec(), filters(), page()].concat()
        },
        tool: Some("search_agents"),
        method: Method::GET,
        api_path: "/search",
        interaction_path: "/search",
        needs_session: false,
        needs_person: false,
    },
    Capability {
        name: "browse",
        title: "Browse agents",
        description: "Lists agents by their properties, in the order of a name or a time.",
        cost: "An answer has about 2,000 characters for each agent; a call counts as one request.",
        examples: &[
            "List the newest agents",
            "List the agents that A2A reaches without authentication",
        ],
        tags: &["directory"],
        parameters: || [filters(), vec![Parameter::of_search("sort")], page()].concat(),
        tool: None,
        method: Method::GET,
        api_path: "/search",
        interaction_path: "/browse",
        needs_session: false,
        needs_person: false,
    },
    Capability {
        name: "detail",
        title: "Read an agent's record",
        description: "Returns everything known about one agent: its capabilities, the first call \
             to it, and the source of each fact.",
        cost: "Most answers have 5,000 to 20,000 characters; a call counts as one request.",
        examples: &[
            "How is mesa.example/reservations called?",
            "What can the agent of mesa.example do?",
        ],
        tags: &["directory"],
        parameters: || {
            vec![
                Parameter::required(
                    ID,
                    "Id of the agent, as a search returns it, such as mesa.example/reservations.",
                ),
                Parameter::text(
                    "capability",
                    "Id or name of the capability whose call is returned, instead of the best one.",
                ),
                Parameter::count(
                    "after",
                    "Number of capabilities before those that are returned: `next_after` of the page before.",
                ),
            ]
        },
        tool: Some("get_agent"),
        method: Method::GET,
        api_path: "/agents/{domain}/{slug}",
        interaction_path: "/detail/{id}",
        needs_session: false,
        needs_person: false,
    },
    Capability {
        name: "capabilities",
        title: "List capabilities",
        description: "Lists the names of capabilities that listed agents have, each with its \
             number of agents.",
        cost: "An answer has about 50 characters for each name; a call counts as one request.",
        examples: &[
            "Which capabilities begin with book?",
            "Which capabilities are there?",
        ],
        tags: &["directory", "vocabulary"],
        parameters: || {
            vec![
                Parameter::text("prefix", "Beginning of the names."),
                Parameter::text(
                    "after",
                    "Name after which the page begins: `next_after` of the page before.",
                ),
                Parameter::number("limit", "Number of names.", 100, 1_000),
            ]
        },
        tool: Some("list_capabilities"),
        method: Method::GET,
        api_path: "/capabilities",
        interaction_path: "/capabilities",
        needs_session: false,
        needs_person: false,
    },
    Capability {
        name: "check",
        title: "Check a site",
        description: "Reports what a site should correct: the findings on each of its manifests, \
             and the facts on which they disagree.",
        cost: "An answer has about 300 characters for each finding; a call counts as one request.",
        examples: &[
            "What is wrong with the agent card of mesa.example?",
            "Why is mesa.example not listed?",
        ],
        tags: &["validation"],
        parameters: site,
        tool: Some("check_site"),
        method: Method::GET,
        api_path: "/sites/{domain}/report",
        interaction_path: "/check/{domain}",
        needs_session: false,
        needs_person: false,
    },
    Capability {
        name: "submit",
        title: "Submit a site",
        description: "Adds a site to those that are visited, so that its agents are listed; a known site \
             is visited again. The answer has the id of the submission, by which it is followed, or, if a known \
             site was rechecked lately, its state and the time of the next recheck.",
        cost: "An answer has about 1,000 characters; a call counts as 20 requests of the rate limit, and 60 an hour are possible.",
        examples: &["List the agents of mesa.example", "Add mesa.example"],
        tags: &["listing"],
        parameters: site,
        tool: Some("submit_site"),
        method: Method::POST,
        api_path: "/submit",
        interaction_path: "/submit",
        needs_session: true,
        needs_person: false,
    },
    Capability {
        name: "submission",
        title: "Follow a submission",
        description: "Returns the state of a submission or of a recheck, and, after the visit, what has \
             changed. A visit can wait for minutes, so ask again after a while.",
        cost: "An answer has about 1,000 characters, and more for a site with many agents; a call counts as one \
             request.",
        examples: &[
            "Has the submitted site been visited?",
            "What became of my submission?",
        ],
        tags: &["listing"],
        parameters: || {
            vec![Parameter::required(
                ID,
                "Id of the submission, as the call that made it returns it.",
            )]
        },
        tool: Some("get_submission"),
        method: Method::GET,
        api_path: "/submissions/{id}",
        interaction_path: "/submission/{id}",
        needs_session: false,
        needs_person: false,
    },
    Capability {
        name: "recheck",
        title: "Visit a site again",
        description: "Visits a site again soon, such as after a correction. The answer has the id by which \
             the visit is followed.",
        cost: "An answer has about 1,000 characters; a call counts as 20 requests of the rate limit, and 60 an hour are possible.",
        examples: &[
            "Read mesa.example again",
            "The card of mesa.example is fixed",
        ],
        tags: &["listing"],
        parameters: site,
        tool: Some("recheck_site"),
        method: Method::POST,
        api_path: "/sites/{domain}/recheck",
        interaction_path: "/recheck",
        needs_session: true,
        needs_person: false,
    },
    Capability {
        name: "leave",
        title: "Remove a site",
        description: "Removes a site and keeps it from being visited. The owner of the site \
             completes this by publishing the token in the answer.",
        cost: "An answer has about 1,000 characters; a call counts as 20 requests of the rate limit.",
        examples: &["Remove mesa.example", "Stop visiting mesa.example"],
        tags: &["listing"],
        parameters: site,
        tool: None,
        method: Method::POST,
        api_path: "/leave",
        interaction_path: "/leave",
        needs_session: true,
        needs_person: true,
    },
];

/// Parameter that names an agent, which the native API takes as two segments of its path, or a submission.
const ID: &str = "id";

impl Capability {
    /// Reports whether a call changes something, which pages of other origins may not do.
    pub(crate) fn acts(&self) -> bool {
        self.method != Method::GET
    }

    /// Reports whether its answers are pages of a list, whose length the caller limits.
    pub(crate) fn is_list(&self) -> bool {
        self.parameters().iter().any(|it| it.name == "limit")
    }

    /// Returns the parameters of all protocols but the native API.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        (self.parameters)()
    }

    /// Returns the parameters of the native API, in which an id is two segments of the path.
    pub(crate) fn api_parameters(&self) -> Vec<Parameter> {
        let parameters = self.parameters();
        if !self.is_of_agent() {
            return parameters;
        }
        let id = [
            Parameter::required("domain", "Domain of the site, such as mesa.example."),
            Parameter::required("slug", "Name of the agent at that site."),
        ];
        let others = parameters.into_iter().filter(|it| it.name != ID);
        id.into_iter().chain(others).collect()
    }

    /// Returns the texts that call it over A2A: needs of a search, else its name with its argument.
    pub(crate) fn commands(&self) -> Vec<String> {
        let mut required = self.parameters();
        required.retain(|it| it.is_required);
        let argument = match required.first().map(|it| it.name) {
            Some("q") => return self.examples.iter().map(|it| (*it).to_owned()).collect(),
            Some(ID) if self.is_of_agent() => " mesa.example/reservations",
            // No id of a submission is known beforehand.
            Some(ID) => return Vec::new(),
            Some(_) => " mesa.example",
            None => "",
        };
        vec![format!("{}{argument}", self.name)]
    }

    /// Reports whether it is about one agent.
    fn is_of_agent(&self) -> bool {
        self.api_path.contains("{slug}")
    }

    /// Returns the JSON Schema of the input.
    pub(crate) fn input_schema(&self) -> Schema {
        parameter::object(&self.parameters())
    }

    /// Returns the path in the native API at the registry's host.
    pub(crate) fn api_address(&self) -> String {
        format!("{}{}", place::API, self.api_path)
    }

    /// Returns the path below the base of the Interaction API without its variable (IA-03), and the name of
    /// the variable.
    pub(crate) fn interaction_parts(&self) -> (&'static str, Option<&'static str>) {
        match self.interaction_path.split_once("/{") {
            Some((path, variable)) => (path, Some(variable.trim_end_matches('}'))),
            None => (self.interaction_path, None),
        }
    }

    /// Returns the path in the Interaction API at the registry's host.
    pub(crate) fn interaction_address(&self) -> String {
        format!("{}{}", place::INTERACTION, self.interaction_path)
    }
}

/// Returns the filters of a search.
fn filters() -> Vec<Parameter> {
    vec![
        Parameter::filter(
            Facet::Protocol,
            "Protocol of an interface, such as a2a, mcp or rest.",
        ),
        Parameter::filter(
            Facet::Callable,
            "Best way to use the agent: `call` has a complete first call, `connect` the address of an MCP or A2A server, `run` a command, `ask` a place for credentials, and `described` nothing to call.",
        ),
        Parameter::filter(
            Facet::Category,
            "Kind of need, such as food, travel, money or developer_tools; `other` for agents of no category.",
        ),
        Parameter::filter(Facet::Auth, "Authentication scheme."),
        Parameter::filter(
            Facet::Registration,
            "`true` for agents with which a program can register by itself to get a credential.",
        ),
        Parameter::filter(Facet::Capability, "Name of a capability."),
        Parameter::filter(Facet::Format, "Format of the leading document."),
        Parameter::filter(Facet::Tag, "Tag of the agent or of a capability."),
        Parameter::filter(Facet::Site, "Domain of the site."),
    ]
}

/// Returns the parameters of a page of results.
fn page() -> Vec<Parameter> {
    ["limit", "cursor"].map(Parameter::of_search).into()
}

/// Returns the parameter of a capability about one site.
fn site() -> Vec<Parameter> {
    let description = "Domain of the site, such as mesa.example.";
    vec![Parameter::required("domain", description)]
}
