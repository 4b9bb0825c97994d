//! The manifest of `ChatGPT` plugins.
//!
//! The programme ended in 2024. Sites still publish the file, because it is a short description of
//! an API with a link to its OpenAPI document. The generic profile supplies what the format has no
//! member for.

use crate::Severity::Error;
use crate::agent::{Auth, Interface};
use crate::field::Field;
use crate::format::{Fields, Format, Input};
use crate::formats::generic;
use crate::marker::Marker;
use crate::reference;
use crate::rule::{Example, Rule};
use crate::shape::Shape::{self, Name, Open, Text, Word};
use crate::shape::{Schema, member, required};
use crate::{Agent, Fact, FormatId, Reference, auth, link};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Reader of plugin manifests.
pub(super) struct AiPlugin;

/// Plugin manifest.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Plugin {
    schema_version: Field<String>,
    name_for_human: Field<String>,
    name_for_model: Field<String>,
    description_for_human: Field<String>,
    description_for_model: Field<String>,
    auth: Field<PluginAuth>,
    api: Field<Api>,
    logo_url: Field<String>,
    contact_email: Field<String>,
    legal_info_url: Field<String>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// Authentication of the plugin.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct PluginAuth {
    #[serde(rename = "type")]
    kind: Field<String>,
    authorization_type: Field<String>,
    /// Words about the way, which the format does not define.
    instructions: Field<String>,
    client_url: Field<String>,
    authorization_url: Field<String>,
    scope: Field<String>,
}

/// Reference to the API description.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Api {
    #[serde(rename = "type")]
    kind: Field<String>,
    url: Field<String>,
}

pub(crate) static LG_01: Rule = Rule {
    id: "LG-01",
    format: "AI plugin",
    severity: Error,
    title: "A plugin has names, descriptions, auth and an OpenAPI document",
    explanation: "schema_version is v1; each name and each description is given for people and for the model, and api.url leads to the OpenAPI document.",
    section: "OpenAI plugin manifest, version v1 (withdrawn in 2024)",
    good: &[plugin(
        r#"{"schema_version": "v1", "name_for_human": "Mugs", "name_for_model": "mugs",
                "description_for_human": "Finds mugs.", "description_for_model": "Finds mugs by colour.",
                "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
                "logo_url": "https://shop.example/logo.png", "contact_email": "hello@shop.example",
                "legal_info_url": "https://shop.example/legal"}"#,
    )],
    bad: &[plugin(
        r#"{"schema_version": "1.0", "name_for_human": "Mugs", "name_for_model": "mugs"}"#,
    )],
};

impl Format for AiPlugin {
    type Manifest = Plugin;

    const ID: FormatId = FormatId::specified("ai-plugin");
    const TITLE: &'static str = "AI plugin";
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        o.contains_key("name_for_model")
    })];
    const OWN_MEANINGS: &'static [&'static str] = &["api"];
    const PLACES: &'static [&'static str] = &["/.well-known/ai-plugin.json"];
    const SHAPE: Option<&'static Schema> = Some(&PLUGIN);
    const FIELDS: Fields = &[
        (Fact::Name, &["/name_for_human", "/name_for_model"]),
        (
            Fact::Description,
            &["/description_for_human", "/description_for_model"],
        ),
        (Fact::Auth, &["/auth"]),
        (Fact::Interfaces, &["/api"]),
        (Fact::Logo, &["/logo_url"]),
        (Fact::Contact, &["/contact_email"]),
    ];
    const RULES: &'static [&'static Rule] = &[&LG_01];

    fn parse(input: &Input<'_>) -> Plugin {
        input.manifest()
    }

    fn normalize(plugin: &Plugin, input: &Input<'_>) -> Vec<Agent> {
        vec![plugin.normalize(input)]
    }

    fn references(plugin: &Plugin, input: &Input<'_>) -> Vec<Reference> {
        let api = plugin.api.get().filter(|api| api.is_description());
        let url = api.and_then(|api| api.url.raw());
        let url = url.filter(|url| !generic::is_manifest(url));
        url.and_then(|url| reference::to(input.document, "openapi", url, "/api/url"))
            .into_iter()
            .collect()
    }

    fn generation(plugin: &Plugin) -> Option<String> {
        plugin.schema_version.text()
    }
}

