//! Words of the parameters of a search.

use connect::Language;
use search::{Fit, Sort, Unit};

/// Orders.
pub(super) const SORTS: [(Sort, &str); 4] = [
    (Sort::Relevance, "relevance"),
    (Sort::Updated, "updated"),
    (Sort::FirstSeen, "first_seen"),
    (Sort::Name, "name"),
];

/// Kinds of hits; the first is the default.
pub(super) const UNITS: [(Unit, &str); 2] =
    [(Unit::Agent, "agent"), (Unit::Capability, "capability")];

/// Levels that hits can be required to have.
pub(super) const LEVELS: [(Fit, &str); 3] = [
    (Fit::Weak, "weak"),
    (Fit::Good, "good"),
    (Fit::Strong, "strong"),
];

/// Optional part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Data for a first call.
    Connect,
    /// Documents behind a result.
    Evidence,
    /// Their texts.
    Raw,
    /// Addresses of a result, and the facts about its site; left out only if no part is asked for.
    Links,
}

/// Parts that can be asked for.
pub(super) const INCLUDE: [(Part, &str); 3] = [
    (Part::Connect, "connect"),
    (Part::Evidence, "evidence"),
    (Part::Raw, "raw"),
];

/// Languages of the source code of calls.
pub(super) const SNIPPETS: [(Language, &str); 4] = [
    (Language::Curl, "curl"),
    (Language::Python, "python"),
    (Language::TypeScript, "typescript"),
    (Language::Mcp, "mcp"),
];
