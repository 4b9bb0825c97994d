//! The record of this web: every request, connection and DNS query, for tests that judge a client.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Usual capacity of the record, for requests, connections and queries each.
pub(crate) const USUAL_CAPACITY: usize = 500_000;

/// HTTP request, as this web received it.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// Time of arrival of its head.
    #[serde(skip)]
    pub at: Instant,
    /// The same time in milliseconds since 1970.
    pub unix_ms: u64,
    /// Requested host, in lower case and without a port.
    pub host: String,
    /// The method.
    pub method: String,
    /// Path with its query; empty for scripted HTTP/2.
    pub path: String,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Number of its connection, from 1.
    pub connection: u64,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub version: String,
    /// True if it came over TLS.
    pub secure: bool,
    /// Local address of its connection.
    pub local: SocketAddr,
    /// Status of the answer; 0 if the connection was closed without one, or the answer was
    /// scripted.
    pub status: u16,
}

impl Request {
    /// Returns the first value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// HTTP request and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The request.
    pub request: Request,
    /// Time at which the answer was complete or the client disconnected, in milliseconds since
    /// 1970.
    pub ended_ms: Option<u64>,
    /// Headers of the answer, names in lower case.
    pub answer: Vec<(String, String)>,
    /// Beginning of the robots.txt in the answer, if it is one.
    pub robots: Option<String>,
}

/// TCP connection, as this web accepted it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Connection {
    /// Its number, to which its requests refer.
    pub number: u64,
    /// Local address of the connection.
    pub local: SocketAddr,
    /// Time of its acceptance, in milliseconds since 1970.
    pub opened_ms: u64,
    /// Time of its end, if it has ended.
    pub closed_ms: Option<u64>,
}

/// DNS query, as this web's name server received it.
#[derive(Debug, Clone, Serialize)]
pub struct DnsQuery {
    /// Time of arrival.
    #[serde(skip)]
    pub at: Instant,
    /// The same time in milliseconds since 1970.
    pub unix_ms: u64,
    /// Requested name, in lower case and without the final dot.
    pub name: String,
    /// Requested record type, such as `A`.
    pub kind: String,
    /// Answer: a response code, `no answer`, or the addresses.
    pub answer: String,
}

/// Everything recorded so far, in memory and optionally in a file.
#[derive(Debug)]
pub(crate) struct Record {
    exchanges: Mutex<Memory<Exchange>>,
    opened: Mutex<Memory<Connection>>,
    queries: Mutex<Memory<DnsQuery>>,
    connections: AtomicU64,
    log: Option<Mutex<File>>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Request {
        number: u64,
        #[serde(flatten)]
        request: &'a Request,
    },
    /// The end of an answer, under the number of its request.
    Response {
        number: u64,
        unix_ms: u64,
        answer: &'a [(String, String)],
        robots: Option<&'a str>,
    },
    /// The end of a connection.
    Connection(&'a Connection),
    Dns(&'a DnsQuery),
}

impl Record {
    /// Returns an empty record that evicts the oldest entries of each kind beyond its capacity.
    pub(crate) fn new(log: Option<&Path>, capacity: usize) -> io::Result<Self> {
        Ok(Self {
            exchanges: Mutex::new(Memory::new(capacity)),
            opened: Mutex::new(Memory::new(capacity)),
            queries: Mutex::new(Memory::new(capacity)),
            connections: AtomicU64::new(0),
            log: log.map(File::create).transpose()?.map(Mutex::new),
        })
    }

    /// Counts a new connection and returns its number.
    pub(crate) fn connect(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn opened(&self, number: u64, local: SocketAddr) {
        let connection = Connection {
            number,
            local,
            opened_ms: now().1,
            closed_ms: None,
        };
        lock(&self.opened).push(connection);
    }

    pub(crate) fn closed(&self, number: u64) {
        let mut opened = lock(&self.opened);
        // Connections are numbered before they are recorded, so two may be out of order.
        let mut latest_first = opened.items.iter_mut().rev();
        if let Some(connection) = latest_first.find(|it| it.number == number) {
            connection.closed_ms = Some(now().1);
            self.log(&Line::Connection(connection));
        }
    }

    /// Records a request and returns its number.
    pub(crate) fn request(&self, request: Request) -> u64 {
        let mut exchanges = lock(&self.exchanges);
        let number = exchanges.next();
        self.log(&Line::Request {
            number,
            request: &request,
        });
        exchanges.push(Exchange {
            request,
            ended_ms: None,
            answer: Vec::new(),
            robots: None,
        });
        number
    }

    /// Records the headers and robots.txt of the answer to request `number`.
    pub(crate) fn answered(
        &self,
        number: u64,
        answer: Vec<(String, String)>,
        robots: Option<String>,
    ) {
        if let Some(exchange) = lock(&self.exchanges).get(number) {
            exchange.answer = answer;
            exchange.robots = robots;
        }
    }

    /// Records that the answer to request `number` has ended.
    pub(crate) fn ended(&self, number: u64) {
        let unix_ms = now().1;
        if let Some(exchange) = lock(&self.exchanges).get(number) {
            exchange.ended_ms = Some(unix_ms);
            self.log(&Line::Response {
                number,
                unix_ms,
                answer: &exchange.answer,
                robots: exchange.robots.as_deref(),
            });
        }
    }

    pub(crate) fn query(&self, query: DnsQuery) {
        self.log(&Line::Dns(&query));
        lock(&self.queries).push(query);
    }

    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        lock(&self.exchanges).items.iter().cloned().collect()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        let exchanges = lock(&self.exchanges);
        let requests = exchanges.items.iter();
        requests.map(|exchange| exchange.request.clone()).collect()
    }

    pub(crate) fn connections_seen(&self) -> Vec<Connection> {
        lock(&self.opened).items.iter().copied().collect()
    }

    pub(crate) fn queries(&self) -> Vec<DnsQuery> {
        lock(&self.queries).items.iter().cloned().collect()
    }

    pub(crate) fn forget(&self) {
        lock(&self.exchanges).clear();
        lock(&self.opened).clear();
        lock(&self.queries).clear();
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

/// Returns the current time of the monotonic clock, and in milliseconds since 1970.
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

/// Most recent entries, each with a number that never changes.
#[derive(Debug)]
struct Memory<T> {
    items: VecDeque<T>,
    capacity: usize,
    /// Number of evicted entries.
    forgotten: u64,
}

impl<T> Memory<T> {
    fn new(capacity: usize) -> Self {
        Self {
            items: VecDeque::new(),
            capacity,
            forgotten: 0,
        }
    }

    /// Returns the number of the next entry.
    fn next(&self) -> u64 {
        self.forgotten + self.items.len() as u64
    }

    fn push(&mut self, item: T) {
        if self.items.len() >= self.capacity {
            self.items.pop_front();
            self.forgotten += 1;
        }
        self.items.push_back(item);
    }

    fn get(&mut self, number: u64) -> Option<&mut T> {
        let position = number.checked_sub(self.forgotten)?;
        self.items.get_mut(usize::try_from(position).ok()?)
    }

    fn clear(&mut self) {
        self.forgotten = self.next();
        self.items.clear();
    }
}

fn lock<T>(memory: &Mutex<Memory<T>>) -> MutexGuard<'_, Memory<T>> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}
