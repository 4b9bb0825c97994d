//! A direction in 256 dimensions, in 8-bit integers.

use std::fmt;

/// Embedding of a text: a direction.
#[derive(Clone, Copy, PartialEq)]
pub struct Vector {
    values: [i8; Self::DIMENSIONS],
    /// One divided by the length of `values`, so that a cosine needs no root.
    inverse_length: f32,
}

/// The signs of a vector: a 32-byte sketch of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sketch([u64; Vector::DIMENSIONS / 64]);

impl Sketch {
    /// Placeholder for a text without a vector.
    pub const NONE: Self = Self([0; Vector::DIMENSIONS / 64]);

    /// Returns the number of signs that differ (Hamming distance).
    pub fn distance(&self, other: &Self) -> u32 {
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|(left, right)| (left ^ right).count_ones()).sum()
    }
}

impl Vector {
    /// Numbers in a vector, and bytes of a stored one.
    pub const DIMENSIONS: usize = 256;
    /// Numbers of a stored vector in a column.
    pub const NUMBERS: usize = Self::DIMENSIONS / 8;

    /// Returns the direction of some numbers; none when they are all zero.
    ///
    /// The largest becomes 127, so that the eight bits are used whatever the length was.
    pub(super) fn of(numbers: &[f64; Self::DIMENSIONS]) -> Option<Self> {
        let largest = numbers.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        if largest == 0.0 {
            return None;
        }
        Self::from_values(numbers.map(|it| rounded(it * 127.0 / largest)))
    }

    /// Returns the direction between others, each of which counts the same however long its text
    /// was; none when there are no others, or when they cancel out.
    pub fn between(others: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut sum = [0.0; Self::DIMENSIONS];
        for other in others {
            for (sum, value) in sum.iter_mut().zip(other.values) {
                *sum += f64::from(value) * f64::from(other.inverse_length);
            }
        }
        Self::of(&sum)
    }

    /// Returns a stored vector; none when the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; Self::DIMENSIONS] = bytes.try_into().ok()?;
        Self::from_values(bytes.map(u8::cast_signed))
    }

    /// Returns the vector for storing: one signed byte a dimension.
    pub fn to_bytes(&self) -> [u8; Self::DIMENSIONS] {
        self.values.map(i8::cast_unsigned)
    }

    /// Returns the vector for a column of numbers: its bytes, eight to a number, the first lowest.
    pub fn to_numbers(&self) -> [u64; Self::NUMBERS] {
        let bytes = self.to_bytes();
        let (chunks, _) = bytes.as_chunks();
        std::array::from_fn(|at| u64::from_le_bytes(chunks[at]))
    }

    /// Returns a vector out of a column; none when the numbers are not one.
    pub fn from_numbers(numbers: &[u64; Self::NUMBERS]) -> Option<Self> {
        let mut values = [0; Self::DIMENSIONS];
        let (chunks, _) = values.as_chunks_mut::<8>();
        for (chunk, number) in chunks.iter_mut().zip(numbers) {
            *chunk = number.to_le_bytes().map(u8::cast_signed);
        }
        Self::from_values(values)
    }

    /// Returns the signs of the values, one bit each: of two vectors that point the same way most
    /// signs agree.
    pub fn signs(&self) -> Sketch {
        let (chunks, _) = self.values.as_chunks::<64>();
        Sketch(std::array::from_fn(|at| {
            chunks[at]
                .iter()
                .fold(0, |bits, value| (bits << 1) | u64::from(*value < 0))
        }))
    }

    /// Returns the cosine of two directions: 1 for the same, 0 for unrelated, -1 for opposite.
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

/// Returns the integer next to a number from -127 to 127, the even one of two as near.
///
/// A double this large has no digits behind the point, so that adding rounds, and its last byte is
/// the integer's. It is a fifth of the time of a call for each number, which a processor that may
/// lack the instruction needs.
fn rounded(number: f64) -> i8 {
    /// One and a half times 2 to the 52nd.
    const LARGE: f64 = 6_755_399_441_055_744.0;
    let [last, ..] = (number + LARGE).to_bits().to_le_bytes();
    last.cast_signed()
}

/// Returns the sum of products; at most 256 times 128 squared, which an `f32` holds exactly.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_next_integer_and_halves_to_the_even_one() {
        for number in -127..=127_i8 {
            assert_eq!(rounded(f64::from(number)), number);
        }
        for quarter in -508..=508_i16 {
            let number = f64::from(quarter) / 4.0;
            let expected = number.round_ties_even();
            assert!(f64::from(rounded(number)).eq(&expected), "{number}");
        }
    }
}
