//! The limits of what a client may take: connections, and time.

use crate::server::client::Client;
use ipnet::IpNet;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::net::IpAddr;
use std::time::Duration;

/// Files beside the connections: the database and its readers, the index, standard streams, the runtime, and the
/// connection that waits for another to give way. An idle registry has 15 open.
const BESIDE: usize = 64;
/// With fewer connections a single browser, which opens six, and a crawler would be in each other's way.
const FEWEST: usize = 16;
/// More connections buy nothing: the longest idle one gives way to a new one, and the processors are busy with far
/// fewer requests. Each may hold its head in memory (128 KiB), all of them 256 MiB.
const MOST: usize = 2048;
/// Browsers of about twenty people behind one address, six connections each.
const PER_CLIENT: usize = 128;

/// The process may have too few files open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "only {0} files may be open at the same time: raise the limit to {least} or more, as with `ulimit -n 1024`",
    least = BESIDE + FEWEST
)]
pub struct TooFewFiles(u64);

/// The limits of what a client may take.
///
/// Each limit in time is for what the *client* has to do. While the client waits for the server, as it does between
/// two events of an event stream, none of them runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time. When all are taken, the one that has waited longest for its client gives way.
    pub connections: usize,
    /// Connections of one address at the same time, an IPv6 network of /64 being one. When all are taken, the one of
    /// them that has waited longest for its client gives way, and a new one is refused only when all are at work.
    pub per_client: usize,
    /// Networks whose addresses stand for many clients, so that `per_client` is not for them.
    pub proxies: Vec<IpNet>,
    /// From the connection to its first byte.
    pub first_byte: Duration,
    /// From the first byte of a request to the end of its head.
    pub head: Duration,
    /// From the end of a request's head to the end of its body.
    pub body: Duration,
    /// From the end of an answer to the first byte of the next request.
    pub idle: Duration,
    /// For the client to take more of an answer, or send more of a body.
    pub stall: Duration,
}

impl Limits {
    /// Returns the limits of a server that may have so many files open; `None` when there is no limit to that.
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
            // Four addresses, and not one, can take all there is.
            per_client: PER_CLIENT.min(connections / 4),
            proxies: Vec::new(),
            // A client says something within a round trip or two, unless a browser opened it in advance.
            first_byte: Duration::from_secs(10),
            // The longest address takes that at 64 kbit/s.
            head: Duration::from_secs(10),
            // Before the deadline of the answer, so that the client hears of its body and not of our slowness.
            body: Duration::from_secs(8),
            // Long enough for a person who reads a page and goes on, and for the pool of a proxy.
            idle: Duration::from_mins(1),
            // A line that moves nothing for so long is dead.
            stall: Duration::from_secs(30),
        })
    }

    /// Returns true where connections of `address` are not counted together: it is a proxy, or this machine.
    pub(super) fn stands_for_many(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_loopback() || self.proxies.iter().any(|it| it.contains(&address))
    }

    /// Returns the client whose connections are counted together with those of `address`, if any are.
    pub(super) fn client(&self, address: IpAddr) -> Option<Client> {
        (!self.stands_for_many(address)).then(|| Client::of(address))
    }
}

/// Raises the soft limit of open files to the hard one; returns the limit from then on, `None` when there is none.
///
/// A system that refuses leaves the limit where it is.
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
    fn connections_are_what_the_rest_leaves() {
        let connections = |files| Limits::within(files).map(|it| (it.connections, it.per_client));
        assert_eq!(connections(None), Ok((2048, 128)));
        assert_eq!(connections(Some(1 << 20)), Ok((2048, 128)));
        assert_eq!(connections(Some(1024)), Ok((960, 128)));
        assert_eq!(connections(Some(300)), Ok((236, 59)));
        assert_eq!(connections(Some(80)), Ok((16, 4)));
        assert_eq!(connections(Some(79)), Err(TooFewFiles(79)));
        let told = TooFewFiles(79).to_string();
        assert!(told.contains("raise the limit to 80 or more"), "{told}");
    }

    #[test]
    fn addresses_of_proxies_and_of_this_machine_are_not_counted_together() {
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
