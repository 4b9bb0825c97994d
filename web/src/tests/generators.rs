//! Laws of the description: what generators of clients refuse, or make names of that nobody can use.

use super::openapi::description;
use super::*;
use std::collections::BTreeSet;

/// Words that are no names in the languages for which clients are generated.
const KEYWORDS: [&str; 24] = [
    "await", "break", "case", "class", "continue", "def", "del", "delete", "do", "else", "export",
    "for", "from", "function", "global", "if", "import", "in", "lambda", "new", "pass", "return",
    "with", "yield",
];

/// Beginnings of the paths that are described.
const DESCRIBED: [&str; 4] = ["/api/v1/", "/.well-known/agents/api/", "/ard/", "/v0.1/"];

/// Members of a schema whose values are schemas by name, and those whose value is a schema or a list of them.
const MAPS: [&str; 2] = ["properties", "patternProperties"];
const NESTED: [&str; 6] = ["items", "prefixItems", "oneOf", "anyOf", "allOf", "not"];

/// Reports the faults of a schema and of all within it.
fn judge(place: &str, schema: &Value, faults: &mut Vec<String>) {
    let mut fault = |text: &str| faults.push(format!("{place}: {text}"));
    let Some(members) = schema.as_object() else {
        fault("a bare truth value is no schema");
        return;
    };
    if members.get("const").is_some_and(Value::is_boolean) {
        fault("a truth value is no constant");
    }
    for keyword in ["oneOf", "anyOf"] {
        let choices = members.get(keyword).and_then(Value::as_array);
        if choices.is_some_and(|it| it.iter().any(|it| it.get("const").is_some())) {
            fault("values are listed by `enum`");
        }
    }
    for keyword in MAPS {
        for (name, member) in members
            .get(keyword)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            judge(&format!("{place}/{name}"), member, faults);
        }
    }
    for keyword in NESTED {
        match members.get(keyword) {
            Some(Value::Array(all)) => {
                for one in all {
                    judge(&format!("{place}/{keyword}"), one, faults);
                }
            }
            Some(one) => judge(&format!("{place}/{keyword}"), one, faults),
            None => {}
        }
    }
}

/// Returns every schema of a document outside of schemas, with its place.
fn schemas<'d>(place: &str, value: &'d Value, found: &mut Vec<(String, &'d Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let place = format!("{place}/{name}");
                if name == "schema" {
                    found.push((place, member));
                } else {
                    schemas(&place, member, found);
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|it| schemas(place, it, found)),
        _ => {}
    }
}

fn operations(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths.flat_map(|(path, item)| {
        let item = item.as_object().unwrap().iter();
        item.map(move |(method, operation)| (format!("{method} {path}"), operation))
    })
}

#[tokio::test]
async fn every_schema_is_plain() {
    let document = description(&registry::empty().await).await;
    let mut found = Vec::new();
    schemas("", &document["paths"], &mut found);
    let shared = document["components"]["schemas"].as_object().unwrap();
    found.extend(shared.iter().map(|(name, it)| (name.clone(), it)));
    assert!(found.len() > 500, "{}", found.len());
    let mut faults = Vec::new();
    for (place, schema) in found {
        judge(&place, schema, &mut faults);
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[tokio::test]
async fn every_name_is_usable_and_unique() {
    let document = description(&registry::empty().await).await;
    let shared = document["components"]["schemas"].as_object().unwrap();
    // Models that generators make of bodies without a name.
    let (mut ids, mut models) = (BTreeSet::new(), BTreeSet::new());
    for (place, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        let flat = id.replace('_', "").to_lowercase();
        assert!(!KEYWORDS.contains(&id), "{place}: {id} is a keyword");
        if operation["requestBody"]["content"]["application/json"].is_object() {
            models.insert(format!("{flat}body"));
        }
        assert!(
            ids.insert(flat),
            "{place}: {id} is the id of another operation"
        );
    }
    let mut names = BTreeSet::new();
    for name in shared.keys() {
        let is_plain = name.chars().all(|it| it.is_ascii_alphabetic());
        assert!(is_plain, "{name} is numbered, or made of others");
        let flat = name.to_lowercase();
        assert!(
            !models.contains(&flat),
            "{name} is the body of an operation"
        );
        assert!(
            names.insert(flat),
            "{name} differs only by its letters' case"
        );
    }
}

#[tokio::test]
async fn every_operation_has_a_tag_and_bodies_of_a_type() {
    let document = description(&registry::empty().await).await;
    assert_eq!(document["servers"][0]["url"], "https://agentdex.example");
    let tags = document["tags"].as_array().unwrap().iter();
    let tags: BTreeSet<&str> = tags.map(|it| it["name"].as_str().unwrap()).collect();
    let mut used = BTreeSet::new();
    for (place, operation) in operations(&document) {
        let of = operation["tags"].as_array().map(Vec::as_slice);
        let [tag] = of.unwrap_or_default() else {
            panic!("{place} has not one tag");
        };
        used.insert(tag.as_str().unwrap());
        let answers = operation["responses"].as_object().unwrap().values();
        for body in answers.chain([&operation["requestBody"]]) {
            for (media_type, content) in body["content"].as_object().into_iter().flatten() {
                assert!(!media_type.contains('*'), "{place}: {media_type}");
                assert!(content["schema"].is_object(), "{place}: {media_type}");
            }
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let has_typo = parameter.get("allow_empty_value").is_some();
            assert!(!has_typo, "{place}: {}", parameter["name"]);
        }
    }
    assert_eq!(used, tags);
    for base in DESCRIBED {
        let paths = document["paths"].as_object().unwrap();
        assert!(paths.keys().any(|it| it.starts_with(base)), "{base}");
    }
}
