//! Other files at the path of an agents.txt (DI-05, AT-96).

use super::lines::{Kind, Line, Position, lines};
use super::report::Report;
use crate::Severity::Error;
use crate::rule::document::DI_05;
use crate::rule::{Example, Rule};

/// Reports what kind of file the text is instead.
pub(super) fn validate(report: &mut Report<'_>) {
    let text = report.input.text;
    if text.is_empty() {
        // The body itself was rejected; that has its own finding.
    } else if let Some(place) = robots(text) {
        let message = "this is a copy of robots.txt; state here what agents can do on this site";
        found(report, &DI_05, place, message);
    } else if let Some(place) = coding_notes(text) {
        let message =
            "these are notes for coding agents; state here what agents can do on this site";
        found(report, &AT_96, place, message);
    } else if is_humans_txt(text) {
        let message =
            "this is a humans.txt, which names people; state what agents can do on this site";
        found(report, &DI_05, Position { line: 1, column: 1 }, message);
    } else {
        let message =
            "this is in no known dialect of agents.txt; give at least Name, URL and Capabilities";
        found(report, &DI_05, Position { line: 1, column: 1 }, message);
    }
}

fn found(report: &mut Report<'_>, rule: &'static Rule, place: Position, message: &str) {
    report.at(rule, place, message);
}

/// Returns true for a humans.txt, recognised by the headings of its sections.
pub(in crate::formats) fn is_humans_txt(text: &str) -> bool {
    let is_head = |line: &str| {
        let head = line
            .trim()
            .strip_prefix("/*")
            .and_then(|it| it.strip_suffix("*/"));
        let head = head.map(|it| it.trim().to_ascii_lowercase());
        head.is_some_and(|it| matches!(&*it, "team" | "site" | "thanks" | "humans"))
    };
    text.lines().any(is_head)
}

fn robots(text: &str) -> Option<Position> {
    let is_agent =
        |line: &Line<'_>| matches!(&line.kind, Kind::Pair(pair) if pair.key == "user-agent");
    lines(text).find(is_agent).map(|line| line.place(line.text))
}

/// Returns the position of the heading that identifies the text as notes for coding agents.
fn coding_notes(text: &str) -> Option<Position> {
    let mut notes = CodingNotes::default();
    lines(text).find_map(|line| {
        let Kind::Comment { text, .. } = line.kind else {
            return None;
        };
        notes.heading(text);
        notes.are_certain().then(|| line.place(line.text))
    })
}

/// Detector of notes for agents that work on a repository, by their headings.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::formats) struct CodingNotes {
    weight: usize,
    has_headings: bool,
}

impl CodingNotes {
    /// Adds the next heading.
    pub(in crate::formats) fn heading(&mut self, heading: &str) {
        let heading = heading.to_ascii_lowercase();
        let is_title = !std::mem::replace(&mut self.has_headings, true);
        let begins = |with: &[&str]| with.iter().any(|it| heading.starts_with(it));
        if (is_title && TITLES.iter().any(|it| heading.contains(it))) || begins(CERTAIN) {
            self.weight += 2;
        } else if begins(LIKELY) {
            self.weight += 1;
        }
    }

    /// Returns true once the headings prove that the text is such notes.
    pub(in crate::formats) fn are_certain(self) -> bool {
        self.weight > 1
    }
}

/// Names of files that coding agents read.
const TITLES: &[&str] = &[
    "agents.md",
    "claude.md",
    "gemini.md",
    "copilot instructions",
    "cursor rules",
];

/// Headings that only such notes have; one is enough.
const CERTAIN: &[&str] = &[
    "setup commands",
    "build commands",
    "build and test",
    "build & test",
    "code style",
    "coding style",
    "coding conventions",
    "coding standards",
    "dev environment",
    "development environment",
    "testing instructions",
    "pr instructions",
    "pull request",
    "commit message",
    "repository guidelines",
    "project structure",
];

/// Headings of which two are enough.
const LIKELY: &[&str] = &[
    "architecture",
    "commands",
    "conventions",
    "dependencies",
    "development",
    "directory structure",
    "file structure",
    "git workflow",
    "linting",
    "setup",
    "tech stack",
    "testing",
    "tests",
];

pub(crate) static AT_96: Rule = Rule {
    id: "AT-96",
    format: "agents.txt",
    severity: Error,
    title: "The file describes a service, not a repository",
    explanation: "Build commands and code style are for agents that work on the code, and belong in AGENTS.md in the repository. An agents.txt on the web states what the site offers to agents that visit it.",
    section: "Common practice; there is no specification",
    good: super::examples::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# Shop\n\n## Build commands\n- make shelves\n\n## Code style\n- two spaces\n",
    )],
};

pub(super) const RULES: &[&Rule] = &[&AT_96];
