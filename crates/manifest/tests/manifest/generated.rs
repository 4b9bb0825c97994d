//! Conversions of generated agents: converting the result again does not change it.

use crate::support::document;
use manifest::agent::{Auth, Flow, Interface, Param, Provider, RateLimit, Sessions};
use manifest::convert::{Origin, Target};
use manifest::{Agent, Capability, Domain, convert, formats, text};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

const SITE: &str = "https://quay.example";

/// Generates words with every character that has a meaning in some format.
fn words() -> impl Strategy<Value = String> {
    let cleaned = "[a-zA-Z][a-zA-Z0-9 .,:;#/*→>{}_é-]{0,24}";
    cleaned.prop_map(|words| text::clean(&words, text::MAX_CHARS))
}

fn address() -> impl Strategy<Value = String> {
    let hosts = select(vec![
        SITE,
        "https://api.quay.example",
        "https://elsewhere.example",
    ]);
    let paths = select(vec!["/", "/v1", "/v1/boats", "/v1/boats/{id}", "/x/{a}/y"]);
    (hosts, paths).prop_map(|(host, path)| format!("{host}{path}"))
}

/// Replaces the braces of a URL, so that it is not a template.
fn plain(url: &str) -> String {
    url.replace(['{', '}'], "")
}

fn param() -> impl Strategy<Value = Param> {
    let names = select(vec!["id", "a", "day", "Größe"]);
    let places = of(select(vec!["path", "query", "body", "header"]));
    let kinds = of(select(vec!["string", "integer", "array", "date"]));
    let parts = (names, places, kinds, any::<bool>(), of(words()));
    parts.prop_map(|(name, location, kind, required, description)| Param {
        name: name.to_owned(),
        location: location.map(str::to_owned),
        kind: kind.map(str::to_owned),
        description,
        required,
        ..Param::default()
    })
}

fn limit() -> impl Strategy<Value = RateLimit> {
    let scopes = select(vec!["default", "burst", "a partner"]);
    let parts = (scopes, 1_u64..1_000, select(vec![1, 60, 90, 3_600]));
    parts.prop_map(|(scope, limit, window_s)| RateLimit {
        scope: scope.to_owned(),
        limit,
        window_s,
        note: None,
    })
}

prop_compose! {
    fn capability()(
        name in words(),
        description in of(words()),
        method in of(select(vec!["GET", "POST", "PATCH", "HEAD"])),
        url in of(address()),
        mut params in prop::collection::vec(param(), 0..3),
        requires_auth in any::<Option<bool>>(),
        requires_session in any::<Option<bool>>(),
        rate_limit in of(limit()),
        tags in prop::collection::vec(words(), 0..3),
        examples in prop::collection::vec(words(), 0..3),
    ) -> Capability {
        params.dedup_by(|one, other| one.name == other.name);
        Capability {
            id: name.clone(),
            name,
            description,
            method: method.map(str::to_owned),
            endpoint: url.clone(),
            url,
            params,
            output_schema: requires_auth.map(|_| json!({"type": "object"})),
            requires_auth,
            requires_session,
            rate_limit,
            tags: text::distinct(tags),
            examples: text::distinct(examples),
            ..Capability::default()
        }
    }
}

fn auth() -> impl Strategy<Value = Auth> {
    let schemes = select(vec!["none", "api_key", "bearer", "basic", "oauth2", "hmac"]);
    let places = of(select(vec!["header", "query"]));
    (schemes, places, of(words()), of(address())).prop_map(|(scheme, location, name, url)| Auth {
        scheme: scheme.to_owned(),
        location: location.map(str::to_owned),
        name,
        authorization_url: url.as_deref().map(plain),
        token_url: url.as_deref().map(plain),
        ..Auth::default()
    })
}

fn interface() -> impl Strategy<Value = Interface> {
    let protocols = select(vec!["a2a", "mcp", "rest", "openapi", "interaction-api"]);
    let versions = of(select(vec!["0.3", "1.0"]));
    let transports = of(select(vec!["JSONRPC", "HTTP+JSON"]));
    let parts = (protocols, versions, transports, address());
    parts.prop_map(|(protocol, version, transport, url)| Interface {
        protocol: protocol.to_owned(),
        version: version.map(str::to_owned),
        url: plain(&url),
        transport: transport.map(str::to_owned),
        ..Interface::default()
    })
}

prop_compose! {
    fn agent()(
        name in words(),
        description in of(words()),
        facts in (of("[1-9]\\.[0-9]\\.0"), of(address()), of(address()), of(words())),
        capabilities in prop::collection::vec(capability(), 0..4),
        auth in prop::collection::vec(auth(), 0..3),
        interfaces in prop::collection::vec(interface(), 0..4),
        rate_limits in prop::collection::vec(limit(), 0..3),
        flow in of((words(), prop::collection::vec(words(), 0..3))),
        ttl in of(30_u64..4_000),
        modes in prop::collection::vec(select(vec!["text/plain", "text"]), 0..2),
    ) -> Agent {
        let (version, url, homepage, provider) = facts;
        Agent {
            name,
            description,
            version,
            url: url.as_deref().map(plain),
            homepage: homepage.as_deref().map(plain),
            provider: provider.map(|name| Provider { name, url: homepage.as_deref().map(plain) }),
            capabilities,
            auth,
            interfaces,
            rate_limits,
            flows: flow.map(|(name, steps)| Flow { name, description: None, steps }).into_iter().collect(),
            sessions: ttl.map(|ttl_s| Sessions {
                create: format!("{SITE}/session"),
                delete: format!("{SITE}/session"),
                ttl_s,
            }),
            input_modes: modes.iter().map(|mode| (*mode).to_owned()).collect(),
            output_modes: modes.into_iter().map(str::to_owned).collect(),
            ..Agent::default()
        }
    }
}

proptest! {
    #[test]
    fn converting_a_result_again_gives_the_same_bytes(agent in agent()) {
        let origin = Origin::new(
            Domain::parse("quay.example").unwrap(),
            format!("{SITE}/.well-known/agent-card.json").parse().unwrap(),
            "a2a-agent-card",
        );
        for target in Target::ALL {
            let written = convert(std::slice::from_ref(&agent), &origin, target);
            let Some(body) = written.body.filter(|_| target != Target::OpenApi) else {
                continue;
            };
            let served = document(&format!("{SITE}{}", target.place()), body.clone().into_bytes());
            let reading = formats::read(&served);
            prop_assert!(reading.is_valid(), "{body}\n{:#?}", reading.findings);
            if target == Target::Ard && reading.agents.is_empty() {
                continue;
            }
            let again = convert(&reading.agents, &Origin::of(&served, &reading), target);
            prop_assert_eq!(again.body, Some(body), "{:#?}", again.findings);
        }
    }
}
