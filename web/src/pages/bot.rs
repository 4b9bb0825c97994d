//! `/bot`: the crawler, with the contact and the addresses of this registry.

use crate::cache::{self, Policy};
use crate::crawler_identity::CARD;
use crate::error::{AppError, NoParameters, Problem};
use crate::html::{self, Layout, Page as _};
use crate::pages::docs::{DocIndex, DocSummary};
use crate::state::AppState;
use crate::twin::Form;
use crate::view::edge::{ADDRESSES, KEY_DIRECTORY};
use crate::view::{WebLink, foreign};
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde::Serialize;

#[derive(Debug, Template)]
#[template(path = "bot.html")]
struct BotPage {
    layout: Layout,
    doc: DocIndex,
    registry: RegistryFacts,
}

/// Addresses of this registry, and what it publishes of its crawler.
#[derive(Debug)]
struct RegistryFacts {
    url: WebLink,
    /// Page or mail address; `None` if none is configured.
    contact: Option<Mailbox>,
    /// Path of the list of the crawler's addresses; `None` if the operator publishes none.
    addresses: Option<&'static str>,
    /// Path of the key directory; `None` if the operator publishes no keys.
    keys: Option<&'static str>,
    /// Path of the card of the crawler.
    card: &'static str,
}

/// Page, or mail address with its link.
#[derive(Debug)]
struct Mailbox {
    text: String,
    href: String,
}

/// Body of the JSON twin.
#[derive(Debug, Serialize)]
struct BotBody {
    #[serde(flatten)]
    summary: DocSummary,
    registry: String,
    /// `null` if none is configured.
    contact: Option<String>,
    /// Paths of what machines read about the crawler; `null` for what is not published.
    card: &'static str,
    keys: Option<&'static str>,
    addresses: Option<&'static str>,
    /// Text in Markdown.
    markdown: String,
}

html::markdown_twin!(BotPage, "bot.md");

/// Answers `GET /bot`.
pub(crate) async fn show(
    State(state): State<AppState>,
    form: Form,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let page = BotPage::of(&state, &uri)?;
    Ok(html::tagged(form, &page, Policy::Details, &headers)?)
}

/// Answers `GET /bot/index.json`.
pub(crate) async fn twin(
    State(state): State<AppState>,
    _: NoParameters,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let page = BotPage::of(&state, &uri)?;
    let body = BotBody {
        summary: page.doc.summary(),
        registry: state.public_url.clone(),
        contact: state.contact.clone(),
        card: page.registry.card,
        keys: page.registry.keys,
        addresses: page.registry.addresses,
        markdown: page.markdown().map_err(AppError::from)?,
    };
    Ok(cache::json(&body, Policy::Details, &headers))
}

impl BotPage {
    fn of(state: &AppState, uri: &Uri) -> Result<Self, AppError> {
        let doc = DocIndex::find("bot").ok_or_else(|| AppError::no_such_page(uri.path()))?;
        let contact = state.contact.as_deref();
        Ok(Self {
            layout: doc.layout(),
            doc,
            registry: RegistryFacts {
                url: WebLink::of(&state.public_url),
                contact: contact.map(|contact| Mailbox {
                    text: foreign(contact.trim_start_matches("mailto:")),
                    href: if contact.contains(':') {
                        contact.to_owned()
                    } else {
                        format!("mailto:{contact}")
                    },
                }),
                addresses: state.crawler.has_addresses().then_some(ADDRESSES),
                keys: state.crawler.keys().map(|_| KEY_DIRECTORY),
                card: CARD,
            },
        })
    }
}
