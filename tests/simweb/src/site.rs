//! The served sites: files in memory, and the behaviour of each site.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::{fs, io};

use bytes::Bytes;

use crate::behaviour::{Behaviour, BehaviourError};
use crate::derived::Derived;

/// Name of the file in a site's directory that configures its behaviour.
pub(crate) const BEHAVIOUR_FILE: &str = ".simweb.toml";

/// File of a site.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) bytes: Bytes,
    pub(crate) etag: String,
}

/// Site: its files by path, and its behaviour.
#[derive(Debug, Clone, Default)]
pub(crate) struct Site {
    files: HashMap<String, File>,
    pub(crate) behaviour: Behaviour,
}

/// Every site by host name; may change while it is served.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    by_host: RwLock<BTreeMap<String, Arc<Site>>>,
    /// Sites that are generated on request; a configured site of the same name takes precedence.
    pub(crate) derived: Option<Derived>,
}

/// Error in the description of a site.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// A directory or file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Path of the file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The name of a directory is not a host name.
    #[error("{0:?} is not a host name: use lower-case letters, digits, dots and dashes")]
    Host(String),
    /// A path does not lie under a host.
    #[error("{0:?} must be a host, a slash and a path")]
    Path(String),
    /// The behaviour of a site is invalid.
    #[error("invalid behaviour of {host}: {source}")]
    Behaviour {
        /// Host name of the site.
        host: String,
        /// The cause.
        source: BehaviourError,
    },
}

impl File {
    fn new(bytes: Bytes) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let etag = format!("\"{:016x}\"", hasher.finish());
        Self { bytes, etag }
    }
}

impl Site {
    /// Returns the file at `path`; for a path that ends in a slash, its `index.html`.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        if path.ends_with('/') {
            self.files.get(&format!("{path}index.html"))
        } else {
            self.files.get(path)
        }
    }

    /// Returns the bytes of every file, in the order of their paths.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &Bytes> {
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_by_key(|(path, _)| *path);
        files.into_iter().map(|(_, file)| &file.bytes)
    }

    pub(crate) fn add_file(&mut self, path: &str, bytes: Bytes) {
        self.files.insert(path.to_owned(), File::new(bytes));
    }
}

impl Sites {
    pub(crate) fn get(&self, host: &str) -> Option<Arc<Site>> {
        let by_host = self.by_host.read().unwrap_or_else(PoisonError::into_inner);
        let written = by_host.get(host).cloned();
        drop(by_host);
        written.or_else(|| self.derived?.site(host).map(Arc::new))
    }

    pub(crate) fn hosts(&self) -> Vec<String> {
        let by_host = self.by_host.read().unwrap_or_else(PoisonError::into_inner);
        let written = by_host.keys().cloned();
        written
            .chain(self.derived.iter().flat_map(Derived::hosts))
            .collect()
    }

    /// Returns every written site with its host.
    pub(crate) fn written(&self) -> Vec<(String, Arc<Site>)> {
        let by_host = self.by_host.read().unwrap_or_else(PoisonError::into_inner);
        let sites = by_host.iter();
        sites
            .map(|(host, site)| (host.clone(), Arc::clone(site)))
            .collect()
    }

    /// Changes the site of a host, which is added if it is new.
    pub(crate) fn change<T>(
        &self,
        host: &str,
        change: impl FnOnce(&mut Site) -> T,
    ) -> Result<T, SiteError> {
        check_host(host)?;
        let mut by_host = self.by_host.write().unwrap_or_else(PoisonError::into_inner);
        let site = by_host.entry(host.to_owned()).or_default();
        Ok(change(Arc::make_mut(site)))
    }

    pub(crate) fn put(&self, host: &str, path: &str, bytes: Bytes) -> Result<(), SiteError> {
        if !path.starts_with('/') {
            return Err(SiteError::Path(format!("{host}{path}")));
        }
        self.change(host, |site| {
            site.add_file(path, bytes);
        })
    }

    pub(crate) fn remove(&self, host: &str, path: &str) -> Result<(), SiteError> {
        self.change(host, |site| {
            site.files.remove(path);
        })
    }

