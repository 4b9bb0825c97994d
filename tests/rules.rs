//! Ids of rules, such as A2-06, P16 and HS-42: the references in `docs/` define each id that the
//! repository cites, and each id that they define is cited by code or a test.
//!
//! The first cell of a row of a table defines an id. A row with a cell that begins with [`EXCUSE`]
//! says why nothing cites its id.

use crate::support::sources::{Source, sources};
use crate::support::{workspace, workspace_file};
use std::collections::{BTreeMap, BTreeSet};

/// Documents that define ids.
const REFERENCES: [&str; 2] = ["docs/formats.md", "docs/politeness.md"];

/// Start of the cell that says why nothing cites the id of its row.
const EXCUSE: &str = "Nothing to check";

/// Families of names that look like ids: character sets, algorithms, and specifications.
const OTHER_FAMILIES: [&str; 8] = ["AES", "ANP", "CAIP", "FNV", "P-", "RFC", "SHA", "UTF"];

/// Ids that tests make up, to see how an unknown rule is handled.
const MADE_UP: [&str; 3] = ["A2-066", "DI-1", "XX-01"];

/// This file, whose own tests make ids up.
const THIS_FILE: &str = "tests/rules.rs";

/// Ids to the files in which they stand.
type Citations = BTreeMap<String, BTreeSet<String>>;

