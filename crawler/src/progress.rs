//! Progress display of a crawl: a bar on a terminal, a structured log line every 10 seconds
//! elsewhere.

use crate::config::ProgressStyle;
use crate::status::span;
use crate::summary::{AwaitedTally, Progress, Summary};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::Duration;
use store::Outcome;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Time between two updates of the bar.
const FRAME: Duration = Duration::from_millis(200);
/// Time between two log lines.
const LINE: Duration = Duration::from_secs(10);

/// Resolves `auto`, depending on standard error.
pub fn resolve(style: ProgressStyle) -> ProgressStyle {
    match style {
        ProgressStyle::Auto if std::io::stderr().is_terminal() => ProgressStyle::Bar,
        ProgressStyle::Auto => ProgressStyle::Log,
        style => style,
    }
}

/// Displays `progress` in this style until it is dropped.
pub async fn show(progress: &Progress, style: ProgressStyle) {
    match resolve(style) {
        ProgressStyle::Bar | ProgressStyle::Auto => bar(progress).await,
        ProgressStyle::Log => log(progress).await,
        ProgressStyle::None => std::future::pending().await,
    }
}

async fn bar(progress: &Progress) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let template = "{elapsed_precise} [{bar:30}] {pos}/{len} {msg}";
    if let Ok(style) = BarStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    let mut ticks = interval(FRAME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        let summary = progress.snapshot();
        bar.set_length(summary.due.max(summary.visits + summary.in_flight));
        bar.set_position(summary.visits);
        bar.set_message(message(&summary, bar.elapsed()));
    }
}

fn message(summary: &Summary, elapsed: Duration) -> String {
    if summary.visits == 0 && summary.in_flight == 0 && summary.seeds.new > 0 {
        return format!("reading seeds: {} new", summary.seeds.new);
    }
    let mut text = format!(
        "{:.1}/s, {} in flight, {} found, {} agents",
        rate(summary.visits, elapsed),
        summary.in_flight,
        summary.outcome(Outcome::Found),
        summary.agents
    );
    if let Some(waiting) = waiting(summary, Instant::now()) {
        // Writing to a string does not fail.
        let _ = write!(text, ", {waiting}");
    } else if let Some(remaining) = time_left(summary, elapsed) {
        let _ = write!(text, ", {} left", span(remaining));
    }
    for (outcome, count) in &summary.outcomes {
        let _ = write!(text, "\n  {:<16} {count:>8}", outcome.as_str());
    }
    text
}

/// Describes what an idle crawl waits for.
fn waiting(summary: &Summary, now: Instant) -> Option<String> {
    let AwaitedTally { domains, until } = summary.awaited?;
    let remaining = span(until.saturating_duration_since(now));
    Some(format!(
        "waiting for postponed domains: {domains}, the last in {remaining}"
    ))
}

/// Estimates the time for the due domains at the current rate.
fn time_left(summary: &Summary, elapsed: Duration) -> Option<Duration> {
    // Others visit a part of what is due.
    if summary.crawlers > 1 {
        return None;
    }
    let remaining = summary.due.checked_sub(summary.visits)?;
    if remaining == 0 || summary.visits == 0 {
        return None;
    }
    let milliseconds = elapsed.as_millis() * u128::from(remaining) / u128::from(summary.visits);
    u64::try_from(milliseconds).ok().map(Duration::from_millis)
}

/// Formats counts by outcome on one line, such as `found=3 empty=9`.
fn by_outcome(summary: &Summary) -> String {
    let outcomes = summary.outcomes.iter();
    let words: Vec<_> = outcomes
        .map(|(outcome, count)| format!("{}={count}", outcome.as_str()))
        .collect();
    words.join(" ")
}

async fn log(progress: &Progress) {
    let mut ticks = interval(LINE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks.tick().await;
    let started = Instant::now();
    let mut before = 0;
    let mut was_idle = false;
    loop {
        ticks.tick().await;
        let summary = progress.snapshot();
        // A daemon without work reports it once.
        let is_waiting = summary.in_line > 0 || summary.awaited.is_some();
        let is_idle = summary.in_flight == 0 && summary.visits == before && !is_waiting;
        if is_idle && was_idle {
            continue;
        }
        was_idle = is_idle;
        tracing::info!(
            visits = summary.visits,
            due = summary.due,
            in_flight = summary.in_flight,
            in_line = summary.in_line,
            awaited = summary.awaited.map(|awaited| awaited.domains),
            found = summary.outcome(Outcome::Found),
            documents = summary.documents,
            agents = summary.agents,
            requests = summary.requests,
            rate = rate(summary.visits - before, LINE),
            seconds_left =
                time_left(&summary, started.elapsed()).map(|remaining| remaining.as_secs()),
            outcomes = by_outcome(&summary),
            outages = summary.outages,
            "{} visits done, {:.1} a second{}",
            summary.visits,
            rate(summary.visits - before, LINE),
            waiting(&summary, Instant::now()).map_or_else(String::new, |it| format!("; {it}"))
        );
        before = summary.visits;
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(0.001)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Summary {
        Summary {
            due: 400,
            visits: 100,
            in_flight: 7,
            agents: 4,
            outcomes: [(Outcome::Found, 3), (Outcome::Empty, 97)].into(),
            ..Summary::default()
        }
    }

    #[test]
    fn the_bar_shows_rate_visits_in_flight_time_left_and_outcomes() {
        let text = message(&summary(), Duration::from_secs(50));
        assert!(
            text.starts_with("2.0/s, 7 in flight, 3 found, 4 agents, 2 min 30 s left\n"),
            "{text}"
        );
        assert!(text.contains("empty                  97"), "{text}");
    }

    #[test]
    fn the_time_left_needs_visits_and_due_domains() {
        let remaining = |due, visits| {
            let summary = Summary {
                due,
                visits,
                ..Summary::default()
            };
            time_left(&summary, Duration::from_secs(10)).map(|remaining| remaining.as_secs())
        };
        assert_eq!(remaining(30, 10), Some(20));
        assert_eq!(remaining(30, 0), None);
        assert_eq!(remaining(30, 30), None);
        assert_eq!(remaining(30, 40), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_run_shows_its_domains_and_the_time() {
        let mut summary = summary();
        let now = Instant::now();
        assert_eq!(waiting(&summary, now), None);
        summary.awaited = Some(AwaitedTally {
            domains: 12,
            until: now + Duration::from_secs(90),
        });
        let text = message(&summary, Duration::from_secs(50));
        let line = "agents, waiting for postponed domains: 12, the last in 1 min 30 s\n";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn a_log_line_has_the_outcomes_as_pairs() {
        assert_eq!(by_outcome(&summary()), "found=3 empty=97");
    }
}
