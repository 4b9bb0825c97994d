//! Authentication in a card: OpenAPI objects up to 0.3, wrappers from 1.0 on.
//!
//! Servers built on the Python SDK merge both forms into one object, so each scheme is read from
//! either form (A2-14).

use super::card::Card;
use crate::agent::Auth;
use crate::field::{Field, List, Named, Table};
use crate::finding::Findings;
use crate::formats::a2a::rules::{A2_13, A2_14, A2_16};
use crate::{Document, auth, json, link, text};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;

mod declarations;

pub(super) use declarations::validate_schemes;

/// Maximum number of ways to authenticate that are kept of one card.
const MAX_AUTHS: usize = 100;

/// Scheme names with their scopes; a call needs all schemes of one requirement.
pub(super) type Requirement = Named<Value>;

/// A requirement as 1.0 writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RequirementOf1 {
    pub(super) schemes: Table<Value>,
}

/// One declared scheme, in the members of either form.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SecurityScheme {
    #[serde(rename = "type")]
    kind: Field<String>,
    #[serde(flatten)]
    openapi: Members,
    #[serde(rename = "apiKeySecurityScheme")]
    api_key: Field<Members>,
    #[serde(rename = "httpAuthSecurityScheme")]
    http_auth: Field<Members>,
    #[serde(rename = "oauth2SecurityScheme")]
    oauth2: Field<Members>,
    #[serde(rename = "openIdConnectSecurityScheme")]
    open_id_connect: Field<Members>,
    #[serde(rename = "mtlsSecurityScheme")]
    mtls: Field<Members>,
}

/// Members of a scheme of any type.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Members {
    #[serde(rename = "in")]
    place: Field<String>,
    location: Field<String>,
    name: Field<String>,
    scheme: Field<String>,
    flows: Table<Flow>,
    open_id_connect_url: Field<String>,
    oauth2_metadata_url: Field<String>,
    bearer_format: Field<String>,
    description: Field<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Flow {
    authorization_url: Field<String>,
    token_url: Field<String>,
    device_authorization_url: Field<String>,
    scopes: Field<Map<String, Value>>,
}

/// Returns the authentication that a security scheme of OpenAPI states, which cards up to 0.3 have as
/// well; `None` if it is none.
pub(crate) fn of_scheme(name: &str, scheme: &Value, document: &Document) -> Option<Auth> {
    let scheme: SecurityScheme = serde_json::from_value(scheme.clone()).ok()?;
    (!scheme.kind.is_absent()).then(|| scheme.auth(name, document))
}

/// Returns the authentication schemes of `card`, each once.
pub(super) fn auths(card: &Card, document: &Document) -> Vec<Auth> {
    let declared = card
        .security_schemes
        .members()
        .map(|(name, scheme)| scheme.auth(name, document));
    let legacy = legacy_words(card).into_iter().map(|word| Auth::of(&word));
    let anonymous = requirements(&card.security, &card.security_requirements)
        .is_some_and(|requirements| requirements.iter().any(Vec::is_empty))
        .then(|| Auth::of("none"));
    let mut auths: Vec<Auth> = Vec::new();
    for auth in declared.chain(legacy).chain(anonymous) {
        if auths.len() == MAX_AUTHS {
            break;
        }
        if !auths.contains(&auth) {
            auths.push(auth);
        }
    }
    auths
}

/// Reports whether a skill needs authentication by its own requirements; `None` if it has none.
pub(super) fn is_needed_by_itself(
    security: &List<Requirement>,
    security_requirements: &List<RequirementOf1>,
) -> Option<bool> {
    let own = requirements(security, security_requirements)?;
    Some(!own.is_empty() && !own.iter().any(Vec::is_empty))
}