#[test]
fn each_id_that_is_cited_is_defined() {
    let defined = definitions();
    let cited = citations(&all_sources(), |source| source.text.as_str());
    let unknown = undefined(&cited, &defined);
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn each_id_that_is_defined_is_cited() {
    let defined = definitions();
    let cited = citations(&rust_sources(), |source| source.text.as_str());
    let unused = uncited(&defined, &cited);
    assert!(unused.is_empty(), "{}", unused.join("\n"));
}

#[test]
fn each_id_is_defined_once() {
    let mut seen = BTreeSet::new();
    let twice: Vec<_> = definitions()
        .into_iter()
        .filter(|definition| !seen.insert(definition.id.clone()))
        .map(|definition| {
            format!(
                "{} is defined twice, also in {}",
                definition.id, definition.document
            )
        })
        .collect();
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}

#[test]
fn each_rule_of_politeness_is_cited_by_a_test() {
    let tested = citations(&rust_sources(), test_code);
    let untested: Vec<_> = definitions()
        .into_iter()
        .filter(|it| it.id.starts_with('P') && !it.id.contains('-') && !it.is_excused)
        .filter(|it| !tested.contains_key(&it.id))
        .map(|it| format!("no test cites {}", it.id))
        .collect();
    assert!(untested.is_empty(), "{}", untested.join("\n"));
}

#[test]
fn each_path_that_a_document_names_exists() {
    let is_missing = |path: &&str| !path.contains('<') && !workspace().join(path).exists();
    let mut missing = Vec::new();
    for document in ["ARCHITECTURE.md", "docs/formats.md", "docs/politeness.md"] {
        let text = workspace_file(document);
        let paths = paths(&text).filter(is_missing);
        missing.extend(paths.map(|path| format!("{document} names {path}, which does not exist")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn each_hostile_server_is_played_where_the_reference_says() {
    let cited = citations(&rust_sources(), |source| source.text.as_str());
    let nowhere = BTreeSet::new();
    let misplaced: Vec<_> = definitions()
        .into_iter()
        .filter(|it| it.id.starts_with("HS-") && !it.is_excused)
        .filter(|it| {
            let files = cited.get(&it.id).unwrap_or(&nowhere);
            !paths(&it.row).any(|path| files.contains(path))
        })
        .map(|it| format!("the file that the row of {} names does not cite it", it.id))
        .collect();
    assert!(misplaced.is_empty(), "{}", misplaced.join("\n"));
}

/// An id that a reference defines.
#[derive(Debug)]
struct Definition {
    id: String,
    document: String,
    row: String,
    /// True if its row states why nothing cites it.
    is_excused: bool,
}

fn definitions() -> Vec<Definition> {
    let documents = REFERENCES.iter().map(|path| (path, workspace_file(path)));
    documents
        .flat_map(|(path, text)| definitions_in(path, &text))
        .collect()
}

/// Returns the ids in the first cells of the rows of a document.
fn definitions_in(document: &str, text: &str) -> Vec<Definition> {
    let rows = text.lines().filter_map(|line| {
        let (first, rest) = line.strip_prefix("| ")?.split_once(" |")?;
        Some(Definition {
            id: id(first)?,
            document: document.to_owned(),
            row: line.to_owned(),
            is_excused: rest.split('|').any(|cell| cell.trim().starts_with(EXCUSE)),
        })
    });
    rows.collect()
}

fn all_sources() -> Vec<Source> {
    let mut sources = sources(&["rs", "html", "md"]);
    sources.retain(|source| source.path != THIS_FILE);
    sources
}

fn rust_sources() -> Vec<Source> {
    let mut sources = sources(&["rs"]);
    sources.retain(|source| source.path != THIS_FILE);
    sources
}

/// Returns the part of a Rust file that is compiled for tests only, as far as its place and its
/// module of tests tell.
fn test_code(source: &Source) -> &str {
    let path = source.path.as_str();
    if path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("tests.rs") {
        return &source.text;
    }
    let start = source.text.find("#[cfg(test)]\nmod ");
    start.map_or("", |start| &source.text[start..])
}

/// Returns the ids that a part of each file cites.
fn citations(sources: &[Source], part: impl Fn(&Source) -> &str) -> Citations {
    let mut citations = Citations::new();
    for source in sources {
        let text = part(source);
        let is_hostile = source.path.starts_with("tests/hostile");
        let numbers = if is_hostile { played(text) } else { Vec::new() };
        let names = text.lines().flat_map(ids_of_test);
        for id in words(text).filter_map(id).chain(names).chain(numbers) {
            let files = citations.entry(id).or_default();
            files.insert(source.path.clone());
        }
    }
    citations
}

fn undefined(cited: &Citations, defined: &[Definition]) -> Vec<String> {
    let defined: BTreeSet<&str> = defined.iter().map(|it| it.id.as_str()).collect();
    cited
        .iter()
        .filter(|(id, _)| !defined.contains(id.as_str()))
        .map(|(id, files)| {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            format!("no reference defines {id}, cited in {}", files.join(", "))
        })
        .collect()
}

fn uncited(defined: &[Definition], cited: &Citations) -> Vec<String> {
    let unused = defined
        .iter()
        .filter(|it| !it.is_excused && !cited.contains_key(&it.id));
    unused
        .map(|it| format!("no Rust file cites {}, defined in {}", it.id, it.document))
        .collect()
}

/// Returns the words of a text, each with its hyphens and underscores.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_ascii_alphanumeric() && !matches!(it, '-' | '_'))
}

/// Returns the id that a word is, if it is one. `P04` is P4, and `HS-7` is HS-07.
fn id(word: &str) -> Option<String> {
    if MADE_UP.contains(&word) || OTHER_FAMILIES.iter().any(|family| word.starts_with(family)) {
        return None;
    }
    if let Some((family, number)) = word.split_once('-') {
        let (number, _) = numbered(number)?;
        let is_family = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit();
        let is_id = (1..=4).contains(&family.len())
            && family.starts_with(|it: char| it.is_ascii_uppercase())
            && family.bytes().all(is_family);
        return is_id.then(|| match family {
            "HS" => hostile(number),
            _ => word.to_owned(),
        });
    }
    let (number, suffix) = numbered(word.strip_prefix('P')?)?;
    // `P256` is an elliptic curve.
    (number < 100).then(|| format!("P{number}{suffix}"))
}

/// Splits `19a` into its number and its suffix, which may be empty.
fn numbered(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|it: char| !it.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let is_suffix = suffix.is_empty()
        || (suffix.len() == 1 && suffix.bytes().all(|it| it.is_ascii_lowercase()));
    let is_number = (1..=3).contains(&digits.len()) && is_suffix;
    is_number.then(|| Some((digits.parse().ok()?, suffix)))?
}

fn hostile(number: u32) -> String {
    format!("HS-{number:02}")
}

/// Returns the ids in the name of a test function such as `p06_p19a_robots_txt_comes_first` or
/// `p12_hs_64_and_65_parked_names`.
fn ids_of_test(line: &str) -> Vec<String> {
    let line = line.trim_start().trim_start_matches("async ");
    let name = line.strip_prefix("fn ").unwrap_or_default();
    let name = name.split('(').next().unwrap_or_default();
    let mut is_hostile = false;
    let mut ids = Vec::new();
    for part in name.split('_') {
        let rule = part
            .strip_prefix('p')
            .filter(|rest| rest.len() >= 2)
            .and_then(numbered);
        match (part, rule) {
            ("hs", _) => is_hostile = true,
            ("and", _) if is_hostile => {}
            (_, Some((number, suffix))) if !is_hostile => ids.push(format!("P{number}{suffix}")),
            _ if is_hostile && let Some((number, "")) = numbered(part) => ids.push(hostile(number)),
            _ => break,
        }
    }
    ids
}

/// Returns the hostile servers that a test plays by number, as in `Row::probe(43, "loop", …)`.
fn played(text: &str) -> Vec<String> {
    let calls = text.split('(').filter_map(|rest| {
        let (number, rest) = rest.trim_start().split_once(',')?;
        let is_name = rest.trim_start().starts_with(['"', 'n']);
        let (number, suffix) = numbered(number).filter(|_| is_name)?;
        suffix.is_empty().then(|| hostile(number))
    });
    calls.collect()
}

/// Returns the code spans of a document that are paths of files in the repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let spans = text
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.filter(|span| {
        let path = std::path::Path::new(span);
        let is_file = path
            .extension()
            .is_some_and(|it| it == "rs" || it == "md" || it == "sql");
        is_file && span.contains('/') && !span.starts_with('/') && !span.contains([' ', ':'])
    })
}

#[cfg(test)]
mod scanners {
    use super::*;

    const TABLE: &str = "\
| Id | Rule |
|---|---|
| A2-06 | A name. |
| A2-07 | Nothing to check: it is free text. |
| P4 | Held in `crawler/src/no_such_file.rs`, see `/agents.txt`. |
| HS-07 | endless |
";

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn cited(path: &str, text: &str) -> Vec<String> {
        let citations = citations(&[source(path, text)], |source| source.text.as_str());
        citations.into_keys().collect()
    }

    #[test]
    fn an_id_without_a_definition_is_reported_with_its_files() {
        let sources = [source("a.rs", "// (A2-06, P5)"), source("b.rs", "// P05")];
        let citations = citations(&sources, |source| source.text.as_str());
        let found = undefined(&citations, &definitions_in("docs/x.md", TABLE));
        assert_eq!(found, ["no reference defines P5, cited in a.rs, b.rs"]);
    }

    #[test]
    fn a_definition_without_a_citation_is_reported_unless_its_row_says_why() {
        let citations = citations(&[source("a.rs", "// P4")], |source| source.text.as_str());
        let found = uncited(&definitions_in("docs/x.md", TABLE), &citations);
        let expected = [
            "no Rust file cites A2-06, defined in docs/x.md",
            "no Rust file cites HS-07, defined in docs/x.md",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn ids_are_found_in_text_names_and_rows_of_hostile_servers() {
        assert_eq!(
            cited("a.rs", "//! Pace (P16, P38a), A2S-01."),
            ["A2S-01", "P16", "P38a"]
        );
        assert_eq!(
            cited("a.rs", "    async fn p06_p19a_first_p07() {"),
            ["P19a", "P6"]
        );
        assert_eq!(
            cited("a.rs", "fn p12_hs_64_and_5_parked() {"),
            ["HS-05", "HS-64", "P12"]
        );
        let rows = "Row::probe(3, \"a\") (\n 43,\n \"b\", x) f(12, b) g(7, \"c\"";
        assert_eq!(
            cited("tests/hostile/http.rs", rows),
            ["HS-03", "HS-07", "HS-43"]
        );
        assert!(cited("a.rs", rows).is_empty());
    }

    #[test]
    fn names_that_only_look_like_ids_are_no_citations() {
        let text =
            "UTF-16 UTF-8 SHA-256 ANP-07 RFC-9309 P-256 P384 XX-01 CAIP-2 x-A2-06 P1x2 POST P1234";
        assert!(cited("a.rs", text).is_empty());
    }

    #[test]
    fn only_tests_count_as_tests() {
        let code = "// P16\n#[cfg(test)]\nmod tests {\n// P17\n}";
        let of = |path| {
            let citations = citations(&[source(path, code)], test_code);
            citations.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(of("crawler/src/pace.rs"), ["P17"]);
        assert_eq!(of("crawler/src/pace/tests.rs"), ["P16", "P17"]);
    }

    #[test]
    fn paths_are_code_spans_of_files() {
        let found: Vec<_> = paths(TABLE).collect();
        assert_eq!(found, ["crawler/src/no_such_file.rs"]);
    }
}
