//! Reader of the packed model (`model/pack.py` describes its sections).

use std::io::{self, Read};

const MAGIC: &[u8] = b"AGDXUSE1";

/// Most items of a section; more are a fault.
const MOST: u32 = 1 << 20;

/// Error on reading a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It cannot be unpacked, or ends early.
    #[error("the model of the sentence encoder cannot be unpacked")]
    Unreadable(#[from] io::Error),
    /// It is another file, or damaged.
    #[error("the model of the sentence encoder is not one: {0}")]
    Invalid(&'static str),
}

/// A model while it is unpacked.
pub(crate) struct Packed<'m> {
    bytes: zstd::Decoder<'m, io::BufReader<&'m [u8]>>,
}

/// A matrix, row by row.
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
}

impl<'m> Packed<'m> {
    pub(crate) fn open(model: &'m [u8]) -> Result<Self, ModelError> {
        let mut packed = Self {
            bytes: zstd::Decoder::new(model)?,
        };
        if packed.bytes(MAGIC.len())? != MAGIC {
            return Err(ModelError::Invalid("it begins with other bytes"));
        }
        Ok(packed)
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&mut self) -> Result<(), ModelError> {
        match self.bytes.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(ModelError::Invalid("bytes are left at its end")),
        }
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ModelError> {
        Ok(self.bytes.read_exact(bytes)?)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, ModelError> {
        // Memory grows with what is read: a damaged count must not reserve it.
        let mut bytes = Vec::new();
        let limit = u64::try_from(count).unwrap_or(u64::MAX);
        self.bytes.by_ref().take(limit).read_to_end(&mut bytes)?;
        if bytes.len() < count {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(bytes)
    }

    /// Reads a number of items, at most [`MOST`].
    pub(crate) fn count(&mut self) -> Result<usize, ModelError> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        let count = u32::from_le_bytes(bytes);
        if count > MOST {
            return Err(ModelError::Invalid("a section is too long"));
        }
        Ok(count as usize)
    }

    /// Reads numbers of `N` bytes whose bytes of equal weight are together.
    pub(crate) fn planes<const N: usize>(
        &mut self,
        count: usize,
    ) -> Result<Vec<[u8; N]>, ModelError> {
        let bytes = self.bytes(N * count)?;
        let number = |at| std::array::from_fn(|plane| bytes[plane * count + at]);
        Ok((0..count).map(number).collect())
    }

    pub(crate) fn floats(&mut self, count: usize) -> Result<Vec<f32>, ModelError> {
        let bytes = self.bytes(4 * count)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().copied().map(f32::from_le_bytes).collect())
    }

    pub(crate) fn vector(&mut self, length: usize) -> Result<Vec<f32>, ModelError> {
        if self.count()? != length {
            return Err(ModelError::Invalid("a vector has another length"));
        }
        self.floats(length)
    }

    pub(crate) fn matrix(&mut self, rows: usize, columns: usize) -> Result<Matrix, ModelError> {
        if (self.count()?, self.count()?) != (rows, columns) {
            return Err(ModelError::Invalid("a matrix has another size"));
        }
        let mut different = [0; 2];
        self.fill(&mut different)?;
        let known = self.floats(usize::from(u16::from_le_bytes(different)))?;
        let indices = self.bytes(rows * columns)?;
        let values = indices
            .iter()
            .map(|&it| known.get(usize::from(it)).copied());
        let values = values.collect::<Option<_>>();
        Ok(Matrix {
            rows,
            columns,
            values: values.ok_or(ModelError::Invalid("a matrix has an unknown value"))?,
        })
    }
}
