//! A document as a server sent it.

use crate::{Domain, Timestamp};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
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

    /// Returns the name for an agent without one: that of the site, if it is known.
    pub(crate) fn site_name(&self) -> String {
        if self.domain.is_unknown() {
            "unnamed agent".to_owned()
        } else {
            self.domain.to_unicode()
        }
    }

    /// Returns the path of the requested URL, such as `/.well-known/agents.json`.
    pub fn path(&self) -> &str {
        self.requested.path()
    }

    /// Returns the SHA-256 of the body in lower-case hexadecimal: the document's identity.
    pub fn hash(&self) -> String {
        hash(&self.body)
    }

    /// Returns the SHA-256 of the content in lower-case hexadecimal: of JSON its values (RFC 8785), of another
    /// text its lines without the white space at their ends, of anything else its bytes.
    pub fn content_hash(&self) -> String {
        let bytes = self
            .body
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&self.body);
        let value: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
        if let Some(canonical) = value.and_then(|it| serde_json_canonicalizer::to_vec(&it).ok()) {
            return hash(&canonical);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return self.hash();
        };
        let lines: Vec<_> = text.trim_end().lines().map(str::trim_end).collect();
        hash(lines.join("\n").as_bytes())
    }
}

/// Returns the SHA-256 of `bytes` in lower-case hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Creates a document for tests, as if `https://<domain><path>` had answered 200 with `body`.
#[cfg(test)]
pub(crate) fn sample(domain: &str, path: &str, body: impl Into<Vec<u8>>) -> Document {
    let url = Url::parse(&format!("https://{domain}{path}")).unwrap();
    Document::new(Domain::parse(domain).unwrap(), url, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p40_layout_is_no_content() {
        let content = |body: &str| sample("mugs.example", "/agents.json", body).content_hash();
        let json = content(r#"{"name": "Mugs", "tags": ["a", "b"]}"#);
        assert_eq!(
            json,
            content("\u{feff}{\n\"tags\": [\"a\",\"b\"], \"name\": \"M\\u0075gs\"}\n")
        );
        assert_ne!(json, content(r#"{"name": "Mugs", "tags": ["b", "a"]}"#));
        let text = content("Name: Mugs\nContact: mugs@mugs.example\n");
        assert_eq!(
            text,
            content("Name: Mugs  \r\nContact: mugs@mugs.example\r\n\r\n")
        );
        assert_ne!(text, content("Contact: mugs@mugs.example\nName: Mugs\n"));
        let broken = sample("mugs.example", "/agents.json", b"{\xff".to_vec());
        assert_eq!(broken.content_hash(), broken.hash());
    }
}
