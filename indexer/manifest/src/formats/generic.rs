//! The generic profile: a JSON object that describes a service but follows no specification.
//!
//! Most sites that publish something for agents follow no specification, but use similar member
//! names. Each field is read from the first member with a usual name. Every guess is reported with
//! its JSON pointer (GP-01), so that owners can see and correct what was read.
//! A document that does not describe a service is not listed (GP-05).
//!
//! Formats that are detected but have no reader of their own are read the same way, because they
//! use the usual names. Their listings have level C.

use super::nearest;
use crate::agent::{Payment, Provider, RateLimit};
use crate::auth;
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::Marker;
use crate::rule::Rule;
use crate::rule::profile;
use crate::rule::profile::{GP_01, GP_02, GP_03, GP_05};
use crate::{Agent, Finding, FormatId, Reference, agent, extension, link, placeholder, rate, text};
use lookup::find;
use names::{
    AUTHS, CONTACTS, DESCRIPTIONS, DOCS, LANGUAGES, LOGOS, NAMES, PAYMENTS, PROVIDERS, RATE_LIMITS,
    TAGS, URLS, VERSIONS,
};
use serde_json::{Map, Value};

mod capabilities;
mod interfaces;
mod lookup;
mod names;
mod readable;
mod subject;
#[cfg(test)]
mod tests;

pub(super) use readable::{is_readable, is_service};

/// Reader of objects in no specified format.
pub(crate) struct Profile;

/// Result of guessing.
pub(crate) struct Manifest {
    agent: Option<Agent>,
    findings: Vec<Finding>,
    references: Vec<Reference>,
}

impl Format for Profile {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::habit("profile");
    const TITLE: &'static str = "Service profile in no specified format";
    const MARKERS: &'static [Marker] = &[Marker::weak(Self::ID, is_readable)];
    const PLACES: &'static [&'static str] = &[
        "/.well-known/agents.json",
        "/.well-known/agent.json",
        "/agents.json",
        "/agent.json",
    ];
    const RULES: &'static [&'static Rule] = profile::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        let mut guesses = ProfileReader {
            input,
            used: Vec::new(),
            findings: Findings::default(),
            references: Vec::new(),
        };
        let agent = input
            .value
            .as_object()
            .and_then(|object| guesses.agent(object));
        Manifest {
            agent,
            findings: guesses.findings.into_vec(),
            references: guesses.references,
        }
    }

    fn validate(manifest: &Manifest, _: &Input<'_>, findings: &mut Findings) {
        for finding in &manifest.findings {
            findings.push(finding.clone());
        }
    }

    fn normalize(manifest: &Manifest, _: &Input<'_>) -> Vec<Agent> {
        manifest.agent.clone().into_iter().collect()
    }

    fn references(manifest: &Manifest, _: &Input<'_>) -> Vec<Reference> {
        manifest.references.clone()
    }
}

/// Completes an agent without capabilities that the reader of a specified format returned, with
/// what the generic profile reads.
///
/// Most documents that break such a format are profiles that share a member's name with it. They
/// remain invalid, but their capabilities are shown.
pub(super) fn complete(agent: &mut Agent, input: &Input<'_>) {
    if !agent.capabilities.is_empty() {
        return;
    }
    let guessed = Profile::normalize(&Profile::parse(input), input);
    let Some(guessed) = guessed.into_iter().next() else {
        return;
    };
    agent.capabilities = guessed.capabilities;
    agent.description = agent.description.take().or(guessed.description);
    agent.contact = agent.contact.take().or(guessed.contact);
    agent.docs = agent.docs.take().or(guessed.docs);
    agent.provider = agent.provider.take().or(guessed.provider);
    if agent.name.is_empty() {
        agent.name = guessed.name;
    }
    if agent.tags.is_empty() {
        agent.tags = guessed.tags;
    }
}

/// Returns the subject of an object that declares itself to be no service (GP-05).
pub(super) fn declared_subject(object: &Map<String, Value>) -> Option<&'static str> {
    subject::named(object)
}

/// Reader of a generic profile, with the fields read so far and the findings on them.
struct ProfileReader<'a> {
    input: &'a Input<'a>,
    /// Fields that were read, each with the JSON pointer of its member.
    used: Vec<(&'static str, String)>,
    findings: Findings,
    references: Vec<Reference>,
}

