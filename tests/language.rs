//! Language of the repository: its own comments, documents and names are plain technical English
//! (CONTRIBUTING.md).

use crate::support::sources::{Source, sources};

/// Words with which no doc comment begins: a description names or does something, it asks nothing.
const QUESTIONS: [&str; 12] = [
    "what", "who", "whoever", "whose", "how", "where", "when", "whether", "which", "why",
    "whatever", "wherever",
];

/// Pronouns for people, which machines and documents are not.
const PEOPLE: [&str; 4] = ["nobody", "somebody", "whoever", "anybody"];

/// Most uses of [`PEOPLE`] in Rust, Markdown and templates together.
const MAX_PEOPLE: usize = 10;

/// Documents that are not part of the repository.
const OUTSIDE: [&str; 3] = ["FORMATS.md", "POLITENESS.md", "DESIGN.md"];

/// Names that say too little of what they stand for.
const VAGUE: [&str; 10] = [
    "told", "said", "meant", "alike", "sign", "held", "left", "led", "hopes", "standing",
];

/// Keywords that may stand before `fn`, `pub` apart.
const WORDS_BEFORE_FN: [&str; 3] = ["const", "async", "unsafe"];

/// This file, which has to contain the words.
const THIS_FILE: &str = "tests/language.rs";

/// Most offences that a failure shows.
const MAX_SHOWN: usize = 40;

#[test]
fn no_doc_comment_begins_with_a_question_word() {
    assert_none(&offences(&["rs"], question));
}

/// A verb in the third person ends in `s`: "Returns", "Reports", "Does".
#[test]
fn the_description_of_a_function_begins_with_a_verb() {
    let sources = sources(&["rs"]);
    let found: Vec<_> = sources.iter().flat_map(functions_without_a_verb).collect();
    assert_none(&found);
}

/// Returns the first lines of doc comments on functions that do not begin with a verb, except on tests.
fn functions_without_a_verb(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let mut first: Option<&str> = None;
    let mut is_test = false;
    for line in source.text.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            first = first.or(Some(doc.trim()));
            continue;
        }
        if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("test(");
            continue;
        }
        let doc = first.take().filter(|_| !std::mem::take(&mut is_test));
        let is_function = line.split_once("fn ").is_some_and(|(before, _)| {
            before
                .split_whitespace()
                .all(|word| word.starts_with("pub") || WORDS_BEFORE_FN.contains(&word))
        });
        let begins_with_verb = |doc: &&str| {
            let word = doc.split(|it: char| !it.is_alphabetic()).next();
            word.is_some_and(|word| word.ends_with('s') && word.starts_with(char::is_uppercase))
        };
        if let Some(doc) = doc.filter(|doc| is_function && !begins_with_verb(doc)) {
            found.push(format!("{}: {doc}", source.path));
        }
    }
    found
}

#[test]
fn machines_are_not_people() {
    let found = offences(&["rs", "md", "html"], person);
    assert!(found.len() <= MAX_PEOPLE, "{}", report(&found));
}

#[test]
fn nothing_outside_of_the_repository_is_cited() {
    assert_none(&offences(&["rs", "md", "html"], outside));
}

#[test]
fn no_declared_name_is_vague() {
    assert_none(&offences(&["rs"], vague));
}

/// A line and, if there is one in the same file, the line before it.
struct Line<'a> {
    text: &'a str,
    before: &'a str,
}

/// Returns the lines that offend, each as `path:line: text`, once for each offence in them.
fn offences(extensions: &[&str], count: impl Fn(&Line<'_>) -> usize) -> Vec<String> {
    let mut sources = sources(extensions);
    sources.retain(|source| source.path != THIS_FILE);
    sources
        .iter()
        .flat_map(|source| offences_in(source, &count))
        .collect()
}

fn offences_in(source: &Source, count: impl Fn(&Line<'_>) -> usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = "";
    for (index, text) in source.text.lines().enumerate() {
        let times = count(&Line { text, before });
        let place = format!("{}:{}: {}", source.path, index + 1, text.trim());
        found.extend(std::iter::repeat_n(place, times));
        before = text;
    }
    found
}

fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "{}", report(found));
}

/// Returns the number of offences and the first of them, one a line.
fn report(found: &[String]) -> String {
    let shown = &found[..found.len().min(MAX_SHOWN)];
    let more = match found.len() - shown.len() {
        0 => String::new(),
        more => format!("\n… and {more} more"),
    };
    format!("{} offences:\n{}{more}", found.len(), shown.join("\n"))
}

/// Counts a doc comment whose first line begins with a question word.
fn question(line: &Line<'_>) -> usize {
    let begins = ["///", "//!"].into_iter().any(|marker| {
        let text = line.text.trim_start().strip_prefix(marker);
        let is_first = !line.before.trim_start().starts_with(marker);
        let word = text.and_then(|text| words(text).next());
        is_first && word.is_some_and(|word| is_one_of(&QUESTIONS, word))
    });
    usize::from(begins)
}

/// Counts the pronouns for people in a line.
fn person(line: &Line<'_>) -> usize {
    words(line.text)
        .filter(|word| is_one_of(&PEOPLE, word))
        .count()
}

/// Counts citations of documents that a reader of the repository does not have.
fn outside(line: &Line<'_>) -> usize {
    let documents = OUTSIDE.iter().map(|name| line.text.matches(name).count());
    let all: Vec<&str> = line.text.split([' ', '(', '"', '`']).collect();
    let rows = all.windows(2).filter(|pair| {
        let number = pair[1].trim_end_matches(|it: char| !it.is_ascii_digit());
        let is_number =
            (1..=3).contains(&number.len()) && number.bytes().all(|it| it.is_ascii_digit());
        matches!(pair[0], "row" | "Row" | "rows" | "Rows") && is_number
    });
    documents.sum::<usize>() + rows.count()
}

