//! Products that stand before sites, as far as headers of their own name them.

use crate::view::foreign;

/// Product that a header of an answer names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) name: &'static str,
    /// The header, as in `server: cloudflare`.
    pub(crate) header: String,
}

/// Value of a header that names a product.
enum Value {
    /// Any value: the header is the product's own.
    Any,
    /// A value that begins with this text, in any case.
    Beginning(&'static str),
}

use Value::{Any, Beginning};

/// Headers that products send, those first that say what was done with the request.
const HEADERS: [(&str, Value, &str); 17] = [
    ("cf-mitigated", Any, "Cloudflare"),
    ("x-vercel-mitigated", Any, "Vercel"),
    ("x-amzn-waf-action", Any, "AWS WAF"),
    ("x-datadome", Any, "DataDome"),
    ("x-sucuri-block", Any, "Sucuri"),
    ("server", Beginning("cloudflare"), "Cloudflare"),
    ("cf-ray", Any, "Cloudflare"),
    ("server", Beginning("vercel"), "Vercel"),
    ("x-vercel-id", Any, "Vercel"),
    ("server", Beginning("awselb/"), "AWS Elastic Load Balancing"),
    ("server", Beginning("cloudfront"), "Amazon CloudFront"),
    ("x-amz-cf-id", Any, "Amazon CloudFront"),
    ("server", Beginning("akamai"), "Akamai"),
    ("server", Beginning("sucuri/"), "Sucuri"),
    ("x-sucuri-id", Any, "Sucuri"),
    ("x-iinfo", Any, "Imperva"),
    ("x-azure-ref", Any, "Azure Front Door"),
];

/// Headers that say that an answer is a challenge.
const CHALLENGES: [&str; 3] = ["cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action"];

/// Returns the products that headers name, each with the first such header.
pub(super) fn named_in(headers: &[(String, String)]) -> Vec<Product> {
    let mut products: Vec<Product> = Vec::new();
    for (name, value, product) in &HEADERS {
        let names = |(header, text): &&(String, String)| header == name && value.fits(text);
        let Some(header) = headers.iter().find(names) else {
            continue;
        };
        if products.iter().all(|it| it.name != *product) {
            products.push(Product {
                name: product,
                header: shown(header),
            });
        }
    }
    products
}

/// Returns the header that says that an answer is a challenge, as code.
pub(super) fn challenge(headers: &[(String, String)]) -> String {
    let header = headers
        .iter()
        .find(|(name, _)| CHALLENGES.contains(&name.as_str()));
    header.map_or_else(String::new, |header| format!("`{}`", shown(header)))
}

/// Returns a header as it is written.
fn shown((name, value): &(String, String)) -> String {
    foreign(&format!("{name}: {value}"))
}

impl Value {
    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Beginning(beginning) => text
                .get(..beginning.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(beginning)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(headers: &[(&str, &str)]) -> Vec<(&'static str, String)> {
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let products = named_in(&headers).into_iter();
        products.map(|it| (it.name, it.header)).collect()
    }

    #[test]
    fn p49_a_product_is_named_by_its_own_header_only() {
        let rows = [
            ("server", "cloudflare", Some("Cloudflare")),
            ("server", "AkamaiGHost", Some("Akamai")),
            ("server", "AkamaiNetStorage", Some("Akamai")),
            ("server", "awselb/2.0", Some("AWS Elastic Load Balancing")),
            ("server", "Sucuri/Cloudproxy", Some("Sucuri")),
            ("server", "Vercel", Some("Vercel")),
            ("x-datadome", "protected", Some("DataDome")),
            ("x-iinfo", "12-34", Some("Imperva")),
            ("x-azure-ref", "2026", Some("Azure Front Door")),
            ("server", "nginx", None),
            ("server", "not cloudflare", None),
            ("server", "cl", None),
            ("via", "1.1 cloudflare", None),
            ("crawler-price", "USD 0.01", None),
            ("content-type", "text/cloudflare", None),
        ];
        for (name, value, expected) in rows {
            let found = names(&[(name, value)]);
            let header = format!("{name}: {value}");
            let expected: Vec<_> = expected.map(|it| (it, header)).into_iter().collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn p49_several_products_are_named_each_once() {
        let found = names(&[
            ("server", "cloudflare"),
            ("cf-ray", "8c0-LIS"),
            ("cf-mitigated", "challenge"),
            ("x-datadome", "protected"),
        ]);
        let expected = [
            ("Cloudflare", "cf-mitigated: challenge".to_owned()),
            ("DataDome", "x-datadome: protected".to_owned()),
        ];
        assert_eq!(found, expected);
    }
}
