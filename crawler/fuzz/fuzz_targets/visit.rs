//! Fuzzes visits with any answers: statuses, headers, bodies and failures, in the order of the
//! requests.
#![no_main]

use crawler::fetch::redirect::is_redirect;
use crawler::fetch::{DnsFailure, Fetch, FetchError, Request, Response, Stage, TlsFailure};
use crawler::plan::REQUEST_CAP;
use crawler::rate_limit::Rules;
use crawler::visit::{Admission, FinishedVisit, RobotsCache, Sender, Settings, SharedExclusions, SharedGate, visit};
use libfuzzer_sys::arbitrary::{Result as Drawn, Unstructured};
use libfuzzer_sys::fuzz_target;
use manifest::{Domain, Timestamp};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;
use store::{DocumentKind, KnownDocument, Lease, NamedDocument, Outcome};
use tokio_util::sync::CancellationToken;

const START: Timestamp = Timestamp(1_800_000_000_000);
const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(8, 8, 8, 8));
const DAY: Duration = Duration::from_hours(24);
/// Bodies and headers to choose from, besides noise.
const TEXTS: [&str; 14] = [
    "User-agent: *\nDisallow:\n",
    "User-agent: *\nCrawl-delay: 60\n",
    "User-agent: *\nDisallow: /.well-known/\n",
    r#"{"name": "Mesa", "url": "https://mesa.example.com/a2a", "skills": []}"#,
    "<!DOCTYPE html><html><title>Welcome</title></html>",
    "",
    "text/html",
    "application/json",
    "120",
    "99999999999",
    "Fri, 15 Jan 2027 09:00:00 GMT",
    "max-age=31536000",
    "https://www.mesa.example.com/robots.txt",
    "/elsewhere",
];
const STATUSES: [u16; 18] = [
    200, 200, 200, 404, 404, 410, 301, 302, 308, 304, 401, 403, 429, 429, 500, 502, 503, 206,
];

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    let Ok(lease) = lease(&mut input) else {
        return;
    };
    let fails = lease.fails;
    let web = Web(Mutex::new(State { input, last: None }));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O");
    let visited = runtime.block_on(async {
        let settings = Settings {
            token: "AgentdexBot".to_owned(),
            sender: Sender::default(),
            delay: Duration::from_secs(1),
            extra: Vec::new(),
            http_fallback: false,
            gate: SharedGate::new(Rules::default()),
            robots_cache: RobotsCache::default(),
            stopping: CancellationToken::new(),
            late: CancellationToken::new(),
            exclusions: SharedExclusions::default(),
        };
        let entrance = Admission::Open(ADDRESS, None);
        let mut random = StdRng::seed_from_u64(7);
        visit(&web, &(), &settings, lease, entrance, START, &mut random).await
    });
    let last = web.0.into_inner().expect("no thread panicked").last;
    check(&visited, fails, last.as_ref());
});

/// Asserts the properties of every visit.
fn check(visited: &FinishedVisit, fails: u32, last: Option<&Response>) {
    let visit = &visited.visit;
    assert!(visit.requests <= REQUEST_CAP);
    assert_eq!(visit.documents.len(), visited.readings.len());
    assert!(visit.ended >= visit.started);
    assert!(visit.ended.since(visit.started) < Duration::from_hours(1));
    assert!(visit.next.due > visit.ended);
    assert!(visit.next.due >= visit.next.not_before);
    assert!(visit.next.due.since(visit.ended) <= 200 * DAY);
    assert!(visit.next.not_before.since(visit.ended) <= DAY);
    assert!(visit.next.fails <= fails.saturating_add(1));
    if matches!(visit.outcome, Outcome::Throttled | Outcome::RateLimited) {
        let rest = visit.next.not_before.since(visit.ended);
        assert!(rest >= Duration::from_secs(60));
        let pause = last.and_then(|it| it.retry_after.as_deref()?.parse::<u32>().ok());
        if let (Some(pause), Some(429)) = (pause, last.map(|it| it.status)) {
            assert!(rest >= Duration::from_secs(pause.into()).clamp(DAY / 1440, DAY));
        }
    }
}

/// A site with the answers of the input, and 404 after them.
struct Web<'a>(Mutex<State<'a>>);

struct State<'a> {
    input: Unstructured<'a>,
    last: Option<Response>,
}

