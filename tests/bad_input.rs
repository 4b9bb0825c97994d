//! Bad input at the command line: a clear message, the right exit code, nothing lost.

use crate::support::pipeline::Pipeline;
use crate::support::{self, Ran};
use std::path::Path;

/// Runs the crawler with a database in `folder` and a nameserver that does not run, so that it
/// never
/// gets further than its input.
fn crawl(folder: &Path, arguments: &[&str]) -> Ran {
    let database = format!("sqlite:{}", folder.join("agentdex.db").display());
    let mut all = vec![
        "--database",
        &database,
        "--nameserver",
        "127.0.0.1:9",
        "--progress",
        "none",
    ];
    all.extend_from_slice(arguments);
    support::run("crawler", folder, &all)
}

#[test]
fn a_missing_seed_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let ran = crawl(folder.path(), &["--seeds", "nowhere.txt"]);
    ran.fails_with(2, &["--seeds nowhere.txt", "No such file"]);
    assert_eq!(
        ran.output.matches("os error 2").count(),
        1,
        "{}",
        ran.output
    );
    let made = folder.path().join("agentdex.db");
    assert!(!made.exists(), "a wrong name makes no database");
    crawl(folder.path(), &["--seeds", "."]).fails_with(2, &["--seeds .", "directory"]);
}

#[test]
fn a_truncated_seed_list_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    // The memory of a process can be opened, and not be read where there is none.
    let ran = crawl(folder.path(), &["--seeds", "/proc/self/mem"]);
    ran.fails_with(1, &["/proc/self/mem", "cannot read"]);
    assert_eq!(ran.output.matches("os error").count(), 1, "{}", ran.output);
}

#[test]
fn a_crawl_of_nothing_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    crawl(folder.path(), &["--now"]).fails_with(2, &["--now", "--seeds"]);
    crawl(folder.path(), &["--limit", "0"]).fails_with(2, &["--limit 0"]);
}

#[test]
fn a_look_at_the_frontier_makes_no_database() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        &["status"][..],
        &["forget", "mesa.example"],
        &["exclude", "mesa.example", "--remove"],
    ] {
        let ran = support::run("crawler", folder.path(), command);
        ran.fails_with(1, &["no registry at sqlite:data/agentdex.db", "--database"]);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_empty_seed_file_names_the_expected_content() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.txt"), "\n# nothing here\n\n").unwrap();
    let ran = crawl(folder.path(), &["--seeds", "empty.txt"]);
    ran.fails_with(1, &["empty.txt", "domain"]);
}

#[test]
fn a_binary_seed_file_is_not_read_as_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    std::fs::write(folder.path().join("picture.png"), bytes).unwrap();
    let ran = crawl(folder.path(), &["--seeds", "picture.png"]);
    ran.fails_with(1, &["picture.png"]);
}

#[test]
fn hs_70_a_line_without_end_is_skipped_in_little_memory_and_the_next_one_read() {
    let folder = tempfile::tempdir().unwrap();
    // A quarter of a gigabyte in one line, then an address: the list has no usable line. The shell
    // becomes the crawler, so that it is the crawler's memory which is measured.
    let script = format!(
        "exec {} --seeds - --database sqlite:agentdex.db --nameserver 127.0.0.1:9 --progress none \
         < <(head -c 268435456 /dev/zero | tr '\\0' a; printf '\\n127.0.0.1\\n')",
        support::binary("crawler").display()
    );
    let ran = support::run_program("bash", folder.path(), &["-c", &script]);
    ran.fails_with(1, &["no domain in the seed list (2 lines)"]);
    assert!((1_024..131_072).contains(&ran.peak_kib), "{}", ran.peak_kib);
}

