//! Configurations of MCP clients, each in the form that its client reads.

use super::auth;
use super::cleaned;
use super::input::headers;
use super::model::{Call, ClientConfig, Draft, Placeholder};
use data_encoding::BASE64;
use manifest::Timestamp;
use manifest::agent::{Agent, Capability, Interface, Program, ProgramInput};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use url::Url;

/// Start of what clients replace by values of their user's machine, such as `${HOME}` or `${env:HOME}`.
const VARIABLE: &str = "${";

/// A server as configurations describe it.
pub(super) struct Server {
    name: String,
    entry: Map<String, Value>,
    /// Values that the user brings, in braces within the entry.
    inputs: Vec<Input>,
}

/// Value that the user of a client brings.
struct Input {
    placeholder: Placeholder,
    is_secret: bool,
}

impl Server {
    /// Returns the server of an agent: its first one over HTTP, else its first program.
    pub(super) fn of_agent(name: &str, agent: &Agent, now: Option<Timestamp>) -> Option<Self> {
        let mut interfaces = agent.interfaces.iter();
        let over_http = interfaces.find_map(|it| Self::over_http(name, it, agent, now));
        over_http.or_else(|| {
            let mut programs = agent.programs.iter();
            programs.find_map(|it| Self::of_program(name, it))
        })
    }

    /// Returns the server of an interface, with the credential that callers send; `None` if it is not
    /// called over HTTP.
    fn over_http(
        name: &str,
        interface: &Interface,
        agent: &Agent,
        now: Option<Timestamp>,
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
        let (mut secrets, mut others) = (Draft::default(), Draft::default());
        let mut call = Call::new("POST", &interface.url);
        if matches!(&access.carrier, Some(carrier) if carrier.location == "header") {
            auth::add(&access, &mut call);
            auth::describe(&access, &agent.auth, &mut secrets);
        }
        for (param, value) in headers(interface, now, &mut others) {
            // A server answers without a value that its user may bring, and refuses one in braces.
            if param.required || !value.contains('{') {
                call.add_header(&param.name, &value);
            }
        }
        let headers = call.headers;
        if !headers.is_empty() {
            entry.insert("headers".to_owned(), json!(headers));
        }
        let of = |placeholders: Vec<Placeholder>, is_secret| {
            let inputs = placeholders.into_iter();
            inputs.map(move |placeholder| Input {
                placeholder,
                is_secret,
            })
        };
        let inputs = of(secrets.placeholders, true).chain(of(others.placeholders, false));
        Self::with(name, entry, inputs)
    }

    /// Returns the server that a program is; `None` if it speaks another protocol, or its command is not
    /// stated.
    fn of_program(name: &str, program: &Program) -> Option<Self> {
        let command = program.command.as_deref()?;
        let mut words = command.split_whitespace();
        if program.protocol.as_deref() != Some("mcp") {
            return None;
        }
        let mut entry = Map::new();
        entry.insert("type".to_owned(), json!("stdio"));
        entry.insert("command".to_owned(), json!(words.next()?));
        entry.insert("args".to_owned(), words.collect());
        let is_variable = |it: &&ProgramInput| it.location == ProgramInput::ENVIRONMENT;
        let variables = program.inputs.iter().filter(is_variable);
        let set: Map<_, _> = variables
            .filter_map(|it| {
                let asked = it.is_asked().then(|| format!("{{{}}}", it.name));
                let value = it.default.as_deref().map(cleaned).or(asked)?;
                Some((it.name.clone(), json!(value)))
            })
            .collect();
        if !set.is_empty() {
            entry.insert("env".to_owned(), Value::Object(set));
        }
        let asked = program.inputs.iter().filter(|it| it.is_asked());
        let inputs = asked.map(|it| Input {
            placeholder: Placeholder {
                description: it.description.clone(),
                ..Placeholder::named(&it.name, place(it), "")
            },
            is_secret: it.secret,
        });
        Self::with(name, entry, inputs)
    }

    /// Creates a server with the inputs that its entry mentions; `None` if a stranger's text would be replaced by
    /// values of the user's machine, which may be secrets.
    fn with(
        name: &str,
        entry: Map<String, Value>,
        inputs: impl Iterator<Item = Input>,
    ) -> Option<Self> {
        let text = json!(entry).to_string();
        let inputs = inputs.filter(|it| text.contains(&it.placeholder.text));
        (!text.contains(VARIABLE)).then(|| Self {
            name: name.to_owned(),
            inputs: inputs.collect(),
            entry,
        })
    }

    /// Describes the values that the user brings.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.inputs.iter().map(|it| &it.placeholder)
    }

    /// Returns the configuration that most clients read.
    pub(super) fn usual(&self) -> Value {
        json!({"mcpServers": {&self.name: self.entry}})
    }

    /// Returns the configuration of each client, with the link that installs the server there.
    pub(super) fn for_clients(&self) -> Vec<ClientConfig> {
        let mut of_cursor = self.entry.clone();
        if self.entry.contains_key("url") {
            // Cursor finds out the transport by itself.
            of_cursor.remove("type");
        }
        let (of_vscode, inputs) = self.for_vscode();
        let mut file_of_vscode = json!({"servers": {&self.name: of_vscode}});
        let mut link_of_vscode = of_vscode;
        link_of_vscode["name"] = json!(self.name);
        if !inputs.is_empty() {
            file_of_vscode["inputs"] = json!(inputs);
            link_of_vscode["inputs"] = json!(inputs);
        }
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let cursor_link = format!(
            "cursor://anysphere.cursor-deeplink/mcp/install?name={}&config={}",
            encoded(&self.name),
            encoded(&BASE64.encode(json!(of_cursor).to_string().as_bytes()))
        );
        let vscode_link = format!(
            "vscode:mcp/install?{}",
            encoded(&link_of_vscode.to_string())
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
                config: file_of_vscode,
                install: Some(vscode_link),
            },
        ]
    }

    /// Returns the entry of VS Code, which asks its user for the values, and those inputs.
    fn for_vscode(&self) -> (Value, Vec<Value>) {
        let mut entry = json!(self.entry);
        let inputs = self.inputs.iter().map(|it| {
            let id = it.placeholder.text.trim_matches(['{', '}']);
            fill(
                &mut entry,
                &it.placeholder.text,
                &format!("${{input:{id}}}"),
            );
            let mut input = json!({
                "type": "promptString",
                "id": id,
                "description": it.placeholder.description.as_deref().unwrap_or(id),
            });
            if it.is_secret {
                input["password"] = json!(true);
            }
            input
        });
        let inputs = inputs.collect();
        (entry, inputs)
    }
}

/// Replaces a placeholder in all texts of a value.
fn fill(value: &mut Value, placeholder: &str, with: &str) {
    match value {
        Value::String(text) => *text = text.replace(placeholder, with),
        Value::Array(items) => items.iter_mut().for_each(|it| fill(it, placeholder, with)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|it| fill(it, placeholder, with)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the position of an input, as placeholders name it.
fn place(input: &ProgramInput) -> &'static str {
    if input.location == ProgramInput::ENVIRONMENT {
        ProgramInput::ENVIRONMENT
    } else {
        ProgramInput::ARGUMENT
    }
}
