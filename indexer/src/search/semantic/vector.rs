//! A direction in 256 dimensions, in 8-bit integers.

use std::fmt;

/// What a text means, as a direction.
#[derive(Clone, Copy, PartialEq)]
pub struct Vector {
    values: [i8; Self::DIMENSIONS],
    /// One divided by the length of `values`, so that a cosine needs no root.
    inverse_length: f32,
}

impl Vector {
    /// Numbers in a vector, and bytes of a stored one.
    pub const DIMENSIONS: usize = 256;

    /// The direction of some numbers; none when they are all zero.
    ///
    /// The largest becomes 127, so that the eight bits are used whatever the length was.
    pub(super) fn of(numbers: &[i32; Self::DIMENSIONS]) -> Option<Self> {
        let largest = numbers.iter().map(|it| it.unsigned_abs()).max()?.max(1);
        let largest = f64::from(largest);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no number is larger than the largest, which becomes 127"
        )]
        Self::from_values(
            numbers.map(|it| (f64::from(it) * 127.0 / largest).round_ties_even() as i8),
        )
    }

    /// A stored vector; none when the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; Self::DIMENSIONS] = bytes.try_into().ok()?;
        Self::from_values(bytes.map(u8::cast_signed))
    }

    /// The vector for storing: one signed byte a dimension.
    pub fn to_bytes(&self) -> [u8; Self::DIMENSIONS] {
        self.values.map(i8::cast_unsigned)
    }

    /// How alike two directions are: 1 for the same, 0 for unrelated, -1 for opposite.
    pub fn cosine(&self, other: &Self) -> f32 {
        dot(&self.values, &other.values) * self.inverse_length * other.inverse_length
    }

    fn from_values(values: [i8; Self::DIMENSIONS]) -> Option<Self> {
        let length = dot(&values, &values).sqrt();
        (length > 0.0).then(|| Self {
            values,
            inverse_length: length.recip(),
        })
    }
}

/// The sum of products; at most 256 times 128 squared, which an `f32` holds exactly.
fn dot(left: &[i8; Vector::DIMENSIONS], right: &[i8; Vector::DIMENSIONS]) -> f32 {
    let sum: i32 = left
        .iter()
        .zip(right)
        .map(|(left, right)| i32::from(*left) * i32::from(*right))
        .sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 2 to the 22nd, and an f32 holds integers up to 2 to the 24th"
    )]
    let sum = sum as f32;
    sum
}

impl fmt::Debug for Vector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Vector").field(&self.values).finish()
    }
}
