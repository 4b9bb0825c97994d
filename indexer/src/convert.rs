//! `indexer convert`: converts a manifest to another format.

use crate::input;
use anyhow::{Context as _, anyhow};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use manifest::author::addition::{self, Addition};
use manifest::author::{self, Draft, DraftError};
use manifest::convert::Target;
use manifest::lint::lint;
use manifest::{Finding, FormatId};
use std::io::{self, Write as _};
use std::path::Path;
use url::Url;

/// Arguments of `indexer convert`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  indexer convert agents.json --to agents-txt > agents.txt
  curl -s https://ferry.example/agents.json | \\
      indexer convert - --to openapi --origin https://ferry.example --set version=1.0.0")]
pub(crate) struct Convert {
    /// The manifest, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,

    /// The format to write.
    #[arg(long, value_name = "TARGET", value_parser = targets())]
    to: Target,

    /// Read the file as this format instead of detecting it.
    #[arg(long = "as", value_name = "FORMAT", value_parser = input::format())]
    format: Option<FormatId>,

    /// Path at which the site serves the file; used if the content alone does not determine the format.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Site that publishes the manifest [default: the site that the manifest names].
    #[arg(long, value_name = "URL", value_parser = author::site)]
    origin: Option<Url>,

    /// Add a value that the manifest lacks, such as version=1.0.0; lists and objects as JSON.
    ///
    /// Values of the manifest are kept; list items are appended.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = Addition::parse)]
    set: Vec<Addition>,
}

/// Converts the file; returns the document and writes the losses to standard error.
pub(crate) fn run(command: &Convert) -> anyhow::Result<String> {
    let body = input::body(&command.file)?;
    let place = place(command);
    let draft = Draft {
        body,
        name: &place,
        origin: command.origin.as_ref(),
        format: command.format,
    };
    let syntax = draft.document().ok().and_then(|document| {
        let lint = lint(&document);
        lint.syntax_error().map(line)
    });
    let (document, mut reading) = draft.read().map_err(|error| match syntax {
        Some(error) => anyhow!(
            "'{}' is not valid JSON: {}",
            input::shown(&command.file),
            error.trim_end()
        ),
        None => refusal(command, &error),
    })?;
    addition::add(&command.set, &mut reading)?;
    // The local file name does not determine the path on the site.
    let conversion = author::converted(&document, &reading, command.to, command.path.is_some());
    let conversion = conversion.map_err(|fault| {
        let (file, title) = (input::shown(&command.file), command.to.title());
        anyhow!("cannot convert '{file}' to {title}: {fault}")
    })?;
    let lines: String = conversion.grouped().iter().map(line).collect();
    io::stderr().lock().write_all(lines.as_bytes())?;
    let title = command.to.title();
    conversion.body.with_context(|| {
        format!(
            "'{}' says too little for {title}; give what it requires with --set FIELD=VALUE or --path",
            command.file
        )
    })
}

fn targets() -> impl clap::builder::TypedValueParser<Value = Target> {
    let names = PossibleValuesParser::new(Target::ALL.map(Target::as_str));
    names.try_map(|name| Target::parse(&name).ok_or("no such format"))
}

/// Returns the path at which the document is read.
fn place(command: &Convert) -> String {
    let name = || Path::new(&command.file).file_name()?.to_str();
    match (&command.path, name()) {
        (Some(path), _) => path.clone(),
        (None, Some(name)) => format!("/.well-known/{name}"),
        (None, None) => "/".to_owned(),
    }
}

/// Returns the error of a file that cannot be converted.
fn refusal(command: &Convert, error: &DraftError) -> anyhow::Error {
    let file = input::shown(&command.file);
    match error {
        DraftError::NoSite => {
            anyhow!("'{file}' does not name its site; give --origin https://…")
        }
        DraftError::NoAgent(format) => {
            anyhow!("'{file}' describes no agent: it was read as {format}")
        }
        _ => anyhow!("cannot read '{file}': {error}"),
    }
}

/// Returns a finding as one line.
fn line(finding: &Finding) -> String {
    let grade = finding.severity.label();
    let place = match (finding.line, finding.pointer.as_str()) {
        (Some(line), _) => format!(" line {line}:"),
        (None, "") => String::new(),
        (None, pointer) => format!(" {pointer}:"),
    };
    let others = match finding.count {
        0 | 1 => String::new(),
        count => format!(" ({count} places)"),
    };
    let advice = finding
        .advice()
        .map_or_else(String::new, |it| format!("; {it}"));
    format!(
        "{grade}:{place} {}{others}{advice} ({})\n",
        finding.message, finding.rule
    )
}
