//! Authentication as OpenAPI security schemes, which A2A uses, too.

use super::Target;
use super::losses::Report;
use crate::agent::Auth;
use crate::{Agent, Capability, Fact};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

mod published;

pub(super) use published::account;

/// Schemes that are required together, each with its scopes; an empty list permits access without
/// authentication.
pub(super) type Alternative = Vec<(String, Vec<String>)>;

/// Security schemes and requirements of a document.
pub(super) struct Security {
    /// The schemes, with the names that requirements use.
    pub(super) schemes: Vec<Scheme>,
    /// The alternatives for all calls; `None` to write nothing.
    all: Option<Vec<Alternative>>,
    own: OwnRequirements,
}

/// Requirements of single capabilities.
enum OwnRequirements {
    /// The requirements as published, by position of the capability.
    Published(HashMap<String, Vec<Alternative>>),
    /// For agents without published requirements: the value of `requires_auth` that applies to all
    /// calls.
    Shared(Option<bool>),
}

/// One scheme.
pub(super) struct Scheme {
    pub(super) name: String,
    /// OpenAPI's `type`.
    pub(super) kind: &'static str,
    /// Its other members.
    pub(super) members: Map<String, Value>,
}

impl Security {
    /// Converts the agent's authentication; what the target cannot express is reported.
    pub(super) fn of(agent: &Agent, report: &mut Report<'_>) -> Self {
        published::security(agent, report).unwrap_or_else(|| Self::of_model(agent, report))
    }

    fn of_model(agent: &Agent, report: &mut Report<'_>) -> Self {
        let mut schemes: Vec<Scheme> = Vec::new();
        for auth in agent.auth.iter().filter(|auth| auth.scheme != "none") {
            let taken = |name: &str| schemes.iter().any(|it| it.name == name);
            schemes.extend(declared(auth, taken, agent, report));
        }
        let is_open = agent.auth.iter().any(|auth| auth.scheme == "none");
        let mut needs = agent.capabilities.iter().map(|it| it.requires_auth);
        let shared = if is_open {
            Some(false)
        } else {
            let all_need_it = needs.len() > 0 && needs.all(|need| need == Some(true));
            (all_need_it && !schemes.is_empty()).then_some(true)
        };
        Self {
            all: shared.map(|_| alternatives(&schemes, is_open)),
            own: OwnRequirements::Shared(shared),
            schemes,
        }
    }

    /// Returns the alternatives for all calls; `None` to write nothing.
    pub(super) fn for_all(&self) -> Option<&[Alternative]> {
        self.all.as_deref()
    }

    /// Returns the alternatives for this capability if they differ from those for all; `None` to
    /// write nothing.
    pub(super) fn of_one(&self, capability: &Capability) -> Option<Vec<Alternative>> {
        let shared = match &self.own {
            OwnRequirements::Published(own) => return own.get(&capability.pointer).cloned(),
            OwnRequirements::Shared(shared) => *shared,
        };
        match capability.requires_auth {
            needed if needed == shared => None,
            Some(true) if !self.schemes.is_empty() => Some(alternatives(&self.schemes, false)),
            Some(false) => Some(vec![Alternative::new()]),
            Some(true) | None => None,
        }
    }

    /// Reports whether the result states if this capability needs authentication.
    pub(super) fn states(&self, capability: &Capability) -> bool {
        matches!(self.own, OwnRequirements::Published(_))
            || capability.requires_auth != Some(true)
            || !self.schemes.is_empty()
    }
}

/// Returns one alternative per scheme, and one without authentication if `is_open`.
fn alternatives(schemes: &[Scheme], is_open: bool) -> Vec<Alternative> {
    let open = is_open.then(Alternative::new);
    let named = schemes.iter().map(|it| vec![(it.name.clone(), Vec::new())]);
    open.into_iter().chain(named).collect()
}

/// Converts `auth` to a scheme with an unused name; reports it if that is impossible.
fn declared(
    auth: &Auth,
    is_taken: impl Fn(&str) -> bool,
    agent: &Agent,
    report: &mut Report<'_>,
) -> Option<Scheme> {
    let Some((kind, members)) = scheme(auth, report.target) else {
        let what = format!("authentication by {}", in_words(auth));
        report.lost(agent.place(Fact::Auth), what);
        return None;
    };
    if kind == "oauth2" && flows(auth).is_none() {
        let message = format!("{}, is written without a flow", in_words(auth));
        report.changed(agent.place(Fact::Auth), message);
    }
    report.lost_of_auth(agent, auth, &Value::Object(members.clone()));
    let wanted = name(auth);
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.clone()).chain(numbered);
    let name = names.find(|it| !is_taken(it))?;
    Some(Scheme {
        name,
        kind,
        members,
    })
}