impl ProfileReader<'_> {
    fn agent(&mut self, object: &Map<String, Value>) -> Option<Agent> {
        let mut agent = Agent {
            name: self.text(object, "name", NAMES).unwrap_or_default(),
            description: self.text(object, "description", DESCRIPTIONS),
            url: self.url(object, "url", URLS),
            version: self.text(object, "version", VERSIONS),
            provider: self.provider(object),
            contact: self.contact(object),
            docs: self.url(object, "docs", DOCS),
            logo: self.url(object, "logo", LOGOS),
            tags: texts(object, TAGS),
            languages: texts(object, LANGUAGES),
            auth: auths(object),
            payments: payments(object),
            rate_limits: rate_limits(object),
            ..Agent::default()
        };
        agent.homepage.clone_from(&agent.url);
        self.capabilities(object, &mut agent);
        self.interfaces(object, &mut agent);
        if let Some(subject) = subject::other(object, &agent) {
            let message =
                format!("this does not describe a service ({subject}); it is kept, not listed");
            self.findings.add(&GP_05, "", message);
            return None;
        }
        // These fields hold only part of the members, so the members are kept as extensions too.
        agent.extensions = extension::unknown(object, &self.used_members());
        for (field, names, is_given) in [
            ("tags", TAGS, !agent.tags.is_empty()),
            ("languages", LANGUAGES, !agent.languages.is_empty()),
            ("auth", AUTHS, !agent.auth.is_empty()),
            ("payments", PAYMENTS, !agent.payments.is_empty()),
            ("rate_limits", RATE_LIMITS, !agent.rate_limits.is_empty()),
        ] {
            if let Some(found) = find(object, names).next().filter(|_| is_given) {
                self.use_pointer(field, &found.pointer);
            }
        }
        self.explain(object);
        let used = self.used.iter().rev();
        agent.pointers = used
            .map(|(field, pointer)| ((*field).to_owned(), pointer.clone()))
            .collect();
        Some(agent)
    }

    /// Reports which members were used (GP-01) and which format the object resembles (GP-02).
    fn explain(&mut self, object: &Map<String, Value>) {
        let used: Vec<String> = self
            .used
            .iter()
            .map(|(field, pointer)| format!("{field} from {pointer}"))
            .collect();
        let used = used.join(", ");
        let message = format!("no specification recognised; read {used}");
        self.findings.add(&GP_01, "", message);
        if let Some(nearest) = nearest::to(object).filter(nearest::Nearest::is_close) {
            let finding = Finding::new(
                &GP_02,
                "",
                format!("almost in the format {}", nearest.words()),
            );
            self.findings.push(nearest.advise(finding));
        }
    }

    fn used_members(&self) -> Vec<&str> {
        let first_step = |(_, pointer): &'_ (&'static str, String)| -> usize {
            pointer[1..].find('/').map_or(pointer.len(), |at| at + 1)
        };
        self.used
            .iter()
            .map(|used| &used.1[1..first_step(used)])
            .collect()
    }

    fn use_pointer(&mut self, field: &'static str, pointer: &str) {
        self.used.push((field, pointer.to_owned()));
    }

    /// Returns the first text among `names` that is not a placeholder (GP-03).
    fn text(
        &mut self,
        object: &Map<String, Value>,
        field: &'static str,
        names: &[&'static str],
    ) -> Option<String> {
        for found in find(object, names) {
            let number;
            let raw = match found.value {
                Value::String(raw) => raw,
                Value::Number(digits) if field == "version" => {
                    number = digits.to_string();
                    &number
                }
                _ => continue,
            };
            if let Some(text) = self
                .unless_placeholder(&found.pointer, raw)
                .and_then(text::some)
            {
                self.use_pointer(field, &found.pointer);
                return Some(text);
            }
        }
        None
    }

    /// Returns the first URL among `names` that is not a placeholder (GP-03).
    fn url(
        &mut self,
        object: &Map<String, Value>,
        field: &'static str,
        names: &[&'static str],
    ) -> Option<String> {
        for found in find(object, names) {
            let Value::String(raw) = found.value else {
                continue;
            };
            if let Some(url) = self
                .unless_placeholder(&found.pointer, raw)
                .and_then(|raw| self.absolute(raw))
            {
                self.use_pointer(field, &found.pointer);
                return Some(url);
            }
        }
        None
    }

    fn absolute(&self, raw: &str) -> Option<String> {
        link::guessed(&self.input.document.url, raw)
    }

    /// Returns the value unless it is a placeholder, which is reported (GP-03).
    fn unless_placeholder<'v>(&mut self, pointer: &str, raw: &'v str) -> Option<&'v str> {
        let Some(placeholder) = placeholder::mark(self.input.document, raw) else {
            return Some(raw);
        };
        let message = format!(
            "a placeholder from a template ({placeholder}), which was ignored; \
             put the real value here"
        );
        self.findings.add(&GP_03, pointer, message);
        None
    }

    fn contact(&mut self, object: &Map<String, Value>) -> Option<String> {
        let contact = self.text(object, "contact", CONTACTS)?;
        let contact = contact.strip_prefix("mailto:").unwrap_or(&contact);
        Some(contact.to_owned())
    }

    fn provider(&mut self, object: &Map<String, Value>) -> Option<Provider> {
        for found in find(object, PROVIDERS) {
            let (name, url) = match found.value {
                Value::String(name) => (Some(name.as_str()), None),
                Value::Object(provider) => {
                    let text = |names: &[&'static str]| {
                        find(provider, names).find_map(|found| found.value.as_str())
                    };
                    (
                        text(&["name", "organization", "company"]),
                        text(&["url", "website", "homepage"]),
                    )
                }
                _ => continue,
            };
            let name = name
                .and_then(|name| self.unless_placeholder(&found.pointer, name))
                .and_then(text::some);
            if let Some(name) = name {
                self.use_pointer("provider", &found.pointer);
                let url = url.and_then(|url| self.absolute(url));
                return Some(Provider { name, url });
            }
        }
        None
    }
}

