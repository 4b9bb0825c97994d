//! What goes into the store and comes out of it: plain data.

mod frontier;
mod visit;

mod reading;
mod site;

pub use frontier::*;
pub use reading::*;
pub use site::*;
pub use visit::*;
