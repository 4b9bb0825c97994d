//! The start of a connection: TLS as the requested host is configured, faults included.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::server::{Acceptor, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion, version};
use serde::Deserialize;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use crate::authority::Authority;
use crate::script::hold;
use crate::site::Site;

/// Course of the TLS handshake of a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tls {
    /// Succeeds with any version from 1.2 on.
    #[default]
    Normal,
    /// The server sends nothing.
    Silent,
    /// The server closes the connection.
    Close,
    /// The server resets the connection.
    Reset,
    /// The server speaks HTTP without TLS.
    Plain,
    /// The server refuses with the alert of this number (RFC 8446 section 6.2).
    Alert(u8),
    /// The server speaks TLS 1.0 only.
    Old,
    /// The server sends its part of the handshake one byte every 250 ms.
    Slow,
    /// The server speaks TLS 1.2 only, which is valid.
    Tls12,
    /// The server requests a client certificate, but does not require it.
    AsksCertificate,
    /// The server requires a client certificate.
    WantsCertificate,
}

/// TLS configurations of this web.
#[derive(Debug)]
pub(crate) struct Handshakes {
    usual: Arc<ServerConfig>,
    only_http1: Arc<ServerConfig>,
    only_http2: Arc<ServerConfig>,
    tls12: Arc<ServerConfig>,
    asking: Arc<ServerConfig>,
    wanting: Arc<ServerConfig>,
}

/// Policy on client certificates.
#[derive(Clone, Copy)]
enum Client {
    Any,
    Known { or_none: bool },
}

impl Handshakes {
    pub(crate) fn new(authority: &Arc<Authority>) -> Result<Self, rustls::Error> {
        let every: &[&SupportedProtocolVersion] = &[&version::TLS13, &version::TLS12];
        let config = |protocols: &[&[u8]], versions, client| {
            let provider = Arc::new(ring::default_provider());
            let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
                .with_protocol_versions(versions)?;
            let builder = match client {
                Client::Any => builder.with_no_client_auth(),
                Client::Known { or_none } => {
                    let mut roots = RootCertStore::empty();
                    roots.add(CertificateDer::from(authority.der().to_vec()))?;
                    let roots = Arc::new(roots);
                    let mut verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
                    if or_none {
                        verifier = verifier.allow_unauthenticated();
                    }
                    let verifier = verifier
                        .build()
                        .map_err(|error| rustls::Error::General(error.to_string()))?;
                    builder.with_client_cert_verifier(verifier)
                }
            };
            let mut config = builder.with_cert_resolver(Arc::clone(authority) as _);
            config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
            Ok::<_, rustls::Error>(Arc::new(config))
        };
        let both: &[&[u8]] = &[b"h2", b"http/1.1"];
        let known = |or_none| Client::Known { or_none };
        Ok(Self {
            usual: config(both, every, Client::Any)?,
            only_http1: config(&[b"http/1.1"], every, Client::Any)?,
            only_http2: config(&[b"h2"], every, Client::Any)?,
            tls12: config(both, &[&version::TLS12], Client::Any)?,
            asking: config(both, every, known(true))?,
            wanting: config(both, every, known(false))?,
        })
    }

    /// Performs the handshake according to the host's behaviour; `None` if the connection is over.
    pub(crate) async fn shake(
        &self,
        stream: TcpStream,
        site_of: impl Fn(&str) -> Option<Arc<Site>>,
    ) -> io::Result<Option<TlsStream<TcpStream>>> {
        let start = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        let site = start
            .client_hello()
            .server_name()
            .and_then(|host| site_of(&host.to_ascii_lowercase()));
        let tls = site.as_ref().map(|site| site.behaviour.tls);
        let config = match tls.unwrap_or_default() {
            Tls::Normal => match &site {
                Some(site) if site.behaviour.has_scripts() => &self.only_http1,
                Some(site) if site.behaviour.http2.is_by_hand() => &self.only_http2,
                Some(_) | None => &self.usual,
            },
            Tls::Tls12 => &self.tls12,
            Tls::AsksCertificate => &self.asking,
            Tls::WantsCertificate => &self.wanting,
            fault => {
                fail(fault, start.io).await?;
                return Ok(None);
            }
        };
        start.into_stream(Arc::clone(config)).await.map(Some)
    }
}

/// Ends a connection with a fault instead of a TLS handshake.
async fn fail(fault: Tls, mut stream: TcpStream) -> io::Result<()> {
    match fault {
        Tls::Silent => hold(&mut stream).await,
        Tls::Reset => stream.set_zero_linger()?,
        Tls::Plain => {
            let page = "HTTP/1.1 400 Bad Request\r\nContent-Length: 5\r\n\r\nhttps";
            stream.write_all(page.as_bytes()).await?;
            hold(&mut stream).await;
        }
        Tls::Alert(number) => {
            // A fatal alert in a record of its own.
            stream.write_all(&[21, 3, 3, 0, 2, 2, number]).await?;
            hold(&mut stream).await;
        }
        Tls::Old => {
            stream.write_all(&old_hello()).await?;
            hold(&mut stream).await;
        }
        Tls::Slow => drip(&mut stream, &old_hello()).await?,
        Tls::Close | Tls::Normal | Tls::Tls12 | Tls::AsksCertificate | Tls::WantsCertificate => {}
    }
    Ok(())
}

/// Returns a server hello of TLS 1.0 that selects AES-128 with SHA.
fn old_hello() -> Vec<u8> {
    let mut hello = vec![22, 3, 1, 0, 42, 2, 0, 0, 38, 3, 1];
    hello.extend([7; 32]);
    hello.extend([0, 0, 0x2f, 0]);
    hello
}

async fn drip<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    for byte in bytes {
        stream.write_all(&[*byte]).await?;
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Ok(())
}
