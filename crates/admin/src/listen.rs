//! The address of the operator's view.

use std::io;
use std::net::SocketAddr;
use std::str::FromStr;
use tokio::net::TcpListener;

/// Address to listen on, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Nothing is served.
    Off,
    /// This address.
    At(SocketAddr),
}

/// Address that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on --admin-listen {address}")]
pub struct ListenError {
    address: SocketAddr,
    source: io::Error,
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let loopback = |port| SocketAddr::from(([127, 0, 0, 1], port));
        match text {
            "off" => Ok(Self::Off),
            _ => text
                .parse()
                .or_else(|_| text.parse().map(loopback))
                .map(Self::At)
                .map_err(|_| {
                    "give a port, an address with one, such as 127.0.0.1:9091, or off".to_owned()
                }),
        }
    }
}

/// Binds an address, if one is given, so that an unusable one is reported at the start.
pub async fn bind(listen: Option<Listen>) -> Result<Option<TcpListener>, ListenError> {
    let Some(Listen::At(address)) = listen else {
        return Ok(None);
    };
    let failed = |source| ListenError { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    tracing::info!(%address, "health and metrics are served at {address}");
    Ok(Some(listener))
}

/// Binds the given address, or else a default one, which may be in use by another process on the
/// same machine: that is a warning and no error.
pub async fn bind_or_warn(
    listen: Option<Listen>,
    default: SocketAddr,
) -> Result<Option<TcpListener>, ListenError> {
    if listen.is_some() {
        return bind(listen).await;
    }
    Ok(bind(Some(Listen::At(default))).await.unwrap_or_else(|error| {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "health and metrics are not served: {default} cannot be used; choose another address with --admin-listen, or off"
        );
        None
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_means_this_machine() {
        let at = |text: &str| match text.parse() {
            Ok(Listen::At(address)) => Ok(address.to_string()),
            Ok(Listen::Off) => Ok("off".to_owned()),
            Err(error) => Err(error),
        };
        assert_eq!(at("9091").as_deref(), Ok("127.0.0.1:9091"));
        assert_eq!(at("[::1]:9091").as_deref(), Ok("[::1]:9091"));
        assert_eq!(at("off").as_deref(), Ok("off"));
        assert!(at("localhost").unwrap_err().contains("127.0.0.1:9091"));
    }

    #[tokio::test]
    async fn only_a_default_address_may_be_in_use() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let error = bind_or_warn(Some(Listen::At(address)), address).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains(&address.to_string()), "{error}");
        assert!(bind_or_warn(None, address).await.unwrap().is_none());
        assert!(bind(Some(Listen::Off)).await.unwrap().is_none());
    }
}
