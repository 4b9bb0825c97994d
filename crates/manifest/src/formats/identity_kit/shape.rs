//! The members of cards and team files, with their types.

use super::rules::{IK_01, IK_03, IK_10};
use crate::Fact;
use crate::shape::Shape::{self, Flag, List, Name, Open, Set, Text, Word};
use crate::shape::{Member, Schema, item, member, required, text_test};

/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 500;

/// The card of one agent.
pub(super) static CARD: Schema = Schema::open(
    &IK_01,
    &[
        required("version", Word(&["1.0"])).of_format(),
        required("agent", AGENT),
        required("owner", OWNER).what(
            "an object with the name of the person or organization responsible for the agent",
        ),
        member("capabilities", Set(&CAPABILITY)).what("a list of words"),
        member("protocols", Open(&[])),
        member("endpoints", Open(&[])),
        member("trust", Open(&[member("level", Text).what("a word")])).rule(&IK_03),
    ],
);

static AGENT: Shape = Open(&[
    required("name", Name("the agent's name")).facts(&[Fact::Name]),
    required("handle", Name("a handle such as @tailor@shop.example")).facts(&[Fact::Key]),
    required("description", Text)
        .facts(&[Fact::Description])
        .what("a description of what the agent does")
        .tests(&[text_test!(
            |text: &str| text.chars().count() <= MAX_DESCRIPTION,
            "longer than 500 characters; shorten it"
        )]),
    member("avatar", Text)
        .facts(&[Fact::Logo])
        .what("an address"),
    member("homepage", Text)
        .facts(&[Fact::Homepage])
        .what("an address"),
]);

static OWNER: Shape = Open(&[
    required("name", Name("the owner's name")).facts(&[Fact::Provider]),
    member("url", Text),
    member("contact", Text).facts(&[Fact::Contact]),
    member("verified", Flag),
]);

static CAPABILITY: Member = item(Text).what("a word").tests(&[text_test!(
    is_word,
    "a name may only have a–z, 0–9 and hyphens; use one such as code-review"
)]);

/// The agents of an organization.
pub(super) static TEAM: Schema = Schema::open(
    &IK_10,
    &[required("agents", List(&AGENT_OF_TEAM)).what("the agents as a list")],
);

static AGENT_OF_TEAM: Member = item(Open(&[
    required("name", Name("the agent's name")),
    required("card", Name("the address of its card")),
]));

fn is_word(word: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !word.is_empty() && word.bytes().all(is_plain)
}
