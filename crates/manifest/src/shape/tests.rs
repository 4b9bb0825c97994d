//! Tests of the values that each shape accepts, and of the words of its findings.

use super::Shape::{
    Amount, Closed, Flag, List, Name, Number, Open, Prose, Set, Table, Text, Url, Whole, Word,
};
use super::{
    Edition, Member, Schema, Test, Unknown, is_filled, item, member, recommended, required,
};
use crate::Finding;
use crate::finding::Findings;
use crate::rule::Severity::{self, Error, Warning};
use crate::rule::document::{DI_01, DI_03, DI_04};
use serde_json::{Value, json};

static OPEN: Schema = Schema::open(
    &DI_01,
    &[
        required("name", Name("the name")).rule(&DI_03),
        member("url", Url("the address")),
        member("kind", Word(&["a", "b", "c"])),
        member("count", Whole(2)),
        member("share", Amount),
        member("end", Text).nullable(),
        member("steps", List(&item(Text)))
            .tests(&[Test::new(is_filled, "empty; add a step").warning()]),
        member("tags", Set(&item(Text))).warning(),
        member("parts", Table(&PART)).what("parts by name"),
    ],
);

static PART: Member = item(Open(&[
    required("id", Text),
    required("flag", Flag),
    member("part", Open(&[required("size", Number)])),
]))
.rule(&DI_04);

type Expected<'e> = (&'e str, Severity, &'e str, &'e str);

/// Returns problem and correction in words.
fn advice(finding: &Finding) -> String {
    let help = finding.help.iter().map(|help| format!("; {help}"));
    [finding.message.clone()].into_iter().chain(help).collect()
}

