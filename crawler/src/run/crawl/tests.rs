//! Tests of the loop in simulated time.

mod clocks;
mod edges;
mod exclusions;
mod guests;
mod hour;
mod kills;
mod quiet;
mod soak;
mod steady;
mod trials;

use super::*;
