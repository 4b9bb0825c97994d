//! The operator's blocklist: a file of domains that are excluded, followed while a program runs.
//!
//! Its entries become exclusions of the source `blocklist`, so that every program on the same
//! database applies them; it needs no network.

use crate::contract::Store;
use crate::error::StoreError;
use crate::model::{Exclusion, ExclusionSource, Scope};
use manifest::{Domain, Timestamp};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Interval between two readings of the file.
pub const RELOAD: Duration = Duration::from_secs(4);

/// Maximum size of the file.
const MAX_BYTES: u64 = 16 << 20;
/// Maximum number of bad lines that are reported one by one.
const MAX_BAD: usize = 20;
/// Maximum number of characters of a reason.
const MAX_REASON: usize = 200;
/// Public reason of an entry that states none.
const NO_REASON: &str = "on the blocklist of the operator";
/// Public reason for the end of an exclusion.
const ENDED: &str = "no longer on the blocklist of the operator";

/// Error of a blocklist at the start of a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlocklistError {
    /// The file cannot be read.
    #[error("cannot read --blocklist {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Reason.
        reason: String,
    },
}

/// Followed file.
#[derive(Debug)]
pub struct Blocklist {
    path: PathBuf,
    text: String,
    entries: BTreeMap<Scope, String>,
    /// True if the operator was told that the file is unreadable.
    is_lost: bool,
}

impl Blocklist {
    /// Reads the file for the first time, and reports its bad lines.
    pub fn open(path: &Path) -> Result<Self, BlocklistError> {
        let text = read(path).map_err(|reason| BlocklistError::Unreadable {
            path: path.to_owned(),
            reason,
        })?;
        let mut blocklist = Self {
            path: path.to_owned(),
            text: String::new(),
            entries: BTreeMap::new(),
            is_lost: false,
        };
        blocklist.accept(text);
        Ok(blocklist)
    }

    /// Reads the file again, and brings the exclusions in step with it. If the file cannot be read,
    /// its last content stays in effect, which is reported once.
    pub async fn apply(&mut self, store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
        let path = self.path.clone();
        // A file on a slow disk must not hold back other work.
        let result = tokio::task::spawn_blocking(move || read(&path)).await;
        match result.unwrap_or_else(|_| Err("the reading stopped".to_owned())) {
            Ok(text) if text != self.text => self.accept(text),
            Ok(_) if self.is_lost => {
                self.is_lost = false;
                tracing::info!("the blocklist {} is readable again", self.path.display());
            }
            Err(reason) if !self.is_lost => {
                self.is_lost = true;
                tracing::error!(
                    "cannot read the blocklist {}: {reason}; its last {} entries stay in effect",
                    self.path.display(),
                    self.entries.len()
                );
            }
            Ok(_) | Err(_) => {}
        }
        let there = store.exclusions().await?;
        for exclusion in &there {
            let is_ours = exclusion.source == ExclusionSource::Blocklist;
            if is_ours && !self.entries.contains_key(&exclusion.scope) {
                store.include(&exclusion.scope, ENDED, now).await?;
                tracing::info!("no longer on the blocklist: {}", exclusion.scope);
            }
        }
        let there: BTreeMap<&Scope, &Exclusion> = there.iter().map(|it| (&it.scope, it)).collect();
        for (scope, reason) in &self.entries {
            let is_settled = there.get(scope).is_some_and(|it| {
                // An exclusion of another source is not replaced: it has its own end.
                it.source != ExclusionSource::Blocklist || it.reason == *reason
            });
            if is_settled {
                continue;
            }
            let exclusion = Exclusion {
                scope: scope.clone(),
                reason: reason.clone(),
                source: ExclusionSource::Blocklist,
                since: now,
            };
            store.exclude(&exclusion, now).await?;
            tracing::info!("on the blocklist: {scope}");
        }
        Ok(())
    }

    /// Applies the file every few seconds.
    pub async fn follow(mut self, store: &dyn Store, now: fn() -> Timestamp) -> Infallible {
        loop {
            tokio::time::sleep(RELOAD).await;
            if let Err(error) = self.apply(store, now()).await {
                tracing::warn!(%error, "cannot apply the blocklist; trying again");
            }
        }
    }

