//! Example documents of the rules, and the findings on them.

use crate::convert::{Origin, Target, convert};
use crate::document::Delivery;
use crate::{Document, Domain, Finding, FormatId, formats, merge};
use std::borrow::Cow;
use url::Url;

/// The domain whose site serves the examples.
const SITE: &str = "shop.example";

/// A document that shows a rule, as one site would serve it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Path, such as `/.well-known/agent-card.json`; the host comes first where it matters.
    pub path: &'static str,
    /// `Content-Type` of the response, where it matters.
    pub media_type: Option<&'static str>,
    /// Names and values of the other headers of the response, where they are known.
    pub headers: Option<&'static [(&'static str, &'static str)]>,
    /// Format to read it as, where detection would find another.
    pub format: Option<FormatId>,
    /// Body of the response.
    pub body: &'static [u8],
}

impl Example {
    /// Creates the example of a text at a path.
    pub(crate) const fn at(path: &'static str, body: &'static str) -> Self {
        Self {
            path,
            media_type: None,
            headers: None,
            format: None,
            body: body.as_bytes(),
        }
    }

    /// Creates the example of a text at a path that is read as `format`, without detection.
    pub(crate) const fn read_as(format: FormatId, path: &'static str, body: &'static str) -> Self {
        let mut example = Self::at(path, body);
        example.format = Some(format);
        example
    }

    /// Returns the body as text, for pages; invalid bytes become U+FFFD.
    pub fn text(&self) -> Cow<'static, str> {
        String::from_utf8_lossy(self.body)
    }

    fn document(&self) -> Document {
        let address = match self.path.strip_prefix('/') {
            Some(path) => format!("https://{SITE}/{path}"),
            None => format!("https://{}", self.path),
        };
        let url = Url::parse(&address).expect("the path of an example is valid");
        let header = |name: &str| {
            let mut headers = self.headers?.iter();
            let found = headers.find(|(given, _)| given.eq_ignore_ascii_case(name));
            found.map(|(_, value)| (*value).to_owned())
        };
        Document {
            media_type: self.media_type.map(str::to_owned),
            etag: header("etag"),
            last_modified: header("last-modified"),
            served: self.headers.map(|_| Delivery {
                cache_control: header("cache-control"),
                allow_origin: header("access-control-allow-origin"),
            }),
            ..Document::new(site(), url, self.body)
        }
    }
}

fn site() -> Domain {
    Domain::parse(SITE).expect("the site of the examples is a domain")
}

/// Returns every finding on a site that serves these documents.
pub(super) fn found(examples: &[Example]) -> Vec<Finding> {
    let documents: Vec<_> = examples.iter().map(Example::document).collect();
    let readings: Vec<_> = documents
        .iter()
        .zip(examples)
        .map(|(document, example)| match example.format {
            Some(format) => (document, formats::read_as(document, format)),
            None => (document, formats::read(document)),
        })
        .collect();
    let merged = merge::merge(&site(), &readings);
    readings
        .into_iter()
        .flat_map(|(_, reading)| reading.findings)
        .chain(merged.findings.into_iter().flatten())
        .collect()
}

/// Returns every finding on converting each document to the targets that `wanted` accepts.
pub(super) fn found_converting(
    examples: &[Example],
    wanted: fn(FormatId, Target) -> bool,
) -> Vec<Finding> {
    let of_example = |example: &Example| {
        let document = example.document();
        let reading = formats::read(&document);
        let origin = Origin::of(&document, &reading);
        let targets = Target::ALL.into_iter();
        let targets = targets.filter(|target| wanted(reading.format, *target));
        let found = targets.flat_map(|target| convert(&reading.agents, &origin, target).findings);
        found.collect::<Vec<_>>()
    };
    examples.iter().flat_map(of_example).collect()
}
