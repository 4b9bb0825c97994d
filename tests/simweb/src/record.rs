//! What this web was asked: every request and every DNS query, for tests to judge a client by.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// How many requests and how many queries are remembered; the oldest go first.
const MOST_REMEMBERED: usize = 500_000;

/// One HTTP request, as this web saw it.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// When its head had arrived.
    #[serde(skip)]
    pub at: Instant,
    /// The same moment in milliseconds since 1970.
    pub unix_ms: u64,
    /// The host it names, in lower case and without a port.
    pub host: String,
    /// The method.
    pub method: String,
    /// The path with its query; empty when HTTP/2 was answered by hand.
    pub path: String,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The number of its connection, from 1.
    pub connection: u64,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub version: String,
    /// Whether it came over TLS.
    pub secure: bool,
    /// The address of this web that it came to.
    pub local: SocketAddr,
    /// The status it was given; 0 when the connection was closed on it, or it was answered by hand.
    pub status: u16,
}

impl Request {
    /// The first value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// One DNS query, as this web's name server saw it.
#[derive(Debug, Clone, Serialize)]
pub struct DnsQuery {
    /// When it arrived.
    #[serde(skip)]
    pub at: Instant,
    /// The same moment in milliseconds since 1970.
    pub unix_ms: u64,
    /// The name asked for, in lower case and without the final dot.
    pub name: String,
    /// The record type asked for, such as `A`.
    pub kind: String,
    /// What it was told: a response code, `no answer`, or the addresses.
    pub answer: String,
}

/// Everything that was asked so far, in memory and perhaps in a file.
#[derive(Debug)]
pub(crate) struct Record {
    requests: Mutex<VecDeque<Request>>,
    queries: Mutex<VecDeque<DnsQuery>>,
    connections: AtomicU64,
    log: Option<Mutex<File>>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Request(&'a Request),
    Dns(&'a DnsQuery),
}

impl Record {
    pub(crate) fn new(log: Option<&Path>) -> io::Result<Self> {
        Ok(Self {
            requests: Mutex::default(),
            queries: Mutex::default(),
            connections: AtomicU64::new(0),
            log: log.map(File::create).transpose()?.map(Mutex::new),
        })
    }

    /// Counts a new connection and gives its number.
    pub(crate) fn connect(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn request(&self, request: Request) {
        self.log(&Line::Request(&request));
        remember(&self.requests, request);
    }

    pub(crate) fn query(&self, query: DnsQuery) {
        self.log(&Line::Dns(&query));
        remember(&self.queries, query);
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.iter().cloned().collect()
    }

    pub(crate) fn queries(&self) -> Vec<DnsQuery> {
        let queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        queries.iter().cloned().collect()
    }

    pub(crate) fn forget(&self) {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        self.queries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn log(&self, line: &Line<'_>) {
        let Some(log) = &self.log else { return };
        let Ok(mut text) = serde_json::to_string(line) else {
            return;
        };
        text.push('\n');
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = log.write_all(text.as_bytes()) {
            tracing::warn!(%error, "cannot write the log");
        }
    }
}

/// Now, as both clocks tell it.
#[expect(
    clippy::disallowed_methods,
    reason = "when a request came is what is recorded"
)]
pub(crate) fn now() -> (Instant, u64) {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let unix_ms = u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX);
    (Instant::now(), unix_ms)
}

fn remember<T>(memory: &Mutex<VecDeque<T>>, item: T) {
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.len() >= MOST_REMEMBERED {
        memory.pop_front();
    }
    memory.push_back(item);
}