/// Reports whether calls need authentication by the card's requirements for all skills.
pub(super) fn is_needed_by_all(card: &Card) -> Option<bool> {
    match requirements(&card.security, &card.security_requirements) {
        Some(shared) if !shared.is_empty() => {
            let open = open_schemes(card);
            let none = |names: &Vec<String>| names.iter().all(|name| open.contains(name.as_str()));
            return Some(!shared.iter().any(none));
        }
        Some(_) | None => {}
    }
    let words = legacy_words(card);
    let is_open = words.iter().any(|word| auth::scheme(word) == "none");
    (!words.is_empty()).then_some(!is_open)
}

/// Checks schemes and requirements of any generation (A2-13, A2-14, A2-16).
pub(super) fn validate(card: &Card, findings: &mut Findings) {
    for (name, scheme) in card.security_schemes.members() {
        let pointer = format_args!("/securitySchemes/{}", json::escape(name));
        if !scheme.kind.is_absent() && scheme.wrapper().is_some() {
            let message = "the forms of 0.3 and 1.0 together: normal for cards that serve both";
            findings.add(&A2_14, pointer, message);
        }
        for (flow, _) in scheme.members().flows.members() {
            if matches!(flow, "implicit" | "password") {
                let message = format!("OAuth flow `{flow}` is deprecated; use authorizationCode");
                findings.add(&A2_16, pointer, message);
            }
        }
    }
    let is_of_1_only = !card.supported_interfaces.is_absent() && card.url.is_absent();
    if is_of_1_only && !card.security.is_absent() {
        let message = "1.0 calls this `securityRequirements`";
        findings.add(A2_13.warning(), "/security", message);
    }
    let declared = card.security_schemes.get();
    let declared = declared.map_or(&[][..], |schemes| schemes.0.as_slice());
    let declared: HashSet<&str> = declared.iter().map(|(name, _)| name.as_str()).collect();
    undeclared(
        &declared,
        &card.security,
        &card.security_requirements,
        "",
        findings,
    );
    for (index, skill) in card.skills.items() {
        let at = format!("/skills/{index}");
        undeclared(
            &declared,
            &skill.security,
            &skill.security_requirements,
            &at,
            findings,
        );
    }
}

impl SecurityScheme {
    /// Returns the type and members of the 1.0 form, if present.
    fn wrapper(&self) -> Option<(&'static str, &Members)> {
        [
            ("apiKey", &self.api_key),
            ("http", &self.http_auth),
            ("oauth2", &self.oauth2),
            ("openIdConnect", &self.open_id_connect),
            ("mutualTLS", &self.mtls),
        ]
        .into_iter()
        .find_map(|(kind, members)| Some((kind, members.get()?)))
    }

    fn members(&self) -> &Members {
        match self.wrapper() {
            Some((_, members)) if self.kind.is_absent() => members,
            Some(_) | None => &self.openapi,
        }
    }

    fn auth(&self, name: &str, document: &Document) -> Auth {
        let members = self.members();
        let kind = self
            .kind
            .text()
            .or_else(|| self.wrapper().map(|(kind, _)| kind.to_owned()))
            .unwrap_or_default();
        let word = match kind.as_str() {
            "http" => members.scheme.text().unwrap_or(kind),
            _ => kind,
        };
        let mut auth = Auth::of(&word);
        auth.location = members.place.text().or_else(|| members.location.text());
        auth.name = members
            .name
            .text()
            .or_else(|| auth.name.take())
            .or_else(|| text::some(name));
        let url = |field: &Field<String>| link::absolute(&document.url, field.raw()?);
        for (flow, members) in members.flows.members() {
            auth.flows.extend(text::some(flow));
            for (scope, meaning) in members.scopes.get().into_iter().flatten() {
                let Some(scope) = text::some(scope) else {
                    continue;
                };
                if let Some(meaning) = meaning.as_str().and_then(text::some) {
                    auth.scope_descriptions.insert(scope.clone(), meaning);
                }
                auth.scopes.push(scope);
            }
            auth.authorization_url = auth
                .authorization_url
                .take()
                .or_else(|| url(&members.authorization_url))
                .or_else(|| url(&members.device_authorization_url));
            auth.token_url = auth.token_url.take().or_else(|| url(&members.token_url));
        }
        auth.metadata_url = url(&members.oauth2_metadata_url);
        auth.scopes = text::distinct(auth.scopes);
        auth.token_format = members.bearer_format.text();
        auth.description = members.description.text();
        if auth.scheme == "openid" {
            auth.metadata_url = url(&members.open_id_connect_url);
        }
        auth
    }
}

