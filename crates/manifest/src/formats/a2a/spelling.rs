//! Cards whose members are in `snake_case` (A2-23).
//!
//! The JSON of protocol buffers has `camelCase` names, and its parsers also accept the names of the
//! `.proto` file. Most libraries for cards accept the first only.

use super::rules::A2_23;
use crate::finding::Finding;
use crate::format::Spelling;
use crate::json;
use serde_json::{Map, Value};

/// Members of two words or more in the objects of a card, of any generation, as the `.proto` file
/// names them.
const NAMES: [&str; 31] = [
    "protocol_version",
    "preferred_transport",
    "additional_interfaces",
    "supported_interfaces",
    "protocol_binding",
    "default_input_modes",
    "default_output_modes",
    "documentation_url",
    "icon_url",
    "security_schemes",
    "security_requirements",
    "input_modes",
    "output_modes",
    "push_notifications",
    "state_transition_history",
    "extended_agent_card",
    "supports_authenticated_extended_card",
    "api_key_security_scheme",
    "http_auth_security_scheme",
    "oauth2_security_scheme",
    "open_id_connect_security_scheme",
    "mtls_security_scheme",
    "open_id_connect_url",
    "oauth2_metadata_url",
    "bearer_format",
    "authorization_url",
    "device_authorization_url",
    "token_url",
    "refresh_url",
    "authorization_code",
    "client_credentials",
];

/// Returns the card with the names of the specification, if its own members have the others.
pub(super) fn respelled(card: &Value) -> Option<Spelling> {
    let object = card.as_object()?;
    let first = object.keys().find(|name| is_snake(name))?;
    let pointer = format!("/{}", json::escape(first));
    let message = format!(
        "{first} and the like: members are named as in the .proto file, which few libraries accept"
    );
    let finding = Finding::new(&A2_23, pointer, message)
        .with_help("write the members in camelCase")
        .with_correction(format!("{:?}", camel(first)));
    let mut value = renamed(card);
    if value.get("supportedInterfaces").is_none() {
        flatten(&mut value);
    }
    Some(Spelling {
        value,
        finding,
        original: |name| NAMES.into_iter().find(|snake| camel(snake) == name),
    })
}

fn is_snake(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Returns a value in which the members have the names of the specification. A member that has both
/// keeps the one of the specification.
fn renamed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter_map(|(name, value)| {
                if !is_snake(name) {
                    return Some((name.clone(), renamed(value)));
                }
                let name = camel(name);
                (!members.contains_key(&name)).then(|| (name, renamed(value)))
            });
            Value::Object(members.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(renamed).collect()),
        other => other.clone(),
    }
}

/// Writes the security schemes of a card before 1.0 as its JSON has them: with their type, and not in a
/// member that is named after it.
fn flatten(card: &mut Value) {
    const TYPES: [(&str, &str); 5] = [
        ("apiKeySecurityScheme", "apiKey"),
        ("httpAuthSecurityScheme", "http"),
        ("oauth2SecurityScheme", "oauth2"),
        ("openIdConnectSecurityScheme", "openIdConnect"),
        ("mtlsSecurityScheme", "mutualTLS"),
    ];
    let schemes = card
        .get_mut("securitySchemes")
        .and_then(Value::as_object_mut);
    for scheme in schemes.into_iter().flat_map(Map::values_mut) {
        let Some((name, kind)) = TYPES.iter().find(|(name, _)| scheme[*name].is_object()) else {
            continue;
        };
        let mut inner = scheme[*name].take();
        if let Some(members) = inner.as_object_mut() {
            members.insert("type".to_owned(), (*kind).into());
            if let Some(location) = members.shift_remove("location") {
                members.insert("in".to_owned(), location);
            }
        }
        *scheme = inner;
    }
}

/// Returns a name of the `.proto` file as JSON has it.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (first, rest) = part.split_at(part.len().min(1));
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a2_23_names_of_the_proto_file_are_renamed_at_any_depth() {
        let card = json!({"name": "A", "supported_interfaces": [{"protocol_binding": "GRPC"}],
            "security_schemes": {"my_key": {"api_key_security_scheme": {"location": "header"}}}});
        let spelling = respelled(&card).unwrap();
        assert_eq!(
            spelling.value,
            json!({"name": "A", "supportedInterfaces": [{"protocolBinding": "GRPC"}],
                "securitySchemes": {"my_key": {"apiKeySecurityScheme": {"location": "header"}}}})
        );
        assert_eq!(
            spelling.pointer(
                "/securitySchemes/my_key/apiKeySecurityScheme/location",
                &card
            ),
            "/security_schemes/my_key/api_key_security_scheme/location"
        );
        assert_eq!(spelling.pointer("/url", &card), "/url");
        assert!(respelled(&json!({"name": "A", "skills": []})).is_none());
    }
}
