//! Values that are addresses, or files.

use super::ConfigError;
use crate::fetch::address::has_public;
use crate::pace;
use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

/// Reads an address with a port, or a port of this machine alone.
pub(super) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let loopback = |port| SocketAddr::from(([127, 0, 0, 1], port));
    text.parse()
        .or_else(|_| text.parse().map(loopback))
        .map_err(|_| "give a port, or an address with one, such as 127.0.0.1:9091".to_owned())
}

/// Reads an address with or without a port.
pub(super) fn nameserver(text: &str) -> Result<SocketAddr, String> {
    let with_port = text.parse();
    let address: SocketAddr = with_port
        .or_else(|_| {
            text.parse()
                .map(|address: IpAddr| SocketAddr::new(address, 53))
        })
        .map_err(|_| "give an IP address, such as 192.0.2.53 or 127.0.0.1:5300".to_owned())?;
    match address.port() {
        0 => Err("nobody listens on port 0: give another, or none for port 53".to_owned()),
        _ => Ok(address),
    }
}

/// Reads a range of addresses that are one's own: so wide a range of public ones is nobody's.
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
            "it covers public addresses of others, for which neither pace nor protection would hold: name your \
             own hosts, with a prefix of /{least} or longer"
        ));
    }
    Ok(range)
}

/// Reads a list of address ranges.
pub(super) fn shared_addresses(path: &Path) -> Result<Vec<pace::Edge>, ConfigError> {
    let fail = |reason: String| ConfigError::SharedAddresses {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    pace::edges(&text).map_err(fail)
}

/// Looks whether a seed list is there, without opening it: a pipe can be read only once.
pub(super) fn seed_list(path: &Path) -> Result<(), ConfigError> {
    let fail = |reason: String| ConfigError::Seeds {
        path: path.display().to_string(),
        reason,
    };
    if path == Path::new("-") {
        return Ok(());
    }
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => Err(fail("it is a folder".to_owned())),
        Ok(_) => Ok(()),
        Err(error) => Err(fail(error.to_string())),
    }
}

/// Reads certificate authorities.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let fail = |reason: String| ConfigError::RootCa {
        path: path.display().to_string(),
        reason,
    };
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| fail(error.to_string()))?;
    if certificates.is_empty() {
        Err(fail("it has no PEM certificate".to_owned()))
    } else {
        Ok(certificates)
    }
}
