//! Findings on files that are broken as real ones are: what a person reads, and where.

use manifest::Document;
use std::path::Path;

/// Kinds of breakage; each is a file in `broken/`, whose name ends in that of the manifest.
const FILES: [&str; 13] = [
    "capabilities-as-flags.agent.json",
    "capabilities-as-texts.agents.json",
    "comments-behind-values.agents.txt",
    "doubled-quotes.mcp.json",
    "empty.ai-plugin.json",
    "interfaces-as-texts.agent-card.json",
    "list-closed-early.agents.json",
    "no-known-format.agents.json",
    "placeholder.agent-card.json",
    "robots.agents.txt",
    "skills-without-tags.agent-card.json",
    "two-generations.agent-card.json",
    "unknown-words.ai-plugin.json",
];

#[test]
fn a_person_reads_what_to_change_and_where() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifest/broken");
    insta::with_settings!({snapshot_path => "broken", prepend_module_to_snapshot => false}, {
        for file in FILES {
            let body = std::fs::read(folder.join(file)).unwrap();
            let (_, name) = file.split_once('.').unwrap();
            let lint = manifest::lint(&Document::of_file(&format!("/.well-known/{name}"), body));
            let shown = lint.show(name, |_, text| text.to_owned());
            insta::assert_snapshot!(file, format!("{shown}{}", lint.summary()));
        }
    });
}
