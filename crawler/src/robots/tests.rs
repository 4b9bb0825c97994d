//! Tests with shared vectors, with one small answer per fault of the library, and of properties.

use super::*;
use crate::test_data;
use manifest::Timestamp;
use proptest::prelude::*;
use std::time::Instant;
use store::RobotsState;

mod huge;

fn answer(body: impl Into<Vec<u8>>) -> Answer {
    Answer::Response {
        status: 200,
        body: body.into(),
        max_age: None,
        retry_after: None,
    }
}

fn of_etag(etag: &str) -> Validators {
    Validators {
        etag: Some(etag.to_owned()),
        last_modified: None,
        url: Some("https://mesa.example/robots.txt".to_owned()),
    }
}

fn policy(body: impl Into<Vec<u8>>) -> Policy {
    Policy::from_answer("FinderBot", &answer(body))
}

/// P29: what is plainly no text is no robots.txt, so it gives no permission.
#[test]
fn p29_a_body_that_is_no_text_forbids_everything() {
    let utf16: Vec<u8> = "User-agent: *\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let utf32 = b"\xff\xfe\0\0U\0\0\0\n\0\0\0";
    for body in [
        &b"\x1f\x8b\x08\0\0\0\0\0\x02\xff\x03\0"[..],
        b"\x1f\x8bUser-agent: *\n",
        b"\x28\xb5\x2f\xfd User-agent: *\n",
        b"User-agent: *\nDisallow:\0 /\n",
        &utf16,
        utf32,
    ] {
        let policy = policy(body);
        assert_eq!(policy.verdict(), Verdict::Unreachable, "{body:?}");
        assert_eq!(policy.outcome(), Outcome::ProtocolError, "{body:?}");
        assert!(!policy.allows("/agents.txt"), "{body:?}");
        let state = policy.state(&Validators::default(), Timestamp(0));
        let fresh = Policy::fresh(&state, Timestamp(1)).unwrap();
        assert_eq!(fresh.outcome(), Outcome::ProtocolError, "{body:?}");
    }
    for body in [
        &b"# caf\xe9 \xff\x01\x7f\n"[..],
        b"\x1f",
        b"\x28\xb5",
        b"# \x1f\x8b",
    ] {
        assert_eq!(policy(body).verdict(), Verdict::Allow, "{body:?}");
    }
}

