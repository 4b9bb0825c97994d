//! Every rule of the politeness contract is named by a test, so that none is forgotten.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The rules are P1 to P46; sub-rules such as P19a belong to theirs.
const RULES: std::ops::RangeInclusive<u32> = 1..=46;

#[test]
fn each_rule_of_politeness_is_named_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut named = BTreeSet::new();
    for folder in [
        "crawler/src",
        "indexer/manifest/src",
        "indexer/store/tests",
        "tests",
    ] {
        for file in sources(&root.join(folder)) {
            let text = std::fs::read_to_string(&file).unwrap();
            named.extend(text.lines().flat_map(rules));
        }
    }
    let missing: Vec<_> = RULES.filter(|rule| !named.contains(rule)).collect();
    assert!(missing.is_empty(), "no test is named after {missing:?}");
}

/// The rules in the name of a test function such as `p06_p07_robots_txt_comes_first`.
fn rules(line: &str) -> Vec<u32> {
    let name = line
        .trim_start()
        .trim_start_matches("async ")
        .strip_prefix("fn ");
    let parts = name.unwrap_or_default().split('_');
    let number = |part: &str| part.strip_prefix('p')?.get(..2)?.parse().ok();
    parts.map_while(number).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
        }
    }
    files
}
