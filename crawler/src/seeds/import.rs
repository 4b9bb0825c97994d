//! Seeds out of files that an operator downloads: lists, also in zip archives, and exports of
//! registries of MCP servers and of ARD catalogues.

use super::{BYTE_ORDER_MARK, Counts, Rejection, SeedError, SeedReader, entry, stream};
use clap::ValueEnum;
use manifest::is_repository;
use serde_json::{Deserializer, Value};
use std::collections::HashSet;
use std::hash::BuildHasher as _;
use std::io::{self, BufReader, Cursor, Read};
use store::Seed;
use url::Url;

/// Maximum size of an export of a registry, and of an archive, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Seeds of a list that are in memory at once.
const BATCH: usize = 10_000;

/// Number of seeds that are remembered to give each once; a set of so many hashes has 72 MiB.
const MAX_KNOWN: usize = 7 << 20;

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

/// Reads a file of this format; each line of a seed list goes to `found`, once unless the list has
/// more than seven million.
///
/// `counts` are those of what was read before an error, too.
pub fn import(
    format: SeedFormat,
    input: impl Read + Send,
    counts: &mut Counts,
    found: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<(), SeedError> {
    let mut output = Output {
        found,
        counts,
        known: HashSet::new(),
    };
    match format {
        SeedFormat::List => list(input, &mut output),
        SeedFormat::Mcp => registry(input, &MCP, &mut output),
        SeedFormat::Ard => registry(input, &ARD, &mut output),
    }
}

/// Seeds on their way to the caller, and their counts.
struct Output<'a> {
    found: &'a mut dyn FnMut(&str) -> io::Result<()>,
    counts: &'a mut Counts,
    /// Hashes instead of names, for their size: two of seven million names have the same one once in
    /// 700,000 lists.
    known: HashSet<u64>,
}

impl Output<'_> {
    /// Gives a seed to the caller unless it was found before.
    fn give(&mut self, seed: &str) -> io::Result<()> {
        let hash = self.known.hasher().hash_one(seed);
        let is_known = if self.known.len() < MAX_KNOWN {
            !self.known.insert(hash)
        } else {
            self.known.contains(&hash)
        };
        if is_known {
            self.counts.repeated += 1;
            return Ok(());
        }
        self.counts.seeds += 1;
        (self.found)(seed)
    }

    /// Takes the counts of lines from their reader.
    fn count(&mut self, read: &Counts) {
        let (seeds, repeated) = (self.counts.seeds, self.counts.repeated);
        *self.counts = Counts {
            seeds,
            repeated,
            ..read.clone()
        };
    }
}

fn list(mut input: impl Read + Send, output: &mut Output<'_>) -> Result<(), SeedError> {
    let mut magic = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut magic)?;
    let is_archive = stream::is_zip(&magic);
    let whole = Cursor::new(magic).chain(input);
    if !is_archive {
        return lines(SeedReader::new(whole, false)?, output);
    }
    let mut packed = Vec::new();
    whole.take(MAX_BYTES + 1).read_to_end(&mut packed)?;
    if packed.len() as u64 > MAX_BYTES {
        return Err(SeedError::TooLarge(MAX_BYTES >> 20));
    }
    let archive = zip::ZipArchive::new(Cursor::new(packed));
    let mut archive = archive.map_err(|error| SeedError::Archive(error.to_string()))?;
    let is_file = |index: &usize| match archive.name_for_index(*index) {
        Some(Ok(name)) => !is_accessory(&name),
        Some(Err(_)) | None => true,
    };
    let files: Vec<_> = (0..archive.len()).filter(is_file).collect();
    let [index] = files[..] else {
        return Err(SeedError::Archive(match files.len() {
            0 => "it has no file".to_owned(),
            several => format!("it has {several} files; unpack the list itself"),
        }));
    };
    let unpacked = archive.by_index(index);
    let unpacked = unpacked.map_err(|error| SeedError::Archive(error.to_string()))?;
    lines(SeedReader::new(unpacked, false)?, output)
}

