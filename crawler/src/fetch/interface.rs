//! Whether an address is one of this machine's own: nobody may have us ask ourselves.
//!
//! Private ones are refused by [`super::address`] already; a server's public address looks like any other.

use crate::descriptors;
use crate::fetch::FetchError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Addresses for documentation, which no machine has.
const NOBODYS_V4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const NOBODYS_V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));

/// True when an interface of this machine has the address now; sends nothing.
///
/// Only one's own address can be bound. Where the system lets anybody bind anything, that says nothing, and
/// the answer is no. Without a socket to try it with there is no answer.
pub(crate) fn has(address: IpAddr) -> Result<bool, FetchError> {
    let can_bind = |address: IpAddr| match UdpSocket::bind((address, 0)) {
        Ok(_) => Ok(true),
        Err(error) if descriptors::is_exhausted(&error) => Err(FetchError::Exhausted),
        Err(_) => Ok(false),
    };
    let nobodys = match address {
        IpAddr::V4(_) => NOBODYS_V4,
        IpAddr::V6(_) => NOBODYS_V6,
    };
    Ok(can_bind(address)? && !can_bind(nobodys)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_ours_and_an_address_for_documentation_is_not() {
        assert!(has(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap());
        assert!(!has(NOBODYS_V4).unwrap());
        assert!(!has(NOBODYS_V6).unwrap());
        assert!(!has(IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9))).unwrap());
    }
}
