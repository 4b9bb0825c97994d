//! Tables as data: their columns, and one form of their rows for both databases.
//!
//! The form of a row is that of PostgreSQL's binary COPY
//! (<https://www.postgresql.org/docs/current/sql-copy.html>, "Binary Format"), so what is hashed is what
//! the server receives and sends.

pub(crate) mod digest;
pub(crate) mod row;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole number of 64 bits.
    Integer,
    /// Text, which is UTF-8.
    Text,
    /// Bytes.
    Bytes,
    /// Truth value, which is a number in SQLite.
    Flag,
}

/// Column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// Table whose rows are copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// In the order of the source, in which both databases are read.
    pub(crate) columns: Vec<Column>,
    /// Columns by which the source keeps its rows in order.
    pub(crate) key: Vec<String>,
}

impl Table {
    /// Writes the names of the columns, quoted, with commas between.
    pub(crate) fn columns(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|it| quoted(&it.name)).collect();
        names.join(", ")
    }

    /// Writes the name, quoted.
    pub(crate) fn quoted(&self) -> String {
        quoted(&self.name)
    }
}

/// Quotes a name for a statement.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the tables of the source with the types of the target, or the first difference between the
/// schemas.
pub(crate) fn matched(source: &[Table], target: &[Table]) -> Result<Vec<Table>, String> {
    let missing = |in_source: &[Table], of: &[Table]| {
        let has = |name: &str| in_source.iter().any(|it| it.name == name);
        of.iter()
            .find(|it| !has(&it.name))
            .map(|it| it.name.clone())
    };
    if let Some(name) = missing(target, source) {
        return Err(format!("table {name} is missing in the target"));
    }
    if let Some(name) = missing(source, target) {
        return Err(format!("table {name} is missing in the source"));
    }
    let pairs = source.iter().map(|ours| {
        let theirs = target.iter().find(|it| it.name == ours.name);
        matched_columns(ours, theirs.map_or(&[], |it| &it.columns))
    });
    pairs.collect()
}

fn matched_columns(ours: &Table, theirs: &[Column]) -> Result<Table, String> {
    let table = &ours.name;
    if let Some(more) = theirs
        .iter()
        .find(|it| !ours.columns.iter().any(|own| own.name == it.name))
    {
        let name = &more.name;
        return Err(format!(
            "column {name} of table {table} is missing in the source"
        ));
    }
    let columns = ours.columns.iter().map(|own| {
        let name = &own.name;
        let Some(other) = theirs.iter().find(|it| it.name == *name) else {
            return Err(format!(
                "column {name} of table {table} is missing in the target"
            ));
        };
        if own.kind == other.kind || (own.kind, other.kind) == (Kind::Integer, Kind::Flag) {
            Ok(other.clone())
        } else {
            Err(format!(
                "column {name} of table {table} has another type in the target"
            ))
        }
    });
    Ok(Table {
        columns: columns.collect::<Result<_, _>>()?,
        ..ours.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, columns: &[(&str, Kind)]) -> Table {
        let columns = columns.iter().map(|(name, kind)| Column {
            name: (*name).to_owned(),
            kind: *kind,
        });
        Table {
            name: name.to_owned(),
            columns: columns.collect(),
            key: Vec::new(),
        }
    }

    #[test]
    fn columns_are_matched_by_name_and_have_the_type_of_the_target() {
        let ours = table("a", &[("x", Kind::Integer), ("y", Kind::Text)]);
        let theirs = table("a", &[("y", Kind::Text), ("x", Kind::Flag)]);
        let expected = table("a", &[("x", Kind::Flag), ("y", Kind::Text)]);
        assert_eq!(matched(&[ours], &[theirs]), Ok(vec![expected]));
    }

    #[test]
    fn each_difference_is_named() {
        let ours = || table("a", &[("x", Kind::Integer)]);
        for (theirs, difference) in [
            (vec![], "table a is missing in the target"),
            (
                vec![ours(), table("b", &[])],
                "table b is missing in the source",
            ),
            (
                vec![table("a", &[])],
                "column x of table a is missing in the target",
            ),
            (
                vec![table("a", &[("x", Kind::Integer), ("z", Kind::Text)])],
                "column z of table a is missing in the source",
            ),
            (
                vec![table("a", &[("x", Kind::Text)])],
                "column x of table a has another type in the target",
            ),
        ] {
            assert_eq!(matched(&[ours()], &theirs), Err(difference.to_owned()));
        }
    }
}
