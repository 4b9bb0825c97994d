//! Contact information for site owners (P3).

use super::error::ConfigError;
use manifest::Domain;
use url::Url;

/// Contact of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contact {
    Page(String),
    Mailbox(String),
}

impl Contact {
    pub(super) fn parse(text: &str) -> Result<Self, ConfigError> {
        let text = text.trim();
        let is_sendable = |letter: char| letter.is_ascii_graphic() && !"()<>\"\\".contains(letter);
        if !text.chars().all(is_sendable) {
            return Err(ConfigError::Contact(text.to_owned()));
        }
        let mailbox = text.strip_prefix("mailto:").unwrap_or(text);
        let is_page = Url::parse(text)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        match mailbox.split_once('@') {
            _ if is_page => Ok(Self::Page(text.to_owned())),
            Some((local, host)) if !local.is_empty() && Domain::parse(host).is_ok() => {
                Ok(Self::Mailbox(mailbox.to_owned()))
            }
            Some(_) | None => Err(ConfigError::Contact(text.to_owned())),
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Page(text) | Self::Mailbox(text) => text,
        }
    }

    pub(super) fn into_mailbox(self) -> Option<String> {
        match self {
            Self::Page(_) => None,
            Self::Mailbox(mailbox) => Some(mailbox),
        }
    }

    /// Returns the origin of the page, if it is served over TLS.
    pub(super) fn origin(&self) -> Option<Url> {
        match self {
            Self::Page(page) => Url::parse(page).ok().filter(|url| url.scheme() == "https"),
            Self::Mailbox(_) => None,
        }
    }
}
