//! The log of a web as the judge reads it: from its memory, or from its log of JSON lines.

use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};

/// One request with its answer.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// Time of the request's arrival, in milliseconds since 1970.
    pub(crate) at: u64,
    /// Time of the end of its answer; the same as `at` if it is not recorded.
    pub(crate) ended: u64,
    pub(crate) host: String,
    pub(crate) path: String,
    /// Status; 0 if the connection was closed instead.
    pub(crate) status: u16,
    pub(crate) connection: u64,
    pub(crate) address: IpAddr,
    pub(crate) secure: bool,
    /// Headers of the request, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Headers of the answer, names in lower case.
    pub(crate) answer: Vec<(String, String)>,
    /// The robots.txt that it was given.
    pub(crate) robots: Option<String>,
}

impl Exchange {
    /// Returns a header of the request.
    pub(crate) fn asked(&self, name: &str) -> Option<&str> {
        value(&self.headers, name)
    }

    /// Returns the User-Agent, which differs between the crawlers of a fleet.
    pub(crate) fn agent(&self) -> &str {
        self.asked("user-agent").unwrap_or_default()
    }

    /// Returns a header of the answer.
    pub(crate) fn answer_header(&self, name: &str) -> Option<&str> {
        value(&self.answer, name)
    }

    pub(crate) fn is_robots(&self) -> bool {
        self.path == "/robots.txt"
    }

    /// Reports whether the request is conditional.
    pub(crate) fn is_conditional(&self) -> bool {
        self.asked("if-none-match").is_some() || self.asked("if-modified-since").is_some()
    }

    pub(crate) fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

fn value<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

/// One TCP connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection {
    pub(crate) number: u64,
    pub(crate) address: IpAddr,
    pub(crate) opened: u64,
    /// Time of its end; `None` if it is still open.
    pub(crate) closed: Option<u64>,
}

/// All requests to a web, in the order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) connections: Vec<Connection>,
}

impl Log {
    /// Reads the log of a running web.
    pub(crate) fn of(web: &simweb::Simweb) -> Self {
        let exchanges = web.exchanges().into_iter().map(|exchange| {
            let request = exchange.request;
            Exchange {
                at: request.unix_ms,
                ended: exchange.ended_ms.unwrap_or(request.unix_ms),
                host: request.host,
                path: request.path,
                status: request.status,
                connection: request.connection,
                address: request.local.ip(),
                secure: request.secure,
                headers: request.headers,
                answer: exchange.answer,
                robots: exchange.robots,
            }
        });
        let connections = web.connections_seen().into_iter().map(|it| Connection {
            number: it.number,
            address: it.local.ip(),
            opened: it.opened_ms,
            closed: it.closed_ms,
        });
        Self {
            exchanges: exchanges.collect(),
            connections: connections.collect(),
        }
        .sorted()
    }

    /// Returns the connections over which a visit to a host goes on after its robots.txt, each with the
    /// host.
    pub(crate) fn visiting_connections(&self) -> HashSet<(u64, &str)> {
        let paths = self.exchanges.iter().filter(|it| !it.is_robots());
        paths.map(|it| (it.connection, it.host.as_str())).collect()
    }

    /// Parses the lines that a web wrote with `--log`.
    pub(crate) fn read(lines: &str) -> Self {
        let mut log = Self::default();
        let mut places: HashMap<u64, usize> = HashMap::new();
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            match line["event"].as_str().unwrap() {
                "request" => {
                    places.insert(line["number"].as_u64().unwrap(), log.exchanges.len());
                    log.exchanges.push(request(&line));
                }
                "response" => {
                    let place = places[&line["number"].as_u64().unwrap()];
                    let exchange = &mut log.exchanges[place];
                    exchange.ended = line["unix_ms"].as_u64().unwrap();
                    exchange.answer = pairs(&line["answer"]);
                    exchange.robots = line["robots"].as_str().map(str::to_owned);
                }
                "connection" => log.connections.push(Connection {
                    number: line["number"].as_u64().unwrap(),
                    address: address(&line["local"]),
                    opened: line["opened_ms"].as_u64().unwrap(),
                    closed: line["closed_ms"].as_u64(),
                }),
                _ => {}
            }
        }
        log.sorted()
    }

    fn sorted(mut self) -> Self {
        self.exchanges.sort_by_key(|exchange| exchange.at);
        self
    }
}

fn request(line: &Value) -> Exchange {
    let text = |key: &str| line[key].as_str().unwrap().to_owned();
    let at = line["unix_ms"].as_u64().unwrap();
    Exchange {
        at,
        ended: at,
        host: text("host"),
        path: text("path"),
        status: u16::try_from(line["status"].as_u64().unwrap()).unwrap(),
        connection: line["connection"].as_u64().unwrap(),
        address: address(&line["local"]),
        secure: line["secure"].as_bool().unwrap(),
        headers: pairs(&line["headers"]),
        answer: Vec::new(),
        robots: None,
    }
}

fn address(value: &Value) -> IpAddr {
    let address: SocketAddr = value.as_str().unwrap().parse().unwrap();
    address.ip()
}

fn pairs(value: &Value) -> Vec<(String, String)> {
    let pairs = value.as_array().unwrap().iter();
    pairs
        .map(|pair| {
            let text = |index: usize| pair[index].as_str().unwrap().to_owned();
            (text(0), text(1))
        })
        .collect()
}
