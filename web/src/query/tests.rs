//! Parsing of searches, and their faults.

use super::*;
use crate::parameter::MAX_FAULTS;
use crate::secrets::tests::some_keys;
use manifest::Domain;
use search::Cursor;

fn parse(query: &str) -> Result<SearchParams, Vec<BadParameter>> {
    SearchParams::parse(query, Unknown::Refused, &some_keys())
}

fn fault(query: &str) -> BadParameter {
    parse(query).unwrap_err().remove(0)
}

#[test]
fn a_full_search_has_a_canonical_form() {
    let asked = parse("limit=5&tag=travel&tag=food&q=a%20table&auth=key&sort=name").unwrap();
    assert_eq!(
        asked.canonical(),
        "q=a+table&auth=api_key&tag=food&tag=travel&sort=name&limit=5"
    );
    assert_eq!(parse(&asked.canonical()).unwrap(), asked);
}

#[test]
fn an_unknown_parameter_is_answered_with_the_nearest_name() {
    let fault = fault("fromat=zervice");
    assert_eq!(fault.pointer, "fromat");
    assert_eq!(fault.code, "unknown_parameter");
    assert_eq!(fault.suggestion.as_deref(), Some("format"));
}

#[test]
fn pages_ignore_unknown_parameters() {
    let asked = SearchParams::parse("q=a&utm_source=b", Unknown::Ignored, &some_keys()).unwrap();
    assert_eq!(asked.canonical(), "q=a");
}

#[test]
fn every_fault_is_named() {
    let faults = parse("sort=nmae&limit=0&level=Z&cursor=x&session=maybe").unwrap_err();
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["sort", "limit", "level", "session", "cursor"]);
    assert_eq!(faults[0].suggestion.as_deref(), Some("name"));
}

#[test]
fn the_status_gone_is_not_accepted() {
    let asked = parse("status=Failing&status=ok").unwrap();
    assert_eq!(asked.canonical(), "status=failing&status=ok");
    assert_eq!(
        fault("status=unknwon").suggestion.as_deref(),
        Some("unknown")
    );
    let gone = fault("status=gone");
    assert_eq!(
        (gone.pointer.as_str(), gone.code),
        ("status", "unknown_value")
    );
    assert!(gone.message.contains("not in the index"), "{gone:?}");
    assert_eq!(gone.suggestion.as_deref(), Some("failing"));
}

#[test]
fn a_format_is_one_of_many_of_which_the_nearest_is_named() {
    let other = fault("format=zervise");
    assert_eq!(other.suggestion.as_deref(), Some("zervice"));
    assert!(other.message.ends_with(" more"), "{other:?}");
    assert!(other.message.len() < 700, "{other:?}");
    assert!(parse("format=Zervice&format=mcp-server-card").is_ok());
}

#[test]
fn a_given_limit_holds_for_the_nearest_too() {
    let request = |query: &str| parse(query).unwrap().request();
    for (query, limit, nearest) in [
        ("q=a", 20, 3),
        ("q=a&limit=20", 20, 20),
        ("q=a&limit=3", 3, 3),
    ] {
        let request = request(query);
        assert_eq!(
            (request.limit, request.nearest),
            (limit, nearest),
            "{query}"
        );
    }
    assert_ne!(
        parse("q=a").unwrap().canonical(),
        parse("q=a&limit=20").unwrap().canonical()
    );
}

#[test]
fn limits_are_kept() {
    assert_eq!(parse("limit=100").unwrap().limit, 100);
    assert_eq!(fault("limit=101").code, "out_of_range");
    assert_eq!(fault("limit=-1").code, "out_of_range");
    assert_eq!(fault(&"tag=a&".repeat(101)).code, "too_many_parameters");
}

#[test]
fn every_unknown_word_of_a_list_is_a_fault_with_what_was_probably_meant() {
    let faults = parse("facets=fromat,tag,levle&include=evidense,connect").unwrap_err();
    let found: Vec<_> = faults
        .iter()
        .map(|it| (it.pointer.as_str(), it.code, it.suggestion.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            ("facets", "unknown_value", Some("format")),
            ("facets", "unknown_value", Some("level")),
            ("include", "unknown_value", Some("evidence")),
        ]
    );
    let faults = parse("facets=bogus,bogus2").unwrap_err();
    assert!(faults[0].message.contains("`bogus`") && faults[1].message.contains("`bogus2`"));
    let faults = parse("auth=none&level=X&level=Y&session=maybe&session=perhaps").unwrap_err();
    assert_eq!(faults.len(), 4, "{faults:?}");
}

#[test]
fn a_list_drops_duplicates_and_reports_a_limited_number_of_faults() {
    let asked = parse("facets=tag,format,tag&facets=format").unwrap();
    assert_eq!(asked.facets, [Facet::Tag, Facet::Format]);
    let same = parse(&format!("facets={}", "x,".repeat(10_000))).unwrap_err();
    assert_eq!(same.len(), 1);
    let words: Vec<_> = (0..10_000).map(|it| format!("x{it}")).collect();
    let words = words.join(",");
    assert_eq!(
        parse(&format!("facets={words}")).unwrap_err().len(),
        MAX_FAULTS
    );
}

#[test]
fn filters_that_every_link_would_repeat_are_bounded() {
    let tags = |count: usize| {
        let tags: Vec<_> = (0..count).map(|it| format!("tag={it:0100}")).collect();
        tags.join("&")
    };
    assert!(parse(&tags(40)).is_ok());
    assert_eq!(fault(&tags(41)).code, "too_long");
}

