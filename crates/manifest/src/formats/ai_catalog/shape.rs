//! The members of catalogues, with their types, under the rules of either specification.

use super::rules::{
    ARD_01, ARD_03, ARD_04, ARD_05, CAT_01, CAT_02, CAT_03, CAT_04, CAT_05, CAT_06, CAT_07,
};
use crate::rule::Rule;
use crate::shape::Shape::{List, Name, Open, Text};
use crate::shape::{Member, Schema, Shape, Test, item, member, recommended, required, text_test};

/// One of the two specifications of catalogues, which differ in their rules, not in their members.
pub(super) struct Kind {
    pub(super) schema: Schema,
    pub(super) entries: &'static Rule,
    pub(super) source: &'static Rule,
    pub(super) media_type: &'static Rule,
    pub(super) is_ard: bool,
}

/// A plain AI Catalog.
pub(super) static CATALOG: Kind = Kind {
    schema: Schema::open(&CAT_01, &CATALOG_MEMBERS),
    entries: &CAT_02,
    source: &CAT_05,
    media_type: &CAT_04,
    is_ard: false,
};

static CATALOG_MEMBERS: [Member; 3] = members(
    required("specVersion", VERSIONED).tests(&[VERSION, SHORT_VERSION]),
    &CATALOG_ENTRY,
    &CAT_02,
);
static CATALOG_ENTRY: Member = item(Open(&CATALOG_ENTRY_MEMBERS)).what("an entry object");
static CATALOG_ENTRY_MEMBERS: [Member; 12] = entry(&CAT_05, &CAT_06);

/// A catalogue that is also an ARD manifest, and therefore follows the stricter specification.
pub(super) static ARD: Kind = Kind {
    schema: Schema::open(&ARD_01, &ARD_MEMBERS),
    entries: &ARD_01,
    source: &ARD_03,
    media_type: &ARD_04,
    is_ard: true,
};

/// ARD 0.91 needs no version and ignores it.
static ARD_MEMBERS: [Member; 3] = members(
    member("specVersion", VERSIONED).warning(),
    &ARD_ENTRY,
    &ARD_01,
);
static ARD_ENTRY: Member = item(Open(&ARD_ENTRY_MEMBERS)).what("an entry object");
static ARD_ENTRY_MEMBERS: [Member; 12] = entry(&ARD_03, &ARD_04);

/// Version of a specification.
const VERSIONED: Shape = Name("the version as a string, such as 1.0");

const fn members(version: Member, entry: &'static Member, entries: &'static Rule) -> [Member; 3] {
    [
        version,
        member("host", Open(&[])).warning(),
        member("entries", List(entry))
            .rule(entries)
            .what("a list of entries"),
    ]
}

const fn entry(source: &'static Rule, name: &'static Rule) -> [Member; 12] {
    [
        required("identifier", Name("the entry's URN")).rule(&CAT_03),
        recommended("displayName", Name("a name for people")).rule(name),
        member("url", Text).rule(source).what("a URL as a string"),
        member("type", Text).rule(name).warning(),
        member("mediaType", Text).rule(name).warning(),
        member("updatedAt", Text).rule(name).warning(),
        member("description", Text).rule(name).warning(),
        member("version", Text).rule(name).warning(),
        member("tags", List(&STRING))
            .rule(name)
            .what("a list of strings")
            .warning(),
        member("capabilities", List(&STRING))
            .rule(name)
            .what("a list of strings")
            .warning(),
        member("representativeQueries", List(&QUESTION))
            .rule(&ARD_05)
            .what("a list of questions")
            .tests(&[FEW]),
        member("trustManifest", Open(&TRUST)).rule(&CAT_07),
    ]
}

static STRING: Member = item(Text).warning();
static QUESTION: Member = item(Text);
static TRUST: [Member; 1] = [member("identity", Text)];

const FEW: Test = Test::new(
    |queries| {
        queries
            .as_array()
            .is_none_or(|it| (2..=5).contains(&it.len()))
    },
    "not two to five; give so many questions",
);

const VERSION: Test = text_test!(
    |version: &str| matches!(numbers(version), Some(2 | 3)),
    "not a version; give one as a string, such as 1.0"
);

const SHORT_VERSION: Test = text_test!(
    |version: &str| numbers(version) != Some(3),
    "major and minor are enough, such as 1.0"
)
.warning();

/// Returns the count of numbers in `1.0` or `1.0.0`.
fn numbers(version: &str) -> Option<usize> {
    let parts = version.trim().split('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let is_numeric = parts.clone().all(is_number);
    is_numeric.then(|| parts.count())
}
