//! Configurations of MCP clients, each in the form that its client reads.

use super::auth;
use super::input::headers;
use super::model::{Call, ClientConfig, Draft};
use data_encoding::BASE64;
use manifest::Timestamp;
use manifest::agent::{Agent, Capability, Interface};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use url::Url;

/// A server as configurations describe it.
pub(super) struct Server {
    name: String,
    entry: Map<String, Value>,
}

impl Server {
    /// Returns the server of an interface, with the credential that callers send; `None` if it is not
    /// called over HTTP.
    pub(super) fn of(
        name: &str,
        interface: &Interface,
        agent: &Agent,
        now: Timestamp,
    ) -> Option<Self> {
        let url = Url::parse(&interface.url).ok()?;
        if interface.protocol != "mcp" || !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let kind = match interface.transport.as_deref() {
            Some("sse") => Some("sse"),
            Some("streamable-http" | "http") => Some("http"),
            Some(_) | None => None,
        };
        let mut entry = Map::new();
        if let Some(kind) = kind {
            entry.insert("type".to_owned(), json!(kind));
        }
        entry.insert("url".to_owned(), json!(interface.url));
        // The form of a credential is stated by the authentication, not by the header.
        let is_of_server = |it: &&Capability| it.protocol.as_deref() == Some("mcp");
        let tool = agent.capabilities.iter().find(is_of_server);
        let access = auth::access(&agent.auth, tool);
        let mut call = Call::new("POST", &interface.url);
        if matches!(&access.carrier, Some(carrier) if carrier.location == "header") {
            auth::add(&access, &mut call);
        }
        for (param, value) in headers(interface, now, &mut Draft::default()) {
            call.add_header(&param.name, &value);
        }
        let headers = call.headers;
        if !headers.is_empty() {
            entry.insert("headers".to_owned(), json!(headers));
        }
        Some(Self {
            name: name.to_owned(),
            entry,
        })
    }

    /// Returns the configuration that most clients read.
    pub(super) fn usual(&self) -> Value {
        json!({"mcpServers": {&self.name: self.entry}})
    }

    /// Returns the configuration of each client, with the link that installs the server there.
    pub(super) fn for_clients(&self) -> Vec<ClientConfig> {
        let mut of_cursor = self.entry.clone();
        // Cursor finds out the transport by itself.
        of_cursor.remove("type");
        let mut of_vscode = self.entry.clone();
        of_vscode.insert("name".to_owned(), json!(self.name));
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let cursor_link = format!(
            "cursor://anysphere.cursor-deeplink/mcp/install?name={}&config={}",
            encoded(&self.name),
            encoded(&BASE64.encode(json!(of_cursor).to_string().as_bytes()))
        );
        let vscode_link = format!(
            "vscode:mcp/install?{}",
            encoded(&json!(of_vscode).to_string())
        );
        vec![
            ClientConfig {
                client: "Claude",
                config: self.usual(),
                install: None,
            },
            ClientConfig {
                client: "Cursor",
                config: json!({"mcpServers": {&self.name: of_cursor}}),
                install: Some(cursor_link),
            },
            ClientConfig {
                client: "VS Code",
                config: json!({"servers": {&self.name: self.entry}}),
                install: Some(vscode_link),
            },
        ]
    }
}
