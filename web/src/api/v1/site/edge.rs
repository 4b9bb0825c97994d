//! The answer by which a site refused a visit, in the answers of the API (P49).

use crate::view::edge::EdgeView;
use schemars::JsonSchema;
use serde::Serialize;

/// Answer by which a site, or what stands before it, refused the last visit.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct EdgeBody {
    /// Time of the request.
    at: String,
    url: String,
    http_status: u16,
    /// Headers that tell how the request was treated, of a fixed list.
    headers: Vec<HeaderBody>,
    /// At most the first 512 bytes of the body, as text without control characters.
    body: String,
    /// True if the body is longer.
    is_body_cut: bool,
    /// Products that send headers of the answer; none if no header names one.
    products: Vec<ProductBody>,
    /// Sentences on the meaning of the answer.
    meaning: String,
    /// `User-Agent` of the request.
    user_agent: String,
    /// `Signature-Agent` of the request: origin of the key directory; `null` if it was not signed.
    signature_agent: Option<String>,
    /// Sentences on ways to let the crawler in: by its user agent, its addresses, its signature.
    admission: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct HeaderBody {
    /// Name in lower case.
    name: String,
    value: String,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ProductBody {
    name: &'static str,
    /// The header, such as `server: cloudflare`.
    header: String,
}

impl From<EdgeView> for EdgeBody {
    fn from(view: EdgeView) -> Self {
        let headers = view.headers.into_iter();
        let products = view.products.into_iter();
        Self {
            at: view.at.iso,
            url: view.url,
            http_status: view.status,
            headers: headers
                .map(|(name, value)| HeaderBody { name, value })
                .collect(),
            body: view.body,
            is_body_cut: view.is_cut,
            products: products
                .map(|it| ProductBody {
                    name: it.name,
                    header: it.header,
                })
                .collect(),
            meaning: view.meaning,
            user_agent: view.user_agent,
            signature_agent: view.signed_by,
            admission: view.admission.into_iter().map(|it| it.text).collect(),
        }
    }
}
