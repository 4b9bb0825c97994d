//! Encoding a need and a batch of texts, and unpacking the model, on one core.
//!
//! `cargo bench -p encoder` prints the time of one need of twelve words, and texts of about 60 pieces a
//! second.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use encoder::Encoder;

const NEED: &str = "compare prices of espresso machines and order the cheapest one for me today";
/// A text of 60 pieces.
const TEXT: &str = "Table reservations. Reserves a table in our restaurant by the river for a given \
    day, time and number of guests, checks which tables are free, changes or cancels a reservation, \
    and answers questions about the menu, allergens, opening hours, parking and the way to the house.";
const TEXTS: usize = 500;

fn main() {
    divan::main();
}

fn shipped() -> &'static Encoder {
    Encoder::shipped().expect("the shipped model")
}

#[divan::bench]
fn encode_a_need(bencher: Bencher<'_, '_>) {
    let encoder = shipped();
    bencher.bench(|| encoder.encode(&[black_box(NEED)]));
}

#[divan::bench(sample_count = 10)]
fn encode_texts(bencher: Bencher<'_, '_>) {
    let encoder = shipped();
    let texts: Vec<String> = (0..TEXTS).map(|it| format!("{TEXT} {it}")).collect();
    bencher
        .counter(ItemsCount::new(TEXTS))
        .bench(|| encoder.encode(black_box(&texts)));
}

#[divan::bench(sample_count = 10)]
fn unpack_the_model(bencher: Bencher<'_, '_>) {
    bencher.bench(|| Encoder::read(include_bytes!("../model/model.bin.zst")));
}
