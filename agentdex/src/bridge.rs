//! The bridge from a client of MCP that can only start a command to the MCP server of a registry.
//!
//! It is a server on standard input and output and a client of the registry, both by the official
//! SDK, so that each side may speak its own version of the protocol. Tools, answers and errors are
//! those of the registry. Standard output has nothing but messages.

mod registry;

use clap::Args;
use registry::{Registry, RegistryError};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError, ServiceError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use std::time::Duration;
use tokio::task::JoinError;
use url::Url;

/// Configuration of a client.
const EXAMPLE: &str = r#"Example, in the configuration of a client:

  {"mcpServers": {"agentdex": {"command": "agentdex", "args": ["mcp", "--registry", "https://agentdex.example"]}}}"#;

/// Maximum number of bytes of a client's message; the registry takes no longer one.
const MAX_MESSAGE: usize = 1024 * 1024;

/// Registry that the bridge leads to.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Bridge {
    /// URL of the registry, without a path.
    #[arg(long, value_name = "URL", env = "AGENTDEX_REGISTRY", value_parser = web::config::public_url)]
    registry: Url,

    /// Seconds in which the registry must have answered a request.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "AGENTDEX_REGISTRY_TIMEOUT",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=600)
    )]
    timeout: u64,
}

/// Reasons for which the bridge ends before its client ends it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BridgeError {
    /// The registry cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The client does not begin as the protocol says.
    #[error("standard input has no messages of MCP; start this command from a client of MCP")]
    Client(#[source] Box<ServerInitializeError>),
    /// The task that serves the client failed.
    #[error("the bridge failed")]
    Task(#[from] JoinError),
}

impl Bridge {
    /// Serves the client until it closes standard input.
    pub(crate) async fn run(&self) -> Result<(), BridgeError> {
        let timeout = Duration::from_secs(self.timeout);
        let registry = Registry::connect(&self.registry, timeout).await?;
        let (input, output) = stdio_pipes();
        let transport =
            AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_MESSAGE);
        match Box::pin(registry.serve(transport)).await {
            Ok(client) => {
                client.waiting().await?;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(BridgeError::Client(Box::new(error))),
        }
    }
}

impl ServerHandler for Registry {
    fn get_info(&self) -> ServerConfig {
        self.description()
    }

    async fn list_tools(
        &self,
        mut request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // What is said about a request holds for one side.
        if let Some(request) = &mut request {
            request.meta = None;
        }
        match within(&context, self.tools().list_tools(request)).await? {
            Ok(listed) => Ok(listed),
            Err(ServiceError::McpError(error)) => Err(error),
            Err(error) => Err(ErrorData::internal_error(self.failure(&error), None)),
        }
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        request.meta = None;
        match within(&context, self.tools().call_tool_once(request)).await? {
            Ok(answer) => Ok(answer),
            Err(ServiceError::McpError(error)) => Err(error),
            // A result, so that the model reads it and can wait or give up.
            Err(error) => {
                let text = ContentBlock::text(self.failure(&error));
                Ok(CallToolResult::error(vec![text]).into())
            }
        }
    }
}

/// Returns the result of a request to the registry, which is cancelled when the client cancels its own.
async fn within<T>(
    context: &RequestContext<RoleServer>,
    request: impl Future<Output = T>,
) -> Result<T, ErrorData> {
    let result = context.ct.run_until_cancelled(request).await;
    // The SDK sends no answer to a cancelled request.
    result.ok_or_else(|| ErrorData::internal_error("the client cancelled the request", None))
}
