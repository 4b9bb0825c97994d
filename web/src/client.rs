//! Clients: an IPv4 address, or an IPv6 network of /64, the smallest that a subscriber gets. Networks of
//! clients: /24 of IPv4 and /48 of IPv6, the smallest that are routed, of which one visitor may have all
//! addresses.

use axum::http::HeaderMap;
use ipnet::IpNet;
use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Header in which each proxy appends the address of its client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// Address at the other end of a connection, as an extension of each of its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    /// Returns the address that a request comes from: the peer, or if that is one of `proxies`, the
    /// last address in the headers that is not.
    ///
    /// Each proxy appends the address it was asked from, so only the entries right of the first
    /// unknown address are to be believed.
    pub(crate) fn visitor(self, headers: &HeaderMap, proxies: &[IpNet]) -> IpAddr {
        let is_proxy = |it: &IpAddr| {
            let address = it.to_canonical();
            proxies.iter().any(|network| network.contains(&address))
        };
        let mut visitor = self.0;
        let values = headers.get_all(FORWARDED_FOR).iter().rev();
        let mut entries = values.flat_map(|value| value.as_bytes().rsplit(|it| *it == b','));
        while is_proxy(&visitor) {
            let Some(address) = entries.next().and_then(address) else {
                break;
            };
            visitor = address;
        }
        visitor
    }

    /// Reports whether a request comes from a program on this machine that names its client, but is none
    /// of `proxies`: a reverse proxy whose visitors would all be one client.
    pub(crate) fn is_unnamed_proxy(self, headers: &HeaderMap, proxies: &[IpNet]) -> bool {
        let peer = self.0.to_canonical();
        peer.is_loopback()
            && headers.contains_key(FORWARDED_FOR)
            && !proxies.iter().any(|network| network.contains(&peer))
    }
}

/// Parses an entry of the header, which may have a port.
fn address(entry: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(entry).ok()?.trim();
    let with_port = || text.parse().ok().map(|it: SocketAddr| it.ip());
    text.parse().ok().or_else(with_port)
}

/// Address or network whose connections count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Client(IpAddr);

impl std::fmt::Display for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Client {
    /// Returns the client that `address` belongs to.
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() >> 64 << 64;
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            address @ IpAddr::V4(_) => address,
        })
    }

    /// Returns the network that it belongs to.
    pub(crate) fn network(self) -> Network {
        Network(match self.0 {
            IpAddr::V4(address) => IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() >> 8 << 8)),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 80 << 80)),
        })
    }
}

/// Network whose clients share what is limited by network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Network(IpAddr);

