//! Helpers of several test modules: paths of the workspace and runs of its programs.

pub(crate) mod http;
pub(crate) mod imports;
pub(crate) mod indexed;
pub(crate) mod judge;
pub(crate) mod living;
pub(crate) mod name_server;
pub(crate) mod pipeline;
pub(crate) mod postgres;
pub(crate) mod registry;
pub(crate) mod running;
pub(crate) mod server;
pub(crate) mod sources;
pub(crate) mod wait;
pub(crate) mod writer;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns the root of the workspace.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests package lies in the workspace")
}

/// Returns the text of a file, by its path from the root of the workspace.
pub(crate) fn workspace_file(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the shared test data at `path`, or `None` with a notice on machines without it.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AGENTDEX_TEST_DATA")
        .map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    skip(&format!(
        "{} is not there; set AGENTDEX_TEST_DATA to the directory of test data",
        found.display()
    ));
    None
}

/// Returns every Rust file of the workspace, without build output.
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

/// Returns a search for `text` with up to 100 results, without a limit per site.
pub(crate) fn search(text: &str) -> search::Request {
    search::Request::new(search::query::parse(text), 100)
}

/// Returns the seed of the moments at which a test kills programs: `KILL_SEED`, or a random one.
/// Set it to the seed that a failed run printed.
#[expect(clippy::print_stdout, reason = "a failed run must be repeatable")]
pub(crate) fn kill_seed() -> u64 {
    let seed = match std::env::var("KILL_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => rand::random(),
    };
    println!("KILL_SEED={seed}");
    seed
}

/// Prints that a test cannot run here.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Returns the path of the program `name`, which `cargo build --workspace` puts beside the tests.
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

/// Result of a program's run.
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
    /// Asserts the exit code and that the output has each of `words`, and nothing a user should not
    /// see.
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

/// Time limit of a program's run unless a test sets its own.
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

/// Returns the peak resident memory of a running process in KiB; zero if it has ended.
pub(crate) fn peak_memory_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}
