//! The layers of the encoder: three residual convolutions over 2, 3 and 5 pieces, the sum over the
//! pieces of each text, and dense layers with two shortcuts.
//!
//! The texts of a batch stand in one matrix with rows of zeros between them, so that a convolution is
//! one product: its input is the same matrix, seen as rows that overlap.

use crate::packed::{Matrix, ModelError, Packed};
use crate::table::Table;
use crate::{Embedding, WIDTH, float};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;
use std::io;

/// Width of a convolution.
const CHANNELS: usize = 256;
/// Numbers of pieces that the convolutions see, and of these before the piece itself.
const BRANCHES: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];
/// Rows of zeros between two texts: no convolution sees more pieces to either side.
const GAP: usize = 2;
/// Width of the features of a piece: its vector, and the results of the convolutions.
const FEATURES: usize = WIDTH + BRANCHES.len() * CHANNELS;
/// Width of the narrow dense layers.
const NARROW: usize = 320;
/// Added to a variance or a length, so that nothing is divided by zero.
const EPSILON: f32 = 1e-12;

/// Kind of work; each has a thread, so that a need does not wait for a batch of texts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Need,
    Texts,
}

thread_local! {
    /// Multiplication by the instructions of this processor.
    static GEMM: GemmExecutor = GemmExecutor::new();
}

pub(crate) struct Network {
    /// A thread for each kind of work: one encodes a need sooner than two.
    pools: [ThreadPool; 2],
    projections: [Layer; 3],
    projected: Normalization,
    /// First and second step of each convolution.
    convolutions: [[Layer; 2]; 3],
    features: Normalization,
    sum: Layer,
    dense: [Layer; 2],
    shortcuts: [Layer; 2],
    residuals: [Layer; 2],
}

/// A matrix, packed for products, and a vector that is added to each row.
struct Layer {
    matrix: PackedBMatrix<f32>,
    bias: Option<Vec<f32>>,
    columns: usize,
}

/// Scale and shift of rows that are brought to mean 0 and variance 1.
#[derive(Debug)]
struct Normalization {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Network").finish_non_exhaustive()
    }
}

impl Network {
    pub(crate) fn read(packed: &mut Packed<'_>) -> Result<Self, ModelError> {
        let mut layer = |rows, columns| -> Result<Layer, ModelError> {
            Ok(Layer::of(&packed.matrix(rows, columns)?))
        };
        let mut projections = [
            layer(WIDTH, CHANNELS)?,
            layer(WIDTH, CHANNELS)?,
            layer(WIDTH, CHANNELS)?,
        ];
        let mut convolution = |branch: usize| -> Result<[Layer; 2], ModelError> {
            let rows = BRANCHES[branch].0 * CHANNELS;
            Ok([layer(rows, CHANNELS)?, layer(rows, CHANNELS)?])
        };
        let mut convolutions = [convolution(0)?, convolution(1)?, convolution(2)?];
        let mut sum = layer(FEATURES, WIDTH)?;
        let first = layer(WIDTH, NARROW)?;
        let first_shortcut = layer(WIDTH, NARROW)?;
        let first_residual = layer(NARROW, NARROW)?;
        let second = layer(NARROW, WIDTH)?;
        let second_shortcut = layer(NARROW, WIDTH)?;
        let second_residual = layer(WIDTH, WIDTH)?;
        let biases = packed.vector(projections.len() * CHANNELS)?;
        for (layer, bias) in projections.iter_mut().zip(biases.chunks(CHANNELS)) {
            layer.bias = Some(bias.to_vec());
        }
        let projected = Normalization::read(packed, projections.len() * CHANNELS)?;
        for layer in convolutions.iter_mut().flatten() {
            layer.bias = Some(packed.vector(CHANNELS)?);
        }
        let features = Normalization::read(packed, FEATURES)?;
        sum.bias = Some(packed.vector(WIDTH)?);
        let pool = || {
            let pool = ThreadPoolBuilder::new().num_threads(1).build();
            pool.map_err(|error| ModelError::Unreadable(io::Error::other(error)))
        };
        Ok(Self {
            pools: [pool()?, pool()?],
            projections,
            projected,
            convolutions,
            features,
            sum,
            dense: [first, second],
            shortcuts: [first_shortcut, second_shortcut],
            residuals: [first_residual, second_residual],
        })
    }

