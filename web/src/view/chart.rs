//! Charts, drawn on the server: bars of numbers by name, bars of shares, and lines of numbers by day.

use super::grouped;
use store::Day;

/// Size of the drawing of a line.
const WIDTH: u64 = 300;
const HEIGHT: u64 = 80;

/// Numbers by name, as a drawing and as a table.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    /// Heading of the names.
    pub(crate) noun: &'static str,
    /// Path of the table as CSV, if there is one.
    pub(crate) csv: Option<String>,
    pub(crate) rows: Vec<Row>,
    /// Statement on the rows that are left out; empty if none are.
    pub(crate) left_out: String,
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

/// Bar of shares that fill it.
#[derive(Clone, Debug)]
pub(crate) struct Stack<const PARTS: usize> {
    pub(crate) label: String,
    pub(crate) total: String,
    /// Numbers of the parts.
    pub(crate) numbers: [String; PARTS],
    /// Begin and length of each part, in percent.
    pub(crate) spans: [(String, String); PARTS],
}

impl<const PARTS: usize> Stack<PARTS> {
    /// Draws a bar of `numbers`, each as long as its share.
    pub(crate) fn of(label: String, numbers: [u64; PARTS]) -> Self {
        let total = numbers.iter().copied().fold(0, u64::saturating_add);
        let thousandth = |number: u64| u128::from(number) * 1_000 / u128::from(total.max(1));
        let percent = |tenths: u128| format!("{}.{}", tenths / 10, tenths % 10);
        let mut before = 0_u64;
        Self {
            label,
            total: grouped(total),
            numbers: numbers.map(grouped),
            spans: numbers.map(|number| {
                let begin = thousandth(before);
                before = before.saturating_add(number);
                (percent(begin), percent(thousandth(before) - begin))
            }),
        }
    }
}

/// Numbers by day, as a line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) title: String,
    /// Corners of the line, from left to right; its lower edge is zero.
    pub(crate) points: String,
    /// First and last number.
    pub(crate) first: String,
    pub(crate) last: String,
}

impl Line {
    /// Draws numbers by day, the oldest first; `None` for fewer than two days.
    pub(crate) fn of(title: String, numbers: &[(Day, u64)]) -> Option<Self> {
        let [(start, first), .., (end, last)] = numbers else {
            return None;
        };
        let days = end.0.abs_diff(start.0).max(1);
        let most = numbers.iter().map(|it| it.1).max().unwrap_or(0).max(1);
        let point = |(day, number): &(Day, u64)| {
            let x = day.0.abs_diff(start.0).saturating_mul(WIDTH) / days;
            let height = u128::from(*number) * u128::from(HEIGHT) / u128::from(most);
            format!("{x},{}", u128::from(HEIGHT).saturating_sub(height))
        };
        Some(Self {
            points: numbers.iter().map(point).collect::<Vec<_>>().join(" "),
            first: grouped(*first),
            last: grouped(*last),
            title,
        })
    }
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
    /// Leaves out all rows but the first `most`, and says so.
    pub(crate) fn limited(self, most: usize) -> Self {
        let left_out = match self.rows.len().saturating_sub(most) {
            0 => String::new(),
            _ => format!("The first {most} of {}.", grouped(self.rows.len() as u64)),
        };
        let rows = self.rows.into_iter().take(most).collect();
        Self {
            rows,
            left_out,
            ..self
        }
    }

    /// Returns the rows with the lengths of their bars in percent; the longest bar is that of the
    /// highest number.
    pub(crate) fn bars(&self) -> impl Iterator<Item = (&Row, String)> {
        let most = self
            .rows
            .iter()
            .map(|it| it.value)
            .max()
            .unwrap_or(0)
            .max(1);
        self.rows.iter().map(move |row| {
            let tenths = u128::from(row.value) * 1_000 / u128::from(most);
            let tenths = if row.value == 0 { 0 } else { tenths.max(5) };
            (row, format!("{}.{}", tenths / 10, tenths % 10))
        })
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
            left_out: String::new(),
        };
        let lengths: Vec<String> = chart.bars().map(|(_, length)| length).collect();
        assert_eq!(lengths, ["100.0", "25.0", "0.5", "0.0"]);
        assert_eq!(chart.clone().limited(4).left_out, "");
        let limited = chart.limited(3);
        assert_eq!(limited.rows.len(), 3);
        assert_eq!(limited.left_out, "The first 3 of 4.");
    }

    #[test]
    fn the_parts_of_a_stack_fill_it() {
        let stack = Stack::of("Cards".to_owned(), [1, 0, 2, 0]);
        let spans = stack
            .spans
            .each_ref()
            .map(|(begin, length)| (&**begin, &**length));
        assert_eq!(
            spans,
            [
                ("0.0", "33.3"),
                ("33.3", "0.0"),
                ("33.3", "66.7"),
                ("100.0", "0.0")
            ]
        );
        assert_eq!(stack.total, "3");
        let none = Stack::of("None".to_owned(), [0, 0]);
        assert_eq!(none.spans[1], ("0.0".to_owned(), "0.0".to_owned()));
    }

    #[test]
    fn a_line_keeps_the_distance_of_its_days_and_begins_at_zero() {
        let line = |numbers: &[(i64, u64)]| {
            let numbers: Vec<_> = numbers.iter().map(|it| (Day(it.0), it.1)).collect();
            Line::of("Agents".to_owned(), &numbers)
        };
        assert_eq!(
            line(&[(1, 0), (2, 4), (4, 8)]).unwrap().points,
            "0,80 100,40 300,0"
        );
        assert_eq!(line(&[(1, 0), (2, 0)]).unwrap().points, "0,80 300,80");
        assert_eq!(line(&[(1, u64::MAX), (2, 1)]).unwrap().points, "0,0 300,80");
        assert!(line(&[(1, 5)]).is_none());
        assert!(line(&[]).is_none());
    }
}
