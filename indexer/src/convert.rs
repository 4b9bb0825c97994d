//! `indexer convert`: converts a manifest to another format.

use crate::input;
use anyhow::{Context as _, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use manifest::convert::{Origin, Target};
use manifest::{Agent, Document, Domain, Finding, FormatId, Reading, convert, formats};
use serde_json::Value;
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
    #[arg(long, value_name = "URL", value_parser = input::site)]
    origin: Option<Url>,

    /// Add a value that the manifest lacks, such as version=1.0.0; lists and objects as JSON.
    ///
    /// Values of the manifest are kept; list items are appended.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = fact)]
    set: Vec<Fact>,
}

/// Value from the command line for a field of the model.
#[derive(Clone, Debug, PartialEq)]
struct Fact {
    field: String,
    value: Value,
}

/// Converts the file; returns the document and writes the losses to standard error.
pub(crate) fn run(command: &Convert) -> anyhow::Result<String> {
    let body = input::body(&command.file)?;
    let (document, mut reading) = read(command, body)?;
    if let Some(fault) = reading.fault() {
        bail!("cannot read '{}': {fault}", input::shown(&command.file));
    }
    if reading.agents.is_empty() {
        let format = reading.format;
        bail!(
            "'{}' describes no agent: it was read as {format}",
            command.file
        );
    }
    for agent in &mut reading.agents {
        for fact in &command.set {
            add(agent, fact)?;
        }
    }
    let mut origin = Origin::of(&document, &reading);
    // The local file name does not determine the path on the site.
    origin.is_placed = command.path.is_some();
    let conversion = convert(&reading.agents, &origin, command.to);
    if let Some(fault) = conversion.findings.iter().find(|it| it.is_ours()) {
        let (file, title) = (input::shown(&command.file), command.to.title());
        bail!("cannot convert '{file}' to {title}: {}", fault.message);
    }
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
    let names = PossibleValuesParser::new(Target::ALL.map(Target::name));
    names.try_map(|name| Target::parse(&name).ok_or("no such format"))
}

fn fact(text: &str) -> Result<Fact, String> {
    let (field, value) = text.split_once('=').ok_or("give it as FIELD=VALUE")?;
    let value = if value.starts_with(['[', '{']) {
        serde_json::from_str(value).map_err(|error| format!("not JSON: {error}"))?
    } else {
        Value::from(value)
    };
    let fact = Fact {
        field: field.to_owned(),
        value,
    };
    add(&mut Agent::default(), &fact).map_err(|error| format!("{error:#}"))?;
    Ok(fact)
}

/// Adds a fact that the document does not give; what it says itself stays, and lists get longer.
fn add(agent: &mut Agent, fact: &Fact) -> anyhow::Result<()> {
    let Fact { field, value } = fact;
    let Value::Object(mut members) = serde_json::to_value(&*agent)? else {
        bail!("an agent is no object");
    };
    let is_default = agent.defaulted.contains(field);
    match (members.get_mut(field).filter(|_| !is_default), value) {
        (Some(Value::Array(given)), Value::Array(more)) => given.extend(more.clone()),
        (Some(given), _) if given.as_str() != Some("") => return Ok(()),
        _ => {
            members.insert(field.clone(), value.clone());
        }
    }
    let filled: Agent = serde_json::from_value(Value::Object(members))
        .with_context(|| format!("this is no {field}"))?;
    let is_known = serde_json::to_value(&filled)?.get(field).is_some();
    if !is_known {
        bail!("an agent has no field {field:?}; it has name, description, version, url, …");
    }
    *agent = filled;
    agent.defaulted.retain(|it| it != field);
    Ok(())
}

/// Reads the document as its site would serve it.
///
/// Without `--origin`, a first reading finds out which site the document speaks of.
fn read(command: &Convert, body: Vec<u8>) -> anyhow::Result<(Document, Reading)> {
    if let Some(origin) = &command.origin {
        return read_at(command, origin, body);
    }
    let nowhere = Url::parse("https://nowhere.example")?;
    let (document, reading) = read_at(command, &nowhere, body.clone())?;
    if reading.fault().is_some() {
        return Ok((document, reading));
    }
    let mut agents = reading.agents.iter();
    let origin = agents.find_map(|agent| named_site(agent, &nowhere));
    let origin = origin.with_context(|| {
        let file = &command.file;
        format!("'{file}' does not name its site; give --origin https://…")
    })?;
    read_at(command, &origin, body)
}

fn read_at(command: &Convert, origin: &Url, body: Vec<u8>) -> anyhow::Result<(Document, Reading)> {
    let domain = Domain::parse(origin.host_str().unwrap_or_default())?;
    let mut url = origin.clone();
    let name = Path::new(&command.file)
        .file_name()
        .and_then(|name| name.to_str());
    match (&command.path, name) {
        (Some(path), _) => url.set_path(path),
        (None, Some(name)) => url.set_path(&format!("/.well-known/{name}")),
        (None, None) => {}
    }
    let document = Document::new(domain, url, body);
    let reading = match command.format {
        Some(format) => formats::read_as(&document, format),
        None => formats::read(&document),
    };
    Ok((document, reading))
}

/// Returns the origin of the first address that an agent gives of its own.
fn named_site(agent: &Agent, nowhere: &Url) -> Option<Url> {
    let provider = agent.provider.iter().filter_map(|it| it.url.as_ref());
    let interfaces = agent.interfaces.iter().map(|it| &it.url);
    let calls = agent.capabilities.iter().filter_map(|it| it.url.as_ref());
    let pages = agent.homepage.iter().chain(&agent.url);
    let urls = pages
        .chain(interfaces)
        .chain(calls)
        .chain(provider)
        .chain(&agent.docs);
    let mut origins = urls.filter_map(|url| Url::parse(url).ok()?.join("/").ok());
    origins.find(|url| url.host_str() != nowhere.host_str() && input::site(url.as_str()).is_ok())
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
