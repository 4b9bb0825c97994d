//! Checks of payments and of the names of protocols (AC-03, AC-06, AC-07).

use super::manifest::Manifest;
use super::rules::{AC_03, AC_06, AC_07};
use crate::field::Field;
use crate::finding::Findings;
use crate::json;
use serde_json::{Map, Value};

/// Members of `payments` that are not protocols.
const PAYMENT_TERMS: [&str; 2] = ["required", "pricing"];
const PAYMENTS: [&str; 3] = ["x402", "mpp", "ap2"];
const AUTHORIZATIONS: [&str; 3] = ["agent-auth", "oauth2", "auth-md"];

/// Validates the document against the rules of agents-txt.com.
pub(super) fn validate(manifest: &Manifest, findings: &mut Findings) {
    payments(&manifest.payments, findings);
    let authorization = manifest.authorization.get();
    for (index, name) in authorization.iter().flat_map(|it| it.protocols.items()) {
        let at = format!("/authorization/protocols/{index}");
        identifier(name, &AUTHORIZATIONS, at, findings);
    }
}

fn payments(payments: &Field<Map<String, Value>>, findings: &mut Findings) {
    let Some(payments) = payments.get() else {
        return;
    };
    let is_term = |name: &str| PAYMENT_TERMS.contains(&name);
    if payments.keys().all(|name| is_term(name)) {
        let message = "no protocol; name one, such as x402";
        findings.add(&AC_03, "/payments", message);
    }
    if payments
        .get("required")
        .is_some_and(|it| it != &Value::Bool(true))
    {
        let message = "only true is defined; leave it out otherwise";
        findings.add(&AC_06, "/payments/required", message);
    }
    if payments.get("pricing").is_some_and(|it| !is_price(it)) {
        let message = "the price is incomplete; give an amount, and the currency as a string";
        findings.add(&AC_06, "/payments/pricing", message);
    }
    for (name, terms) in payments.iter().filter(|(name, _)| !is_term(name)) {
        let at = format!("/payments/{}", json::escape(name));
        identifier(name, &PAYMENTS, at.clone(), findings);
        if !terms.is_object() && !PAYMENTS.contains(&name.as_str()) {
            let message = format!("{} where an object belongs", json::kind(terms));
            findings.add(&AC_06, at, message);
        }
    }
}

fn is_price(price: &Value) -> bool {
    let amount = &price["amount"];
    let has_amount = amount.is_string() || amount.is_number();
    has_amount && price.get("currency").is_none_or(Value::is_string)
}

/// Checks that a protocol is registered or that its name begins with `x-` (AC-07).
fn identifier(name: &str, known: &[&str], at: String, findings: &mut Findings) {
    if !known.contains(&name) && !name.starts_with("x-") {
        let known = known.join(", ");
        let message = format!("neither {known} nor a name that begins with x-");
        findings.add(&AC_07, at, message);
    }
}
