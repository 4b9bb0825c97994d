//! Every library that is linked here has a licence that deny.toml allows.
//!
//! Checked is what Cargo downloaded to build and test on this platform: a licence stands in the
//! package, not in `Cargo.lock`, and a test uses no network. Libraries that only other platforms
//! link are not checked here; `cargo deny check licenses` reads the same deny.toml and checks those
//! too.

use crate::support;
use std::process::Command;

#[test]
fn every_dependency_has_an_allowed_licence() {
    let rules: toml::Table = support::workspace_file("deny.toml").parse().unwrap();
    let allowed: Vec<spdx::Licensee> = rules["licenses"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .map(|licence| spdx::Licensee::parse(licence.as_str().unwrap()).unwrap())
        .collect();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "host-tuple"])
        .current_dir(support::workspace())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100);
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"]
            .as_str()
            .unwrap_or_else(|| panic!("{name} names no licence"));
        let expression = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX)
            .unwrap_or_else(|error| panic!("{name}: {licence}: {error}"));
        assert!(
            expression.evaluate(|required| allowed.iter().any(|it| it.satisfies(required))),
            "{name} is under {licence}, which deny.toml does not allow"
        );
    }
}