impl std::fmt::Display for Network {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Request that is being answered.
struct CurrentRequest {
    client: Client,
    is_admitted: Cell<bool>,
}

tokio::task_local! {
    static CURRENT: CurrentRequest;
}

/// Runs the work of a request on behalf of its client; within the work of another request, on behalf of
/// that one's.
pub(crate) async fn scope<T>(client: Option<Client>, work: impl Future<Output = T>) -> T {
    match client.filter(|_| current().is_none()) {
        Some(client) => {
            let is_admitted = Cell::new(false);
            CURRENT
                .scope(
                    CurrentRequest {
                        client,
                        is_admitted,
                    },
                    work,
                )
                .await
        }
        None => work.await,
    }
}

/// Returns the client of the request that is being answered; `None` if there is none, or no socket.
pub(crate) fn current() -> Option<Client> {
    CURRENT.try_with(|it| it.client).ok()
}

/// Admits the request that is being answered to something costly, once: a request that was admitted is
/// not refused halfway.
pub(crate) fn admit<E>(check: impl FnOnce(Client) -> Result<(), E>) -> Result<(), E> {
    let admitted = CURRENT.try_with(|it| {
        if !it.is_admitted.get() {
            check(it.client)?;
            it.is_admitted.set(true);
        }
        Ok(())
    });
    // Without a client there is nothing to check.
    admitted.unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_network_of_64_bits_is_one_client() {
        let client = |text: &str| Client::of(text.parse().unwrap());
        assert_eq!(client("2001:db8:0:1::1"), client("2001:db8:0:1:ffff::2"));
        assert_ne!(client("2001:db8:0:1::1"), client("2001:db8:0:2::1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
    }

    #[test]
    fn a_network_has_24_bits_of_ipv4_and_48_of_ipv6() {
        let network = |text: &str| Client::of(text.parse().unwrap()).network().to_string();
        assert_eq!(network("192.0.2.200"), "192.0.2.0");
        assert_eq!(network("2001:db8:0:ffff::1"), "2001:db8::");
        assert_eq!(network("2001:db8:1:1::1"), "2001:db8:1::");
    }

    #[tokio::test]
    async fn a_request_is_admitted_once_and_on_behalf_of_its_client() {
        let client = |text: &str| Client::of(text.parse().unwrap());
        let (own, other) = (client("192.0.2.1"), client("192.0.2.2"));
        assert_eq!((current(), admit(Err)), (None, Ok(())));
        scope(Some(own), async {
            assert_eq!((current(), admit(Err)), (Some(own), Err(own)));
            assert_eq!(admit(|_| Ok::<_, Client>(())), Ok(()));
            assert_eq!(admit(Err), Ok(()));
            // A call of another protocol, which asks the API.
            scope(Some(other), async { assert_eq!(current(), Some(own)) }).await;
        })
        .await;
    }

    fn visitor(peer: &str, headers: &[&'static str]) -> String {
        let proxies = ["127.0.0.1/32", "10.0.0.0/8"].map(|it| it.parse().unwrap());
        let headers = headers.iter().map(|value| {
            let value = axum::http::HeaderValue::from_static(value);
            (FORWARDED_FOR.parse().unwrap(), value)
        });
        let headers: HeaderMap = headers.collect();
        let peer = Peer(peer.parse().unwrap());
        peer.visitor(&headers, &proxies).to_string()
    }

    #[test]
    fn forwarded_headers_count_only_from_proxies_and_from_the_right() {
        assert_eq!(visitor("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(visitor("10.0.0.1", &["198.51.100.7"]), "198.51.100.7");
        // The client itself made up the first entry.
        let forged = "203.0.113.9, 198.51.100.7, 10.0.0.2";
        assert_eq!(visitor("10.0.0.1", &[forged]), "198.51.100.7");
        let two_headers = ["203.0.113.9", "198.51.100.7:4711"];
        assert_eq!(visitor("127.0.0.1", &two_headers), "198.51.100.7");
        assert_eq!(visitor("10.0.0.1", &["[2001:db8::1]:80"]), "2001:db8::1");
        assert_eq!(visitor("::ffff:10.0.0.1", &["192.0.2.3"]), "192.0.2.3");
    }

    #[test]
    fn only_a_proxy_on_this_machine_can_be_unnamed() {
        let is_unnamed = |peer: &str, proxies: &[&str]| {
            let proxies: Vec<IpNet> = proxies.iter().map(|it| it.parse().unwrap()).collect();
            let value = axum::http::HeaderValue::from_static("198.51.100.7");
            let headers = HeaderMap::from_iter([(FORWARDED_FOR.parse().unwrap(), value)]);
            let peer = Peer(peer.parse().unwrap());
            assert!(!peer.is_unnamed_proxy(&HeaderMap::new(), &proxies));
            peer.is_unnamed_proxy(&headers, &proxies)
        };
        assert!(is_unnamed("127.0.0.1", &[]));
        assert!(is_unnamed("::1", &["127.0.0.1/32"]));
        assert!(is_unnamed("::ffff:127.0.0.1", &["10.0.0.0/8"]));
        assert!(!is_unnamed("127.0.0.1", &["127.0.0.1/32"]));
        assert!(!is_unnamed("192.0.2.1", &[]));
    }

    #[test]
    fn an_entry_that_is_no_address_ends_the_walk() {
        assert_eq!(visitor("10.0.0.1", &["192.0.2.3, unknown"]), "10.0.0.1");
        assert_eq!(visitor("10.0.0.1", &[""]), "10.0.0.1");
        assert_eq!(visitor("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(visitor("10.0.0.1", &["10.0.0.2"]), "10.0.0.2");
    }
}