/// Returns the scheme names of each requirement; `None` if no requirements are given.
fn requirements(
    security: &List<Requirement>,
    security_requirements: &List<RequirementOf1>,
) -> Option<Vec<Vec<String>>> {
    let names = |named: &Named<Value>| named.0.iter().map(|(name, _)| name.clone()).collect();
    if security_requirements.get().is_some() {
        let items = security_requirements.items();
        return Some(
            items
                .map(|(_, requirement)| requirement.schemes.get().map(names).unwrap_or_default())
                .collect(),
        );
    }
    security.get()?;
    Some(
        security
            .items()
            .map(|(_, requirement)| names(requirement))
            .collect(),
    )
}

/// Returns the scheme names in `authentication` of 0.1.
fn legacy_words(card: &Card) -> Vec<String> {
    card.authentication
        .get()
        .map_or_else(Vec::new, |authentication| {
            let mut words = authentication.schemes.texts();
            if words.is_empty() {
                words.extend(authentication.kind.text());
            }
            words
        })
}

/// Returns the names of the declared schemes whose type means no authentication.
fn open_schemes(card: &Card) -> HashSet<&str> {
    let is_open = |scheme: &SecurityScheme| {
        let kind = scheme.kind.raw();
        kind.is_some_and(|kind| auth::scheme(kind) == "none")
    };
    let schemes = card.security_schemes.members();
    schemes
        .filter(|(_, scheme)| is_open(scheme))
        .map(|(name, _)| name)
        .collect()
}

fn undeclared(
    declared: &HashSet<&str>,
    security: &List<Requirement>,
    security_requirements: &List<RequirementOf1>,
    at: &str,
    findings: &mut Findings,
) {
    let old = security
        .items()
        .map(|(index, requirement)| (format!("{at}/security/{index}"), requirement));
    let new = security_requirements
        .items()
        .filter_map(|(index, requirement)| {
            let pointer = format!("{at}/securityRequirements/{index}/schemes");
            Some((pointer, requirement.schemes.get()?))
        });
    for (pointer, requirement) in old.chain(new) {
        for (name, _) in &requirement.0 {
            if !declared.contains(name.as_str()) {
                let name = text::clean(name, 80);
                let message = format!("`{name}` is not declared in securitySchemes");
                findings.add(A2_13.warning(), &pointer, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::sample;
    use crate::formats::read;
    use serde_json::{Map, Value, json};

    /// Searching the schemes for each requirement of each skill would take minutes here.
    #[test]
    fn a_card_of_many_schemes_requirements_and_skills_is_read_in_one_pass() {
        const MANY: usize = 1_500;
        let schemes = (0..MANY).map(|index| {
            let scheme = json!({"type": "apiKey", "in": "header", "name": format!("X-{index}")});
            (format!("s{index}"), scheme)
        });
        let card = json!({
            "name": "Keys",
            "url": "https://keys.example/a2a",
            "capabilities": {},
            "securitySchemes": schemes.collect::<Map<_, Value>>(),
            "security": (0..MANY).map(|index| json!({format!("s{index}"): []})).collect::<Vec<_>>(),
            "skills": (0..MANY).map(|index| json!({"id": format!("k{index}")})).collect::<Vec<_>>(),
        });
        let path = "/.well-known/agent-card.json";
        let reading = read(&sample("keys.example", path, card.to_string()));
        let agent = &reading.agents[0];
        let last = agent.capabilities.last().unwrap();
        assert_eq!(last.requires_auth, Some(true));
        let found = reading.findings.iter().find(|it| it.rule.id == "DI-13");
        assert!(found.unwrap().message.starts_with("1500 capabilities"));
        assert_eq!(agent.auth.len(), super::MAX_AUTHS);
    }
}
