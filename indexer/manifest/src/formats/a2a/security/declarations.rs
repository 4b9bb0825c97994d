//! Validation of schemes and requirements in the form of each generation (A2-13).

use super::super::card::Card;
use super::super::checker::Checker;
use super::super::generation::Generation::{V01, V1, V02, V03};
use super::{Flow, Members, Requirement, RequirementOf1, SecurityScheme};
use crate::field::{Field, List, Table};
use crate::formats::a2a::rules::A2_13;
use crate::{json, text};
use serde_json::Value;

/// Checks every member of the card on authentication.
pub(in super::super) fn declarations(card: &Card, checker: &mut Checker) {
    if checker.generation == V01 {
        return authentication(card, checker);
    }
    if !checker.is_since(V02) {
        return;
    }
    let pointer = "/securitySchemes";
    let what = "an object from names to security schemes";
    checker.optional(&card.security_schemes, &A2_13, pointer, what);
    for (name, field) in all(&card.security_schemes) {
        let pointer = format!("{pointer}/{}", json::escape(name));
        let what = "a security scheme object";
        let Some(scheme) = checker.required(field, &A2_13, &pointer, what) else {
            continue;
        };
        if checker.is_since(V1) {
            scheme_of_1(scheme, &pointer, checker);
        } else {
            scheme_of_0(scheme, &pointer, checker);
        }
    }
    if checker.is_since(V1) {
        requirements_of_1(&card.security_requirements, "", checker);
    } else {
        requirements_of_0(&card.security, "", checker);
    }
    for (index, skill) in card.skills.items() {
        let at = format!("/skills/{index}");
        match checker.generation {
            V1 => requirements_of_1(&skill.security_requirements, &at, checker),
            V03 => requirements_of_0(&skill.security, &at, checker),
            _ => {}
        }
    }
}

/// Returns all members of a table, valid or not.
fn all<T>(table: &Table<T>) -> impl Iterator<Item = (&str, &Field<T>)> {
    let members = table.get().map_or(&[][..], |named| named.0.as_slice());
    members.iter().map(|(name, field)| (name.as_str(), field))
}

/// Checks `authentication`, the form of 0.1.
fn authentication(card: &Card, checker: &mut Checker) {
    let what = "an object with schemes";
    let field = &card.authentication;
    let Some(authentication) = checker.optional(field, &A2_13, "/authentication", what) else {
        return;
    };
    let pointer = "/authentication/schemes";
    let what = "the names of the schemes as a list of strings";
    checker.required(&authentication.schemes, &A2_13, pointer, what);
    checker.items(&authentication.schemes, &A2_13, pointer, "a string");
    let pointer = "/authentication/credentials";
    checker.optional(&authentication.credentials, &A2_13, pointer, "a string");
}

fn scheme_of_0(scheme: &SecurityScheme, at: &str, checker: &mut Checker) {
    let members = &scheme.openapi;
    let pointer = format_args!("{at}/type");
    let what = "apiKey, http, oauth2, openIdConnect or (0.3) mutualTLS";
    let Some(kind) = checker.required(&scheme.kind, &A2_13, pointer, what) else {
        return;
    };
    match kind.as_str() {
        "apiKey" => api_key(&members.place, &format!("{at}/in"), members, at, checker),
        "http" => http(members, at, checker),
        "oauth2" => oauth2(members, at, checker),
        "openIdConnect" => open_id_connect(members, at, checker),
        "mutualTLS" if checker.is_since(V03) => {}
        other => {
            let message = format!(
                "`{}` is not a scheme type; use {what}",
                text::clean(other, 80)
            );
            checker.findings.add(&A2_13, pointer, message);
        }
    }
}

fn scheme_of_1(scheme: &SecurityScheme, at: &str, checker: &mut Checker) {
    let wrappers = [
        ("apiKeySecurityScheme", &scheme.api_key),
        ("httpAuthSecurityScheme", &scheme.http_auth),
        ("oauth2SecurityScheme", &scheme.oauth2),
        ("openIdConnectSecurityScheme", &scheme.open_id_connect),
        ("mtlsSecurityScheme", &scheme.mtls),
    ];
    let mut given = wrappers.iter().filter(|(_, field)| field.get().is_some());
    let (Some((name, Field::Is(members))), None) = (given.next(), given.next()) else {
        let names: Vec<&str> = wrappers.iter().map(|(name, _)| *name).collect();
        let message = format!("give exactly one of {}", names.join(", "));
        checker.findings.add(&A2_13, at, message);
        return;
    };
    let at = format!("{at}/{name}");
    match *name {
        "apiKeySecurityScheme" => {
            let pointer = format!("{at}/location");
            api_key(&members.location, &pointer, members, &at, checker);
        }
        "httpAuthSecurityScheme" => http(members, &at, checker),
        "oauth2SecurityScheme" => {
            let what = "the OAuth flows as an object";
            checker.required(&members.flows, &A2_13, format_args!("{at}/flows"), what);
        }
        "openIdConnectSecurityScheme" => open_id_connect(members, &at, checker),
        _ => {}
    }
}

