//! Plain data types of the store.

mod agent;
mod backup;
mod census;
mod claim;
mod database_files;
mod exclusions;
mod feed;
mod fleet;
mod frontier;
mod moderation;
mod outcome;
pub mod requested;
mod retention;
mod role;
mod session;
mod site;
mod submission;
mod visit;

pub use agent::*;
pub use backup::*;
pub use census::*;
pub use claim::*;
pub use database_files::*;
pub(crate) use exclusions::with_parents;
pub use exclusions::*;
pub use feed::*;
pub use fleet::*;
pub use frontier::*;
pub use moderation::*;
pub use outcome::*;
pub use retention::*;
pub use role::*;
pub use session::*;
pub use site::*;
pub use submission::*;
pub use visit::*;
