//! The operator's signals to stop.

use std::io;
use std::process::ExitCode;
use tokio::signal::unix;

/// Exit codes of work that SIGINT or SIGTERM ended early, by the convention of shells.
const INTERRUPTED: u8 = 130;
const TERMINATED: u8 = 143;

/// Signal that asks a program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT: Ctrl-C on a terminal.
    Interrupt,
    /// SIGTERM: from a supervisor of processes.
    Terminate,
}

impl Signal {
    /// Returns the exit code of work that would have ended by itself.
    pub fn unfinished(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Interrupt => INTERRUPTED,
            Self::Terminate => TERMINATED,
        })
    }

    /// Returns the exit code of a service, for whose supervisor a clean stop is a success.
    pub fn stopped(self) -> ExitCode {
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
