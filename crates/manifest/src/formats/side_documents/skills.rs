//! Indexes of loadable skills (SK-01): texts that an agent loads to learn how to use a site.

use super::{Facts, MAX_ITEMS};
use crate::field::{Field, List};
use crate::format::Input;
use crate::marker::{self, Object};
use crate::{Agent, Capability, Mention, extension, link, reference};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Index {
    name: Field<String>,
    description: Field<String>,
    skills: List<Skill>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Skill {
    id: Field<String>,
    name: Field<String>,
    description: Field<String>,
    url: Field<String>,
    #[serde(rename = "type")]
    kind: Field<String>,
    tags: List<String>,
    examples: List<String>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// Returns true for a list of skills that an agent loads from files, without a schema's name.
pub(super) fn is_index(object: &Object) -> bool {
    const CARD: [&str; 4] = [
        "url",
        "protocolVersion",
        "capabilities",
        "defaultInputModes",
    ];
    let is_file = |skill: &Value| {
        let is_text = skill["url"]
            .as_str()
            .and_then(|url| url.rsplit_once('.'))
            .is_some_and(|(_, ending)| matches!(ending, "md" | "zip" | "txt"));
        skill["name"].is_string() && (is_text || skill["files"].is_array())
    };
    marker::array(object, "skills").is_some_and(|it| !it.is_empty() && it.iter().all(is_file))
        && !CARD.iter().any(|name| object.contains_key(*name))
}

/// Returns the site's skills as capabilities of an agent without a name. Skills of other sites are
/// mentions, and an index of nothing else is a copy, which gives no agent.
pub(super) fn read(input: &Input<'_>) -> Facts {
    // Some publish the list by itself.
    let list = input.value.as_array().map(|_| "");
    let index = match list {
        Some(_) => Index {
            skills: Field::of(input.value)
                .get()
                .cloned()
                .map_or(List::default(), List::from),
            ..Index::default()
        },
        None => input.manifest(),
    };
    let list = list.unwrap_or("/skills");
    let skills = || index.skills.items().take(MAX_ITEMS);
    let address = |skill: &Skill| link::absolute(&input.document.url, skill.url.raw()?);
    let is_foreign = |skill: &Skill| {
        let url = address(skill);
        url.is_some_and(|url| !link::is_own(input.document, &url))
    };
    let is_own_skill = |(_, skill): &(usize, &Skill)| is_skill(skill) && !is_foreign(skill);
    let foreign = skills().filter(|(_, skill)| is_foreign(skill));
    let mentions: Vec<_> = foreign
        .map(|(place, skill)| Mention {
            name: skill.name.text().unwrap_or_default(),
            publisher: None,
            url: address(skill),
            pointer: format!("{list}/{place}"),
        })
        .collect();
    if !mentions.is_empty() && mentions.len() == skills().count() {
        return Facts {
            mentions,
            ..Facts::default()
        };
    }
    let capability = |(place, skill): (usize, &Skill)| {
        let name = skill.name.text().or_else(|| skill.id.text())?;
        let mut extensions = extension::unknown(&skill.unknown, &[]);
        // The file is loaded, not called.
        for (name, value) in [("url", address(skill)), ("type", skill.kind.text())] {
            extensions.extend(value.map(|value| (name.to_owned(), value.into())));
        }
        Some(Capability {
            id: skill.id.text().unwrap_or_else(|| name.clone()),
            name,
            description: skill.description.text(),
            tags: skill.tags.texts(),
            examples: skill.examples.texts(),
            extensions,
            pointer: format!("{list}/{place}"),
            ..Capability::default()
        })
    };
    let agent = Agent {
        name: index.name.text().unwrap_or_default(),
        description: index.description.text(),
        capabilities: skills()
            .filter(is_own_skill)
            .filter_map(capability)
            .collect(),
        ..Agent::default()
    };
    let references = skills().filter(is_own_skill).filter(is_text);
    let references = references.filter_map(|(place, skill)| {
        let pointer = format!("{list}/{place}/url");
        reference::to(input.document, reference::SKILL, skill.url.raw()?, &pointer)
    });
    let mut references = reference::distinct(references);
    references.truncate(reference::SKILL_FILES as usize);
    Facts {
        agents: vec![agent],
        mentions,
        references,
    }
}

/// Returns false for an archive of files, which is not read.
fn is_text((_, skill): &(usize, &Skill)) -> bool {
    let url = skill.url.raw().unwrap_or_default();
    let path = url.split(['?', '#']).next().unwrap_or_default();
    link::is_markdown(path) && skill.kind.raw().is_none_or(|kind| kind != "archive")
}

/// Returns false for a page or a policy of the site that such an index lists beside skills (GP-16).
fn is_skill(skill: &Skill) -> bool {
    const OTHERS: [&str; 5] = ["sitemap", "policy", "documentation", "docs", "feed"];
    !skill.kind.raw().is_some_and(|kind| OTHERS.contains(&kind))
}
