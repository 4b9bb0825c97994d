//! Documents that show a rule, and what is found in them.

use crate::convert::{Origin, Target, convert};
use crate::document::Served;
use crate::{Document, Domain, Finding, FormatId, formats, merge};
use std::borrow::Cow;
use url::Url;

/// The domain whose site serves the examples.
const SITE: &str = "shop.example";

/// A document that shows a rule, as one site would serve it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Where it lies, such as `/.well-known/agent-card.json`; a host in front where it matters.
    pub path: &'static str,
    /// The `Content-Type` it is served as, when that matters.
    pub media_type: Option<&'static str>,
    /// Name and value of the other headers it is served with, where these are known.
    pub headers: Option<&'static [(&'static str, &'static str)]>,
    /// The format to read it as when its content alone would be taken for another.
    pub format: Option<FormatId>,
    /// Its bytes.
    pub body: &'static [u8],
}

impl Example {
    /// A text at a path.
    pub(crate) const fn at(path: &'static str, body: &'static str) -> Self {
        Self {
            path,
            media_type: None,
            headers: None,
            format: None,
            body: body.as_bytes(),
        }
    }

    /// A text at a path that is read as `format`, whatever it looks like.
    pub(crate) const fn read_as(format: FormatId, path: &'static str, body: &'static str) -> Self {
        let mut example = Self::at(path, body);
        example.format = Some(format);
        example
    }

    /// The body as text, for pages; broken bytes become U+FFFD.
    pub fn text(&self) -> Cow<'static, str> {
        String::from_utf8_lossy(self.body)
    }

    fn document(&self) -> Document {
        let address = match self.path.strip_prefix('/') {
            Some(path) => format!("https://{SITE}/{path}"),
            None => format!("https://{}", self.path),
        };
        let url = Url::parse(&address).expect("the path of an example is written by us");
        let header = |name: &str| {
            let mut headers = self.headers?.iter();
            let found = headers.find(|(given, _)| given.eq_ignore_ascii_case(name));
            found.map(|(_, value)| (*value).to_owned())
        };
        Document {
            media_type: self.media_type.map(str::to_owned),
            etag: header("etag"),
            last_modified: header("last-modified"),
            served: self.headers.map(|_| Served {
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

/// Everything that is found when one site serves these documents.
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

/// Everything that is found when each document is converted to the targets that are `wanted`.
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
