//! Contents of an agents.txt of any dialect.

use super::dialect::Dialect;
use super::directives::Directives;
use super::lines::Position;
use super::prose::list::Item;
use super::prose::operation::Operation;
use super::prose::summary::Prose;
use super::well_known::block::Block;
use crate::{Agent, Fact};

/// Contents of a file, line by line.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    pub(super) dialect: Dialect,
    pub(super) directives: Directives,
    /// Blocks about one capability or one calling agent (agents.txt 1.0, agents-brief).
    pub(super) blocks: Vec<Block>,
    /// Items of lists of capabilities (YAML list, prose).
    pub(super) listed: Vec<Item>,
    /// Lines with an HTTP method and a path (prose).
    pub(super) operations: Vec<Operation>,
    /// Number of items and operations beyond the limit, which were dropped.
    pub(super) unread: usize,
    pub(super) prose: Prose,
    /// Positions of lines that are neither `Key: Value` nor another known kind of line (AT-02).
    pub(super) stray: Vec<Position>,
    /// Position of the first comment, `Key: Value` line or line of prose, outside of blocks.
    pub(super) first: Option<Position>,
}

impl Manifest {
    pub(super) fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            ..Self::default()
        }
    }

    /// Returns the position of the first line with content, else the start of the file.
    pub(super) fn first_position(&self) -> Position {
        self.first.unwrap_or(Position { line: 1, column: 1 })
    }
}

/// Returns an agent with a name only, for dialects of which nothing else is read.
pub(super) fn only_named(place: Position, name: String) -> Agent {
    Agent {
        name,
        pointers: [(Fact::Name.into(), place.pointer())].into(),
        ..Agent::default()
    }
}
