//! The two laws of every reading: no fact comes from nowhere, and no value of a document is lost.

use crate::support::documents;
use crate::support::samples::{self, Sample};
use derive::{Derivations, letters};
use manifest::account::{self, Account, Part};
use manifest::{Document, Domain, formats};
use serde_json::Value;
use std::collections::BTreeMap;

mod derive;

/// Documents of all kinds: fixtures, the shared corpus, vectors and cases, and mutants of them.
fn samples() -> Vec<(String, Document)> {
    let mut samples: Vec<_> = documents()
        .into_iter()
        .chain(samples::vectors())
        .chain(samples::cases())
        .map(|Sample { name, document, .. }| (name, document))
        .collect();
    let mutants: Vec<_> = samples
        .iter()
        .enumerate()
        .filter_map(|(index, (name, document))| {
            Some((format!("mutant of {name}"), mutant(document, index)?))
        })
        .collect();
    samples.extend(mutants);
    samples
}

/// Returns a document in which some members have another name, and some values another type.
fn mutant(document: &Document, seed: usize) -> Option<Document> {
    let mut value: Value = serde_json::from_slice(&document.body).ok()?;
    let mut count = seed;
    mutate(&mut value, &mut count);
    let body = serde_json::to_vec(&value).ok()?;
    Some(Document::new(
        document.domain.clone(),
        document.url.clone(),
        body,
    ))
}

fn mutate(value: &mut Value, count: &mut usize) {
    match value {
        Value::Object(members) => {
            let renamed = std::mem::take(members).into_iter();
            *members = renamed
                .map(|(name, mut value)| {
                    *count += 1;
                    mutate(&mut value, count);
                    match *count % 11 {
                        0 => (format!("{name}_x"), value),
                        5 => (name, Value::Array(vec![value])),
                        _ => (name, value),
                    }
                })
                .collect();
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mutate(item, count)),
        _ => {}
    }
}

/// Counts the values that a document states, from its bytes.
fn leaves(document: &Document) -> Option<usize> {
    fn count(value: &Value) -> usize {
        match value {
            Value::Null => 0,
            Value::String(text) => usize::from(!text.trim().is_empty()),
            Value::Bool(_) | Value::Number(_) => 1,
            Value::Array(items) => items.iter().map(count).sum(),
            Value::Object(members) => members.values().map(count).sum(),
        }
    }
    let value: Value = serde_json::from_slice(&document.body).ok()?;
    (value.is_object() || value.is_array()).then(|| count(&value))
}

#[test]
fn every_value_is_in_exactly_one_account() {
    let mut faults: BTreeMap<String, usize> = BTreeMap::new();
    let (mut values, mut files) = (0, 0);
    for (name, document) in samples() {
        let account = formats::account(&document, None);
        let reading = formats::read(&document);
        assert_eq!(
            account.used + account.kept + account.dropped,
            account.values.len(),
            "{name}"
        );
        if let Some(count) = leaves(&document).filter(|_| !account.values.is_empty()) {
            assert_eq!(account.values.len(), count, "{name}");
        }
        files += 1;
        values += account.values.len();
        let read = serde_json::to_value(&reading).unwrap();
        for value in &account.values {
            let fault = match &value.part {
                Part::Used { facts } => facts
                    .iter()
                    .any(|fact| fact != "format" && read.pointer(&format!("/{fact}")).is_none())
                    .then(|| format!("used for a fact that is not there: {facts:?}")),
                Part::Kept => (reading.is_indexable() && !is_kept(&read, value))
                    .then(|| "kept nowhere".to_owned()),
                Part::Dropped { rule } if rule.is_empty() => Some("lost".to_owned()),
                Part::Dropped { rule } => {
                    let mut findings = reading.findings.iter();
                    (!findings.any(|it| it.rule.id == rule))
                        .then(|| format!("dropped without a finding of {rule}"))
                }
            };
            if let Some(fault) = fault {
                let fault = format!(
                    "{name} [{}] {}: {fault}: {:?}",
                    reading.format, value.place, value.value
                );
                *faults.entry(fault).or_default() += 1;
            }
        }
    }
    assert!(
        files > 100 && values > 1_000,
        "{files} files, {values} values"
    );
    assert!(
        faults.is_empty(),
        "{} of {values}:\n{}",
        faults.len(),
        few(&faults)
    );
}

