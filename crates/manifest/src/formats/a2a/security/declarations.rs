//! Validation of security schemes by their type (A2-13).

use super::SecurityScheme;
use crate::finding::Findings;
use crate::formats::a2a::card::Card;
use crate::formats::a2a::generation::Generation::{self, V1, V02};
use crate::formats::a2a::rules::A2_13;
use crate::formats::a2a::shape;
use crate::{json, text};
use serde_json::Value;

/// Checks the members that each scheme's type requires; `published` is the card.
pub(in super::super) fn validate_schemes(
    card: &Card,
    generation: Generation,
    published: &Value,
    findings: &mut Findings,
) {
    if generation < V02 {
        return;
    }
    for (name, scheme) in card.security_schemes.members() {
        let pointer = format!("/securitySchemes/{}", json::escape(name));
        if generation >= V1 {
            count_of_1(scheme, &pointer, findings);
        } else if let Some(kind) = scheme.kind.get() {
            let published = &published["securitySchemes"][name];
            let edition = generation.edition();
            if let Some(members) = shape::scheme_of_0(kind, edition) {
                members.check_as(edition, published, &pointer, findings);
                continue;
            }
            let message = format!(
                "`{}` is not a scheme type; use apiKey, http, oauth2, openIdConnect or (0.3) \
                 mutualTLS",
                text::clean(kind, 80)
            );
            findings.add(&A2_13, format!("{pointer}/type"), message);
        }
    }
}

/// Checks that a scheme of 1.0 has one of the members that stand for a type.
fn count_of_1(scheme: &SecurityScheme, at: &str, findings: &mut Findings) {
    let given = [
        scheme.api_key.get(),
        scheme.http_auth.get(),
        scheme.oauth2.get(),
        scheme.open_id_connect.get(),
        scheme.mtls.get(),
    ];
    if given.iter().flatten().count() != 1 {
        let message = "give exactly one of apiKeySecurityScheme, httpAuthSecurityScheme, \
            oauth2SecurityScheme, openIdConnectSecurityScheme, mtlsSecurityScheme";
        findings.add(&A2_13, at, message);
    }
}
