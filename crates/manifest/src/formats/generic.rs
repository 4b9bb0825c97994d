//! The generic profile: a JSON object that describes a service but follows no specification.
//!
//! Most sites that publish something for agents follow no specification, but use similar member
//! names. Each field is read from the first member with a usual name. Every guess is reported with
//! its JSON pointer (GP-01), so that owners can see and correct what was read.
//! A document that does not describe a service is not listed (GP-05).
//!
//! Formats that are detected but have no reader of their own are read the same way, because they
//! use the usual names. Their listings have level C. No member is defined, so there is no shape and
//! there are no rows; `names` is the table of members and facts.
//!
//! The type `ProfileReader` has its steps in the modules below: `addresses` and `capabilities` read
//! what their names say, `completion` completes readings of other formats, and `names` lists the
//! usual names.

use super::wording;
use crate::agent::Provider;
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::formats::erc_8004::Erc8004;
use crate::formats::identity_kit::IdentityKit;
use crate::marker::Marker;
use crate::rule::Rule;
use crate::rule::profile;
use crate::rule::profile::{GP_01, GP_02, GP_03, GP_05};
use crate::{
    Agent, Document, Fact, Finding, FormatId, Reference, agent, json, link, payment, placeholder,
    text,
};
use lookup::find;
use names::{
    AUTHS, BASES, CONTACTS, DESCRIPTIONS, DOCS, HOMEPAGES, LANGUAGES, LOGOS, NAMES, PAYMENTS,
    PROVIDERS, RATE_LIMITS, TAGS, URLS, VERSIONS,
};
use serde_json::{Map, Value};
use url::Url;

mod access;
mod addresses;
mod capabilities;
mod completion;
mod localized;
mod lookup;
mod names;
mod readable;
mod subject;
#[cfg(test)]
mod tests;

pub(super) use access::auths;
pub(super) use addresses::{command, endpoint_protocol, headers, is_manifest};
pub(super) use capabilities::add_variables;
use completion::settle_payments;
pub(super) use completion::{add_payments_of_auth, complete};
pub(super) use readable::{explained, has_name, is_readable, is_service};

/// Reader of objects in no specified format.
pub(crate) struct Profile;

/// Result of guessing.
#[derive(Default)]
pub(crate) struct Manifest {
    agent: Option<Agent>,
    findings: Vec<Finding>,
    references: Vec<Reference>,
}

impl Format for Profile {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::habit("profile");
    const TITLE: &'static str = "JSON in its own format";
    const MARKERS: &'static [Marker] = &[Marker::weak(Self::ID, is_readable)];
    const PLACES: &'static [&'static str] = &[
        "/.well-known/agents.json",
        "/.well-known/agent.json",
        "/agents.json",
        "/agent.json",
    ];
    const RULES: &'static [&'static Rule] = profile::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        let Some(object) = input.value.as_object() else {
            return Manifest::default();
        };
        let mut reader = ProfileReader::new(input, object);
        Manifest {
            agent: reader.agent(object),
            findings: reader.findings.into_vec(),
            references: reader.references,
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

/// Creates the finding on a document that describes `subject` instead of a service (GP-05).
pub(super) fn no_service(subject: &str) -> Finding {
    let message =
        format!("this does not describe a service ({subject}), so it is kept, but not listed");
    Finding::new(&GP_05, "", message).with_help(match subject {
        subject::FAILED => "answer 404 where there is no manifest",
        _ => "give the name, the description and the address of a service, if this is about one",
    })
}

/// Returns the subject of an object that declares itself to be no service (GP-05).
pub(super) fn declared_subject(object: &Map<String, Value>) -> Option<&'static str> {
    subject::named(object)
}

