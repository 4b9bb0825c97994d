//! Example documents of the rules, and the findings on them.

use crate::convert::{Origin, Target, convert};
use crate::document::Delivery;
use crate::rule::Example;
use crate::{Document, Domain, Finding, FormatId, formats, merge};
use url::Url;

/// The domain whose site serves the examples.
const SITE: &str = "shop.example";

/// Returns the example as the document that its site serves.
fn document(example: &Example) -> Document {
    let address = match example.path.strip_prefix('/') {
        Some(path) => format!("https://{SITE}/{path}"),
        None => format!("https://{}", example.path),
    };
    let url = Url::parse(&address).expect("the path of an example is valid");
    let header = |name: &str| {
        let mut headers = example.headers?.iter();
        let found = headers.find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map(|(_, value)| (*value).to_owned())
    };
    Document {
        media_type: example.media_type.map(str::to_owned),
        etag: header("etag"),
        last_modified: header("last-modified"),
        served: example.headers.map(|_| Delivery {
            cache_control: header("cache-control"),
            allow_origin: header("access-control-allow-origin"),
        }),
        ..Document::new(site(), url, example.body)
    }
}

fn site() -> Domain {
    Domain::parse(SITE).expect("the site of the examples is a domain")
}

/// Reads an example by itself.
#[cfg(test)]
pub(super) fn reading(example: &Example) -> crate::Reading {
    match example.format {
        Some(format) => formats::read_as(&document(example), format),
        None => formats::read(&document(example)),
    }
}

/// Returns every finding on a site that serves these documents.
pub(super) fn found(examples: &[Example]) -> Vec<Finding> {
    let documents: Vec<_> = examples.iter().map(document).collect();
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
        let document = document(example);
        let reading = formats::read(&document);
        let origin = Origin::of(&document, &reading);
        let targets = Target::ALL.into_iter();
        let targets = targets.filter(|target| wanted(reading.format, *target));
        let found = targets.flat_map(|target| convert(&reading.agents, &origin, target).findings);
        found.collect::<Vec<_>>()
    };
    examples.iter().flat_map(of_example).collect()
}
