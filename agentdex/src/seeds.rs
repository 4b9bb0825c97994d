//! `agentdex seeds`: seed lists out of downloaded files.

use clap::Args;
use crawler::seeds::{Counts, SeedError, SeedFormat, import};
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
        match self.import() {
            Ok(counts) => {
                say(&report(self.format, &counts));
                ExitCode::SUCCESS
            }
            // A closed output needs no error message.
            Err(SeedError::Read(error)) if error.kind() == ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Err(error) => {
                let file = self.file.display();
                let reason = terminal::failure(&error);
                say(&format!(
                    "error: {file}: {}",
                    reason.trim_start_matches("error: ")
                ));
                ExitCode::FAILURE
            }
        }
    }

    fn import(&self) -> Result<Counts, SeedError> {
        let input: Box<dyn Read + Send> = if self.file == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(&self.file)?)
        };
        let mut output = BufWriter::new(io::stdout());
        let counts = import(self.format, input, &mut |line| writeln!(output, "{line}"))?;
        output.flush()?;
        Ok(counts)
    }
}

/// Describes the result for the operator.
fn report(format: SeedFormat, counts: &Counts) -> String {
    let read = match format {
        SeedFormat::List => "lines",
        SeedFormat::Mcp => "servers",
        SeedFormat::Ard => "entries",
    };
    let rejections = counts.rejections();
    format!(
        "seeds: {} of {} {read}, {} rejected\n{}",
        counts.seeds,
        counts.lines,
        counts.rejected,
        rejections.trim_end()
    )
    .trim_end()
    .to_owned()
}