#[track_caller]
fn check(schema: &Schema, value: &Value, expected: &[Expected<'_>]) {
    let mut findings = Findings::default();
    schema.check(value, "/at", &mut findings);
    let found = findings.into_vec();
    let found: Vec<(&Finding, String)> = found.iter().map(|it| (it, advice(it))).collect();
    let found: Vec<Expected<'_>> = found
        .iter()
        .flat_map(|(it, text)| {
            let (id, severity) = (it.rule.id, it.severity);
            it.pointers()
                .map(move |pointer| (id, severity, pointer, &**text))
        })
        .collect();
    assert_eq!(found, expected, "{value}");
}

/// Checks a member of [`OPEN`], which has `expected` as its only finding.
#[track_caller]
fn check_member(name: &str, value: Value, expected: Option<(Severity, &str, &str)>) {
    let mut document = json!({"name": "Loom"});
    document[name] = value;
    let expected =
        expected.map(|(severity, below, message)| (severity, format!("/at/{below}"), message));
    let expected: Vec<_> = expected
        .iter()
        .map(|(severity, pointer, message)| ("DI-01", *severity, &**pointer, *message))
        .collect();
    check(&OPEN, &document, &expected);
}

#[test]
fn a_document_of_the_shape_has_no_finding() {
    let document = json!({
        "name": "Loom", "url": "https://loom.example", "kind": "b", "count": 2, "share": 0.5,
        "end": null, "steps": ["weave"], "tags": ["wool", "silk"], "other": [null],
        "parts": {"frame": {"id": "f", "flag": true, "part": {"size": -1.5}, "other": 1}},
    });
    check(&OPEN, &document, &[]);
}

#[test]
fn a_document_of_another_type_has_one_finding() {
    check(
        &OPEN,
        &json!(["Loom"]),
        &[("DI-01", Error, "/at", "this is an array; give an object")],
    );
}

#[test]
fn a_required_member_is_neither_missing_nor_null_nor_empty() {
    for (document, message) in [
        (json!({}), "`name` is missing; give the name"),
        (json!({"name": null}), "`name` is null; give the name"),
        (json!({"name": " "}), "`name` is empty; give the name"),
        (json!({"name": 7}), "`name` is a number; give the name"),
    ] {
        check(&OPEN, &document, &[("DI-03", Error, "/at/name", message)]);
    }
}

#[test]
fn each_shape_says_what_to_give() {
    for (name, value, message) in [
        (
            "url",
            json!("/api"),
            "`url` is not an absolute http(s) URL; give the address with https://",
        ),
        ("url", json!(""), "`url` is empty; give the address"),
        (
            "kind",
            json!("d"),
            "`kind` has an unknown value; give a, b or c",
        ),
        ("kind", json!(true), "`kind` is a boolean; give a, b or c"),
        (
            "count",
            json!(1),
            "`count` is out of range; give a whole number of at least 2",
        ),
        (
            "count",
            json!(2.5),
            "`count` is not a whole number; give a whole number of at least 2",
        ),
        (
            "count",
            json!("2"),
            "`count` is a string; give a whole number of at least 2",
        ),
        (
            "share",
            json!(-1),
            "`share` is out of range; give a number that is not negative",
        ),
        ("steps", json!({}), "`steps` is an object; give a list"),
        (
            "parts",
            json!([]),
            "`parts` is an array; give parts by name",
        ),
    ] {
        check_member(name, value, Some((Error, name, message)));
    }
}

#[test]
fn null_for_an_optional_member_is_a_warning_unless_it_has_a_meaning() {
    let message = "`kind` is null; give a, b or c, or leave it out";
    check_member("kind", Value::Null, Some((Warning, "kind", message)));
    check_member("end", Value::Null, None);
}

#[test]
fn items_and_tests_are_graded_by_their_member() {
    check_member(
        "steps",
        json!([]),
        Some((Warning, "steps", "empty; add a step")),
    );
    let message = "this value is a number; give a string";
    check_member("steps", json!(["a", 1]), Some((Error, "steps/1", message)));
    let message = "this value is null; give a string";
    check_member("steps", json!([null]), Some((Error, "steps/0", message)));
    let message = "`tags` is a string; give a list";
    check_member("tags", json!("wool"), Some((Warning, "tags", message)));
    let message = "listed twice; remove one";
    check_member(
        "tags",
        json!(["wool", "wool"]),
        Some((Warning, "tags/1", message)),
    );
}

#[test]
fn findings_below_have_the_nearest_rule_and_an_escaped_pointer() {
    let document = json!({"name": "Loom", "parts": {"a/b": {"id": 1, "part": {}}, "c": "d"}});
    check(
        &OPEN,
        &document,
        &[
            (
                "DI-04",
                Error,
                "/at/parts/a~1b/id",
                "`id` is a number; give a string",
            ),
            (
                "DI-04",
                Error,
                "/at/parts/a~1b/flag",
                "`flag` is missing; give true or false",
            ),
            (
                "DI-04",
                Error,
                "/at/parts/a~1b/part/size",
                "`size` is missing; give a number",
            ),
            (
                "DI-04",
                Error,
                "/at/parts/c",
                "this value is a string; give an object with id and flag",
            ),
        ],
    );
}

#[test]
fn unknown_members_of_closed_objects_are_reported_as_the_schema_says() {
    const CLOSED: super::Shape = Closed(&[
        member("name", Text),
        member("parts", List(&item(Closed(&[member("id", Text)])))),
        member("named", Table(&item(Closed(&[])))),
    ]);
    static EACH: Schema =
        Schema::closed(&DI_01, CLOSED, Unknown::Each(&DI_04, "x-", "not defined"));
    static BY_OBJECT: Schema =
        Schema::closed(&DI_01, CLOSED, Unknown::ByObject(&DI_04, "not defined:"));
    static ONCE: Schema = Schema::closed(&DI_01, CLOSED, Unknown::Once(&DI_04, "not defined:"));
    let document = json!({
        "x-own": 1, "a": 1, "b": 2,
        "parts": [{"id": "p", "c": 3}, {"c": 4, "x-own": 5}],
        "named": {"one": {"d": 6}},
    });
    let error = |pointer, message| ("DI-04", Error, pointer, message);
    check(
        &EACH,
        &document,
        &[
            "/at/a",
            "/at/b",
            "/at/parts/0/c",
            "/at/parts/1/c",
            "/at/parts/1/x-own",
            "/at/named/one/d",
        ]
        .map(|pointer| error(pointer, "not defined")),
    );
    check(
        &BY_OBJECT,
        &document,
        &[
            error("/at", "not defined: x-own, a, b"),
            error("/at/parts/0", "not defined: c"),
            error("/at/parts/1", "not defined: c, x-own"),
            error("/at/named/one", "not defined: d"),
        ],
    );
    check(
        &ONCE,
        &document,
        &[error(
            "/at",
            "not defined: x-own, a, b, parts[].c, parts[].x-own, named.*.d",
        )],
    );
}

#[test]
fn null_is_an_error_in_a_formal_schema() {
    static FORMAL: Schema = Schema::closed(
        &DI_01,
        Closed(&[member("name", Text)]),
        Unknown::ByObject(&DI_04, "no:"),
    );
    let message = "`name` is null; give a string, or leave it out";
    check(
        &FORMAL,
        &json!({"name": null}),
        &[("DI-01", Error, "/at/name", message)],
    );
}

#[test]
fn members_of_another_edition_are_not_checked() {
    static SCHEMA: Schema = Schema::open(
        &DI_01,
        &[
            required("about", Prose("a sentence")).since(2),
            recommended("about", Prose("a sentence")).before(2),
            member("old", Flag).before(2),
        ],
    );
    let found = |number, null, document: &Value| {
        let mut findings = Findings::default();
        SCHEMA.check_as(Edition { number, null }, document, "", &mut findings);
        let found = findings.into_vec().into_iter();
        found
            .map(|it| format!("{} {} {}", it.severity.as_str(), it.pointer, advice(&it)))
            .collect::<Vec<_>>()
    };
    let document = json!({"old": "yes"});
    assert_eq!(
        found(1, None, &document),
        [
            "warning /about `about` is missing; give a sentence",
            "error /old `old` is a string; give true or false",
        ]
    );
    assert_eq!(
        found(2, None, &document),
        ["error /about `about` is missing; give a sentence"]
    );
    let document = json!({"about": "", "old": null});
    let empty = "warning /about `about` is empty; give a sentence";
    assert_eq!(found(1, None, &document), [empty]);
    assert_eq!(
        found(1, Some(Error), &document),
        [
            empty,
            "error /old `old` is null; give true or false, or leave it out"
        ]
    );
}
