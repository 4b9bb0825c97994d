//! Arguments of a call, checked by name and written as a request to the API.

use super::Operation;
use crate::action::address;
use crate::own::place;
use crate::parameter::{BadParameter, MAX_FAULTS};
use crate::query::{self, characters};
use crate::view;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{self, Method, Request};
use manifest::Domain;
use serde_json::{Map, Value};
use url::form_urlencoded;

/// Argument that limits the length of an answer.
pub(super) const BUDGET: &str = "budget_chars";
/// Characters of an answer without that argument: about 5,000 tokens.
pub(super) const DEFAULT_BUDGET: usize = 20_000;
/// Argument that names an agent, which the API takes as two segments of the path, or a submission.
const ID: &str = "id";
/// Part of the budget of a search that is for what stands beside its results.
const BESIDE_RESULTS: usize = 2_000;

/// Request to the API.
#[derive(Debug)]
pub(super) struct Call {
    method: Method,
    path: String,
    /// Parameters of the query, or members of the body.
    given: Vec<(String, Vec<String>)>,
    budget: usize,
}

impl Call {
    /// Checks the names and types of arguments; the API checks the values.
    pub(super) fn new(
        operation: &Operation,
        arguments: Map<String, Value>,
    ) -> Result<Self, Vec<BadParameter>> {
        let known = operation.input.get("properties").and_then(Value::as_object);
        let known: Vec<&str> = known
            .into_iter()
            .flatten()
            .map(|it| it.0.as_str())
            .collect();
        let mut faults = Vec::new();
        let mut given = Vec::new();
        for (name, value) in arguments {
            if faults.len() >= MAX_FAULTS {
                break;
            }
            if !known.contains(&name.as_str()) {
                faults.push(BadParameter::unknown(&name, &known));
                continue;
            }
            match texts(&value) {
                Some(texts) if texts.iter().all(|it| it.trim().is_empty()) => {}
                Some(texts) => given.push((name, texts)),
                None => faults.push(bad_type(&name)),
            }
        }
        let required = operation.input.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        for name in required {
            let is_known_fault = faults.iter().any(|it| it.pointer == name);
            if !is_known_fault && !given.iter().any(|it| it.0 == name) {
                let message = format!("`{name}` is required");
                faults.push(BadParameter::new(name, "missing", message));
            }
        }
        let budget = match take(&mut given, BUDGET) {
            None => DEFAULT_BUDGET,
            Some(text) => characters(BUDGET, &text).unwrap_or_else(|fault| {
                faults.push(fault);
                DEFAULT_BUDGET
            }),
        };
        let capability = &operation.capability;
        let path = path(capability.api_path, &mut given, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            method: capability.method.clone(),
            path,
            given,
            budget,
        })
    }

    /// Lets a search stay within the budget.
    pub(super) fn limit_results(&mut self) {
        if self.path == format!("{}/search", place::API) {
            let results = self.budget.saturating_sub(BESIDE_RESULTS);
            let results = results.max(*query::BUDGET.start());
            self.given
                .push((BUDGET.to_owned(), vec![results.to_string()]));
        }
    }

    /// Returns the most characters of the answer.
    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    /// Returns the number of items that the call asks for, if it does.
    pub(super) fn limit(&self) -> Option<usize> {
        let limit = self.given.iter().find(|it| it.0 == "limit");
        limit?.1.first()?.parse().ok()
    }

    /// Asks for fewer items.
    pub(super) fn set_limit(&mut self, limit: usize) {
        take(&mut self.given, "limit");
        self.given
            .push(("limit".to_owned(), vec![limit.to_string()]));
    }

    /// Takes the address of another spelling, which repeats the query.
    pub(super) fn redirect(&mut self, location: &str) {
        let path = location.split('?').next().unwrap_or_default();
        path.clone_into(&mut self.path);
    }

    /// Returns the request.
    pub(super) fn request(&self) -> Result<Request<Body>, http::Error> {
        let request = Request::builder().method(self.method.clone());
        if self.method == Method::GET {
            let mut query = form_urlencoded::Serializer::new(String::new());
            for (name, values) in &self.given {
                for value in values {
                    query.append_pair(name, value);
                }
            }
            let address = query::location(&self.path, &query.finish());
            return request.uri(address).body(Body::empty());
        }
        let request = request.uri(&self.path);
        if self.given.is_empty() {
            return request.body(Body::empty());
        }
        let first = |(name, values): &(String, Vec<String>)| {
            (name.clone(), Value::from(values.first().cloned()))
        };
        let body: Map<String, Value> = self.given.iter().map(first).collect();
        let body = Value::Object(body).to_string();
        let request = request.header(CONTENT_TYPE, "application/json");
        request.body(Body::from(body))
    }
}

