//! Whether a pattern can be run in time linear in the text that it is run on (PE-06).
//!
//! Look-around and back-references cannot, and counted repetitions within each other grow beyond
//! any engine. Only the syntax is looked at: nothing is compiled, so that checking is cheap.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange};

/// Deepest nesting of groups.
const MAX_NESTING: u32 = 50;

/// Most steps that a pattern may have when its repetitions are written out.
const MAX_STEPS: u64 = 10_000;

/// Why `pattern` cannot be run in linear time, if so.
pub(super) fn fault(pattern: &str) -> Option<String> {
    match ParserBuilder::new()
        .nest_limit(MAX_NESTING)
        .build()
        .parse(pattern)
    {
        Err(error) => Some(error.kind().to_string()),
        Ok(ast) if steps(&ast) > MAX_STEPS => Some("its repetitions are too many".to_owned()),
        Ok(_) => None,
    }
}

/// Steps of the pattern when its repetitions are written out.
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
