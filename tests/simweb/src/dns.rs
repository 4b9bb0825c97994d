//! The name server of this web, which knows the hosts of this web only.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hickory_proto::op::{Edns, Message, MessageType, Metadata, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::{A, AAAA, CNAME, SOA, TXT};
use hickory_proto::rr::{Name, RData, Record as DnsRecord, RecordType};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;

use crate::behaviour::Dns;
use crate::record::{DnsQuery, Record, now};
use crate::site::Sites;

/// Time that a slow name server takes for an answer.
const SLOW: Duration = Duration::from_secs(2);

/// Default TTL of answers, in seconds.
const TTL: u32 = 60;

/// Most addresses whose records the library compresses as tightly as DNS can.
const MAX_BY_LIBRARY: usize = 1000;

/// Greatest number of concurrent TCP connections.
const MAX_CONNECTIONS: usize = 256;

/// Name server for the hosts of this web.
#[derive(Debug)]
pub(crate) struct NameServer {
    pub(crate) sites: Arc<Sites>,
    pub(crate) record: Arc<Record>,
    /// Addresses of this web; a hash of the host's name selects one of them.
    pub(crate) addresses: Vec<IpAddr>,
    /// Number of queries for addresses, by host and record type.
    pub(crate) asked: Mutex<HashMap<(String, RecordType), usize>>,
    /// TXT records, by name.
    pub(crate) texts: Mutex<HashMap<String, Vec<String>>>,
}

impl NameServer {
    /// Returns the addresses that DNS gives for a host.
    pub(crate) fn addresses_of(&self, host: &str) -> Vec<IpAddr> {
        match self.sites.get(host) {
            Some(site) if !site.behaviour.addresses.is_empty() => site.behaviour.addresses.clone(),
            Some(_) => {
                // FNV-1a: the same host gets the same address in every run.
                let hash = host.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
                let count = self.addresses.len().max(1) as u64;
                let chosen = usize::try_from(hash % count).unwrap_or(0);
                self.addresses.get(chosen).copied().into_iter().collect()
            }
            None => Vec::new(),
        }
    }

    /// Replaces the TXT records of a name.
    pub(crate) fn set_texts(&self, name: &str, texts: Vec<String>) {
        let mut known = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(name.to_owned(), texts);
    }

    /// Answers over UDP for as long as it is polled.
    pub(crate) async fn serve_udp(self: Arc<Self>, socket: UdpSocket) {
        let socket = Arc::new(socket);
        let mut buffer = [0; 4096];
        let mut delayed = JoinSet::new();
        loop {
            // The system reports here that an earlier client closed its port.
            let Ok((length, client)) = socket.recv_from(&mut buffer).await else {
                continue;
            };
            while delayed.try_join_next().is_some() {}
            let Some(answer) = self.answer(&buffer[..length], true) else {
                continue;
            };
            let socket = Arc::clone(&socket);
            let send = async move {
                if let Err(error) = socket.send_to(&answer.bytes, client).await {
                    tracing::debug!(%error, "cannot answer a DNS query");
                }
            };
            if answer.delay.is_zero() {
                send.await;
            } else {
                delayed.spawn(async move {
                    tokio::time::sleep(answer.delay).await;
                    send.await;
                });
            }
        }
    }

