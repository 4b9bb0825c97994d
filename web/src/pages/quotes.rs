//! Findings on stored documents with the lines that they concern.

use crate::error::AppError;
use crate::state::{AppState, blocking};
use manifest::{Document, Domain, Finding, FormatId, Reading, lint};
use std::collections::BTreeMap;
use store::SiteDocument;
use url::Url;

/// Maximum number of bytes of the documents that are quoted on one page.
const MAX_BYTES: u64 = 512 * 1_024;

/// Findings with their lines, by the hash of their document.
#[derive(Debug, Default)]
pub(crate) struct Quotes(BTreeMap<String, Vec<(Finding, Option<String>)>>);

impl Quotes {
    /// Loads the lines of the findings on `documents`, as long as the documents are stored and not
    /// too large for one page.
    pub(crate) async fn load(
        state: &AppState,
        domain: &Domain,
        documents: impl Iterator<Item = &SiteDocument>,
    ) -> Result<Self, AppError> {
        let mut space = MAX_BYTES;
        let mut found = Vec::new();
        for site_document in documents.filter(|it| it.findings.iter().any(has_place)) {
            let url = Url::parse(&site_document.url);
            let (Ok(url), Some(rest)) = (url, space.checked_sub(site_document.bytes)) else {
                continue;
            };
            if let Some(body) = state.store.blob(&site_document.hash).await? {
                space = rest;
                let document = Document {
                    media_type: site_document.media_type.clone(),
                    ..Document::new(domain.clone(), url, body)
                };
                let findings = site_document.findings.clone();
                found.push((site_document.hash.clone(), document, findings));
            }
        }
        if found.is_empty() {
            return Ok(Self::default());
        }
        blocking(|| {
            let quoted = found.into_iter();
            let quoted = quoted.map(|(hash, document, it)| (hash, quoted_in(&document, it)));
            Self(quoted.collect())
        })
        .await
    }

    /// Returns the findings on a document, with the lines that may be shown.
    pub(crate) fn on<'a>(
        &'a self,
        document: &'a SiteDocument,
    ) -> Vec<(&'a Finding, Option<&'a str>)> {
        match self.0.get(&document.hash) {
            Some(quoted) => {
                let quoted = quoted.iter();
                quoted.map(|(it, quote)| (it, quote.as_deref())).collect()
            }
            None => document.findings.iter().map(|it| (it, None)).collect(),
        }
    }
}

/// Reports whether a finding concerns a position, and not the document as a whole.
fn has_place(finding: &Finding) -> bool {
    !finding.pointer.is_empty() || finding.line.is_some()
}

/// Returns the findings, those on the whole document first, with their lines in it.
fn quoted_in(document: &Document, findings: Vec<Finding>) -> Vec<(Finding, Option<String>)> {
    let (placed, whole): (Vec<_>, Vec<_>) = findings.into_iter().partition(has_place);
    let reading = Reading {
        format: FormatId::UNRECOGNISED,
        generation: None,
        agents: Vec::new(),
        findings: placed,
        references: Vec::new(),
        mentions: Vec::new(),
        is_complete: false,
    };
    let lint = lint::of_reading(document, reading);
    let placed = lint.quoted().map(|(it, quote)| (it.clone(), quote));
    whole
        .into_iter()
        .map(|it| (it, None))
        .chain(placed)
        .collect()
}