#[test]
fn hs_67_and_68_forbidden_names_are_refused_with_their_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let label = format!("{}.example.com", "a".repeat(64));
    let long = format!("{}com", "a.".repeat(126));
    for (line, reason) in [
        ("127.0.0.1", "IP address"),
        ("[::1]", "IP address"),
        ("0x7f.1", "IP address"),
        ("localhost", "localhost"),
        ("intranet", "intranet"),
        ("printer.local", "local"),
        ("hidden.onion", "onion"),
        ("xn--a.example.com", "xn--a"),
        ("a\u{200d}b.example.com", "example.com"),
        (label.as_str(), "aaa"),
        (long.as_str(), "a.a"),
    ] {
        std::fs::write(folder.path().join("seeds.txt"), line).unwrap();
        let ran = crawl(folder.path(), &["--seeds", "seeds.txt"]);
        ran.fails_with(1, &["no domain in the seed list (1 line)", reason]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hs_69_one_name_in_many_spellings_is_visited_once() {
    let web = simweb::Simweb::builder().site("mesa.example").start();
    let pipeline = Pipeline::new(web.await.unwrap());
    let port = pipeline.web.https_port();
    let spellings = [
        format!("\u{feff}MESA.example.:{port}"),
        format!("https://mesa.example:{port}/a/b?c#d"),
        format!("  Mesa.Example:{port}  # ours"),
        format!("1,mesa.example:{port}"),
    ];
    std::fs::write(
        pipeline.folder.path().join("seeds.txt"),
        spellings.join("\r\n"),
    )
    .unwrap();
    let ran = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let requests = pipeline.web.requests_of("mesa.example");
    let robots = requests.iter().filter(|it| it.path == "/robots.txt");
    assert_eq!(robots.count(), 1);
    let stats = pipeline.store().await.stats(manifest::Timestamp(0)).await;
    assert_eq!(stats.unwrap().domains, 1, "{}", ran.output);
}

#[test]
fn an_unknown_flag_names_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    crawl(folder.path(), &["--seed", "x"]).fails_with(2, &["--seed", "--seeds"]);
    support::run("web", folder.path(), &["--listn", "x"]).fails_with(2, &["--listn", "--listen"]);
    support::run("indexer", folder.path(), &["serach"]).fails_with(2, &["serach", "search"]);
    support::run("agentdex", folder.path(), &["--dmo"]).fails_with(2, &["--dmo", "--demo"]);
}

#[test]
fn a_flags_variable_accepts_usual_spellings_and_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = |program: &str, variable: &str, value: &str, arguments: &[&str]| {
        let assignment = format!("{variable}={value}");
        let binary = support::binary(program);
        let line = [&[&assignment, binary.to_str().unwrap()][..], arguments].concat();
        support::run_program("env", folder.path(), &line)
    };
    for (program, variable, flag, arguments) in [
        ("indexer", "AGENTDEX_NO_SEMANTIC", "--no-semantic", &[][..]),
        ("indexer", "AGENTDEX_WATCH", "--watch", &[]),
        ("web", "AGENTDEX_NO_SEMANTIC", "--no-semantic", &[]),
        (
            "agentdex",
            "AGENTDEX_NO_SEMANTIC",
            "--no-semantic",
            &["--demo"],
        ),
    ] {
        let words = format!("{variable} takes true or false, yes or no");
        run(program, variable, "perhaps", arguments).fails_with(2, &[flag, "perhaps", &words]);
    }
    // It gets as far as to miss the database.
    for value in ["1", "true", "no", "OFF"] {
        run("indexer", "AGENTDEX_NO_SEMANTIC", value, &["stats"])
            .fails_with(1, &["there is no database"]);
    }
}

#[test]
fn a_file_that_is_no_database_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agentdex.db");
    let letter = "Dear diary, this is certainly not a database. ".repeat(100);
    std::fs::write(&path, &letter).unwrap();
    std::fs::write(folder.path().join("seeds.txt"), "mesa.example\n").unwrap();
    crawl(folder.path(), &["--seeds", "seeds.txt"])
        .fails_with(2, &["agentdex.db", "not a database"]);
    let database = format!("sqlite:{}", path.display());
    support::run("indexer", folder.path(), &["--database", &database])
        .fails_with(1, &["agentdex.db", "not a database"]);
    support::run(
        "web",
        folder.path(),
        &["--database", &database, "--listen", "127.0.0.1:0"],
    )
    .fails_with(1, &["agentdex.db", "not a database"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), letter);
}

#[test]
fn a_database_that_cannot_be_one_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    std::fs::write(folder.path().join("letter.txt"), "Dear diary").unwrap();
    for (database, why) in [
        ("sqlite:folder", "it is a directory"),
        ("sqlite:letter.txt/agentdex.db", "letter.txt"),
        ("mysql://localhost/agentdex", "not supported"),
    ] {
        for command in [
            &["--seeds", "-"][..],
            &["check", "mesa.example"],
            &["status"],
            &["forget", "mesa.example"],
            &["exclude", "mesa.example", "--reason", "asked"],
            &["exclude", "mesa.example", "--remove"],
        ] {
            let arguments = [command, &["--database", database]].concat();
            let ran = support::run("crawler", folder.path(), &arguments);
            ran.fails_with(2, &[why]);
        }
    }
}

#[test]
fn a_port_in_use_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = support::run("web", folder.path(), &["--listen", &address]);
    ran.fails_with(1, &[&address, "in use"]);
}

