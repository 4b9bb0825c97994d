//! `indexer lint`: reports the findings of manifests.

use crate::report::Marks;
use crate::{input, print};
use anyhow::Context as _;
use clap::ValueEnum;
use files::Files;
use manifest::author::{self, Draft};
use manifest::rules::{self, Rule};
use manifest::{Finding, FormatId, Lint as Linted};
use sarif::Log;
use signatures::SignatureVerdict;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use url::Url;

mod account;
mod explain;
mod files;
mod fix;
mod formats;
mod github;
mod json;
mod sarif;
mod signatures;
mod text;

/// Arguments of `indexer lint`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Exits with 1 if a document has an error, is not a manifest or cannot be read, or if a directory contains none; with 0 otherwise.

Examples:
  indexer lint agents.json .well-known
  indexer lint --quiet public && deploy
  curl -s https://ferry.example/agents.json | indexer lint - --path /agents.json
  indexer lint --origin https://ferry.example ai-catalog.json
  indexer lint --origin https://ferry.example --keys jwks.json agent-card.json
  indexer lint public --format sarif > lint.sarif
  indexer lint --account agents.json
  indexer lint --fix public
  indexer lint --explain A2-06
  indexer lint --list-formats")]
pub(crate) struct Lint {
    /// Manifests, directories to search for files with the usual names, or - for standard input.
    ///
    /// Each finding shows its severity and rule, its place, what to write there (help) and what holds
    /// in a file that follows the rule. Findings with one cause are one finding with all their places.
    #[arg(value_name = "FILE", required_unless_present_any = ["explain", "list_formats"])]
    files: Vec<String>,

    /// Read every file as this format (see --list-formats) instead of detecting it.
    #[arg(
        long = "as",
        value_name = "FORMAT",
        hide_possible_values = true,
        value_parser = input::format()
    )]
    format: Option<FormatId>,

    /// Path at which the site serves the file; used if the content alone does not determine the format.
    #[arg(long, value_name = "PATH", value_parser = path)]
    path: Option<String>,

    /// Site that will serve the files [default: the site that each file names]. Without any, rules
    /// that depend on the site are not checked.
    #[arg(long, value_name = "URL", value_parser = author::site)]
    origin: Option<Url>,

    /// JSON Web Key Set with which to verify the signatures of A2A cards, which must all be valid.
    ///
    /// Nothing is fetched: the file is the set at the address that the header of a signature names
    /// as its jku.
    #[arg(
        long,
        value_name = "FILE",
        requires = "origin",
        value_parser = signatures::KeySet::read
    )]
    keys: Option<signatures::KeySet>,

    /// Output format.
    #[arg(
        long = "format",
        value_name = "OUTPUT",
        value_enum,
        default_value = "text"
    )]
    output: Output,

    #[command(flatten)]
    work: Work,

    /// Report errors only, without verdicts and totals: no output means that there is none.
    #[arg(long, short)]
    quiet: bool,

    /// List the formats that --as accepts, with their usual paths, instead.
    #[arg(long, exclusive = true)]
    list_formats: bool,

    /// Explain a rule instead: its reason, with documents that follow and break it.
    #[arg(long, value_name = "RULE", exclusive = true, value_parser = rule)]
    explain: Option<&'static Rule>,
}

/// Work on the files apart from reporting their findings.
#[derive(Clone, Debug, clap::Args)]
struct Work {
    /// Show what became of each value of the files instead: the facts that it is used for, that it is kept
    /// as published, or the rule of the finding that says why it was dropped.
    #[arg(long, conflicts_with_all = ["keys", "quiet"])]
    account: bool,

    /// Correct the files before they are read: what has one certain correction and changes nothing that
    /// is read, such as comments in JSON, a comma too many, or another encoding than UTF-8.
    #[arg(long, conflicts_with = "account")]
    fix: bool,
}

/// Output format of the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Plain text.
    Text,
    /// One JSON object per document, one per line.
    Json,
    /// SARIF 2.1.0, for code hosts and editors.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}

/// Lints every file and prints the findings; the exit code is 1 if any document is invalid.
pub(crate) fn run(command: &Lint) -> anyhow::Result<ExitCode> {
    if let Some(rule) = command.explain {
        print(&explain::rule(rule))?;
        return Ok(ExitCode::SUCCESS);
    }
    if command.list_formats {
        print(&formats::list())?;
        return Ok(ExitCode::SUCCESS);
    }
    if command.keys.is_some() && !matches!(command.output, Output::Text | Output::Json) {
        anyhow::bail!("--keys prints verdicts, for which --format must be text or json");
    }
    if command.work.account {
        return account::run(command);
    }
    let mut output = Reporter::new(command.output, command.quiet);
    for file in Files::of(&command.files) {
        match file.and_then(|file| lint(command, file)) {
            Ok((file, lint, signed)) => output.document(&file, lint, signed.as_deref())?,
            Err(error) => output.failure(&error)?,
        }
    }
    output.finish()
}

