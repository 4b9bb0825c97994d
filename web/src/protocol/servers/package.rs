//! Packages of servers that run on the caller's own machine, as `server.json` states them.

use manifest::agent::{Agent, Program, ProgramInput};
use serde_json::{Map, Value, json};

/// Most packages of a server.
const MAX_PACKAGES: usize = 20;

/// Members of a package that are texts.
const TEXTS: [&str; 6] = [
    "registryType",
    "registryBaseUrl",
    "identifier",
    "version",
    "fileSha256",
    "runtimeHint",
];
/// Members of a package that are lists of objects.
const LISTS: [&str; 3] = [
    "runtimeArguments",
    "packageArguments",
    "environmentVariables",
];

/// Returns the packages of an agent: those that its site publishes in this form, or else those that its
/// commands start.
pub(super) fn packages(agent: &Agent) -> Vec<Value> {
    let published = agent.specified.get("packages").and_then(Value::as_array);
    let published: Vec<Value> = published
        .into_iter()
        .flatten()
        .filter_map(complete)
        .take(MAX_PACKAGES)
        .collect();
    if !published.is_empty() {
        return published;
    }
    let is_server = |it: &&Program| it.protocol.as_deref() == Some("mcp");
    let programs = agent.programs.iter().filter(is_server);
    programs.filter_map(started).take(MAX_PACKAGES).collect()
}

/// Returns the members of a published package whose values have the types of `server.json`; `None` if one
/// that is required is absent.
fn complete(published: &Value) -> Option<Value> {
    let published = published.as_object()?;
    let mut package = Map::new();
    for name in TEXTS {
        let is_stated = |it: &&Value| it.as_str().is_some_and(|it| !it.is_empty());
        // A version is one, and no range of them.
        let is_valid = |it: &&Value| name != "version" || *it != "latest";
        if let Some(text) = published.get(name).filter(is_stated).filter(is_valid) {
            package.insert(name.to_owned(), text.clone());
        }
    }
    for name in LISTS {
        let is_list_of_objects = |it: &&Value| {
            it.as_array()
                .is_some_and(|it| it.iter().all(Value::is_object))
        };
        if let Some(list) = published.get(name).filter(is_list_of_objects) {
            package.insert(name.to_owned(), list.clone());
        }
    }
    let stated = published
        .get("transport")
        .filter(|it| it["type"].is_string());
    let transport = stated.cloned().unwrap_or_else(stdio);
    package.insert("transport".to_owned(), transport);
    let has = |name: &str| package.contains_key(name);
    (has("registryType") && has("identifier")).then_some(Value::Object(package))
}

/// Returns the package that the command of a program fetches and starts; `None` if its runner is not one of
/// those of the MCP registry, or if the command is for a shell.
fn started(program: &Program) -> Option<Value> {
    let command = program.command.as_deref()?;
    if command.contains(['"', '\'', '\\', '|', '&', ';', '$', '`']) {
        return None;
    }
    let mut words = command.split_whitespace();
    let runner = words.next()?;
    let (registry, flags): (&str, &[&str]) = match runner {
        "npx" => ("npm", &["-y", "--yes"]),
        "uvx" => ("pypi", &[]),
        "dnx" => ("nuget", &["-y", "--yes"]),
        "docker" => ("oci", &["run", "-i", "--rm", "--interactive", "-it"]),
        _ => return None,
    };
    let name = words.find(|it| !flags.contains(it))?;
    if name.starts_with('-') {
        return None;
    }
    let (identifier, version) = match name.rsplit_once('@') {
        // The tag of an image is part of its identifier, and `@` begins the scope of a name.
        Some((identifier, version)) if registry != "oci" && !identifier.is_empty() => {
            (identifier, Some(version).filter(|it| *it != "latest"))
        }
        _ => (name, None),
    };
    let mut package = json!({
        "registryType": registry,
        "identifier": identifier,
        "runtimeHint": runner,
        "transport": stdio(),
    });
    if let Some(version) = version.filter(|it| !it.is_empty()) {
        package["version"] = json!(version);
    }
    let arguments: Vec<Value> = words.map(|it| argument(it, &program.inputs)).collect();
    let inputs = program.inputs.iter();
    let variables = inputs.filter(|it| it.location == "environment");
    let variables: Vec<Value> = variables
        .map(|it| {
            let mut variable = input(it);
            variable["name"] = json!(it.name);
            variable
        })
        .collect();
    for (name, list) in [
        ("packageArguments", arguments),
        ("environmentVariables", variables),
    ] {
        if !list.is_empty() {
            package[name] = json!(list);
        }
    }
    Some(package)
}

