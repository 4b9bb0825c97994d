//! Texts that a form sends to be checked, converted or saved, pasted or as a file.

use crate::action::address;
use crate::draft::DraftParams;
use crate::error::AppError;
use crate::media_type;
use crate::parameter::BadParameter;
use crate::view;
use axum::body::Bytes;
use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest as _, Multipart, Request};
use axum::http::StatusCode;
use manifest::{Document, formats};
use url::form_urlencoded;

/// Fields of the form.
const FIELDS: [&str; 8] = ["text", "file", "path", "domain", "as", "to", "set", "do"];

/// Media type of a form with a file.
const MULTIPART: &str = "multipart/form-data";

/// Text with what is known of it, as the form shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// Text of the field.
    pub(crate) text: String,
    /// Bytes of a file, which take the place of the text.
    file: Option<Vec<u8>>,
    /// Path at which a site will serve it.
    pub(crate) path: String,
    /// Domain of that site.
    pub(crate) domain: String,
    /// Id of its format; empty to detect it.
    pub(crate) format: String,
    /// Format to convert it to.
    pub(crate) to: String,
    /// Facts to add before it is converted, one a line.
    pub(crate) set: String,
    /// Word of the button that sent it.
    act: String,
}

impl Source {
    /// Creates the source of a text that a site serves at `path`.
    pub(crate) fn of(text: &str, path: &str, domain: &str) -> Self {
        Self {
            text: text.to_owned(),
            path: path.to_owned(),
            domain: domain.to_owned(),
            ..Self::default()
        }
    }

    /// Receives a form, with or without a file.
    pub(crate) async fn receive(request: Request) -> Result<Self, AppError> {
        let mut source = Self::default();
        if media_type::is_one_of(request.headers(), &[MULTIPART]) {
            let mut parts = Multipart::from_request(request, &())
                .await
                .map_err(|error| AppError::BadBody(error.body_text()))?;
            while let Some(part) = parts.next_field().await.map_err(|it| unreadable(&it))? {
                let name = part.name().unwrap_or_default().to_owned();
                let file = part.file_name().map(str::to_owned);
                let value = part.bytes().await.map_err(|it| unreadable(&it))?;
                source.take(&name, file.as_deref(), &value)?;
            }
        } else {
            let body = Bytes::from_request(request, &()).await?;
            for (name, value) in form_urlencoded::parse(&body) {
                source.take(&name, None, value.as_bytes())?;
            }
        }
        Ok(source)
    }

    /// Takes one field.
    fn take(&mut self, name: &str, file: Option<&str>, value: &[u8]) -> Result<(), AppError> {
        let text = || String::from_utf8_lossy(value).into_owned();
        let trimmed = || text().trim().to_owned();
        match name {
            // A browser sends every line break of a field as CRLF.
            "text" => self.text = text().replace("\r\n", "\n"),
            "file" => {
                let file = file.unwrap_or_default();
                if !file.is_empty() {
                    self.file = Some(value.to_vec());
                    self.place(file);
                }
            }
            "path" if !value.is_empty() => self.path = trimmed(),
            "domain" => self.domain = trimmed(),
            "as" => self.format = text(),
            "to" => self.to = text(),
            "set" => self.set = text().replace("\r\n", "\n"),
            "do" => self.act = text(),
            "path" => {}
            _ => {
                let fault = BadParameter::unknown(name, &FIELDS);
                return Err(AppError::BadParameters(vec![fault]));
            }
        }
        Ok(())
    }

    /// Takes the first usual place of a file of this name, unless a path is given.
    fn place(&mut self, file: &str) {
        let places = formats::ALL.iter().flat_map(|it| it.places);
        let place = places
            .copied()
            .find(|it| it.rsplit('/').next() == Some(file));
        if let Some(place) = place.filter(|_| self.path.is_empty()) {
            place.clone_into(&mut self.path);
        }
    }

    /// Reports whether the text is to be corrected.
    pub(crate) fn is_to_be_corrected(&self) -> bool {
        self.act == "correct"
    }

    /// Parses what says how to read the text. The error has the faults of the fields.
    pub(crate) fn params(&self) -> Result<DraftParams, AppError> {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let mut faults = Vec::new();
        if self.text.trim().is_empty() && self.file.is_none() {
            let message = "paste a manifest, or choose a file";
            faults.push(BadParameter::new("text", "required", message));
        }
        let origin = given(&self.domain).and_then(|text| match address::site(&text) {
            Ok(domain) => Some(format!("https://{domain}")),
            Err(error) => {
                let message = format!("`{}`: {error}", view::foreign(&text));
                faults.push(BadParameter::new("domain", "bad_domain", message));
                None
            }
        });
        let path = given(&self.path);
        let format = given(&self.format);
        let params = DraftParams::parse(path, format.as_deref(), origin.as_deref(), &mut faults);
        if faults.is_empty() {
            Ok(params)
        } else {
            Err(AppError::BadParameters(faults))
        }
    }

    /// Takes the bytes to read. The field then shows the text of a file, if it is text.
    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        let Some(file) = self.file.take() else {
            return self.text.clone().into_bytes();
        };
        self.text = if let Ok(text) = str::from_utf8(&file) {
            text.to_owned()
        } else {
            let document = Document::of_file("", file.clone());
            manifest::corrected::decoded(&document).unwrap_or_default()
        };
        file
    }
}

/// Returns the error of a form that cannot be read.
fn unreadable(error: &MultipartError) -> AppError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        AppError::TooLarge(crate::error::MAX_BODY)
    } else {
        AppError::BadBody(error.body_text())
    }
}
