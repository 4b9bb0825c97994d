//! Embedding a query, and comparing its vector with others, on one core.
//!
//! `cargo bench -p search --bench embedding` prints the time of one embedding, and comparisons a
//! second.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use search::embedding::{Table, Vector};

/// Vectors of a scan: their 26 MB fit into no cache of a core.
const VECTORS: usize = 100_000;
const QUERY: &str = "compare prices of espresso machines and order the cheapest one";

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

#[divan::bench]
fn embed_ten_words(bencher: Bencher<'_, '_>) {
    let table = table();
    bencher.bench(|| table.embed(black_box(QUERY)));
}

#[divan::bench]
fn embed_256_pieces(bencher: Bencher<'_, '_>) {
    let table = table();
    let text = QUERY.repeat(30);
    bencher.bench(|| table.embed(black_box(&text)));
}

#[divan::bench]
fn load_the_table(bencher: Bencher<'_, '_>) {
    bencher.bench(table);
}

#[divan::bench]
fn compare(bencher: Bencher<'_, '_>) {
    let query = table().embed(QUERY).expect("its words are known");
    // Vectors that have nothing in common, from a generator of Marsaglia's with a fixed seed.
    let mut state = 1_u32;
    let vectors: Vec<_> = (0..VECTORS)
        .filter_map(|_| {
            let bytes = [0; Vector::DIMENSIONS].map(|_: u8| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state.to_le_bytes()[3]
            });
            Vector::from_bytes(&bytes)
        })
        .collect();
    bencher.counter(ItemsCount::new(vectors.len())).bench(|| {
        black_box(&vectors)
            .iter()
            .map(|it| query.cosine(it))
            .fold(0.0, f32::max)
    });
}

fn table() -> Table {
    Table::read(include_bytes!("../embedding/table.bin")).expect("the table is sound")
}
