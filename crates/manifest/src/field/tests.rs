//! Members of the wrong type, which leave the rest of their document readable.

use super::*;
use serde_json::json;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Skill {
    name: Field<String>,
    tags: List<String>,
    options: Field<Options>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Options {
    fast: Field<bool>,
}

fn skill(value: &Value) -> Skill {
    Field::of(value).get().cloned().unwrap_or_default()
}

#[test]
fn one_wrong_member_does_not_lose_the_others() {
    let skill = skill(&json!({"name": "Oven", "tags": ["a", 7, null, " a "], "options": "yes"}));
    assert_eq!(skill.name.text().as_deref(), Some("Oven"));
    assert_eq!(skill.tags.texts(), ["a", "7"]);
    assert_eq!(skill.options, Field::Wrong(json!("yes")));
}

#[test]
fn an_array_is_never_read_as_an_object() {
    let skill = skill(&json!({"options": []}));
    assert_eq!(skill.options, Field::Wrong(json!([])));
    assert!(Field::<Skill>::of(&json!([])).get().is_none());
}

#[test]
fn a_table_keeps_order_and_good_members() {
    let table = Table::<Skill>::of(&json!({"z": {"name": "Z"}, "y": 5, "a": {}}));
    let names: Vec<_> = table.members().map(|(name, _)| name).collect();
    assert_eq!(names, ["z", "a"]);
}
