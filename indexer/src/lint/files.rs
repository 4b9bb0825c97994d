//! Files named on the command line; a directory stands for the files in it that have a format's
//! usual name.

use crate::input::{STDIN, shown};
use anyhow::{Context as _, anyhow};
use manifest::formats;
use std::fs;
use std::path::Path;

/// Maximum depth of subdirectories.
const MAX_DEPTH: usize = 16;
/// Maximum number of manifests in one directory tree.
const MAX_FILES: usize = 10_000;

/// Files in reading order, or the errors of paths without any.
pub(crate) struct Files;

impl Files {
    /// Collects the files that `names` stand for.
    pub(crate) fn of(names: &[String]) -> impl Iterator<Item = anyhow::Result<String>> {
        names.iter().flat_map(|name| {
            if name != STDIN && Path::new(name).is_dir() {
                in_folder(name)
            } else {
                vec![Ok(name.clone())]
            }
        })
    }
}

fn in_folder(name: &str) -> Vec<anyhow::Result<String>> {
    let mut found = Vec::new();
    walk(Path::new(name), 0, &mut found);
    let folder = shown(name);
    if found.is_empty() {
        found.push(Err(anyhow!(
            "'{folder}' holds no file with the name of a manifest, such as agents.json; \
             name a file itself to read it, whatever it is called"
        )));
    }
    if found.len() >= MAX_FILES {
        found.push(Err(anyhow!(
            "'{folder}' holds more than {MAX_FILES} manifests; the rest was not read"
        )));
    }
    found
}

/// Collects the manifests of a directory tree in the order of their names.
///
/// Symbolic links are not followed, so that no directory is visited twice.
fn walk(folder: &Path, depth: usize, found: &mut Vec<anyhow::Result<String>>) {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
        Ok(entries) => entries,
        Err(error) => {
            let folder = shown(&folder.to_string_lossy());
            found.push(Err(error).with_context(|| format!("cannot read '{folder}'")));
            return;
        }
    };
    let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        if found.len() >= MAX_FILES {
            return;
        }
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if depth < MAX_DEPTH && is_worth_a_look(&path) {
                walk(&path, depth + 1, found);
            }
        } else if is_named_like_a_manifest(&path) {
            // Annotations and SARIF name files as the repository does.
            let path = path.strip_prefix(".").unwrap_or(&path);
            found.push(Ok(path.to_string_lossy().into_owned()));
        }
    }
}

/// Reports whether to skip a directory: hidden ones and third-party packages contain no manifests
/// of the site.
fn is_worth_a_look(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name == ".well-known" || !(name.starts_with('.') || name == "node_modules")
}

/// Reports whether a file has the name of one of a format's places; `index.json` and names without
/// an extension are too common to count outside the directory that the format requires.
fn is_named_like_a_manifest(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".agents.json") || name.ends_with(".agent.json") {
        return true;
    }
    let is_common = name == "index.json" || !name.contains('.');
    let folder = path.parent().and_then(Path::file_name);
    let places = formats::ALL.iter().flat_map(|entry| entry.places);
    let mut places = places.map(Path::new);
    places.any(|place| {
        let place_folder = place.parent().and_then(Path::file_name);
        place.file_name() == path.file_name() && (!is_common || place_folder == folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_known_by_their_names() {
        for (path, is_manifest) in [
            ("a/agents.txt", true),
            ("a/agents.json", true),
            ("a/ferry.agents.json", true),
            ("a/.well-known/ucp", true),
            ("a/ucp", false),
            ("a/.well-known/agent-skills/index.json", true),
            ("a/index.json", false),
            ("a/package.json", false),
        ] {
            assert_eq!(
                is_named_like_a_manifest(Path::new(path)),
                is_manifest,
                "{path}"
            );
        }
    }
}
