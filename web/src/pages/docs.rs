//! `/docs`: the documentation, and `/docs/{name}`: one document of it, as `docs/*.md` has it.

use crate::cache::{self, Policy};
use crate::error::{AppError, NoParameters, Problem};
use crate::html::{self, Layout, Page};
use crate::state::AppState;
use crate::twin::Form;
use askama::Template;
use askama::filters::{Escaper as _, Html, Safe};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde::Serialize;
use std::sync::LazyLock;

mod markdown;

/// A document in Markdown.
#[derive(Debug)]
struct Doc {
    /// The file without its ending.
    name: &'static str,
    /// Path of the page.
    path: &'static str,
    title: &'static str,
    /// Purpose of the document, in a sentence.
    summary: &'static str,
    text: &'static str,
}

/// Every document that is shown, in the order in which `/docs` lists them.
const ALL: &[Doc] = &[
    Doc {
        name: "search",
        path: "/docs/search",
        title: "How to search",
        summary: "What a query can say, and what the answer means.",
        text: include_str!("../../../docs/search.md"),
    },
    Doc {
        name: "http",
        path: "/docs/http",
        title: "Requests and limits",
        summary: "Forms of a page, pages of results, caching, errors and the rate limit.",
        text: include_str!("../../../docs/http.md"),
    },
    Doc {
        name: "errors",
        path: "/docs/errors",
        title: "Errors",
        summary: "Every error by its code, with its status, its reasons and what to do.",
        text: include_str!("../../../docs/errors.md"),
    },
    Doc {
        name: "api",
        path: "/docs/api",
        title: "The API",
        summary: "Every address for programs, and the rules for all of them.",
        text: include_str!("../../../docs/api.md"),
    },
    Doc {
        name: "changes",
        path: "/docs/changes",
        title: "Changes and exports",
        summary: "How to keep a copy of the registry, and what becomes of an agent's id.",
        text: include_str!("../../../docs/changes.md"),
    },
    Doc {
        name: "ranking",
        path: "/docs/ranking",
        title: "Ranking",
        summary: "How results are ordered, and why.",
        text: include_str!("../../../docs/ranking.md"),
    },
    Doc {
        name: "connect",
        path: "/docs/connect",
        title: "How to call an agent",
        summary: "What the API says about the first call to an agent.",
        text: include_str!("../../../docs/connect.md"),
    },
    Doc {
        name: "protocols",
        path: "/docs/protocols",
        title: "Protocols",
        summary: "The manifests of this registry, and the protocols that it answers.",
        text: include_str!("../../../docs/protocols.md"),
    },
    Doc {
        name: "formats",
        path: "/docs/formats",
        title: "Formats",
        summary: "Every manifest format: places, recognition, mapping and rules.",
        text: include_str!("../../../docs/formats.md"),
    },
    Doc {
        name: "levels",
        path: "/docs/levels",
        title: "Manifest A to D",
        summary: "What the level of a file says, and what it does not.",
        text: include_str!("../../../docs/levels.md"),
    },
    Doc {
        name: "listing",
        path: "/docs/listing",
        title: "The life of a listing",
        summary: "States of a site, times between visits, and how its owner has it visited now.",
        text: include_str!("../../../docs/listing.md"),
    },
    Doc {
        name: "politeness",
        path: "/docs/politeness",
        title: "Politeness",
        summary: "What the crawler does on a site, what it never does, and how to keep it away.",
        text: include_str!("../../../docs/politeness.md"),
    },
    Doc {
        name: "moderation",
        path: "/docs/moderation",
        title: "Moderation and leaving",
        summary: "How to leave the registry and come back, and what an operator hides, with the public log.",
        text: include_str!("../../../docs/moderation.md"),
    },
    Doc {
        name: "getting-started",
        path: "/docs/getting-started",
        title: "Getting started",
        summary: "From an empty server to a registry with TLS, backups and alerts.",
        text: include_str!("../../../docs/getting-started.md"),
    },
    Doc {
        name: "operating",
        path: "/docs/operating",
        title: "Operating a registry",
        summary: "Health, metrics, alerts, backups, retention, secrets and updates.",
        text: include_str!("../../../docs/operating.md"),
    },
    Doc {
        name: "scale",
        path: "/docs/scale",
        title: "Scale",
        summary: "When to use a server instead of a file, several machines, and what to expect.",
        text: include_str!("../../../docs/scale.md"),
    },
    Doc {
        name: "bot",
        path: "/bot",
        title: "Our crawler",
        summary: "What it requests, how often, how to keep it out, and how to be listed.",
        text: include_str!("../../../docs/bot.md"),
    },
    Doc {
        name: "about",
        path: "/about",
        title: "About agentdex",
        summary: "Purpose and principles of this registry.",
        text: include_str!("../../../docs/about.md"),
    },
];

/// Addresses of registries in the examples of documents, the first also as tables break it.
const REGISTRIES: [&str; 3] = [
    "http://127.0.0.1:8080",
    "http:/<wbr>/<wbr>127.0.0.1:8080",
    "https://registry.example",
];