/// Body, path and whether it is allowed: cases for each fault of the bare library, and related
/// ones.
const VERDICTS: &[(&str, &str, bool)] = &[
    // 1: an empty rule has no effect.
    (
        "User-agent: *\nDisallow: /\nDisallow:",
        "/agents.txt",
        false,
    ),
    (
        "User-agent: *\nDisallow:\n\nUser-agent: *\nDisallow: /api",
        "/api/agent.json",
        false,
    ),
    (
        "User-agent: FinderBot\nDisallow:\nUser-agent: *\nDisallow: /",
        "/agents.txt",
        true,
    ),
    // 2: the end of the token.
    ("User-agent: FinderBot/7\nDisallow: /", "/agents.txt", false),
    (
        "User-agent: finderbot, other\nDisallow: /",
        "/agents.txt",
        false,
    ),
    ("User-agent: FinderBotany\nDisallow: /", "/agents.txt", true),
    (
        "User-agent: * all of you\nDisallow: /",
        "/agents.txt",
        false,
    ),
    ("User-agent: *Bot\nDisallow: /", "/agents.txt", true),
    // 4: other records do not end the list of agents.
    (
        "User-agent: FinderBot\nCrawl-delay: 2\nUser-agent: b\nDisallow: /a",
        "/agents.txt",
        false,
    ),
    (
        "User-agent: FinderBot\nSitemap: /s.xml\nUser-agent: b\nDisallow: /a",
        "/agents.txt",
        false,
    ),
    (
        "User-agent: FinderBot\nDisallow: /z\nUser-agent: b\nDisallow: /a",
        "/agents.txt",
        true,
    ),
    // 5: canonical forms.
    (
        "User-agent: *\nDisallow: /%2ewell-known/",
        "/.well-known/agents.json",
        false,
    ),
    (
        "User-agent: *\nDisallow: /caf%c3%a9",
        "/caf%C3%A9/menu",
        false,
    ),
    ("User-agent: *\nDisallow: /café", "/caf%c3%a9/menu", false),
    ("User-agent: *\nDisallow: /~ann", "/%7Eann", false),
    ("User-agent: *\nDisallow: /a%2Fb", "/a/b", true),
    ("User-agent: *\nDisallow: /a%2Ab", "/axb", true),
    ("User-agent: *\nDisallow: /a%2Ab", "/a*b", false),
    ("User-agent: *\nDisallow: /price%24", "/price$list", false),
    ("User-agent: *\nDisallow: /a\"b", "/a%22b", false),
    // 7: a dollar sign marks the end only at the end.
    ("User-agent: *\nDisallow: /in$ide", "/in$ide", false),
    ("User-agent: *\nDisallow: /*.json$", "/agent.json", false),
    ("User-agent: *\nDisallow: /*.json$", "/agent.json?v=2", true),
    ("User-agent: *\nDisallow: /*.json$", "/a.json/b.json", false),
    // 9: rules before all groups are ignored.
    ("Disallow: /", "/agents.txt", true),
    (
        "Disallow: /a\nUser-agent: *\nDisallow: /b",
        "/agents.txt",
        true,
    ),
    ("User-agent: *\nDisallow:\u{a0}/a", "/agents.txt", true),
    // 11: keys are compared by their beginning, and typos accepted.
    ("User-agent: *\nDisallowed: /a", "/agents.txt", false),
    ("User-agent: *\nDesallow: /a", "/agents.txt", false),
    ("User-agent *\nDisallow /a", "/agents.txt", false),
    (
        "User-agent: *\nDisallow every one of you",
        "/agents.txt",
        true,
    ),
    // 12: unusual paths.
    ("User-agent: *\nDisallow: /a$", "/a#part", false),
    ("User-agent: *\nDisallow: //x/a", "//x/a", false),
    // The rules of RFC 9309.
    (
        "User-agent: *\nDisallow: /\nAllow: /.well-known/",
        "/.well-known/agent-card.json",
        true,
    ),
    (
        "User-agent: *\nDisallow: /agent\nAllow: /agent",
        "/agent.json",
        true,
    ),
    ("User-agent: *\nDisallow: /", "/robots.txt", true),
    ("User-agent: *\nDisallow: /", "/robots.txt?x", false),
    (
        "\u{feff}User-agent: *\r\nDisallow: /a # b\r\n",
        "/agents.txt",
        false,
    ),
    ("User-agent: *\rDisallow: /a", "/agents.txt", false),
    ("<!doctype html><p>Disallow: /", "/agents.txt", true),
    ("", "/agents.txt", true),
];

#[test]
fn p33_each_fault_of_the_library_is_corrected() {
    for (body, path, allowed) in VERDICTS {
        assert_eq!(policy(*body).allows(path), *allowed, "{body:?} {path}");
    }
}

#[test]
fn a_token_is_recognized_at_the_start_of_a_longer_value() {
    let body = "User-agent: FinderBot/1.0 (+https://finder.example)\nDisallow: /";
    assert!(!policy(body).allows("/agents.txt"));
}

#[test]
fn octets_that_are_not_utf_8_are_matched() {
    let policy = policy(b"User-agent: *\nDisallow: /caf\xe9".to_vec());
    assert!(!policy.allows("/caf%E9/menu"));
}

#[test]
fn utf_16_is_decoded() {
    let text = "User-agent: *\nDisallow: /a\n";
    let little = text.encode_utf16().flat_map(u16::to_le_bytes);
    let big = text.encode_utf16().flat_map(u16::to_be_bytes);
    for body in [
        [0xff, 0xfe].into_iter().chain(little).collect::<Vec<u8>>(),
        [0xfe, 0xff].into_iter().chain(big).collect(),
    ] {
        assert!(!policy(body).allows("/agents.txt"));
    }
}

