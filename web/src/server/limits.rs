//! Limits for clients: connections and time.

use crate::client::Client;
use ipnet::IpNet;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::net::IpAddr;
use std::time::Duration;

/// Files reserved for other uses: the database and its readers, the index, standard streams, the
/// runtime, and a new connection that waits for another to close. An idle registry has 15 open.
const BESIDE: usize = 64;
/// Fewest connections. With fewer, one browser, which opens six, and one crawler would compete.
const FEWEST: usize = 16;
/// Most connections. More have no benefit: the longest idle one is closed for a new one, and far
/// fewer requests keep the processors busy. Each may buffer a head of 128 KiB, all of them 256 MiB.
const MOST: usize = 2048;
/// Most connections of a client: about twenty browsers behind one address, six connections each.
const PER_CLIENT: usize = 128;

/// Too low a limit of open files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "only {0} files may be open at the same time: raise the limit to {least} or more, as with `ulimit -n 1024`",
    least = BESIDE + FEWEST
)]
pub struct TooFewFiles(u64);

/// Limits for clients.
///
/// Time limits apply only while the *client* has to act, and not while it waits for the server, as
/// it does between two events of an event stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time. When all are taken, the one whose client has been inactive
    /// longest is closed for a new one.
    pub connections: usize,
    /// Connections of one client at the same time: an IPv4 address or an IPv6 network of /64. When
    /// all are taken, the one whose client has been inactive longest is closed; a new one is
    /// refused
    /// only when all are busy.
    pub per_client: usize,
    /// Networks of proxies, to which `per_client` does not apply.
    pub proxies: Vec<IpNet>,
    /// Time from the connection to its first byte.
    pub first_byte: Duration,
    /// Time from the first byte of a request to the end of its head.
    pub head: Duration,
    /// Time from the end of a request's head to the end of its body.
    pub body: Duration,
    /// Time from the end of a response to the first byte of the next request.
    pub idle: Duration,
    /// Time for the client to read more of a response, or send more of a body, and the period in which
    /// it must read at least a kilobyte a second.
    pub stall: Duration,
}

impl Limits {
    /// Returns the limits of a server that may have `files` open files; `None` is unlimited.
    pub fn within(files: Option<u64>) -> Result<Self, TooFewFiles> {
        let connections = match files {
            None => MOST,
            Some(files) => {
                let room = usize::try_from(files).unwrap_or(usize::MAX);
                let room = room.saturating_sub(BESIDE);
                if room < FEWEST {
                    return Err(TooFewFiles(files));
                }
                room.min(MOST)
            }
        };
        Ok(Self {
            connections,
            // It takes at least four addresses to use all connections.
            per_client: PER_CLIENT.min(connections / 4),
            proxies: Vec::new(),
            // Clients send within a round trip or two, unless a browser opened the connection in
            // advance.
            first_byte: Duration::from_secs(10),
            // The longest address takes this long at 64 kbit/s.
            head: Duration::from_secs(10),
            // Shorter than the deadline of the response, so that the error names the late body.
            body: Duration::from_secs(8),
            // Long enough for a person between two pages, and for the connection pool of a proxy.
            idle: Duration::from_mins(1),
            // A connection without progress for this long is dead.
            stall: Duration::from_secs(30),
        })
    }

    /// Reports whether `address` is exempt from `per_client`: a proxy, or this machine.
    pub(super) fn stands_for_many(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_loopback() || self.proxies.iter().any(|it| it.contains(&address))
    }

    /// Returns the client that `address` counts towards, unless it is exempt.
    pub(super) fn client(&self, address: IpAddr) -> Option<Client> {
        (!self.stands_for_many(address)).then(|| Client::of(address))
    }
}

/// Raises the soft limit of open files to the hard one, and returns the new limit; `None` is
/// unlimited.
///
/// If the system refuses, the limit stays as it is.
pub fn raise_file_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let mut raised = limit;
    raised.current = limit.maximum;
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => raised.current,
        Err(_) => limit.current,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_limited_by_open_files() {
        let connections = |files| Limits::within(files).map(|it| (it.connections, it.per_client));
        assert_eq!(connections(None), Ok((2048, 128)));
        assert_eq!(connections(Some(1 << 20)), Ok((2048, 128)));
        assert_eq!(connections(Some(1024)), Ok((960, 128)));
        assert_eq!(connections(Some(300)), Ok((236, 59)));
        assert_eq!(connections(Some(80)), Ok((16, 4)));
        assert_eq!(connections(Some(79)), Err(TooFewFiles(79)));
        let message = TooFewFiles(79).to_string();
        assert!(
            message.contains("raise the limit to 80 or more"),
            "{message}"
        );
    }

    #[test]
    fn proxies_and_this_machine_are_exempt_from_the_limit_per_client() {
        let mut limits = Limits::within(None).unwrap();
        limits.proxies = vec!["10.1.0.0/16".parse().unwrap()];
        let is_counted = |address: &str| limits.client(address.parse().unwrap()).is_some();
        assert!(!is_counted("127.0.0.1"));
        assert!(!is_counted("::1"));
        assert!(!is_counted("::ffff:127.0.0.1"));
        assert!(!is_counted("10.1.2.3"));
        assert!(!is_counted("::ffff:10.1.2.3"));
        assert!(is_counted("10.2.2.3"));
        assert!(is_counted("2001:db8::1"));
    }
}
