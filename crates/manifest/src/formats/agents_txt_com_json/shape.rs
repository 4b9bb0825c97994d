//! The closed schema of agents-txt.com.

use super::rules::{AC_01, AC_02, AC_04, AC_05, AC_06, AC_09};
use crate::Fact;
use crate::shape::Shape::{self, Closed, List, Name, Open, Text, Url};
use crate::shape::{
    MAJOR_MINOR, Member, Schema, Test, Unknown, is_filled, item, member, required, text_test,
};

pub(super) static MANIFEST: Schema = Schema::closed(
    &AC_01,
    Closed(&[
        required("site", SITE),
        required("version", Name("the version as major.minor, such as 1.0"))
            .of_format()
            .rule(&AC_02)
            .tests(&[MAJOR_MINOR]),
        required("standard", Url("https://agents-txt.com"))
            .of_format()
            .rule(&AC_02),
        member("$schema", Url("the address of the schema"))
            .of_format()
            .rule(&AC_02),
        member("payments", PAYMENTS).rule(&AC_06),
        member("authorization", AUTHORIZATION).rule(&AC_06),
        member("mcp", List(&SERVER)).rule(&AC_04).what(POINTERS),
        member("skills", List(&POINTER)).rule(&AC_04).what(POINTERS),
        member("a2a", List(&POINTER)).rule(&AC_04).what(POINTERS),
        member("ucp", List(&POINTER)).rule(&AC_04).what(POINTERS),
        member("webmcp", List(&POINTER)).rule(&AC_04).what(POINTERS),
    ]),
    Unknown::ByObject(&AC_09, "members that the format does not define:"),
);

const POINTERS: &str = "a list of objects with a url";

static SITE: Shape = Closed(&[
    required("name", Name("the site's name")).facts(&[Fact::Name]),
    required("url", Url("the site's address")),
    member("description", Text).facts(&[Fact::Description]),
]);

/// The protocols beside `required` and `pricing` have names of the publisher's choice.
static PAYMENTS: Shape = Open(&[
    member(
        "x402",
        Open(&[required("chains", List(&CHAIN)).tests(&[FILLED])]),
    ),
    member(
        "mpp",
        Open(&[required("methods", List(&METHOD)).tests(&[FILLED])]),
    ),
    member("ap2", Open(&[])),
]);

static CHAIN: Member = item(Text).tests(&[text_test!(
    |it: &str| it.starts_with("eip155:") || it.starts_with("solana:"),
    "none of the chains that the format defines"
)]);

static METHOD: Member = item(Shape::Word(&["tempo", "stripe"]));

const FILLED: Test = Test::new(is_filled, "empty; give at least one");

static AUTHORIZATION: Shape = Closed(&[
    required("protocols", List(&item(Text)))
        .what("the protocols as a list with at least one")
        .tests(&[FILLED]),
    required(
        "discovery",
        Name("a path, such as /.well-known/agent-configuration"),
    )
    .tests(&[text_test!(
        |it: &str| it.starts_with('/'),
        "not a path; give one, such as /.well-known/agent-configuration"
    )]),
    member("identity", Shape::Word(&["required"])),
]);

static POINTER: Member =
    item(Closed(&[ADDRESS, member("description", Text)])).what("an object with a url");

static SERVER: Member = item(Closed(&[
    ADDRESS,
    required("type", Shape::Word(&["streamable-http"])).rule(&AC_05),
    member("version", Text).rule(&AC_05),
    member("description", Text),
]))
.what("an object with a url");

static ADDRESS: Member = required("url", Url("the address")).tests(&[text_test!(
    |it: &str| it.starts_with("https:"),
    "not https; serve it over TLS and give the https address"
)
.warning()]);
