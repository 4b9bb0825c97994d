//! Memory of the crawler with ten thousand domains in flight, each waiting for its gaps.
//!
//! `cargo bench -p crawler --bench in_flight` serves more sites than that on loopback, each with a
//! small robots.txt and one in ten with a manifest. The real program crawls them with
//! `--concurrency 10000` and ten seconds between two requests to a site. It needs `ulimit -n 12000`
//! or more.

use simweb::Simweb;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const IN_FLIGHT: usize = 10_000;
const SITES: usize = 12_000;
const DELAY_MS: u32 = 10_000;
/// Maximum resident memory of the crawler: 1 GiB.
const MAX_KIB: u64 = 1 << 20;

const ROBOTS: &str =
    "User-agent: *\nDisallow: /private/\nSitemap: https://site.example/sitemap.xml\n";
const MANIFEST: &str = r#"{
  "protocolVersion": "0.3.0", "name": "Desk", "description": "Answers questions about orders.",
  "url": "https://site.example/a2a", "version": "1.0.0", "capabilities": {},
  "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
  "skills": [{"id": "orders", "name": "Orders", "description": "Where an order is.", "tags": ["orders"]}]
}"#;

#[tokio::main]
async fn main() {
    let web = web().await;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut crawler = start(&web, folder.path());
    let started = Instant::now();
    let (mut peak_kib, mut connections) = (0, 0);
    let status = loop {
        peak_kib = peak_kib.max(peak_memory_kib(&crawler));
        connections = connections.max(open_files(&crawler));
        if let Some(status) = crawler.try_wait().expect("the crawler's status") {
            break status;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    report(status, started.elapsed(), peak_kib, connections, &web);
}

/// Sites, each with a registrable domain of its own.
async fn web() -> Simweb {
    let mut builder = Simweb::builder().addresses(50);
    for number in 0..SITES {
        builder = builder
            .site(&format!("site{number}.example"))
            .file("/robots.txt", ROBOTS);
        if number % 10 == 0 {
            builder = builder.file("/.well-known/agent-card.json", MANIFEST);
        }
    }
    builder.start().await.expect("a web on loopback")
}

/// Starts the program as an operator would.
fn start(web: &Simweb, folder: &Path) -> Child {
    let seeds = web.seeds().iter().fold(String::new(), |mut list, seed| {
        let _ = writeln!(list, "{seed}");
        list
    });
    std::fs::write(folder.join("seeds.txt"), seeds).expect("a seed list");
    std::fs::write(folder.join("ca.pem"), web.ca_pem()).expect("a certificate");
    Command::new(env!("CARGO_BIN_EXE_crawler"))
        .current_dir(folder)
        .args(["--seeds", "seeds.txt", "--database", "sqlite:agentdex.db"])
        .args(["--nameserver", &web.dns_address().to_string()])
        .args(["--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"])
        .args(["--address-delay", "0", "--delay", &DELAY_MS.to_string()])
        .args(["--concurrency", &IN_FLIGHT.to_string()])
        .args(["--contact", "https://registry.example/bot"])
        .args(["--progress", "none"])
        .stdin(Stdio::null())
        .spawn()
        .expect("the crawler")
}

#[expect(clippy::print_stdout, reason = "a bench prints what it measured")]
fn report(status: ExitStatus, took: Duration, peak_kib: u64, open_files: usize, web: &Simweb) {
    println!(
        "{SITES} sites, {IN_FLIGHT} in flight: {status}, {:.0} s, {} requests over {} connections, at most {open_files} open files, peak {} MiB",
        took.as_secs_f64(),
        web.requests().len(),
        web.connections(),
        peak_kib / 1024,
    );
    assert!(status.success(), "the crawl ends well");
    // Leases come in batches, so the last tenth is not always taken.
    assert!(open_files >= IN_FLIGHT / 10 * 9, "so many were in flight");
    assert!(peak_kib < MAX_KIB, "{peak_kib} KiB are more than 1 GiB");
}

/// Returns the peak resident memory of the running crawler; zero if it has ended.
fn peak_memory_kib(crawler: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", crawler.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok())
        .unwrap_or(0)
}

/// Returns the number of files and sockets of the running crawler, one per visit in flight.
fn open_files(crawler: &Child) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", crawler.id())).map_or(0, Iterator::count)
}