/// Reader of a generic profile, with the fields read so far and the findings on them.
struct ProfileReader<'a> {
    input: &'a Input<'a>,
    /// Fields that were read, each with the JSON pointer of its member.
    used: Vec<(Fact, String)>,
    findings: Findings,
    references: Vec<Reference>,
    /// Lists that the reader of the format has read.
    owned: Vec<String>,
    /// Members that have another meaning in the format.
    own_meanings: &'static [&'static str],
    /// Reports whether the format defines a member of the document: its reader reads it, and it means
    /// what the format says.
    is_defined: &'a dyn Fn(&str, &Value) -> bool,
    /// Languages that the site announces, the preferred one first.
    languages: Vec<String>,
    base: Base,
    /// True if the document is about a person, whose skills are not capabilities.
    is_person: bool,
    /// True if lists of services are lists of addresses.
    lists_addresses: bool,
    /// Number of interfaces beside which it is stated that they need no authentication.
    open_interfaces: usize,
}

/// Base URL of the API that a document states.
#[derive(Clone, Debug)]
enum Base {
    Unstated,
    Stated(String),
    /// A placeholder: the address of a relative endpoint is not known.
    Placeholder,
}

impl Base {
    /// Returns the base that an object states, if it is one below which others can be.
    fn of(document: &Document, object: &Map<String, Value>) -> Self {
        let stated = find(object, BASES).filter_map(|found| found.value.as_str());
        let mut urls = stated
            .chain(base_of_environment(object))
            .filter_map(|stated| link::guessed(&document.url, stated));
        match urls.find(|url| addresses::is_base(url)) {
            Some(base) if placeholder::mark(document, &base).is_some() => Self::Placeholder,
            Some(base) => Self::Stated(base),
            None => Self::Unstated,
        }
    }

    /// Returns the URL of the endpoint of a server: on the host of the base from its root, or below the
    /// base; where none is stated, on the site of the document.
    fn endpoint(&self, document: &Url, address: &str) -> Option<String> {
        match self {
            Self::Stated(base) if link::is_path(address) => {
                let root = Url::parse(base).ok()?;
                if address.starts_with('/') {
                    link::absolute_template(&root, address)
                } else {
                    link::concatenated(base, address)
                }
            }
            _ => link::guessed(&link::base(document, address), address),
        }
    }
}

/// Returns the base URL that clients take from a variable of their environment, such as `SHOP_BASE_URL`.
fn base_of_environment(object: &Map<String, Value>) -> Option<&str> {
    let variables = find(object, &["environment_variables", "environment", "env"]);
    let mut variables = variables
        .filter_map(|found| found.value.as_object())
        .flatten();
    variables.find_map(|(name, value)| {
        let is_base = ["_BASE_URL", "_API_URL", "_API_BASE"]
            .iter()
            .any(|ending| name.ends_with(ending));
        let stated = value.get("default").unwrap_or(value);
        stated.as_str().filter(|_| is_base)
    })
}

/// Returns the base URL of the API that a document states.
pub(super) fn stated_base(input: &Input<'_>) -> Option<Url> {
    match Base::of(input.document, input.value.as_object()?) {
        Base::Stated(base) => Url::parse(&base).ok(),
        Base::Unstated | Base::Placeholder => None,
    }
}

/// Returns the URL of the endpoint of a server in a document that may state the base of its API.
pub(super) fn endpoint(input: &Input<'_>, address: &str) -> Option<String> {
    let object = input.value.as_object()?;
    Base::of(input.document, object).endpoint(&input.document.url, address)
}

impl<'a> ProfileReader<'a> {
    fn new(input: &'a Input<'a>, object: &Map<String, Value>) -> Self {
        Self {
            input,
            used: Vec::new(),
            findings: Findings::default(),
            references: Vec::new(),
            owned: Vec::new(),
            own_meanings: &[],
            is_defined: &|_, _| false,
            languages: languages(object),
            base: Base::of(input.document, object),
            is_person: subject::is_person(object),
            open_interfaces: 0,
            lists_addresses: [Erc8004::ID, IdentityKit::ID].contains(&input.format),
        }
    }

