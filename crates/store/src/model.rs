//! Plain data types of the store.

/// Gives an enum the words by which rows and answers name its values.
macro_rules! words {
    ($type:ident { $($value:ident = $word:literal,)+ }) => {
        impl $type {
            /// All values.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Returns the word used in rows, reports and answers.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// Returns the value with this word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == word)
            }
        }
    };
}

mod agent;
mod backup;
mod census;
mod claim;
mod exclusions;
mod feed;
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
pub(crate) use exclusions::with_parents;
pub use exclusions::*;
pub use feed::*;
pub use frontier::*;
pub use moderation::*;
pub use outcome::*;
pub use retention::*;
pub use role::*;
pub use session::*;
pub use site::*;
pub use submission::*;
pub use visit::*;