#[test]
fn empty_fields_of_a_form_have_no_effect() {
    assert_eq!(parse("q=&format=&sort=").unwrap(), SearchParams::default());
}

#[test]
fn a_query_of_any_length_is_read_as_far_as_it_is_used() {
    let asked = parse(&format!("q={}", "ab+".repeat(34_000))).unwrap();
    assert!(asked.text.starts_with("ab ab "));
    assert!((2_001..=MAX_TEXT).contains(&asked.text.chars().count()));
}

#[test]
fn a_site_may_be_written_in_unicode() {
    let asked = parse("site=B%C3%BCcher.example").unwrap();
    assert_eq!(asked.canonical(), "site=xn--bcher-kva.example");
}

#[test]
fn a_filter_is_added_and_taken_away() {
    let asked = parse("q=a&format=zervice").unwrap();
    let more = asked.toggled(Facet::Tag, "food");
    assert_eq!(more.canonical(), "q=a&format=zervice&tag=food");
    assert_eq!(more.toggled(Facet::Tag, "food").page(), asked.page());
}

#[test]
fn a_cursor_belongs_to_its_search() {
    let id = manifest::AgentId::new(&Domain::parse("mesa.example").unwrap(), "tables");
    let after = Cursor {
        value: 3.5,
        id,
        waiting: 0,
    };
    let here = Position {
        generation: 7,
        after,
    };
    let keys = some_keys();
    let word = cursor::write(&here, "q=a", &keys);
    let read = |query: &str| SearchParams::parse(query, Unknown::Refused, &keys);
    let asked = read(&format!("cursor={word}&q=a")).unwrap();
    assert_eq!(asked.request().generation, Some(7));
    assert_eq!(asked.cursor, Some(here));
    let faults = read(&format!("q=b&cursor={word}")).unwrap_err();
    assert_eq!(faults[0].code, "bad_cursor");
}

#[test]
fn parameters_of_any_length_and_number_are_read_or_refused() {
    let names = [
        "q", "sort", "limit", "per_site", "cursor", "facets", "include", "site", "tag", "auth",
        "x", "", "é",
    ];
    let pieces = [
        "a", "9", "-", "%", "%ff", "%C3%A9", "é", "東", "%00", ",", "=", "+", ".", "&q=a",
        "&tag=b", "&x",
    ];
    let keys = some_keys();
    for (name, piece) in names
        .iter()
        .flat_map(|name| pieces.map(|piece| (name, piece)))
    {
        for times in [1, 16, 32, 33, 99, 65_536] {
            let query = format!("{name}={}", piece.repeat(times));
            for unknown in [Unknown::Refused, Unknown::Ignored] {
                if let Ok(asked) = SearchParams::parse(&query, unknown, &keys) {
                    assert!(asked.identity().contains(&asked.canonical()));
                    assert_eq!(asked.request(), asked.request());
                    assert!(asked.page().starts_with("/search"));
                }
            }
        }
    }
}

#[test]
fn a_cursor_of_any_value_is_read_without_panic() {
    let keys = some_keys();
    let domain = Domain::parse("mesa.example").unwrap();
    for value in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        f64::MIN,
        f64::MAX,
    ] {
        for slug in ["", "é", "a/b", &"a".repeat(65_536)] {
            let cursor = Cursor {
                value,
                id: manifest::AgentId::new(&domain, slug),
                waiting: u64::MAX,
            };
            let position = Position {
                generation: u64::MAX,
                after: cursor.clone(),
            };
            let token = cursor::write(&position, "", &keys);
            let query = format!("cursor={token}");
            let asked = SearchParams::parse(&query, Unknown::Refused, &keys).unwrap();
            assert_eq!(asked.cursor.map(|it| it.after.id), Some(cursor.id));
        }
    }
}

#[test]
fn a_time_span_has_a_unit_and_one_canonical_form() {
    for (given, canonical) in [
        ("7d", "7d"),
        ("1w", "7d"),
        ("168h", "7d"),
        ("36h", "36h"),
        ("90m", "90m"),
        ("366d", "366d"),
    ] {
        let asked = parse(&format!("checked_within={given}")).unwrap();
        let canonical = format!("checked_within={canonical}");
        assert_eq!(asked.canonical(), canonical);
        assert_eq!(parse(&canonical).unwrap(), asked);
    }
    for wrong in [
        "7",
        "d",
        "0d",
        "-1d",
        "7y",
        "7 d",
        "367d",
        "99999999999d",
        "4294967295w",
        "1ď",
    ] {
        let fault = fault(&format!("checked_within={wrong}"));
        assert_eq!(fault.code, "bad_time_span", "{wrong}");
    }
    let now = Timestamp(1_000_000_000);
    let since = parse("checked_within=1h").unwrap().checked_since(now);
    assert_eq!(since, Some(Timestamp(996_400_000)));
}

#[test]
fn a_budget_is_bounded_and_no_part_of_the_search() {
    let asked = parse("q=a&budget_chars=4000").unwrap();
    assert_eq!((asked.budget, &*asked.canonical()), (Some(4000), "q=a"));
    assert_ne!(asked.identity(), parse("q=a").unwrap().identity());
    for wrong in ["999", "1000001", "-1", "x"] {
        let fault = fault(&format!("budget_chars={wrong}"));
        assert_eq!(fault.code, "out_of_range", "{wrong}");
    }
    // A page shows all results, and has no use for these.
    let page = SearchParams::parse(
        "q=a&budget_chars=x&checked_within=x",
        Unknown::Ignored,
        &some_keys(),
    );
    assert_eq!(page.unwrap(), parse("q=a").unwrap());
}
