//! Data of an answer, made of the body of the native API.

use super::request::{ListRequest, PAGE, STARTS};
use crate::own::capability::Capability;
use crate::protocol::operation::ApiAnswer;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

/// Members that change from request to request although the answer is the same.
const VOLATILE: [&str; 1] = ["took_ms"];

/// Returns status and data of the answer to a call of the registry at `url`.
pub(super) fn of(
    capability: &Capability,
    url: &str,
    asked: &ListRequest,
    answered: ApiAnswer,
) -> (StatusCode, Value) {
    let ApiAnswer { status, body } = answered;
    if capability.needs_person {
        return (StatusCode::OK, handoff(url, &body));
    }
    let data = match list(capability, &body) {
        Some(name) => page(capability, asked, name, body),
        None => body,
    };
    // What is queued was created.
    let status = match status {
        StatusCode::ACCEPTED => StatusCode::CREATED,
        status => status,
    };
    (status, data)
}

/// Returns the member of a body with the items of a page, if the capability lists items.
fn list(capability: &Capability, body: &Value) -> Option<&'static str> {
    let mut names = ["results", "capabilities"].into_iter();
    names.find(|name| capability.is_list() && body[*name].is_array())
}

/// Returns a page of items (IA-11).
fn page(capability: &Capability, asked: &ListRequest, items: &str, body: Value) -> Value {
    let Value::Object(mut rest) = body else {
        return Value::Null;
    };
    let results = rest.shift_remove(items).unwrap_or_default();
    rest.shift_remove("next");
    let next = STARTS.into_iter().find_map(|name| {
        let value = rest.shift_remove(&format!("next_{name}"))?;
        Some((name, value.as_str()?.to_owned()))
    });
    let is_whole = next.is_none() && asked.page == 1;
    let counted = is_whole.then(|| results.as_array().map_or(0, Vec::len));
    let total = rest.shift_remove("total").or(counted.map(Value::from));
    for name in VOLATILE {
        rest.shift_remove(name);
    }
    let mut data = json!({
        "results": results,
        "total": total,
        "page": asked.page,
        "limit": limit(capability, asked),
        "next": next.map(|(name, value)| address_of(capability, asked, name, &value)),
    });
    if let Value::Object(members) = &mut data {
        members.extend(rest);
    }
    data
}

/// Returns the number of items of a full page.
fn limit(capability: &Capability, asked: &ListRequest) -> Option<u64> {
    let given = asked.arguments.get("limit").and_then(|it| it.get(0));
    if let Some(given) = given.and_then(Value::as_str) {
        return given.parse().ok();
    }
    let parameters = capability.parameters();
    let limit = parameters.iter().find(|it| it.name == "limit")?;
    limit.schema.get("default")?.as_u64()
}

/// Returns the address of the next page, which begins at a value.
fn address_of(capability: &Capability, asked: &ListRequest, start: &str, value: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let given = asked.arguments.iter();
    for (name, values) in given.filter(|it| !STARTS.contains(&it.0.as_str())) {
        let values = values.as_array().into_iter().flatten();
        for value in values.filter_map(Value::as_str) {
            query.append_pair(name, value);
        }
    }
    query.append_pair(start, value);
    query.append_pair(PAGE, &asked.page.saturating_add(1).to_string());
    format!("{}?{}", capability.interaction_address(), query.finish())
}

/// Returns the address at which a person completes the call (IA-12).
fn handoff(url: &str, claim: &Value) -> Value {
    let domain = claim["domain"].as_str().unwrap_or_default();
    let page = claim["links"]["page"].as_str().unwrap_or_default();
    let message = format!(
        "Give this address to the owner of {domain}. It shows the token that the owner publishes to \
         complete the removal; until then nothing changes."
    );
    let mut data = Map::new();
    data.insert("handoff_url".to_owned(), format!("{url}{page}").into());
    data.insert("expires_at".to_owned(), claim["expires"].clone());
    data.insert("message".to_owned(), message.into());
    data.insert("domain".to_owned(), domain.into());
    data.insert("state".to_owned(), claim["links"]["state"].clone());
    data.into()
}