#[test]
fn p23_unusable_delays_are_ignored_and_the_longest_counts() {
    for (body, seconds) in [
        ("User-agent: *\nCrawl-delay: 4", Some(4.0)),
        ("User-agent: *\nCrawl-delay: 0.25", Some(0.25)),
        (
            "User-agent: *\nCrawl-delay: 2\nCrawl-delay: 5\nCrawl-delay: 3",
            Some(5.0),
        ),
        ("Crawl-delay: 8\nUser-agent: *\nDisallow: /x", Some(8.0)),
        (
            "User-agent: a\nCrawl-delay: 4\nUser-agent: FinderBot\nDisallow: /x",
            None,
        ),
        (
            "User-agent: FinderBot\nCrawl-delay: 4\nUser-agent: a\nDisallow: /x",
            Some(4.0),
        ),
        (
            "User-agent: FinderBot\nDisallow: /x\nUser-agent: *\nCrawl-delay: 4",
            None,
        ),
        (
            "User-agent: FinderBot\nCrawl-delay: 4\nUser-agent: *\nCrawl-delay: 9",
            Some(4.0),
        ),
        ("User-agent: *\nCrawl-delay: inf", None),
        ("User-agent: *\nCrawl-delay: infinity", None),
        ("User-agent: *\nCrawl-delay: NaN", None),
        ("User-agent: *\nCrawl-delay: -3", None),
        ("User-agent: *\nCrawl-delay: 5e40", None),
        ("User-agent: *\nCrawl-delay: soon", None),
        ("User-agent: *\nCrawl-delay: 5 s", None),
        ("User-agent: *\nCrawl-delay:", None),
    ] {
        let delay = policy(body).crawl_delay().map(|delay| delay.as_secs_f64());
        assert_eq!(delay, seconds, "{body:?}");
    }
    let delay = policy("User-agent: *\nCrawl-delay: 1e38").crawl_delay();
    assert_eq!(delay, Some(Duration::MAX));
}

#[test]
fn p27_p28_p29_every_status_has_its_verdict() {
    for (status, verdict, outcome) in [
        (200, Verdict::Allow, Outcome::RobotsDisallow),
        (204, Verdict::Allow, Outcome::RobotsDisallow),
        (404, Verdict::Allow, Outcome::RobotsDisallow),
        (410, Verdict::Allow, Outcome::RobotsDisallow),
        (400, Verdict::Allow, Outcome::RobotsDisallow),
        (418, Verdict::Allow, Outcome::RobotsDisallow),
        (401, Verdict::Disallow, Outcome::Blocked),
        (403, Verdict::Disallow, Outcome::Blocked),
        (407, Verdict::Disallow, Outcome::Blocked),
        (451, Verdict::Disallow, Outcome::Blocked),
        (999, Verdict::Disallow, Outcome::Blocked),
        (302, Verdict::Disallow, Outcome::ProtocolError),
        (304, Verdict::Disallow, Outcome::ProtocolError),
        (101, Verdict::Unreachable, Outcome::ProtocolError),
        (206, Verdict::Unreachable, Outcome::ProtocolError),
        (429, Verdict::Unreachable, Outcome::Throttled),
        (503, Verdict::Unreachable, Outcome::Throttled),
        (500, Verdict::Unreachable, Outcome::Down),
        (522, Verdict::Unreachable, Outcome::Down),
    ] {
        let answer = Answer::Response {
            status,
            body: Vec::new(),
            max_age: None,
            retry_after: Some(Duration::from_secs(90)),
        };
        let policy = Policy::from_answer("FinderBot", &answer);
        assert_eq!(policy.verdict(), verdict, "{status}");
        assert_eq!(policy.outcome(), outcome, "{status}");
        assert_eq!(
            policy.allows("/agents.txt"),
            verdict == Verdict::Allow,
            "{status}"
        );
        assert_eq!(
            policy.retry_after().is_some(),
            verdict == Verdict::Unreachable,
            "{status}"
        );
        assert!(!policy.why().is_empty());
    }
}

#[test]
fn p29_no_answer_forbids_everything() {
    for outcome in Outcome::ALL {
        let policy = Policy::from_answer("FinderBot", &Answer::Failed(outcome));
        assert!(!policy.allows("/agents.txt"));
        assert!(policy.allows("/robots.txt"));
        assert_eq!(policy.outcome(), outcome);
    }
}

#[test]
fn p32_only_robots_txt_itself_is_always_allowed() {
    let closed = policy("User-agent: *\nDisallow: /");
    assert!(closed.allows("/robots.txt"));
    for other in [
        "/robots.txt?x",
        "/robots.txt/",
        "/Robots.txt",
        "/a/robots.txt",
    ] {
        assert!(!closed.allows(other), "{other}");
    }
}

