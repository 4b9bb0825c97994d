//! Seeds out of files that an operator downloads: lists, also in zip archives, and exports of
//! registries of MCP servers and of ARD catalogues.

use super::{Counts, Rejection, SeedError, SeedReader, entry, stream};
use clap::ValueEnum;
use manifest::is_repository;
use serde_json::{Deserializer, Value};
use std::collections::HashSet;
use std::io::{self, BufReader, Cursor, Read};
use store::Seed;
use url::Url;

/// Maximum size of an export of a registry, and of an archive, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Seeds of a list that are in memory at once.
const BATCH: usize = 10_000;

/// Maximum depth of a catalogue within catalogues.
const MAX_DEPTH: usize = 4;

/// Format of a downloaded file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SeedFormat {
    /// A name or URL a line, or a ranking such as 'rank,domain'; plain, .gz, .zst or .zip.
    List,
    /// Servers of an MCP registry: the answers of its /v0.1/servers, one after the other.
    Mcp,
    /// Entries of ARD catalogues, or results of ARD registries, one after the other.
    Ard,
}

/// Reads a file of this format; each line of a seed list goes to `found`, those of registries once.
pub fn import(
    format: SeedFormat,
    input: impl Read + Send,
    found: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<Counts, SeedError> {
    match format {
        SeedFormat::List => list(input, found),
        SeedFormat::Mcp => registry(input, "servers", server, found),
        SeedFormat::Ard => registry(input, "entries", catalog_entry, found),
    }
}

fn list(
    mut input: impl Read + Send,
    found: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<Counts, SeedError> {
    let mut magic = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut magic)?;
    let is_archive = stream::is_zip(&magic);
    let whole = Cursor::new(magic).chain(input);
    if !is_archive {
        return lines(SeedReader::new(whole, false)?, found);
    }
    let mut packed = Vec::new();
    whole.take(MAX_BYTES + 1).read_to_end(&mut packed)?;
    if packed.len() as u64 > MAX_BYTES {
        return Err(SeedError::TooLarge(MAX_BYTES >> 20));
    }
    let archive = zip::ZipArchive::new(Cursor::new(packed));
    let mut archive = archive.map_err(|error| SeedError::Archive(error.to_string()))?;
    if archive.len() != 1 {
        return Err(SeedError::Archive(format!(
            "it has {} files; unpack the list itself",
            archive.len()
        )));
    }
    let unpacked = archive.by_index(0);
    let unpacked = unpacked.map_err(|error| SeedError::Archive(error.to_string()))?;
    lines(SeedReader::new(unpacked, false)?, found)
}

fn lines(
    mut reader: SeedReader<'_>,
    found: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<Counts, SeedError> {
    loop {
        let batch = reader.next_batch(BATCH)?;
        if batch.is_empty() {
            return Ok(reader.counts().clone());
        }
        for seed in &batch {
            found(&line(seed))?;
        }
        for (_, document) in reader.take_named() {
            found(&document.url)?;
        }
    }
}

/// Returns the line of a seed list that names this seed.
fn line(seed: &Seed) -> String {
    match seed.port {
        Some(port) => format!("{}:{port}", seed.domain),
        None => seed.domain.to_string(),
    }
}

/// Addresses that a record names.
type Named = Vec<String>;

/// Reads JSON texts, one after the other: objects with records in the member `list`, arrays of records,
/// or single ones.
fn registry(
    input: impl Read + Send,
    list: &str,
    named: fn(&Value) -> Named,
    found: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<Counts, SeedError> {
    let text = BufReader::new(stream::unpack(input)?.take(MAX_BYTES + 1));
    let mut counts = Counts::default();
    let mut known = HashSet::new();
    let mut texts = Deserializer::from_reader(text).into_iter::<Value>();
    loop {
        let is_past_the_end = texts.byte_offset() as u64 > MAX_BYTES;
        if is_past_the_end {
            return Err(SeedError::TooLarge(MAX_BYTES >> 20));
        }
        let Some(value) = texts.next() else { break };
        let value = value.map_err(|error| SeedError::Json(error.to_string()))?;
        let mut records = Vec::new();
        collect(&value, list, 0, &mut records);
        for record in records {
            counts.lines += 1;
            match seeds_of(record, named) {
                Ok(seeds) => {
                    for seed in seeds {
                        if known.insert(seed.clone()) {
                            counts.seeds += 1;
                            found(&seed)?;
                        }
                    }
                }
                Err(reason) => counts.reject(counts.lines, &name(record), reason),
            }
        }
    }
    match counts.seeds {
        0 if counts.lines == 0 => Err(SeedError::NoRecords(list.to_owned())),
        0 => Err(SeedError::Nothing(Box::new(counts))),
        _ => Ok(counts),
    }
}

/// Collects the records of a text; a record with a list of its own is a list.
fn collect<'a>(value: &'a Value, list: &str, depth: usize, records: &mut Vec<&'a Value>) {
    let nested = match value {
        Value::Array(values) => Some(values),
        Value::Object(members) => [list, "results", "items"]
            .into_iter()
            .find_map(|name| members.get(name)?.as_array()),
        _ => None,
    };
    match nested {
        Some(values) if depth < MAX_DEPTH => {
            for value in values {
                collect(value, list, depth + 1, records);
            }
        }
        Some(_) => {}
        None => records.push(value),
    }
}

/// Returns the name of a record for the operator.
fn name(record: &Value) -> String {
    let inner = record.get("server").unwrap_or(record);
    let names = ["name", "identifier", "displayName"];
    let name = names.into_iter().find_map(|name| inner.get(name)?.as_str());
    name.unwrap_or("without a name").to_owned()
}

/// Returns the lines for the addresses of a record; the last reason if none can be used.
fn seeds_of(record: &Value, named: fn(&Value) -> Named) -> Result<Vec<String>, Rejection> {
    if is_deleted(record) {
        return Err(Rejection::Deleted);
    }
    let mut reason = Rejection::NoAddress;
    let mut seeds = Vec::new();
    for address in named(record) {
        if is_repository(&address) {
            reason = Rejection::Repository;
            continue;
        }
        match entry::parse(address.as_bytes(), false) {
            Ok(Some(entry)) => match entry.documents.first() {
                Some(document) => seeds.push(document.clone()),
                None => seeds.push(line(&entry.seed)),
            },
            Ok(None) => {}
            Err(rejection) => reason = rejection,
        }
    }
    if seeds.is_empty() {
        Err(reason)
    } else {
        Ok(seeds)
    }
}

/// Returns the origins that a server of an MCP registry names: of its remotes, of its page, and of the
/// publisher in its name, whose domain the registry has verified.
fn server(record: &Value) -> Named {
    let server = record.get("server").unwrap_or(record);
    let remotes = server.get("remotes").and_then(Value::as_array);
    let remotes = remotes.into_iter().flatten().filter_map(|it| it.get("url"));
    let pages = ["websiteUrl", "website_url"];
    let pages = pages.into_iter().filter_map(|name| server.get(name));
    let urls = remotes.chain(pages).filter_map(Value::as_str);
    let mut named: Vec<_> = urls.map(origin).collect();
    named.extend(
        server
            .get("name")
            .and_then(Value::as_str)
            .and_then(publisher),
    );
    named
}

/// Reports whether an MCP registry states that it has deleted a server.
fn is_deleted(record: &Value) -> bool {
    let official = record.pointer("/_meta/io.modelcontextprotocol.registry~1official/status");
    let stated = official.or_else(|| record.pointer("/server/status"));
    stated.and_then(Value::as_str) == Some("deleted")
}

/// Returns the origin of a URL; an endpoint is no document to request. A URL that is none stays as it is,
/// to be refused with its reason.
fn origin(url: &str) -> String {
    let parsed = Url::parse(url).ok().filter(Url::has_host);
    match parsed {
        Some(mut parsed) => {
            parsed.set_path("");
            parsed.set_query(None);
            parsed.set_fragment(None);
            parsed.into()
        }
        None => url.to_owned(),
    }
}

/// Returns the domain in a name such as `com.shop.api/orders`; accounts of GitHub have none.
fn publisher(name: &str) -> Option<String> {
    let (space, _) = name.split_once('/')?;
    if space.starts_with("io.github.") {
        return None;
    }
    let labels: Vec<_> = space.rsplit('.').collect();
    (labels.len() > 1).then(|| labels.join("."))
}

/// Returns the addresses that an entry of an ARD catalogue names: its document, and its publisher.
fn catalog_entry(record: &Value) -> Named {
    let text = |name: &str| record.get(name).and_then(Value::as_str);
    let document = text("url").map(str::to_owned);
    let publisher = text("identifier").and_then(|identifier| {
        let mut parts = identifier.split(':');
        let is_urn = parts.next() == Some("urn") && matches!(parts.next(), Some("air" | "ai"));
        parts.next().filter(|_| is_urn).map(str::to_owned)
    });
    document.into_iter().chain(publisher).collect()
}

#[cfg(test)]
mod tests;