/// Reports whether the members that are kept as published have a value.
fn is_kept(read: &Value, value: &account::Accounted) -> bool {
    fn has(value: &Value, text: &str) -> bool {
        match value {
            Value::Object(members) => members.values().any(|it| has(it, text)),
            Value::Array(items) => items.iter().any(|it| has(it, text)),
            Value::String(own) => {
                let own = manifest::text::clean(own, account::MAX_VALUE);
                own == text || letters(&own).ends_with(&letters(text))
            }
            Value::Null => false,
            Value::Bool(_) | Value::Number(_) => format!("{value}") == text,
        }
    }
    let mut kept = Vec::new();
    for agent in read["agents"].as_array().into_iter().flatten() {
        let of_capabilities = agent["capabilities"].as_array().into_iter().flatten();
        for part in of_capabilities.chain([agent]) {
            kept.extend([&part["extensions"], &part["specified"]]);
        }
    }
    kept.into_iter().any(|it| has(it, &value.value))
}

fn few(faults: &BTreeMap<String, usize>) -> String {
    let shown: usize = std::env::var("SHOWN")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(40);
    let lines: Vec<_> = faults.keys().take(shown).map(String::as_str).collect();
    lines.join("\n")
}

#[test]
fn every_fact_is_derived_from_the_document() {
    let mut faults: BTreeMap<String, usize> = BTreeMap::new();
    let mut facts = 0;
    for (name, document) in samples() {
        let reading = formats::read(&document);
        let derivations = Derivations::of(&document, &reading);
        for (path, value) in Derivations::facts(&reading) {
            facts += 1;
            if derivations.of_fact(&path, &value).is_none() {
                let fault = format!("{name} [{}] {path}: {value:?}", reading.format);
                *faults.entry(fault).or_default() += 1;
            }
        }
    }
    assert!(facts > 1_000, "{facts} facts");
    assert!(
        faults.is_empty(),
        "{} of {facts}:\n{}",
        faults.len(),
        few(&faults)
    );
}

#[test]
fn an_account_names_secrets_placeholders_and_what_is_kept() {
    let body = br#"{"name": "Island Ferry", "description": "Crossings to the islands.",
        "base_url": "https://ferry.example/api", "captain": "Nikos",
        "api_key": "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "docs": "https://your-domain.com/docs"}"#;
    let url = "https://ferry.example/agents.json".parse().unwrap();
    let domain = Domain::parse("ferry.example").unwrap();
    let Account { values, .. } = formats::account(&Document::new(domain, url, &body[..]), None);
    let part = |place: &str| {
        let value = values.iter().find(|it| it.place == place).unwrap();
        match &value.part {
            Part::Used { facts } => facts.join(" "),
            Part::Kept => "kept".to_owned(),
            Part::Dropped { rule } => rule.clone(),
        }
    };
    assert_eq!(part("/name"), "agents/0/name");
    assert!(
        part("/base_url").contains("agents/0/url"),
        "{}",
        part("/base_url")
    );
    assert_eq!(part("/captain"), "kept");
    assert_eq!(part("/api_key"), "DI-10");
    assert_eq!(part("/docs"), "GP-03");
    let shown = format!("{values:?}");
    assert!(!shown.contains("sk_live"), "{shown}");
}

#[test]
fn di_14_each_agent_keeps_so_many_values_and_the_rest_is_counted() {
    let card = |agent: usize| {
        let values: Vec<String> = (0..300)
            .map(|it| format!("\"x{it}\": \"{agent} {it}\""))
            .collect();
        format!(
            r#"{{"protocolVersion": "0.3.0", "name": "Ferry {agent}", "description": "Crossings.",
            "url": "https://ferry.example/{agent}", "version": "1.0.0", "capabilities": {{}},
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{{"id": "book", "name": "Book", "description": "Books one.", "tags": ["sea"]}}],
            "provider": {{"organization": "Ferries", "url": "https://ferry.example/", {}}}}}"#,
            values.join(", ")
        )
    };
    let body = format!("{{\"agents\": [{}, {}]}}", card(1), card(2));
    let url = "https://ferry.example/.well-known/agents.json"
        .parse()
        .unwrap();
    let domain = Domain::parse("ferry.example").unwrap();
    let document = Document::new(domain, url, body);
    let account = formats::account(&document, None);
    let of_agent = |index: usize, part: &Part| {
        let place = format!("/agents/{index}/provider/x");
        let values = account
            .values
            .iter()
            .filter(|it| it.place.starts_with(&place));
        values.filter(|it| it.part == *part).count()
    };
    let dropped = Part::Dropped {
        rule: "DI-14".to_owned(),
    };
    // Each card keeps a few values of its own before these.
    let mut left_out = 0;
    for index in [0, 1] {
        let (kept, dropped) = (of_agent(index, &Part::Kept), of_agent(index, &dropped));
        assert!((190..=200).contains(&kept), "agent {index}: {kept}");
        assert_eq!(kept + dropped, 300, "agent {index}");
        left_out += dropped;
    }
    let reading = formats::read(&document);
    let mut findings = reading.findings.iter();
    let finding = findings.find(|it| it.rule.id == "DI-14").unwrap();
    assert!(
        finding.message.starts_with(&format!("{left_out} values")),
        "{}",
        finding.message
    );
}

