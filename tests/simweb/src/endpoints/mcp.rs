//! An MCP server over streamable HTTP, with sessions, by the official SDK.

use super::{Answers, check};
use crate::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

/// Tools of a server, as its manifest states them.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    server: Implementation,
    described: Arc<[Tool]>,
    answers: Arc<Answers>,
}

impl Tools {
    /// Reads what a manifest states of a server, and its tools. A server of which no tool is stated
    /// has one that answers requests in words.
    pub(super) fn of<'a>(
        server: &Value,
        tools: impl IntoIterator<Item = &'a Value>,
        answers: &Arc<Answers>,
    ) -> Self {
        let text = |name: &str| server[name].as_str();
        let mut named = Implementation::new(
            text("name").unwrap_or("server"),
            text("version").unwrap_or("1.0.0"),
        );
        if let Some(title) = text("title") {
            named = named.with_title(title);
        }
        let mut tools: Vec<_> = tools.into_iter().filter_map(tool).collect();
        if tools.is_empty() {
            let ask = json!({"name": "ask", "description": "Answers a request in words."});
            tools.extend(tool(&ask));
        }
        Self {
            server: named,
            described: tools.into(),
            answers: Arc::clone(answers),
        }
    }
}

/// Reads a tool. One whose input is not stated takes a request in words.
fn tool(stated: &Value) -> Option<Tool> {
    let words = json!({
        "type": "object",
        "properties": {"request": {"type": "string"}},
        "required": ["request"],
    });
    let name = stated["name"].as_str()?.to_owned();
    let description = stated["description"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let schema = stated.get("inputSchema").unwrap_or(&words).as_object()?;
    Some(Tool::new(name, description, Arc::new(schema.clone())))
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(self.server.clone())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.described.iter().find(|it| it.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.described.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.get_tool(&request.name) else {
            let message = format!("Unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let schema = Value::Object((*tool.input_schema).clone());
        if let Err((_, reason)) = check(&schema, &Value::Object(arguments.clone())) {
            return Ok(CallToolResult::error(vec![ContentBlock::text(reason)]).into());
        }
        let answer = answer(arguments, self.answers.get(&*request.name));
        let text = ContentBlock::text(answer.to_string());
        let mut result = CallToolResult::success(vec![text]);
        result.structured_content = Some(answer);
        Ok(result.into())
    }
}

/// Returns the arguments of a call together with the answer of the site.
fn answer(arguments: Map<String, Value>, own: Option<&Value>) -> Value {
    let mut answer = arguments;
    match own {
        Some(Value::Object(members)) => answer.extend(members.clone()),
        Some(other) => drop(answer.insert("answer".to_owned(), other.clone())),
        None => drop(answer.insert("done".to_owned(), json!(true))),
    }
    Value::Object(answer)
}

/// Server at one address.
#[derive(Clone)]
pub(super) struct Server(StreamableHttpService<Tools, LocalSessionManager>);

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Server")
    }
}

impl Server {
    pub(super) fn new(tools: Tools) -> Self {
        // The sites of this web have names of their own, and no user's browser reaches them.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let make = move || Ok(tools.clone());
        let sessions = Arc::new(LocalSessionManager::default());
        Self(StreamableHttpService::new(make, sessions, config))
    }

    pub(super) async fn answer(&self, request: &Request<Bytes>) -> Response<Body> {
        let request = request.clone().map(Body::from);
        self.0.handle(request).await.map(Body::foreign)
    }
}
