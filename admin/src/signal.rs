//! The operator's signals to stop.

use std::io;
use std::process::ExitCode;
use tokio::signal::unix;

/// Exit code after Ctrl-C, by the convention of shells.
const INTERRUPTED: u8 = 130;

/// Signal that asks a program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT: Ctrl-C on a terminal.
    Interrupt,
    /// SIGTERM: from a supervisor of processes, for which a clean stop is a success.
    Terminate,
}

impl Signal {
    /// Returns the exit code after a clean stop.
    pub fn exit_code(self) -> ExitCode {
        match self {
            Self::Interrupt => ExitCode::from(INTERRUPTED),
            Self::Terminate => ExitCode::SUCCESS,
        }
    }
}

/// Signals to this process, from the moment at which it began to catch them.
#[derive(Debug)]
pub struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
}

impl Signals {
    /// Catches the signals from now on. A program does this first, so that none ends it halfway.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            interrupt: unix::signal(unix::SignalKind::interrupt())?,
            terminate: unix::signal(unix::SignalKind::terminate())?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}
