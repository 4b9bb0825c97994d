//! The shared corpus of real files: nothing panics, and the formats are counted.

use crate::support::{document, shared};
use manifest::formats;
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn every_real_file_is_read_and_the_result_never_changes() {
    let Some(folder) = shared("corpus") else {
        return;
    };
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let mut table: BTreeMap<(String, &str), Vec<String>> = BTreeMap::new();
    for line in index.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap();
        if row["guess"] == "robots.txt" {
            continue;
        }
        let site = row["site"].as_str().map_or_else(
            || format!("unknown.test/{}", row["path"].as_str().unwrap()),
            str::to_owned,
        );
        let body = std::fs::read(folder.join("files").join(id)).unwrap();
        let document = document(&format!("https://{site}"), body);
        let reading = formats::read(&document);
        assert_eq!(reading, formats::read(&document), "{id}");
        let names: Vec<_> = reading
            .agents
            .iter()
            .map(|agent| format!("{} ({})", agent.name, agent.capabilities.len()))
            .collect();
        let guess = row["guess"].as_str().unwrap().to_owned();
        let seen = table.entry((guess, reading.format.as_str())).or_default();
        seen.push(format!("{site}: {names:?}"));
    }
    for ((guess, format), seen) in table {
        println!("{guess} -> {format}: {}", seen.len());
        for line in seen {
            println!("    {line}");
        }
    }
}
