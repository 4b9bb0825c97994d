//! Rules on what several documents of one site say together (PR rules and companions).

use super::Rule;

pub(super) const RULES: &[Rule] = &[];