#[tokio::test]
async fn a_foreign_index_directory_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("thesis.txt"), "years of work").unwrap();
    let database = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    drop(store::open(&database, &[]).await.unwrap());
    let ran = support::run(
        "indexer",
        folder.path(),
        &["--database", &database, "--index", home.to_str().unwrap()],
    );
    ran.fails_with(1, &["home"]);
    assert_eq!(
        std::fs::read_to_string(home.join("thesis.txt")).unwrap(),
        "years of work"
    );
}

#[test]
fn a_full_disk_ends_the_run_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let seeds: String = (0..200_000).fold(String::new(), |mut list, number| {
        use std::fmt::Write as _;
        let _ = writeln!(list, "host-{number}.of-a-long-list.example");
        list
    });
    std::fs::write(folder.path().join("seeds.txt"), seeds).unwrap();
    std::fs::create_dir(folder.path().join("small")).unwrap();
    // A file system of one megabyte, in a mount namespace of its own.
    let script = format!(
        "mount -t tmpfs -o size=1m small ./small && exec {} --seeds seeds.txt --database sqlite:small/agentdex.db \
         --nameserver 127.0.0.1:9 --progress none --contact https://registry.example/bot",
        support::binary("crawler").display()
    );
    if support::run_program("unshare", folder.path(), &["-rm", "true"]).code != Some(0) {
        support::skip("this machine allows no mount namespaces, so no disk can be filled");
        return;
    }
    support::run_program("unshare", folder.path(), &["-rm", "sh", "-c", &script])
        .fails_with(1, &["full"]);
}

/// Control characters of a terminal, and characters that reverse the direction of text.
const OBEYED: &[&str] = &["\u{1b}[5m", "\u{202e}", "\u{9b}", "\u{7}"];

#[test]
fn no_program_prints_control_characters_of_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let bad = "a\u{1b}[5mb\u{202e}c\u{9b}d\u{7}e";
    let list = format!("{bad}.txt");
    std::fs::write(folder.path().join(&list), format!("{bad}.example\n")).unwrap();
    let file = format!("{bad}.json");
    let body = serde_json::json!({"agents": [{"name": bad, bad: bad}]}).to_string();
    std::fs::write(folder.path().join(&file), &body).unwrap();
    std::fs::write(folder.path().join("broken.json"), format!("{{\"{bad}\": ")).unwrap();
    let (flag, value) = (format!("--{bad}"), format!("--limit={bad}"));
    let database = format!("sqlite:{bad}/agentdex.db");
    let nowhere = format!("{bad}-nowhere.txt");
    let lines = [
        ("crawler", vec![flag.as_str()]),
        ("crawler", vec![&value]),
        ("crawler", vec![bad]),
        ("crawler", vec!["--contact", bad, "--seeds", &list]),
        ("crawler", vec!["--seeds", &nowhere]),
        ("crawler", vec!["--seeds", &list]),
        ("crawler", vec!["--nameserver", bad, "--seeds", &list]),
        ("crawler", vec!["--allow-address", bad]),
        ("crawler", vec!["check", bad]),
        ("crawler", vec!["status", "--database", &database]),
        ("crawler", vec!["exclude", bad, "--reason", "asked"]),
        ("crawler", vec!["forget", bad, "--database", &database]),
        ("indexer", vec![&flag]),
        ("indexer", vec![bad]),
        ("indexer", vec!["--database", &database, "stats"]),
        ("indexer", vec!["lint", &nowhere]),
        ("indexer", vec!["lint", &file]),
        ("indexer", vec!["lint", "broken.json"]),
        ("indexer", vec!["lint", "--as", bad, &file]),
        ("indexer", vec!["lint", "--origin", bad, &file]),
        ("indexer", vec!["convert", &nowhere, "--to", bad]),
        ("web", vec![&flag]),
        ("web", vec!["--listen", bad]),
        ("web", vec!["--public-url", bad]),
        ("agentdex", vec![&flag]),
        ("agentdex", vec!["--listen", bad, "--demo"]),
        ("agentdex", vec!["--seeds", &nowhere, "--contact", bad]),
    ];
    for (program, arguments) in lines {
        let binary = support::binary(program);
        // As on a terminal: its styling is not to let anything through.
        let line = [
            &["CLICOLOR_FORCE=1", binary.to_str().unwrap()][..],
            &arguments,
        ];
        let ran = support::run_program("env", folder.path(), &line.concat());
        assert!(!ran.output.is_empty(), "{program} {arguments:?}");
        for obeyed in OBEYED {
            assert!(
                !ran.output.contains(obeyed),
                "{program} {arguments:?} repeats {obeyed:?}:\n{:?}",
                ran.output
            );
        }
    }
}
