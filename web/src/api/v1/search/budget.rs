//! Limit on the length of results, for readers with little space.

use super::ResultBody;

/// Limits results to a number of characters of their JSON, in the order of their rank: the first
/// ones are whole, the ones after them without snippets, then shortened, and the rest is left out. The first
/// is never left out.
pub(super) fn within(results: Vec<ResultBody>, budget: usize) -> Vec<ResultBody> {
    const CUTS: [fn(ResultBody) -> ResultBody; 2] =
        [ResultBody::without_snippets, ResultBody::shortened];
    // The opening bracket.
    let mut space = budget.saturating_sub(1);
    let mut kept = Vec::with_capacity(results.len());
    // A result is not cut less than the one before it.
    let mut cuts = 0;
    for result in results {
        let mut result = CUTS[..cuts].iter().fold(result, |it, cut| cut(it));
        while cuts < CUTS.len() && length(&result) > space {
            result = CUTS[cuts](result);
            cuts += 1;
        }
        let length = length(&result);
        if length > space && !kept.is_empty() {
            break;
        }
        space = space.saturating_sub(length);
        kept.push(result);
    }
    kept
}

/// Returns the number of characters of a result and the comma or bracket after it.
fn length(result: &ResultBody) -> usize {
    let text = serde_json::to_string(result).unwrap_or_default();
    text.chars().count() + 1
}