    /// Appends the vector of each text, given its pieces.
    pub(crate) fn run(
        &self,
        texts: &[Vec<u32>],
        table: &Table,
        work: Work,
        vectors: &mut Vec<Embedding>,
    ) {
        self.pools[work as usize].install(|| {
            let spans = spans(texts);
            let rows = spans.last().map_or(GAP, |&(_, end)| end + GAP);
            let features = self.features(texts, &spans, rows, table);
            let sums = sums(&features, &spans);
            self.dense(&sums, &spans, vectors);
        });
    }

    /// Returns the normalized features of each row.
    fn features(
        &self,
        texts: &[Vec<u32>],
        spans: &[(usize, usize)],
        rows: usize,
        table: &Table,
    ) -> Vec<f32> {
        let mut pieces = vec![0.0; rows * WIDTH];
        for (text, &(start, end)) in texts.iter().zip(spans) {
            let of_text = pieces[start * WIDTH..end * WIDTH].chunks_mut(WIDTH);
            for (piece, vector) in text.iter().zip(of_text) {
                table.write(*piece, vector);
            }
        }
        let mut projected: Vec<_> = self
            .projections
            .iter()
            .map(|layer| product(&pieces, rows, WIDTH, WIDTH, layer))
            .collect();
        self.projected.apply(&mut projected, rows);
        let mut features = vec![pieces];
        for ((mut input, steps), (seen, before)) in
            projected.into_iter().zip(&self.convolutions).zip(BRANCHES)
        {
            for step in steps {
                clear_gaps(&mut input, CHANNELS, spans);
                // Row `at` of the result is made of rows `at` to `at + seen - 1`.
                let count = rows - (seen - 1);
                let mut output = product(&input, count, seen * CHANNELS, CHANNELS, step);
                relu(&mut output);
                let shifted = &mut input[before * CHANNELS..][..count * CHANNELS];
                for (value, residual) in shifted.iter_mut().zip(&output) {
                    *value += residual;
                }
            }
            features.push(input);
        }
        let mut rows_of: Vec<f32> = Vec::with_capacity(rows * FEATURES);
        for row in 0..rows {
            for part in &features {
                let width = part.len() / rows;
                rows_of.extend(&part[row * width..(row + 1) * width]);
            }
        }
        let mut features = [rows_of];
        self.features.apply(&mut features, rows);
        let [features] = features;
        features
    }

    /// Appends the vectors of texts, given the sums of their features.
    fn dense(&self, sums: &[f32], spans: &[(usize, usize)], vectors: &mut Vec<Embedding>) {
        let count = spans.len();
        let mut means = product(sums, count, FEATURES, FEATURES, &self.sum);
        let bias = self.sum.bias.as_deref().unwrap_or_default();
        for (mean, &(start, end)) in means.chunks_mut(WIDTH).zip(spans) {
            let length = float(end - start);
            // The product has added the bias once; each piece brings it.
            for (value, bias) in mean.iter_mut().zip(bias) {
                *value = (*value + (length - 1.0) * bias) / length.sqrt();
            }
        }
        let hidden = self.block(&means, count, 0, relu);
        let output = self.block(&hidden, count, 1, |values| {
            for value in values {
                *value = value.tanh();
            }
        });
        for row in output.chunks(WIDTH) {
            let length = row.iter().map(|value| value * value).sum::<f32>();
            let length = length.max(EPSILON).sqrt();
            vectors.push(std::array::from_fn(|at| row[at] / length));
        }
    }

    /// Returns the result of a pair of dense layers and their shortcut.
    fn block(
        &self,
        input: &[f32],
        count: usize,
        number: usize,
        activate: impl Fn(&mut [f32]),
    ) -> Vec<f32> {
        let width = input.len() / count;
        let mut inner = product(input, count, width, width, &self.dense[number]);
        relu(&mut inner);
        let mut output = product(input, count, width, width, &self.shortcuts[number]);
        let width = inner.len() / count;
        let residual = product(&inner, count, width, width, &self.residuals[number]);
        for (value, residual) in output.iter_mut().zip(residual) {
            *value += residual;
        }
        activate(&mut output);
        output
    }
}

