//! Detection of this machine's own addresses, so that no site can make the crawler send requests to
//! its own machine.
//!
//! Private addresses are refused by [`super::address`] already, but the public address of a server
//! looks like any other.

use crate::descriptors;
use crate::fetch::FetchError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// An IPv4 address for documentation, which no machine has.
const FOREIGN_V4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const FOREIGN_V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));

/// Reports whether an interface of this machine currently has the address; sends nothing.
///
/// Normally only an own address can be bound. On a system where any address can be bound, the test
/// proves nothing and the result is false. Without a socket for the test, the result is an error.
pub(crate) fn has(address: IpAddr) -> Result<bool, FetchError> {
    let can_bind = |address: IpAddr| match UdpSocket::bind((address, 0)) {
        Ok(_) => Ok(true),
        Err(error) if descriptors::is_exhausted(&error) => Err(FetchError::Exhausted),
        Err(_) => Ok(false),
    };
    let foreign = match address {
        IpAddr::V4(_) => FOREIGN_V4,
        IpAddr::V6(_) => FOREIGN_V6,
    };
    Ok(can_bind(address)? && !can_bind(foreign)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_own_and_an_address_for_documentation_is_not() {
        assert!(has(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap());
        assert!(!has(FOREIGN_V4).unwrap());
        assert!(!has(FOREIGN_V6).unwrap());
        assert!(!has(IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9))).unwrap());
    }
}
