//! The wall clock, which the programs pass on as an argument.

use manifest::Timestamp;

/// Returns the current time.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that reads the clock"
)]
pub fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}
