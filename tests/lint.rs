//! `indexer lint` as a person runs it.

use crate::support;
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A card whose version is a number: an error.
const CARD: &str = "{\n  \"name\": \"Ferry\",\n  \"description\": \"Crossings.\",\n  \
    \"version\": 1,\n  \"url\": \"https://ferry.example/a2a\",\n  \"skills\": []\n}\n";

/// A site that says little, and nothing wrong.
const TEXT: &str = "Site: Ferry\nURL: https://ferry.example/\nAllow: timetable\n";

fn lint(folder: &Path, arguments: &[&str]) -> support::Ran {
    support::run("indexer", folder, &[&["lint"], arguments].concat())
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, body) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, body).unwrap();
    }
    folder
}

#[test]
fn people_see_the_line_the_place_and_the_rule() {
    let folder = folder_with(&[("agent-card.json", CARD)]);
    let ran = lint(folder.path(), &["agent-card.json"]);
    ran.fails_with(
        1,
        &[
            "error[A2-04]: ",
            " --> agent-card.json:4:14 (/version)\n",
            "\n4 |   \"version\": 1,\n  |              ^\n",
            "agent-card.json: a2a-agent-card",
            "not valid, indexable, 1 agent: Ferry (0 capabilities)",
            "1 document: ",
        ],
    );
    assert!(!ran.output.contains('\u{1b}'), "{}", ran.output);
}

#[test]
fn a_file_is_corrected_where_that_changes_nothing_that_is_read() {
    let broken = "{\n  // by hand\n  'name': \"Ferry\",\n  \"description\": \"Crossings.\",\n}\n";
    let folder = folder_with(&[("agents.json", broken), ("agents.txt", TEXT)]);
    let arguments = ["--fix", "agents.json", "agents.txt"];
    let ran = lint(folder.path(), &arguments);
    for line in [
        "fixed 'agents.json': a comment, in line 2",
        "fixed 'agents.json': a comma before a closing bracket, in line 4",
        "fixed 'agents.json': other quotes than plain double ones, in line 3",
    ] {
        assert!(ran.output.contains(line), "{}", ran.output);
    }
    assert!(!ran.output.contains("DI-07"), "{}", ran.output);
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        read("agents.json"),
        "{\n  \"name\": \"Ferry\",\n  \"description\": \"Crossings.\"\n}\n"
    );
    assert_eq!(read("agents.txt"), TEXT);
    let again = lint(folder.path(), &arguments);
    assert!(!again.output.contains("fixed"), "{}", again.output);
}

#[test]
fn programs_get_one_object_a_document() {
    let folder = folder_with(&[("agent-card.json", CARD), ("agents.txt", TEXT)]);
    let arguments = ["agent-card.json", "agents.txt", "--format", "json"];
    let ran = lint(folder.path(), &arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.output);
    let lines: Vec<Value> = ran
        .output
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    let members: Vec<_> = lines[0].as_object().unwrap().keys().collect();
    let expected =
        "file format generation level valid indexable agents references mentions findings";
    assert_eq!(members, expected.split(' ').collect::<Vec<_>>());
    assert_eq!(lines[0]["file"], "agent-card.json");
    assert_eq!(lines[0]["valid"], false);
    assert_eq!(lines[1]["agents"][0]["name"], "Ferry");
    assert_eq!(lines[1]["valid"], true, "{}", lines[1]);
}

