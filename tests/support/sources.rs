//! The text files of the repository, for tests that read them.

use crate::support::workspace;

/// A text file of the repository.
#[derive(Debug)]
pub(crate) struct Source {
    /// Path from the root of the repository, with `/` between its parts.
    pub(crate) path: String,
    /// Content of the file.
    pub(crate) text: String,
}

/// Returns the files with one of these extensions in the order of their paths, without build
/// output, fixtures and hidden directories.
pub(crate) fn sources(extensions: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    let mut directories = vec![workspace().to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            let is_skipped = matches!(&*name, "target" | "fixtures") || name.starts_with('.');
            if path.is_dir() && !is_skipped {
                directories.push(path);
            } else if path
                .extension()
                .is_some_and(|it| extensions.iter().any(|wanted| it == *wanted))
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(workspace()).unwrap();
                let path = path.to_string_lossy().replace('\\', "/");
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}
