//! Members of all generations, named as in their specifications.

use crate::FormatId;
use crate::field::{Field, List, Table};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Registry entry: the same members, and installable packages.
pub(super) const REGISTRY: FormatId = FormatId::specified("mcp-registry-server");

/// Server card.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Card {
    #[serde(rename = "$schema")]
    pub(super) schema: Field<String>,
    pub(super) name: Field<String>,
    pub(super) title: Field<String>,
    pub(super) version: Field<String>,
    pub(super) description: Field<String>,
    #[serde(rename = "websiteUrl")]
    pub(super) website_url: Field<String>,
    pub(super) icons: List<Icon>,
    pub(super) repository: Field<Repository>,
    pub(super) remotes: List<Remote>,
    /// Members of registry entries.
    pub(super) packages: List<Package>,
    pub(super) version_detail: Field<VersionDetail>,
    /// Members of older generations.
    #[serde(rename = "serverInfo")]
    pub(super) server_info: Field<ServerInfo>,
    /// Alternative names in hand-written files.
    pub(super) server: Field<ServerInfo>,
    pub(super) homepage: Field<String>,
    pub(super) documentation: Field<String>,
    pub(super) auth: Field<Authentication>,
    pub(super) connection: Field<Value>,
    pub(super) endpoints: Field<Endpoints>,
    pub(super) transport: Field<Value>,
    #[serde(rename = "serverUrl")]
    pub(super) server_url: Field<String>,
    pub(super) endpoint: Field<String>,
    pub(super) url: Field<String>,
    #[serde(rename = "documentationUrl")]
    pub(super) documentation_url: Field<String>,
    pub(super) icon: Field<String>,
    pub(super) authentication: Field<Authentication>,
    pub(super) tools: List<Tool>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Generation of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// Current: `$schema`, `namespace/name` and remotes.
    Current,
    /// Older: all members on the top level, including tools.
    Flat,
    /// Older: `serverInfo` and `transport`, including tools.
    Nested,
    /// The registry's `server.json`.
    Registry,
}

impl Card {
    /// Returns the generation, by the members that only one of them has.
    pub(super) fn generation(&self) -> Generation {
        let is_named = !self.schema.is_absent() || !self.remotes.is_absent();
        let is_nested = !self.server_info.is_absent() || !self.server.is_absent();
        let is_older = !self.transport.is_absent()
            || !self.server_url.is_absent()
            || !self.endpoint.is_absent()
            || !self.url.is_absent()
            || !self.endpoints.is_absent()
            || !self.connection.is_absent()
            || !self.tools.is_absent();
        if !self.schema.is_absent() && !self.remotes.is_absent() && self.packages.is_absent() {
            Generation::Current
        } else if is_nested {
            Generation::Nested
        } else if !self.packages.is_absent() || !self.version_detail.is_absent() {
            Generation::Registry
        } else if is_older && !is_named {
            Generation::Flat
        } else {
            Generation::Current
        }
    }

    /// Returns the separate identity of the server, if any, with its pointer.
    pub(super) fn info(&self) -> Option<(&'static str, &ServerInfo)> {
        let of_handshake = self.server_info.get().map(|info| ("/serverInfo", info));
        of_handshake.or_else(|| Some(("/server", self.server.get()?)))
    }

    /// Returns a member of `transport`, which is an object in one generation and a string in the
    /// other.
    pub(super) fn transport_text(&self, member: &str) -> Option<&str> {
        let transport = self.transport.get().or(self.connection.get())?;
        match transport {
            Value::String(word) if member == "type" => Some(word.as_str()),
            transport => transport.get(member)?.as_str(),
        }
        .filter(|text| !text.trim().is_empty())
    }
}

/// Icon of the server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Icon {
    pub(super) src: Field<String>,
}

/// Source repository.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Repository {
    pub(super) source: Field<String>,
    pub(super) url: Field<String>,
}

/// Package from which the server can be installed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Package {
    #[serde(rename = "registryType")]
    pub(super) registry: Field<String>,
    pub(super) identifier: Field<String>,
    /// Names of these in the registry of July 2025, and of the next.
    pub(super) registry_name: Field<String>,
    pub(super) registry_type: Field<String>,
    pub(super) name: Field<String>,
    pub(super) version: Field<String>,
    #[serde(rename = "runtimeHint", alias = "runtime_hint")]
    pub(super) runtime: Field<String>,
    #[serde(rename = "runtimeArguments", alias = "runtime_arguments")]
    pub(super) runtime_arguments: List<Argument>,
    #[serde(rename = "packageArguments", alias = "package_arguments")]
    pub(super) arguments: List<Argument>,
    #[serde(rename = "environmentVariables", alias = "environment_variables")]
    pub(super) environment: List<Argument>,
    pub(super) transport: Field<Value>,
}

/// Argument of a command, or environment variable.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Argument {
    /// Name of a flag with its dashes, or of a variable; positional arguments have none.
    pub(super) name: Field<String>,
    #[serde(rename = "valueHint", alias = "value_hint")]
    pub(super) hint: Field<String>,
    pub(super) value: Field<String>,
    pub(super) default: Field<String>,
    pub(super) description: Field<String>,
    #[serde(rename = "isRequired", alias = "is_required")]
    pub(super) is_required: Field<bool>,
    #[serde(rename = "isSecret", alias = "is_secret")]
    pub(super) is_secret: Field<bool>,
    /// Values in braces within `value`.
    pub(super) variables: Table<Self>,
}

/// Remote endpoint.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Remote {
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    /// Name of `type` in the registry of July 2025.
    pub(super) transport_type: Field<String>,
    pub(super) url: Field<String>,
    pub(super) headers: List<Header>,
    pub(super) variables: Table<Value>,
    #[serde(rename = "supportedProtocolVersions")]
    pub(super) protocol_versions: List<String>,
}

/// Header that the server requires.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    pub(super) name: Field<String>,
    pub(super) value: Field<String>,
    pub(super) description: Field<String>,
    #[serde(rename = "isRequired")]
    pub(super) is_required: Field<bool>,
    #[serde(rename = "isSecret")]
    pub(super) is_secret: Field<bool>,
}

/// Version in the form of the registry of July 2025.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct VersionDetail {
    pub(super) version: Field<String>,
}

/// Identity of the server, as in the MCP handshake.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ServerInfo {
    pub(super) name: Field<String>,
    pub(super) title: Field<String>,
    pub(super) version: Field<String>,
    pub(super) description: Field<String>,
    /// Members of hand-written files.
    pub(super) url: Field<String>,
    #[serde(rename = "displayName")]
    pub(super) display_name: Field<String>,
}

/// Endpoints by protocol.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Endpoints {
    pub(super) mcp: Field<String>,
}

/// Authentication in older generations.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Authentication {
    pub(super) required: Field<bool>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) schemes: List<String>,
    /// Alternative name of `schemes`.
    pub(super) methods: List<String>,
}

/// Tool in older generations.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tool {
    pub(super) name: Field<String>,
    pub(super) title: Field<String>,
    pub(super) description: Field<String>,
    #[serde(rename = "inputSchema")]
    pub(super) input_schema: Field<Value>,
    #[serde(rename = "outputSchema")]
    pub(super) output_schema: Field<Value>,
    /// Alternative names of the input schema.
    #[serde(rename = "input_schema")]
    pub(super) snake_case_schema: Field<Value>,
    pub(super) parameters: Field<Value>,
}
