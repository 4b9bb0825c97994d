//! Plain HTTP calls: REST and the Interaction API, with their sessions.

use super::input::{Input, encoded};
use super::model::{Call, Draft, Gives, Placeholder, Session, Step, is_token};
use super::plain;
use manifest::Timestamp;
use manifest::agent::{Agent, Capability};
use serde_json::{Map, Value, json};

/// Placeholder for the token of a session.
const TOKEN: &str = "{session_token}";
/// Name of the calling agent.
const CLIENT: &str = "example-agent";

/// Drafts the call of a capability.
pub(super) fn draft(capability: Option<&Capability>, now: Option<Timestamp>) -> Draft {
    let Some(capability) = capability else {
        return Draft {
            missing: vec!["url", "method"],
            ..Draft::default()
        };
    };
    let method = capability.method.as_deref().filter(|it| is_token(it));
    match (method, &capability.url) {
        (Some(method), Some(url)) => call(method, url, capability, now),
        (method, url) => {
            let mut draft = Draft {
                url_template: url.clone(),
                ..Draft::default()
            };
            if url.is_none() {
                draft.lacks("url");
            }
            if method.is_none() {
                draft.lacks("method");
            }
            draft
        }
    }
}

/// Drafts a call. Parameters without a stated position go to the body of a method that has one
/// (IA-02).
fn call(method: &str, url: &str, capability: &Capability, now: Option<Timestamp>) -> Draft {
    let has_body = matches!(method, "POST" | "PUT" | "PATCH" | "DELETE");
    let mut draft = Draft {
        url_template: Some(url.to_owned()),
        ..Draft::default()
    };
    let mut call = Call::new(method, url);
    let mut query = Vec::new();
    let mut body = Map::new();
    let mut is_in_path = false;
    for input in Input::of(capability, now) {
        let name = &input.param.name;
        let in_path = format!("{{{name}}}");
        if url.contains(&in_path) {
            is_in_path = true;
            match input.known() {
                Some(value) => {
                    let value = encoded(&plain(&value)).replace('+', "%20");
                    call.url = call.url.replace(&in_path, &value);
                }
                None => drop(input.placeholder("path", &mut draft)),
            }
            continue;
        }
        let place = input.param.location.as_deref().unwrap_or_else(|| {
            draft.fills("params.in");
            if has_body { "body" } else { "query" }
        });
        match place {
            "query" => {
                let value = match input.known() {
                    Some(value) => encoded(&plain(&value)),
                    None => input.placeholder("query", &mut draft),
                };
                query.push((encoded(name), value));
            }
            "header" => {
                let value = plain(&input.value("header", &mut draft));
                call.add_header(name, &value);
            }
            "body" => {
                body.insert(name.clone(), input.value("body", &mut draft));
            }
            _ => {}
        }
    }
    for (name, value) in query {
        call.add_query(&name, &value);
    }
    for name in variables(&call.url) {
        draft.ask(Placeholder {
            kind: None,
            description: None,
            ..Placeholder::named(name, "path", "")
        });
    }
    if has_body && !body.is_empty() {
        call.add_header("Content-Type", "application/json");
        call.body = Some(Value::Object(body));
    } else if has_body && method != "DELETE" && !is_in_path && !call.url.contains('?') {
        // A POST without anything in it is no example of a call.
        draft.lacks("params");
        return draft;
    }
    draft.example = Some(call);
    draft
}

/// Lists the names in braces before the query of an address.
fn variables(url: &str) -> Vec<&str> {
    let path = url.split('?').next().unwrap_or_default();
    let parts = path.split('{').skip(1);
    let names = parts.filter_map(|it| Some(it.split_once('}')?.0));
    names.filter(|it| !it.is_empty()).collect()
}

/// Adds the token of the session to the call, and the requests that create and delete the session.
pub(super) fn add_session(draft: &mut Draft, agent: &Agent) -> Option<Session> {
    let sessions = agent.sessions.as_ref().map(|it| Session {
        create: it.create.clone(),
        delete: it.delete.clone(),
        ttl_s: it.ttl_s,
    });
    let (name, value) = header(agent);
    let Some(call) = &mut draft.example else {
        return sessions;
    };
    call.add_header(name, value);
    let call = call.clone();
    let meaning = "Token that the creation of a session answers";
    draft.ask(Placeholder::named("session_token", "header", meaning));
    let Some(session) = &sessions else {
        draft.lacks("session.create");
        return sessions;
    };
    if name == "Authorization" {
        draft.fills("session.header");
    }
    let body = json!({"agent_name": CLIENT});
    let mut delete = Call::new("DELETE", &session.delete);
    delete.add_header(name, value);
    draft.steps = vec![
        Step {
            name: "create_session",
            call: Call::post(&session.create, "application/json", body),
            gives: Some(Gives {
                placeholder: TOKEN,
                location: "body",
                name: "data.session_token",
            }),
        },
        Step {
            name: "call",
            call,
            gives: None,
        },
        Step {
            name: "delete_session",
            call: delete,
            gives: None,
        },
    ];
    sessions
}

/// Returns the header that carries the token of a session: `Authorization` as agents.json states,
/// unless the site's own texts name the header of the Interaction API (IA-08).
fn header(agent: &Agent) -> (&'static str, &'static str) {
    const OWN: &str = "X-Agent-Session";
    let names_own = |text: &String| text.to_ascii_lowercase().contains("x-agent-session");
    let capabilities = agent.capabilities.iter();
    let params = capabilities.clone().flat_map(|it| &it.params);
    let params = params.chain(agent.interfaces.iter().flat_map(|it| &it.params));
    let mut texts = agent
        .description
        .iter()
        .chain(
            agent
                .auth
                .iter()
                .flat_map(|it| it.name.iter().chain(&it.description)),
        )
        .chain(agent.flows.iter().flat_map(|it| &it.description))
        .chain(capabilities.flat_map(|it| &it.description))
        .chain(params.flat_map(|it| std::iter::once(&it.name).chain(&it.description)));
    if texts.any(names_own) {
        (OWN, TOKEN)
    } else {
        ("Authorization", "Bearer {session_token}")
    }
}
