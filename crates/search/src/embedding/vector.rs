//! Directions in many dimensions, in 8-bit integers.

use rten_simd::{Isa, SimdOp};
use std::fmt;

/// Embedding of a text by the table.
pub type Vector = Direction<256>;

/// Embedding of a text by the sentence encoder.
pub type SentenceVector = Direction<{ encoder::WIDTH }>;

/// A direction in so many dimensions: a multiple of eight, at least 256 and at most 512.
#[derive(Clone, Copy, PartialEq)]
pub struct Direction<const D: usize> {
    values: [i8; D],
    /// One divided by the length of `values`, so that a cosine needs no root.
    inverse_length: f32,
}

/// The signs of the first 256 values of a direction: a 32-byte sketch of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sketch([u64; SIGNS / 64]);

/// Signs of a sketch.
const SIGNS: usize = 256;

impl Sketch {
    /// Placeholder for a text without a vector.
    pub const NONE: Self = Self([0; SIGNS / 64]);

    /// Returns the number of signs that differ (Hamming distance).
    #[inline]
    pub fn distance(&self, other: &Self) -> u32 {
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|(left, right)| (left ^ right).count_ones()).sum()
    }

    /// Computes the distances of some sketches, of which there are as many as places.
    pub fn distances(&self, others: &[Self], distances: &mut [u32]) {
        Distances {
            wanted: self,
            others,
            found: distances,
        }
        .dispatch();
    }
}

/// Computation of distances with the instructions of the processor, which counts bits several times as
/// fast as one that must run anywhere.
struct Distances<'a> {
    wanted: &'a Sketch,
    others: &'a [Sketch],
    found: &'a mut [u32],
}

impl SimdOp for Distances<'_> {
    type Output = ();

    #[expect(
        clippy::inline_always,
        reason = "only within the caller is it compiled for the instructions that the caller chose"
    )]
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for (other, distance) in self.others.iter().zip(self.found) {
            *distance = self.wanted.distance(other);
        }
    }
}

impl Sketch {
    /// Numbers of a stored vector that a sketch is made of.
    pub const NUMBERS: usize = SIGNS / 8;

    /// Returns the sketch of a vector out of a column from its first numbers.
    pub fn of_numbers(numbers: &[u64; Self::NUMBERS]) -> Self {
        let (chunks, _) = numbers.as_chunks::<8>();
        Self(std::array::from_fn(|at| {
            let bytes = chunks[at].iter().flat_map(|it| it.to_le_bytes());
            bytes.fold(0, |bits, byte| (bits << 1) | u64::from(byte >> 7))
        }))
    }
}

impl<const D: usize> Direction<D> {
    /// Numbers in a vector, and bytes of a stored one.
    pub const DIMENSIONS: usize = D;
    /// Numbers of a stored vector in a column.
    pub const NUMBERS: usize = D / 8;

    /// Returns the direction of some numbers; none when they are all zero.
    ///
    /// The largest becomes 127, so that the eight bits are used whatever the length was.
    pub(super) fn of(numbers: &[f64; D]) -> Option<Self> {
        let largest = numbers.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        if largest == 0.0 {
            return None;
        }
        Self::from_values(numbers.map(|it| rounded(it * 127.0 / largest)))
    }

    /// Returns the direction between others, each of which counts the same however long its text
    /// was; none when there are no others, or when they cancel out.
    pub fn between(others: impl IntoIterator<Item = Self>) -> Option<Self> {
        Self::weighted(others.into_iter().map(|it| (it, 1.0)))
    }

    /// Returns the direction between others with weights; none when there are no others, or when they
    /// cancel out.
    pub fn weighted(others: impl Iterator<Item = (Self, f64)>) -> Option<Self> {
        let mut sum = [0.0; D];
        for (other, weight) in others {
            let scale = weight * f64::from(other.inverse_length);
            for (sum, value) in sum.iter_mut().zip(other.values) {
                *sum += f64::from(value) * scale;
            }
        }
        Self::of(&sum)
    }

    /// Returns a stored vector; none when the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; D] = bytes.try_into().ok()?;
        Self::from_values(bytes.map(u8::cast_signed))
    }

    /// Returns the vector for storing: one signed byte a dimension.
    pub fn to_bytes(&self) -> [u8; D] {
        self.values.map(i8::cast_unsigned)
    }

    /// Returns the vector for a column of numbers: its bytes, eight to a number, the first lowest.
    pub fn to_numbers(&self) -> impl Iterator<Item = u64> {
        let (chunks, _) = self.values.as_chunks::<8>();
        let chunks = chunks.iter();
        chunks.map(|chunk| u64::from_le_bytes(chunk.map(i8::cast_unsigned)))
    }

    /// Returns a vector out of a column; none when the numbers are not one.
    pub fn from_numbers(numbers: &[u64]) -> Option<Self> {
        if numbers.len() != Self::NUMBERS {
            return None;
        }
        let mut values = [0; D];
        let (chunks, _) = values.as_chunks_mut::<8>();
        for (chunk, number) in chunks.iter_mut().zip(numbers) {
            *chunk = number.to_le_bytes().map(u8::cast_signed);
        }
        Self::from_values(values)
    }

    /// Returns the signs of the first values, one bit each: of two vectors that point the same way
    /// most signs agree.
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

    fn from_values(values: [i8; D]) -> Option<Self> {
        let length = dot(&values, &values).sqrt();
        (length > 0.0).then(|| Self {
            values,
            inverse_length: length.recip(),
        })
    }
}

impl SentenceVector {
    /// Returns the direction of an embedding, which has the length 1.
    pub(crate) fn of_embedding(embedding: &encoder::Embedding) -> Self {
        Self::of(&embedding.map(f64::from)).unwrap_or(Self {
            values: [1; encoder::WIDTH],
            inverse_length: 1.0,
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

/// Returns the sum of products; at most 512 times 128 squared, which an `f32` holds exactly.
fn dot<const D: usize>(left: &[i8; D], right: &[i8; D]) -> f32 {
    let sum: i32 = left
        .iter()
        .zip(right)
        .map(|(left, right)| i32::from(*left) * i32::from(*right))
        .sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 2 to the 23rd, and an f32 holds integers up to 2 to the 24th"
    )]
    let sum = sum as f32;
    sum
}

impl<const D: usize> fmt::Debug for Direction<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Direction")
            .field(&self.values)
            .finish()
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
