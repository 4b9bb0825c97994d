//! `/convert`: a page that writes a manifest in another format; nothing is stored.

use crate::cache::{self, Policy};
use crate::draft;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::pages::validate::check::is_real;
use crate::pages::validate::choices::{self, GROUPS, Group};
use crate::pages::validate::publish::Publication;
use crate::pages::validate::source::Source;
use crate::parameter::BadParameter;
use crate::posted::Refusal;
use crate::view;
use crate::view::document::FindingView;
use askama::Template;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use manifest::author::addition::{self, Addition};
use manifest::author::{self, Draft, DraftError};
use manifest::convert::Target;
use manifest::{Conversion, Domain, FormatId};

#[derive(Debug, Template)]
#[template(path = "convert.html")]
struct ConvertPage {
    layout: Layout,
    source: Source,
    refusal: Refusal,
    result: Option<ConversionView>,
    groups: &'static [Group],
    /// Formats to convert to: words and titles.
    targets: Vec<(&'static str, String)>,
}

/// Result of a conversion.
#[derive(Debug)]
struct ConversionView {
    /// Title of the format, with its article.
    title: &'static str,
    /// Title of the format of the manifest.
    from: String,
    document: Option<String>,
    /// Losses and changes, or the facts that are missing.
    findings: Vec<FindingView>,
    publication: Publication,
}

/// Conversion with the format that was read, and the site that serves it.
type Converted = (Conversion, FormatId, Domain);

/// Answers `GET /convert`.
pub(crate) async fn form() -> Result<Response, AppError> {
    let page = html::page(&ConvertPage::new())?;
    Ok(cache::keep(Policy::Details, page.into_response()))
}

/// Answers `POST /convert`, the form.
pub(crate) async fn convert(request: Request) -> Result<Response, AppError> {
    let _place = draft::place()?;
    let mut page = ConvertPage::new();
    page.source = Source::receive(request).await?;
    if let Err(error) = page.convert().await {
        page.refusal = Refusal::of(error)?;
        return Ok(page.refusal.answer(html::page(&page)?));
    }
    Ok(cache::keep(
        Policy::Never,
        html::page(&page)?.into_response(),
    ))
}

impl ConvertPage {
    fn new() -> Self {
        Self {
            layout: Layout::new("").under("/validate").listed_as("/convert"),
            source: Source::default(),
            refusal: Refusal::default(),
            result: None,
            groups: GROUPS,
            targets: choices::targets(FormatId::UNRECOGNISED),
        }
    }

    /// Converts the text.
    async fn convert(&mut self) -> Result<(), AppError> {
        let params = self.source.params()?;
        let to = Target::parse(&self.source.to).ok_or_else(|| {
            let known = Target::ALL.map(Target::as_str);
            let fault = BadParameter::unknown_value("to", &self.source.to, &known);
            AppError::BadParameters(vec![fault])
        })?;
        let lines = self.source.set.lines().map(str::trim);
        let lines: Vec<&str> = lines.filter(|it| !it.is_empty()).collect();
        let mut faults = Vec::new();
        let facts = draft::additions(lines.into_iter(), &mut faults);
        if !faults.is_empty() {
            return Err(AppError::BadParameters(faults));
        }
        let has_path = !self.source.path.is_empty();
        let bytes = self.source.bytes();
        let work = move |draft: Draft<'_>| converted(draft, &facts, to, has_path);
        let (conversion, format, domain) = params.read(bytes, work).await??;
        self.result = Some(ConversionView {
            title: to.title(),
            from: view::format_title(format.as_str()),
            findings: FindingView::folded(&conversion.grouped()),
            document: conversion.body,
            publication: Publication::of_target(to, Some(&domain).filter(|it| is_real(it))),
        });
        Ok(())
    }
}

fn converted(
    draft: Draft<'_>,
    facts: &[Addition],
    to: Target,
    has_path: bool,
) -> Result<Converted, AppError> {
    let (document, mut reading) = draft.read().map_err(|error| refusal(&error))?;
    addition::add(facts, &mut reading)
        .map_err(|error| AppError::BadParameters(vec![draft::bad_fact(&error)]))?;
    let conversion = author::converted(&document, &reading, to, has_path);
    let conversion = conversion.map_err(|error| refusal(&error))?;
    Ok((conversion, reading.format, document.domain))
}

/// Returns the fault of the field with which a conversion fails.
fn refusal(error: &DraftError) -> AppError {
    let fault = match error {
        DraftError::NoSite => BadParameter::new(
            "domain",
            "required",
            "the text does not name its site; give the domain that will serve it",
        ),
        DraftError::BadSite(error) => BadParameter::new("domain", "bad_domain", error.to_string()),
        DraftError::NoAgent(_) => BadParameter::new(
            "text",
            "no_agent",
            "it describes no agent, so there is nothing to convert",
        ),
        _ => return AppError::Panic,
    };
    AppError::BadParameters(vec![fault])
}
