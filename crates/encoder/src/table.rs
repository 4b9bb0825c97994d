//! Vectors of the pieces.

use crate::WIDTH;
use crate::packed::{ModelError, Packed};

/// Numbers of the groups of rows that share a scale.
const GROUPS: usize = 17;

/// Bytes of a row with two values each.
const NARROW: usize = WIDTH / 2;

/// A vector for each piece: values of six bits, most of them stored in four.
#[derive(Debug)]
pub(crate) struct Table {
    /// Smallest value and distance between two values of each group.
    groups: [(f32, f32); GROUPS],
    rows: Vec<Row>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// Position of its bytes.
    at: usize,
    /// Value that is added to all of them.
    lowest: u8,
    /// True if each value has a byte of its own.
    is_wide: bool,
}

impl Table {
    pub(crate) fn read(packed: &mut Packed<'_>) -> Result<Self, ModelError> {
        let count = packed.count()?;
        let lowest = packed.floats(GROUPS)?;
        let scale = packed.floats(GROUPS)?;
        let floors = packed.bytes(count)?;
        let widths = packed.bytes(count)?;
        let mut at = 0;
        let rows: Vec<_> = floors
            .into_iter()
            .zip(widths)
            .map(|(lowest, width)| {
                let row = Row {
                    at,
                    lowest,
                    is_wide: width > 0,
                };
                at += if row.is_wide { WIDTH } else { NARROW };
                row
            })
            .collect();
        Ok(Self {
            groups: std::array::from_fn(|group| (lowest[group], scale[group])),
            rows,
            bytes: packed.bytes(at)?,
        })
    }

    /// Writes the vector of a piece; zeros for a piece that the table does not have.
    pub(crate) fn write(&self, piece: u32, vector: &mut [f32]) {
        let Some(row) = self.rows.get(piece as usize) else {
            vector.fill(0.0);
            return;
        };
        let (lowest, scale) = self.groups[piece as usize % GROUPS];
        let value = |above: u8| lowest + scale * (f32::from(row.lowest) + f32::from(above));
        let bytes = &self.bytes[row.at..];
        if row.is_wide {
            for (value_at, &byte) in vector.iter_mut().zip(&bytes[..WIDTH]) {
                *value_at = value(byte);
            }
        } else {
            for (pair, &byte) in vector.as_chunks_mut().0.iter_mut().zip(&bytes[..NARROW]) {
                *pair = [value(byte & 15), value(byte >> 4)];
            }
        }
    }
}