    pub(crate) fn behave(&self, host: &str, behaviour: Behaviour) -> Result<(), SiteError> {
        behaviour.check().map_err(|source| SiteError::Behaviour {
            host: host.to_owned(),
            source,
        })?;
        self.change(host, |site| site.behaviour = behaviour)
    }

    /// Adds one file by `<host>/<path>`; a behaviour file is parsed and not served.
    ///
    /// A file beside the site directories, such as a README, belongs to no site and is skipped.
    pub(crate) fn add(&self, path: &str, bytes: Bytes) -> Result<(), SiteError> {
        let Some((host, rest)) = path.split_once('/') else {
            return Ok(());
        };
        if rest != BEHAVIOUR_FILE {
            return self.put(host, &format!("/{rest}"), bytes);
        }
        let behaviour = std::str::from_utf8(&bytes)
            .map_err(|source| SiteError::Read {
                path: PathBuf::from(path),
                source: io::Error::new(io::ErrorKind::InvalidData, source),
            })
            .and_then(|text| {
                Behaviour::parse(text).map_err(|source| SiteError::Behaviour {
                    host: host.to_owned(),
                    source,
                })
            })?;
        self.behave(host, behaviour)
    }

    /// Adds every site directory of `folder`. Symbolic links are not followed.
    pub(crate) fn add_folder(&self, folder: &Path) -> Result<(), SiteError> {
        let mut waiting = vec![folder.to_owned()];
        while let Some(current) = waiting.pop() {
            let unreadable = |path: &Path, source| SiteError::Read {
                path: path.to_owned(),
                source,
            };
            for entry in fs::read_dir(&current).map_err(|source| unreadable(&current, source))? {
                let entry = entry.map_err(|source| unreadable(&current, source))?;
                let path = entry.path();
                let kind = entry
                    .file_type()
                    .map_err(|source| unreadable(&path, source))?;
                if kind.is_dir() {
                    if current == folder {
                        // A site without files still has a name and an address.
                        self.change(&entry.file_name().to_string_lossy(), |_| ())?;
                    }
                    waiting.push(path);
                } else if kind.is_file() {
                    let relative = path.strip_prefix(folder).unwrap_or(&path);
                    let name: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
                    let bytes = fs::read(&path).map_err(|source| unreadable(&path, source))?;
                    self.add(&name.join("/"), Bytes::from(bytes))?;
                }
            }
        }
        Ok(())
    }
}

fn check_host(host: &str) -> Result<(), SiteError> {
    let allowed = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    };
    if host.len() <= 253 && host.split('.').all(allowed) {
        Ok(())
    } else {
        Err(SiteError::Host(host.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_become_sites_and_loose_files_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("mesa.example/.well-known")).unwrap();
        fs::create_dir_all(root.join("empty.example")).unwrap();
        fs::write(root.join("README.md"), "about").unwrap();
        fs::write(root.join("mesa.example/index.html"), "hello").unwrap();
        fs::write(root.join("mesa.example/.well-known/agent.json"), "{}").unwrap();
        fs::write(root.join("mesa.example/.simweb.toml"), "dns = \"refused\"").unwrap();
        let sites = Sites::default();
        sites.add_folder(root).unwrap();
        assert_eq!(sites.hosts(), ["empty.example", "mesa.example"]);
        let mesa = sites.get("mesa.example").unwrap();
        assert_eq!(mesa.file("/").unwrap().bytes, "hello");
        assert_eq!(mesa.file("/.well-known/agent.json").unwrap().bytes, "{}");
        assert!(mesa.file("/.simweb.toml").is_none());
        assert_eq!(mesa.behaviour.dns, crate::Dns::Refused);
    }

    #[test]
    fn an_invalid_name_or_behaviour_is_an_error_that_names_it() {
        let sites = Sites::default();
        let host = sites
            .add("Not A Host/index.html", Bytes::new())
            .unwrap_err();
        assert!(host.to_string().contains("Not A Host"));
        let behaviour = sites
            .add("mesa.example/.simweb.toml", Bytes::from("colour = 1"))
            .unwrap_err()
            .to_string();
        assert!(behaviour.contains("mesa.example") && behaviour.contains("colour"));
    }
}