impl Scheme {
    /// Returns the scheme in the notation of OpenAPI, which A2A shares up to 0.3.
    pub(super) fn openapi(&self) -> Value {
        let mut scheme = Map::from_iter([("type".to_owned(), json!(self.kind))]);
        scheme.extend(self.members.clone());
        Value::Object(scheme)
    }
}

/// Writes requirements in the form of OpenAPI and of A2A up to 0.3.
pub(super) fn openapi(alternatives: &[Alternative]) -> Value {
    let requirement = |alternative: &Alternative| {
        let named = alternative.iter();
        let named = named.map(|(name, scopes)| (name.clone(), json!(scopes)));
        Value::Object(named.collect())
    };
    alternatives.iter().map(requirement).collect()
}

/// Returns the scheme's type and members; `None` if a required member is not known.
///
/// OpenAPI requires no flow of OAuth, so that a call which needs a token never looks open there.
fn scheme(auth: &Auth, target: Target) -> Option<(&'static str, Map<String, Value>)> {
    let unknown = || (target == Target::OpenApi).then(|| json!({}));
    let (kind, members) = match auth.scheme.as_str() {
        "api_key" => {
            let location = auth.location.as_deref()?;
            if !matches!(location, "header" | "query" | "cookie") {
                return None;
            }
            (
                "apiKey",
                json!({"in": location, "name": auth.name.as_ref()?}),
            )
        }
        "bearer" | "basic" => ("http", json!({"scheme": auth.scheme})),
        "oauth2" => ("oauth2", json!({"flows": flows(auth).or_else(unknown)?})),
        "openid" => (
            "openIdConnect",
            json!({"openIdConnectUrl": auth.metadata_url.as_ref()?}),
        ),
        "mtls" => ("mutualTLS", json!({})),
        _ => return None,
    };
    let Value::Object(mut members) = members else {
        return None;
    };
    if let Some(description) = &auth.description {
        members.insert("description".to_owned(), json!(description));
    }
    if let Some(format) = auth
        .token_format
        .as_ref()
        .filter(|_| auth.scheme == "bearer")
    {
        members.insert("bearerFormat".to_owned(), json!(format));
    }
    Some((kind, members))
}

/// Returns the first OAuth flow whose URLs are known.
///
/// If no flow is named but both URLs are given, it is the authorization code flow: no other flow
/// that is supported here uses both.
fn flows(auth: &Auth) -> Option<Value> {
    let scopes: Map<String, Value> = auth
        .scopes
        .iter()
        .map(|scope| {
            let meaning = auth.scope_descriptions.get(scope);
            (scope.clone(), json!(meaning.map_or("", |it| it)))
        })
        .collect();
    let unnamed = ["authorizationCode".to_owned()];
    let names = match auth.flows.as_slice() {
        [] => &unnamed[..],
        names => names,
    };
    let flow = |name: &String| {
        let start = auth.authorization_url.as_ref();
        let token = auth.token_url.as_ref();
        let addresses = match name.as_str() {
            "authorizationCode" => json!({"authorizationUrl": start?, "tokenUrl": token?}),
            "clientCredentials" => json!({"tokenUrl": token?}),
            _ => return None,
        };
        let Value::Object(mut flow) = addresses else {
            return None;
        };
        flow.insert("scopes".to_owned(), Value::Object(scopes.clone()));
        Some(json!({name.as_str(): flow}))
    };
    names.iter().find_map(flow)
}

/// Returns the name for requirements: the publisher's own name if it gives one, in permitted
/// characters.
fn name(auth: &Auth) -> String {
    let own = auth.name.as_deref().filter(|_| auth.scheme != "api_key");
    let is_allowed = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
    let allowed = |it: char| if is_allowed(it) { it } else { '_' };
    own.unwrap_or(&auth.scheme).chars().map(allowed).collect()
}

fn in_words(auth: &Auth) -> String {
    match (auth.scheme.as_str(), &auth.name) {
        ("other", Some(name)) => format!("{name:?}"),
        ("api_key", _) => "an API key whose location is not given".to_owned(),
        ("oauth2", _) => oauth_in_words(auth),
        ("openid", _) => "OpenID Connect whose URL is not given".to_owned(),
        (scheme, _) => scheme.to_owned(),
    }
}

/// Says what is missing in OAuth of which no flow can be written.
fn oauth_in_words(auth: &Auth) -> String {
    let token = auth.token_url.as_ref();
    let start = auth.authorization_url.as_ref();
    match (auth.flows.as_slice(), token, start) {
        ([], None, None) => "OAuth whose URLs are not given".to_owned(),
        ([], Some(url), _) => format!("OAuth with the token URL {url}, whose flow is not named"),
        ([], None, Some(url)) => {
            format!("OAuth with the authorization URL {url}, whose token URL is not given")
        }
        (flows, ..) => {
            let flows = flows.join(", ");
            format!("OAuth by {flows}, which is not supported or lacks a URL")
        }
    }
}
