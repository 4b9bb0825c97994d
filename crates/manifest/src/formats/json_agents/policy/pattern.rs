//! Check that a pattern can be matched in time linear in the text (PE-06).
//!
//! Look-around and back-references cannot, and nested counted repetitions exceed the limits of any
//! engine. Only the syntax is checked, without compiling the pattern, so the check is cheap.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange};

/// Maximum nesting of groups.
const MAX_NESTING: u32 = 50;

/// Maximum number of steps after expanding all repetitions.
const MAX_STEPS: u64 = 10_000;

/// Returns the reason why `pattern` cannot be matched in linear time, if there is one.
pub(super) fn fault(pattern: &str) -> Option<String> {
    match ParserBuilder::new()
        .nest_limit(MAX_NESTING)
        .build()
        .parse(pattern)
    {
        Err(error) => Some(error.kind().to_string()),
        Ok(ast) if steps(&ast) > MAX_STEPS => Some("it has too many repetitions".to_owned()),
        Ok(_) => None,
    }
}

/// Counts the steps of the pattern after expanding all repetitions.
fn steps(ast: &Ast) -> u64 {
    match ast {
        Ast::Repetition(repetition) => {
            let times = match &repetition.op.kind {
                RepetitionKind::ZeroOrOne
                | RepetitionKind::ZeroOrMore
                | RepetitionKind::OneOrMore => 1,
                RepetitionKind::Range(range) => match range {
                    RepetitionRange::Exactly(times)
                    | RepetitionRange::AtLeast(times)
                    | RepetitionRange::Bounded(_, times) => u64::from(*times).max(1),
                },
            };
            steps(&repetition.ast).saturating_mul(times)
        }
        Ast::Group(group) => steps(&group.ast),
        Ast::Alternation(alternation) => sum(&alternation.asts),
        Ast::Concat(concat) => sum(&concat.asts),
        Ast::Empty(_)
        | Ast::Flags(_)
        | Ast::Literal(_)
        | Ast::Dot(_)
        | Ast::Assertion(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => 1,
    }
}

fn sum(parts: &[Ast]) -> u64 {
    parts.iter().map(steps).fold(0, u64::saturating_add)
}
