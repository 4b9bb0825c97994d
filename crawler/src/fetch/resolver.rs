//! Resolution of names to checked addresses.
//!
//! Every answer passes [`Guard::check_all`]: one refused address refuses the whole name. Answers
//! are cached for at least a minute, so that the address that was checked is the one connected to.
//! The number of concurrent lookups is limited: name servers are shared, and seed lists are long.

use crate::fetch::address::{Guard, Refusal};
use crate::fetch::sockets::Sockets;
use crate::fetch::{DnsFailure, FetchError, local_address};
use hickory_resolver::Resolver as Hickory;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Maximum number of concurrent lookups.
const CONCURRENT_LOOKUPS: usize = 64;

/// Maximum number of aliases between a name and its addresses.
const MAX_ALIASES: usize = 8;

/// Time limit of one lookup, of addresses (A and AAAA together) or of TXT records (P43).
const DEADLINE: Duration = Duration::from_secs(5);

/// Time after which a query is repeated, while its answer is still awaited: packets get lost,
/// especially when there are many queries at once.
const PATIENCE: Duration = Duration::from_millis(1_200);

/// Maximum number of TXT records of a name, and of bytes of one, that are looked at.
const MAX_TEXTS: usize = 32;
const MAX_TEXT_BYTES: usize = 1_024;

/// Looks names up through the guard.
#[derive(Clone, Debug)]
pub struct Resolver {
    inner: Hickory<Sockets>,
    /// Without a cache.
    uncached: Hickory<Sockets>,
    /// Without a cache and without EDNS, which some name servers refuse or ignore (RFC 6891 section
    /// 7).
    without_edns: Hickory<Sockets>,
    sockets: Sockets,
    guard: Arc<Guard>,
    slots: Arc<Semaphore>,
}

