//! The MCP server of a registry, over HTTP.

use reqwest::redirect::Policy;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProtocolVersion, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient,
    RunningService, ServiceError,
};
use rmcp::transport::streamable_http_client::{
    HttpStatusError, StreamableHttpClientTransportConfig, StreamableHttpError,
};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};
use std::error::Error;
use std::time::Duration;
use terminal::without_password;
use url::Url;

/// Path of the MCP server of every registry.
const PATH: &str = "/mcp";

/// Version of the protocol that every registry speaks; it needs no session.
const VERSION: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// Name of this client, for the registry.
const NAME: &str = env!("CARGO_PKG_NAME");

/// Maximum number of bytes of an answer: the largest budget of a tool, as text and as JSON.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// Maximum number of bytes that are read of a page in the place of an answer: none is shown.
const MAX_FAULT: usize = 0;

/// Status of a refusal because of too many requests.
const TOO_MANY_REQUESTS: u16 = 429;

type HttpError = StreamableHttpError<reqwest::Error>;

/// Connection to the MCP server of a registry.
#[derive(Debug)]
pub(super) struct Registry {
    endpoint: String,
    timeout: Duration,
    client: RunningService<RoleClient, ClientConfig>,
}

/// Reasons for which a registry cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryError {
    /// The HTTP client refuses its settings or the certificates of this machine.
    #[error("cannot set up the HTTP client")]
    Setup(#[source] reqwest::Error),
    /// No answer.
    #[error("no registry answers at {endpoint}: {reason}")]
    Unreachable { endpoint: String, reason: String },
    /// An answer that says to come later.
    #[error("the registry at {endpoint} takes no requests at present: {reason}")]
    Busy { endpoint: String, reason: String },
    /// An answer that none of a registry's MCP server is.
    #[error("{endpoint} is no MCP server of a registry: {reason}")]
    NotMcp { endpoint: String, reason: String },
}

/// Redirect, which may lead to a server that the user did not choose.
#[derive(Debug, thiserror::Error)]
#[error("it redirects to {0}; if the registry is there, give that address")]
struct Redirected(String);

impl Registry {
    /// Connects to a registry, whose answers take at most `timeout` each.
    pub(super) async fn connect(url: &Url, timeout: Duration) -> Result<Self, RegistryError> {
        let mut url = url.clone();
        url.set_path(PATH);
        let endpoint = without_password(url.as_str());
        let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .max_json_response_size(MAX_ANSWER)
            .max_sse_event_size(MAX_ANSWER)
            .max_error_response_size(MAX_FAULT);
        let http = http_client(timeout).map_err(RegistryError::Setup)?;
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let client = Implementation::new(NAME, env!("CARGO_PKG_VERSION"));
        let lifecycle = ClientLifecycleMode::Discover {
            preferred_versions: vec![VERSION],
        };
        let client = ClientConfig::new(ClientCapabilities::default(), client)
            .serve_with_lifecycle(transport, lifecycle)
            .await
            .map_err(|error| refusal(&endpoint, &error, timeout))?;
        Ok(Self {
            endpoint,
            timeout,
            client,
        })
    }

    /// Returns what the registry says about its server. Of its capabilities, the bridge has the tools.
    pub(super) fn description(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut description = ServerConfig::new(capabilities);
        if let Some(info) = self.client.peer_info() {
            if let Some(server) = &info.server_info {
                description = description.with_server_info(server.clone());
            }
            description.instructions.clone_from(&info.instructions);
        }
        description
    }

    /// Returns the side of the connection that sends requests.
    pub(super) fn tools(&self) -> &Peer<RoleClient> {
        self.client.peer()
    }

    /// Describes the failure of a request for the client and its model.
    pub(super) fn failure(&self, error: &ServiceError) -> String {
        let reason = match error {
            ServiceError::TransportSend(error) => {
                of_transport(error).map(|error| reason(error, self.timeout))
            }
            _ => None,
        };
        let reason = reason.unwrap_or_else(|| error.to_string());
        format!("The registry at {} did not answer: {reason}", self.endpoint)
    }
}

/// Returns a client that reaches the registry and nothing else.
fn http_client(timeout: Duration) -> reqwest::Result<reqwest::Client> {
    // It fails if there is one already, which is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let policy = Policy::custom(|attempt| {
        let to = Redirected(without_password(attempt.url().as_str()));
        attempt.error(to)
    });
    reqwest::Client::builder()
        .user_agent(concat!(
            env!("CARGO_PKG_NAME"),
            "/",
            env!("CARGO_PKG_VERSION")
        ))
        .redirect(policy)
        .no_proxy()
        .timeout(timeout)
        .build()
}

/// Returns the reason for which a connection was not made.
fn refusal(endpoint: &str, error: &ClientInitializeError, timeout: Duration) -> RegistryError {
    let endpoint = endpoint.to_owned();
    let not_mcp = |reason: &str| RegistryError::NotMcp {
        endpoint: endpoint.clone(),
        // The SDK ends with the text of a page, of which nothing is read.
        reason: reason.trim_end_matches([':', ' ']).to_owned(),
    };
    match error {
        ClientInitializeError::JsonRpcError(error) => not_mcp(&error.message),
        ClientInitializeError::TransportError { error, .. } => {
            let Some(error) = of_transport(error) else {
                return not_mcp(&error.to_string());
            };
            let reason = reason(error, timeout);
            match error {
                StreamableHttpError::Client(_) => RegistryError::Unreachable { endpoint, reason },
                StreamableHttpError::HttpStatus(_) => RegistryError::Busy { endpoint, reason },
                _ => not_mcp(&reason),
            }
        }
        error => not_mcp(&error.to_string()),
    }
}

/// Returns the error of the connection over HTTP.
fn of_transport(error: &DynamicTransportError) -> Option<&HttpError> {
    error.error.downcast_ref()
}

/// Returns the reason for which a request failed, without the address, which may have a password.
fn reason(error: &HttpError, timeout: Duration) -> String {
    match error {
        StreamableHttpError::Client(error) if error.is_timeout() => {
            format!("no answer within {} s", timeout.as_secs())
        }
        StreamableHttpError::Client(error) => root(error),
        StreamableHttpError::HttpStatus(HttpStatusError {
            status: TOO_MANY_REQUESTS,
            retry_after: Some(wait),
            ..
        }) => format!("too many requests; the next is possible in {wait} s"),
        StreamableHttpError::UnexpectedContentType(Some(media_type)) => {
            format!("the answer is {media_type}")
        }
        error => error.to_string(),
    }
}

/// Returns the innermost cause of an error, which names the fault.
fn root(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
