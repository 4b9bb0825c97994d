//! Files of skills, which count among the named documents of a visit (P9).

use super::Violation;
use super::visits::Visit;

/// Maximum number of them in a visit.
const MOST: usize = 5;

/// Checks that a visit asks for few files of skills, whatever the index of its site names.
pub(super) fn check(visit: &Visit<'_>, found: &mut Vec<Violation>) {
    let skills = visit.exchanges.iter();
    let mut skills = skills.filter(|it| it.path.ends_with("/SKILL.md") && !it.is_redirect());
    if let Some(exchange) = skills.nth(MOST) {
        found.push(Violation {
            rule: "P9",
            whom: exchange.host.clone(),
            at: exchange.at,
            what: format!(
                "{} is asked for after {MOST} files of skills",
                exchange.path
            ),
        });
    }
}