    /// Reads the agent, unless the document is about something else (GP-05).
    fn agent(&mut self, object: &Map<String, Value>) -> Option<Agent> {
        let mut agent = Agent::default();
        self.read(object, &mut agent);
        if agent.url.is_none() {
            agent.url.clone_from(&agent.homepage);
        } else if agent.homepage.is_none() {
            let of_api = |(field, pointer): &(Fact, String)| {
                *field == Fact::Url && (pointer.contains("api") || pointer.contains("base"))
            };
            let url = agent.url.clone().filter(|_| !self.used.iter().any(of_api));
            agent.homepage =
                url.filter(|url| link::is_origin(url) || addresses::kind::is_page(url));
        }
        if let Some(subject) = subject::other(object, &agent) {
            self.findings.push(no_service(subject));
            return None;
        }
        self.explain(object);
        let used = self.used.iter().rev();
        agent.pointers = used
            .map(|(field, pointer)| ((*field).into(), pointer.clone()))
            .collect();
        Some(agent)
    }

    /// Reads all fields of `agent`.
    fn read(&mut self, object: &Map<String, Value>, agent: &mut Agent) {
        let known = agent.interfaces.len();
        agent.name = self
            .localized(object, Fact::Name, NAMES, agent)
            .unwrap_or_default();
        agent.description = self.localized(object, Fact::Description, DESCRIPTIONS, agent);
        agent.url = self.url(object, Fact::Url, URLS);
        agent.homepage = self.url(object, Fact::Homepage, HOMEPAGES);
        if !self.own_meanings.contains(&"version") {
            agent.version = self.text(object, Fact::Version, VERSIONS);
        }
        agent.provider = self.provider(object);
        agent.contact = self.contact(object);
        agent.docs = agent
            .docs
            .take()
            .or_else(|| self.url(object, Fact::Docs, DOCS));
        agent.logo = self.url(object, Fact::Logo, LOGOS);
        agent.tags = words(object, TAGS);
        agent.languages.clone_from(&self.languages);
        let of_capabilities = std::mem::take(&mut agent.auth);
        self.access(object, agent);
        let has_stated_auth = !agent.auth.is_empty();
        for way in of_capabilities {
            access::add(&mut agent.auth, way);
        }
        self.capabilities(object, has_stated_auth, agent);
        self.addresses(object, agent);
        // A description of an interface follows what it describes.
        agent.interfaces[known..].sort_by_key(|interface| interface.protocol == "openapi");
        let called = agent
            .interfaces
            .iter()
            .filter(|it| it.protocol != "openapi");
        if agent.auth.is_empty()
            && self.open_interfaces > 0
            && called.count() == self.open_interfaces
        {
            agent.auth.push(agent::Auth::of("none"));
        }
        settle_payments(object, agent);
        for (field, names, is_given) in [
            (Fact::Tags, TAGS, !agent.tags.is_empty()),
            (Fact::Languages, LANGUAGES, !self.languages.is_empty()),
        ] {
            if let Some(found) = find(object, names).next().filter(|_| is_given) {
                self.use_pointer(field, &found.pointer);
            }
        }
    }

    /// Reads how to authenticate, how often to call and how to pay.
    fn access(&mut self, object: &Map<String, Value>, agent: &mut Agent) {
        let base = &self.input.document.url;
        agent.auth = self.first(object, Fact::Auth, AUTHS, |value| auths(value, base));
        if agent.auth.is_empty() {
            agent.auth = self.inner_auth(object);
        }
        agent.rate_limits = self.first(object, Fact::RateLimits, RATE_LIMITS, access::rate_limits);
        self.payments(object, agent);
    }

