//! `indexer lint --account`: what became of each value of a manifest.

use super::{Lint, Output, draft};
use crate::input::{STDIN, shown};
use crate::print;
use anyhow::Context as _;
use manifest::account::{Account, Part};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Prints the account of every file; the exit code is 1 if one cannot be read.
pub(super) fn run(command: &Lint) -> anyhow::Result<ExitCode> {
    if !matches!(command.output, Output::Text | Output::Json) {
        anyhow::bail!("--account prints a table, for which --format must be text or json");
    }
    let mut code = ExitCode::SUCCESS;
    for file in super::Files::of(&command.files) {
        let read = file.and_then(|file| {
            let account = draft(command, &file)?.account()?;
            Ok((file, account))
        });
        match read {
            Ok((file, account)) => {
                let is_json = command.output == Output::Json;
                print(&if is_json {
                    json(&file, &account)?
                } else {
                    text(&file, &account)
                })?;
            }
            Err(error) => {
                writeln!(io::stderr().lock(), "error: {error:#}").context("cannot write")?;
                code = ExitCode::from(1);
            }
        }
    }
    Ok(code)
}

fn json(file: &str, account: &Account) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        account: &'a Account,
    }
    let line = serde_json::to_string(&Line { file, account })?;
    Ok(format!("{}\n", terminal::json(&line)))
}

/// Formats an account as a table: the part, the place, the value, and the facts or the rule.
fn text(file: &str, account: &Account) -> String {
    let file = match file {
        STDIN => "<stdin>".to_owned(),
        file => shown(file),
    };
    let mut text = String::new();
    for value in &account.values {
        let (part, why) = match &value.part {
            Part::Used { facts } => ("used", facts.join(", ")),
            Part::Kept => ("kept", String::new()),
            Part::Dropped { rule } => ("dropped", rule.clone()),
        };
        let row = format!("{part:<8} {} {:?}  {why}", value.place, value.value);
        let _ = writeln!(text, "{}", terminal::line(row.trim_end()));
    }
    let Account {
        used,
        kept,
        dropped,
        ..
    } = account;
    let _ = writeln!(
        text,
        "{file}: {used} used, {kept} kept, {dropped} dropped\n"
    );
    text
}
