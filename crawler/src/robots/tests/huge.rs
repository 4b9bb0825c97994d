//! Tests with very long and very many parts of a robots.txt: it is read or forbids everything,
//! without a panic.

use super::*;

/// Longer than any width of a format string, which ends at 65,535.
const LONG: usize = 65_536;

fn robust_policy(body: impl Into<Vec<u8>>) -> Policy {
    let policy = policy(body);
    let now = Timestamp(i64::MAX);
    for path in [
        "/agents.txt",
        "",
        "é",
        &"/a".repeat(LONG),
        &"%".repeat(LONG),
    ] {
        assert_eq!(policy.allows(path), policy.allows(path));
    }
    let state = policy.state(&Validators::default(), now);
    assert_eq!(state.verdict, policy.verdict().as_str());
    let again = Policy::resumed(&state, Timestamp(0));
    assert!(again.is_none_or(|again| again.verdict() == policy.verdict()));
    policy
}

#[test]
fn lines_of_any_length_are_read() {
    for text in [
        "a", "*", "$", "/", "%", "%41", "é", "\u{80}", ",", "=", "#", " ", "9", "\0",
    ] {
        let text = text.repeat(LONG);
        for field in [
            "User-agent",
            "Disallow",
            "Allow",
            "Crawl-delay",
            "Content-Signal",
            "Agentmap",
            "Sitemap",
            "#",
            "x",
        ] {
            robust_policy(format!("User-agent: *\n{field}: {text}\n{field}:/{text}"));
            robust_policy(format!("{field}: {text}"));
            robust_policy(format!("{text}: {field}\n{text}"));
        }
    }
}

#[test]
fn any_number_of_lines_is_read() {
    for line in [
        "\n",
        "\r",
        "User-agent: *\n",
        "Disallow: /a\n",
        "Allow: /*a$\n",
        "Crawl-delay: 1\n",
        "Content-Signal: search=no\n",
        "Agentmap: https://a.example/b\n",
        "# agent-card: /b\n",
        "x\n",
    ] {
        robust_policy(format!(
            "User-agent: *\n{}",
            line.repeat(500_000 / line.len())
        ));
    }
    let rules = |count| {
        (0..count).fold(String::new(), |text, number| {
            format!("{text}Disallow: /{number}\n")
        })
    };
    robust_policy(format!("User-agent: *\n{}", rules(3_000)));
    robust_policy("User-agent: *\nDisallow: /".to_owned() + &"*a".repeat(20_000));
}

#[test]
fn p23_delays_of_any_size_are_applied_or_ignored() {
    let nines = "9".repeat(LONG);
    for delay in [
        "1e38",
        "3.4e38",
        "1e-45",
        "-0",
        "-1",
        "inf",
        "nan",
        "0x10",
        "+7",
        &nines,
        &format!("0.{nines}"),
        &format!("1e-{nines}"),
        &format!("-{nines}"),
    ] {
        let policy = robust_policy(format!("User-agent: *\nCrawl-delay: {delay}\n"));
        let pause = crate::crawl_delay::longest_pause(Duration::MAX, policy.crawl_delay());
        assert_eq!(pause, Duration::MAX, "{delay}");
    }
}

proptest! {
    #[test]
    fn no_status_or_header_makes_a_policy_panic(
        status in 0_u16..1_000, max_age: Option<u64>, retry_after: Option<u64>, now: i64, body in "\\PC{0,20}",
    ) {
        let seconds = |it: Option<u64>| it.map(Duration::from_secs);
        let answer = Answer::Response {
            status,
            body: body.into(),
            max_age: seconds(max_age),
            retry_after: seconds(retry_after),
        };
        let policy = Policy::from_answer("FinderBot", &answer);
        let state = policy.state(&Validators::default(), Timestamp(now));
        prop_assert!(state.expires >= Timestamp(now));
    }
}
