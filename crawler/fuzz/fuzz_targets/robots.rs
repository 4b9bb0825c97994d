//! Fuzzes robots.txt: the first two lines choose token and path, the rest is the file.
#![no_main]

use crawler::robots::{Answer, BODY_CAP, Policy, Validators};
use libfuzzer_sys::fuzz_target;
use manifest::Timestamp;

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(3, |byte| *byte == b'\n');
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default());
    let token: String = text()
        .chars()
        .filter(|letter| letter.is_ascii_alphabetic() || "-_".contains(*letter))
        .collect();
    let path = format!("/{}", text());
    let body = parts.next().unwrap_or_default().to_vec();
    assert!(body.len() <= BODY_CAP);
    let token = if token.is_empty() {
        "AgentdexBot"
    } else {
        &token
    };
    let answer = Answer::Response {
        status: 200,
        body,
        max_age: None,
        retry_after: None,
    };
    let policy = Policy::from_answer(token, &answer);
    let again = Policy::from_answer(token, &answer);
    assert!(policy.allows("/robots.txt"));
    assert_eq!(policy.allows(&path), again.allows(&path));
    assert_eq!(policy.verdict(), again.verdict());
    assert_eq!(policy.crawl_delay(), again.crawl_delay());
    assert_eq!(policy.signals(), again.signals());
    assert_eq!(policy.hints(), again.hints());
    assert_eq!(policy.hash(), again.hash());
    let now = Timestamp(1_800_000_000_000);
    let state = policy.state(&Validators::default(), now);
    assert_eq!(state, again.state(&Validators::default(), now));
});
