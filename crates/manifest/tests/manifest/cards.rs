//! Conversion of A2A cards between generations, which keeps interfaces and authentication.

use crate::support::document;
use manifest::convert::{Conversion, Origin, Target};
use manifest::{Severity, convert, formats};
use serde_json::{Value, json};

fn to(card: &Value, target: Target) -> Conversion {
    let url = format!("https://quay.example{}", target.place());
    let document = document(&url, card.to_string().into_bytes());
    let reading = formats::read(&document);
    let origin = Origin::of(&document, &reading);
    convert(&reading.agents, &origin, target)
}

fn body(conversion: &Conversion) -> Value {
    let body = conversion.body.as_ref();
    let body = body.unwrap_or_else(|| panic!("{:#?}", conversion.findings));
    serde_json::from_str(body).unwrap()
}

fn of_03() -> Value {
    json!({"protocolVersion": "0.3.0", "name": "Pilot", "description": "Brings ships in.",
        "url": "https://quay.example/a2a", "preferredTransport": "JSONRPC", "version": "1.0.0",
        "capabilities": {"streaming": true}, "supportsAuthenticatedExtendedCard": true,
        "securitySchemes": {
            "a key": {"type": "apiKey", "in": "header", "name": "X-Key", "description": "Ask us"},
            "login": {"type": "oauth2", "oauth2MetadataUrl": "https://quay.example/oauth",
                "flows": {"authorizationCode": {"authorizationUrl": "https://quay.example/authorize",
                    "tokenUrl": "https://quay.example/token", "scopes": {"in": "Come in"}}}},
            "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            "spare": {"type": "mutualTLS"}},
        "security": [{"a key": [], "login": ["in"]}, {"token": []}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [
            {"id": "in", "name": "In", "description": "Brings one in.", "tags": ["sea"],
                "security": [{"login": ["in"]}]},
            {"id": "tide", "name": "Tide", "description": "Tells the tide.", "tags": ["sea"],
                "security": [{}]}]})
}

fn of_1() -> Value {
    json!({"name": "Pilot", "description": "Brings ships in.",
        "supportedInterfaces": [{"url": "https://quay.example/a2a", "protocolBinding": "JSONRPC",
            "protocolVersion": "0.3"}],
        "version": "1.0.0", "capabilities": {"streaming": true, "extendedAgentCard": true},
        "securitySchemes": {
            "a key": {"apiKeySecurityScheme": {"description": "Ask us", "location": "header",
                "name": "X-Key"}},
            "login": {"oauth2SecurityScheme": {"oauth2MetadataUrl": "https://quay.example/oauth",
                "flows": {"authorizationCode": {"authorizationUrl": "https://quay.example/authorize",
                    "tokenUrl": "https://quay.example/token", "scopes": {"in": "Come in"}}}}},
            "token": {"httpAuthSecurityScheme": {"scheme": "bearer", "bearerFormat": "JWT"}},
            "spare": {"mtlsSecurityScheme": {}}},
        "securityRequirements": [
            {"schemes": {"a key": {"list": []}, "login": {"list": ["in"]}}},
            {"schemes": {"token": {"list": []}}}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [
            {"id": "in", "name": "In", "description": "Brings one in.", "tags": ["sea"],
                "securityRequirements": [{"schemes": {"login": {"list": ["in"]}}}]},
            {"id": "tide", "name": "Tide", "description": "Tells the tide.", "tags": ["sea"],
                "securityRequirements": [{"schemes": {}}]}]})
}

#[test]
fn security_requirements_are_kept_as_published() {
    let conversion = to(&of_03(), Target::A2a);
    let mut expected = of_1();
    expected["supportedInterfaces"][0]["protocolVersion"] = json!("0.3.0");
    assert_eq!(body(&conversion), expected);
    assert_eq!(conversion.findings, []);
    let conversion = to(&of_1(), Target::A2a03);
    let mut expected = of_03();
    expected["protocolVersion"] = json!("0.3");
    assert_eq!(body(&conversion), expected);
    assert_eq!(conversion.findings, []);
}

#[test]
fn authentication_that_the_other_generation_cannot_express_is_reported() {
    let mut card = of_1();
    card["securitySchemes"]["login"]["oauth2SecurityScheme"]["flows"] = json!({"deviceCode": {
        "deviceAuthorizationUrl": "https://quay.example/device",
        "tokenUrl": "https://quay.example/token", "scopes": {"in": "Come in"}}});
    let conversion = to(&card, Target::A2a03);
    let card = body(&conversion);
    assert_eq!(card["security"], json!([{"token": []}]));
    assert_eq!(card["securitySchemes"].get("login"), None);
    assert_eq!(card["skills"][0].get("security"), None);
    let findings: Vec<_> = conversion
        .findings
        .iter()
        .flat_map(|it| it.pointers().map(|pointer| (it.rule.id, pointer)))
        .collect();
    assert_eq!(
        findings,
        [
            (
                "CV-01",
                "/securitySchemes/login/oauth2SecurityScheme/flows/deviceCode"
            ),
            ("CV-01", "/securitySchemes/login"),
            ("CV-01", "/securityRequirements"),
            ("CV-01", "/skills/0/securityRequirements"),
        ]
    );
}

#[test]
fn security_requirements_that_other_formats_cannot_express_are_reported() {
    let conversion = to(&of_03(), Target::JsonAgents);
    for (pointer, words) in [
        ("/security", "needed together"),
        ("/security", "which scopes"),
        (
            "/skills/0",
            "the separate authentication of \"In\", \"Tide\"",
        ),
    ] {
        let mut findings = conversion.findings.iter();
        let is_reported = findings.any(|it| it.pointer == pointer && it.message.contains(words));
        assert!(is_reported, "{words}: {:#?}", conversion.findings);
    }
}

#[test]
fn a_card_without_a_version_of_the_protocol_is_upgraded() {
    let card = json!({"name": "Pilot", "description": "Brings ships in.", "version": "1.0.0",
        "url": "https://quay.example/a2a", "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "in", "name": "In", "description": "Brings one in.", "tags": ["sea"]}]});
    for (target, place) in [(Target::A2a, "/supportedInterfaces/0"), (Target::A2a03, "")] {
        let conversion = to(&card, target);
        let card = body(&conversion);
        let interface = card.pointer(place).unwrap();
        assert_eq!(interface["url"], "https://quay.example/a2a");
        assert_eq!(interface["protocolVersion"], "0.3.0");
        let findings: Vec<_> = conversion
            .findings
            .iter()
            .map(|it| (it.rule.id, &*it.pointer))
            .collect();
        assert_eq!(findings, [("CV-04", "/url")]);
    }
}

#[test]
fn a_missing_fact_is_reported_with_its_field() {
    let mut card = of_1();
    card["supportedInterfaces"][0]["protocolVersion"] = json!("1.0");
    let conversion = to(&card, Target::A2a03);
    assert_eq!(conversion.body, None);
    let errors = conversion
        .findings
        .iter()
        .filter(|it| it.severity == Severity::Error);
    let errors: Vec<_> = errors.map(|it| &it.message).collect();
    assert!(errors[0].ends_with("(field `interfaces`)"), "{errors:?}");
}
