//! Whom we trust over TLS (P46).
//!
//! Whether a certificate was revoked is not known: the library checks lists that we would have to fetch
//! from third parties, and does not look at an answer about it that a server staples to it (OCSP).

use super::HttpError;
use rustls::CipherSuite;
use rustls::pki_types::CertificateDer;
use std::sync::Arc;

/// Speaks these versions of HTTP to servers that public authorities, or one of `extra_roots`, vouch for.
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
    // As browsers do: a visit is mostly its handshake, which hashes, and processors have instructions for SHA-256.
    provider
        .cipher_suites
        .sort_by_key(|it| it.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    let mut config = rustls::ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(HttpError::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    // A preconfigured TLS backend negotiates what it is told, and each host is met once.
    config.alpn_protocols = versions.iter().map(|version| version.to_vec()).collect();
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}