    fn accept(&mut self, text: String) {
        let (entries, bad) = parse(&text);
        for (line, reason) in bad.iter().take(MAX_BAD) {
            tracing::error!("{}:{line}: {reason}", self.path.display());
        }
        if bad.len() > MAX_BAD {
            let more = bad.len() - MAX_BAD;
            tracing::error!("{}: {more} more bad lines", self.path.display());
        }
        self.text = text;
        self.entries = entries;
        self.is_lost = false;
    }
}

fn read(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let mut file = file.take(MAX_BYTES + 1);
    file.read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than {} MiB", MAX_BYTES >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// Bad lines: number and reason.
type BadLines = Vec<(usize, String)>;

/// Parses lines of a domain, or `*.` and a suffix, and a public reason; returns the bad lines too.
fn parse(text: &str) -> (BTreeMap<Scope, String>, BadLines) {
    let mut entries = BTreeMap::new();
    let mut bad = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let scope = match name.strip_prefix("*.") {
            Some(suffix) => Scope::suffix(suffix),
            None => Domain::parse(name).map(|domain| Scope::domain(&domain)),
        };
        match scope {
            Ok(scope) => {
                let reason = manifest::text::clean(reason, MAX_REASON);
                let reason = match reason.as_str() {
                    "" => NO_REASON.to_owned(),
                    _ => reason,
                };
                entries.insert(scope, reason);
            }
            Err(error) => {
                let name = manifest::text::clean(name, 100);
                bad.push((
                    number,
                    format!("'{name}' is neither a domain nor '*.' and a suffix: {error}"),
                ));
            }
        }
    }
    (entries, bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_reported_with_its_number_and_the_rest_holds() {
        let text = "\u{feff}# ours\n\nShop.example  sells  fakes\n*.spam.example\r\na b\n*.\n-\n  bank.example # phishing\n";
        let (entries, bad) = parse(text);
        let entries: Vec<_> = entries
            .iter()
            .map(|(scope, reason)| (scope.target(), reason.as_str()))
            .collect();
        let expected = [
            ("bank.example".to_owned(), "# phishing"),
            ("shop.example".to_owned(), "sells fakes"),
            ("*.spam.example".to_owned(), NO_REASON),
        ];
        assert_eq!(entries, expected);
        let numbers: Vec<usize> = bad.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [5, 6, 7]);
        assert!(bad[0].1.starts_with("'a' is neither"), "{}", bad[0].1);
    }

    #[tokio::test]
    async fn exclusions_follow_the_file_and_outlive_it() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let store = crate::open(&url, &[]).await.unwrap();
        let path = folder.path().join("blocklist.txt");
        assert!(Blocklist::open(&path).is_err());
        let (now, owner) = (Timestamp(1_800_000_000_000), "left.example");
        let of_owner = Exclusion {
            scope: Scope::domain(&Domain::parse(owner).unwrap()),
            reason: "the owner asked".to_owned(),
            source: ExclusionSource::Owner,
            since: now,
        };
        store.exclude(&of_owner, now).await.unwrap();
        let targets = async || {
            let all = store.exclusions().await.unwrap();
            let all = all.iter().map(|it| (it.scope.target(), it.source));
            all.collect::<Vec<_>>()
        };
        let ours = |target: &str| (target.to_owned(), ExclusionSource::Blocklist);
        let theirs = (owner.to_owned(), ExclusionSource::Owner);

        std::fs::write(&path, "a.example spam\nb.example\nleft.example abuse\n").unwrap();
        let mut blocklist = Blocklist::open(&path).unwrap();
        for _ in 0..2 {
            blocklist.apply(&*store, now).await.unwrap();
            let expected = [ours("a.example"), ours("b.example"), theirs.clone()];
            assert_eq!(targets().await, expected);
        }
        std::fs::write(&path, "b.example\n*.c.example\n").unwrap();
        blocklist.apply(&*store, now).await.unwrap();
        let expected = [ours("b.example"), ours("*.c.example"), theirs.clone()];
        assert_eq!(targets().await, expected);
        std::fs::remove_file(&path).unwrap();
        blocklist.apply(&*store, now).await.unwrap();
        assert_eq!(targets().await, expected);
        assert!(blocklist.is_lost);
        std::fs::write(&path, "").unwrap();
        blocklist.apply(&*store, now).await.unwrap();
        assert_eq!(targets().await, [theirs]);
        let log = store.moderation_log(None, 100).await.unwrap();
        let log: Vec<_> = log.iter().map(|it| it.action.as_str()).collect();
        let expected = [
            "unblock", "unblock", "block", "unblock", "block", "block", "optout",
        ];
        assert_eq!(log, expected);
    }
}
