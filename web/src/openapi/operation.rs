//! Description of an operation: what it takes, and how it answers.

use crate::error::ProblemBody;
use aide::generate;
use aide::openapi::{
    Header, MediaType, Operation, Parameter, ParameterData, ParameterSchemaOrContent, PathStyle,
    QueryStyle, ReferenceOr, RequestBody, Response, SchemaObject, StatusCode,
};
use aide::transform::TransformOperation;
use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::Value;

/// Problems that any operation may answer with, each with its reason.
const ANYWHERE: [(u16, &str); 7] = [
    (400, "The request names no host, or several."),
    (
        405,
        "The address does not accept the method; `Allow` states the methods that it accepts.",
    ),
    (413, "The request has a body of more than 1 MiB."),
    (
        429,
        "Too many requests of this client; `Retry-After` states when to try again.",
    ),
    (500, "An internal error, which was logged."),
    (
        503,
        "The search index cannot be read at present; `Retry-After` states when to try again.",
    ),
    (504, "The answer took longer than ten seconds."),
];

/// Statuses without a body, with which a request is refused before its operation is known.
const UNREAD: [(u16, &str); 2] = [
    (414, "The address has more than 64 KiB."),
    (431, "The header fields are too many or too long."),
];

/// Member of a parameter whose empty value counts as none.
pub(crate) const EMPTY: &str = "allowEmptyValue";
/// Media type of a body of any type.
const ANY_BYTES: &str = "application/octet-stream";
const PROBLEM: &str = "application/problem+json";
/// Media type of answers, and of bodies that are objects.
const JSON: &str = "application/json";

/// Description of an operation.
pub(crate) struct OperationDoc<'t>(TransformOperation<'t>);

impl<'t> OperationDoc<'t> {
    /// Describes an operation by a stable id and a sentence.
    pub(crate) fn new(operation: TransformOperation<'t>, id: &str, summary: &str) -> Self {
        let mut described = Self(operation.id(id).summary(summary));
        // The library derives parameters from the handler, without their names.
        described.operation().parameters.clear();
        described
    }

    /// Adds a segment of the path.
    pub(crate) fn path(mut self, name: &str, description: &str, example: &str) -> Self {
        let format = json_schema!({ "type": "string", "minLength": 1 });
        let parameter = Parameter::Path {
            parameter_data: ParameterData {
                required: true,
                ..parameter(name, description, format, Some(example))
            },
            style: PathStyle::Simple,
        };
        self.operation()
            .parameters
            .push(ReferenceOr::Item(parameter));
        self
    }

    /// Adds a parameter of the query; a list may be repeated.
    pub(crate) fn query(mut self, name: &str, description: &str, format: Schema) -> Self {
        // A list of any texts has an empty one as well.
        let is_of_any_texts = format.get("type").is_some_and(|it| it == "array")
            && format.as_value().pointer("/items/enum").is_none();
        let mut parameter_data = parameter(name, description, format, None);
        if !is_of_any_texts {
            // An empty value counts as none. The library's own member is written with another name.
            let extensions = &mut parameter_data.extensions;
            extensions.insert(EMPTY.to_owned(), true.into());
        }
        let parameter = Parameter::Query {
            parameter_data,
            allow_reserved: false,
            style: QueryStyle::Form,
            allow_empty_value: None,
        };
        self.operation()
            .parameters
            .push(ReferenceOr::Item(parameter));
        self
    }

    /// Adds a parameter of the query without which there is no answer.
    pub(crate) fn required_query(self, name: &str, description: &str, format: Schema) -> Self {
        let mut described = self.query(name, description, format);
        let last = described.operation().parameters.last_mut();
        if let Some(ReferenceOr::Item(Parameter::Query { parameter_data, .. })) = last {
            parameter_data.required = true;
        }
        described
    }

    /// Adds a manifest as the body, and what goes with it.
    pub(crate) fn draft(self) -> Self {
        let text = || json_schema!({ "type": "string" });
        let path = json_schema!({ "type": "string", "pattern": "^(/|$)" });
        let mut described = self
            .query("path", "Path at which its site serves it.", path)
            .query("as", "Format, instead of detecting it.", text())
            .query("origin", "URL of its site.", text())
            .problem(
                400,
                "A parameter is unknown, invalid or missing, or the body is incomplete.",
            );
        described.operation().request_body = Some(ReferenceOr::Item(RequestBody {
            description: Some("The manifest, of any media type.".to_owned()),
            content: IndexMap::from([bytes_of(ANY_BYTES)]),
            required: false,
            ..RequestBody::default()
        }));
        described
    }