/// The documents as HTML, in the order of [`ALL`].
static PAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let texts = || ALL.iter().map(|doc| (doc.name, doc.text));
    let ids = markdown::ids(texts());
    texts()
        .map(|(name, text)| markdown::rendered(name, text, &ids))
        .collect()
});

/// The documents in Markdown, in the order of [`ALL`], with links to pages instead of files.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let linked = |text: &str| {
        ALL.iter().fold(text.to_owned(), |text, doc| {
            text.replace(&format!("]({}.md", doc.name), &format!("]({}", doc.path))
        })
    };
    ALL.iter().map(|doc| linked(doc.text)).collect()
});

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage {
    layout: Layout,
    docs: &'static [Doc],
}

#[derive(Template)]
#[template(path = "doc.html")]
struct DocPage {
    layout: Layout,
    doc: DocIndex,
    public_url: String,
}

html::markdown_twin!(DocsPage, "docs.md");

impl Page for DocPage {
    fn markdown(&self) -> askama::Result<String> {
        // The document is written in Markdown.
        Ok(self.doc.markdown(&self.public_url).0)
    }
}

/// Replaces the addresses by which the examples of documents name a registry.
fn with_registry(text: &str, public_url: &str) -> String {
    let replaced = |text: String, example: &&str| text.replace(*example, public_url);
    REGISTRIES.iter().fold(text.to_owned(), replaced)
}

/// Place of a document in the list of all, for a page of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocIndex(usize);

impl DocIndex {
    /// Finds a document.
    pub(crate) fn find(name: &str) -> Option<Self> {
        ALL.iter().position(|doc| doc.name == name).map(Self)
    }

    /// Finds the document at an address, in one of its forms.
    fn at(uri: &Uri) -> Result<Self, AppError> {
        let is_there = |doc: &Doc| {
            let forms = [Form::Html, Form::Json, Form::Markdown];
            let mut paths = forms.into_iter().map(|form| form.path(doc.path));
            paths.any(|path| path == uri.path())
        };
        let position = ALL.iter().position(is_there).map(Self);
        position.ok_or_else(|| AppError::no_such_page(uri.path()))
    }

    /// Lists the paths of all documents.
    pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|it| it.path)
    }

    /// Returns the layout of its page.
    pub(crate) fn layout(self) -> Layout {
        Layout::new("").at(ALL[self.0].path)
    }

    /// Returns its title.
    pub(crate) fn title(self) -> &'static str {
        ALL[self.0].title
    }

    /// Returns its text as HTML, which needs no escaping, with the address of the registry at
    /// `public_url` in its examples.
    pub(crate) fn html(self, public_url: &str) -> Safe<String> {
        let mut escaped = String::new();
        // Writing to a string does not fail.
        let _ = Html.write_escaped_str(&mut escaped, public_url);
        Safe(with_registry(&PAGES[self.0], &escaped))
    }

    /// Returns its text in Markdown, which needs no escaping, with the address of the registry at
    /// `public_url` in its examples.
    pub(crate) fn markdown(self, public_url: &str) -> Safe<String> {
        Safe(with_registry(&TEXTS[self.0], public_url))
    }

    /// Returns its entry in the list of documents.
    pub(crate) fn summary(self) -> DocSummary {
        DocSummary::of(&ALL[self.0])
    }
}

/// Body of the JSON twin of `/docs`.
#[derive(Debug, Serialize)]
struct DocsBody {
    docs: Vec<DocSummary>,
}

#[derive(Debug, Serialize)]
pub(crate) struct DocSummary {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    page: &'static str,
}

/// Body of the JSON twin of a document.
#[derive(Debug, Serialize)]
struct DocBody {
    #[serde(flatten)]
    summary: DocSummary,
    /// Text in Markdown.
    markdown: String,
}

impl DocSummary {
    fn of(doc: &Doc) -> Self {
        Self {
            name: doc.name,
            title: doc.title,
            summary: doc.summary,
            page: doc.path,
        }
    }
}

/// Answers `GET /docs`.
pub(crate) async fn list(form: Form, headers: HeaderMap) -> Result<Response, AppError> {
    let page = DocsPage {
        layout: Layout::new("").at("/docs"),
        docs: ALL,
    };
    Ok(html::tagged(form, &page, Policy::Details, &headers)?)
}

/// Answers `GET /docs/index.json`.
pub(crate) async fn list_twin(_: NoParameters, headers: HeaderMap) -> Response {
    let docs = ALL.iter().map(DocSummary::of).collect();
    cache::json(&DocsBody { docs }, Policy::Details, &headers)
}

/// Answers the JSON twin of a document.
pub(crate) async fn twin(
    State(state): State<AppState>,
    _: NoParameters,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let doc = DocIndex::at(&uri)?;
    let body = DocBody {
        summary: doc.summary(),
        markdown: doc.markdown(&state.public_url).0,
    };
    Ok(cache::json(&body, Policy::Details, &headers))
}

/// Answers `GET` for a document.
pub(crate) async fn show(
    State(state): State<AppState>,
    form: Form,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let doc = DocIndex::at(&uri)?;
    let page = DocPage {
        layout: doc.layout(),
        doc,
        public_url: state.public_url.clone(),
    };
    Ok(html::tagged(form, &page, Policy::Details, &headers)?)
}
