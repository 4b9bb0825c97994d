//! The certificate authority of this web: one certificate per host, created on first use.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SigningKey};

use crate::behaviour::Certificate;
use crate::site::Sites;

/// Most certificates in the cache, which is emptied when one more is created.
const MAX_KEPT: usize = 4096;

/// Number of certificates, of about half a kilobyte each, in a long chain: TLS allows 16 MB in all.
const CHAIN_LENGTH: usize = 20_000;

/// Authority that signs the certificates of this web's hosts.
pub(crate) struct Authority {
    pem: String,
    der: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
    /// Key shared by all hosts, because a new key costs more than a signature.
    leaf: KeyPair,
    leaf_key: Arc<dyn SigningKey>,
    sites: Arc<Sites>,
    made: Mutex<HashMap<(String, Certificate), Arc<CertifiedKey>>>,
}

/// Error while creating a certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The certificate cannot be created or signed.
    #[error("cannot make a certificate: {0}")]
    Make(#[from] rcgen::Error),
    /// The certificate's key cannot sign.
    #[error("cannot use the key of a certificate: {0}")]
    Key(#[from] rustls::Error),
}

impl Authority {
    pub(crate) fn new(sites: Arc<Sites>) -> Result<Self, CertificateError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params
            .distinguished_name
            .push(DnType::CommonName, "simweb test authority");
        let certificate = params.self_signed(&key)?;
        let leaf = KeyPair::generate()?;
        let leaf_der = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(leaf.serialize_der()));
        Ok(Self {
            pem: certificate.pem(),
            der: certificate.der().to_vec(),
            issuer: Issuer::new(params, key),
            leaf_key: ring::sign::any_supported_type(&leaf_der)?,
            leaf,
            sites,
            made: Mutex::default(),
        })
    }

    /// Returns the authority's own certificate in PEM, for a client's `--root-ca`.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// Returns the authority's own certificate in DER.
    pub(crate) fn der(&self) -> &[u8] {
        &self.der
    }

    fn certificate_for(&self, host: &str) -> Result<Arc<CertifiedKey>, CertificateError> {
        let kind = self
            .sites
            .get(host)
            .map(|site| site.behaviour.certificate)
            .unwrap_or_default();
        let wanted = (host.to_owned(), kind);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(certificate) = made.get(&wanted) {
            return Ok(Arc::clone(certificate));
        }
        if made.len() >= MAX_KEPT {
            made.clear();
        }
        let certificate = Arc::new(self.make(host, kind)?);
        made.insert(wanted, Arc::clone(&certificate));
        Ok(certificate)
    }

    fn make(&self, host: &str, kind: Certificate) -> Result<CertifiedKey, CertificateError> {
        let name = match kind {
            Certificate::OtherName => "someone-else.example",
            Certificate::Good
            | Certificate::Expired
            | Certificate::NotYet
            | Certificate::SelfSigned
            | Certificate::LongChain => host,
        };
        let mut params = CertificateParams::new(vec![name.to_owned()])?;
        // Some clients reject an empty subject; a common name has at most 64 characters.
        let common_name: String = name.chars().take(64).collect();
        params
            .distinguished_name
            .push(DnType::CommonName, common_name);
        if kind == Certificate::Expired {
            params.not_before = rcgen::date_time_ymd(2000, 1, 1);
            params.not_after = rcgen::date_time_ymd(2001, 1, 1);
        }
        if kind == Certificate::NotYet {
            params.not_before = rcgen::date_time_ymd(2100, 1, 1);
            params.not_after = rcgen::date_time_ymd(2101, 1, 1);
        }
        let certificate = match kind {
            Certificate::SelfSigned => params.self_signed(&self.leaf)?,
            Certificate::Good
            | Certificate::Expired
            | Certificate::NotYet
            | Certificate::OtherName
            | Certificate::LongChain => params.signed_by(&self.leaf, &self.issuer)?,
        };
        let length = match kind {
            Certificate::LongChain => CHAIN_LENGTH,
            _ => 1,
        };
        let chain = vec![certificate.der().clone(); length];
        Ok(CertifiedKey::new(chain, Arc::clone(&self.leaf_key)))
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl ResolvesServerCert for Authority {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let host = hello.server_name()?.to_ascii_lowercase();
        self.certificate_for(&host)
            .inspect_err(|error| tracing::warn!(host, %error, "no certificate for {host}"))
            .ok()
    }
}
