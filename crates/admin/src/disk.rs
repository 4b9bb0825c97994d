//! Sizes of files, and the space of their disks.

use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use rustix::fs::statvfs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Space of a disk in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Free for programs without privileges.
    pub free: u64,
    /// All of it.
    pub size: u64,
}

impl Disk {
    /// Returns the space of the disk on which a path is, or will be once it is created.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let existing = path.ancestors().find(|it| it.exists());
        let space = statvfs(existing.unwrap_or(&path))?;
        Ok(Self {
            free: space.f_bavail.saturating_mul(space.f_frsize),
            size: space.f_blocks.saturating_mul(space.f_frsize),
        })
    }
}

/// Returns the bytes of a file, or of all files in a folder and the folders in it; zero if it does not
/// exist. Files that are deleted meanwhile are left out, and links are not followed.
pub fn size_of(path: &Path) -> io::Result<u64> {
    let (mut bytes, mut waiting) = (0, vec![path.to_owned()]);
    while let Some(path) = waiting.pop() {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {
                for entry in unless_missing(path.read_dir())?.into_iter().flatten() {
                    waiting.push(entry?.path());
                }
            }
            found => bytes += unless_missing(found)?.map_or(0, |it| it.len()),
        }
    }
    Ok(bytes)
}

fn unless_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Registers a number of bytes; its name gets the unit as its last word.
pub fn register_bytes(registry: &mut Registry, name: &str, help: &str, bytes: u64) {
    let gauge = ConstGauge::new(i64::try_from(bytes).unwrap_or(i64::MAX));
    registry.register_with_unit(name, help, Unit::Bytes, gauge);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_bytes_of_all_files_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert_eq!(size_of(&path.join("missing")).unwrap(), 0);
        std::fs::create_dir_all(path.join("a/b")).unwrap();
        std::fs::write(path.join("one"), [0; 10]).unwrap();
        std::fs::write(path.join("a/b/two"), [0; 300]).unwrap();
        assert_eq!(size_of(path).unwrap(), 310);
        assert_eq!(size_of(&path.join("one")).unwrap(), 10);
    }

    #[test]
    fn a_path_to_be_is_on_the_disk_of_the_nearest_folder_that_exists() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::of(folder.path()).unwrap();
        assert!(disk.free <= disk.size && disk.size > 0, "{disk:?}");
        let later = Disk::of(&folder.path().join("not/yet/there")).unwrap();
        assert_eq!(later.size, disk.size);
        assert!(Disk::of(Path::new("data/index")).is_ok());
    }
}
