//! Programs that run on the caller's own machine, by the command that starts them (GP-19).

use super::words::words;
use crate::agent::{Program, ProgramInput};
use crate::text;
use serde_json::{Map, Value};

/// Maximum number of programs of one profile.
pub(super) const MAX_PROGRAMS: usize = 20;
/// Maximum number of arguments of one command.
const MAX_ARGUMENTS: usize = 50;
/// Words of members that hold a command.
const COMMANDS: [&str; 8] = [
    "command", "cmd", "install", "run", "start", "stdio", "local", "cli",
];
/// Words in the names of variables that hold credentials.
const SECRETS: [&str; 5] = ["key", "token", "secret", "password", "credentials"];
/// Programs that fetch and start others.
const RUNNERS: [&str; 10] = [
    "npx", "uvx", "pipx", "cargo", "docker", "podman", "bunx", "dnx", "uv", "deno",
];

/// Returns the program that an object with `command`, and perhaps `args`, starts; `keys` are the names
/// of the members on the way to it.
pub(super) fn of_object(members: &Map<String, Value>, keys: &[&str]) -> Option<Program> {
    let Some(command) = members.get("command").and_then(Value::as_str) else {
        return of_package(members, keys);
    };
    let arguments = members.get("args").and_then(Value::as_array);
    let transport = ["transport", "type"]
        .iter()
        .find_map(|name| members.get(*name)?.as_str());
    let is_started = arguments.is_some() || is_run(command) || transport == Some("stdio");
    if !is_started {
        return None;
    }
    let arguments = arguments.into_iter().flatten().filter_map(Value::as_str);
    let mut line = command.trim().to_owned();
    for argument in arguments.take(MAX_ARGUMENTS) {
        line.push(' ');
        line.push_str(argument);
    }
    Some(Program {
        inputs: variables(members),
        ..program(&line, keys)?
    })
}

/// Returns the environment variables beside a command. A value that only names what belongs there is for the user to
/// bring.
fn variables(members: &Map<String, Value>) -> Vec<ProgramInput> {
    let variables = members.get("env").and_then(Value::as_object);
    let variables = variables.into_iter().flatten().take(MAX_ARGUMENTS);
    let inputs = variables.filter_map(|(name, value)| {
        let value = value.as_str()?.trim();
        let is_stated = !value.is_empty()
            && !value.contains(['<', '{', '$', '['])
            && !value.to_ascii_lowercase().contains("your");
        Some(ProgramInput {
            name: text::some(name)?,
            location: ProgramInput::ENVIRONMENT.to_owned(),
            description: None,
            required: true,
            secret: words(name).has(&SECRETS),
            default: text::some(value).filter(|_| is_stated),
        })
    });
    inputs.collect()
}

/// Returns the program of a package of npm, as its scope shows, that is called over its standard input and
/// output.
fn of_package(members: &Map<String, Value>, keys: &[&str]) -> Option<Program> {
    let names = ["package", "npm", "npm_package", "npmPackage"];
    let mut packages = names.iter().filter_map(|name| members.get(*name)?.as_str());
    let package = packages.find(|it| it.starts_with('@') && it.contains('/'))?;
    let is_local = ["transport", "type"]
        .iter()
        .any(|name| members.get(*name).is_some_and(|it| it == "stdio"));
    let is_word = !package.contains(char::is_whitespace);
    (is_local && is_word).then(|| program(&format!("npx -y {package}"), keys))?
}

/// Returns the program that a text starts, in a member that is named after commands.
pub(super) fn of_text(command: &str, keys: &[&str]) -> Option<Program> {
    let own = keys.last()?;
    let is_named = words(own).has(&COMMANDS);
    let is_line = !command.contains('\n') && is_run(command);
    (is_named && is_line).then(|| program(command, keys))?
}

/// Returns the program that a line starts, if it is a command of a program that fetches and starts others.
pub(super) fn of_line(line: &str, keys: &[&str]) -> Option<Program> {
    is_run(line).then(|| program(line, keys))?
}

fn program(line: &str, keys: &[&str]) -> Option<Program> {
    let is_of_mcp = |key: &&str| words(key).has(&["mcp", "mcpservers"]);
    let speaks_mcp = keys.iter().any(is_of_mcp) || words(line).has(&["mcp"]);
    Some(Program::stdio(
        speaks_mcp.then_some("mcp"),
        Some(text::some(line)?),
    ))
}

/// Reports whether a text is a command of a program that fetches and starts others.
fn is_run(command: &str) -> bool {
    let mut parts = command.split_whitespace();
    let first = parts.next().unwrap_or_default();
    RUNNERS.contains(&first) && parts.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn gp_19_a_command_is_a_program() {
        let object = json!({"command": "npx", "args": ["-y", "@mesa/server"]});
        let found = of_object(object.as_object().unwrap(), &["mcpServers", "mesa"]).unwrap();
        assert_eq!(found.command.as_deref(), Some("npx -y @mesa/server"));
        assert_eq!(found.protocol.as_deref(), Some("mcp"));
        assert_eq!(found.transport, "stdio");
        let text = of_text("uvx mesa-tables", &["install"]).unwrap();
        assert_eq!((text.protocol, text.transport.as_str()), (None, "stdio"));
    }

    #[test]
    fn gp_19_variables_beside_a_command_are_stated_or_brought() {
        let object = json!({"command": "npx", "args": ["@mesa/mcp"],
            "env": {"MESA_API_KEY": "<your key>", "MESA_REGION": "north", "MESA_SHELF": ""}});
        let found = of_object(object.as_object().unwrap(), &["mcp"]).unwrap();
        let inputs: Vec<_> = found
            .inputs
            .iter()
            .map(|it| (it.name.as_str(), it.is_asked(), it.secret))
            .collect();
        assert_eq!(
            inputs,
            [
                ("MESA_API_KEY", true, true),
                ("MESA_REGION", false, false),
                ("MESA_SHELF", true, false),
            ]
        );
    }

    #[test]
    fn gp_19_other_texts_are_none() {
        for (command, key) in [
            ("Install the app from our page", "install"),
            ("docker", "install"),
            ("npx -y @mesa/mcp", "description"),
            ("cargo ships\nleave daily", "run"),
        ] {
            assert_eq!(of_text(command, &[key]), None, "{command}");
        }
        let button = json!({"command": "open the door"});
        assert_eq!(of_object(button.as_object().unwrap(), &["actions"]), None);
    }
}
