//! Conversion of every recorded exchange and every real file to every target.

use crate::support::samples;
use manifest::convert::{Conversion, Origin, Target};
use manifest::{Agent, Document, Reading, Severity, convert, formats};
use serde_json::Value;
use std::collections::BTreeMap;

/// A document with its reading.
struct Source {
    name: String,
    document: Document,
    reading: Reading,
}

impl Source {
    fn of(name: String, document: Document) -> Self {
        let reading = formats::read(&document);
        Self {
            name,
            document,
            reading,
        }
    }

    fn to(&self, target: Target) -> Conversion {
        let origin = Origin::of(&self.document, &self.reading);
        convert(&self.reading.agents, &origin, target)
    }

    /// Reads `body` as the site would serve it in the target's format.
    fn served(&self, target: Target, body: &str) -> Self {
        let url = self.document.url.join(target.place()).unwrap();
        let document = Document::new(self.document.domain.clone(), url, body);
        Self::of(format!("{} as {}", self.name, target.name()), document)
    }
}

fn fixtures() -> Vec<Source> {
    let sources = samples::recorded().into_iter();
    let sources = sources.map(|it| Source::of(it.name, it.document));
    sources.filter(|it| it.reading.is_indexable()).collect()
}

fn corpus() -> Vec<Source> {
    let served = samples::corpus().into_iter();
    let served = served.filter(|it| it.row["site"].is_string());
    let sources = served.map(|it| Source::of(it.name, it.document));
    sources.filter(|it| it.reading.is_indexable()).collect()
}

