//! Skill files (SK-02, SK-03): Markdown texts that an agent loads, which an index of skills names.
//!
//! Only the name and the description at the top are read. A skill file lists no agent; its index does (SK-01).
//!
//! <https://agentskills.io/specification>

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::rule::document::DI_20;
use crate::rule::{Example, Rule};
use crate::{Agent, FormatId, Severity, link, openapi};
use serde_json::Value;

/// Maximum number of lines at the top in which the end of the front matter is looked for.
const MAX_LINES: usize = 200;

/// Line before and after the front matter.
const FENCE: &str = "---";

/// Reader of such texts.
pub(crate) struct SkillFile;

impl Format for SkillFile {
    type Manifest = Option<Value>;

    const ID: FormatId = FormatId::habit("agent-skill");
    const TITLE: &'static str = "Agent skill file";
    const PLACES: &'static [&'static str] = &[];
    const RULES: &'static [&'static Rule] = &[&SK_02];

    fn parse(input: &Input<'_>) -> Self::Manifest {
        front_matter(input.text).and_then(openapi::parse)
    }

    fn validate(matter: &Self::Manifest, _: &Input<'_>, findings: &mut Findings) {
        let has = |name: &&str| {
            let text = matter.as_ref().and_then(|it| it.get(*name)?.as_str());
            text.is_some_and(|it| !it.trim().is_empty())
        };
        let missing: Vec<_> = ["name", "description"]
            .into_iter()
            .filter(|name| !has(name))
            .collect();
        if !missing.is_empty() {
            let message = format!("the front matter states no {}", missing.join(" and no "));
            findings.add(&SK_02, "", message);
        }
        findings.add(
            &DI_20,
            "",
            "no agent is listed from the file of a skill, but from the index that names it",
        );
    }

    fn normalize(_: &Self::Manifest, _: &Input<'_>) -> Vec<Agent> {
        Vec::new()
    }
}

/// Reports whether a text is a skill file: one of that name that begins with front matter or a heading, or
/// one with the name and the description of a skill as its front matter.
pub(super) fn is_one(text: &str, path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let begin = text.trim_start();
    if path.ends_with("/skill.md") {
        return begin.starts_with('#') || begin.starts_with(FENCE);
    }
    link::is_markdown(&path)
        && front_matter(text).is_some_and(|matter| {
            let states = |name: &str| matter.lines().any(|line| line.starts_with(name));
            states("name:") && states("description:")
        })
}

/// Returns the lines between the two fences at the top of a text.
fn front_matter(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix(FENCE)?;
    let rest = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let mut length = 0;
    for line in rest.split_inclusive('\n').take(MAX_LINES) {
        if line.trim_end() == FENCE {
            return Some(&rest[..length]);
        }
        length += line.len();
    }
    None
}

pub(crate) static SK_02: Rule = Rule {
    id: "SK-02",
    format: SkillFile::TITLE,
    severity: Severity::Warning,
    title: "A skill file states its name and description",
    explanation: "An agent reads the name and the description between two lines of three hyphens at the top, and decides by them whether it loads the rest.",
    section: "agentskills.io, Specification, Frontmatter",
    good: &[Example::at(
        "/skills/glazing/SKILL.md",
        "---\nname: glazing\ndescription: Chooses a glaze for a mug.\n---\n\n# Glazing\n",
    )],
    bad: &[Example::at(
        "/skills/glazing/SKILL.md",
        "---\nname: glazing\n---\n\n# Glazing\n",
    )],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_file_is_recognised_by_its_name_or_by_what_stands_at_its_top() {
        let text = "---\r\nname: glazing\r\ndescription: Chooses a glaze.\r\n---\r\nText\r\n";
        assert!(is_one(text, "/skills/glazing.md"));
        assert!(is_one("# Glazing\n", "/skills/glazing/SKILL.md"));
        for (text, path) in [
            ("Not found\n", "/skills/glazing/SKILL.md"),
            ("# Glazing\n", "/skills/glazing.md"),
            ("---\nname: glazing\n---\n", "/skills/glazing.md"),
            (text, "/agents.txt"),
        ] {
            assert!(!is_one(text, path), "{path}: {text}");
        }
    }

    #[test]
    fn front_matter_ends_at_the_second_fence_within_its_limit() {
        assert_eq!(front_matter("---\na: 1\n---\nb: 2\n---\n"), Some("a: 1\n"));
        assert_eq!(front_matter("---\n---"), Some(""));
        assert_eq!(front_matter("----\na: 1\n----\n"), None);
        let endless = format!("---\n{}---\n", "a: 1\n".repeat(MAX_LINES));
        assert_eq!(front_matter(&endless), None);
    }
}
