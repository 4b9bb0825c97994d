//! A fetched document, as a server gave it.

use crate::{Domain, Timestamp};
use serde::{Deserialize, Serialize};
use url::Url;

/// One answer with a body: the bytes as served and what is needed to judge them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The domain that was probed; its identity stays even when a redirect leads elsewhere (DI-06).
    pub domain: Domain,
    /// The URL asked for first.
    pub requested: Url,
    /// The URL that answered, after redirects; relative references resolve against it.
    pub url: Url,
    /// The HTTP status, 200 for everything that is read.
    pub status: u16,
    /// The `Content-Type` header as sent.
    pub media_type: Option<String>,
    /// The `ETag` header, when it is at most 256 bytes.
    pub etag: Option<String>,
    /// The `Last-Modified` header as sent.
    pub last_modified: Option<String>,
    /// How it was served, where that is known.
    pub served: Option<Served>,
    /// When the answer was complete.
    pub fetched: Timestamp,
    /// The decoded body, byte for byte.
    pub body: Vec<u8>,
}

/// Headers that say who may read a document, and for how long; kept for the owner (AT-46, DI-08).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Served {
    /// The `Cache-Control` header as sent.
    pub cache_control: Option<String>,
    /// The `Access-Control-Allow-Origin` header as sent.
    pub allow_origin: Option<String>,
}

impl Document {
    /// The document as if `url` had just answered 200 with `body`, no header told.
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

    /// The path of the URL asked for, such as `/.well-known/agents.json`.
    pub fn path(&self) -> &str {
        self.requested.path()
    }

    /// SHA-256 of the body in lower-case hexadecimal: the document's identity.
    pub fn hash(&self) -> String {
        use sha2::{Digest, Sha256};
        use std::fmt::Write as _;
        Sha256::digest(&self.body)
            .iter()
            .fold(String::with_capacity(64), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
    }
}

/// A document for tests, as if `https://<domain><path>` had answered 200 with `body`.
#[cfg(test)]
pub(crate) fn sample(domain: &str, path: &str, body: impl Into<Vec<u8>>) -> Document {
    let url = Url::parse(&format!("https://{domain}{path}")).unwrap();
    Document::new(Domain::parse(domain).unwrap(), url, body)
}