/// Lints a file, and verifies the signatures in it if there are keys for that.
fn lint(
    command: &Lint,
    file: String,
) -> anyhow::Result<(String, Linted, Option<Vec<SignatureVerdict>>)> {
    let mut draft = draft(command, &file)?;
    if command.work.fix {
        fix::file(&mut draft, &file)?;
    }
    let lint = draft.clone().lint()?;
    let signed = match (&command.keys, &command.origin) {
        (Some(keys), Some(origin)) => keys.verified(&draft.body, &lint, origin)?,
        _ => None,
    };
    Ok((file, lint, signed))
}

/// Reads a file as the draft of a manifest.
fn draft<'c>(command: &'c Lint, file: &'c str) -> anyhow::Result<Draft<'c>> {
    let path = command.path.as_deref();
    Ok(Draft {
        body: input::body(file)?,
        name: path.unwrap_or_else(|| served_as(file)),
        origin: command.origin.as_ref(),
        format: command.format,
    })
}

/// Derives the path on the site from the path of a local file.
fn served_as(file: &str) -> &str {
    if file == input::STDIN {
        return "/";
    }
    let well_known = file.rfind("/.well-known/");
    let slash = well_known.or_else(|| Some(file.rfind('/')? + 1));
    &file[slash.unwrap_or(0)..]
}

/// State of the output.
struct Reporter {
    output: Output,
    marks: Marks,
    is_quiet: bool,
    counts: text::Counts,
    log: Log,
    is_failure: bool,
}

impl Reporter {
    fn new(output: Output, is_quiet: bool) -> Self {
        Self {
            output,
            marks: Marks::of_output(),
            is_quiet,
            counts: text::Counts::default(),
            log: Log::default(),
            is_failure: false,
        }
    }

    fn document(
        &mut self,
        file: &str,
        mut lint: Linted,
        signed: Option<&[SignatureVerdict]>,
    ) -> anyhow::Result<()> {
        let is_valid = lint.reading.is_valid() && signed.is_none_or(signatures::are_valid);
        self.is_failure |= !is_valid;
        if self.is_quiet {
            if is_valid {
                return Ok(());
            }
            lint.keep_errors();
        }
        match self.output {
            Output::Text => {
                self.counts.add(&lint);
                print(&text::document(file, &lint, self.marks, self.is_quiet))?;
                print(&signatures::text(file, signed))
            }
            Output::Json => print(&json::document(file, &lint, signed)?),
            Output::Github => print(&github::document(file, &lint)),
            Output::Sarif => {
                self.log.add(file, &lint);
                Ok(())
            }
        }
    }

    /// Reports that a file cannot be read; the others still can.
    fn failure(&mut self, error: &anyhow::Error) -> anyhow::Result<()> {
        self.is_failure = true;
        let message = format!("{error:#}");
        match self.output {
            Output::Github => print(&github::failure(&message))?,
            Output::Sarif => self.log.fail(&message),
            Output::Text | Output::Json => {}
        }
        writeln!(io::stderr().lock(), "error: {message}").context("cannot write")
    }

    fn finish(self) -> anyhow::Result<ExitCode> {
        match self.output {
            Output::Text if self.is_quiet || self.counts.is_empty() => {}
            Output::Text => print(&self.counts.summary())?,
            Output::Sarif => print(&self.log.finish())?,
            Output::Json | Output::Github => {}
        }
        Ok(ExitCode::from(u8::from(self.is_failure)))
    }
}

/// Formats problem and correction as one text, for outputs that have one message.
fn sentence(finding: &Finding) -> String {
    let mut text = finding.message.clone();
    if finding.count > 1 {
        let _ = write!(text, " ({} places)", finding.count);
    }
    if let Some(advice) = finding.advice() {
        let _ = write!(text, "; {advice}");
    }
    text
}

fn path(text: &str) -> Result<String, &'static str> {
    if text.starts_with('/') {
        Ok(text.to_owned())
    } else {
        Err("give it from the root of the site, such as /.well-known/agent.json")
    }
}

fn rule(id: &str) -> Result<&'static Rule, String> {
    let id = id.to_ascii_uppercase();
    rules::find(&id).ok_or_else(|| {
        // Of ids as near as each other, the one that begins like it.
        let nearest = rules::all().min_by_key(|rule| {
            let common = rule.id.bytes().zip(id.bytes()).take_while(|(a, b)| a == b);
            (strsim::osa_distance(rule.id, &id), Reverse(common.count()))
        });
        let nearest = nearest.map_or("", |rule| rule.id);
        format!(
            "no finding has this rule; the nearest is {nearest} (ids of behaviour without findings: \
             docs/formats.md, and docs/politeness.md for those of the crawler)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_file_is_taken_from_its_path() {
        for (file, place) in [
            ("agents.json", "agents.json"),
            ("public/agents.json", "agents.json"),
            ("./a/.well-known/agent.json", "/.well-known/agent.json"),
            ("-", "/"),
        ] {
            assert_eq!(served_as(file), place);
        }
    }

    #[test]
    fn a_rule_is_found_whatever_its_case_and_the_nearest_is_named() {
        assert_eq!(rule("di-10").unwrap().id, "DI-10");
        assert!(rule("DI-1O").unwrap_err().contains("DI-1"));
    }
}
