//! A child process and its cost.

use anyhow::{Context as _, bail};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Clock ticks per second in `/proc`, on every Linux (`USER_HZ`).
const TICKS: f64 = 100.0;

/// Interval at which the memory of a running process is read.
const LOOK: Duration = Duration::from_millis(10);

/// Cost of a process from its start to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Seconds of CPU time in user mode.
    pub(crate) user: f64,
    /// Seconds of CPU time in the kernel.
    pub(crate) system: f64,
    /// Elapsed seconds.
    pub(crate) wall: f64,
    /// Peak memory in MiB.
    pub(crate) peak: f64,
}

impl Cost {
    /// Returns the total CPU seconds.
    pub(crate) fn cpu(&self) -> f64 {
        self.user + self.system
    }
}

/// Runs a process to a successful end.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<Cost> {
    let (user, system) = of_ended_children()?;
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let mut peak = 0.0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        // The process may end between the two reads, and then has no memory.
        peak = peak_mib(child.id()).unwrap_or(peak);
        std::thread::sleep(LOOK);
    };
    let wall = started.elapsed().as_secs_f64();
    if !status.success() {
        bail!("it ended with {status}");
    }
    let (user_then, system_then) = of_ended_children()?;
    Ok(Cost {
        user: user_then - user,
        system: system_then - system,
        wall,
        peak,
    })
}

/// Returns the CPU seconds in user mode and in the kernel of all ended children (proc(5), `cutime`
/// and `cstime`).
fn of_ended_children() -> anyhow::Result<(f64, f64)> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The second field, the name, may contain anything; the third follows the last bracket.
    let (_, fields) = stat
        .rsplit_once(')')
        .context("no name in /proc/self/stat")?;
    let mut fields = fields.split_whitespace().skip(13);
    let mut seconds = || -> anyhow::Result<f64> {
        let ticks: f64 = fields.next().context("/proc/self/stat is short")?.parse()?;
        Ok(ticks / TICKS)
    };
    Ok((seconds()?, seconds()?))
}

/// Returns the peak resident memory of a running process.
fn peak_mib(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}
