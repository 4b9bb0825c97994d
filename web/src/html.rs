//! Templates as responses, and the layout that all pages share.

use crate::answers;
use crate::assets;
use crate::cache::{Policy, Tag};
use crate::twin::Form;
use askama::Template;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse as _, Response};

/// Sections of the site: path and title.
const SECTIONS: [(&str, &str); 5] = [
    ("/browse", "Browse"),
    ("/validate", "Validate"),
    ("/stats", "Stats"),
    ("/docs", "Docs"),
    ("/owners", "For site owners"),
];

/// End of the title of a page.
const TITLE_END: &str = " – agentdex</title>";
/// Element for the title of a page in previews, without its content.
const SHARED_TITLE: &str = "<meta property=\"og:title\"";

/// Values of the layout that all pages share.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Address of the style sheet.
    pub(crate) stylesheet: &'static str,
    /// Address of the script.
    pub(crate) script: &'static str,
    /// Address of the icon.
    pub(crate) icon: &'static str,
    /// Address of the icon for home screens.
    pub(crate) touch_icon: &'static str,
    /// Path of the picture that other sites show beside a link.
    pub(crate) picture: &'static str,
    /// Path, with its query, under which search engines list the page; none if they are to leave it out.
    pub(crate) canonical: Option<String>,
    /// Sections of the site: path and title.
    pub(crate) sections: [(&'static str, &'static str); 5],
    /// Path of the section that the page belongs to; empty if to none.
    pub(crate) section: &'static str,
    /// Text of the search field.
    pub(crate) words: String,
    /// Completions of the search field.
    pub(crate) completions: Vec<String>,
    /// Other forms of the page, if it has any.
    pub(crate) twins: Option<Twins>,
    /// Feed of what the page shows.
    pub(crate) feed: Option<FeedLink>,
}

/// Link to a feed.
#[derive(Clone, Debug)]
pub(crate) struct FeedLink {
    pub(crate) title: String,
    pub(crate) path: String,
}

/// Addresses of a page in its other forms.
#[derive(Clone, Debug)]
pub(crate) struct Twins {
    pub(crate) json: String,
    pub(crate) markdown: String,
}

impl Layout {
    /// Returns the layout of a page whose search field holds `words`.
    pub(crate) fn new(words: &str) -> Self {
        Self {
            stylesheet: &assets::STYLESHEET,
            script: &assets::SCRIPT,
            icon: &assets::ICON,
            touch_icon: &assets::TOUCH_ICON,
            picture: &assets::PICTURE,
            canonical: None,
            sections: SECTIONS,
            section: "",
            words: words.to_owned(),
            completions: Vec::new(),
            twins: None,
            feed: None,
        }
    }

    /// Adds completions to the search field.
    pub(crate) fn completing(self, completions: Vec<String>) -> Self {
        Self {
            completions,
            ..self
        }
    }

    /// Adds the addresses of the twins of the page at `path`, which may have a query.
    pub(crate) fn at(self, address: &str) -> Self {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let twin = |form: Form| match query {
            "" => form.path(path),
            query => format!("{}?{query}", form.path(path)),
        };
        Self {
            twins: Some(Twins {
                json: twin(Form::Json),
                markdown: twin(Form::Markdown),
            }),
            ..self.under(path)
        }
        .listed_as(address)
    }

    /// Sets the path, with its query, under which search engines list the page.
    pub(crate) fn listed_as(self, address: &str) -> Self {
        Self {
            canonical: Some(address.to_owned()),
            ..self
        }
    }

    /// Has search engines leave the page out.
    pub(crate) fn unlisted(self) -> Self {
        Self {
            canonical: None,
            ..self
        }
    }

    /// Adds the feed of what the page shows.
    pub(crate) fn followed_by(self, feed: FeedLink) -> Self {
        Self {
            feed: Some(feed),
            ..self
        }
    }

    /// Marks the section that the page at `path` belongs to.
    pub(crate) fn under(self, path: &str) -> Self {
        let mut sections = SECTIONS.iter().map(|it| it.0);
        let path = if path == "/bot" { "/owners" } else { path };
        let section = sections.find(|it| path == *it || path.starts_with(&format!("{it}/")));
        Self {
            section: section.unwrap_or_default(),
            ..self
        }
    }
}

/// Escapes text of HTML, and of attributes in double quotes.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Renders a page.
pub(crate) fn page(page: &impl Template) -> askama::Result<Html<String>> {
    titled(page).map(Html)
}

/// Renders a page, with its title for previews on other sites too: a template has each block once.
fn titled(page: &impl Template) -> askama::Result<String> {
    let mut text = page.render()?;
    let title = text.split_once("<title>").map(|(_, rest)| rest);
    let title = title.and_then(|it| it.split_once(TITLE_END));
    let title = title.map(|(title, _)| title.replace('"', "&quot;"));
    if let (Some(title), Some(place)) = (title, text.find(SHARED_TITLE)) {
        let content = format!(" content=\"{title}\"");
        text.insert_str(place + SHARED_TITLE.len(), &content);
    }
    Ok(text)
}

/// A page with its twin in Markdown, both of one view model.
pub(crate) trait Page: Template {
    /// Renders the twin.
    fn markdown(&self) -> askama::Result<String>;
}

/// Implements [`Page`] for a page by the template of its twin, which inserts the values of `page`.
macro_rules! markdown_twin {
    ($page:ident $(<$life:lifetime>)?, $path:tt) => {
        impl $(<$life>)? $crate::html::Page for $page $(<$life>)? {
            fn markdown(&self) -> askama::Result<String> {
                #[derive(askama::Template)]
                #[template(path = $path)]
                struct Markdown<'p $(, $life)?> {
                    page: &'p $page $(<$life>)?,
                }
                askama::Template::render(&Markdown { page: self })
            }
        }
    };
}
pub(crate) use markdown_twin;

/// Renders a page in HTML or Markdown; handlers of the API answer for JSON.
pub(crate) fn rendered(form: Form, page: &impl Page) -> askama::Result<Response> {
    Ok(response(form, text(form, page)?))
}

/// Renders a page with `policy` and a tag of its content; 304 if the client has it.
pub(crate) fn tagged(
    form: Form,
    page: &impl Page,
    policy: Policy,
    headers: &HeaderMap,
) -> askama::Result<Response> {
    let text = text(form, page)?;
    let tag = Tag::of(&["page", form.media_type(), &text]);
    Ok(tag.answer(policy, headers, response(form, text)))
}

/// Renders a page like [`tagged`], and keeps it for an outage of the database.
pub(crate) fn kept(
    form: Form,
    page: &impl Page,
    policy: Policy,
    headers: &HeaderMap,
) -> askama::Result<Response> {
    let text = text(form, page)?;
    let tag = Tag::of(&["page", form.media_type(), &text]);
    let response = answers::lasting(&tag, response(form, text));
    Ok(tag.answer(policy, headers, response))
}

/// Renders a page without twins with `policy` and a tag of its content; 304 if the client has it.
pub(crate) fn tagged_page(
    page: &impl Template,
    policy: Policy,
    headers: &HeaderMap,
) -> askama::Result<Response> {
    let text = titled(page)?;
    let tag = Tag::of(&["page", &text]);
    Ok(tag.answer(policy, headers, Html(text)))
}

fn text(form: Form, page: &impl Page) -> askama::Result<String> {
    match form {
        Form::Html | Form::Json => titled(page),
        Form::Markdown => page.markdown(),
    }
}

fn response(form: Form, text: String) -> Response {
    match form {
        Form::Html | Form::Json => Html(text).into_response(),
        Form::Markdown => ([(CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response(),
    }
}