/// Returns an argument as it stands in a command, with the variables in braces that the user gives.
fn argument(word: &str, inputs: &[ProgramInput]) -> Value {
    let mut argument = json!({"type": "positional", "value": word});
    let is_in = |it: &&ProgramInput| {
        it.location == "argument" && word.contains(&format!("{{{}}}", it.name))
    };
    let variables: Map<String, Value> = inputs
        .iter()
        .filter(is_in)
        .map(|it| (it.name.clone(), input(it)))
        .collect();
    if !variables.is_empty() {
        argument["variables"] = Value::Object(variables);
    }
    argument
}

/// Returns a value that the user gives.
fn input(given: &ProgramInput) -> Value {
    let mut input = json!({"isRequired": given.required, "isSecret": given.secret});
    if let Some(description) = &given.description {
        input["description"] = json!(description);
    }
    input
}

fn stdio() -> Value {
    json!({"type": "stdio"})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(command: &str) -> Agent {
        let program = Program {
            protocol: Some("mcp".to_owned()),
            transport: "stdio".to_owned(),
            command: Some(command.to_owned()),
            inputs: Vec::new(),
        };
        Agent {
            programs: vec![program],
            ..Agent::default()
        }
    }

    #[test]
    fn a_command_names_its_package() {
        for (command, expected) in [
            (
                "npx -y @kiosk/papers@0.4.1",
                json!({"registryType": "npm", "identifier": "@kiosk/papers", "version": "0.4.1",
                       "runtimeHint": "npx", "transport": {"type": "stdio"}}),
            ),
            (
                "uvx papers --quiet",
                json!({"registryType": "pypi", "identifier": "papers", "runtimeHint": "uvx",
                       "transport": {"type": "stdio"},
                       "packageArguments": [{"type": "positional", "value": "--quiet"}]}),
            ),
            (
                "docker run -i --rm images.example/papers:2",
                json!({"registryType": "oci", "identifier": "images.example/papers:2",
                       "runtimeHint": "docker", "transport": {"type": "stdio"}}),
            ),
            (
                "npx @kiosk/papers@latest",
                json!({"registryType": "npm", "identifier": "@kiosk/papers", "runtimeHint": "npx",
                       "transport": {"type": "stdio"}}),
            ),
        ] {
            assert_eq!(packages(&program(command)), [expected], "{command}");
        }
        for other in [
            "./papers",
            "npx",
            "npx --package=a b",
            "npx a; rm b",
            "docker run -e KEY image",
        ] {
            assert!(packages(&program(other)).is_empty(), "{other}");
        }
    }

    #[test]
    fn a_package_states_what_its_user_brings() {
        let input = |name: &str, location: &str| ProgramInput {
            name: name.to_owned(),
            location: location.to_owned(),
            required: true,
            ..ProgramInput::default()
        };
        let mut agent = program("npx papers {folder}");
        agent.programs[0].inputs = vec![input("folder", "argument"), input("KEY", "environment")];
        let needed = json!({"isRequired": true, "isSecret": false});
        let package = &packages(&agent)[0];
        assert_eq!(
            package["packageArguments"],
            json!([{"type": "positional", "value": "{folder}", "variables": {"folder": needed}}])
        );
        let key = json!([{"isRequired": true, "isSecret": false, "name": "KEY"}]);
        assert_eq!(package["environmentVariables"], key);
    }

    #[test]
    fn a_published_package_keeps_what_its_form_has() {
        let mut agent = program("npx papers");
        let published = json!([
            {"registryType": "pypi", "identifier": "papers", "version": "latest", "colour": "red",
             "environmentVariables": [{"name": "KEY", "isSecret": true}], "packageArguments": ["-v"]},
            {"identifier": "no-registry"},
            7,
        ]);
        agent.specified.insert("packages".to_owned(), published);
        let expected = json!({
            "registryType": "pypi",
            "identifier": "papers",
            "environmentVariables": [{"name": "KEY", "isSecret": true}],
            "transport": {"type": "stdio"},
        });
        assert_eq!(packages(&agent), [expected]);
    }
}