#[test]
fn broken_json_comes_first_with_the_corrected_line() {
    let broken = CARD.replace("\"Crossings.\",", "\"Crossings.\"");
    let folder = folder_with(&[("agent-card.json", &broken)]);
    let ran = lint(folder.path(), &["agent-card.json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.output);
    let expected = "error[DI-07]: invalid JSON: a comma is missing\n --> agent-card.json:3:30\n";
    assert!(ran.output.starts_with(expected), "{}", ran.output);
    let help = "= help: add it: \"description\": \"Crossings.\",\n";
    assert!(ran.output.contains(help), "{}", ran.output);
}

#[test]
fn one_cause_is_one_finding_with_its_places() {
    let skills: Vec<_> = (0..40)
        .map(|it| format!("{{\"id\": \"s{it}\", \"name\": \"S\", \"description\": \"d\"}}"))
        .collect();
    let card = CARD.replace("[]", &format!("[{}]", skills.join(",\n")));
    let folder = folder_with(&[("agent-card.json", &card)]);
    let ran = lint(folder.path(), &["agent-card.json"]);
    ran.fails_with(
        1,
        &[
            "`tags` is missing, here and in 39 more places\n",
            " also: 7:1 /skills/1/tags, ",
            ", and 35 more\n",
            " help: give the skill's tags as a list of strings: \"tags\": [\"…\"]\n",
        ],
    );
    let ran = lint(folder.path(), &["agent-card.json", "--format", "json"]);
    let reading: Value = serde_json::from_str(&ran.output).unwrap();
    let findings = reading["findings"].as_array().unwrap();
    let tags: Vec<_> = findings.iter().filter(|it| it["rule"] == "A2-10").collect();
    assert_eq!(tags.len(), 1, "{findings:#?}");
    assert_eq!(tags[0]["count"], 40);
    assert_eq!(tags[0]["also"].as_array().unwrap().len(), 39);
    assert_eq!(tags[0]["correction"], "\"tags\": [\"…\"]");
}

#[test]
fn a_quiet_run_says_nothing_if_there_is_no_error() {
    let folder = folder_with(&[("agents.txt", TEXT), ("bad/agent-card.json", CARD)]);
    for format in ["text", "json", "github"] {
        let ran = lint(
            folder.path(),
            &["--quiet", "agents.txt", "--format", format],
        );
        assert_eq!((ran.code, ran.output.as_str()), (Some(0), ""), "{format}");
    }
    let ran = lint(folder.path(), &["--quiet", "."]);
    assert_eq!(ran.code, Some(1), "{}", ran.output);
    assert!(ran.output.contains("error[A2-04]"), "{}", ran.output);
    for word in ["warning", "note", "agents.txt", "document"] {
        assert!(!ran.output.contains(word), "{word} in {}", ran.output);
    }
}

#[test]
fn several_files_are_summed_up_by_rule() {
    let folder = folder_with(&[("a/agent-card.json", CARD), ("b/agent-card.json", CARD)]);
    let ran = lint(folder.path(), &["a", "b"]);
    let line = "     2 in 2 documents    error[A2-04]     The agent has a version of its own\n";
    ran.fails_with(1, &["By rule:\n", line, "\n2 documents: "]);
    let one = lint(folder.path(), &["a"]);
    assert!(!one.output.contains("By rule:"), "{}", one.output);
}

#[test]
fn the_formats_are_listed_with_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let ran = lint(folder.path(), &["--list-formats"]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    for part in [
        "a2a-agent-card ",
        " A2A agent card\n",
        "    /.well-known/agent-card.json\n",
    ] {
        assert!(ran.output.contains(part), "{part:?} in {}", ran.output);
    }
}

#[test]
fn editors_get_sarif_with_the_rules() {
    let folder = folder_with(&[("a b/agent-card.json", CARD)]);
    let ran = lint(folder.path(), &["a b", "--format", "sarif"]);
    assert_eq!(ran.code, Some(1), "{}", ran.output);
    let log: Value = serde_json::from_str(&ran.output).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(!rules[index]["help"]["text"].as_str().unwrap().is_empty());
    }
    let error = results.iter().find(|it| it["ruleId"] == "A2-04").unwrap();
    assert_eq!(error["level"], "error");
    let place = &error["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/agent-card.json");
    assert_eq!(place["region"]["startLine"], 4);
    assert_eq!(place["region"]["startColumn"], 14);
}

#[test]
fn github_gets_annotations() {
    let folder = folder_with(&[("agent-card.json", CARD)]);
    lint(folder.path(), &["agent-card.json", "--format", "github"]).fails_with(
        1,
        &["::error file=agent-card.json,line=4,col=14,title=A2-04%3A "],
    );
}

#[test]
fn a_folder_gives_its_manifests_and_one_bad_file_does_not_hide_the_others() {
    let folder = folder_with(&[
        ("site/agents.txt", TEXT),
        ("site/.well-known/agents.txt", TEXT),
        ("site/package.json", "{}"),
        ("site/.git/agents.txt", TEXT),
        ("empty/notes.md", "# Notes"),
    ]);
    let ran = lint(folder.path(), &["site"]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(
        ran.output.contains("2 documents: 0 errors"),
        "{}",
        ran.output
    );
    lint(folder.path(), &["nowhere.json", "site"])
        .fails_with(1, &["cannot read 'nowhere.json'", "2 documents: 0 errors"]);
    lint(folder.path(), &["empty"]).fails_with(1, &["'empty' holds no file with the name"]);
}

#[test]
fn standard_input_is_read_at_the_path_and_as_the_format_that_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(support::binary("indexer"))
        .current_dir(folder.path())
        .args([
            "lint",
            "-",
            "--as",
            "agents-txt",
            "--path",
            "/agents.txt",
            "--format",
            "json",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(TEXT.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&line["file"], &line["format"]),
        (&"-".into(), &"agents-txt".into())
    );
}

#[test]
fn secrets_and_control_characters_are_not_shown() {
    // The secret is put together here, so that no scanner takes this file for a leak.
    let secret = format!("{}4f9a1c7e2b8d{}", "a1b2c3d4e5f6", "0a9b8c7d6e5f");
    let short = format!("sk-{}", "a1B2c3D4e5F6g7H8i9J0");
    let card = CARD.replace(
        "\"version\": 1,",
        &format!("\"version\": 1, \"api_key\": \"{secret}\", \"note\": \"{short}\","),
    );
    let hostile =
        "{\"name\": \"A\u{1b}[2J\u{9b}31m\u{202e}\", \"skills\": 7, \"x\u{9b}\": 1,\n \"url\": 5}";
    let text = format!("Site: A\u{1b}]0;x\u{7}\nURL: nowhere\nAPI-Key: {secret}\nAllow: {short}\n");
    let folder = folder_with(&[
        ("agent-card.json", &card),
        ("agent.json", hostile),
        ("agents.txt", &text),
    ]);
    for format in ["text", "json", "sarif", "github"] {
        let ran = lint(folder.path(), &[".", "--format", format]);
        assert_eq!(ran.code, Some(1), "{}", ran.output);
        assert!(ran.output.contains("DI-10"), "{}", ran.output);
        for leak in [&secret, &short] {
            assert!(!ran.output.contains(leak.as_str()), "{}", ran.output);
        }
        let obeyed = |it: char| it != '\n' && manifest::text::is_hidden(it);
        assert!(!ran.output.contains(obeyed), "{:?}", ran.output);
    }
}

#[test]
fn a_rule_is_explained_and_wrong_usage_suggests_the_intended_id() {
    let folder = tempfile::tempdir().unwrap();
    let ran = lint(folder.path(), &["--explain", "a2-06"]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    for part in [
        "A2-06 (",
        "From: ",
        "\nFollows the rule: /",
        "\nBreaks the rule: /",
    ] {
        assert!(ran.output.contains(part), "{part:?} in {}", ran.output);
    }
    let wrong =
        |arguments: &[&str], parts: &[&str]| lint(folder.path(), arguments).fails_with(2, parts);
    wrong(&[], &["FILE"]);
    wrong(&["--explain", "A2-6X"], &["the nearest is A2-"]);
    wrong(&["x", "--as", "a2a-agent-crad"], &["a2a-agent-card"]);
    wrong(&["x", "--format", "xml"], &["sarif"]);
    wrong(
        &["x", "--path", "agents.json"],
        &["from the root of the site"],
    );
}

#[test]
fn a_number_longer_than_any_padding_stops_neither_its_file_nor_the_others() {
    let long = CARD.replace(
        "\"version\": 1",
        &format!("\"version\": {}", "7".repeat(65_536)),
    );
    let folder = folder_with(&[("agents.json", &long), ("agents.txt", TEXT)]);
    let ran = lint(folder.path(), &["agents.json", "agents.txt"]);
    ran.fails_with(
        1,
        &["error[A2-04]: ", "agents.txt: agents-txt", "2 documents: "],
    );
    assert!(!ran.output.contains("panicked"), "{}", ran.output);
}

#[test]
fn addresses_on_an_unknown_site_stay_relative() {
    let profile = r#"{"name": "Harbour", "description": "Finds berths", "mcp": "/mcp"}"#;
    let folder = folder_with(&[("agents.json", profile)]);
    let url = |arguments: &[&str]| {
        let ran = lint(
            folder.path(),
            &[&["agents.json", "--format", "json"], arguments].concat(),
        );
        assert!(!ran.output.contains(".invalid"), "{}", ran.output);
        let reading: Value = serde_json::from_str(&ran.output).unwrap();
        reading["agents"][0]["interfaces"][0]["url"].clone()
    };
    assert_eq!(url(&[]), "/mcp");
    let origin = ["--origin", "https://harbour.example"];
    assert_eq!(url(&origin), "https://harbour.example/mcp");
}

#[test]
fn signatures_are_verified_with_the_keys_of_a_file() {
    // RFC 8037, appendix A.
    let key = r#"{"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    let protected = "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0";
    let card = CARD.replace("\"version\": 1", "\"version\": \"1.0.0\"");
    let forged = card.trim_end().trim_end_matches('}');
    let forged = format!(
        r#"{forged}, "signatures": [{{"protected": "{protected}", "signature": "{}"}}]}}"#,
        "A".repeat(86)
    );
    let folder = folder_with(&[
        ("jwks.json", &format!(r#"{{"keys": [{key}]}}"#)),
        ("secret.json", r#"{"keys": [{"kty": "oct", "k": "AA"}]}"#),
        ("agent-card.json", &card),
        ("forged/agent-card.json", &forged),
    ]);
    let origin = ["--origin", "https://ferry.example", "--keys", "jwks.json"];
    let lint = |rest: &[&str]| lint(folder.path(), &[&origin[..], rest].concat());
    lint(&["agent-card.json"]).fails_with(1, &["agent-card.json: no signature"]);
    lint(&["forged/agent-card.json"]).fails_with(1, &["signature by key k1: invalid"]);
    let json = lint(&["forged/agent-card.json", "--format", "json"]);
    assert!(
        json.output
            .contains(r#""signatures":[{"kid":"k1","alg":"EdDSA","state":"invalid"}]"#)
    );
    lint(&["agent-card.json", "--format", "sarif"]).fails_with(1, &["text or json"]);
    let arguments = [
        "--keys",
        "secret.json",
        "--origin",
        "https://ferry.example",
        "agent-card.json",
    ];
    self::lint(folder.path(), &arguments).fails_with(2, &["verifies signatures"]);
    self::lint(folder.path(), &["--keys", "jwks.json", "agent-card.json"])
        .fails_with(2, &["--origin"]);
}

#[test]
fn an_account_says_what_became_of_each_value() {
    let body = r#"{"name": "Ferry", "description": "Crossings.", "url": "https://ferry.example/", "captain": "Ioanna"}"#;
    let folder = folder_with(&[("agents.json", body)]);
    let ran = lint(folder.path(), &["--account", "agents.json"]).output;
    for row in [
        "used     /name \"Ferry\"  agents/0/name",
        "kept     /captain \"Ioanna\"",
        "agents.json: 3 used, 1 kept, 0 dropped",
    ] {
        assert!(ran.contains(row), "{row} in {ran}");
    }
    let ran = lint(
        folder.path(),
        &["--account", "--format", "json", "agents.json"],
    )
    .output;
    let account: Value = serde_json::from_str(&ran).unwrap();
    assert_eq!(account["values"][0]["facts"][0], "agents/0/name");
    lint(
        folder.path(),
        &["--account", "--format", "sarif", "agents.json"],
    )
    .fails_with(1, &["--format must be text or json"]);
}

#[test]
fn the_gravest_finding_comes_first_and_a_missing_address_is_named() {
    let body = r#"{"name": "Ferry", "description": "Crossings.", "docs": "https://your-domain.com/docs", "skills": ["Book"]}"#;
    let folder = folder_with(&[("agents.json", body)]);
    let ran = lint(folder.path(), &["--format", "json", "agents.json"]).output;
    let read: Value = serde_json::from_str(&ran).unwrap();
    assert_eq!(read["findings"][0]["rule"], "DI-15", "{ran}");
}