impl Fetch for Web<'_> {
    async fn resolve(&self, _: &Request) -> Result<IpAddr, FetchError> {
        Ok(ADDRESS)
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        let mut state = self.0.lock().expect("no thread panicked");
        let answer = answer(&mut state.input).unwrap_or_else(|_| {
            Ok(Response {
                status: 404,
                ..Response::default()
            })
        });
        // A pause asked for behind a redirect holds only for the host that asked for it (P35).
        let is_own = request.url.host_str() == Some("mesa.example.com");
        state.last = answer.as_ref().ok().filter(|_| is_own).cloned();
        answer
    }
}

fn answer(input: &mut Unstructured<'_>) -> Drawn<Result<Response, FetchError>> {
    if input.ratio(1, 8)? {
        return Ok(Err(failure(input)?));
    }
    let status = if input.ratio(1, 16)? {
        input.int_in_range(100..=999)?
    } else {
        *input.choose(&STATUSES)?
    };
    Ok(Ok(Response {
        status,
        media_type: header(input)?,
        etag: header(input)?,
        last_modified: header(input)?,
        location: if is_redirect(status) {
            Some(text(input)?)
        } else {
            None
        },
        retry_after: header(input)?,
        cache_control: header(input)?,
        allow_origin: None,
        links: header(input)?.into_iter().collect(),
        usage: header(input)?
            .map(|value| ("X-Robots-Tag", value))
            .into_iter()
            .collect(),
        edge: header(input)?
            .map(|value| ("cf-mitigated", value))
            .into_iter()
            .collect(),
        body: text(input)?.into_bytes(),
        was_cut: input.ratio(1, 16)?,
        is_own_host: false,
    }))
}

fn failure(input: &mut Unstructured<'_>) -> Drawn<FetchError> {
    Ok(match input.int_in_range(0..=9_u8)? {
        0 => FetchError::Dns(DnsFailure::ServFail),
        1 => FetchError::Refused,
        2 => FetchError::Unreachable,
        3 => FetchError::Timeout(Stage::Connect),
        4 => FetchError::Timeout(Stage::Total),
        5 => FetchError::Tls(TlsFailure::Expired),
        6 => FetchError::TooLarge(1 << 20),
        7 => FetchError::BadEncoding,
        8 => FetchError::Protocol("noise"),
        _ => FetchError::Reset,
    })
}

fn header(input: &mut Unstructured<'_>) -> Drawn<Option<String>> {
    if input.ratio(1, 3)? {
        text(input).map(Some)
    } else {
        Ok(None)
    }
}

fn text(input: &mut Unstructured<'_>) -> Drawn<String> {
    if input.ratio(1, 3)? {
        Ok(input.arbitrary::<&str>()?.to_owned())
    } else {
        Ok((*input.choose(&TEXTS)?).to_owned())
    }
}

fn lease(input: &mut Unstructured<'_>) -> Drawn<Lease> {
    let known = if input.ratio(1, 4)? {
        vec![KnownDocument {
            requested: "https://mesa.example.com/.well-known/agent-card.json".to_owned(),
            url: "https://mesa.example.com/.well-known/agent-card.json".to_owned(),
            etag: header(input)?,
            last_modified: header(input)?,
            hash: String::new(),
            content: None,
            missing_since: input.arbitrary::<bool>()?.then_some(START),
            format: None,
        }]
    } else {
        Vec::new()
    };
    let outcomes = [
        Outcome::Found,
        Outcome::Empty,
        Outcome::Soft404,
        Outcome::Down,
    ];
    Ok(Lease {
        row: 1,
        requests_left: None,
        domain: Domain::parse("mesa.example.com").expect("a domain"),
        port: None,
        token: 1,
        fails: input.arbitrary()?,
        interval_ms: input.arbitrary()?,
        rotation: input.arbitrary()?,
        last_outcome: if known.is_empty() && input.arbitrary()? {
            None
        } else {
            Some(*input.choose(&outcomes)?)
        },
        known,
        robots: None,
        named: named(input)?,
        unanswered: header(input)?.into_iter().collect(),
    })
}

/// Returns documents named before: on this host, on another host of the domain, and on other sites.
fn named(input: &mut Unstructured<'_>) -> Drawn<Vec<NamedDocument>> {
    let count = input.int_in_range(0..=7)?;
    (0..count)
        .map(|_| {
            let host = input.choose(&["mesa", "api", "other.org/"])?;
            Ok(NamedDocument {
                url: format!("https://{host}.example.com/{}", text(input)?),
                named_by: text(input)?,
                is_own: input.arbitrary()?,
                kind: *input.choose(&[DocumentKind::Manifest, DocumentKind::Api, DocumentKind::Skill])?,
                is_absent: input.arbitrary()?,
            })
        })
        .collect()
}
