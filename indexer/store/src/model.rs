//! What goes into the store and comes out of it: plain data.

mod frontier;
mod leaving;
mod visit;

mod reading;
mod site;
mod submission;

pub use frontier::*;
pub(crate) use leaving::with_parents;
pub use leaving::*;
pub use reading::*;
pub use site::*;
pub use submission::*;
pub use visit::*;
