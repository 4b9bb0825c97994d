//! Signatures of agent cards, verified with keys from a file.

use crate::input::shown;
use anyhow::Context as _;
use manifest::signature::{self, Key, Verdict};
use manifest::{Domain, Lint};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use url::Url;

/// Format of the documents that are signed.
const CARD: &str = "a2a-agent-card";
/// Maximum number of bytes of a file of keys.
const MAX_FILE: u64 = 1 << 20;

/// Verdict on one signature, as a line of JSON has it.
#[derive(Debug, Serialize)]
pub(super) struct SignatureVerdict {
    kid: Option<String>,
    alg: Option<String>,
    state: &'static str,
}

/// Keys from a file.
#[derive(Clone, Debug)]
pub(super) struct KeySet(Vec<Key>);

impl KeySet {
    /// Reads a JSON Web Key Set.
    pub(super) fn read(path: &str) -> Result<Self, String> {
        let mut text = Vec::new();
        let read = File::open(path).and_then(|it| it.take(MAX_FILE).read_to_end(&mut text));
        read.map_err(|error| format!("cannot read it: {error}"))?;
        let set: Value = serde_json::from_slice(&text)
            .map_err(|error| format!("not a JSON Web Key Set of at most 1 MiB: {error}"))?;
        let keys = signature::keys(&set);
        if keys.is_empty() {
            return Err(
                "none of its keys verifies signatures; expected a JSON Web Key Set".to_owned(),
            );
        }
        Ok(Self(keys))
    }

    /// Verifies the signatures of a card at its site; `None` for a document of another format.
    pub(super) fn verified(
        &self,
        body: &[u8],
        lint: &Lint,
        origin: &Url,
    ) -> anyhow::Result<Option<Vec<SignatureVerdict>>> {
        if lint.reading.format.as_str() != CARD {
            return Ok(None);
        }
        let card: Value = serde_json::from_slice(body).context("cannot verify signatures")?;
        let site = Domain::parse(origin.host_str().unwrap_or_default())?;
        let verdicts = signature::verify(&card, &site, &self.0);
        Ok(Some(
            verdicts.into_iter().map(SignatureVerdict::of).collect(),
        ))
    }
}

/// Reports whether a card has signatures, all of which are valid.
pub(super) fn are_valid(signed: &[SignatureVerdict]) -> bool {
    !signed.is_empty() && signed.iter().all(|it| it.state == "valid")
}

/// Formats the verdicts on a card, one a line, if there are any.
pub(super) fn text(file: &str, signed: Option<&[SignatureVerdict]>) -> String {
    let Some(signed) = signed else {
        return String::new();
    };
    let file = shown(file);
    if signed.is_empty() {
        return format!("{file}: no signature\n");
    }
    let mut text = String::new();
    for signed in signed {
        let key = signed.kid.as_deref().unwrap_or("without id");
        let _ = writeln!(
            text,
            "{file}: signature by key {}: {}",
            shown(key),
            signed.state
        );
    }
    text
}

impl SignatureVerdict {
    fn of(verdict: Verdict) -> Self {
        Self {
            kid: verdict.kid,
            alg: verdict.alg,
            state: verdict.state.as_str(),
        }
    }
}
