//! `crawler status`: counts of the frontier, as a table or as JSON.

use crate::config::Status;
use manifest::Timestamp;
use std::fmt::Write as _;
use std::time::Duration;
use store::{FrontierStats, Store, StoreError};

/// Returns the output of `crawler status`.
pub async fn status(
    arguments: &Status,
    store: &dyn Store,
    now: Timestamp,
) -> Result<String, StoreError> {
    let frontier = store.frontier_stats(now).await?;
    Ok(if arguments.json {
        json(&frontier, now)
    } else {
        table(&frontier, now)
    })
}

/// Returns the counts as one JSON object; times are in Unix milliseconds.
fn json(frontier: &FrontierStats, now: Timestamp) -> String {
    let age = frontier.load.oldest_due.map(|due| now.since(due).as_secs());
    let mut value = serde_json::json!(frontier);
    value["now"] = now.0.into();
    value["oldest_due_seconds"] = age.into();
    value.to_string()
}

/// Returns the counts as a table.
fn table(frontier: &FrontierStats, now: Timestamp) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<22} {value:>12}");
    };
    let age = |time: Option<Timestamp>| time.map_or("-".to_owned(), |time| span(now.since(time)));
    row("domains", frontier.load.domains.to_string());
    row("  due now", frontier.load.due.to_string());
    row("    oldest since", age(frontier.load.oldest_due));
    row("  under lease", frontier.leased.to_string());
    row("  in back-off", frontier.load.back_off.to_string());
    let next = frontier.next_due.map(|due| span(due.since(now)));
    row("  next due in", next.unwrap_or("-".to_owned()));
    row("  never visited", frontier.unvisited.to_string());
    row("    discovered", frontier.discovered.to_string());
    row("by last outcome", String::new());
    for (outcome, count) in &frontier.outcomes {
        row(&format!("  {outcome}"), count.to_string());
    }
    row("exclusions", frontier.exclusions.to_string());
    row("submissions waiting", frontier.load.submissions.to_string());
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Formats a duration in its two largest units.
pub(crate) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        (_, _, _) => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::FrontierLoad;

    fn frontier() -> FrontierStats {
        FrontierStats {
            load: FrontierLoad {
                domains: 12_345,
                due: 17,
                oldest_due: Some(Timestamp(1_000)),
                back_off: 2,
                submissions: 0,
            },
            leased: 3,
            unvisited: 9,
            discovered: 4,
            outcomes: [("empty".to_owned(), 5)].into(),
            exclusions: 1,
            ..FrontierStats::default()
        }
    }

    #[test]
    fn the_table_has_names_and_values() {
        let text = table(&frontier(), Timestamp(3_661_000));
        let line = |start: &str| {
            let line = text.lines().find(|line| line.trim().starts_with(start));
            line.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(line("domains").unwrap(), "domains 12345");
        assert_eq!(line("oldest").unwrap(), "oldest since 1 h 1 min");
        assert_eq!(line("next").unwrap(), "next due in -");
        assert_eq!(line("empty").unwrap(), "empty 5");
    }

    #[test]
    fn the_json_has_counts_and_times() {
        let text = json(&frontier(), Timestamp(3_661_000));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["due"], 17);
        assert_eq!(value["oldest_due_seconds"], 3_660);
        assert_eq!(value["outcomes"]["empty"], 5);
        assert_eq!(value["next_due"], serde_json::Value::Null);
    }
}
