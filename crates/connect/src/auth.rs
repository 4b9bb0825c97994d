//! Authentication of callers: the credential that a request carries, with a placeholder for the
//! secret.

use super::MAX_SHOWN;
use super::model::{Access, Call, Carrier, Draft, Obtain, Placeholder};
use manifest::agent::{Auth, Capability};
use url::Url;
use url::form_urlencoded::byte_serialize;

/// Returns the authentication of a capability: none if that is an alternative, else the first scheme whose form in
/// a request is known, else the first one; none for the call by which callers get the credential.
pub(super) fn access(auths: &[Auth], capability: Option<&Capability>) -> Access {
    let without = |kind: &str| Access {
        kind: kind.to_owned(),
        place: None,
        carrier: None,
        obtain: None,
    };
    let needed = capability.and_then(|it| it.requires_auth);
    let gives_credential = |it: &Auth| capability.is_some_and(|called| is_source(it, called));
    if needed == Some(false) || auths.iter().any(gives_credential) {
        return without("none");
    }
    let real = |it: &&Auth| needed.is_none() || it.scheme != "none";
    // Of alternatives, none is what every caller has.
    let none = auths.iter().filter(real).find(|it| it.scheme == "none");
    let known = none.or_else(|| auths.iter().filter(real).find(|it| is_sendable(it)));
    let Some(auth) = known.or_else(|| auths.iter().find(real)) else {
        return without("unknown");
    };
    let position = match (&auth.location, &auth.name) {
        (Some(place), Some(name)) => Some(format!("{place} {name}")),
        (Some(place), None) => Some(place.clone()),
        (None, _) => None,
    };
    Access {
        kind: auth.scheme.clone(),
        place: auth
            .token_url
            .clone()
            .or_else(|| auth.authorization_url.clone())
            .or_else(|| auth.metadata_url.clone())
            .or(position)
            .or_else(|| auth.docs.clone()),
        carrier: carrier(auth),
        obtain: obtain(auth),
    }
}

/// Reports whether a person has to agree in every flow that is stated.
fn needs_person(auth: &Auth) -> bool {
    !auth.flows.is_empty() && !auth.flows.iter().any(|it| it == "clientCredentials")
}

/// Returns the places at which callers get the credential of a scheme; `None` if none is stated.
fn obtain(auth: &Auth) -> Option<Obtain> {
    let is_stated = [
        &auth.registration_url,
        &auth.authorization_url,
        &auth.token_url,
        &auth.metadata_url,
        &auth.docs,
    ];
    let is_stated =
        is_stated.iter().any(|it| it.is_some()) || !auth.authorization_servers.is_empty();
    (is_stated && auth.scheme != "none").then(|| Obtain {
        by: if auth.registration_url.is_some() && !needs_person(auth) {
            "program"
        } else {
            "person"
        },
        register: auth.registration_url.clone(),
        authorize: auth.authorization_url.clone(),
        token: auth.token_url.clone(),
        flows: auth.flows.clone(),
        scopes: auth.scopes.iter().take(MAX_SHOWN).cloned().collect(),
        metadata: auth.metadata_url.clone(),
        issuers: auth.authorization_servers.clone(),
        page: auth.docs.clone(),
    })
}

/// Reports whether callers get the credential of a scheme by calling a capability: its address is the token
/// endpoint, or its path stands in the instructions.
fn is_source(auth: &Auth, capability: &Capability) -> bool {
    let Some(url) = &capability.url else {
        return false;
    };
    if auth.token_url.as_ref() == Some(url) {
        return true;
    }
    let Some(path) = Url::parse(url).ok().map(|it| it.path().to_owned()) else {
        return false;
    };
    let instructions = auth.description.as_deref().unwrap_or_default();
    let mut places = instructions.split(|it: char| it.is_whitespace() || "`\"'()<>,;".contains(it));
    path.len() > 1
        && places.any(|it| {
            let place = it.trim_end_matches(['.', ':', '!', '?']);
            place == path || place == url
        })
}

fn is_sendable(auth: &Auth) -> bool {
    auth.scheme == "none" || carrier(auth).is_some()
}

/// Returns the credential of a scheme; `None` if it has none, or if its position is not stated.
fn carrier(auth: &Auth) -> Option<Carrier> {
    let own = match auth.location.as_deref() {
        Some("query") => Some("query"),
        Some("cookie") => Some("cookie"),
        Some("header") => Some("header"),
        _ => None,
    };
    let own = own.zip(auth.name.clone());
    let secret = match auth.scheme.as_str() {
        "api_key" => {
            let (location, name) = own?;
            return Some(Carrier {
                value: match location {
                    // A key in `Authorization` has a scheme before it, which is not stated.
                    _ if name.eq_ignore_ascii_case("authorization") => "{authorization}".to_owned(),
                    _ => "{api_key}".to_owned(),
                },
                location,
                name,
            });
        }
        "bearer" | "oauth2" | "openid" => "Bearer {access_token}",
        "basic" => "Basic {credentials}",
        _ => return None,
    };
    Some(match own {
        Some((location, name)) if !name.eq_ignore_ascii_case("authorization") => Carrier {
            location,
            name,
            value: "{access_token}".to_owned(),
        },
        _ => Carrier {
            location: "header",
            name: "Authorization".to_owned(),
            value: secret.to_owned(),
        },
    })
}

/// Adds the credential to a request, unless the request has another one in its place.
pub(super) fn add(access: &Access, call: &mut Call) {
    let Some(Carrier {
        location,
        name,
        value,
    }) = &access.carrier
    else {
        return;
    };
    match *location {
        "query" => {
            let name: String = byte_serialize(name.as_bytes()).collect();
            call.add_query(&name, value);
        }
        "cookie" => call.add_header("Cookie", &format!("{name}={value}")),
        _ => call.add_header(name, value),
    }
}

/// Describes the secret, and notes what is not stated about authentication.
pub(super) fn describe(access: &Access, auths: &[Auth], draft: &mut Draft) {
    if let Some(carrier) = &access.carrier {
        let (name, meaning) = match carrier.value.as_str() {
            "{api_key}" => ("api_key", "Key of the caller"),
            "{authorization}" => ("authorization", "Scheme and credential of the caller"),
            "Basic {credentials}" => (
                "credentials",
                "User name, a colon and the password, in base64",
            ),
            _ => ("access_token", "Token of the caller"),
        };
        draft.ask(Placeholder::named(name, carrier.location, meaning));
    }
    let stated = auths.iter().find(|it| it.scheme == access.kind);
    match access.kind.as_str() {
        "unknown" => draft.lacks("auth"),
        "api_key" if access.carrier.is_none() => draft.lacks("auth.name"),
        "oauth2" | "openid"
            if stated.is_some_and(|it| {
                let places = [
                    &it.token_url,
                    &it.authorization_url,
                    &it.metadata_url,
                    &it.docs,
                ];
                places.into_iter().all(Option::is_none)
            }) =>
        {
            draft.lacks("auth.where");
        }
        "other" | "hmac" => draft.lacks("auth.how"),
        _ => {}
    }
}
