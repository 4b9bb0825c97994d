//! Packages of the registry's `server.json`, as programs that a caller starts itself.

use super::card::{Argument, Card, Package};
use crate::agent::{Program, ProgramInput};
use crate::field::Field;
use crate::text;

/// Maximum number of packages of one entry.
const MAX_PACKAGES: usize = 20;
/// Maximum number of arguments of one kind, and of environment variables, of a package.
const MAX_ARGUMENTS: usize = 50;

/// Returns the program of each package that is called over its standard input and output.
pub(super) fn programs(card: &Card) -> Vec<Program> {
    let packages = card.packages.items().take(MAX_PACKAGES);
    let local = packages.filter(|(_, package)| {
        let transport = package.transport.get();
        transport.is_none_or(|it| it["type"] == "stdio" || it == "stdio")
    });
    local.map(|(_, package)| program(package)).collect()
}

fn program(package: &Package) -> Program {
    let variables = package.environment.items().take(MAX_ARGUMENTS);
    let mut inputs: Vec<_> = variables.filter_map(|(_, it)| variable(it)).collect();
    let command = command(package, &mut inputs);
    Program {
        inputs,
        ..Program::stdio(Some("mcp"), command)
    }
}

/// Returns the command of the package's registry that fetches and starts it; `None` if the registry
/// is not one of those whose command the MCP registry documents.
fn command(package: &Package, inputs: &mut Vec<ProgramInput>) -> Option<String> {
    let name = package.identifier.text().or_else(|| package.name.text())?;
    let version = package.version.text();
    let versioned = || version.map_or_else(|| name.clone(), |version| format!("{name}@{version}"));
    let registries = [
        &package.registry,
        &package.registry_type,
        &package.registry_name,
    ];
    let registry = registries.into_iter().find_map(Field::text)?;
    let registry = registry.to_ascii_lowercase();
    let (runner, what) = match registry.as_str() {
        "npm" => ("npx -y", versioned()),
        "pypi" => ("uvx", versioned()),
        "oci" | "docker" => ("docker run -i --rm", name),
        "nuget" => ("dnx", versioned()),
        _ => return None,
    };
    // Arguments of the usual runtime do not fit another one that the publisher names.
    let own = package.runtime.text();
    let other = own.filter(|own| !runner.starts_with(own.as_str()));
    let runner = other.as_deref().unwrap_or(runner);
    let mut words: Vec<String> = runner.split_whitespace().map(str::to_owned).collect();
    // A container has only the variables that are passed to it.
    if words[0] == "docker" {
        for it in inputs.iter().filter(|it| is_given(it)) {
            words.extend(["-e".to_owned(), it.name.clone()]);
        }
    }
    let mut add = |arguments: &mut dyn Iterator<Item = &Argument>, words: &mut Vec<String>| {
        for argument in arguments.take(MAX_ARGUMENTS) {
            let added = argument_words(argument, inputs);
            let is_known = added.len() == 1 && words.contains(&added[0]);
            words.extend(added.into_iter().filter(|_| !is_known));
        }
    };
    let mut of_runtime = package.runtime_arguments.items().map(|(_, it)| it);
    add(&mut of_runtime, &mut words);
    words.push(what);
    let mut of_package = package.arguments.items().map(|(_, it)| it);
    add(&mut of_package, &mut words);
    text::some(&words.join(" "))
}

/// Reports whether a command has to name a variable.
fn is_given(input: &ProgramInput) -> bool {
    input.required || input.default.is_some()
}

/// Returns an environment variable.
fn variable(of: &Argument) -> Option<ProgramInput> {
    let name = of.name.text()?;
    // The name of a variable of a shell.
    let is_name = name
        .bytes()
        .all(|it| it.is_ascii_alphanumeric() || it == b'_');
    is_name.then(|| input(name, ProgramInput::ENVIRONMENT, of))
}

fn input(name: String, location: &str, of: &Argument) -> ProgramInput {
    let is_secret = of.is_secret.get() == Some(&true);
    let stated = of.value.text().filter(|it| !it.contains('{'));
    ProgramInput {
        name,
        location: location.to_owned(),
        description: of.description.text(),
        // A secret is needed unless the package says that it is not.
        required: of.is_required.get().copied().unwrap_or(is_secret),
        secret: is_secret,
        default: stated.or_else(|| of.default.text()),
    }
}

