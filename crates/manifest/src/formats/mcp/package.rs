//! Packages of the registry's `server.json`, as programs that a caller starts itself.

use super::card::{Card, Package};
use crate::agent::Program;
use crate::field::Field;
use crate::text;

/// Maximum number of packages of one entry.
const MAX_PACKAGES: usize = 20;

/// Returns the program of each package that is called over its standard input and output.
pub(super) fn programs(card: &Card) -> Vec<Program> {
    let packages = card.packages.items().take(MAX_PACKAGES);
    let local = packages.filter(|(_, package)| {
        let transport = package.transport.get();
        transport.is_none_or(|it| it["type"] == "stdio" || it == "stdio")
    });
    local
        .map(|(_, package)| Program::stdio(Some("mcp"), command(package)))
        .collect()
}

/// Returns the command of the package's registry that fetches and starts it; `None` if the registry
/// is not one of those whose command the MCP registry documents.
fn command(package: &Package) -> Option<String> {
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
    text::some(&format!("{runner} {what}"))
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
}
