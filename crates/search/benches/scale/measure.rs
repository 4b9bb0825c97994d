//! Times of a process, and how they are printed.

use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time after which nothing more of one kind is asked: a slow engine's figures rest on fewer
/// queries.
const LONGEST: Duration = Duration::from_mins(1);

/// Times of the runs of one operation.
#[derive(Default)]
pub(crate) struct Times {
    /// Time on a core, of each.
    cpu: Vec<Duration>,
    /// Time on the clock, of each.
    wall: Vec<Duration>,
}

impl Times {
    /// Runs something for each input, as far as time allows, and says what it says on the average.
    pub(crate) fn of<T>(inputs: &[T], mut run: impl FnMut(&T) -> u64) -> (Self, u64) {
        let (mut times, mut sum) = (Self::default(), 0);
        let begun = Instant::now();
        for input in inputs {
            if begun.elapsed() > LONGEST {
                break;
            }
            let (cpu, wall) = (cpu(), Instant::now());
            sum += run(input);
            times.wall.push(wall.elapsed());
            times.cpu.push(self::cpu().saturating_sub(cpu));
        }
        times.cpu.sort_unstable();
        times.wall.sort_unstable();
        let asked = times.cpu.len().max(1) as u64;
        (times, sum / asked)
    }

    /// Returns a row of the table: median, 99th of a hundred and longest time on a core, the same
    /// two on the clock, how many one core does in a second, and how many were asked.
    pub(crate) fn row(&self) -> String {
        let at =
            |times: &[Duration], part: usize| milliseconds(times[(times.len() - 1) * part / 100]);
        let all: Duration = self.cpu.iter().sum();
        let count = f64::from(u32::try_from(self.cpu.len()).unwrap_or(u32::MAX));
        format!(
            "{:>8} {:>8} {:>8} {:>9} {:>9} {:>9.0} {:>6}",
            at(&self.cpu, 50),
            at(&self.cpu, 99),
            at(&self.cpu, 100),
            at(&self.wall, 50),
            at(&self.wall, 99),
            count / all.as_secs_f64(),
            self.cpu.len(),
        )
    }
}

/// The head of the table.
pub(crate) const HEAD: &str = "cpu p50  cpu p99  cpu max  wall p50  wall p99    in 1 s  asked";

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}

/// Returns the CPU time used by all threads of this process.
pub(crate) fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the CPU time used by this thread.
pub(crate) fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Waits until other threads of this process have nothing left to do.
pub(crate) fn wait_for_quiet() {
    loop {
        let before = cpu();
        std::thread::sleep(Duration::from_millis(500));
        if cpu().saturating_sub(before) < Duration::from_millis(5) {
            return;
        }
    }
}

/// Returns the most memory that this process has had, in megabytes, where the system says it.
pub(crate) fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let number = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) / 1024
}

/// Bytes of the files in a folder by what their names end in, the largest first.
pub(crate) fn sizes(folder: &Path) -> Vec<(String, u64)> {
    let mut sizes = std::collections::HashMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let Ok(data) = entry.metadata() else { continue };
            let path = entry.path();
            if data.is_dir() {
                folders.push(path);
            } else {
                let kind = path
                    .extension()
                    .and_then(|it| it.to_str())
                    .unwrap_or("other");
                *sizes.entry(kind.to_owned()).or_insert(0) += data.len();
            }
        }
    }
    let mut sizes: Vec<_> = sizes.into_iter().collect();
    sizes.sort_unstable_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    sizes
}
