//! `agentdex seeds`: seed lists out of downloaded files.

use clap::Args;
use crawler::seeds::{Counts, SeedError, SeedFormat, import};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use terminal::say;

/// Downloaded file.
#[derive(Args, Debug)]
pub(crate) struct Seeds {
    /// Format of the file.
    #[arg(value_name = "FORMAT")]
    format: SeedFormat,

    /// File; '-' is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Seeds {
    /// Prints the seed list, and the counts of what was rejected.
    pub(crate) fn print(&self) -> ExitCode {
        let mut counts = Counts::default();
        let imported = self.import(&mut counts);
        if counts.seeds > 0 {
            say(&format!("seeds: {}", summary(&counts, self.record())));
        }
        match imported {
            Ok(()) => ExitCode::SUCCESS,
            // A closed output needs no error message.
            Err(SeedError::Read(error)) if error.kind() == ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Err(error) => {
                let file = self.file.display();
                let reason = terminal::failure(&error);
                let reason = reason.trim_start_matches("error: ");
                let ended = if counts.seeds > 0 {
                    "the list is incomplete: "
                } else {
                    ""
                };
                say(&format!("error: {file}: {ended}{reason}"));
                ExitCode::FAILURE
            }
        }
    }

    /// Writes the seeds, those before an error too.
    fn import(&self, counts: &mut Counts) -> Result<(), SeedError> {
        let input: Box<dyn Read + Send> = if self.file == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(&self.file)?)
        };
        let mut output = BufWriter::new(io::stdout());
        let imported = import(self.format, input, counts, &mut |line| {
            writeln!(output, "{line}")
        });
        output.flush()?;
        imported
    }

    /// Returns the name of a record of the format.
    fn record(&self) -> &'static str {
        match self.format {
            SeedFormat::List => "line",
            SeedFormat::Mcp => "server",
            SeedFormat::Ard => "record",
        }
    }
}

/// Describes what was read for the operator, with the reasons of what was rejected.
pub(crate) fn summary(counts: &Counts, record: &str) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let (seeds, read) = (counts.seeds, counts.lines);
    let mut text = format!(
        "{seeds} seed{} in {read} {record}{}",
        plural(seeds),
        plural(read)
    );
    for (count, of) in [
        (counts.repeated, "repeated"),
        (counts.without_entry, "blank, comment or heading"),
    ] {
        if count > 0 {
            // Writing to a string does not fail.
            let _ = write!(text, ", {count} {of}");
        }
    }
    let _ = write!(
        text,
        ", {} rejected\n{}",
        counts.rejected,
        counts.rejections()
    );
    text.trim_end().to_owned()
}
