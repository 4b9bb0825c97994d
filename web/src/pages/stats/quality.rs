//! The quality of the documents of each format, as bars of shares.

use crate::view;
use crate::view::chart::Stack;
use manifest::Level;
use std::fmt::Write as _;
use store::Stats;

/// Name in the address of the table.
pub(super) const NAME: &str = "quality";
/// Most formats of the chart.
const ROWS: usize = 12;
/// Levels in the order of the bars.
const LEVELS: [Level; 4] = [Level::A, Level::B, Level::C, Level::D];

/// Documents of each format by level.
#[derive(Debug)]
pub(super) struct Quality {
    /// Letter and meaning of each level.
    pub(super) levels: [(&'static str, &'static str); 4],
    /// Formats with most documents first.
    pub(super) rows: Vec<Stack<4>>,
    /// True if formats are left out.
    pub(super) is_cut: bool,
}

impl Quality {
    /// Counts the documents of the formats with most of them.
    pub(super) fn of(stats: &Stats) -> Self {
        let formats = formats(stats);
        let rows = formats.iter().take(ROWS);
        Self {
            levels: LEVELS.map(|it| (it.as_str(), view::level_words(it))),
            is_cut: formats.len() > ROWS,
            rows: rows
                .map(|(format, numbers)| Stack::of(format.clone(), *numbers))
                .collect(),
        }
    }
}

/// Returns the numbers of documents of each format by level, the format with most of them first.
fn formats(stats: &Stats) -> Vec<(String, [u64; 4])> {
    let formats = stats.graded.iter().map(|(format, levels)| {
        let number = |it: Level| levels.get(it.as_str()).copied().unwrap_or(0);
        (view::format_title(format), LEVELS.map(number))
    });
    let mut formats: Vec<_> = formats.collect();
    formats.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.iter().sum::<u64>()));
    formats
}

/// Returns the numbers of all formats as CSV.
pub(super) fn csv(stats: &Stats) -> String {
    let mut text = "format,A,B,C,D\r\n".to_owned();
    for (format, [a, b, c, d]) in formats(stats) {
        let format = format.replace('"', "\"\"");
        let _ = write!(text, "\"{format}\",{a},{b},{c},{d}\r\n");
    }
    text
}