/// Returns a document in which the value at a place is another one.
fn changed(document: &Document, place: &str) -> Option<Document> {
    let mut value: Value = serde_json::from_slice(&document.body).ok()?;
    let at = value.pointer_mut(place)?;
    *at = match at.take() {
        Value::String(text) => Value::String(format!("{text}x")),
        Value::Bool(flag) => Value::Bool(!flag),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole + 1),
            None => Value::from(number.as_f64()? + 1.0),
        },
        _ => return None,
    };
    let body = serde_json::to_vec(&value).unwrap();
    Some(Document::new(
        document.domain.clone(),
        document.url.clone(),
        body,
    ))
}

#[test]
fn a_value_that_is_used_makes_a_difference() {
    // Whether a value of a member of a format has ever changed what it is used for. Some do not: a parameter is
    // required because it stands in a path, and what is said twice is known by the other place.
    let mut members: BTreeMap<String, (bool, String)> = BTreeMap::new();
    for Sample { name, document, .. } in samples::recorded() {
        let reading = formats::read(&document);
        let mut before = serde_json::to_value(&reading).unwrap();
        without_what_is_kept(&mut before);
        let values = formats::account(&document, None).values;
        let body = letters(&String::from_utf8_lossy(&document.body));
        for value in values {
            let Part::Used { facts } = &value.part else {
                continue;
            };
            let is_text =
                value.value.parse::<f64>().is_err() && !["true", "false"].contains(&&*value.value);
            let is_repeated = is_text && body.matches(&letters(&value.value)).count() > 1;
            if is_repeated || facts == &["format"] {
                continue;
            }
            let Some(other) = changed(&document, &value.place) else {
                continue;
            };
            let mut after = serde_json::to_value(formats::read(&other)).unwrap();
            without_what_is_kept(&mut after);
            let step = value
                .place
                .rsplit('/')
                .find(|it| it.parse::<usize>().is_err());
            let member = format!("{} {}", reading.format, step.unwrap_or_default());
            let entry = members.entry(member).or_insert_with(|| {
                let place = &value.place;
                (false, format!("{name} {place}: {facts:?}"))
            });
            entry.0 |= before != after;
        }
    }
    let idle = members.iter().filter(|(_, (differs, _))| !differs);
    let idle: Vec<_> = idle
        .map(|(member, (_, first))| format!("{member}: {first}"))
        .collect();
    assert!(members.len() > 300, "{} members", members.len());
    assert!(
        idle.is_empty(),
        "{} of {}:\n{}",
        idle.len(),
        members.len(),
        idle.join("\n")
    );
}

/// Removes what a reading keeps as published, and its findings.
fn without_what_is_kept(reading: &mut Value) {
    reading["findings"].take();
    let Some(agents) = reading["agents"].as_array_mut() else {
        return;
    };
    for agent in agents {
        let capabilities = agent.get_mut("capabilities").and_then(Value::as_array_mut);
        for capability in capabilities.into_iter().flatten() {
            capability["extensions"].take();
        }
        agent["extensions"].take();
    }
}

#[test]
fn a_value_that_only_looks_like_a_fact_is_kept() {
    let body = serde_json::json!({"name": "Bok", "version": "1.0.0", "base_url": "https://bok.example/v1",
        "capabilities": {"lend": {"description": "Lends a book", "method": "POST", "endpoint": "/lend",
            "parameters": {"isbn": {"type": "string", "required": true, "format": "isbn"}}}},
        "rate_limits": {"default": "60/minute", "burst": "lots"}});
    let url = "https://bok.example/agent.json".parse().unwrap();
    let domain = Domain::parse("bok.example").unwrap();
    let document = Document::new(domain, url, body.to_string().into_bytes());
    let values = formats::account(&document, None).values;
    let part = |place: &str| &values.iter().find(|it| it.place == place).unwrap().part;
    for place in [
        "/capabilities/lend/parameters/isbn/format",
        "/rate_limits/burst",
    ] {
        assert_eq!(part(place), &Part::Kept, "{place}");
    }
    for place in [
        "/capabilities/lend/parameters/isbn/type",
        "/rate_limits/default",
    ] {
        assert!(matches!(part(place), Part::Used { .. }), "{place}");
    }
}