static PLUGIN: Schema = Schema::open(
    &LG_01,
    &[
        required("schema_version", Word(&["v1"])).of_format(),
        required("name_for_human", Name("the name that people see")).facts(&[Fact::Name]),
        required("name_for_model", Name("the name for the model")).facts(&[Fact::Key]),
        required("description_for_human", Name("what it does, for people"))
            .facts(&[Fact::Description]),
        required("description_for_model", Name("what it does, for the model")),
        member("logo_url", Text).facts(&[Fact::Logo]),
        member("contact_email", Text).facts(&[Fact::Contact]),
        member("legal_info_url", Text),
        required("auth", AUTH).what("how callers authenticate"),
        required("api", API).what("an object with type and url"),
    ],
);

const AUTH: Shape = Open(&[required(
    "type",
    Word(&["none", "service_http", "user_http", "oauth"]),
)]);

const API: Shape = Open(&[
    member("type", Word(&["openapi"])),
    required("url", Name("the URL of the OpenAPI document")),
]);

impl Api {
    /// Reports whether it leads to an OpenAPI document, as the format says.
    fn is_description(&self) -> bool {
        self.kind
            .raw()
            .is_none_or(|kind| kind.eq_ignore_ascii_case("openapi"))
    }

    /// Reports whether a program can use it; some name a web site or a file of text.
    fn is_callable(&self) -> bool {
        self.is_description() || matches!(self.kind.raw(), Some("mcp" | "a2a"))
    }
}

impl Plugin {
    fn normalize(&self, input: &Input<'_>) -> Agent {
        let absolute = |field: &Field<String>| link::absolute(&input.document.url, field.raw()?);
        let mut extensions = self.unknown.clone();
        if let Some(legal) = absolute(&self.legal_info_url) {
            extensions.insert("legal_info_url".to_owned(), legal.into());
        }
        let for_model = self.description_for_model.text();
        let for_model = for_model.filter(|_| self.description_for_human.text().is_some());
        let named = |text: String| ("description_for_model".to_owned(), text.into());
        Agent {
            specified: for_model.map(named).into_iter().collect(),
            key: self.name_for_model.text().unwrap_or_default(),
            name: (self.name_for_human.text())
                .or_else(|| self.name_for_model.text())
                .unwrap_or_default(),
            description: (self.description_for_human.text())
                .or_else(|| self.description_for_model.text()),
            logo: absolute(&self.logo_url),
            contact: self.contact_email.text(),
            auth: self.auth.get().and_then(auth_of).into_iter().collect(),
            interfaces: self.interface(input).into_iter().collect(),
            extensions,
            ..Agent::default()
        }
    }

    /// Returns the URL of the API description.
    fn interface(&self, input: &Input<'_>) -> Option<Interface> {
        let api = self.api.get().filter(|api| api.is_callable())?;
        let url = api.url.raw().filter(|url| !generic::is_manifest(url))?;
        // Some name the address of a server of another protocol here.
        let stated = api
            .kind
            .text()
            .filter(|kind| kind == "mcp" || kind == "a2a");
        Some(Interface {
            protocol: stated.unwrap_or_else(|| "openapi".to_owned()),
            url: link::absolute(&input.document.url, url)?,
            ..Interface::default()
        })
    }
}

/// Returns the authentication scheme; `service_http` and `user_http` name the kind of token in a
/// separate member.
fn auth_of(plugin: &PluginAuth) -> Option<Auth> {
    let kind = plugin.kind.raw()?;
    let word = match kind {
        "service_http" | "user_http" => plugin.authorization_type.raw().unwrap_or("bearer"),
        kind => kind,
    };
    let mut auth = Auth::of(word);
    auth.description = plugin.instructions.text();
    if auth::scheme(word) == "oauth2" {
        auth.authorization_url = plugin.client_url.text();
        auth.token_url = plugin.authorization_url.text();
        auth.scopes = plugin.scope.text().into_iter().collect();
    }
    Some(auth)
}

const fn plugin(body: &'static str) -> Example {
    Example::at("/.well-known/ai-plugin.json", body)
}