    /// Adds a JSON object as the body.
    pub(crate) fn object(self, description: &str, json_schema: Schema) -> Self {
        self.json(description, content_of(JSON, json_schema))
            .problem(415, "The body is not of the type application/json.")
    }

    fn json(mut self, description: &str, content: IndexMap<String, MediaType>) -> Self {
        self.operation().request_body = Some(ReferenceOr::Item(RequestBody {
            description: Some(description.to_owned()),
            content,
            required: true,
            ..RequestBody::default()
        }));
        self
    }

    /// Adds the answer to a request that is accepted and takes effect later.
    pub(crate) fn accepted<T: JsonSchema>(self, description: &str) -> Self {
        let response = response(description, content::<T>(JSON));
        self.respond(202, response)
    }

    /// Adds the answer to a request that is carried out later, with the address of its state.
    pub(crate) fn queued<T: JsonSchema>(self, description: &str) -> Self {
        let mut accepted = response(description, content::<T>(JSON));
        accepted.headers = IndexMap::from([header("Location", "The address of its state.")]);
        self.respond(202, accepted)
    }

    /// Adds the successful answer to a request that is not kept.
    pub(crate) fn once<T: JsonSchema>(self, description: &str) -> Self {
        let response = response(description, content::<T>(JSON));
        self.respond(200, response)
    }

    /// Adds a header of the request.
    pub(crate) fn header_parameter(mut self, name: &str, description: &str) -> Self {
        let format = json_schema!({ "type": "string" });
        let parameter = Parameter::Header {
            parameter_data: parameter(name, description, format, None),
            style: aide::openapi::HeaderStyle::Simple,
        };
        self.operation()
            .parameters
            .push(ReferenceOr::Item(parameter));
        self
    }

    /// Adds an answer of bytes of these media types, or without a body.
    pub(crate) fn bytes(self, status: u16, description: &str, media_types: &[&str]) -> Self {
        let content = media_types.iter().map(|it| bytes_of(it));
        self.respond(status, response(description, content.collect()))
    }

    /// Adds the answers of the address of an agent that is no longer listed under it.
    pub(crate) fn tombstones(self) -> Self {
        let mut renamed = response(
            "The agent has another name now, or is part of another agent.",
            IndexMap::new(),
        );
        renamed.headers = IndexMap::from([header("Location", "The address of that agent.")]);
        self.respond(301, renamed).problem(
            410,
            "The agent is no longer listed; `tombstone` has the time and the reason.",
        )
    }

    /// Adds media types of bytes to the successful answer.
    pub(crate) fn or_bytes(mut self, media_types: &[&str]) -> Self {
        let responses = self.operation().responses.get_or_insert_default();
        let found = responses.responses.get_mut(&StatusCode::Code(200));
        if let Some(ReferenceOr::Item(response)) = found {
            let bytes = media_types.iter().map(|it| bytes_of(it));
            response.content.extend(bytes);
        }
        self
    }

    /// Adds the successful answer, and that for a client that has it.
    pub(crate) fn answer<T: JsonSchema>(self, description: &str) -> Self {
        let content = content::<T>(JSON);
        let mut response = response(description, content);
        response.headers = headers();
        let mut same = self::response(
            "The client has the answer that its tag names.",
            IndexMap::new(),
        );
        same.headers = headers();
        self.respond(200, response).respond(304, same)
    }

    /// Adds a problem.
    pub(crate) fn problem(self, status: u16, reason: &str) -> Self {
        let content = content::<ProblemBody>(PROBLEM);
        self.respond(status, response(reason, content))
    }

    /// Adds the redirect of another spelling of a path.
    pub(crate) fn moved(self) -> Self {
        let mut moved = response("Another spelling of the address.", IndexMap::new());
        moved.headers = IndexMap::from([header("Location", "The canonical address.")]);
        self.respond(308, moved)
    }

    /// Adds the refusals of a request that changes something.
    pub(crate) fn act(self) -> Self {
        self.problem(
            403,
            "A page of another origin sent the request; pages of other origins may only read.",
        )
    }

