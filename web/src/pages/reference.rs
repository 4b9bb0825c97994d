//! `/docs/api`: the document of the API with a list of its operations, and `/docs/api/{part}`: the
//! operations of one subject, or the schemas; all made from the same value as `/openapi.json`.

mod types;

use crate::cache::{self, Policy};
use crate::error::{AppError, NoParameters, sentence};
use crate::html::{self, Layout, Page};
use crate::pages::docs;
use crate::twin::Form;
use crate::view;
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

/// Name of the part with the schemas.
const SCHEMAS: &str = "schemas";
/// Path of the description that the reference is made from.
const OPENAPI: &str = "/openapi.json";

/// Operations and schemas of a description.
#[derive(Debug)]
struct Reference {
    version: String,
    groups: Vec<Group>,
    schemas: Vec<Schema>,
}

/// Operations of one subject.
#[derive(Debug)]
struct Group {
    /// Tag of its operations, and segment of its path.
    name: String,
    title: String,
    description: Text,
    operations: Vec<Operation>,
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
        let tags = document["tags"].as_array().into_iter().flatten();
        let schemas = entries(&document["components"]["schemas"]);
        Self {
            version: string(&document["info"]["version"]),
            groups: tags.map(|tag| Group::of(tag, &document["paths"])).collect(),
            schemas: schemas.map(|it| Schema::of(it.0, it.1)).collect(),
        }
    }
}

impl Group {
    /// Collects the operations with a tag.
    fn of(tag: &Value, paths: &Value) -> Self {
        let name = string(&tag["name"]);
        let is_tagged = |operation: &Value| {
            let mut tags = operation["tags"].as_array().into_iter().flatten();
            tags.any(|it| *it == name)
        };
        let operations = entries(paths).flat_map(|(path, item)| {
            let tagged = entries(item).filter(|it| is_tagged(it.1));
            tagged.map(move |(method, operation)| Operation::of(path, method, operation))
        });
        Self {
            operations: operations.collect(),
            description: Text::of(tag),
            title: sentence(&name).trim_end_matches('.').to_owned(),
            name,
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
    public_url: &'a str,
    reference: &'a Reference,
}

/// Operations of one subject, or the schemas.
#[derive(Template)]
#[template(path = "reference_part.html")]
struct PartPage<'a> {
    layout: Layout,
    title: &'a str,
    description: Text,
    operations: &'a [Operation],
    schemas: &'a [Schema],
}

html::markdown_twin!(ReferencePage<'a>, "reference.md");
html::markdown_twin!(PartPage<'a>, "reference_part.md");

/// Body of the JSON twin.
#[derive(Debug, Serialize)]
struct ReferenceBody {
    #[serde(flatten)]
    summary: docs::DocSummary,
    /// The document and the list of operations in Markdown.
    markdown: String,
    /// The same for programs.
    openapi: &'static str,
}

/// Body of the JSON twin of a part.
#[derive(Debug, Serialize)]
struct PartBody {
    title: String,
    page: String,
    /// The part in Markdown.
    markdown: String,
    /// The same for programs.
    openapi: &'static str,
}

/// Answers `GET /docs/api`.
pub(crate) fn show(
    of: &LazyReference,
    public_url: &str,
    form: Form,
    headers: &HeaderMap,
) -> Result<Response, AppError> {
    let page = page(of.reference(), public_url)?;
    Ok(html::tagged(form, &page, Policy::Details, headers)?)
}

/// Answers `GET /docs/api/index.json`.
pub(crate) fn twin(
    of: &LazyReference,
    public_url: &str,
    _: NoParameters,
    headers: &HeaderMap,
) -> Result<Response, AppError> {
    let page = page(of.reference(), public_url)?;
    let body = ReferenceBody {
        summary: page.doc.summary(),
        markdown: page.markdown()?,
        openapi: OPENAPI,
    };
    Ok(cache::json(&body, Policy::Details, headers))
}

/// Answers `GET /docs/api/{part}`.
pub(crate) fn show_part(
    of: &LazyReference,
    part: &str,
    form: Form,
    headers: &HeaderMap,
) -> Result<Response, AppError> {
    let page = part_page(of.reference(), part)?;
    Ok(html::tagged(form, &page, Policy::Details, headers)?)
}

/// Answers `GET /docs/api/{part}/index.json`.
pub(crate) fn part_twin(
    of: &LazyReference,
    part: &str,
    _: NoParameters,
    headers: &HeaderMap,
) -> Result<Response, AppError> {
    let page = part_page(of.reference(), part)?;
    let body = PartBody {
        title: page.title.to_owned(),
        page: part_path(part),
        markdown: page.markdown()?,
        openapi: OPENAPI,
    };
    Ok(cache::json(&body, Policy::Details, headers))
}

fn page<'a>(reference: &'a Reference, public_url: &'a str) -> Result<ReferencePage<'a>, AppError> {
    let doc = docs::DocIndex::find(NAME).ok_or_else(|| AppError::no_such_page(NAME))?;
    Ok(ReferencePage {
        layout: doc.layout(),
        doc,
        public_url,
        reference,
    })
}

fn part_page<'a>(reference: &'a Reference, part: &str) -> Result<PartPage<'a>, AppError> {
    let path = part_path(part);
    if part == SCHEMAS {
        return Ok(PartPage {
            layout: Layout::new("").at(&path),
            title: "Schemas",
            description: Text::new("Types of the values in requests and answers."),
            operations: &[],
            schemas: &reference.schemas,
        });
    }
    let group = reference.groups.iter().find(|it| it.name == part);
    let group = group.ok_or_else(|| AppError::no_such_page(&path))?;
    Ok(PartPage {
        layout: Layout::new("").at(&path),
        title: &group.title,
        description: group.description.clone(),
        operations: &group.operations,
        schemas: &[],
    })
}

/// Returns the path of a part of the reference.
fn part_path(part: &str) -> String {
    view::path(&["docs", NAME, part])
}
