//! Parameters of a request: in the query, in the path, or in a JSON object (IA-02 to IA-06).

use crate::error::AppError;
use crate::media_type;
use crate::object::Object;
use crate::own::capability::Capability;
use crate::own::parameter::Parameter;
use crate::parameter::{BadParameter, MAX_FAULTS};
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use url::form_urlencoded;

/// Parameter with the number of a page, which the address of a further page has.
pub(super) const PAGE: &str = "page";
/// Parameters that say at which item a page begins.
pub(super) const STARTS: [&str; 2] = ["cursor", "after"];
/// Maximum number of bytes of a body (IA-05).
pub(super) const MAX_BODY: usize = 64 << 10;
/// Most values in a query.
const MAX_VALUES: usize = 100;
/// Highest number of a page; it is only repeated.
const MAX_PAGE: u32 = 1_000_000;

/// Parameters of a call that the capability has; others are ignored.
#[derive(Debug)]
pub(super) struct ListRequest {
    /// Arguments of the operation.
    pub(super) arguments: Map<String, Value>,
    /// Number of the page.
    pub(super) page: u32,
}

impl ListRequest {
    /// Reads the query of a request and the variable in its path.
    pub(super) fn of_query(
        capability: &Capability,
        variable: Option<(&str, String)>,
        query: &str,
    ) -> Result<Self, AppError> {
        let known = capability.parameters();
        let is_known = |name: &str| known.iter().any(|it| it.name == name);
        let mut arguments = Map::new();
        let mut page = None;
        let pairs = form_urlencoded::parse(query.as_bytes());
        for (name, value) in pairs.take(MAX_VALUES).filter(|it| !it.1.is_empty()) {
            if name == PAGE {
                page = Some(value.into_owned());
            } else if is_known(&name) {
                let given = arguments
                    .entry(name)
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(values) = given {
                    values.push(value.into());
                }
            }
        }
        if let Some((name, value)) = variable {
            if arguments.contains_key(name) {
                return Err(bad(vec![BadParameter::repeated(name)]));
            }
            arguments.insert(name.to_owned(), value.into());
        }
        // A list of a name or a need is none; of a filter, it is for the API to judge.
        let is_list = |name: &str| {
            let given = arguments.get(name).and_then(Value::as_array);
            given.is_some_and(|it| it.len() > 1)
        };
        let repeated = known.iter().filter(|it| it.is_required && is_list(it.name));
        let faults: Vec<_> = repeated.map(|it| BadParameter::repeated(it.name)).collect();
        if !faults.is_empty() {
            return Err(bad(faults));
        }
        let is_further = STARTS.iter().any(|it| arguments.contains_key(*it));
        let is_list = known.iter().any(|it| STARTS.contains(&it.name));
        let page = match page.filter(|_| is_list) {
            Some(text) => page_number(&text, is_further).map_err(|it| bad(vec![it]))?,
            None => 1,
        };
        Ok(Self { arguments, page })
    }

    /// Takes the members of a body.
    pub(super) fn of_body(
        capability: &Capability,
        body: &Map<String, Value>,
    ) -> Result<Self, AppError> {
        let mut arguments = Map::new();
        let mut faults = Vec::new();
        for parameter in capability.parameters() {
            match body.get(parameter.name) {
                None => {}
                Some(value) if is_of_kind(value, &parameter) => {
                    arguments.insert(parameter.name.to_owned(), value.clone());
                }
                Some(_) => faults.push(bad_type(parameter.name, parameter.kind())),
            }
        }
        faults.truncate(MAX_FAULTS);
        if !faults.is_empty() {
            return Err(bad(faults));
        }
        Ok(Self { arguments, page: 1 })
    }
}

/// Reads a body that must be a JSON object; a missing one is an empty object.
pub(super) fn object(headers: &HeaderMap, body: &[u8]) -> Result<Map<String, Value>, AppError> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    if !media_type::is_json(headers) {
        return Err(AppError::MediaType(media_type::JSON));
    }
    if body.len() > MAX_BODY {
        return Err(AppError::TooLarge(MAX_BODY));
    }
    let Object { members, repeated } = serde_json::from_slice(body)
        .map_err(|error| AppError::BadBody(format!("the body is not a JSON object: {error}")))?;
    let repeated = repeated.iter().take(MAX_FAULTS);
    let faults: Vec<_> = repeated.map(|it| BadParameter::repeated(it)).collect();
    if faults.is_empty() {
        Ok(members)
    } else {
        Err(bad(faults))
    }
}

/// Returns the fault of a value of another type.
pub(super) fn bad_type(name: &str, kind: &str) -> BadParameter {
    let article = if kind.starts_with('i') { "an" } else { "a" };
    BadParameter::new(
        name,
        "bad_type",
        format!("`{name}` must be {article} {kind}"),
    )
}

fn bad(faults: Vec<BadParameter>) -> AppError {
    AppError::BadParameters(faults)
}

fn is_of_kind(value: &Value, parameter: &Parameter) -> bool {
    match parameter.kind() {
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        _ => value.is_string(),
    }
}

/// Returns the number of a page. Only the address of a further page says where it begins, so that a
/// client that counts pages by itself would get the first one again and again.
fn page_number(text: &str, is_further: bool) -> Result<u32, BadParameter> {
    let number = text.parse().ok().filter(|it| (1..=MAX_PAGE).contains(it));
    match number {
        None => Err(bad_type(PAGE, "positive integer")),
        Some(number) if number > 1 && !is_further => Err(BadParameter::new(
            PAGE,
            "no_such_page",
            "`page` does not lead to a page: follow `next` in the answer of the page before",
        )),
        Some(number) => Ok(number),
    }
}
