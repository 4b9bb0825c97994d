//! A document as a server sent it.

use crate::domain::DomainError;
use crate::{Domain, Timestamp, formats};
use serde::{Deserialize, Serialize};
use url::Url;

/// An HTTP response with a body: the bytes as served, and the metadata needed to judge them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The domain that was probed; it stays the same if a redirect leads elsewhere (DI-06).
    pub domain: Domain,
    /// The URL that was requested first.
    pub requested: Url,
    /// The final URL, after redirects; relative references resolve against it.
    pub url: Url,
    /// The HTTP status; 200 for every document that is read.
    pub status: u16,
    /// The `Content-Type` header as sent.
    pub media_type: Option<String>,
    /// The `ETag` header, if it has at most 256 bytes.
    pub etag: Option<String>,
    /// The `Last-Modified` header as sent.
    pub last_modified: Option<String>,
    /// Further headers, if they are known.
    pub served: Option<Delivery>,
    /// Time at which the response was complete.
    pub fetched: Timestamp,
    /// The decoded body, byte for byte.
    pub body: Vec<u8>,
}

/// Headers on access and caching, kept for the document's owner (AT-46, DI-08).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Delivery {
    /// The `Cache-Control` header as sent.
    pub cache_control: Option<String>,
    /// The `Access-Control-Allow-Origin` header as sent.
    pub allow_origin: Option<String>,
}

impl Document {
    /// Creates a document as if `url` had just answered 200 with `body` and no headers.
    pub fn new(domain: Domain, url: Url, body: impl Into<Vec<u8>>) -> Self {
        Self {
            domain,
            requested: url.clone(),
            url,
            status: 200,
            media_type: None,
            etag: None,
            last_modified: None,
            served: None,
            fetched: Timestamp(0),
            body: body.into(),
        }
    }

    /// Creates a document from a file that no site serves yet, as if the site that it names served
    /// it.
    ///
    /// `name` is the path at which it will be served, such as `/.well-known/agent.json`, or a bare
    /// file name, which stands for the first place at which a format expects a file of that name.
    /// The site is the registrable domain of the first URL that is given for the first agent. If
    /// the document gives none, it is `manifest.invalid`, and rules that depend on the site are not
    /// checked.
    pub fn of_file(name: &str, body: impl Into<Vec<u8>>) -> Self {
        let path = formats::place_of(name);
        let document = Self::at(Domain::unknown(), &path, body.into());
        let reading = formats::read(&document);
        let Some(site) = reading.site(&document.domain) else {
            return document;
        };
        let there = Self::at(site, &path, document.body.clone());
        // A catalogue may describe documents of other sites; then its URLs do not name its own
        // site.
        if reading.is_indexable() && !formats::read(&there).is_indexable() {
            return document;
        }
        there
    }

    /// Works like [`Document::of_file`], but for the site of `origin`.
    ///
    /// ```
    /// let origin = "https://ferry.example".parse()?;
    /// let document = manifest::Document::of_file_at(&origin, "agents.json", "{}")?;
    /// assert_eq!(document.url.as_str(), "https://ferry.example/.well-known/agents.json");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_file_at(
        origin: &Url,
        name: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<Self, DomainError> {
        let domain = Domain::parse(origin.host_str().unwrap_or_default())?;
        let mut url = origin.clone();
        url.set_path(&formats::place_of(name));
        Ok(Self::new(domain, url, body))
    }

    /// Returns the name for an agent without one: that of the site, if it is known.
    pub(crate) fn site_name(&self) -> String {
        if self.domain.is_unknown() {
            "unnamed agent".to_owned()
        } else {
            self.domain.to_unicode()
        }
    }

    /// Creates a document as if `https://<domain><path>` had answered with `body`.
    fn at(domain: Domain, path: &str, body: Vec<u8>) -> Self {
        let mut url = Url::parse(&format!("https://{domain}/")).expect("a domain is a host");
        url.set_path(path);
        Self::new(domain, url, body)
    }

    /// Returns the path of the requested URL, such as `/.well-known/agents.json`.
    pub fn path(&self) -> &str {
        self.requested.path()
    }

    /// Returns the SHA-256 of the body in lower-case hexadecimal: the document's identity.
    pub fn hash(&self) -> String {
        hash(&self.body)
    }
}

/// Returns the SHA-256 of `bytes` in lower-case hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    use std::fmt::Write as _;
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Creates a document for tests, as if `https://<domain><path>` had answered 200 with `body`.
#[cfg(test)]
pub(crate) fn sample(domain: &str, path: &str, body: impl Into<Vec<u8>>) -> Document {
    let url = Url::parse(&format!("https://{domain}{path}")).unwrap();
    Document::new(Domain::parse(domain).unwrap(), url, body)
}