/// Errors from setting up the resolver.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolverError {
    /// The system's own configuration is unreadable.
    #[error("cannot read the system's name servers; give one with --nameserver ADDRESS:PORT")]
    System(#[source] NetError),
    /// The resolver does not start.
    #[error("cannot start the resolver")]
    Start(#[source] NetError),
}

impl Resolver {
    /// Creates a resolver that queries these name servers, or the system's if there are none.
    pub fn new(nameservers: &[SocketAddr], guard: Arc<Guard>) -> Result<Self, ResolverError> {
        let sockets = Sockets::default();
        let build = |is_cached: bool, has_edns: bool| {
            let provider = sockets.clone();
            let mut builder = if nameservers.is_empty() {
                Hickory::builder(provider).map_err(ResolverError::System)?
            } else {
                let servers = nameservers.iter().map(name_server).collect();
                let config = ResolverConfig::from_parts(None, Vec::new(), servers);
                Hickory::builder_with_config(config, provider)
            };
            set_options(builder.options_mut());
            if !is_cached {
                builder.options_mut().cache_size = 0;
            }
            builder.options_mut().edns0 = has_edns;
            builder.build().map_err(ResolverError::Start)
        };
        Ok(Self {
            inner: build(true, true)?,
            uncached: build(false, true)?,
            without_edns: build(false, false)?,
            sockets,
            guard,
            slots: Arc::new(Semaphore::new(CONCURRENT_LOOKUPS)),
        })
    }

    /// Returns the address to connect to for `host`: one per name, IPv4 if there is one (P30).
    pub async fn address(&self, host: &str) -> Result<IpAddr, FetchError> {
        let _slot = self.slots.acquire().await;
        match tokio::time::timeout(DEADLINE, self.lookup(host)).await {
            Ok(answer) => answer,
            Err(_) => Err(FetchError::Dns(DnsFailure::Timeout)),
        }
    }

    /// Returns the TXT records of a name; the strings of one record are one text.
    pub async fn texts(&self, name: &str) -> Result<Vec<String>, FetchError> {
        let _slot = self.slots.acquire().await;
        let lookup = self.ask(&self.uncached, name, RecordType::TXT);
        let lookup = match tokio::time::timeout(DEADLINE, lookup).await {
            Ok(Ok(lookup)) => lookup,
            Ok(Err(error)) => return Err(FetchError::Dns(failure(&error))),
            Err(_) => return Err(FetchError::Dns(DnsFailure::Timeout)),
        };
        let texts = lookup.answers().iter().filter_map(|record| {
            let RData::TXT(text) = &record.data else {
                return None;
            };
            let bytes = text.txt_data.iter().flat_map(|it| it.iter().copied());
            let bytes: Vec<u8> = bytes.take(MAX_TEXT_BYTES).collect();
            Some(String::from_utf8_lossy(&bytes).into_owned())
        });
        Ok(texts.take(MAX_TEXTS).collect())
    }

    async fn lookup(&self, host: &str) -> Result<IpAddr, FetchError> {
        for record_type in [RecordType::A, RecordType::AAAA] {
            match self.records(host, record_type).await {
                Ok(addresses) => {
                    if let Some(first) = addresses.first() {
                        self.guard
                            .check_all(&addresses)
                            .map_err(FetchError::Blocked)?;
                        if !self.guard.is_opened(*first) && local_address::has(*first)? {
                            return Err(FetchError::Blocked(Refusal::OwnAddress(*first)));
                        }
                        return Ok(*first);
                    }
                }
                Err(FetchError::Dns(DnsFailure::NoAddress)) => {}
                Err(other) => return Err(other),
            }
        }
        Err(FetchError::Dns(DnsFailure::NoAddress))
    }

    /// Looks a name up, and once more without EDNS if that fails or takes long; the first answer
    /// counts.
    async fn ask(
        &self,
        resolver: &Hickory<Sockets>,
        name: &str,
        record_type: RecordType,
    ) -> Result<Lookup, NetError> {
        // The final dot disables search lists. The name is in A-labels, and may have underscores.
        let name = Name::from_ascii(format!("{}.", name.trim_end_matches('.')))?;
        let mut first = pin!(resolver.lookup(name.clone(), record_type));
        let again = self.without_edns.lookup(name, record_type);
        match tokio::time::timeout(PATIENCE, &mut first).await {
            Ok(result) if is_answer(&result) => return result,
            Ok(_) => return again.await,
            Err(_) => {}
        }
        let mut again = pin!(again);
        tokio::select! {
            result = &mut first => if is_answer(&result) { result } else { again.await },
            result = &mut again => if is_answer(&result) { result } else { first.await },
        }
    }

    async fn records(
        &self,
        host: &str,
        record_type: RecordType,
    ) -> Result<Vec<IpAddr>, FetchError> {
        let shortages = self.sockets.shortages();
        let lookup = self.ask(&self.inner, host, record_type).await;
        let lookup = lookup.map_err(|error| match error {
            NetError::NoConnections | NetError::Io(_) if self.sockets.shortages() > shortages => {
                FetchError::Exhausted
            }
            error => FetchError::Dns(failure(&error)),
        })?;
        let is_alias = |record: &&Record| matches!(record.data, RData::CNAME(_));
        if lookup.answers().iter().filter(is_alias).count() > MAX_ALIASES {
            return Err(FetchError::Dns(DnsFailure::Failed));
        }
        Ok(lookup
            .answers()
            .iter()
            .filter_map(|record| match &record.data {
                RData::A(address) => Some(IpAddr::V4(address.0)),
                RData::AAAA(address) => Some(IpAddr::V6(address.0)),
                _ => None,
            })
            .collect())
    }
}

fn name_server(address: &SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    server
}

fn set_options(options: &mut ResolverOpts) {
    options.ndots = 0;
    // The number of aliases is checked.
    options.preserve_intermediates = true;
    options.attempts = 0;
    options.timeout = DEADLINE;
    options.use_hosts_file = ResolveHosts::Never;
    options.cache_size = 8_192;
    options.max_active_requests = 4 * CONCURRENT_LOOKUPS;
    options.positive_min_ttl = Some(Duration::from_mins(1));
    options.positive_max_ttl = Some(Duration::from_hours(24));
    options.negative_max_ttl = Some(Duration::from_hours(1));
}

/// Reports whether a name server said whether the records exist.
fn is_answer(result: &Result<Lookup, NetError>) -> bool {
    match result {
        Ok(_) => true,
        Err(NetError::Dns(DnsError::NoRecordsFound(records))) => matches!(
            records.response_code,
            ResponseCode::NoError | ResponseCode::NXDomain
        ),
        Err(_) => false,
    }
}

fn failure(error: &NetError) -> DnsFailure {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(records)) => match records.response_code {
            ResponseCode::NXDomain => DnsFailure::NxDomain,
            ResponseCode::NoError => DnsFailure::NoAddress,
            ResponseCode::ServFail => DnsFailure::ServFail,
            ResponseCode::Refused => DnsFailure::Refused,
            _ => DnsFailure::Failed,
        },
        NetError::Dns(DnsError::ResponseCode(ResponseCode::ServFail)) => DnsFailure::ServFail,
        NetError::Dns(DnsError::ResponseCode(ResponseCode::Refused)) => DnsFailure::Refused,
        NetError::Timeout => DnsFailure::Timeout,
        _ => DnsFailure::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A changed default of the library must not make memory grow with the seed list.
    #[test]
    fn cache_and_concurrent_queries_are_bounded() {
        let mut options = ResolverOpts::default();
        set_options(&mut options);
        assert_eq!(options.cache_size, 8_192);
        assert_eq!(options.max_active_requests, 256);
        assert_eq!(options.positive_max_ttl, Some(Duration::from_hours(24)));
        assert_eq!(options.negative_max_ttl, Some(Duration::from_hours(1)));
    }

    /// Starts a name server that ignores the first `lost` queries for each name; names that begin
    /// with `no` do not exist.
    async fn forgetful_server(lost: usize) -> SocketAddr {
        use hickory_resolver::proto::op::{Message, MessageType};
        use hickory_resolver::proto::rr::rdata::A;
        use std::collections::HashMap;

        let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        tokio::spawn(async move {
            let mut asked: HashMap<String, usize> = HashMap::new();
            let mut buffer = [0; 512];
            loop {
                let (length, client) = socket.recv_from(&mut buffer).await.unwrap();
                let mut message = Message::from_vec(&buffer[..length]).unwrap();
                let name = message.queries[0].name().clone();
                message.metadata.message_type = MessageType::Response;
                if name.to_ascii().starts_with("no") {
                    message.metadata.response_code = ResponseCode::NXDomain;
                } else {
                    let count = asked.entry(name.to_ascii()).or_default();
                    *count += 1;
                    if *count <= lost {
                        continue;
                    }
                    let data = RData::A(A::new(8, 8, 8, 8));
                    message.add_answer(Record::from_rdata(name, 60, data));
                }
                let answer = message.to_vec().unwrap();
                socket.send_to(&answer, client).await.unwrap();
            }
        });
        address
    }

    /// Faults of a name server.
    #[derive(Clone, Copy, Debug)]
    enum Fault {
        /// Each answer takes two seconds.
        Slow,
        /// A query with EDNS is answered with FORMERR and its question.
        FormErr,
        /// The same without the question.
        BareFormErr,
        /// A query with EDNS is not answered.
        SilentToEdns,
    }

    async fn faulty_server(fault: Fault) -> SocketAddr {
        use hickory_resolver::proto::op::{Message, MessageType};
        use hickory_resolver::proto::rr::rdata::{A, TXT};

        let socket = Arc::new(tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let address = socket.local_addr().unwrap();
        tokio::spawn(async move {
            let mut buffer = [0; 512];
            loop {
                let (length, client) = socket.recv_from(&mut buffer).await.unwrap();
                let mut message = Message::from_vec(&buffer[..length]).unwrap();
                message.metadata.message_type = MessageType::Response;
                let has_edns = message.edns.take().is_some();
                let name = message.queries[0].name().clone();
                match fault {
                    Fault::SilentToEdns if has_edns => continue,
                    Fault::FormErr | Fault::BareFormErr if has_edns => {
                        message.metadata.response_code = ResponseCode::FormErr;
                        if matches!(fault, Fault::BareFormErr) {
                            message.queries.clear();
                        }
                    }
                    _ => {
                        let data = match message.queries[0].query_type() {
                            RecordType::TXT => RData::TXT(TXT::new(vec!["token".to_owned()])),
                            _ => RData::A(A::new(8, 8, 8, 8)),
                        };
                        message.add_answer(Record::from_rdata(name, 60, data));
                    }
                }
                let (answer, socket) = (message.to_vec().unwrap(), Arc::clone(&socket));
                tokio::spawn(async move {
                    if matches!(fault, Fault::Slow) {
                        tokio::time::sleep(Duration::from_secs(2)).await;
                    }
                    socket.send_to(&answer, client).await.unwrap();
                });
            }
        });
        address
    }

    /// P43: a name server has five seconds, and need not know EDNS (RFC 6891 section 7).
    #[tokio::test]
    async fn p43_slow_name_servers_and_those_without_edns_are_understood() {
        for fault in [
            Fault::Slow,
            Fault::FormErr,
            Fault::BareFormErr,
            Fault::SilentToEdns,
        ] {
            let server = faulty_server(fault).await;
            let resolver = Resolver::new(&[server], Arc::new(Guard::new(Vec::new()))).unwrap();
            let address = resolver.address("my_desk.example.com").await;
            assert_eq!(address, Ok(IpAddr::from([8, 8, 8, 8])), "{fault:?}");
            let texts = resolver.texts("_agents.example.com").await;
            assert_eq!(texts, Ok(vec!["token".to_owned()]), "{fault:?}");
        }
    }

    /// The library repeats a query by itself, but more rarely the more names did not exist.
    #[tokio::test]
    async fn a_query_without_an_answer_is_repeated() {
        let server = forgetful_server(2).await;
        let resolver = Resolver::new(&[server], Arc::new(Guard::new(Vec::new()))).unwrap();
        for number in 0..60 {
            let name = format!("no{number}.example.com");
            let answer = resolver.address(&name).await;
            assert_eq!(answer, Err(FetchError::Dns(DnsFailure::NxDomain)));
        }
        let answers = (0..20).map(|number| {
            let resolver = resolver.clone();
            tokio::spawn(async move { resolver.address(&format!("h{number}.example.com")).await })
        });
        for answer in answers.collect::<Vec<_>>() {
            assert_eq!(answer.await.unwrap(), Ok(IpAddr::from([8, 8, 8, 8])));
        }
    }
}