/// Fills in the variables of a path below the base of the API.
fn path(
    template: &str,
    given: &mut Vec<(String, Vec<String>)>,
    faults: &mut Vec<BadParameter>,
) -> String {
    let (domain, slug) = if template.contains("{slug}") {
        let id = take(given, ID).unwrap_or_default();
        // Answers have the id as a URN too. Names of segments that a path cannot have are those of no agent.
        let of_urn = id.strip_prefix("urn:air:");
        let of_urn = of_urn.and_then(|it| it.split_once(":agent:"));
        let parts = of_urn.or_else(|| id.split_once('/'));
        let parts = parts.filter(|(domain, _)| Domain::parse(domain).is_ok());
        let parts = parts.filter(|(_, slug)| !["", ".", ".."].contains(slug));
        let Some((domain, slug)) = parts else {
            if !id.is_empty() {
                let message = format!(
                    "`{}` is not the id of an agent, which has the form mesa.example/reservations",
                    manifest::text::clean(&id, 100)
                );
                faults.push(BadParameter::new(ID, "bad_id", message));
            }
            return String::new();
        };
        (domain.to_owned(), slug.to_owned())
    } else if template.contains("{domain}") {
        (take(given, "domain").unwrap_or_default(), String::new())
    } else {
        (String::new(), String::new())
    };
    let domain = match address::site(&domain) {
        Ok(domain) => domain.to_string(),
        Err(error) => {
            if !domain.is_empty() {
                let domain = manifest::text::clean(&domain, 100);
                let message = format!("`{domain}` is not a domain: {error}");
                faults.push(BadParameter::new("domain", "bad_domain", message));
            }
            String::new()
        }
    };
    let submission = if template.contains("{id}") {
        submission(given, faults)
    } else {
        String::new()
    };
    let base = place::API.split('/').skip(1);
    let segments = base.chain(template.split('/').skip(1));
    let segments: Vec<&str> = segments
        .map(|segment| match segment {
            "{domain}" => domain.as_str(),
            "{slug}" => slug.as_str(),
            "{id}" => submission.as_str(),
            fixed => fixed,
        })
        .collect();
    view::path(&segments)
}

/// Removes the id of a submission and returns it.
fn submission(given: &mut Vec<(String, Vec<String>)>, faults: &mut Vec<BadParameter>) -> String {
    let id = take(given, ID).unwrap_or_default();
    // A segment of a path that is not empty, and does not change the path.
    let is_segment = id
        .bytes()
        .all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it));
    if !is_segment {
        let message = format!(
            "`{}` is not the id of a submission",
            manifest::text::clean(&id, 100)
        );
        faults.push(BadParameter::new(ID, "bad_id", message));
    }
    id
}

/// Removes an argument and returns its first value.
fn take(given: &mut Vec<(String, Vec<String>)>, name: &str) -> Option<String> {
    let at = given.iter().position(|it| it.0 == name)?;
    given.remove(at).1.into_iter().next()
}

/// Returns a value, or the values of a list, as text; `None` for any other type.
fn texts(value: &Value) -> Option<Vec<String>> {
    let one = |value: &Value| match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    };
    match value {
        Value::Array(items) => items.iter().map(one).collect(),
        other => Some(vec![one(other)?]),
    }
}

fn bad_type(name: &str) -> BadParameter {
    let message = format!("`{name}` must be a text, a number, a boolean, or a list of them");
    BadParameter::new(name, "bad_type", message)
}
