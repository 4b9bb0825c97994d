//! `/validate`: a page that checks and corrects a manifest before it is published; nothing is stored.

pub(crate) mod check;
pub(crate) mod choices;
pub(crate) mod numbered;
pub(crate) mod publish;
pub(crate) mod source;
pub(crate) mod stored;

use crate::cache::{self, Policy};
use crate::draft;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::parameter::{BadParameter, value};
use crate::posted::Refusal;
use crate::state::AppState;
use crate::view::lines::Piece;
use askama::Template;
use axum::extract::{RawQuery, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use check::{CheckView, Checked};
use choices::{EXAMPLES, Example, GROUPS, Group};
use manifest::CorrectedText;
use manifest::author::Draft;
use manifest::domain::DomainError;
use numbered::Row;
use source::Source;
use stored::{Choice, Found, StoredOrigin};

#[derive(Debug, Template)]
#[template(path = "validate.html")]
struct ValidatePage {
    layout: Layout,
    source: Source,
    refusal: Refusal,
    result: Option<CheckView>,
    /// Corrections that were made, in words, if they were asked for.
    corrected: Option<Vec<String>>,
    stored: Option<StoredOrigin>,
    choice: Option<Choice>,
    groups: &'static [Group],
    examples: &'static [Example],
}

/// Answers `GET /validate`: an empty form, or an example or the stored text of a site with its findings.
pub(crate) async fn form(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, AppError> {
    let given = |name| value(query.as_deref(), name);
    let mut page = ValidatePage::new();
    if let Some(name) = given("example") {
        let example = Example::named(&name).ok_or_else(|| {
            let known: Vec<&str> = EXAMPLES.iter().map(|it| it.name).collect();
            AppError::BadParameters(vec![BadParameter::unknown_value("example", &name, &known)])
        })?;
        let _place = draft::place()?;
        page.source = Source::of(example.text(), example.path(), "");
        page.check().await?;
        return page.answer(Policy::Details);
    }
    let Some(site) = given("site") else {
        return page.answer(Policy::Details);
    };
    let _place = draft::place()?;
    match stored::find(&state, &site, given("document").as_deref()).await? {
        Found::Text(text) => {
            page.source = text.source;
            page.stored = Some(text.origin);
            page.check().await?;
        }
        Found::Choice(choice, fault) => {
            page.choice = Some(choice);
            if let Some(fault) = fault {
                page.refusal = Refusal::of(AppError::BadParameters(vec![fault]))?;
                return Ok(page.refusal.answer(html::page(&page)?));
            }
        }
    }
    page.answer(Policy::Never)
}

/// Answers `POST /validate`, the form.
pub(crate) async fn check(request: Request) -> Result<Response, AppError> {
    let _place = draft::place()?;
    let mut page = ValidatePage::new();
    page.source = Source::receive(request).await?;
    if let Err(error) = page.check().await {
        page.refusal = Refusal::of(error)?;
        return Ok(page.refusal.answer(html::page(&page)?));
    }
    page.answer(Policy::Never)
}

/// Answers `POST /validate/file`: the text that is sent, as a file to save.
///
/// A page of another origin is refused, so that no file is offered in the name of the registry.
pub(crate) async fn save(request: Request) -> Result<Response, AppError> {
    let _place = draft::place()?;
    let mut source = Source::receive(request).await?;
    let name = file_name(&source.path);
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; sandbox".to_owned(),
        ),
    ];
    let response = (headers, source.bytes()).into_response();
    Ok(cache::keep(Policy::Never, response))
}

/// Returns the last part of a path as the name of a file.
fn file_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || ".-_".contains(it);
    let is_name = (1..=100).contains(&name.len()) && name.chars().all(is_plain);
    if is_name && !name.starts_with('.') {
        name
    } else {
        "manifest.txt"
    }
}

impl ValidatePage {
    fn new() -> Self {
        Self {
            layout: Layout::new("").under("/validate").listed_as("/validate"),
            source: Source::default(),
            refusal: Refusal::default(),
            result: None,
            corrected: None,
            stored: None,
            choice: None,
            groups: GROUPS,
            examples: EXAMPLES,
        }
    }

    /// Renders the page.
    fn answer(&self, policy: Policy) -> Result<Response, AppError> {
        Ok(cache::keep(policy, html::page(self)?.into_response()))
    }

    /// Checks the text, and corrects it before if that is asked for.
    async fn check(&mut self) -> Result<(), AppError> {
        let params = self.source.params()?;
        let is_to_be_corrected = self.source.is_to_be_corrected();
        let path = self.source.path.clone();
        let bytes = self.source.bytes();
        let work = move |draft: Draft<'_>| checked(draft, &path, is_to_be_corrected);
        let done = params.read(bytes, work).await?;
        let (view, corrected) = done.map_err(|error| {
            let fault = BadParameter::new("path", "bad_path", error.to_string());
            AppError::BadParameters(vec![fault])
        })?;
        self.result = Some(view);
        self.corrected = is_to_be_corrected.then(Vec::new);
        if let Some(CorrectedText { text, edits }) = corrected {
            self.source.text = text;
            self.corrected = Some(edits.iter().map(ToString::to_string).collect());
        }
        Ok(())
    }
}

/// Returns the result of the check of a draft, and the text that was corrected before.
fn checked(
    mut draft: Draft<'_>,
    path: &str,
    is_to_be_corrected: bool,
) -> Result<(CheckView, Option<CorrectedText>), DomainError> {
    let mut document = draft.document()?;
    let mut possible = manifest::corrected(&document);
    let corrected = possible.take_if(|_| is_to_be_corrected);
    if let Some(corrected) = &corrected {
        draft.body = corrected.text.clone().into_bytes();
        document = draft.document()?;
    }
    let view = CheckView::of(&Checked {
        document: &document,
        lint: &draft.lint_of(&document),
        path,
        possible: possible.as_ref().map_or(&[], |it| &it.edits),
    });
    Ok((view, corrected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_last_name_of_its_path_if_that_is_one() {
        for (path, name) in [
            ("/.well-known/agents.json", "agents.json"),
            ("/x402", "x402"),
            ("", "manifest.txt"),
            ("/.well-known/", "manifest.txt"),
            ("/a\"; x=\"b", "manifest.txt"),
            ("/.bashrc", "manifest.txt"),
        ] {
            assert_eq!(file_name(path), name);
        }
    }
}
