//! Rules on any document, whatever its format (FORMATS.md sections 1 to 3).

use super::Rule;

pub(super) const RULES: &[Rule] = &[];