    /// Answers over TCP for as long as it is polled.
    pub(crate) async fn serve_tcp(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            if connections.len() >= MAX_CONNECTIONS {
                connections.join_next().await;
            }
            let accepted = listener.accept().await;
            while connections.try_join_next().is_some() {}
            match accepted {
                Ok((stream, _)) => {
                    connections.spawn(Arc::clone(&self).serve_stream(stream));
                }
                Err(error) => {
                    tracing::debug!(%error, "cannot accept a DNS connection");
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    async fn serve_stream(self: Arc<Self>, mut stream: TcpStream) {
        loop {
            let Ok(length) = stream.read_u16().await else {
                return;
            };
            let mut message = vec![0; usize::from(length)];
            if stream.read_exact(&mut message).await.is_err() {
                return;
            }
            let Some(answer) = self.answer(&message, false) else {
                continue;
            };
            tokio::time::sleep(answer.delay).await;
            let bytes = answer.bytes;
            let Ok(length) = u16::try_from(bytes.len()) else {
                return;
            };
            if stream.write_u16(length).await.is_err() || stream.write_all(&bytes).await.is_err() {
                return;
            }
        }
    }

    /// Returns the answer to one message; `None` if it is not a query or gets no answer.
    fn answer(&self, message: &[u8], over_udp: bool) -> Option<Answer> {
        let asked = Message::from_vec(message).ok()?;
        if asked.metadata.message_type != MessageType::Query {
            return None;
        }
        let query = asked.queries.first()?;
        let name = query.name().to_lowercase().to_ascii();
        let name = name.trim_end_matches('.').to_owned();
        let known = match asked.metadata.op_code {
            OpCode::Query => self.known(&name, query, asked.edns.is_some()),
            _ => NameAnswer::of(ResponseCode::NotImp),
        };
        let (at, unix_ms) = now();
        self.record.query(DnsQuery {
            at,
            unix_ms,
            name,
            kind: query.query_type().to_string(),
            answer: known.text(),
        });
        let bytes = write_known(&asked, query, &known, over_udp)?;
        Some(Answer {
            bytes,
            delay: known.delay,
        })
    }

    /// Returns this server's answer for a name.
    fn known(&self, name: &str, query: &Query, has_edns: bool) -> NameAnswer {
        if query.query_type() == RecordType::TXT {
            let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(texts) = texts.get(name) {
                return NameAnswer {
                    texts: texts.clone(),
                    ..NameAnswer::of(ResponseCode::NoError)
                };
            }
        }
        let site = self.sites.get(name).or_else(|| {
            // The aliases of a host are names below it.
            let (label, host) = name.split_once('.')?;
            let site = label.starts_with("alias").then(|| self.sites.get(host));
            site.flatten()
        });
        let Some(site) = site else {
            return NameAnswer::of(ResponseCode::NXDomain);
        };
        let behaviour = &site.behaviour;
        match behaviour.dns {
            Dns::Nxdomain => NameAnswer::of(ResponseCode::NXDomain),
            Dns::Servfail => NameAnswer::of(ResponseCode::ServFail),
            Dns::Refused => NameAnswer::of(ResponseCode::Refused),
            Dns::Silent => NameAnswer::default(),
            Dns::NoEdns if has_edns => NameAnswer::of(ResponseCode::FormErr),
            Dns::AliasLoop => NameAnswer {
                aliases: vec![alias(query.name(), 1), query.name().clone()],
                ..NameAnswer::of(ResponseCode::NoError)
            },
            Dns::Normal | Dns::Rotating | Dns::Slow | Dns::NoEdns => {
                let changes =
                    behaviour.dns == Dns::Rotating || !behaviour.later_addresses.is_empty();
                let asked_before = if changes {
                    self.asked_before(name, query)
                } else {
                    0
                };
                let mut addresses = self.addresses_of(name);
                if !behaviour.later_addresses.is_empty() && asked_before > 0 {
                    addresses.clone_from(&behaviour.later_addresses);
                }
                addresses.retain(|address| match query.query_type() {
                    RecordType::A => address.is_ipv4(),
                    RecordType::AAAA => address.is_ipv6(),
                    _ => false,
                });
                if behaviour.dns == Dns::Rotating {
                    let index = asked_before.checked_rem(addresses.len()).unwrap_or(0);
                    addresses = addresses.get(index).copied().into_iter().collect();
                }
                let aliases = 1..=behaviour.aliases;
                NameAnswer {
                    addresses,
                    aliases: aliases.map(|number| alias(query.name(), number)).collect(),
                    ttl: behaviour.ttl.unwrap_or(TTL),
                    delay: if behaviour.dns == Dns::Slow {
                        SLOW
                    } else {
                        Duration::ZERO
                    },
                    ..NameAnswer::of(ResponseCode::NoError)
                }
            }
        }
    }

    /// Counts a query, and returns the number of earlier ones for its name and record type.
    fn asked_before(&self, name: &str, query: &Query) -> usize {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = asked
            .entry((name.to_owned(), query.query_type()))
            .or_default();
        *count += 1;
        *count - 1
    }
}

/// Answer to a message, and the time until it is sent.
struct Answer {
    bytes: Vec<u8>,
    delay: Duration,
}

/// Answer for a name.
#[derive(Debug, Default)]
struct NameAnswer {
    /// Response code; `None` sends no answer.
    code: Option<ResponseCode>,
    aliases: Vec<Name>,
    addresses: Vec<IpAddr>,
    texts: Vec<String>,
    ttl: u32,
    delay: Duration,
}

impl NameAnswer {
    fn of(code: ResponseCode) -> Self {
        Self {
            code: Some(code),
            ttl: TTL,
            ..Self::default()
        }
    }

    fn text(&self) -> String {
        match self.code {
            None => "no answer".to_owned(),
            Some(ResponseCode::NoError) if !self.addresses.is_empty() => {
                let addresses: Vec<_> = self.addresses.iter().map(IpAddr::to_string).collect();
                addresses.join(" ")
            }
            Some(ResponseCode::NoError) if !self.texts.is_empty() => self.texts.join(" "),
            Some(code) => format!("{code:?}"),
        }
    }
}

/// Writes the answer to a query; `None` if there is none.
fn write_known(
    asked: &Message,
    query: &Query,
    known: &NameAnswer,
    over_udp: bool,
) -> Option<Vec<u8>> {
    let code = known.code?;

    let mut answer = Message::response(asked.metadata.id, asked.metadata.op_code);
    answer.metadata = Metadata::response_from_request(&asked.metadata);
    answer.metadata.authoritative = true;
    answer.metadata.recursion_available = true;
    answer.metadata.response_code = code;
    answer.add_query(query.clone());
    if known.aliases.is_empty() && known.addresses.len() > MAX_BY_LIBRARY && !over_udp {
        return with_addresses(write(&answer)?, known);
    }
    let mut owner = query.name().clone();
    for alias in &known.aliases {
        let data = RData::CNAME(CNAME(alias.clone()));
        answer.add_answer(DnsRecord::from_rdata(owner, known.ttl, data));
        owner = alias.clone();
    }
    for address in &known.addresses {
        let data = match address {
            IpAddr::V4(address) => RData::A(A(*address)),
            IpAddr::V6(address) => RData::AAAA(AAAA(*address)),
        };
        answer.add_answer(DnsRecord::from_rdata(owner.clone(), known.ttl, data));
    }
    for text in &known.texts {
        let data = RData::TXT(TXT::new(vec![text.clone()]));
        answer.add_answer(DnsRecord::from_rdata(owner.clone(), known.ttl, data));
    }
    let is_absent = answer.answers.is_empty();
    if is_absent && matches!(code, ResponseCode::NoError | ResponseCode::NXDomain) {
        // RFC 2308: the SOA record has the time for which the absence may be cached.
        let root = Name::root();
        let soa = SOA::new(root.clone(), root.clone(), 1, 3600, 600, 86400, TTL);
        answer.add_authority(DnsRecord::from_rdata(root, TTL, RData::SOA(soa)));
    }
    let mut most = usize::from(u16::MAX);
    if over_udp {
        most = 512;
    }
    if let Some(theirs) = &asked.edns {
        let mut edns = Edns::new();
        edns.set_max_payload(4096);
        answer.set_edns(edns);
        most = most.max(usize::from(theirs.max_payload()));
    }
    let bytes = write(&answer)?;
    if bytes.len() <= most {
        return Some(bytes);
    }
    // Too long: the client has to repeat the query over TCP.
    answer.answers.clear();
    answer.metadata.truncation = true;
    write(&answer)
}

/// Returns the name of a host's alias; the host's own name if the alias would be too long.
fn alias(host: &Name, number: u8) -> Name {
    let label = format!("alias{number}");
    host.prepend_label(label.as_str())
        .unwrap_or_else(|_| host.clone())
}

/// Appends address records to an answer without any; each points to the name in the question.
fn with_addresses(mut answer: Vec<u8>, known: &NameAnswer) -> Option<Vec<u8>> {
    let count = u16::try_from(known.addresses.len()).ok()?;
    answer.get_mut(6..8)?.copy_from_slice(&count.to_be_bytes());
    for address in &known.addresses {
        let (kind, octets) = match address {
            IpAddr::V4(address) => (RecordType::A, address.octets().to_vec()),
            IpAddr::V6(address) => (RecordType::AAAA, address.octets().to_vec()),
        };
        answer.extend([0xc0, 12]);
        answer.extend(u16::from(kind).to_be_bytes());
        answer.extend([0, 1]);
        answer.extend(known.ttl.to_be_bytes());
        answer.extend(u16::try_from(octets.len()).ok()?.to_be_bytes());
        answer.extend(octets);
    }
    Some(answer)
}

fn write(message: &Message) -> Option<Vec<u8>> {
    message
        .to_vec()
        .inspect_err(|error| tracing::warn!(%error, "cannot write a DNS answer"))
        .ok()
}

/// Binds UDP and TCP to one port; port 0 chooses one that is free for both.
pub(crate) async fn bind(wanted: SocketAddr) -> io::Result<(SocketAddr, UdpSocket, TcpListener)> {
    let mut tries = 0;
    loop {
        let udp = UdpSocket::bind(wanted).await?;
        let address = udp.local_addr()?;
        match TcpListener::bind(address).await {
            Ok(tcp) => return Ok((address, udp, tcp)),
            Err(_) if wanted.port() == 0 && tries < 20 => tries += 1,
            Err(error) => return Err(error),
        }
    }
}
