//! Rows in the form of PostgreSQL's binary COPY.

use super::{Kind, Table};
use std::borrow::Cow;

/// Begin of a stream of rows: the signature, no flags, and no extension.
pub(crate) const HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// End of a stream of rows.
pub(crate) const END: &[u8] = &(-1_i16).to_be_bytes();

/// Length that stands for NULL.
const NULL: i32 = -1;

/// Character in the place of one that PostgreSQL cannot store.
const REPLACEMENT: &str = "\u{fffd}";

/// Value of a column, or nothing, as the source has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// NULL.
    Null,
    /// Number.
    Integer(i64),
    /// Bytes, also those of a text.
    Bytes(&'a [u8]),
}

/// Reason why a value has no place in a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    /// It is of another type.
    #[error("has a value of another type")]
    Type,
    /// It is longer than a value may be.
    #[error("has a value of more than 1 GiB")]
    Length,
}

/// Most bytes of a value on PostgreSQL.
const LONGEST: usize = (1 << 30) - 1;

/// Appends the number of values that follow in a row.
pub(crate) fn begin(table: &Table, row: &mut Vec<u8>) {
    let columns = i16::try_from(table.columns.len()).unwrap_or(i16::MAX);
    row.extend_from_slice(&columns.to_be_bytes());
}

/// Appends a value, and reports whether it is a text in which something was replaced: U+0000 and bytes
/// that are not UTF-8, which PostgreSQL does not take, become U+FFFD.
pub(crate) fn append(kind: Kind, value: Value<'_>, row: &mut Vec<u8>) -> Result<bool, Misfit> {
    match (kind, value) {
        (_, Value::Null) => {
            row.extend_from_slice(&NULL.to_be_bytes());
            Ok(false)
        }
        (Kind::Integer, Value::Integer(number)) => {
            append_bytes(&number.to_be_bytes(), row)?;
            Ok(false)
        }
        (Kind::Flag, Value::Integer(number @ (0 | 1))) => {
            append_bytes(&[u8::from(number == 1)], row)?;
            Ok(false)
        }
        (Kind::Bytes, Value::Bytes(bytes)) => {
            append_bytes(bytes, row)?;
            Ok(false)
        }
        (Kind::Text, Value::Bytes(bytes)) => {
            let text = storable(bytes);
            append_bytes(text.as_bytes(), row)?;
            Ok(text.as_bytes() != bytes)
        }
        (Kind::Integer | Kind::Flag | Kind::Bytes | Kind::Text, _) => Err(Misfit::Type),
    }
}

/// Returns a text without characters that PostgreSQL cannot store.
fn storable(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', REPLACEMENT))
    } else {
        text
    }
}

fn append_bytes(bytes: &[u8], row: &mut Vec<u8>) -> Result<(), Misfit> {
    let length = i32::try_from(bytes.len()).map_err(|_| Misfit::Length)?;
    if bytes.len() > LONGEST {
        return Err(Misfit::Length);
    }
    row.extend_from_slice(&length.to_be_bytes());
    row.extend_from_slice(bytes);
    Ok(())
}

/// Splitter of a stream of rows, which comes in pieces of any length.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    /// Bytes that are not a whole row yet.
    pending: Vec<u8>,
    has_begun: bool,
}

impl Splitter {
    /// Takes the next piece, and calls `each` for every row that is complete.
    pub(crate) fn take(&mut self, piece: &[u8], mut each: impl FnMut(&[u8])) {
        self.pending.extend_from_slice(piece);
        let mut at = 0;
        if !self.has_begun {
            if self.pending.len() < HEAD.len() {
                return;
            }
            at = HEAD.len();
            self.has_begun = true;
        }
        while let Some(length) = self.pending.get(at..).and_then(row_length) {
            each(&self.pending[at..at + length]);
            at += length;
        }
        self.pending.drain(..at);
    }

    /// Reports whether the stream has ended as it should.
    pub(crate) fn is_complete(&self) -> bool {
        self.has_begun && self.pending == END
    }
}

/// Returns the length of the row at the begin of these bytes, if all of it is there.
fn row_length(bytes: &[u8]) -> Option<usize> {
    let columns = i16::from_be_bytes(*bytes.first_chunk()?);
    // The end of the stream is no row.
    let columns = u16::try_from(columns).ok()?;
    let mut at = 2;
    for _ in 0..columns {
        let length = i32::from_be_bytes(*bytes.get(at..)?.first_chunk()?);
        at += 4 + usize::try_from(length).unwrap_or(0);
    }
    (at <= bytes.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(kind: Kind, value: Value<'_>) -> (Vec<u8>, Result<bool, Misfit>) {
        let mut row = Vec::new();
        let result = append(kind, value, &mut row);
        (row, result)
    }

    #[test]
    fn values_are_written_as_the_server_expects_them() {
        for (kind, value, expected) in [
            (Kind::Text, Value::Null, &b"\xff\xff\xff\xff"[..]),
            (
                Kind::Integer,
                Value::Integer(-2),
                b"\0\0\0\x08\xff\xff\xff\xff\xff\xff\xff\xfe",
            ),
            (Kind::Flag, Value::Integer(1), b"\0\0\0\x01\x01"),
            (
                Kind::Text,
                Value::Bytes("é".as_bytes()),
                b"\0\0\0\x02\xc3\xa9",
            ),
            (Kind::Bytes, Value::Bytes(b"\0\xff"), b"\0\0\0\x02\0\xff"),
        ] {
            assert_eq!(appended(kind, value), (expected.to_vec(), Ok(false)));
        }
    }

    #[test]
    fn a_text_that_the_server_refuses_is_replaced_and_reported() {
        for text in [&b"a\0b"[..], b"a\xffb"] {
            let (row, result) = appended(Kind::Text, Value::Bytes(text));
            assert_eq!(row, b"\0\0\0\x05a\xef\xbf\xbdb");
            assert_eq!(result, Ok(true));
        }
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        for (kind, value) in [
            (Kind::Integer, Value::Bytes(b"1")),
            (Kind::Flag, Value::Integer(2)),
            (Kind::Text, Value::Integer(1)),
        ] {
            assert_eq!(appended(kind, value).1, Err(Misfit::Type));
        }
    }

    #[test]
    fn rows_are_split_wherever_the_stream_is_cut() {
        let rows: [&[u8]; 3] = [
            b"\0\x01\0\0\0\x02ab",
            b"\0\x02\xff\xff\xff\xff\0\0\0\0",
            b"\0\0",
        ];
        let stream = [HEAD, rows[0], rows[1], rows[2], END].concat();
        for size in 1..=stream.len() {
            let mut splitter = Splitter::default();
            let mut found: Vec<Vec<u8>> = Vec::new();
            for piece in stream.chunks(size) {
                assert!(!splitter.is_complete());
                splitter.take(piece, |row| found.push(row.to_vec()));
            }
            assert_eq!(found, rows);
            assert!(splitter.is_complete());
        }
    }
}
