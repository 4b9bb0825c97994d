//! `crawler status`: counts of the frontier, and the crawlers of the database, as a table or as JSON.

use crate::config::Status;
use manifest::Timestamp;
use serde_json::json;
use std::fmt::Write as _;
use std::time::Duration;
use store::{FleetView, FrontierStats, Member, Store, StoreError};

/// Returns the output of `crawler status`.
pub async fn status(
    arguments: &Status,
    store: &dyn Store,
    now: Timestamp,
) -> Result<String, StoreError> {
    let frontier = store.frontier_stats(now).await?;
    let fleet = store.fleet().await?;
    Ok(if arguments.json {
        object(&frontier, fleet.as_ref(), now)
    } else {
        table(&frontier, fleet.as_ref(), now)
    })
}

/// Returns the counts as one JSON object; times are in Unix milliseconds.
fn object(frontier: &FrontierStats, fleet: Option<&FleetView>, now: Timestamp) -> String {
    let age = frontier.load.oldest_due.map(|due| now.since(due).as_secs());
    let mut value = json!(frontier);
    value["now"] = now.0.into();
    value["oldest_due_seconds"] = age.into();
    value["crawlers"] = fleet.map_or(json!(null), |fleet| {
        let members = fleet.members.iter().map(|(name, member)| {
            json!({
                "process": member.description,
                "since": member.since,
                "until": member.until,
                "is_leaving": member.is_leaving,
                "slots": slots_of(fleet, Some(name)),
            })
        });
        members.collect()
    });
    value["free_slots"] = json!(fleet.map(|fleet| slots_of(fleet, None)));
    value.to_string()
}

/// Returns the number of slots of a member, or of those without a holder.
fn slots_of(fleet: &FleetView, name: Option<&String>) -> usize {
    let holders = fleet.slots.iter().map(|it| it.holder.as_ref());
    holders.filter(|holder| *holder == name).count()
}

/// Returns the state of a member in words.
fn describe(fleet: &FleetView, name: &String, member: &Member) -> String {
    let time = |from: i64, to: i64| span(Timestamp(to).since(Timestamp(from)));
    let slots = slots_of(fleet, Some(name));
    let state = match member {
        _ if member.until < fleet.now => {
            format!(
                ", silent: its term ended {} ago",
                time(member.until, fleet.now)
            )
        }
        Member {
            is_leaving: true, ..
        } => ", gives its networks up".to_owned(),
        _ => String::new(),
    };
    let (process, age) = (&member.description, time(member.since, fleet.now));
    format!(
        "  {process}, for {age}: {slots} of {} slots{state}",
        fleet.slots.len()
    )
}

/// Returns the counts as a table.
fn table(frontier: &FrontierStats, fleet: Option<&FleetView>, now: Timestamp) -> String {
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
    if let Some(fleet) = fleet {
        row("crawlers", fleet.members.len().to_string());
        for (name, member) in &fleet.members {
            let _ = writeln!(text, "{}", describe(fleet, name, member));
        }
        let free = slots_of(fleet, None);
        if free > 0 && !fleet.members.is_empty() {
            let _ = writeln!(
                text,
                "  no crawler has {free} of {} slots",
                fleet.slots.len()
            );
        }
    }
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
    use std::collections::BTreeMap;
    use store::{FrontierLoad, Holding};

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
        let text = table(&frontier(), None, Timestamp(3_661_000));
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
        let text = object(&frontier(), None, Timestamp(3_661_000));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["due"], 17);
        assert_eq!(value["oldest_due_seconds"], 3_660);
        assert_eq!(value["outcomes"]["empty"], 5);
        assert_eq!(value["next_due"], serde_json::Value::Null);
    }
    /// Returns a fleet of three members, one of which ends and one of which is silent.
    fn fleet() -> FleetView {
        let member = |number: i64, until, is_leaving| Member {
            description: format!("process {number} on a.example"),
            since: 60_000 * number,
            until,
            is_leaving,
            options: BTreeMap::new(),
        };
        let holders = [Some("a"), Some("a"), Some("b"), None];
        let holdings = holders.map(|holder| Holding {
            holder: holder.map(str::to_owned),
            usable_from: 0,
        });
        FleetView {
            now: 3_600_000,
            members: [
                ("a".to_owned(), member(1, 3_608_000, false)),
                ("b".to_owned(), member(2, 3_607_000, true)),
                ("c".to_owned(), member(3, 3_588_000, false)),
            ]
            .into(),
            slots: holdings.into(),
        }
    }

    #[test]
    fn the_table_names_the_crawlers_and_their_slots() {
        let text = table(&frontier(), Some(&fleet()), Timestamp(3_600_000));
        let (_, crawlers) = text.split_once("crawlers").unwrap();
        let lines: Vec<_> = crawlers.lines().skip(1).map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "process 1 on a.example, for 59 min 0 s: 2 of 4 slots",
                "process 2 on a.example, for 58 min 0 s: 1 of 4 slots, gives its networks up",
                "process 3 on a.example, for 57 min 0 s: 0 of 4 slots, silent: its term ended 12 s ago",
                "no crawler has 1 of 4 slots",
            ]
        );
    }

    #[test]
    fn the_json_has_the_crawlers_of_a_server() {
        let text = object(&frontier(), Some(&fleet()), Timestamp(3_600_000));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["crawlers"][1]["is_leaving"], true);
        assert_eq!(value["crawlers"][0]["slots"], 2);
        assert_eq!(value["free_slots"], 1);
        let text = object(&frontier(), None, Timestamp(3_600_000));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["crawlers"], serde_json::Value::Null);
    }
}
