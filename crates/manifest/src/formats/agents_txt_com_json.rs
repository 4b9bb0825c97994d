//! `agents.json` of agents-txt.com, the JSON companion of its agents.txt.
//!
//! It describes no operations. It states how to pay and to authenticate, where the MCP servers
//! and `WebMCP` pages are, and which agent cards and UCP profiles to follow.
//! A file without `site` is invalid; the generic profile reads the members that it has instead.

use crate::agent::{Auth, Interface, Payment};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Document, Fact, FormatId, Reference, extension, link, payment, text};
use manifest::{Authorization, Manifest};
use serde_json::{Map, Value};

mod manifest;
mod rules;
mod shape;
mod validate;

/// Maximum number of references that are made from one list of pointers.
const MAX_POINTERS: usize = 10;
/// Maximum number of interfaces of the agent.
const MAX_INTERFACES: usize = 50;

/// Reader of the JSON companion of agents-txt.com.
pub(crate) struct AgentsTxtComJson;

impl Format for AgentsTxtComJson {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("agents-json/agents-txt-com");
    const TITLE: &'static str = rules::FORMAT;
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Self::ID, is_agents_txt_com)];
    const PLACES: &'static [&'static str] = &["/agents.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::MANIFEST);
    const OWN_MEANINGS: &'static [&'static str] = &["version"];
    const FIELDS: Fields = &[
        (Fact::Name, &["/site/name", "/name"]),
        (Fact::Description, &["/site/description", "/description"]),
        (Fact::Url, &["/site/url"]),
        (Fact::Homepage, &["/site/url"]),
        (Fact::Capabilities, &["/capabilities"]),
        (Fact::Auth, &["/authorization/protocols"]),
        (Fact::Interfaces, &["/mcp", "/webmcp"]),
        (Fact::Payments, &["/payments"]),
    ];
    const RULES: &'static [&'static Rule] = rules::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        input.manifest()
    }

    fn validate(manifest: &Manifest, _: &Input<'_>, findings: &mut Findings) {
        validate::validate(manifest, findings);
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let document = input.document;
        let site = manifest.site.get().cloned().unwrap_or_default();
        let url = site
            .url
            .raw()
            .and_then(|url| link::absolute(&document.url, url));
        let agent = Agent {
            name: site.name.text().unwrap_or_default(),
            description: site.description.text(),
            homepage: url.clone(),
            url,
            auth: auths(&manifest.authorization, document),
            interfaces: interfaces(manifest, document),
            payments: payments(&manifest.payments),
            extensions: extensions(manifest, input.value),
            ..Agent::default()
        };
        vec![agent]
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let lists = [
            ("a2a", "agent-card", &manifest.a2a),
            ("ucp", "ucp", &manifest.ucp),
        ];
        let references = lists.into_iter().flat_map(|(name, rel, list)| {
            let of_list = list.items().filter_map(move |(index, pointer)| {
                let at = format!("/{name}/{index}/url");
                reference::to(input.document, rel, pointer.url.raw()?, &at)
            });
            of_list.take(MAX_POINTERS)
        });
        reference::distinct(references)
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        manifest.version.text()
    }
}

fn auths(authorization: &Field<Authorization>, document: &Document) -> Vec<Auth> {
    let Some(authorization) = authorization.get() else {
        return Vec::new();
    };
    let discovery = authorization.discovery.raw();
    let docs = discovery.and_then(|path| link::absolute(&document.url, path));
    let protocols = authorization.protocols.texts().into_iter();
    let auth = |protocol: String| Auth {
        docs: docs.clone(),
        ..Auth::of(&protocol)
    };
    protocols.map(auth).collect()
}

fn interfaces(manifest: &Manifest, document: &Document) -> Vec<Interface> {
    let lists = [("mcp", &manifest.mcp), ("webmcp", &manifest.webmcp)];
    let interfaces = lists.into_iter().flat_map(|(protocol, list)| {
        list.items().filter_map(move |(_, pointer)| {
            Some(Interface {
                protocol: protocol.to_owned(),
                version: pointer.version.text(),
                url: link::absolute(&document.url, pointer.url.raw()?)?,
                transport: pointer.transport.text(),
                ..Interface::default()
            })
        })
    });
    interfaces.take(MAX_INTERFACES).collect()
}

/// Returns the payment protocols. `required` and `pricing` apply to all of them and are kept in
/// the extensions.
fn payments(payments: &Field<Map<String, Value>>) -> Vec<Payment> {
    let members = payments.get().into_iter().flatten();
    let ways = members.filter(|(name, _)| name.as_str() != "pricing");
    ways.filter_map(|(name, way)| {
        Some(Payment {
            protocol: text::some(name)?,
            detail: payment::words(way.as_object()?.iter()),
            ..Payment::default()
        })
    })
    .collect()
}

/// Returns the members that the normalized model has no field for, as published.
fn extensions(manifest: &Manifest, value: &Value) -> Map<String, Value> {
    let mut extensions = manifest.unknown.clone();
    let kept = [
        ("skills", "/skills"),
        ("payments.required", "/payments/required"),
        ("payments.pricing", "/payments/pricing"),
        ("authorization.identity", "/authorization/identity"),
    ];
    for (name, pointer) in kept {
        if let Some(member) = value.pointer(pointer) {
            extensions.insert(name.to_owned(), member.clone());
        }
    }
    extension::unknown(&extensions, &[])
}

fn is_agents_txt_com(o: &marker::Object) -> bool {
    let names_it =
        |name| marker::text(o, name).is_some_and(|value| value.contains("agents-txt.com"));
    let has_its_objects = ["payments", "authorization"]
        .into_iter()
        .any(|name| marker::object(o, name).is_some());
    let has_its_arrays = ["mcp", "a2a", "ucp", "webmcp"]
        .into_iter()
        .any(|name| marker::array(o, name).is_some());
    names_it("standard")
        || names_it("$schema")
        || (marker::object(o, "site").is_some() && (has_its_objects || has_its_arrays))
}
