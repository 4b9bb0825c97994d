//! The closed schema of a policy (AT-61).

use super::rules::AT_61;
use crate::CapabilityFact;
use crate::shape::Shape::{self, Closed, List, Name, Text, Whole, Word};
use crate::shape::{Member, Schema, Test, Unknown, item, member, required, text_test};
use url::Url;

pub(super) static POLICY: Schema = Schema::closed(
    &AT_61,
    Closed(&[
        required("agentPolicyVersion", Word(&["0.1"])).of_format(),
        required("issuer", ISSUER),
        member("default", Word(&["deny", "allow"])),
        required("contact", Name("an address for questions")),
        member("verify", Text).what("a URI").tests(&[URI]),
        required("capabilities", List(&PERMISSION)).what("the capabilities as a list"),
    ]),
    Unknown::ByObject(
        &AT_61,
        "take out the members that the schema does not allow:",
    ),
);

static ISSUER: Shape = Closed(&[
    required("name", Name("the issuer's name")),
    required("url", Name("the issuer's address")).tests(&[URI]),
    member("keys", Text).what("a URI").tests(&[URI]),
]);

static PERMISSION: Member = item(Closed(&[
    required("id", Name("an id such as orders.cancel"))
        .of_capability(&[CapabilityFact::Id])
        .tests(&[text_test!(
            is_dotted,
            "a name may only have a–z and 0–9, in parts joined by dots; write another one"
        )]),
    required(
        "description",
        Name("a sentence on what the capability does"),
    )
    .of_capability(&[CapabilityFact::Description]),
    required("door", DOOR),
    required("auth", Word(&["none", "credential"])).of_capability(&[CapabilityFact::RequiresAuth]),
    required("riskTier", Word(&["auto", "checkpoint"]))
        .of_capability(&[CapabilityFact::HumanHandoff]),
    member("mandateScope", Name("a text")).kept(),
    member("receipt", RECEIPT),
    member("rateLimit", RATE_LIMIT).of_capability(&[CapabilityFact::RateLimit]),
]))
.what("an object with an id");

static DOOR: Shape = Closed(&[
    required("type", Word(&["mcp", "openapi"])).of_capability(&[CapabilityFact::Protocol]),
    required("url", Name("the door's address")).tests(&[URI]),
]);

static RECEIPT: Shape = Closed(&[
    required("kind", Name("the kind of receipt")),
    member("verify", Text).what("a URI").tests(&[URI]),
]);

static RATE_LIMIT: Shape = Closed(&[
    required("max", Whole(1)).what("a positive whole number"),
    required("window", Name("a time, such as 1d")),
]);

const URI: Test = text_test!(
    |uri: &str| uri.trim().is_empty() || Url::parse(uri).is_ok(),
    "not an absolute URI; write it with https://"
);

/// Reports whether an id has at least two words of lower-case letters and digits, as in
/// `orders.cancel`.
fn is_dotted(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_plain);
    id.contains('.') && id.split('.').all(is_word)
}