fn api_key(
    place: &Field<String>,
    pointer: &str,
    members: &Members,
    at: &str,
    checker: &mut Checker,
) {
    let what = "header, query or cookie";
    let place = checker.required(place, &A2_13, pointer, what);
    if place.is_some_and(|place| !matches!(place.as_str(), "header" | "query" | "cookie")) {
        let message = format!("not a place for a key; use {what}");
        checker.findings.add(&A2_13, pointer, message);
    }
    let what = "the name of the header, parameter or cookie";
    checker.required(&members.name, &A2_13, format_args!("{at}/name"), what);
}

fn http(members: &Members, at: &str, checker: &mut Checker) {
    let what = "the HTTP scheme, such as Bearer";
    checker.required(&members.scheme, &A2_13, format_args!("{at}/scheme"), what);
}

fn open_id_connect(members: &Members, at: &str, checker: &mut Checker) {
    let pointer = format_args!("{at}/openIdConnectUrl");
    let what = "the URL of the provider's metadata";
    checker.required(&members.open_id_connect_url, &A2_13, pointer, what);
}

fn oauth2(members: &Members, at: &str, checker: &mut Checker) {
    let pointer = format_args!("{at}/flows");
    let what = "the OAuth flows as an object";
    checker.required(&members.flows, &A2_13, pointer, what);
    for (name, field) in all(&members.flows) {
        let pointer = format!("{pointer}/{}", json::escape(name));
        let (needs_authorization, needs_token) = match name {
            "authorizationCode" => (true, true),
            "implicit" => (true, false),
            "clientCredentials" | "password" => (false, true),
            _ => continue,
        };
        let Some(flow) = checker.required(field, &A2_13, &pointer, "an OAuth flow") else {
            continue;
        };
        flow_members(flow, needs_authorization, needs_token, &pointer, checker);
    }
}

fn flow_members(
    flow: &Flow,
    needs_authorization: bool,
    needs_token: bool,
    at: &str,
    checker: &mut Checker,
) {
    for (name, url, is_needed) in [
        (
            "authorizationUrl",
            &flow.authorization_url,
            needs_authorization,
        ),
        ("tokenUrl", &flow.token_url, needs_token),
    ] {
        if is_needed {
            checker.required(url, &A2_13, format_args!("{at}/{name}"), "its URL");
        }
    }
    let what = "an object from scopes to what they allow";
    checker.required(&flow.scopes, &A2_13, format_args!("{at}/scopes"), what);
}

fn requirements_of_0(list: &List<Requirement>, at: &str, checker: &mut Checker) {
    let pointer = format_args!("{at}/security");
    checker.optional(list, &A2_13, pointer, "a list of requirements");
    let what = "an object from schemes to lists of scopes";
    checker.items(list, &A2_13, pointer, what);
    for (index, requirement) in list.items() {
        for (name, scopes) in &requirement.0 {
            if !scopes.get().is_some_and(is_list_of_texts) {
                let pointer = format_args!("{pointer}/{index}/{}", json::escape(name));
                let message = "give the scopes as a list of strings, empty if there are none";
                checker.findings.add(&A2_13, pointer, message);
            }
        }
    }
}

fn requirements_of_1(list: &List<RequirementOf1>, at: &str, checker: &mut Checker) {
    let pointer = format_args!("{at}/securityRequirements");
    checker.optional(list, &A2_13, pointer, "a list of requirements");
    checker.items(list, &A2_13, pointer, "an object with schemes");
    for (index, requirement) in list.items() {
        let pointer = format_args!("{pointer}/{index}/schemes");
        let what = "an object from names to {\"list\": [scopes]}";
        checker.optional(&requirement.schemes, &A2_13, pointer, what);
        for (name, scopes) in all(&requirement.schemes) {
            let scopes = scopes.get().filter(|scopes| scopes.is_object());
            let list = scopes.map(|scopes| scopes.get("list"));
            if !list.is_some_and(|list| list.is_none_or(is_list_of_texts)) {
                let pointer = format_args!("{pointer}/{}", json::escape(name));
                let message = "give the scopes as {\"list\": [scopes]}";
                checker.findings.add(&A2_13, pointer, message);
            }
        }
    }
}

fn is_list_of_texts(value: &Value) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(Value::is_string))
}
