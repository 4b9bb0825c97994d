//! Parsers of values that are addresses or files.

use super::error::ConfigError;
use crate::rate_limit;
use ipnet::IpNet;
use manifest::public_address::has_public;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

/// Parses an address with an optional port.
pub(super) fn nameserver(text: &str) -> Result<SocketAddr, String> {
    let with_port = text.parse();
    let address: SocketAddr = with_port
        .or_else(|_| {
            text.parse()
                .map(|address: IpAddr| SocketAddr::new(address, 53))
        })
        .map_err(|_| "give an IP address, such as 192.0.2.53 or 127.0.0.1:5300".to_owned())?;
    match address.port() {
        0 => {
            Err("no server can listen on port 0: give another port, or none for port 53".to_owned())
        }
        _ => Ok(address),
    }
}

/// Parses a range of own addresses; very wide ranges of public addresses are refused.
pub(super) fn own_addresses(text: &str) -> Result<IpNet, String> {
    let range: IpNet = text.parse().map_err(|_| {
        "give a range of addresses, such as 127.0.0.0/8, 192.168.0.0/16 or fd00::/8".to_owned()
    })?;
    let least = match range {
        IpNet::V4(_) => 8,
        IpNet::V6(_) => 32,
    };
    if range.prefix_len() < least && has_public(&range) {
        return Err(format!(
            "it covers public addresses of others, without rate limits and protection: name your \
             own hosts, with a prefix of /{least} or longer"
        ));
    }
    Ok(range)
}

/// Parses a list of address ranges.
pub(super) fn shared_addresses(path: &Path) -> Result<Vec<rate_limit::Edge>, ConfigError> {
    let fail = ConfigError::of_file("use --shared-addresses", path);
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    rate_limit::edges(&text).map_err(fail)
}

/// Checks that a seed list exists, without opening it, because a pipe can be read only once.
pub(super) fn seed_list(path: &Path) -> Result<(), ConfigError> {
    let fail = ConfigError::of_file("read --seeds", path);
    if path == Path::new("-") {
        return Ok(());
    }
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => Err(fail("it is a directory".to_owned())),
        Ok(_) => Ok(()),
        Err(error) => Err(fail(error.to_string())),
    }
}

/// Reads certificate authorities.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let fail = ConfigError::of_file("read certificates from --root-ca", path);
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| fail(error.to_string()))?;
    if certificates.is_empty() {
        Err(fail("it has no PEM certificate".to_owned()))
    } else {
        Ok(certificates)
    }
}
