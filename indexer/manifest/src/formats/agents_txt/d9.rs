//! D9: Markdown with `---yaml` blocks (asturwebs/agents-txt 2.0).
//!
//! One site was seen to use it. It is kept as served, and listed by the name in its identity.

use super::lines::{Kind, Place, lines};
use crate::{Agent, text};

/// The agent of which only a name is known.
pub(super) fn agent(text: &str) -> Option<Agent> {
    let (place, name) = name(text)?;
    Some(super::only_named(place, name))
}

/// The `name` below `identity` in a block.
fn name(text: &str) -> Option<(Place, String)> {
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