#[test]
fn every_conversion_is_read_as_its_target_with_the_same_content() {
    let (mut done, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for source in fixtures().into_iter().chain(corpus()) {
        for target in Target::ALL {
            let conversion = source.to(target);
            assert_eq!(conversion, source.to(target), "{}", source.name);
            let counts = if let Some(body) = &conversion.body {
                written(&source, &conversion, body);
                &mut done
            } else {
                let is_error = |it: &manifest::Finding| it.severity == Severity::Error;
                assert!(conversion.findings.iter().any(is_error), "{}", source.name);
                &mut refused
            };
            *counts.entry(target.name()).or_insert(0) += 1;
        }
    }
    println!("written: {done:?}\nrefused: {refused:?}");
    for target in Target::ALL {
        assert!(
            done.contains_key(target.name()),
            "nothing became {}",
            target.name()
        );
    }
}

fn written(source: &Source, conversion: &Conversion, body: &str) {
    let target = conversion.target;
    let back = source.served(target, body);
    let at = format!("{}\n{body}", back.name);
    assert!(body.ends_with('\n') && !body.ends_with("\n\n"), "{at}");
    assert_eq!(back.reading.format, target.format(), "{at}");
    if target == Target::OpenApi {
        let api = manifest::openapi::read(body.as_bytes()).expect(&at);
        assert!(!api.operations.is_empty(), "{at}");
        return;
    }
    assert!(back.reading.is_valid(), "{at}{:#?}", back.reading.findings);
    if target == Target::Ard {
        return;
    }
    let names = |agents: &[Agent]| agents.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let is_written = |it: &&Agent| names(&back.reading.agents).contains(&it.name);
    let agents: Vec<_> = source.reading.agents.iter().filter(is_written).collect();
    assert!(!agents.is_empty(), "{at}");
    if target != Target::Zervice {
        let left_out = conversion
            .findings
            .iter()
            .filter(|it| it.rule.id == "CV-03")
            .map(|it| 1 + united(&it.message))
            .sum::<usize>();
        let found = back.reading.agents[0].capabilities.len();
        let given = source.reading.agents[0].capabilities.len();
        let is_all = found + left_out == given || conversion.findings.len() >= 200;
        assert!(
            is_all || target == Target::AgentsTxt,
            "{at}: {found} of {given}"
        );
    }
    let again = back.to(target);
    assert_eq!(
        again.body.as_deref(),
        Some(body),
        "{at}\n{:#?}",
        again.findings
    );
}

/// Returns the number of further findings that a united finding stands for.
fn united(message: &str) -> usize {
    let more = message.rsplit_once("; the same for ").map(|(_, rest)| rest);
    let number = more.and_then(|rest| rest.split(' ').next()?.parse().ok());
    number.unwrap_or(0)
}

#[test]
fn conversion_to_the_same_format_keeps_the_content() {
    let sources = fixtures().into_iter().chain(corpus());
    for source in sources.filter(|it| it.reading.is_valid()) {
        let same_format = |target: &Target| target.format() == source.reading.format;
        for target in Target::ALL.into_iter().filter(same_format) {
            let generation = source.reading.generation.as_deref();
            if target == Target::A2a && generation != Some("1.0")
                || target == Target::A2a03 && generation != Some("0.3")
                || matches!(target, Target::Ard | Target::OpenApi)
            {
                continue;
            }
            let conversion = source.to(target);
            let Some(body) = &conversion.body else {
                continue;
            };
            let back = source.served(target, body);
            for (before, after) in source.reading.agents.iter().zip(&back.reading.agents) {
                let (before, after) = (essence(before, &conversion), essence(after, &conversion));
                assert_eq!(before, after, "{}\n{:#?}", back.name, conversion.findings);
            }
        }
    }
}

/// Removes from an agent what a conversion may change: positions, defaults, and reported losses.
fn essence(agent: &Agent, conversion: &Conversion) -> Value {
    let mut value = serde_json::to_value(agent).unwrap();
    let members = value.as_object_mut().unwrap();
    for name in ["pointer", "pointers", "defaulted"] {
        members.remove(name);
    }
    let says = |words: &str| {
        conversion
            .findings
            .iter()
            .any(|it| it.message.contains(words))
    };
    for (name, words) in [
        ("extensions", "members that are specific to its format"),
        ("extensions", "the member "),
        ("extensions", "the feature "),
        ("signatures", "signatures"),
        ("interfaces", "interface"),
        ("url", "the URL"),
        ("homepage", "the homepage"),
        ("homepage", "the provider"),
        ("provider", "the provider"),
        ("provider", "a provider"),
        ("auth", "authenticat"),
        ("auth", "OAuth flows"),
        ("rate_limits", "limit"),
        ("description", "the name is written instead"),
        ("flows", "the flow"),
        ("graph", "refers to no agent"),
        ("tags", "the tags"),
        ("input_modes", "media types of the input"),
        ("output_modes", "media types of the output"),
    ] {
        if says(words) {
            members.remove(name);
        }
    }
    let left_out = says("is left out");
    let capabilities = members
        .get_mut("capabilities")
        .and_then(Value::as_array_mut);
    for capability in capabilities.into_iter().flatten() {
        let capability = capability.as_object_mut().unwrap();
        capability.remove("pointer");
        capability.remove("endpoint");
        for (name, words) in [
            ("params", "the parameter"),
            ("params", "details in the schema"),
            ("params", "are written as numbers"),
            ("input_schema", "the parameter"),
            ("input_schema", "further constraints"),
            ("input_schema", "details in the schema"),
            ("input_schema", "are written as numbers"),
            ("output_schema", "schema of the output"),
            ("output_schema", "are written as numbers"),
            ("requires_auth", "authentication is needed"),
            ("requires_auth", "required authentication"),
            ("requires_auth", "authentication by"),
            ("id", "is called"),
            ("id", "is renamed"),
            ("id", "the identifier of"),
            ("name", "is called"),
            ("name", "is renamed"),
            ("description", "its name is written instead"),
            ("tags", "the tags of"),
            ("tags", "is called"),
            ("tags", "is renamed"),
        ] {
            if says(words) {
                capability.remove(name);
            }
        }
    }
    if left_out {
        members.remove("capabilities");
    }
    value
}
