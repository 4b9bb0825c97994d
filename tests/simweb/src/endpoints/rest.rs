//! A responder for any operation over plain HTTP.

use super::{Answer, Call, Refusal, check, refused, wrong};
use http::StatusCode;
use serde_json::{Value, json};

/// Place of a parameter in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    Query,
    Body,
}

/// Parameter of an operation.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) is_required: bool,
    pub(super) schema: Value,
}

/// Operation over plain HTTP.
#[derive(Clone, Debug, Default)]
pub(super) struct Operation {
    pub(super) parameters: Vec<Parameter>,
    pub(super) needs_session: bool,
    /// Answer; a bare confirmation if there is none.
    pub(super) answer: Option<Value>,
    /// Price, if the operation has to be paid for: an entry of `accepts` of x402.
    pub(super) price: Option<Value>,
}

impl Operation {
    pub(super) fn answer(
        &self,
        call: &Call<'_>,
        variables: &[(String, String)],
    ) -> Result<Answer, Refusal> {
        let query = call.query();
        for parameter in &self.parameters {
            let given = match parameter.place {
                Place::Path => text_of(variables, &parameter.name, &parameter.schema),
                Place::Query => text_of(&query, &parameter.name, &parameter.schema),
                Place::Body => call.body.get(&parameter.name).cloned(),
            };
            match given {
                None if parameter.is_required => {
                    return wrong(format!("{} is missing", parameter.name));
                }
                None => {}
                Some(value) => {
                    let checked = check(&parameter.schema, &value);
                    checked.map_err(|(status, reason)| {
                        (status, format!("{}: {reason}", parameter.name))
                    })?;
                }
            }
        }
        let of_body = |name: &str| {
            let mut all = self.parameters.iter();
            all.any(|it| it.place == Place::Body && it.name == name)
        };
        let mut members = call.body.as_object().into_iter().flat_map(|it| it.keys());
        if let Some(name) = members.find(|it| !of_body(it)) {
            return wrong(format!("{name} is not a parameter of the body"));
        }
        if let Some(price) = &self.price {
            return paid(price, call);
        }
        let done = json!({"done": true});
        Ok(Answer::ok(self.answer.as_ref().unwrap_or(&done)))
    }
}

/// Returns a parameter of a path or a query, as the type of its schema reads it.
fn text_of(pairs: &[(String, String)], name: &str, schema: &Value) -> Option<Value> {
    let (_, text) = pairs.iter().find(|it| it.0 == name)?;
    let is_text = schema.get("type").is_none_or(|it| it == "string");
    let as_text = || Value::String(text.clone());
    Some(if is_text {
        as_text()
    } else {
        serde_json::from_str(text).unwrap_or_else(|_| as_text())
    })
}

/// Answers 402 until a payment for this price comes.
fn paid(price: &Value, call: &Call<'_>) -> Result<Answer, Refusal> {
    use base64::Engine as _;
    let Some(payment) = call.header("x-payment") else {
        return Ok(Answer {
            status: StatusCode::PAYMENT_REQUIRED,
            ..Answer::ok(&json!({"x402Version": 1, "accepts": [price]}))
        });
    };
    let payment = base64::engine::general_purpose::STANDARD.decode(payment);
    let payment: Value = serde_json::from_slice(&payment.unwrap_or_default()).unwrap_or_default();
    let is_enough = ["scheme", "network"]
        .iter()
        .all(|it| payment[it] == price[it]);
    if is_enough && payment["x402Version"] == 1 && payment["payload"].is_object() {
        return Ok(Answer::ok(&json!({"done": true})));
    }
    refused(
        StatusCode::PAYMENT_REQUIRED,
        format!("{payment} does not pay {price}"),
    )
}

/// Returns the variables of a path that fits a template, decoded.
pub(super) fn variables(template: &str, path: &str) -> Option<Vec<(String, String)>> {
    let (wanted, given) = (template.split('/'), path.split('/'));
    if wanted.clone().count() != given.clone().count() {
        return None;
    }
    let mut found = Vec::new();
    for (wanted, given) in wanted.zip(given) {
        let name = wanted.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        match name {
            Some(_) if given.is_empty() || given.starts_with('{') || given.starts_with("%7B") => {
                return None;
            }
            Some(name) => {
                let pair = format!("it={}", given.replace('+', "%2B"));
                let mut decoded = url::form_urlencoded::parse(pair.as_bytes());
                found.push((name.to_owned(), decoded.next()?.1.into_owned()));
            }
            None if wanted == given => {}
            None => return None,
        }
    }
    Some(found)
}
