//! Keys of machines, networks and shared edges.

use ipnet::IpNet;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Machine: an IPv4 address, or the /64 of an IPv6 address, because one machine has many of these
/// (P19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IpKey(IpAddr);

/// Network of a machine: a /24, or a /48 of IPv6 (P20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetworkKey(IpAddr);

impl IpKey {
    /// Returns the machine behind an address.
    pub fn of(address: IpAddr) -> Self {
        Self(masked(address, 32, 64))
    }

    /// Returns the first address of the machine, under which it is stored.
    pub fn address(self) -> IpAddr {
        self.0
    }

    /// Returns the index of the machine in its network.
    pub(super) fn place(self) -> u16 {
        match self.0 {
            IpAddr::V4(address) => address.octets()[3].into(),
            IpAddr::V6(address) => address.segments()[3],
        }
    }

    /// Returns its network.
    pub fn network(self) -> NetworkKey {
        NetworkKey(masked(self.0, 24, 48))
    }
}

impl NetworkKey {
    /// Returns the first address of the network.
    pub fn address(self) -> IpAddr {
        self.0
    }
}

fn masked(address: IpAddr, bits: u32, bits_of_6: u32) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            Ipv4Addr::from_bits(address.to_bits() & (u32::MAX << (32 - bits))).into()
        }
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - bits_of_6))).into()
        }
    }
}

/// Address range of a content delivery network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The addresses.
    pub range: IpNet,
    /// Number of the network, from 0; its ranges share it.
    pub group: usize,
}

/// Parses a list of shared edges: one range per line, followed by the name of its network; `#`
/// starts a comment. The error names the line and the fault.
pub fn edges(text: &str) -> Result<Vec<Edge>, String> {
    let mut groups: HashMap<&str, usize> = HashMap::new();
    let mut edges = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(range) = words.next() else {
            continue;
        };
        let range = range
            .parse()
            .map_err(|_| format!("line {number}: '{range}' is no range such as 192.0.2.0/24"))?;
        let next = groups.len();
        let group = *groups.entry(words.next().unwrap_or(line)).or_insert(next);
        edges.push(Edge { range, group });
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_network_of_64_counts_as_one_machine() {
        let key = |text: &str| IpKey::of(text.parse().unwrap());
        assert_eq!(key("2a00:1:2:3::1"), key("2a00:1:2:3:ffff::9"));
        assert_ne!(key("2a00:1:2:3::1"), key("2a00:1:2:4::1"));
        assert_eq!(
            key("2a00:1:2:3::1").network(),
            key("2a00:1:2:4::1").network()
        );
        assert_ne!(key("8.8.8.8"), key("8.8.8.9"));
        assert_eq!(key("8.8.8.8").network(), key("8.8.8.9").network());
        assert_ne!(key("8.8.8.8").network(), key("8.8.9.8").network());
    }

    #[test]
    fn edges_are_read_line_by_line() {
        let edges = edges("# ours\n192.0.2.0/24 one\n\n2001:db8::/32 one # v6\n198.51.100.0/24\n");
        let groups: Vec<_> = edges.unwrap().iter().map(|edge| edge.group).collect();
        assert_eq!(groups, [0, 0, 1]);
        let error = super::edges("192.0.2.0/24\n192.0.2.300/24 x").unwrap_err();
        assert!(error.starts_with("line 2: '192.0.2.300/24'"), "{error}");
    }
}
