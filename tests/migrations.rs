//! Migrations that have landed: databases exist that went through them, so that another text would reach
//! only new ones.

use crate::support::{workspace, workspace_file};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

#[test]
fn a_landed_migration_is_never_edited() {
    let listed: BTreeMap<String, String> = workspace_file("migrations/SHA256SUMS")
        .lines()
        .map(|line| {
            let (sum, name) = line.split_once("  ").unwrap();
            (name.to_owned(), sum.to_owned())
        })
        .collect();
    let mut present = BTreeMap::new();
    for kind in ["sqlite", "postgres"] {
        let folder = workspace().join("migrations").join(kind);
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap();
            let name = format!("{kind}/{}", file.file_name().to_str().unwrap());
            let sum = Sha256::digest(std::fs::read(file.path()).unwrap());
            present.insert(name, format!("{sum:x}"));
        }
    }
    assert!(present.len() >= 23);
    for (name, sum) in &listed {
        assert_eq!(
            present.get(name),
            Some(sum),
            "{name} has landed: databases have it as it was, so add a new migration instead"
        );
    }
    let new: Vec<_> = present
        .iter()
        .filter(|(name, _)| !listed.contains_key(*name))
        .map(|(name, sum)| format!("{sum}  {name}"))
        .collect();
    assert!(
        new.is_empty(),
        "add to migrations/SHA256SUMS, once and for all:\n{}",
        new.join("\n")
    );
}
