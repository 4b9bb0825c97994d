//! The cost of a visit: CPU time and memory of the crawler, compared with two plain clients that do
//! less.
//!
//! `cargo bench -p crawler --bench cost` starts a simulated web of healthy TLS hosts in a separate
//! process, lets each client request the same paths from each host, and prints the medians of three
//! rounds. Every client is a new process, and the clients take turns. Rate limits are lifted,
//! because work is measured and not waiting; the web counts its requests, so that no client can
//! skip work.
//!
//! - `bare` is tokio-rustls and h2: the requests one after the other, on one connection per host,
//!   with known addresses.
//! - `prober` is a simple use of reqwest: one client, 256 concurrent hosts, names resolved.
//! - `crawler` is our program. It alone reads robots.txt, decides, and stores everything.
//!
//! `--hosts 500 --rounds 1` after `--` makes it short. It needs Linux, whose `/proc` has the
//! figures.

mod child;
mod clients;
mod table;
mod web;

use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::Command;
use table::Table;
use web::Web;

/// Concurrent hosts of the two plain clients; the crawler's limit is the same.
const AT_ONCE: usize = 256;

/// Measures the cost of a visit.
#[derive(Debug, Parser)]
struct Options {
    /// Number of hosts; each number gives a separate table.
    #[arg(long, value_delimiter = ',', default_values_t = [2_000, 10_000])]
    hosts: Vec<u32>,
    /// Number of rounds per client.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Flag that cargo passes to benches.
    #[arg(long, hide = true)]
    bench: bool,
    #[command(subcommand)]
    part: Option<Part>,
}

/// Roles in which the bench starts this program again.
#[derive(Debug, Subcommand)]
#[command(hide = true)]
enum Part {
    /// The simulated web.
    Web { hosts: u32, folder: PathBuf },
    /// The client of tokio-rustls and h2.
    Bare { folder: PathBuf },
    /// The client of reqwest.
    Prober { folder: PathBuf },
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let runtime = tokio::runtime::Runtime::new()?;
    match options.part {
        Some(Part::Web { hosts, folder }) => runtime.block_on(web::serve(hosts, &folder)),
        Some(Part::Bare { folder }) => runtime.block_on(clients::bare(&folder)),
        Some(Part::Prober { folder }) => runtime.block_on(clients::prober(&folder)),
        None => options
            .hosts
            .iter()
            .try_for_each(|hosts| compare(*hosts, options.rounds)),
    }
}

/// Measures every client with this number of hosts.
fn compare(hosts: u32, rounds: u32) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut web = Web::start(hosts, folder.path())?;
    let mut table = Table::new(hosts);
    for round in 0..rounds {
        // The first client finds the machine in another state than the last one.
        for turn in 0..3 {
            let (client, mut command) = match (round + turn) % 3 {
                0 => ("bare", part("bare", folder.path())?),
                1 => ("prober", part("prober", folder.path())?),
                _ => ("crawler", crawler(&web, folder.path())),
            };
            let cost = child::run(&mut command).with_context(|| format!("running {client}"))?;
            let asked = web.asked()?;
            if asked != web.expected() {
                bail!("{client} did not do the work: the web was asked {asked:?}");
            }
            table.add(client, cost);
        }
    }
    table.print()
}

/// Returns the command of this program as one of the plain clients.
fn part(name: &str, folder: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(name).arg(folder);
    Ok(command)
}

/// Returns the command of the crawler with a new database.
fn crawler(web: &Web, folder: &Path) -> Command {
    for rest in ["", "-shm", "-wal"] {
        // There is none in the first round.
        let _ = std::fs::remove_file(folder.join(format!("crawl.db{rest}")));
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
    command
        .current_dir(folder)
        .env_clear()
        .args(["--seeds", "seeds.txt", "--database", "sqlite:crawl.db"])
        .args(["--nameserver", web.dns(), "--root-ca", "ca.pem"])
        .args(["--allow-address", "127.0.0.0/8"])
        .args(["--delay", "0", "--address-delay", "0"])
        .args(["--concurrency", &AT_ONCE.to_string()])
        .args(["--contact", "https://registry.example/bot"])
        .args(["--progress", "none"]);
    command
}