#[test]
fn p34_the_verdict_covers_the_paths_of_the_table() {
    for (body, verdict, open) in [
        ("User-agent: *\nDisallow: /wp-admin/", Verdict::Allow, 21),
        (
            "User-agent: *\nDisallow: /.well-known/",
            Verdict::Partial,
            6,
        ),
        ("User-agent: *\nDisallow: /", Verdict::Disallow, 0),
    ] {
        let policy = policy(body);
        assert_eq!(policy.verdict(), verdict, "{body}");
        assert_eq!(
            policy
                .state(&Validators::default(), Timestamp(0))
                .mask
                .count_ones(),
            open,
            "{body}"
        );
    }
}

#[test]
fn a_forbidden_path_names_the_line_that_forbids_it() {
    let state = |body: &str| policy(body).state(&Validators::default(), Timestamp(0));
    let body = "User-agent: *\r\nDisallow: /api/\r\n\r\nDisallow: /*/agent.json$ # no\r\nAllow: /";
    let forbidden = state(body).forbidden;
    let lines: Vec<_> = forbidden
        .iter()
        .map(|it| (it.path.as_str(), it.line, it.rule.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            ("/.well-known/agent.json", 4, "Disallow: /*/agent.json$"),
            ("/api/agent.json", 4, "Disallow: /*/agent.json$"),
        ]
    );
    let twice = "User-agent: *\nDisallow: /api/\nDisallow: /api/";
    assert_eq!(state(twice).forbidden[0].line, 2);
    assert!(state("User-agent: other\nDisallow: /").forbidden.is_empty());
}

/// The explanation and the decision come from different matchers, which must agree.
#[test]
fn every_forbidden_path_of_the_table_has_its_line() {
    for (body, ..) in VERDICTS {
        let policy = policy(*body);
        let state = policy.state(&Validators::default(), Timestamp(0));
        let explained: Vec<&str> = state.forbidden.iter().map(|it| it.path.as_str()).collect();
        let paths = probes::ALL.iter().map(|probe| probe.path);
        let forbidden: Vec<&str> = paths.filter(|path| !policy.allows(path)).collect();
        assert_eq!(explained, forbidden, "{body}");
    }
}

#[test]
fn the_policy_of_a_slow_host_is_restored_from_its_state() {
    let policy = policy("User-agent: *\nCrawl-delay: 600\nDisallow: /agents.txt");
    let state = policy.state(&of_etag("\"1\""), Timestamp(0));
    let kept = Policy::resumed(&state, Timestamp(600_000)).unwrap();
    assert!(!kept.allows("/agents.txt"));
    assert!(kept.allows("/agent.json"));
    assert!(!kept.allows("/elsewhere"));
    assert_eq!(kept.crawl_delay(), policy.crawl_delay());
    assert!(Policy::resumed(&state, state.expires).is_none());
    let quick = RobotsState {
        delay_ms: Some(5000),
        ..state
    };
    assert!(Policy::resumed(&quick, Timestamp(1)).is_none());
}

/// P31: after a 304, the restored policy equals that of the body for every path of the table.
#[test]
fn p31_an_unchanged_file_gives_the_same_policy() {
    for body in [
        "User-agent: *\nDisallow: /agents.txt\nAgentmap: /card.json",
        "User-agent: *\nDisallow: /",
        "User-agent: other\nDisallow: /",
        "User-agent: *\nContent-Signal: search=no",
        "User-agent: *\nCrawl-delay: 7",
        "",
    ] {
        let policy = policy(body);
        let state = policy.state(&of_etag("\"1\""), Timestamp(0));
        let kept = Policy::kept(&state).unwrap();
        for probe in &probes::ALL {
            assert_eq!(kept.allows(probe.path), policy.allows(probe.path), "{body}");
        }
        assert_eq!(kept.is_closed(), policy.is_closed(), "{body}");
        assert_eq!(kept.outcome(), policy.outcome(), "{body}");
        assert_eq!(kept.crawl_delay(), policy.crawl_delay(), "{body}");
        assert_eq!(kept.hints(), policy.hints(), "{body}");
        let again = kept.state(&of_etag("\"1\""), Timestamp(0));
        assert_eq!(again, state, "{body}");
    }
    let state = policy("User-agent: *\nDisallow: /x").state(&of_etag("1"), Timestamp(0));
    assert!(Policy::kept(&state).unwrap().does_not_cover("/elsewhere"));
    let of_another_table = RobotsState { table: 1, ..state };
    assert!(Policy::kept(&of_another_table).is_none());
}

