//! Security requirements of an OpenAPI document, and the schemes that they name.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Maximum number of schemes of one document, and of requirements of one operation.
const MAX_SCHEMES: usize = 50;
const MAX_REQUIREMENTS: usize = 20;

/// Returns the declared schemes by their names, each as OpenAPI 3 writes it.
pub(super) fn schemes(document: &Value) -> BTreeMap<String, Value> {
    let of_3 = document.pointer("/components/securitySchemes");
    let declared = of_3.or_else(|| document.get("securityDefinitions"));
    let declared = declared.and_then(Value::as_object);
    let declared = declared.into_iter().flatten().take(MAX_SCHEMES);
    let resolved =
        declared.map(|(name, scheme)| (name, super::operation::resolved(document, scheme)));
    let objects = resolved.filter_map(|(name, scheme)| Some((name, scheme.as_object()?)));
    objects
        .map(|(name, scheme)| (name.clone(), Value::Object(of_3_from_2(scheme))))
        .collect()
}

/// Returns a scheme of Swagger 2 as one of OpenAPI 3, which has its single flow in a table.
fn of_3_from_2(scheme: &Map<String, Value>) -> Map<String, Value> {
    let mut scheme = scheme.clone();
    if let Some(flow) = scheme.remove("flow").as_ref().and_then(Value::as_str) {
        let name = match flow {
            "application" => "clientCredentials",
            "accessCode" => "authorizationCode",
            flow => flow,
        };
        let mut members = Map::new();
        for member in ["authorizationUrl", "tokenUrl", "scopes"] {
            members.extend(scheme.remove_entry(member));
        }
        scheme.insert("flows".to_owned(), json!({ name: members }));
    }
    scheme
}

/// Returns the requirements of an operation: its own, or else those of the document. Each is a list of
/// schemes that are needed together; one without schemes means that none is needed. `None` if neither
/// states any.
pub(super) fn requirements(document: &Value, operation: &Value) -> Option<Vec<Vec<String>>> {
    let stated = operation
        .get("security")
        .or_else(|| document.get("security"))?;
    let requirements = stated.as_array()?.iter().filter_map(Value::as_object);
    let names = |it: &Map<String, Value>| it.keys().take(MAX_SCHEMES).cloned().collect();
    Some(requirements.take(MAX_REQUIREMENTS).map(names).collect())
}