    /// Returns the description, with the answers that every operation may give.
    pub(crate) fn done(self) -> TransformOperation<'t> {
        let problem = |mut described: Self, (status, reason)| {
            let responses = described.operation().responses.get_or_insert_default();
            let code = StatusCode::Code(status);
            if responses.responses.contains_key(&code) {
                // It has a reason of its own.
                return described;
            }
            described.problem(status, reason)
        };
        let unread = |described: Self, (status, reason)| {
            described.respond(status, response(reason, IndexMap::new()))
        };
        let described = ANYWHERE.into_iter().fold(self, problem);
        UNREAD.into_iter().fold(described, unread).0
    }

    /// Returns the description like [`OperationDoc::done`], but with other reasons of some problems.
    pub(crate) fn done_with(self, reasons: &[(u16, &str)]) -> TransformOperation<'t> {
        let done = Self(self.done());
        let problem =
            |described: Self, (status, reason): &(u16, &str)| described.problem(*status, reason);
        reasons.iter().fold(done, problem).0
    }

    /// Returns the description like [`OperationDoc::done`], with all problems in the form of another
    /// protocol.
    pub(crate) fn done_as<T: JsonSchema>(self) -> TransformOperation<'t> {
        let mut done = Self(self.done());
        let responses = done.operation().responses.get_or_insert_default();
        for response in responses.responses.values_mut() {
            if let ReferenceOr::Item(response) = response
                && response.content.contains_key(PROBLEM)
            {
                response.content = content::<T>(JSON);
            }
        }
        done.0
    }

    fn respond(mut self, status: u16, response: Response) -> Self {
        let responses = self.operation().responses.get_or_insert_default();
        let code = StatusCode::Code(status);
        responses
            .responses
            .insert(code, ReferenceOr::Item(response));
        self
    }

    fn operation(&mut self) -> &mut Operation {
        self.0.inner_mut()
    }
}

fn parameter(
    name: &str,
    description: &str,
    format: Schema,
    example: Option<&str>,
) -> ParameterData {
    ParameterData {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: false,
        deprecated: None,
        format: ParameterSchemaOrContent::Schema(SchemaObject {
            json_schema: format,
            external_docs: None,
            example: None,
        }),
        example: example.map(Value::from),
        examples: IndexMap::new(),
        explode: None,
        extensions: IndexMap::new(),
    }
}

fn response(description: &str, content: IndexMap<String, MediaType>) -> Response {
    Response {
        description: description.to_owned(),
        content,
        ..Response::default()
    }
}

fn content<T: JsonSchema>(media_type: &str) -> IndexMap<String, MediaType> {
    let json_schema = generate::in_context(|context| context.schema.subschema_for::<T>());
    content_of(media_type, json_schema)
}

/// Returns content of one media type, of which a schema is known.
fn content_of(media_type: &str, json_schema: Schema) -> IndexMap<String, MediaType> {
    let schema = SchemaObject {
        json_schema,
        external_docs: None,
        example: None,
    };
    let of_type = MediaType {
        schema: Some(schema),
        ..MediaType::default()
    };
    IndexMap::from([(media_type.to_owned(), of_type)])
}

/// Returns a media type whose content is text, or bytes.
fn bytes_of(media_type: &str) -> (String, MediaType) {
    let json_schema = if media_type.starts_with("text/") {
        json_schema!({ "type": "string" })
    } else {
        json_schema!({ "type": "string", "format": "binary" })
    };
    let schema = SchemaObject {
        json_schema,
        external_docs: None,
        example: None,
    };
    let of_type = MediaType {
        schema: Some(schema),
        ..MediaType::default()
    };
    (media_type.to_owned(), of_type)
}

fn headers() -> IndexMap<String, ReferenceOr<Header>> {
    IndexMap::from([
        header("ETag", "Tag of the answer, for `If-None-Match`."),
        header("Cache-Control", "Time for which the answer may be kept."),
    ])
}

fn header(name: &str, description: &str) -> (String, ReferenceOr<Header>) {
    let text = SchemaObject {
        json_schema: json_schema!({ "type": "string" }),
        external_docs: None,
        example: None,
    };
    let header = Header {
        description: Some(description.to_owned()),
        style: aide::openapi::HeaderStyle::Simple,
        required: true,
        deprecated: None,
        format: ParameterSchemaOrContent::Schema(text),
        example: None,
        examples: IndexMap::new(),
        extensions: IndexMap::new(),
    };
    (name.to_owned(), ReferenceOr::Item(header))
}