#[test]
fn p31_the_validity_is_max_age_within_bounds() {
    for (max_age, minutes) in [
        (None, 1440),
        (Some(5), 10),
        (Some(3600), 60),
        (Some(9_999_999), 1440),
    ] {
        let answer = Answer::Response {
            status: 200,
            body: Vec::new(),
            max_age: max_age.map(Duration::from_secs),
            retry_after: None,
        };
        let state =
            Policy::from_answer("FinderBot", &answer).state(&Validators::default(), Timestamp(0));
        assert_eq!(state.expires, Timestamp(minutes * 60_000), "{max_age:?}");
    }
}

#[test]
fn signals_that_apply_to_this_crawler_are_recognized() {
    for (body, opts_out) in [
        (
            "User-agent: *\nContent-Signal: search=no, ai-train=no\nAllow: /",
            true,
        ),
        (
            "User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /",
            false,
        ),
        (
            "User-agent: *\nAllow: /\nUser-agent: other\nContent-Signal: search=no",
            false,
        ),
        (
            "User-agent: FinderBot\nAllow: /\nUser-agent: *\nContent-Signal: search=no",
            false,
        ),
        ("Content-Signal: SEARCH = No", true),
        ("User-agent: *\nContent-Usage: / search=n", true),
        ("User-agent: *\nContent-Signal: /shop search=no", false),
        ("# Content-Signal: search=no", false),
    ] {
        assert_eq!(policy(body).opts_out(), opts_out, "{body:?}");
    }
    assert_eq!(
        policy("User-agent: *\nContent-Signal: search=no").outcome(),
        Outcome::OptedOut
    );
}

#[test]
fn references_to_manifests_are_hints() {
    let body = "# see https://shop.example/.well-known/agents.json, please\n\
                User-agent: *\nAllow: /agents.txt\nAllow: /pictures\n\
                Agentmap: https://shop.example/catalog/all.json\nAgent-Card: /cards/one.json\n\
                Agents: not a url\nSitemap: https://shop.example/agents.json\nAllow: /agents.txt\n";
    let hints: Vec<_> = policy(body)
        .hints()
        .iter()
        .map(|hint| (hint.field.clone(), hint.target.clone()))
        .collect();
    let expected = [
        ("comment", "https://shop.example/.well-known/agents.json"),
        ("allow", "/agents.txt"),
        ("agentmap", "https://shop.example/catalog/all.json"),
        ("agent-card", "/cards/one.json"),
    ];
    assert_eq!(
        hints,
        expected.map(|(field, target)| (field.to_owned(), target.to_owned()))
    );
}

#[test]
fn p25_a_rule_truncated_by_the_size_limit_is_dropped() {
    let start = "User-agent: *\nDisallow: /first\n";
    let comment = "#".repeat(BODY_CAP - start.len() - "\nDisallow: /a".len());
    let body = format!("{start}{comment}\nDisallow: /agents-of-old");
    let policy = policy(body);
    assert!(policy.allows("/agents.txt"));
    assert!(policy.allows("/agents-of-old"));
    assert!(!policy.allows("/first"));
}

#[test]
fn p33_hostile_files_take_little_time() {
    let many = (0..60_000).fold("User-agent: *\n".to_owned(), |text, index| {
        text + &format!("Disallow: /*{index}$\n")
    });
    let repeated = "User-agent: *\n".to_owned() + &"Disallow: /b\n".repeat(45_000);
    let stars = format!(
        "User-agent: *\nDisallow: /{}$\nDisallow: /a",
        "*a".repeat(2000)
    );
    let long = format!(
        "User-agent: *\nDisallow: /*{}$\nDisallow: /a",
        "é".repeat(9000)
    );
    let line = "x".repeat(BODY_CAP);
    for (name, body, allowed) in [
        ("many", many, false),
        ("repeated", repeated, true),
        ("stars", stars, false),
        ("long", long, false),
        ("line", line, true),
    ] {
        let began = Instant::now();
        let policy = policy(body);
        assert_eq!(policy.allows("/agents.txt"), allowed, "{name}");
        // Ten times the budget, for builds without optimisation on a busy machine.
        assert!(began.elapsed() < Duration::from_secs(10), "{name}");
    }
}

