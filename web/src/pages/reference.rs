//! `/docs/api`: the document of the API, and below it the reference of all operations and schemas,
//! made from the same value as `/openapi.json`.

mod types;

use crate::cache::{self, Policy};
use crate::error::{AppError, NoParameters};
use crate::html::{self, Layout, Page};
use crate::pages::docs;
use crate::twin::Form;
use aide::openapi::OpenApi;
use askama::Template;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use types::{Member, Piece, Type, members, type_of};

/// Name of the document that the page begins with.
pub(crate) const NAME: &str = "api";

/// Operations and schemas of a description.
#[derive(Debug)]
struct Reference {
    version: String,
    operations: Vec<Operation>,
    schemas: Vec<Schema>,
}

/// Reference that is read from a description when it is first shown.
#[derive(Debug)]
pub(crate) struct LazyReference {
    document: Arc<OpenApi>,
    reference: OnceLock<Reference>,
}

impl LazyReference {
    /// Creates the reference of a description.
    pub(crate) fn new(document: Arc<OpenApi>) -> Self {
        Self {
            document,
            reference: OnceLock::new(),
        }
    }

    fn reference(&self) -> &Reference {
        let read = || Reference::of(&self.document);
        self.reference.get_or_init(read)
    }
}

/// An operation.
#[derive(Debug)]
struct Operation {
    id: String,
    method: String,
    path: String,
    summary: Text,
    parameters: Vec<Parameter>,
    body: Option<Body>,
    answers: Vec<Answer>,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    /// Part of the request that has it, such as `query`.
    place: String,
    is_required: bool,
    of: Type,
    description: Text,
}

#[derive(Debug)]
struct Body {
    media_types: String,
    description: Text,
}

#[derive(Debug)]
struct Answer {
    status: String,
    description: Text,
    /// Media types, each with its type if one is stated.
    content: Vec<(String, Option<Type>)>,
    headers: Vec<String>,
}

#[derive(Debug)]
struct Schema {
    name: String,
    description: Text,
    /// Type, unless it is an object with members or one of several values.
    of: Option<Type>,
    members: Vec<Member>,
    /// Permitted values that have descriptions.
    values: Vec<(Type, Text)>,
}

/// Text with code at every other position.
#[derive(Clone, Debug, Default)]
pub(super) struct Text(Vec<String>);

impl Text {
    /// Reads the description of a value.
    fn of(value: &Value) -> Self {
        let text = value["description"].as_str().unwrap_or_default();
        Self::new(text)
    }

    /// Reports whether there is any text.
    fn is_some(&self) -> bool {
        self.0.iter().any(|it| !it.is_empty())
    }

    fn new(text: &str) -> Self {
        // Lines of a comment are one paragraph.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self(text.split('`').map(str::to_owned).collect())
    }
}

impl Reference {
    /// Reads a description.
    fn of(document: &OpenApi) -> Self {
        let document = serde_json::to_value(document).unwrap_or_default();
        let operations = entries(&document["paths"]).flat_map(|(path, item)| {
            entries(item).map(|(method, operation)| Operation::of(path, method, operation))
        });
        let schemas = entries(&document["components"]["schemas"]);
        Self {
            version: string(&document["info"]["version"]),
            operations: operations.collect(),
            schemas: schemas.map(|it| Schema::of(it.0, it.1)).collect(),
        }
    }
}

impl Operation {
    fn of(path: &str, method: &str, operation: &Value) -> Self {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let mut answers: Vec<_> = entries(&operation["responses"])
            .map(|(status, response)| Answer::of(status, response))
            .collect();
        answers.sort_by(|one, other| one.status.cmp(&other.status));
        Self {
            id: string(&operation["operationId"]),
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: Text::new(operation["summary"].as_str().unwrap_or_default()),
            parameters: parameters.map(Parameter::of).collect(),
            body: operation.get("requestBody").map(Body::of),
            answers,
        }
    }
}

impl Parameter {
    fn of(parameter: &Value) -> Self {
        Self {
            name: string(&parameter["name"]),
            place: string(&parameter["in"]),
            is_required: parameter["required"] == true,
            of: type_of(&parameter["schema"]),
            description: Text::of(parameter),
        }
    }
}

impl Body {
    fn of(body: &Value) -> Self {
        let media_types: Vec<&str> = entries(&body["content"]).map(|it| it.0).collect();
        Self {
            media_types: media_types.join(", "),
            description: Text::of(body),
        }
    }
}

impl Answer {
    fn of(status: &str, response: &Value) -> Self {
        let content = entries(&response["content"]).map(|(media_type, content)| {
            let of = content.get("schema").map(type_of);
            (media_type.to_owned(), of)
        });
        Self {
            status: status.to_owned(),
            description: Text::of(response),
            content: content.collect(),
            headers: entries(&response["headers"])
                .map(|it| it.0.to_owned())
                .collect(),
        }
    }
}

impl Schema {
    fn of(name: &str, schema: &Value) -> Self {
        let alternatives = schema["oneOf"].as_array().into_iter().flatten();
        let values: Vec<_> = alternatives.map(|it| (type_of(it), Text::of(it))).collect();
        let members = members(schema);
        let of = (values.is_empty() && members.is_empty()).then(|| type_of(schema));
        Self {
            name: name.to_owned(),
            description: Text::of(schema),
            of,
            members,
            values,
        }
    }
}

fn entries(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = object.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), value))
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[derive(Template)]
#[template(path = "reference.html")]
struct ReferencePage<'a> {
    layout: Layout,
    doc: docs::DocIndex,
    reference: &'a Reference,
}

/// The twin in Markdown.
#[derive(Template)]
#[template(path = "reference.md")]
struct ReferenceMarkdown<'a> {
    doc: docs::DocIndex,
    reference: &'a Reference,
}

impl Page for ReferencePage<'_> {
    fn markdown(&self) -> askama::Result<String> {
        let (doc, reference) = (self.doc, self.reference);
        ReferenceMarkdown { doc, reference }.render()
    }
}

/// Body of the JSON twin.
#[derive(Debug, Serialize)]
struct ReferenceBody {
    #[serde(flatten)]
    summary: docs::DocSummary,
    /// The document and the reference in Markdown.
    markdown: String,
    /// The same for programs.
    openapi: &'static str,
}

/// Answers `GET /docs/api`.
pub(crate) fn show(
    of: &LazyReference,
    form: Form,
    headers: &HeaderMap,
) -> Result<Response, AppError> {
    Ok(html::tagged(
        form,
        &page(of.reference())?,
        Policy::Details,
        headers,
    )?)
}

/// Answers `GET /docs/api/index.json`.
pub(crate) fn twin(
    of: &LazyReference,
    _: NoParameters,
    headers: &HeaderMap,
) -> Result<Response, AppError> {
    let page = page(of.reference())?;
    let body = ReferenceBody {
        summary: page.doc.summary(),
        markdown: page.markdown()?,
        openapi: "/openapi.json",
    };
    Ok(cache::json(&body, Policy::Details, headers))
}

fn page(reference: &Reference) -> Result<ReferencePage<'_>, AppError> {
    let doc = docs::DocIndex::find(NAME).ok_or_else(|| AppError::no_such_page(NAME))?;
    Ok(ReferencePage {
        layout: doc.layout(),
        doc,
        reference,
    })
}
