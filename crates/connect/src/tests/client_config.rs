//! Configurations of MCP clients.

use super::*;
use manifest::agent::{Program, ProgramInput};

/// Returns the configuration of a client.
fn configuration<'c>(connect: &'c Connect, client: &str) -> &'c ClientConfig {
    let mut all = connect.client_configs.iter();
    all.find(|it| it.client == client).unwrap()
}

/// Returns what the link that installs a server in VS Code has.
fn installed_in_vscode(connect: &Connect) -> Value {
    let link = configuration(connect, "VS Code").install.as_ref().unwrap();
    let encoded = link.strip_prefix("vscode:mcp/install?").unwrap();
    let decoded = percent_encoding::percent_decode_str(encoded);
    serde_json::from_str(&decoded.decode_utf8().unwrap()).unwrap()
}

#[test]
fn an_mcp_server_is_told_with_transport_address_and_headers() {
    let header = |name: &str, required| Param {
        location: Some("header".to_owned()),
        required,
        ..param(name)
    };
    let mut server = interface("mcp", Some("streamable-http"), None);
    server.params = vec![
        header("X-Mesa-Key", true),
        Param {
            default: Some(json!("eu")),
            ..header("X-Region", false)
        },
        Param {
            location: Some("path".to_owned()),
            ..param("tenant")
        },
    ];
    let agent = Agent {
        interfaces: vec![interface("a2a", None, None), server],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    assert_eq!(
        connect.client_config,
        Some(json!({"mcpServers": {"mesa": {
            "type": "http",
            "url": "https://mesa.example/agent",
            "headers": {"X-Mesa-Key": "{X-Mesa-Key}", "X-Region": "eu"},
        }}}))
    );
}

#[test]
fn the_configuration_of_an_mcp_client_has_the_credential_in_its_form() {
    let mut server = interface("mcp", Some("streamable-http"), None);
    server.params = vec![Param {
        location: Some("header".to_owned()),
        ..param("authorization")
    }];
    let bearer = Auth {
        scheme: "bearer".to_owned(),
        ..Auth::default()
    };
    let headers = |requires_auth| {
        let tool = Capability {
            protocol: Some("mcp".to_owned()),
            requires_auth,
            ..Capability::default()
        };
        let agent = Agent {
            interfaces: vec![server.clone()],
            auth: vec![bearer.clone()],
            capabilities: vec![tool],
            ..Agent::default()
        };
        let connect = connect(&listing(agent), None, NOW);
        connect.client_config.unwrap()["mcpServers"]["mesa"]["headers"].clone()
    };
    let with_token = json!({"Authorization": "Bearer {access_token}"});
    assert_eq!(headers(None), with_token);
    assert_eq!(headers(Some(true)), with_token);
    // What the tool needs nothing for is left to the server's own header.
    assert_eq!(
        headers(Some(false)),
        json!({"authorization": "{authorization}"})
    );
}

#[test]
fn vs_code_asks_for_a_credential() {
    let agent = Agent {
        interfaces: vec![interface("mcp", Some("streamable-http"), None)],
        auth: vec![Auth {
            scheme: "bearer".to_owned(),
            ..Auth::default()
        }],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    let input = json!({"type": "promptString", "id": "access_token",
        "description": "Token of the caller", "password": true});
    let server = json!({"type": "http", "url": "https://mesa.example/agent",
        "headers": {"Authorization": "Bearer ${input:access_token}"}});
    assert_eq!(
        configuration(&connect, "VS Code").config,
        json!({"servers": {"mesa": server}, "inputs": [input]})
    );
    let mut installed = server;
    installed["name"] = json!("mesa");
    installed["inputs"] = json!([input]);
    assert_eq!(installed_in_vscode(&connect), installed);
}

#[test]
fn a_program_is_started_with_what_its_user_brings() {
    let input = |name: &str, location: &str, default: Option<&str>| ProgramInput {
        name: name.to_owned(),
        location: location.to_owned(),
        description: Some(format!("The {name}")),
        required: true,
        secret: name.ends_with("KEY"),
        default: default.map(str::to_owned),
    };
    let unused = ProgramInput {
        required: false,
        ..input("MESA_LOG", ProgramInput::ENVIRONMENT, None)
    };
    let agent = Agent {
        programs: vec![Program {
            protocol: Some("mcp".to_owned()),
            transport: "stdio".to_owned(),
            command: Some("npx -y @mesa/tables --city {city}".to_owned()),
            inputs: vec![
                input("MESA_KEY", ProgramInput::ENVIRONMENT, None),
                input("MESA_REGION", ProgramInput::ENVIRONMENT, Some("north")),
                unused,
                input("city", ProgramInput::ARGUMENT, None),
            ],
        }],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    assert_eq!(connect.callable, Callable::Run);
    let server = |city: &str, key: &str| {
        json!({"type": "stdio", "command": "npx", "args": ["-y", "@mesa/tables", "--city", city],
            "env": {"MESA_KEY": key, "MESA_REGION": "north"}})
    };
    let usual = json!({"mcpServers": {"mesa": server("{city}", "{MESA_KEY}")}});
    assert_eq!(connect.client_config.as_ref(), Some(&usual));
    for client in ["Claude", "Cursor"] {
        assert_eq!(configuration(&connect, client).config, usual);
    }
    let of_vscode = server("${input:city}", "${input:MESA_KEY}");
    let inputs = json!([
        {"type": "promptString", "id": "MESA_KEY", "description": "The MESA_KEY", "password": true},
        {"type": "promptString", "id": "city", "description": "The city"},
    ]);
    assert_eq!(
        configuration(&connect, "VS Code").config,
        json!({"servers": {"mesa": of_vscode}, "inputs": inputs})
    );
    assert_eq!(installed_in_vscode(&connect)["inputs"], inputs);
    let asked: Vec<_> = connect
        .placeholders
        .iter()
        .map(|it| (it.text.as_str(), it.location))
        .collect();
    assert_eq!(
        asked,
        [("{MESA_KEY}", "environment"), ("{city}", "argument")]
    );
}

#[test]
fn a_program_of_another_protocol_has_no_configuration() {
    for (protocol, command) in [(None, Some("npx -y mesa")), (Some("mcp"), None)] {
        let agent = Agent {
            programs: vec![Program {
                protocol: protocol.map(str::to_owned),
                command: command.map(str::to_owned),
                ..Program::default()
            }],
            ..Agent::default()
        };
        assert_eq!(connect(&listing(agent), None, NOW).client_config, None);
    }
}

#[test]
fn variables_of_the_user_are_in_no_configuration() {
    let program = |command: &str| Program {
        protocol: Some("mcp".to_owned()),
        command: Some(command.to_owned()),
        ..Program::default()
    };
    let server = |url: &str, header: &str| Interface {
        url: url.to_owned(),
        params: vec![Param {
            location: Some("header".to_owned()),
            default: Some(json!(header)),
            ..param("X-Region")
        }],
        ..interface("mcp", Some("streamable-http"), None)
    };
    let usual = "https://mesa.example/mcp";
    for (interfaces, programs, is_configured) in [
        (vec![server(usual, "north")], vec![], true),
        (vec![server(usual, "${env:HOME}")], vec![], false),
        (
            vec![server("https://mesa.example/mcp?key=${API_KEY}", "north")],
            vec![],
            false,
        ),
        (vec![], vec![program("npx mesa")], true),
        (vec![], vec![program("npx mesa ${API_KEY}")], false),
    ] {
        let agent = Agent {
            interfaces,
            programs,
            ..Agent::default()
        };
        let connect = connect(&listing(agent), None, NOW);
        assert_eq!(connect.client_config.is_some(), is_configured);
        assert_eq!(connect.client_configs.is_empty(), !is_configured);
    }
}
