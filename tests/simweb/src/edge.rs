//! Shared edges: networks that stand before many sites, and add a header to all their answers.

use serde::Deserialize;

/// Edge by whose header the answers of a site are known. An imitator has the same header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// `server: cloudflare`.
    Cloudflare,
    /// `x-vercel-id`.
    Vercel,
    /// `x-served-by: cache-…`.
    Fastly,
}

impl Edge {
    /// Returns the header that it adds to each answer.
    pub fn header(self) -> (&'static str, &'static str) {
        match self {
            Self::Cloudflare => ("server", "cloudflare"),
            Self::Vercel => (
                "x-vercel-id",
                "fra1::iad1::abcde-1700000000000-0123456789ab",
            ),
            Self::Fastly => ("x-served-by", "cache-fra-eddf8230085-FRA"),
        }
    }
}