    /// Returns what `read` finds in the first member among `names` in which it finds anything.
    fn first<T>(
        &mut self,
        object: &Map<String, Value>,
        field: Fact,
        names: &[&'static str],
        read: impl Fn(&Value) -> Vec<T>,
    ) -> Vec<T> {
        for found in find(object, names) {
            let values = read(found.value);
            if !values.is_empty() {
                self.use_pointer(field, &found.pointer);
                return values;
            }
        }
        Vec::new()
    }

    /// Returns the authentication that stands in another member, such as `api.authentication`.
    fn inner_auth(&mut self, object: &Map<String, Value>) -> Vec<agent::Auth> {
        let base = &self.input.document.url;
        for (name, value) in object.iter().filter(|(_, value)| value.is_object()) {
            let mut ways: Vec<agent::Auth> = Vec::new();
            let mut place = None;
            for (inner, value) in value.as_object().into_iter().flatten() {
                // Another part may need something else: `runtime_authentication`.
                let is_named = ["authentication", "auth"].contains(&inner.as_str());
                let is_of_part = inner.ends_with("_authentication") || inner.ends_with("_auth");
                if value.is_boolean() || !(is_named || is_of_part) {
                    continue;
                }
                for way in auths(value, base) {
                    let is_told = is_named || !["none", "other"].contains(&way.scheme.as_str());
                    if is_told && access::add(&mut ways, way) && place.is_none() {
                        let inner = json::escape(inner);
                        place = Some(format!("/{}/{inner}", json::escape(name)));
                    }
                }
            }
            if let Some(place) = place {
                self.use_pointer(Fact::Auth, &place);
                return ways;
            }
        }
        Vec::new()
    }

    /// Reads the ways to pay from all members that state some.
    fn payments(&mut self, object: &Map<String, Value>, agent: &mut Agent) {
        let base = &self.input.document.url;
        for found in find(object, PAYMENTS) {
            let ways = payment::read(&found.pointer, found.value, base);
            if !ways.is_empty() {
                self.use_pointer(Fact::Payments, &found.pointer);
                agent.payments.extend(ways);
            }
        }
        // Some give each fact a member of its own: `payment_protocol`, `payment_asset`.
        let flat: Map<String, Value> = object
            .iter()
            .filter_map(|(name, value)| {
                let fact = name.strip_prefix("payment_")?;
                Some((fact.to_owned(), value.clone()))
            })
            .collect();
        if flat.contains_key("protocol") || flat.contains_key("asset") {
            self.use_pointer(Fact::Payments, "/payment_protocol");
            agent
                .payments
                .extend(payment::read("", &Value::Object(flat), base));
        }
    }

    /// Returns the first text among `names`, and notes its versions in other languages.
    fn localized(
        &mut self,
        object: &Map<String, Value>,
        field: Fact,
        names: &[&'static str],
        agent: &mut Agent,
    ) -> Option<String> {
        let mut shown = None;
        // What is said of the file is better than nothing.
        let mut of_the_file = None;
        for found in find(object, names) {
            let Some((text, others)) = localized::of_value(found.value, &self.languages) else {
                continue;
            };
            let is_of_the_file = field == Fact::Description && wording::is_about_the_file(&text);
            if !is_of_the_file && self.unless_placeholder(&found.pointer, &text).is_some() {
                self.use_pointer(field, &found.pointer);
                agent
                    .translations
                    .extend(localized::named(field.name(), others));
                shown = Some(text);
                break;
            } else if is_of_the_file && of_the_file.is_none() {
                of_the_file = Some((found.pointer, text));
            }
        }
        let suffixed = object.iter().filter_map(|(name, value)| {
            let language = localized::suffix(name, field.name())?;
            Some((language.to_owned(), text::some(value.as_str()?)?))
        });
        let mut suffixed: Vec<_> = suffixed.take(40).collect();
        if shown.is_none() && !suffixed.is_empty() {
            shown = Some(suffixed.remove(0).1);
        }
        agent
            .translations
            .extend(localized::named(field.name(), suffixed));
        shown.or_else(|| {
            let (pointer, text) = of_the_file?;
            self.use_pointer(field, &pointer);
            Some(text)
        })
    }

    /// Reports which members were used (GP-01) and which format the object resembles (GP-02).
    fn explain(&mut self, object: &Map<String, Value>) {
        let message = format!("no specification recognised; read {}", self.uses());
        self.findings.add(&GP_01, "", message);
        if let Some(nearest) = (self.input.items.nearest)(object, self.input.document.path()) {
            let finding = Finding::new(
                &GP_02,
                "",
                format!("almost in the format {}", nearest.words()),
            );
            self.findings.push(nearest.advise(finding));
        }
    }

    /// Lists the fields that were read and the members that they were read from.
    fn uses(&self) -> String {
        let uses = self.used.iter();
        let uses: Vec<_> = uses
            .map(|(field, pointer)| format!("{} from {pointer}", field.name()))
            .collect();
        uses.join(", ")
    }

    fn use_pointer(&mut self, field: Fact, pointer: &str) {
        self.used.push((field, pointer.to_owned()));
    }

    /// Returns the first text among `names` that is not a placeholder (GP-03).
    fn text(
        &mut self,
        object: &Map<String, Value>,
        field: Fact,
        names: &[&'static str],
    ) -> Option<String> {
        for found in find(object, names) {
            let number;
            let raw = match found.value {
                Value::String(raw) => raw,
                Value::Number(digits) if field == Fact::Version => {
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
        field: Fact,
        names: &[&'static str],
    ) -> Option<String> {
        for found in find(object, names) {
            let Value::String(raw) = found.value else {
                continue;
            };
            let is_page = field == Fact::Url || field == Fact::Homepage;
            if let Some(url) = self
                .unless_placeholder(&found.pointer, raw)
                .and_then(|raw| self.absolute(raw))
                .filter(|url| !(is_page && is_manifest(url)))
            {
                self.use_pointer(field, &found.pointer);
                return Some(url);
            }
        }
        None
    }

    fn absolute(&self, raw: &str) -> Option<String> {
        link::guessed(&link::base(&self.input.document.url, raw), raw)
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
        let contact = self.text(object, Fact::Contact, CONTACTS).or_else(|| {
            let members = object.get("contact")?.as_object()?;
            let mut texts = members
                .iter()
                .filter_map(|(name, value)| Some((name, value.as_str()?)));
            let (name, text) = texts.find(|(_, text)| is_reachable(text))?;
            self.use_pointer(Fact::Contact, &format!("/contact/{}", json::escape(name)));
            text::some(text)
        })?;
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
                        text(&["name", "organization", "company", "legalName", "legal_name"]),
                        text(&["url", "website", "homepage"]),
                    )
                }
                _ => continue,
            };
            let name = name
                .and_then(|name| self.unless_placeholder(&found.pointer, name))
                .and_then(text::some);
            if let Some(name) = name {
                self.use_pointer(Fact::Provider, &found.pointer);
                let url = url.and_then(|url| self.absolute(url));
                return Some(Provider { name, url });
            }
        }
        None
    }
}

/// Returns the languages of the service; those of its libraries are something else.
fn languages(object: &Map<String, Value>) -> Vec<String> {
    const OF_PROGRAMS: [&str; 12] = [
        "python",
        "javascript",
        "typescript",
        "rust",
        "go",
        "java",
        "php",
        "ruby",
        "c#",
        "c++",
        "swift",
        "kotlin",
    ];
    let mut languages = words(object, LANGUAGES);
    languages.retain(|it| !OF_PROGRAMS.contains(&it.to_lowercase().as_str()));
    languages
}

/// Reports whether a text is an address, of mail or of a page, or a name on some network.
fn is_reachable(text: &str) -> bool {
    let is_word = !text.trim().contains(char::is_whitespace);
    is_word && text.contains(['@', '/', '.'])
}

/// Returns the words at all of `names`, each once, 100 at most: those of a list, or of a list in one
/// text, as in `rail, bus`.
fn words(object: &Map<String, Value>, names: &[&'static str]) -> Vec<String> {
    let is_list = |name: &&'static str| find(object, &[*name]).any(|found| found.value.is_array());
    let (lists, lines): (Vec<_>, Vec<_>) = names.iter().copied().partition(is_list);
    let lines = texts(object, &lines);
    let parts = lines.iter().flat_map(|line| line.split([',', ';', '|']));
    text::distinct(
        texts(object, &lists)
            .into_iter()
            .chain(parts.filter_map(text::some)),
    )
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
