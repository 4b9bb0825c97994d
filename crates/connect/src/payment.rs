//! Payment for a call.

use super::model::{Call, Draft, Placeholder, Step};
use manifest::agent::{Agent, Payment};

/// Maximum number of payments that are shown.
const MAX_PAYMENTS: usize = 10;

/// Lists the ways to pay for a call: those of its address, and those of the whole service.
pub(super) fn payments(agent: &Agent, call: Option<&Call>) -> Vec<Payment> {
    let payments = agent.payments.iter().filter(|it| is_for(it, call));
    payments.take(MAX_PAYMENTS).cloned().collect()
}

fn is_for(payment: &Payment, call: Option<&Call>) -> bool {
    let without_query = |it: &str| it.split('?').next().unwrap_or_default().to_owned();
    match (&payment.resource, call) {
        (Some(resource), Some(call)) => without_query(resource) == without_query(&call.url),
        _ => true,
    }
}

/// Adds the paid repetition of a call whose price is published as x402.
///
/// The first request is answered by 402 with what has to be paid.
pub(super) fn add_step(agent: &Agent, draft: &mut Draft) {
    let Some(call) = draft.example.clone().filter(|_| draft.steps.is_empty()) else {
        return;
    };
    let is_priced = |it: &&Payment| it.protocol == "x402" && it.resource.is_some();
    let mut priced = agent.payments.iter().filter(is_priced);
    if !priced.any(|it| is_for(it, Some(&call))) {
        return;
    }
    let mut paid = call.clone();
    paid.add_header("X-PAYMENT", "{payment}");
    let meaning = "Payment for what the answer 402 asks, as JSON in base64";
    draft.ask(Placeholder::named("payment", "header", meaning));
    let step = |name, call| Step {
        name,
        call,
        gives: None,
    };
    draft.steps = vec![step("call", call), step("pay", paid)];
}
