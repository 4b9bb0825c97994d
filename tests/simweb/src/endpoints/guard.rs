//! Authentication at an endpoint.

use super::{Call, Refusal, refused};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use serde_json::Value;

/// API key that every endpoint accepts.
pub const KEY: &str = "key of the demo";
/// Token that every endpoint accepts.
pub const TOKEN: &str = "token-of-the-demo";
/// User name and password that every endpoint accepts.
pub const PASSWORD: &str = "demo:secret";

/// One way to authenticate.
#[derive(Clone, Debug)]
enum Way {
    Header(String),
    Query(String),
    Bearer,
    Basic,
}

/// Ways to authenticate, of which one is enough; none are needed if there are none.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard(Vec<Way>);

impl Guard {
    /// Reads `{"type": "api_key", "header": …}` and its relatives.
    pub(super) fn of_type(auth: &Value) -> Self {
        let header = auth["header"].as_str().or_else(|| auth["name"].as_str());
        let way = match auth["type"].as_str() {
            Some("api_key" | "apiKey") => header.map(|it| Way::Header(it.to_owned())),
            Some("oauth2" | "bearer") => Some(Way::Bearer),
            Some("basic") => Some(Way::Basic),
            _ => None,
        };
        Self(way.into_iter().collect())
    }

    /// Requires a header.
    pub(super) fn header(name: &str) -> Self {
        Self(vec![Way::Header(name.to_owned())])
    }

    /// Reads what an A2A card requires, of any version.
    pub(super) fn of_card(card: &Value) -> Self {
        let old = card["authentication"]["schemes"].as_array();
        let old = old
            .into_iter()
            .flatten()
            .filter_map(|it| match it.as_str()? {
                "Bearer" => Some(Way::Bearer),
                "Basic" => Some(Way::Basic),
                _ => None,
            });
        let empty = Vec::new();
        let requirements = card["security"].as_array();
        let requirements = requirements.or_else(|| card["securityRequirements"].as_array());
        let names = requirements.unwrap_or(&empty).iter().filter_map(|it| {
            let schemes = it.get("schemes").unwrap_or(it);
            schemes.as_object()?.keys().next()
        });
        let ways = names.filter_map(|name| scheme(&card["securitySchemes"][name]));
        Self(old.chain(ways).collect())
    }

    /// Refuses a call without a known credential.
    pub(super) fn check(&self, call: &Call<'_>) -> Result<(), Refusal> {
        let authorization = |scheme: &str, value: &str| {
            let given = call.header("authorization");
            given.and_then(|it| it.strip_prefix(scheme)) == Some(value)
        };
        let is_given = |way: &Way| match way {
            Way::Header(name) if name.eq_ignore_ascii_case("authorization") => {
                authorization("Bearer ", TOKEN)
            }
            Way::Header(name) => call.header(name) == Some(KEY),
            Way::Query(name) => call.query().contains(&(name.clone(), KEY.to_owned())),
            Way::Bearer => authorization("Bearer ", TOKEN),
            Way::Basic => authorization("Basic ", &STANDARD.encode(PASSWORD)),
        };
        if self.0.is_empty() || self.0.iter().any(is_given) {
            return Ok(());
        }
        refused(StatusCode::UNAUTHORIZED, format!("none of {:?}", self.0))
    }

    /// Returns the value of `WWW-Authenticate`; `None` if no way has a registered scheme.
    pub(super) fn challenge(&self) -> Option<&'static str> {
        self.0.iter().find_map(|way| match way {
            Way::Bearer => Some("Bearer"),
            Way::Header(name) if name.eq_ignore_ascii_case("authorization") => Some("Bearer"),
            Way::Basic => Some("Basic realm=\"demo\""),
            Way::Header(_) | Way::Query(_) => None,
        })
    }
}

/// Reads a security scheme of A2A: 1.0 wraps it in an object that names its kind.
fn scheme(scheme: &Value) -> Option<Way> {
    if let Some(key) = scheme.get("apiKeySecurityScheme") {
        return placed(&key["location"], &key["name"]);
    }
    if let Some(http) = scheme.get("httpAuthSecurityScheme") {
        return Some(if http["scheme"] == "Basic" {
            Way::Basic
        } else {
            Way::Bearer
        });
    }
    let is_token = ["oauth2SecurityScheme", "openIdConnectSecurityScheme"];
    if is_token.iter().any(|it| scheme.get(it).is_some()) {
        return Some(Way::Bearer);
    }
    match (scheme["type"].as_str()?, scheme["scheme"].as_str()) {
        ("apiKey", _) => placed(&scheme["in"], &scheme["name"]),
        ("http", Some("basic")) => Some(Way::Basic),
        ("http" | "oauth2" | "openIdConnect", _) => Some(Way::Bearer),
        _ => None,
    }
}

fn placed(location: &Value, name: &Value) -> Option<Way> {
    let name = name.as_str()?.to_owned();
    Some(if location == "query" {
        Way::Query(name)
    } else {
        Way::Header(name)
    })
}
