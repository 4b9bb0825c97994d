//! Makes a new migration noticed: the macro that embeds them is not run again by itself.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