#[test]
fn p33_every_shared_vector_gives_its_expected_result() {
    use base64::Engine as _;
    #[derive(serde::Deserialize)]
    struct Generated {
        prefix: String,
        repeat: String,
        count: usize,
        suffix: String,
    }
    #[derive(serde::Deserialize)]
    struct Vector {
        id: String,
        robots_txt: Option<String>,
        encoding: Option<String>,
        r#gen: Option<Generated>,
        user_agent: String,
        path: String,
        allowed: bool,
        note: String,
    }
    let Some(text) = test_data::read("robots/vectors.jsonl") else {
        return;
    };
    let mut failures = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let expected_delay = value.get("crawl_delay").map(serde_json::Value::as_f64);
        let vector: Vector = serde_json::from_value(value).unwrap();
        let body = match (&vector.r#gen, vector.encoding.as_deref()) {
            (Some(parts), _) => {
                let middle = (0..parts.count).fold(String::new(), |text, index| {
                    text + &parts.repeat.replace("{i}", &index.to_string())
                });
                format!("{}{middle}{}", parts.prefix, parts.suffix).into_bytes()
            }
            (None, Some("base64")) => base64::engine::general_purpose::STANDARD
                .decode(vector.robots_txt.unwrap())
                .unwrap(),
            (None, _) => vector.robots_txt.unwrap().into_bytes(),
        };
        let began = Instant::now();
        let policy = Policy::from_answer(&vector.user_agent, &answer(body));
        let delay = policy.crawl_delay().map(|delay| delay.as_secs_f64());
        if policy.allows(&vector.path) != vector.allowed
            || expected_delay.is_some_and(|expected| expected != delay)
        {
            failures.push(format!("{} ({}): delay {delay:?}", vector.id, vector.note));
        }
        if began.elapsed() > Duration::from_secs(3) {
            failures.push(format!("{}: {:?}", vector.id, began.elapsed()));
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(count >= 241, "only {count} vectors");
}

/// Matches as in RFC 9309 in the simplest way: the longest matching rule, allow on a tie.
fn reference_allows(rules: &[(bool, String)], path: &str) -> bool {
    fn matches(pattern: &[u8], path: &[u8]) -> bool {
        match pattern.split_first() {
            None => true,
            Some((b'$', [])) => path.is_empty(),
            Some((b'*', rest)) => (0..=path.len()).any(|skipped| matches(rest, &path[skipped..])),
            Some((octet, rest)) => path
                .split_first()
                .is_some_and(|(first, path)| first == octet && matches(rest, path)),
        }
    }
    rules
        .iter()
        .filter(|(_, pattern)| !pattern.is_empty() && matches(pattern.as_bytes(), path.as_bytes()))
        .max_by_key(|(allow, pattern)| (pattern.len(), *allow))
        .is_none_or(|(allow, _)| *allow)
}

proptest! {
    #[test]
    fn the_matcher_agrees_with_the_reference(
        rules in prop::collection::vec((any::<bool>(), "([/*][ab/*]{0,6}\\$?)?"), 0..8),
        path in "/[ab/]{0,8}",
    ) {
        let body = rules.iter().fold("User-agent: *\n".to_owned(), |text, (allow, pattern)| {
            text + if *allow { "Allow: " } else { "Disallow: " } + pattern + "\n"
        });
        let expected = reference_allows(&rules, &path);
        prop_assert_eq!(policy(body.as_str()).allows(&path), expected, "{} {}", body, path);
    }

    #[test]
    fn no_body_makes_a_policy_panic(body: Vec<u8>, path: String) {
        let policy = policy(body);
        let _ = (policy.allows(&path), policy.hints(), policy.state(&Validators::default(), Timestamp(0)));
    }

    #[test]
    fn no_fields_make_a_policy_panic(
        body in "((User-agent|Disallow|Allow|Crawl-delay|Content-Signal|Agentmap|#)[: ]{1,2}[*/$%a-z0-9é.,=-]{0,20}[\r\n]){0,12}",
        path: String,
    ) {
        let policy = policy(body);
        let _ = (policy.allows(&path), policy.outcome(), policy.state(&Validators::default(), Timestamp(0)));
    }
}
