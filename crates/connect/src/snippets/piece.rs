//! Texts that contain values which a source makes.

use super::Request;
use crate::UUID;

/// Part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Literal text.
    Text(&'t str),
    /// A new id.
    Id,
    /// Value that an earlier answer gave, under this name.
    Given(&'t str),
}

/// Splits a text at the placeholders of values that a source makes; at least one piece.
pub(super) fn pieces<'t>(text: &'t str, given: &[&str]) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let placeholders = || given.iter().copied().chain([UUID]);
    while let Some((at, placeholder)) = placeholders()
        .filter_map(|it| Some((rest.find(it)?, it)))
        .min()
    {
        let (before, after) = rest.split_at(at);
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let (placeholder, after) = after.split_at(placeholder.len());
        pieces.push(if placeholder == UUID {
            Piece::Id
        } else {
            Piece::Given(placeholder.trim_matches(['{', '}']))
        });
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// Lists the placeholders that the answers to some requests give.
pub(super) fn given(requests: &[Request<'_>]) -> Vec<&'static str> {
    let gives = requests.iter().filter_map(|it| it.gives);
    gives.map(|it| it.placeholder).collect()
}

/// Returns the name of the variable for a placeholder.
pub(super) fn name(placeholder: &str) -> &str {
    placeholder.trim_matches(['{', '}'])
}
