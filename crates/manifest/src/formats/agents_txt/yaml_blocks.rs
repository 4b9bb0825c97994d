//! Dialect "YAML blocks": Markdown with `---yaml` blocks (asturwebs/agents-txt 2.0).
//!
//! One site is known to use it. Only the name in the `identity` block is read.

use super::lines::{Kind, Position, lines};
use crate::{Agent, text};

/// Returns an agent with a name only, if the file gives one.
pub(super) fn agent(text: &str) -> Agent {
    name(text).map_or_else(Agent::default, |(place, name)| {
        super::manifest::only_named(place, name)
    })
}

/// Returns the `name` below `identity` in a block, with its position.
fn name(text: &str) -> Option<(Position, String)> {
    let mut is_identity = false;
    for line in lines(text) {
        let Kind::Pair(pair) = &line.kind else {
            continue;
        };
        if !line.is_indented {
            is_identity = pair.key == "identity" && pair.value.is_empty();
        } else if is_identity && pair.key == "name" {
            let name = text::some(pair.value.trim_matches(['"', '\'']))?;
            return Some((line.place(pair.written), name));
        }
    }
    None
}
