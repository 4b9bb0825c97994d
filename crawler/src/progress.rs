//! Shows how a crawl goes: a bar on a terminal, a structured line every 10 seconds elsewhere.

use crate::config::ProgressStyle;
use crate::summary::{Progress, Summary};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::Duration;
use store::Outcome;
use tokio::time::{MissedTickBehavior, interval};

/// Between two pictures of the bar.
const FRAME: Duration = Duration::from_millis(200);
/// Between two lines of the log.
const LINE: Duration = Duration::from_secs(10);

/// What `auto` means here: standard error decides.
pub fn resolve(style: ProgressStyle) -> ProgressStyle {
    match style {
        ProgressStyle::Auto if std::io::stderr().is_terminal() => ProgressStyle::Bar,
        ProgressStyle::Auto => ProgressStyle::Log,
        style => style,
    }
}

/// Shows `progress` in this style until it is dropped.
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
    let mut text = format!(
        "{:.1}/s, {} in flight, {} agents",
        rate(summary.visits, elapsed),
        summary.in_flight,
        summary.agents
    );
    if summary.visits == 0 && summary.in_flight == 0 && summary.seeds.new > 0 {
        text = format!("reading seeds: {} new", summary.seeds.new);
    }
    for (outcome, count) in &summary.outcomes {
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {:<16} {count:>8}", outcome.as_str());
    }
    text
}

async fn log(progress: &Progress) {
    let mut ticks = interval(LINE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks.tick().await;
    let mut before = 0;
    let mut was_idle = false;
    loop {
        ticks.tick().await;
        let summary = progress.snapshot();
        // A daemon with nothing to do says so once.
        let is_idle = summary.in_flight == 0 && summary.visits == before;
        if is_idle && was_idle {
            continue;
        }
        was_idle = is_idle;
        tracing::info!(
            visits = summary.visits,
            due = summary.due,
            in_flight = summary.in_flight,
            found = summary.outcome(Outcome::Found),
            documents = summary.documents,
            agents = summary.agents,
            requests = summary.requests,
            "{} visits done, {:.1} a second",
            summary.visits,
            rate(summary.visits - before, LINE)
        );
        before = summary.visits;
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(0.001)
}