/// Reports whether a name in an archive is that of a folder, or of a file that a system keeps beside
/// those of the user, such as `__MACOSX/._top.csv`.
fn is_accessory(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.is_empty() || file.starts_with('.') || name.starts_with("__MACOSX/")
}

fn lines(mut reader: SeedReader<'_>, output: &mut Output<'_>) -> Result<(), SeedError> {
    loop {
        let batch = reader.next_batch(BATCH);
        output.count(reader.counts());
        let batch = batch?;
        if batch.is_empty() {
            return Ok(());
        }
        for seed in &batch {
            output.give(&line(seed))?;
        }
        for (_, document) in reader.take_named() {
            output.give(&document.url)?;
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

/// Form of the exports of a registry.
struct Export {
    /// Member with the records.
    list: &'static str,
    /// Members of which a record has one at least.
    members: [&'static str; 2],
    /// Returns the addresses that a record names.
    named: fn(&Value) -> Named,
}

const MCP: Export = Export {
    list: "servers",
    members: ["server", "name"],
    named: server,
};

const ARD: Export = Export {
    list: "entries",
    members: ["identifier", "url"],
    named: catalog_entry,
};

/// Reads JSON texts, one after the other: objects with records in the member `list`, arrays of records,
/// or single ones.
fn registry(
    input: impl Read + Send,
    export: &Export,
    output: &mut Output<'_>,
) -> Result<(), SeedError> {
    let mut text = stream::unpack(input)?.take(MAX_BYTES + 1);
    let mut start = Vec::with_capacity(BYTE_ORDER_MARK.len());
    text.by_ref()
        .take(BYTE_ORDER_MARK.len() as u64)
        .read_to_end(&mut start)?;
    if start == BYTE_ORDER_MARK {
        start.clear();
    }
    let text = BufReader::new(Cursor::new(start).chain(text));
    let mut has_export = false;
    let mut texts = Deserializer::from_reader(text).into_iter::<Value>();
    loop {
        let is_past_the_end = texts.byte_offset() as u64 > MAX_BYTES;
        if is_past_the_end {
            return Err(SeedError::TooLarge(MAX_BYTES >> 20));
        }
        let Some(value) = texts.next() else { break };
        let value = value.map_err(|error| SeedError::Json(error.to_string()))?;
        let is_record = export.members.iter().any(|name| value.get(name).is_some());
        has_export |= is_record || nested(&value, export.list).is_some();
        let mut records = Vec::new();
        collect(&value, export.list, 0, &mut records);
        for record in records {
            output.counts.lines += 1;
            match seeds_of(record, export.named) {
                Ok(seeds) => {
                    for seed in seeds {
                        output.give(&seed)?;
                    }
                }
                Err(reason) => {
                    let number = output.counts.lines;
                    output.counts.reject(number, &name(record), reason);
                }
            }
        }
    }
    match output.counts.seeds {
        // An object of another kind, such as an export of another registry, was counted as a record.
        0 if !has_export || output.counts.lines == 0 => {
            Err(SeedError::NoRecords(export.list.to_owned()))
        }
        0 => Err(SeedError::NoSites(Box::new(output.counts.clone()))),
        _ => Ok(()),
    }
}

/// Returns the list of a text or record that has one.
fn nested<'a>(value: &'a Value, list: &str) -> Option<&'a Vec<Value>> {
    match value {
        Value::Array(values) => Some(values),
        Value::Object(members) => [list, "results", "items"]
            .into_iter()
            .find_map(|name| members.get(name)?.as_array()),
        _ => None,
    }
}

/// Collects the records of a text; a record with a list of its own is a list.
fn collect<'a>(value: &'a Value, list: &str, depth: usize, records: &mut Vec<&'a Value>) {
    match nested(value, list) {
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
