//! Plain data types of the store.

mod exclusions;
mod frontier;
mod visit;

mod queries;
mod site;
mod submission;

pub(crate) use exclusions::with_parents;
pub use exclusions::*;
pub use frontier::*;
pub use queries::*;
pub use site::*;
pub use submission::*;
pub use visit::*;
