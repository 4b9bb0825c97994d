//! Documents that a command reads from files or standard input.

use anyhow::Context as _;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use manifest::{FormatId, formats};
use std::io::{self, Read as _};

/// Maximum number of bytes read of a document; above the size limit of every reader.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The name of standard input on the command line.
pub(crate) const STDIN: &str = "-";

/// Reads the bytes of a file or of standard input.
pub(crate) fn body(file: &str) -> anyhow::Result<Vec<u8>> {
    let mut body = Vec::new();
    let read = if file == STDIN {
        io::stdin().lock().take(MAX_BYTES).read_to_end(&mut body)
    } else {
        std::fs::File::open(file).and_then(|it| it.take(MAX_BYTES).read_to_end(&mut body))
    };
    read.with_context(|| format!("cannot read '{}'", shown(file)))?;
    Ok(body)
}

/// Returns a file's name in a form that is safe to print to a terminal.
pub(crate) fn shown(file: &str) -> String {
    manifest::text::clean(file, manifest::text::MAX_CHARS)
}

/// Returns the parser of `--as`: the id of a readable format.
pub(crate) fn format() -> impl TypedValueParser<Value = FormatId> {
    let values = formats::ids()
        .map(|id| PossibleValue::new(id.as_str()).aliases(formats::former_ids(id.as_str())));
    let names = PossibleValuesParser::new(values);
    names.try_map(|name| formats::find(formats::current_id(&name)).ok_or("no such format"))
}
