//! Refusals of paths that robots.txt permits (P10, P49).

use super::Violation;
use super::log::Exchange;
use super::visits::Visit;

/// Number of refusals after which a visit asks for nothing else.
const MOST: usize = 2;

/// Headers whose words say that an answer is a challenge.
const CHALLENGES: [&str; 3] = ["cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action"];

/// Checks that a visit ends at the second refusal by its host.
pub(super) fn check(visit: &Visit<'_>, found: &mut Vec<Violation>) {
    let probes = visit.exchanges.iter();
    let mut probes = probes.filter(|it| it.host == visit.seed && !it.is_robots());
    let refusals = probes.by_ref().filter(|it| is_refusal(it));
    if refusals.take(MOST).count() < MOST {
        return;
    }
    if let Some(exchange) = probes.next() {
        found.push(Violation {
            rule: "P49",
            whom: exchange.host.clone(),
            at: exchange.at,
            what: format!("{} is asked for after two refusals", exchange.path),
        });
    }
}

fn is_refusal(exchange: &Exchange) -> bool {
    let says = |name: &&str| {
        let value = exchange.answer_header(name);
        value.is_some_and(|it| matches!(it, "challenge" | "captcha"))
    };
    let is_challenge = CHALLENGES.iter().any(says);
    let may_refuse = !matches!(exchange.status, 200 | 300..=399 | 404 | 410);
    matches!(exchange.status, 401..=403) || (is_challenge && may_refuse)
}
