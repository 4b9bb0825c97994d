//! What several test modules need: where things are, and temporary stores.

pub(crate) mod http;
pub(crate) mod indexed;
pub(crate) mod judge;
pub(crate) mod line;
pub(crate) mod registry;
pub(crate) mod running;
pub(crate) mod samples;
pub(crate) mod schemas;
pub(crate) mod server;

use manifest::{Document, Domain, Timestamp};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use url::Url;

/// The root of the workspace.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests package lies in the workspace")
}

/// The text of a file, by its path from the root of the workspace.
pub(crate) fn workspace_file(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The shared test data at `path`, or `None`, said loudly, on machines that do not have it.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AGENTDEX_TEST_DATA")
        .map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    skip(&format!(
        "{} is not there; set AGENTDEX_TEST_DATA to the folder of test data",
        found.display()
    ));
    None
}

/// Every Rust file of the workspace, build output left out.
pub(crate) fn rust_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![workspace().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 20);
    files
}

/// The document of a recorded exchange: request line, status, headers, empty line, body.
pub(crate) fn exchange(path: &Path) -> Document {
    let bytes = std::fs::read(path).unwrap();
    let end = bytes.windows(2).position(|pair| pair == b"\n\n");
    let end = end.unwrap_or_else(|| panic!("{}: no empty line after the headers", path.display()));
    let head = str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let requested = lines.next().and_then(|line| line.strip_prefix("GET "));
    let requested: Url = requested.and_then(|url| url.parse().ok()).unwrap();
    let status = lines.next().and_then(|line| line.parse().ok()).unwrap();
    let headers: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
    let header = |name: &str| {
        let found = headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| (*value).to_owned())
    };
    Document {
        domain: Domain::parse(requested.host_str().unwrap()).unwrap(),
        url: header("final-url").map_or_else(|| requested.clone(), |url| url.parse().unwrap()),
        requested,
        status,
        media_type: header("content-type"),
        etag: header("etag"),
        last_modified: header("last-modified"),
        served: None,
        fetched: Timestamp(0),
        body: bytes[end + 2..].into(),
    }
}

/// Every recorded exchange, `fixtures/<format>/<case>.http`, in order.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let list = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    let mut fixtures: Vec<_> = list(&workspace().join("tests/fixtures"))
        .filter(|path| path.is_dir())
        .flat_map(|folder| list(&folder))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "http")
        })
        .collect();
    fixtures.sort();
    fixtures
}

/// A search for `text` that shows up to a hundred agents, however many of one site.
pub(crate) fn search(text: &str) -> indexer::search::Request {
    indexer::search::Request {
        text: text.to_owned(),
        filters: std::collections::BTreeMap::new(),
        sort: indexer::search::Sort::Relevance,
        per_site: 0,
        unfold: true,
        limit: 100,
        after: None,
        facets: Vec::new(),
    }
}

/// Says loudly that a test cannot run here.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// The program `name` of this workspace, as `cargo build --workspace` leaves it beside the tests.
pub(crate) fn binary(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    let path = folder.join(name);
    assert!(
        path.exists(),
        "{} is missing: run `cargo build --workspace` first",
        path.display()
    );
    path
}

/// What a program did.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// Standard output and standard error.
    pub(crate) output: String,
    /// Peak resident memory in KiB.
    pub(crate) peak_kib: u64,
}

impl Ran {
    /// Asserts the exit code and that the output has each of `words`, and nothing a user should not see.
    #[track_caller]
    pub(crate) fn fails_with(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.output);
        for word in words {
            assert!(
                self.output.contains(word),
                "{word:?} is missing in:\n{}",
                self.output
            );
        }
        for trace in [
            "panicked",
            "RUST_BACKTRACE",
            "Stack backtrace",
            "SqliteError",
        ] {
            assert!(
                !self.output.contains(trace),
                "{trace:?} is in:\n{}",
                self.output
            );
        }
    }
}

/// Runs a program of this workspace in `folder` to its end.
pub(crate) fn run(name: &str, folder: &Path, arguments: &[&str]) -> Ran {
    run_program(binary(name).to_str().unwrap(), folder, arguments)
}

/// How long a program may run unless a test says otherwise.
pub(crate) const USUAL_TIME: Duration = Duration::from_mins(5);

/// Runs any program in `folder` to its end, and kills it after [`USUAL_TIME`].
pub(crate) fn run_program(program: &str, folder: &Path, arguments: &[&str]) -> Ran {
    run_within(USUAL_TIME, program, folder, arguments)
}

/// Runs any program in `folder` to its end, and kills it when its time is over.
pub(crate) fn run_within(time: Duration, program: &str, folder: &Path, arguments: &[&str]) -> Ran {
    let output = tempfile::tempfile().unwrap();
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
        .stdout(output.try_clone().unwrap())
        .stderr(output.try_clone().unwrap());
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let started = std::time::Instant::now();
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = peak_kib.max(peak_memory_kib(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > time {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ran {
        code: status.code(),
        output: read_from_start(output),
        peak_kib,
    }
}

fn read_from_start(mut file: std::fs::File) -> String {
    use std::io::{Read, Seek};
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Peak resident memory of a running process in KiB; zero when it is gone.
pub(crate) fn peak_memory_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}
