//! Growth of a frontier to five million domains: rows per second, memory and file size.
//!
//! `cargo bench -p store --bench frontier` adds seeds to a file until it has one, two and five
//! million domains, or the numbers given after `--`, in the batches of the crawler. At each of
//! these sizes it leases and completes a hundred thousand visits, with ten thousand in flight. A
//! URL among the arguments names an empty database of PostgreSQL instead, whose server works beside
//! what is measured.
//!
//! Each rate should hold from size to size, and memory use should not grow. `seeded/s` is the rate
//! since the previous size, `last/s` that of the last batch; `wait ms` is the longest wait of
//! another writer meanwhile. Each rate is followed by the CPU time per row in microseconds, which
//! depends less on other load of the machine.

use manifest::{Document, Domain, Timestamp};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};
use store::{
    Lease, NextVisit, Outcome, Receipt, RobotsState, Role, Seed, SeedSource, Store, Visit,
};

/// The allocator of our programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Numbers of domains at which the rates are measured.
const MARKS: [u32; 3] = [1_000_000, 2_000_000, 5_000_000];
/// Visits leased and completed at each size.
const VISITS: u32 = 100_000;
/// Concurrent leases.
const IN_FLIGHT: usize = 10_000;

// Batch sizes of the crawler.
const SEED_BATCH: u32 = 200_000;
const LEASE_BATCH: u32 = 512;
const RECORD_BATCH: usize = 256;

/// Reference time.
const NOON: Timestamp = Timestamp(1_800_000_000_000);
const MINUTE_MS: i64 = 60 * 1_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let marks: Vec<u32> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let marks = if marks.is_empty() {
        MARKS.to_vec()
    } else {
        marks
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder for the file");
    let file = folder.path().join("frontier.db");
    let url = std::env::args().find(|argument| store::is_postgres(argument));
    let url = url.unwrap_or_else(|| format!("sqlite:{}", file.display()));
    let store = store::open(&url, &[Role::Crawler]).await.expect("a store");
    let other = store::open(&url, &[]).await.expect("the same store");
    print(
        "domains    seeded/s    last/s  µs  wait ms   again/s  leased/s  µs    done/s   µs  count ms  next ms  load ms   RSS MiB  peak MiB  file MiB",
    );
    let mut domains = 0;
    for mark in marks {
        let ((seeded, last), waited) = while_waiting(&*other, seed(&*store, domains..mark)).await;
        let (again, _) = seed(&*store, mark.saturating_sub(VISITS)..mark).await;
        domains = mark;
        let (leasing, recording) = visit(&*store).await;
        let counting = Instant::now();
        store.due(NOON, u32::MAX).await.expect("a count");
        let counting = counting.elapsed();
        let next = Instant::now();
        store.next_due().await.expect("a due time");
        let next = next.elapsed();
        let load = Instant::now();
        store.frontier_load(NOON).await.expect("the load");
        let load = load.elapsed();
        print(&format!(
            "{domains:<9} {:>9.0} {last:>13} {:>8} {:>9.0} {leasing:>13} {recording:>14} {:>9} {:>8} {:>8} {:>9} {:>9} {:>9}",
            seeded.rate(),
            waited.as_millis(),
            again.rate(),
            counting.as_millis(),
            next.as_millis(),
            load.as_millis(),
            memory_kib("VmRSS:") / 1024,
            memory_kib("VmHWM:") / 1024,
            size(folder.path()) >> 20,
        ));
    }
}

/// Time spent on rows.
#[derive(Clone, Copy, Default)]
struct Cost {
    rows: u32,
    wall: Duration,
    cpu: Duration,
}

impl Cost {
    /// Runs `work` on this many rows and adds its time.
    async fn on<T>(&mut self, rows: u32, work: impl Future<Output = T>) -> T {
        let (started, before) = (Instant::now(), cpu());
        let done = work.await;
        self.rows += rows;
        self.wall += started.elapsed();
        self.cpu += cpu().saturating_sub(before);
        done
    }

    fn rate(&self) -> f64 {
        f64::from(self.rows) / self.wall.as_secs_f64()
    }
}

impl std::fmt::Display for Cost {
    /// Formats rows per second and CPU microseconds per row.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cpu_us = self.cpu.as_secs_f64() * 1e6 / f64::from(self.rows);
        formatter.pad(&format!("{:.0} {cpu_us:>3.0}", self.rate()))
    }
}

/// Returns the CPU time of all threads so far; zero where the system does not provide it.
fn cpu() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// Adds the seeds with these numbers; returns the total time and that of the last batch.
async fn seed(store: &dyn Store, numbers: std::ops::Range<u32>) -> (Cost, Cost) {
    let (mut all, mut last) = (Cost::default(), Cost::default());
    for start in numbers.clone().step_by(SEED_BATCH as usize) {
        let end = numbers.end.min(start + SEED_BATCH);
        let seeds: Vec<Seed> = (start..end).map(numbered).collect();
        last = Cost::default();
        let adding = store.add_seeds(&seeds, false, NOON);
        last.on(end - start, adding).await.expect("seeding");
        all.rows += last.rows;
        all.wall += last.wall;
        all.cpu += last.cpu;
    }
    (all, last)
}

