//! The generic profile: a JSON object that describes a service in nobody's format (FORMATS.md 11.10).
//!
//! Most sites that publish something for agents follow no specification, yet use the same words.
//! Each field is read from the first member that looks like it, and every guess is reported with
//! its JSON pointer (GP-01), so that owners see what was understood and what to mend.
//! What is about something else (GP-05) is not listed.
//!
//! Formats that are recognised and have no reader of their own are read the same way: their
//! words are the usual ones, and a level-C listing is worth more than none.

use crate::agent::{Payment, Provider, RateLimit};
use crate::auth;
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::rules::Rule;
use crate::{Agent, Finding, FormatId, Reference, agent, extension, leftover, link, rate, text};
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
mod rules;
mod subject;
#[cfg(test)]
mod tests;

pub(super) use readable::{is_readable, is_service};

/// The registration file of an agent on a blockchain: its `services` are addresses, not skills.
const ERC_8004: FormatId = FormatId("erc-8004");

/// The format of what follows no format.
pub(crate) struct Profile;

/// What was guessed.
pub(crate) struct Manifest {
    agent: Option<Agent>,
    findings: Vec<Finding>,
    references: Vec<Reference>,
}

impl Format for Profile {
    type Manifest = Manifest;

    const ID: FormatId = FormatId("profile");
    const TITLE: &'static str = "Service profile in no specified format";
    const PLACES: &'static [&'static str] = &[
        "/.well-known/agents.json",
        "/.well-known/agent.json",
        "/agents.json",
        "/agent.json",
    ];
    const RULES: &'static [Rule] = rules::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        let mut guesses = Guesses {
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

/// Fills in what the reader of a specified format found nothing for, by the habits of profiles.
///
/// Most documents that break such a format are profiles which share a member's name with it;
/// they stay invalid, and a visitor still sees what they can do.
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

/// What an object in no format is about, when it says so itself (GP-05).
pub(super) fn other_subject(object: &Map<String, Value>) -> Option<&'static str> {
    subject::named(object)
}

/// The guesses made so far, and what there is to say about them.
struct Guesses<'a> {
    input: &'a Input<'a>,
    /// Field and pointer.
    used: Vec<(&'static str, String)>,
    findings: Findings,
    references: Vec<Reference>,
}

impl Guesses<'_> {
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
        if let Some(what) = subject::other(object, &agent) {
            let message = format!("this is about something else: {what}; it is kept, not listed");
            self.findings.report("GP-05", "", message);
            return None;
        }
        // Only their gist is in the model: the members themselves stay among the extensions.
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

    /// GP-01 and GP-02: which names were used, and which format it almost is.
    fn explain(&mut self, object: &Map<String, Value>) {
        let used: Vec<String> = self
            .used
            .iter()
            .map(|(field, pointer)| format!("{field} from {pointer}"))
            .collect();
        let used = used.join(", ");
        let message = format!("no specification recognised; read {used}");
        self.findings.report("GP-01", "", message);
        if let Some(closest) = subject::closest(object) {
            self.findings.report("GP-02", "", closest);
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

    /// The first text among `names` that is not a template's leftover (GP-03).
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
            if let Some(text) = self.meant(&found.pointer, raw).and_then(text::some) {
                self.use_pointer(field, &found.pointer);
                return Some(text);
            }
        }
        None
    }

    /// The first URL among `names`.
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
                .meant(&found.pointer, raw)
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

    /// The value, unless a template's author meant it to be replaced (GP-03).
    fn meant<'v>(&mut self, pointer: &str, raw: &'v str) -> Option<&'v str> {
        let Some(sign) = leftover::sign(self.input.document, raw) else {
            return Some(raw);
        };
        let message = format!("left over from a template ({sign}); put the real value here");
        self.findings.report("GP-03", pointer, message);
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
                .and_then(|name| self.meant(&found.pointer, name))
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

/// The strings at all of `names`, each once.
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

/// The first limit that can be read, or all of a map from scopes to limits.
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
