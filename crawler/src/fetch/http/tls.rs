//! TLS settings and trusted authorities (P46).
//!
//! Revocation of certificates is not checked: the library supports lists, which would have to be
//! fetched from third parties, but no stapled OCSP answers.

use crate::fetch::resolver::ResolverError;
use rustls::CipherSuite;
use rustls::pki_types::CertificateDer;
use std::sync::Arc;

/// Errors from setting up the client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The resolver cannot be set up.
    #[error(transparent)]
    Resolver(#[from] ResolverError),
    /// A root certificate is unusable.
    #[error("a certificate given with --root-ca is not usable as an authority")]
    Root(#[source] rustls::Error),
    /// The TLS library refuses its own defaults.
    #[error("cannot set up TLS")]
    Tls(#[source] rustls::Error),
    /// The contact does not form a header.
    #[error("the contact cannot be sent as a header: use ASCII without line breaks")]
    Contact,
    /// The client refuses its settings.
    #[error("cannot set up the HTTP client")]
    Client(#[source] reqwest::Error),
}

/// Returns the TLS settings for these versions of HTTP and for servers whose certificates are
/// issued by a public authority or one of `extra_roots`.
pub(super) fn config(
    extra_roots: &[CertificateDer<'static>],
    versions: &[&[u8]],
) -> Result<rustls::ClientConfig, HttpError> {
    let mut roots = rustls::RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for root in extra_roots {
        roots.add(root.clone()).map_err(HttpError::Root)?;
    }
    let mut provider = rustls::crypto::ring::default_provider();
    // AES-128 first, as in browsers: the handshake, which hashes, is most of a visit's cost, and
    // processors have instructions for SHA-256.
    provider
        .cipher_suites
        .sort_by_key(|it| it.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    let mut config = rustls::ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(HttpError::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    // A preconfigured TLS back end uses exactly these protocols. Resumption is useless, as each host is visited once.
    config.alpn_protocols = versions.iter().map(|version| version.to_vec()).collect();
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}