/// Counts declarations of vague names; `left` beside `right` names a side and is not vague.
fn vague(line: &Line<'_>) -> usize {
    let code = without_literals(line.text);
    let has_sides = words(&code).any(|word| word == "right");
    let mut found = 0;
    let mut start = 0;
    for word in code.split(|it: char| !it.is_ascii_alphanumeric() && it != '_') {
        let end = start + word.len();
        let is_side = has_sides && word == "left";
        if is_one_of(&VAGUE, word) && !is_side && is_declared(&code[..start], word, &code[end..]) {
            found += 1;
        }
        start = end + code[end..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Tells from the code on both sides of a name whether it declares the name.
fn is_declared(before: &str, name: &str, after: &str) -> bool {
    const KEYWORDS: [&str; 10] = [
        "fn", "let", "mut", "ref", "struct", "enum", "mod", "const", "static", "for",
    ];
    let keyword = before
        .trim_end()
        .rsplit(|it: char| !it.is_ascii_alphabetic())
        .next();
    let is_after_keyword = before.ends_with(' ')
        && !before.ends_with("&mut ")
        && keyword.is_some_and(|word| KEYWORDS.contains(&word));
    let is_typed = after.starts_with(": ") && before.trim_end().ends_with(['(', ',', '|']);
    let is_field = after.starts_with(": ")
        && (before.trim().is_empty()
            || keyword == Some("pub")
            || before.ends_with("pub(super) ")
            || before.ends_with("pub(crate) "));
    let is_closure =
        before.ends_with('|') && !before.ends_with("||") && after.starts_with(['|', ',']);
    let is_pattern = before.contains("let (") && !before.contains('=');
    let is_variant = before.trim().is_empty()
        && name.starts_with(|it: char| it.is_ascii_uppercase())
        && (after == ","
            || after.starts_with('(') && after.ends_with("),")
            || after == " {" && !before.is_empty());
    is_after_keyword || is_typed || is_field || is_closure || is_pattern || is_variant
}

/// Returns a line of code without its comment and the text of its string literals.
fn without_literals(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut is_string = false;
    let mut rest = line.chars().peekable();
    while let Some(it) = rest.next() {
        match it {
            '\\' if is_string => {
                rest.next();
            }
            '"' => is_string = !is_string,
            '/' if !is_string && rest.peek() == Some(&'/') => break,
            it if !is_string => code.push(it),
            _ => {}
        }
    }
    code
}

/// Returns the words of a text: runs of letters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| !it.is_alphabetic());
    words.filter(|word| !word.is_empty())
}

fn is_one_of(list: &[&str], word: &str) -> bool {
    list.iter().any(|it| it.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod scanners {
    use super::*;

    /// Returns the numbers of the lines that offend.
    fn lines(text: &str, count: impl Fn(&Line<'_>) -> usize) -> Vec<usize> {
        let source = Source {
            path: "a.rs".to_owned(),
            text: text.to_owned(),
        };
        let found = offences_in(&source, count);
        let numbers = found
            .iter()
            .map(|it| it.split(':').nth(1).unwrap().parse().unwrap());
        numbers.collect()
    }

    #[test]
    fn a_doc_comment_that_asks_is_found() {
        let text = "//! What a visit does.\n\n/// Returns a name,\n/// when there is one.\n\n    /// How many?\n// Why not.\n/// Whatsoever.";
        assert_eq!(lines(text, question), [1, 6]);
    }

    #[test]
    fn a_machine_that_is_taken_for_a_person_is_found() {
        let text = "Nobody answers whoever asks.\nNo host answers.\nanybody";
        assert_eq!(lines(text, person), [1, 1, 3]);
    }

    #[test]
    fn a_citation_of_a_document_outside_is_found() {
        let text = "(FORMATS.md 12.4)\n(row 42)\nrows 3 to 9\na row of 3\nsee docs/formats.md";
        assert_eq!(lines(text, outside), [1, 2, 3]);
    }

    #[test]
    fn a_vague_name_is_found_where_it_is_declared() {
        for code in [
            "fn told() {",
            "    let mut left = 1;",
            "let (a, held) = pair();",
            "pub(crate) struct Standing {",
            "mod alike;",
            "    pub said: String,",
            "    led: bool,",
            "fn f(sign: &str) {}",
            "it.map(|meant| meant + 1)",
            "    Told(String),",
            "    Left,",
            "const HOPES: u8 = 1;",
            "for left in lines {",
        ] {
            assert_eq!(lines(code, vague), [1], "{code}");
        }
        for code in [
            "let rest = left.len();",
            "// fn told() is gone",
            "let a = \"let told = 1\";",
            "fn leftover() {}",
            "match key.sign(bytes) {",
            "    standing,",
            "    fill(&mut left);",
            "words.sort_by(|left, right| left.cmp(right));",
        ] {
            assert!(lines(code, vague).is_empty(), "{code}");
        }
    }

    #[test]
    fn a_report_shows_at_most_forty_offences() {
        let found: Vec<String> = (0..50).map(|number| format!("a.rs:{number}: x")).collect();
        let report = report(&found);
        assert!(report.starts_with("50 offences:\na.rs:0: x\n"), "{report}");
        assert!(report.ends_with("a.rs:39: x\n… and 10 more"), "{report}");
    }
}