/// Returns the strings at all of `names`, each once, 100 at most.
fn texts(object: &Map<String, Value>, names: &[&'static str]) -> Vec<String> {
    let strings = find(object, names).flat_map(|found| match found.value {
        Value::String(one) => vec![one.as_str()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    text::distinct(strings.filter_map(text::some).take(100))
}

fn auths(object: &Map<String, Value>) -> Vec<agent::Auth> {
    let mut schemes: Vec<agent::Auth> = Vec::new();
    let words = find(object, AUTHS).flat_map(|found| match found.value {
        Value::String(word) => vec![word.as_str()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::Object(members) => ["type", "scheme", "schemes", "method", "methods"]
            .into_iter()
            .filter_map(|name| members.get(name))
            .flat_map(|value| match value {
                Value::String(word) => vec![word.as_str()],
                Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            })
            .collect(),
        _ => Vec::new(),
    });
    for word in words.take(20) {
        let scheme = agent::Auth::of(word);
        let is_sentence = auth::scheme(word) == "other" && word.split_whitespace().count() > 3;
        if !is_sentence && !schemes.contains(&scheme) {
            schemes.push(scheme);
        }
    }
    schemes
}

/// Returns the first limit that can be read, or all limits of a map from scopes to limits.
fn rate_limits(object: &Map<String, Value>) -> Vec<RateLimit> {
    const MAX_SCOPES: usize = 20;
    let limits = find(object, RATE_LIMITS).map(|found| match found.value {
        Value::Object(scopes) if rate::read("default", found.value).is_none() => scopes
            .iter()
            .filter_map(|(scope, limit)| rate::read(&text::some(scope)?, limit))
            .take(MAX_SCOPES)
            .collect(),
        limit => Vec::from_iter(rate::read("default", limit)),
    });
    limits
        .into_iter()
        .find(|limits| !limits.is_empty())
        .unwrap_or_default()
}

fn payments(object: &Map<String, Value>) -> Vec<Payment> {
    const PROTOCOLS: [&str; 4] = ["x402", "mpp", "ap2", "acp"];
    let mut payments: Vec<Payment> = Vec::new();
    for found in find(object, PAYMENTS) {
        if matches!(found.value, Value::Null | Value::Bool(false)) {
            continue;
        }
        let detail = match found.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let lower = format!("{} {}", found.pointer, detail.to_lowercase());
        let protocol = PROTOCOLS
            .into_iter()
            .find(|protocol| lower.contains(protocol));
        let payment = Payment {
            protocol: protocol.unwrap_or("other").to_owned(),
            detail: text::some(&text::clean(&detail, 300)),
            ..Payment::default()
        };
        if payments
            .iter()
            .all(|other| other.protocol != payment.protocol)
        {
            payments.push(payment);
        }
    }
    payments
}
