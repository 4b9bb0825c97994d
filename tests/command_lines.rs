//! The command lines of the four programs: help, variables, man pages, completions, the log, and the
//! configuration in force.

use crate::support::pipeline::Pipeline;
use crate::support::server::Server;
use crate::support::{Ran, binary, http};
use serde_json::Value;
use simweb::Simweb;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAMS: [&str; 4] = ["agentdex", "crawler", "indexer", "web"];

/// Runs a program to its end, with these variables and no others of its own.
fn run_with(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    run_in(Path::new("."), program, arguments, variables)
}

fn run_in(folder: &Path, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let ran = Command::new(binary(program))
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran {
        code: ran.status.code(),
        output: String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned(),
        peak_kib: 0,
    }
}

/// Returns the names of the commands that the help of a program lists.
fn commands(program: &str) -> Vec<String> {
    let help = run_with(program, &["-h"], &[]).output;
    let (_, listed) = help.split_once("Commands:\n").unwrap();
    let lines = listed.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_prints_no_password_from_the_environment() {
    let variables = [
        (
            "AGENTDEX_DATABASE",
            "postgres://me:open-sesame@db.example/x",
        ),
        (
            "AGENTDEX_READ_DATABASE",
            "postgres://me:open-sesame@replica.example/x",
        ),
        (
            "AGENTDEX_REGISTRY",
            "https://me:open-sesame@registry.example",
        ),
        ("AGENTDEX_SEEDS", "open-sesame.txt"),
        ("AGENTDEX_SECRETS", "open-sesame.secrets"),
    ];
    for program in PROGRAMS {
        let mut asked = vec![vec!["--help".to_owned()]];
        let all = commands(program);
        asked.extend(all.into_iter().map(|name| vec![name, "--help".to_owned()]));
        for arguments in asked {
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            let ran = run_with(program, &arguments, &variables);
            assert_eq!(ran.code, Some(0), "{program} {arguments:?}: {}", ran.output);
            assert!(!ran.output.contains("sesame"), "{program} {arguments:?}");
        }
        let help = run_with(program, &["--help"], &variables).output;
        assert!(help.contains("RUST_LOG"), "{help}");
    }
}

#[test]
fn man_pages_and_completions_come_from_the_programs() {
    for program in PROGRAMS {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().to_str().unwrap();
        let ran = run_with(program, &["man", directory], &[]);
        assert_eq!((ran.code, ran.output.as_str()), (Some(0), ""));
        let files = std::fs::read_dir(folder.path()).unwrap();
        let names: BTreeSet<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let all = commands(program);
        let expected = all.iter().map(|command| format!("{program}-{command}.1"));
        let missing: Vec<_> = expected.filter(|name| !names.contains(name)).collect();
        assert_eq!(missing, Vec::<String>::new());
        let page = std::fs::read_to_string(folder.path().join(format!("{program}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
        assert!(page.contains("AGENTDEX_DATABASE"), "{page}");

        for shell in ["bash", "zsh", "fish"] {
            let text = run_with(program, &["completions", shell], &[]).output;
            let completed = all.iter().filter(|name| text.contains(name.as_str()));
            assert_eq!(completed.count(), all.len(), "{program} {shell}");
        }
        let nowhere = run_with(program, &["man", "no/such/directory"], &[]);
        nowhere.fails_with(1, &["cannot write man pages into no/such/directory"]);
        run_with(program, &["completions", "cmd"], &[]).fails_with(2, &["bash"]);
    }
}

/// Returns the line of a report that begins with an option.
#[track_caller]
fn line_of<'a>(report: &'a str, option: &str) -> Vec<&'a str> {
    let mut lines = report.lines().map(|line| line.split("  "));
    let line = lines.find_map(|mut words| {
        let name = words.next()?;
        let rest = words.map(str::trim).filter(|it| !it.is_empty());
        (name.trim() == option).then(|| rest.collect::<Vec<_>>())
    });
    line.unwrap_or_else(|| panic!("no {option} in:\n{report}"))
}

#[test]
fn flags_take_every_word_for_yes_and_no_and_an_empty_variable_is_none() {
    let folder = tempfile::tempdir().unwrap();
    for (word, expected) in [
        ("yes", "true"),
        ("1", "true"),
        ("TRUE", "true"),
        ("off", "false"),
    ] {
        let variables = [
            ("AGENTDEX_HTTP_FALLBACK", word),
            ("AGENTDEX_NO_SEMANTIC", word),
            ("AGENTDEX_CONTACT", ""),
            ("AGENTDEX_TRUSTED_PROXY", ""),
        ];
        let ran = run_in(folder.path(), "agentdex", &["check-config"], &variables);
        let line = |option| line_of(&ran.output, option);
        assert_eq!(
            line("--http-fallback"),
            [expected, "AGENTDEX_HTTP_FALLBACK"]
        );
        assert_eq!(line("--no-semantic"), [expected, "AGENTDEX_NO_SEMANTIC"]);
        assert_eq!(line("--contact"), ["none", "default"]);
        assert_eq!(line("--trusted-proxy"), ["none", "default"]);
    }
    let no = [
        ("AGENTDEX_WATCH", "0"),
        ("AGENTDEX_NOW", "no"),
        ("AGENTDEX_HTTP_FALLBACK", "off"),
        ("AGENTDEX_NO_SEMANTIC", "n"),
    ];
    run_in(folder.path(), "crawler", &[], &no).fails_with(0, &["nothing was due"]);
    run_in(folder.path(), "indexer", &[], &no).fails_with(0, &["index"]);
    for (program, variable) in [
        ("agentdex", "AGENTDEX_NO_SEMANTIC"),
        ("crawler", "AGENTDEX_WATCH"),
        ("indexer", "AGENTDEX_WATCH"),
        ("web", "AGENTDEX_NO_SEMANTIC"),
    ] {
        let wrong = run_with(program, &[], &[(variable, "perhaps")]);
        wrong.fails_with(2, &["perhaps"]);
    }
}

#[test]
fn the_configuration_in_force_is_printed_with_its_sources_and_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("seeds.txt"), "shop.example\n192.0.2.7\n").unwrap();
    std::fs::write(place("not.pem"), "nothing").unwrap();
    let good = [
        "check-config",
        "--seeds",
        "seeds.txt",
        "--listen",
        "127.0.0.1:0",
        "--public-url",
        "https://agentdex.example",
    ];
    let variables = [("AGENTDEX_CONTACT", "https://agentdex.example/contact")];
    let ran = run_in(folder.path(), "agentdex", &good, &variables);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    for (option, expected) in [
        ("--seeds", ["seeds.txt", "command line"]),
        (
            "--contact",
            ["https://agentdex.example/contact", "AGENTDEX_CONTACT"],
        ),
        ("--database", ["sqlite:data/agentdex.db", "default"]),
        ("--index", ["data/index", "default"]),
        ("--export", ["data/export", "default"]),
        ("--secrets", ["data/agentdex.secrets", "default"]),
        ("--delay", ["1000", "default"]),
    ] {
        assert_eq!(line_of(&ran.output, option), expected, "{}", ran.output);
    }
    for word in [
        "1 seed in 2 lines, 1 rejected",
        "--trusted-proxy 127.0.0.1",
        "--sign-key",
        "is made at the start",
    ] {
        assert!(ran.output.contains(word), "{word} in {}", ran.output);
    }
    // Nothing was made.
    assert!(!place("data").exists());

    for (more, expected) in [
        (&["--seeds", "no-such.txt"][..], "no-such.txt"),
        (&["--root-ca", "not.pem"], "no PEM certificate"),
        (&["--delay", "0"], "--allow-address"),
        (&["--blocklist", "none.txt"], "none.txt"),
        (&["--crawler-keys", "not.pem"], "not.pem"),
        (
            &["--database", "mysql://me:open-sesame@db/x"],
            "mysql://me:***@db/x",
        ),
        (
            &["--database", "sqlite:seeds.txt/agentdex.db"],
            "cannot be made",
        ),
        (&["--database", "sqlite:seeds.txt"], "is not a database"),
        (&["--database", "postgres://me:open/sesame@db/x"], "hidden"),
        (
            &["--read-database", "postgres://me:open-sesame@replica/x"],
            "a replica is a database of PostgreSQL",
        ),
        (&["--index", "/proc/index"], "cannot be written"),
    ] {
        let ran = run_in(folder.path(), "agentdex", &[&good, more].concat(), &[]);
        ran.fails_with(2, &["would not start", expected]);
        assert!(!ran.output.contains("sesame"), "{}", ran.output);
    }
    for unreadable in ["no-such.txt", "."] {
        let ran = run_in(
            folder.path(),
            "agentdex",
            &[&good[..], &["--seeds", unreadable]].concat(),
            &[],
        );
        let named = ran
            .output
            .lines()
            .filter(|line| line.contains(&format!(" {unreadable}:")));
        assert_eq!(named.count(), 1, "{}", ran.output);
    }
    let server = ["--database", "postgres://me:open-sesame@db/x"];
    let ran = run_in(
        folder.path(),
        "agentdex",
        &[&good, &server[..]].concat(),
        &[],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    for word in ["postgres://me:***@db/x", "the database is on a server"] {
        assert!(ran.output.contains(word), "{word} in {}", ran.output);
    }
    assert!(!ran.output.contains("sesame"), "{}", ran.output);

    let nothing = run_in(folder.path(), "agentdex", &["check-config"], &[]);
    nothing.fails_with(
        2,
        &["--seeds names no domains", "--contact", "--public-url"],
    );
}

#[tokio::test]
async fn a_registry_starts_on_its_data_without_seeds_and_logs_json() {
    let web = Simweb::builder().site("shop.example");
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let folder = pipeline.folder.path();
    let none = run_in(
        folder,
        "agentdex",
        &["--database", "sqlite:agentdex.db"],
        &[],
    );
    none.fails_with(
        2,
        &[
            "there is no registry at sqlite:agentdex.db",
            "--seeds",
            "--demo",
        ],
    );

    let seeds = folder.join("seeds.txt");
    let list = std::fs::read_to_string(&seeds).unwrap() + "192.0.2.7\nnot a name\n";
    std::fs::write(&seeds, list).unwrap();
    let first = pipeline.registry();
    let mut lines = first.wait_for("rejected");
    lines.extend(first.began.iter().cloned());
    let first_lines = first.killed();
    lines.extend(first_lines);
    for line in &lines {
        let event: Result<Value, _> = serde_json::from_str(line);
        assert!(event.is_ok_and(|it| it["level"].is_string()), "{line}");
    }
    let reported = lines.iter().find(|line| line.contains("rejected")).unwrap();
    assert!(
        reported.contains("2 of 3 lines") && reported.contains("192.0.2.7"),
        "{reported}"
    );

    let mut command = Command::new(binary("agentdex"));
    command
        .args(["--database", "sqlite:agentdex.db", "--index", "index"])
        .current_dir(folder);
    let second = Server::start(&mut command);
    assert_eq!(http::get(&second.url).await.status, 200);
}

#[test]
fn faults_of_the_filter_of_the_log_are_logged() {
    let folder = tempfile::tempdir().unwrap();
    for (filter, expected) in [
        ("=x", "RUST_LOG is ignored"),
        ("bogus", "'bogus', which is no level"),
    ] {
        let ran = run_in(folder.path(), "crawler", &[], &[("RUST_LOG", filter)]);
        ran.fails_with(0, &["nothing was due"]);
        let mut lines = ran.output.lines();
        let line = lines.find(|line| line.contains("RUST_LOG")).unwrap();
        let event: Value = serde_json::from_str(line).unwrap();
        let message = event["fields"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}");
        assert!(!ran.output.contains("ignoring"), "{}", ran.output);
    }
}

/// docs/operating.md, "Log".
#[tokio::test(flavor = "multi_thread")]
async fn the_begin_and_the_end_of_each_visit_are_logged_at_debug() {
    for (filter, times) in [("crawler=debug", 1), ("crawler=info", 0)] {
        let web = Simweb::builder().site("mesa.example");
        let pipeline = Pipeline::new(web.start().await.unwrap());
        let crawl = pipeline.crawl_arguments();
        let mut crawl: Vec<&str> = crawl.iter().map(String::as_str).collect();
        crawl.extend(["--delay", "0"]);
        let variables = [("RUST_LOG", filter)];
        let ran = run_in(pipeline.folder.path(), "crawler", &crawl, &variables);
        ran.fails_with(0, &[]);
        for words in ["a visit begins", "a visit ended: empty"] {
            let lines = ran.output.lines().filter(|line| line.contains(words));
            let lines: Vec<_> = lines.filter(|it| it.contains("mesa.example")).collect();
            assert_eq!(lines.len(), times, "{words}: {}", ran.output);
        }
    }
}

#[tokio::test]
async fn addresses_that_visitors_cannot_use_are_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(binary("web"));
    command.current_dir(folder.path());
    let server = Server::start(&mut command);
    for _ in 0..2 {
        let asked = http::client().get(&server.url);
        let asked = asked.header("x-forwarded-for", "198.51.100.7");
        assert_eq!(http::answer(asked).await.status, 200);
    }
    let warned = server.wait_for("--trusted-proxy 127.0.0.1");
    assert_eq!(
        warned
            .iter()
            .filter(|it| it.contains("X-Forwarded-For"))
            .count(),
        1
    );
    let rest = server.killed();
    assert!(
        !rest.iter().any(|it| it.contains("X-Forwarded-For")),
        "{rest:?}"
    );

    let mut command = Command::new(binary("web"));
    command.current_dir(folder.path());
    let everywhere = Server::start_at("0.0.0.0", &mut command);
    everywhere.wait_for("--public-url");
}