impl Layer {
    fn of(matrix: &Matrix) -> Self {
        let view = NdTensorView::from_data([matrix.rows, matrix.columns], &matrix.values[..]);
        Self {
            matrix: GEMM.with(|gemm| gemm.prepack_b(view)),
            bias: None,
            columns: matrix.columns,
        }
    }
}

impl Normalization {
    fn read(packed: &mut Packed<'_>, width: usize) -> Result<Self, ModelError> {
        Ok(Self {
            scale: packed.vector(width)?,
            shift: packed.vector(width)?,
        })
    }

    /// Normalizes rows whose values lie in one or several matrices.
    fn apply(&self, parts: &mut [Vec<f32>], rows: usize) {
        let width = float(self.scale.len());
        for row in 0..rows {
            let part_of_row = |part: &Vec<f32>| {
                let length = part.len() / rows;
                row * length..(row + 1) * length
            };
            let sum: f32 = parts
                .iter()
                .map(|part| total(&part[part_of_row(part)]))
                .sum();
            let mean = sum / width;
            let squares = parts
                .iter()
                .map(|part| squares(&part[part_of_row(part)], mean));
            let squares: f32 = squares.sum();
            let factor = 1.0 / (squares / width + EPSILON).sqrt();
            let mut at = 0;
            for part in &mut *parts {
                let range = part_of_row(part);
                let length = range.len();
                let values = &mut part[range];
                let (scale, shift) = (&self.scale[at..], &self.shift[at..]);
                for ((value, scale), shift) in values.iter_mut().zip(scale).zip(shift) {
                    *value = (*value - mean) * factor * scale + shift;
                }
                at += length;
            }
        }
    }
}

/// Returns the product of rows of `input` and a layer. Row `at` begins at `at * stride`, so that
/// rows may overlap.
fn product(input: &[f32], rows: usize, width: usize, stride: usize, layer: &Layer) -> Vec<f32> {
    let mut output = vec![0.0; rows * layer.columns];
    let view = NdTensorView::from_slice_with_strides([rows, width], input, [stride, 1])
        .expect("the rows lie within the input");
    let options = GemmOptions {
        bias: layer.bias.as_deref().map(BiasVector::Row),
        ..GemmOptions::default()
    };
    let (rows, layer) = (
        GemmInputA::Unpacked(view),
        GemmInputB::Packed(&layer.matrix),
    );
    let product = GEMM.with(|gemm| gemm.gemm(&mut output, rows, layer, options));
    product.expect("the sizes of the layers were checked when they were read");
    output
}

/// Returns the sum of values, whose number is a multiple of 16: partial sums do not wait for each other.
fn total(values: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    for chunk in values.as_chunks::<16>().0 {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value;
        }
    }
    sums.iter().sum()
}

/// Returns the sum of the squares of the distances to a mean, as [`total`] does.
fn squares(values: &[f32], mean: f32) -> f32 {
    let mut sums = [0.0; 16];
    for chunk in values.as_chunks::<16>().0 {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += (value - mean) * (value - mean);
        }
    }
    sums.iter().sum()
}

/// Returns the rows of each text, with gaps before, between and after them.
fn spans(texts: &[Vec<u32>]) -> Vec<(usize, usize)> {
    let mut start = GAP;
    let spans = texts.iter().map(|text| {
        let span = (start, start + text.len());
        start = span.1 + GAP;
        span
    });
    spans.collect()
}

/// Sets the rows between the texts to zero.
fn clear_gaps(values: &mut [f32], width: usize, spans: &[(usize, usize)]) {
    let mut from = 0;
    for &(start, end) in spans {
        values[from * width..start * width].fill(0.0);
        from = end;
    }
    values[from * width..].fill(0.0);
}

/// Returns the sum of the features of each text.
fn sums(features: &[f32], spans: &[(usize, usize)]) -> Vec<f32> {
    let mut sums = vec![0.0; spans.len() * FEATURES];
    for (sum, &(start, end)) in sums.chunks_mut(FEATURES).zip(spans) {
        for row in features[start * FEATURES..end * FEATURES].chunks(FEATURES) {
            for (total, value) in sum.iter_mut().zip(row) {
                *total += value;
            }
        }
    }
    sums
}

fn relu(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}