/// Returns the words of an argument, with names in braces for what the user brings; none for an argument that can
/// be left out.
fn argument_words(of: &Argument, inputs: &mut Vec<ProgramInput>) -> Vec<String> {
    let flag = of.name.text();
    let hint = of.hint.text().or_else(|| flag.clone()).unwrap_or_default();
    let name = hint.trim_start_matches('-').to_owned();
    let whole = input(name, ProgramInput::ARGUMENT, of);
    let value = if let Some(value) = of.value.text() {
        let variables = of.variables.members();
        let named = variables.filter(|(name, _)| value.contains(&format!("{{{name}}}")));
        inputs.extend(named.map(|(name, it)| ProgramInput {
            required: true,
            ..input(name.to_owned(), ProgramInput::ARGUMENT, it)
        }));
        value
    } else if let Some(default) = whole.default {
        default
    } else if whole.required && !whole.name.is_empty() {
        let value = format!("{{{}}}", whole.name);
        inputs.push(whole);
        value
    } else {
        return Vec::new();
    };
    flag.into_iter().chain([value]).collect()
}

#[cfg(test)]
mod tests {
    use crate::document::sample;
    use crate::formats::read;

    #[test]
    fn gp_19_a_package_is_started_by_the_command_of_its_registry() {
        let entry = r#"{"name": "io.kiosk/papers", "description": "Papers", "version": "1.0.0",
            "packages": [
                {"registryType": "npm", "identifier": "@kiosk/papers", "version": "0.4.1",
                 "transport": {"type": "stdio"}},
                {"registry_name": "pypi", "name": "kiosk-papers", "version": "0.4.1"},
                {"registryType": "oci", "identifier": "images.example/kiosk/papers:0.4.1",
                 "runtimeHint": "podman run"},
                {"registryType": "npm", "identifier": "@kiosk/remote", "transport": {"type": "sse"}},
                {"registryType": "mcpb", "identifier": "https://kiosk.example/papers.mcpb"}
            ]}"#;
        let read = read(&sample("kiosk.example", "/.well-known/mcp.json", entry));
        let programs = read.agents[0].programs.iter();
        let commands: Vec<_> = programs.map(|it| it.command.as_deref()).collect();
        assert_eq!(
            commands,
            [
                Some("npx -y @kiosk/papers@0.4.1"),
                Some("uvx kiosk-papers@0.4.1"),
                Some("podman run images.example/kiosk/papers:0.4.1"),
                None,
            ]
        );
    }

    #[test]
    fn gp_19_a_package_states_what_its_user_brings() {
        let entry = r#"{"name": "io.kiosk/papers", "description": "Papers", "version": "1.0.0",
            "packages": [
                {"registryType": "npm", "identifier": "@kiosk/papers", "version": "0.4.1",
                 "runtimeArguments": [{"type": "positional", "value": "-y"}],
                 "packageArguments": [
                    {"type": "positional", "value": "serve"},
                    {"type": "named", "name": "--shelf", "description": "Name of the shelf",
                     "isRequired": true},
                    {"type": "named", "name": "--verbose"}],
                 "environmentVariables": [
                    {"name": "KIOSK_KEY", "description": "Your key", "isSecret": true},
                    {"name": "KIOSK_REGION", "isRequired": true, "default": "north"},
                    {"name": "not a name"}]},
                {"registry_name": "docker", "name": "images.example/kiosk",
                 "package_arguments": [{"type": "positional", "value_hint": "dir",
                    "value": "--dir={dir}", "variables": {"dir": {"description": "Folder"}}}],
                 "environment_variables": [{"name": "KIOSK_KEY", "is_required": true}]}
            ]}"#;
        let read = read(&sample("kiosk.example", "/.well-known/mcp.json", entry));
        let [npm, docker] = &read.agents[0].programs[..] else {
            panic!("{:?}", read.agents[0].programs);
        };
        assert_eq!(
            npm.command.as_deref(),
            Some("npx -y @kiosk/papers@0.4.1 serve --shelf {shelf}")
        );
        let asked = |program: &super::Program| {
            let inputs = program.inputs.iter().filter(|it| it.is_asked());
            let inputs = inputs.map(|it| (it.name.clone(), it.location.clone(), it.secret));
            inputs.collect::<Vec<_>>()
        };
        let text = str::to_owned;
        assert_eq!(
            asked(npm),
            [
                (text("KIOSK_KEY"), text("environment"), true),
                (text("shelf"), text("argument"), false),
            ]
        );
        assert_eq!(npm.inputs[1].default.as_deref(), Some("north"));
        assert_eq!(
            docker.command.as_deref(),
            Some("docker run -i --rm -e KIOSK_KEY images.example/kiosk --dir={dir}")
        );
        assert_eq!(
            asked(docker),
            [
                (text("KIOSK_KEY"), text("environment"), false),
                (text("dir"), text("argument"), false),
            ]
        );
    }
}
