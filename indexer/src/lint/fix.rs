//! `indexer lint --fix`: files with what has one certain correction corrected.

use crate::input;
use anyhow::Context as _;
use manifest::author::Draft;
use std::fs;
use std::io::{self, Write as _};

/// Corrects a draft and the file that it was read from, and says on standard error what was corrected.
pub(super) fn file(draft: &mut Draft<'_>, file: &str) -> anyhow::Result<()> {
    let shown = input::shown(file);
    if file == input::STDIN {
        anyhow::bail!("--fix writes to files, and standard input is none");
    }
    let Some(corrected) = manifest::corrected(&draft.document()?) else {
        return Ok(());
    };
    fs::write(file, &corrected.text).with_context(|| format!("cannot write '{shown}'"))?;
    draft.body = corrected.text.into_bytes();
    let mut errors = io::stderr().lock();
    for edit in corrected.edits {
        writeln!(errors, "fixed '{shown}': {edit}").context("cannot write")?;
    }
    Ok(())
}
