//! Tests of the requests for files of skills (P9).

use super::*;

const INDEX: &str = "/.well-known/agent-skills/index.json";
const SKILL: (u16, &str) = (200, "---\nname: fire\ndescription: Fires a mug.\n---\n");

/// Returns a lease with an index of skills and as many known files of skills.
fn with_skills(count: usize) -> Lease {
    let paths: Vec<String> = (0..count).map(|it| format!("/{it}/SKILL.md")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).chain([INDEX]).collect();
    let mut lease = lease(Some(Outcome::Found), 3, &paths);
    for known in &mut lease.known {
        let format = if known.url.ends_with("SKILL.md") {
            "agent-skill"
        } else {
            "agent-skills-index"
        };
        known.format = Some(format.to_owned());
    }
    lease
}

/// Returns the answer of a site on which nothing has changed.
fn unchanged(path: &str) -> (u16, &'static str) {
    if path == INDEX || path.ends_with("/SKILL.md") {
        (304, "")
    } else {
        NONE
    }
}

fn skill(path: &str) -> NamedDocument {
    NamedDocument {
        kind: DocumentKind::Skill,
        ..named(path)
    }
}

#[test]
fn p09_known_skills_come_after_manifests_and_count_as_named_documents() {
    let mut lease = with_skills(8);
    let (asked, plan) = visit(&lease, &policy(""), unchanged);
    let expected = [
        INDEX,
        "/0/SKILL.md",
        "/1/SKILL.md",
        "/2/SKILL.md",
        "/3/SKILL.md",
        "/4/SKILL.md",
    ];
    assert_eq!(asked[..6], expected);
    assert_eq!(asked.len(), 7, "and one path in rotation: {asked:?}");
    assert!(plan.requests() <= REQUEST_CAP);

    lease.named = (10..13)
        .map(|it| skill(&format!("/{it}/SKILL.md")))
        .collect();
    let (asked, _) = visit(&lease, &policy(""), unchanged);
    let asked: Vec<_> = asked.iter().filter(|it| it.ends_with("SKILL.md")).collect();
    let expected = [
        "/10/SKILL.md",
        "/11/SKILL.md",
        "/12/SKILL.md",
        "/0/SKILL.md",
        "/1/SKILL.md",
    ];
    let mut sorted = asked.clone();
    sorted.sort();
    let mut wanted = expected.to_vec();
    wanted.sort_unstable();
    assert_eq!(sorted, wanted);
}

#[test]
fn p47_a_recheck_requests_manifests_before_skills() {
    let mut lease = with_skills(8);
    lease.requests_left = Some(store::requested::REQUESTS_OF_KNOWN);
    let (asked, plan) = visit(&lease, &policy(""), unchanged);
    assert_eq!(asked[0], INDEX);
    assert_eq!(plan.requests(), store::requested::REQUESTS_OF_KNOWN);
}

#[test]
fn p44_a_skill_has_a_limit_of_its_own_and_is_no_manifest() {
    let path = "/skills/fire/SKILL.md";
    let mut lease = lease(Some(Outcome::Empty), 3, &[]);
    lease.named = vec![skill(path)];
    let mut plan = Plan::new(&origin(), &lease, &policy(""), 1, &[]);
    let Step::Probe(request) = plan.next(|_| true) else {
        panic!("no request")
    };
    assert_eq!(
        (&*request.target, request.kind),
        (path, DocumentKind::Skill)
    );
    plan.record(&Reply {
        requests: 1,
        redirect: None,
        end: End::Answered {
            status: 200,
            body: SKILL.1.as_bytes(),
            format: formats::find("agent-skill"),
            is_challenge: false,
        },
    });
    assert_eq!(plan.look(), None, "it is no page either");
    assert_eq!(plan.outcome(), Outcome::Empty);
}
