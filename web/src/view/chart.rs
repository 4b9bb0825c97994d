//! Bar charts, drawn on the server.

use super::{grouped, shortened};

/// Height of a row in pixels.
const ROW: u64 = 24;
/// Length of the longest bar, in percent of the width of the drawing.
const LONGEST: u64 = 42;
/// Place at which bars begin, in percent.
const START: u64 = 46;
/// Longest label in the drawing, in characters.
const LABEL: usize = 24;

/// Numbers by name, as a drawing and as a table.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    /// Heading of the names.
    pub(crate) noun: &'static str,
    /// Path of the table as CSV, if there is one.
    pub(crate) csv: Option<String>,
    pub(crate) rows: Vec<Row>,
}

/// Number with its name.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) value: u64,
    pub(crate) shown: String,
    /// Page about it.
    pub(crate) href: Option<String>,
}

/// Bar of the drawing.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) y: u64,
    pub(crate) text_y: u64,
    /// Length and end in percent, with one decimal place.
    pub(crate) width: String,
    pub(crate) end: String,
}

impl Row {
    /// Creates a row.
    pub(crate) fn new(label: String, value: u64, href: Option<String>) -> Self {
        Self {
            label,
            value,
            shown: grouped(value),
            href,
        }
    }
}

impl Chart {
    /// Returns the height of the drawing.
    pub(crate) fn height(&self) -> u64 {
        ROW * self.rows.len() as u64
    }

    /// Returns the bars, from top to bottom; the longest is that of the highest number.
    pub(crate) fn bars(&self) -> Vec<Bar> {
        let most = self.rows.iter().map(|it| it.value).max().unwrap_or(0);
        let bar = |(at, row): (u64, &Row)| {
            let tenths = row.value.saturating_mul(10 * LONGEST) / most.max(1);
            let tenths = if row.value == 0 { 0 } else { tenths.max(3) };
            let percent = |tenths: u64| format!("{}.{}", tenths / 10, tenths % 10);
            Bar {
                label: shortened(&row.label, LABEL),
                value: row.shown.clone(),
                y: at * ROW + 3,
                text_y: at * ROW + 16,
                width: percent(tenths),
                end: percent(10 * START + tenths),
            }
        };
        (0..).zip(&self.rows).map(bar).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_is_that_of_the_highest_number_and_no_number_has_none() {
        let rows = [("a", 1_000), ("b", 250), ("c", 1), ("d", 0)];
        let chart = Chart {
            title: "Letters",
            noun: "Letter",
            csv: None,
            rows: rows
                .map(|(label, value)| Row::new(label.to_owned(), value, None))
                .into(),
        };
        let bars = chart.bars();
        let widths: Vec<&str> = bars.iter().map(|it| &*it.width).collect();
        assert_eq!(widths, ["42.0", "10.5", "0.3", "0.0"]);
        assert_eq!((&*bars[0].end, &*bars[3].end), ("88.0", "46.0"));
        assert_eq!(chart.height(), 96);
    }
}