/// Runs `work` and returns the longest wait of another occasional writer meanwhile.
async fn while_waiting<T>(store: &dyn Store, work: impl Future<Output = T>) -> (T, Duration) {
    let mut longest = Duration::ZERO;
    let waiting = async {
        for number in 0.. {
            let address = IpAddr::V4(Ipv4Addr::from_bits(number % 100));
            let until = NOON.after(Duration::from_secs(number.into()));
            let started = Instant::now();
            store.block_address(address, until).await.expect("writing");
            longest = longest.max(started.elapsed());
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    let done = tokio::select! {
        done = work => done,
        () = waiting => unreachable!("it waits without an end"),
    };
    (done, longest)
}

/// Leases and completes visits; returns the total times of both.
async fn visit(store: &dyn Store) -> (Cost, Cost) {
    let (mut leasing, mut recording) = (Cost::default(), Cost::default());
    let mut in_flight = VecDeque::with_capacity(IN_FLIGHT + LEASE_BATCH as usize);
    let (mut taken, mut done) = (0, 0);
    while done < u64::from(VISITS) {
        if taken < VISITS && in_flight.len() < IN_FLIGHT {
            let wanted = LEASE_BATCH.min(VISITS - taken);
            let until = NOON.after(Duration::from_mins(30));
            let taking = store.lease_domains(NOON, until, wanted);
            let leases = leasing.on(wanted, taking).await.expect("leasing");
            assert_eq!(
                leases.len(),
                wanted as usize,
                "more domains are due than are leased"
            );
            taken += wanted;
            in_flight.extend(leases);
        } else {
            let batch = in_flight.len().min(RECORD_BATCH);
            let visits: Vec<Visit> = in_flight.drain(..batch).map(visited).collect();
            let rows = u32::try_from(batch).expect("a batch");
            let recorded = recording.on(rows, store.record_visits(&visits)).await;
            let recorded = recorded.expect("recording");
            assert_eq!(recorded.visits, batch as u64, "no lease was lost");
            done += recorded.visits;
        }
    }
    (leasing, recording)
}

/// Returns one of many seeds, in no order of name, as in a list by rank.
fn numbered(number: u32) -> Seed {
    const ENDINGS: [&str; 8] = ["com", "com", "com", "de", "org", "net", "co.uk", "dev"];
    let scattered = scatter(number.into());
    let ending = ENDINGS[usize::from(scattered.to_le_bytes()[0] % 8)];
    Seed {
        domain: Domain::parse(&format!("{scattered:016x}.{ending}")).expect("a domain"),
        port: None,
        source: SeedSource::Seed,
    }
}

/// Mixes bits bijectively, like `SplitMix64`.
fn scatter(number: u64) -> u64 {
    let bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Returns a typical first visit: a quarter of the names do not resolve, one site in sixteen has a
/// manifest, and the others answer 404. The first digit of the name decides.
fn visited(lease: Lease) -> Visit {
    let name = lease.domain.as_str().to_owned();
    let outcome = match name.as_bytes()[0] {
        b'0'..=b'3' => Outcome::DnsError,
        b'4' => Outcome::Found,
        _ => Outcome::Empty,
    };
    let requests: u32 = if outcome == Outcome::DnsError { 0 } else { 9 };
    let url = |number| match number {
        0 => format!("https://{name}/robots.txt"),
        _ => format!("https://{name}/.well-known/agent-{number}.json"),
    };
    let receipts = (0..requests)
        .map(|number| Receipt {
            at: NOON,
            method: "GET".to_owned(),
            url: url(number),
            status: Some(404),
            bytes: 512,
            ms: 35,
            verdict: "absent".to_owned(),
            why: String::new(),
        })
        .collect();
    let is_found = outcome == Outcome::Found;
    let documents = is_found.then(|| document(&lease.domain, &url(1)));
    // Due in a month, with 10 % jitter (P41).
    let place = u64::from_str_radix(&name[..16], 16).expect("its number");
    let jitter = i64::try_from(place % (6 * DAY_MS.unsigned_abs())).expect("below six days");
    Visit {
        started: NOON,
        ended: NOON,
        outcome,
        detail: (requests == 0).then(|| "nxdomain".to_owned()),
        requests,
        bytes: 512 * u64::from(requests),
        receipts,
        documents: documents.into_iter().collect(),
        gone: Vec::new(),
        missing: Vec::new(),
        unchanged: Vec::new(),
        named: Vec::new(),
        asked: Vec::new(),
        edge: None,
        robots: (requests > 0).then(|| RobotsState {
            verdict: "allow".to_owned(),
            mask: 511,
            status: Some(404),
            ..RobotsState::default()
        }),
        next: NextVisit {
            due: Timestamp(NOON.0 + 27 * DAY_MS + jitter),
            not_before: Timestamp(NOON.0 + 10 * MINUTE_MS),
            fails: 0,
            interval_ms: Some(30 * DAY_MS.unsigned_abs()),
            rotation: 4,
            unanswered: Vec::new(),
            requests_left: None,
            is_again: false,
        },
        lease,
    }
}

fn document(domain: &Domain, url: &str) -> Document {
    let url: url::Url = url.parse().expect("a URL");
    let body = format!(
        "{{\"name\":\"{domain}\",\"description\":\"{}\"}}",
        "x".repeat(2_000)
    );
    Document {
        domain: domain.clone(),
        requested: url.clone(),
        url,
        status: 200,
        media_type: Some("application/json".to_owned()),
        etag: None,
        last_modified: None,
        served: None,
        fetched: NOON,
        body: body.into_bytes(),
    }
}

/// Returns a value of `/proc/self/status`; zero where it does not exist.
fn memory_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok())
        .unwrap_or(0)
}

/// Returns the size of the files in a directory in bytes.
fn size(folder: &std::path::Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("the folder");
    let sizes = files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len()));
    sizes.sum()
}

#[expect(clippy::print_stdout, reason = "a bench prints what it measured")]
fn print(line: &str) {
    println!("{line}");
}
