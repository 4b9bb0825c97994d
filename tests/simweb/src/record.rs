//! What this web was asked: every request and every DNS query, for tests to judge a client by.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
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

/// One HTTP request and how it was answered.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The request.
    pub request: Request,
    /// When its answer had been handed over, or the client had gone away: milliseconds since 1970.
    pub ended_ms: Option<u64>,
    /// The headers of the answer, names in lower case.
    pub answer: Vec<(String, String)>,
    /// The beginning of the robots.txt that it was given.
    pub robots: Option<String>,
}

/// One TCP connection, as this web saw it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Connection {
    /// Its number, which its requests name.
    pub number: u64,
    /// The address of this web that it came to.
    pub local: SocketAddr,
    /// When it was accepted, in milliseconds since 1970.
    pub opened_ms: u64,
    /// When it was over, if it is.
    pub closed_ms: Option<u64>,
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
    pub(crate) fn new(log: Option<&Path>) -> io::Result<Self> {
        Ok(Self {
            exchanges: Mutex::default(),
            opened: Mutex::default(),
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
        // Connections are numbered before they are noted, so that two may have changed places.
        let mut latest_first = opened.items.iter_mut().rev();
        if let Some(connection) = latest_first.find(|it| it.number == number) {
            connection.closed_ms = Some(now().1);
            self.log(&Line::Connection(connection));
        }
    }

    /// Notes a request and gives its number.
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

    /// Notes what request `number` was answered.
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

    /// Notes that the answer to request `number` has ended.
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

/// The last things that happened, each with a number that never changes.
#[derive(Debug)]
struct Memory<T> {
    items: VecDeque<T>,
    /// How many are forgotten.
    forgotten: u64,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self {
            items: VecDeque::new(),
            forgotten: 0,
        }
    }
}

impl<T> Memory<T> {
    /// The number of the next item.
    fn next(&self) -> u64 {
        self.forgotten + self.items.len() as u64
    }

    fn push(&mut self, item: T) {
        if self.items.len() >= MOST_REMEMBERED {
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
