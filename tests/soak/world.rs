//! The sites of a soak: what each answers at a moment, derived from its number and the time.

use crate::support::registry::{CARD, card};
use crawler::plan::Remainder;
use crawler::schedule::{self, Contact, Doubt, VisitResult};
use manifest::{Document, Domain, Timestamp};
use rand::{Rng as _, rngs::StdRng};
use std::net::Ipv4Addr;
use std::time::Duration;
use store::{EdgeAnswer, Lease, Outcome, Receipt, Store, Visit};

pub(crate) const DAY: Duration = Duration::from_hours(24);

/// Time that a visit takes.
const VISIT: Duration = Duration::from_secs(5);

/// Behaviour of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Publishes the same card for months.
    Steady,
    /// Publishes another card every eight hours.
    Changes,
    /// Gives its agent another name every other day.
    Renames,
    /// Breaks its card for a week out of three.
    Breaks,
    /// Publishes its card for one week out of two.
    Comes,
    /// Opts out in its robots.txt for one week out of two.
    OptsOut,
    Empty,
    Down,
    /// Asks for pauses, from ever new addresses.
    Throttles,
    /// Refuses the crawler, with a page.
    Refuses,
    /// Has a name that does not exist.
    Lapsed,
}

fn kind(number: u64) -> Kind {
    match number % 20 {
        0..=5 => Kind::Steady,
        6 | 7 => Kind::Changes,
        8 => Kind::Renames,
        9 | 10 => Kind::Breaks,
        11 | 12 => Kind::Comes,
        13 => Kind::OptsOut,
        14 => Kind::Empty,
        15 => Kind::Down,
        16 => Kind::Throttles,
        17 => Kind::Refuses,
        _ => Kind::Lapsed,
    }
}

/// Returns the name of a site, each of a registrable domain of its own.
pub(crate) fn name(number: u64) -> Domain {
    Domain::parse(&format!("s{number}.site{number}.example")).unwrap()
}

/// Returns the number in the name of a site.
fn number(domain: &Domain) -> u64 {
    let label = domain.as_str().split('.').next().unwrap();
    label[1..].parse().unwrap()
}

/// Reports whether a site always has an agent.
pub(crate) fn is_steady(number: u64) -> bool {
    kind(number) == Kind::Steady
}

/// Returns the card that a site publishes; `None` if it has none.
///
/// Sites of a kind publish the same texts, so that their sentence vectors are computed once.
fn published(number: u64, now: Timestamp) -> Option<String> {
    let hours = u64::try_from(now.0 / 3_600_000).unwrap();
    let (days, weeks) = (hours / 24, hours / (24 * 7) + number);
    let of = |name: &str, what: &str| Some(card(name, "main", what));
    match kind(number) {
        Kind::Steady => of("Ferry desk", "Books a crossing"),
        Kind::Changes => of("News desk", &format!("Reads the news of {}", hours / 8)),
        Kind::Renames => of(&format!("Desk {}", days / 2), "Answers questions"),
        Kind::Breaks if weeks.is_multiple_of(3) => Some("{\"name\": \"Broken\"".to_owned()),
        Kind::Breaks => of("Repair desk", "Mends things"),
        Kind::Comes if weeks.is_multiple_of(2) => of("Fair desk", "Sells tickets"),
        Kind::OptsOut if weeks.is_multiple_of(2) => of("Quiet desk", "Keeps silent"),
        _ => None,
    }
}

/// Returns the visit of a lease at `now`, with the crawler's own schedule.
pub(crate) async fn visit(
    store: &dyn Store,
    lease: Lease,
    now: Timestamp,
    random: &mut StdRng,
) -> Visit {
    let number = number(&lease.domain);
    let url = url::Url::parse(&format!("https://{}{CARD}", lease.domain)).unwrap();
    let known = lease.known.iter().find(|it| it.requested == url.as_str());
    let body = published(number, now);
    let (outcome, contact) = match (kind(number), &body) {
        (_, Some(_)) => (Outcome::Found, Contact::Connected),
        (Kind::OptsOut, None) => (Outcome::OptedOut, Contact::Connected),
        (Kind::Down, _) => (Outcome::Down, Contact::NoConnection),
        (Kind::Throttles, _) => (Outcome::Throttled, Contact::Connected),
        (Kind::Refuses, _) => (Outcome::Refused, Contact::Connected),
        (Kind::Lapsed, _) => (Outcome::DnsError, Contact::NoName),
        (_, None) => (Outcome::Empty, Contact::Connected),
    };
    let document = body.map(|body| document(&lease.domain, &url, body, now));
    let is_unchanged = document
        .as_ref()
        .is_some_and(|document| known.is_some_and(|known| known.hash == document.hash()));
    let is_missing = document.is_none() && known.is_some() && outcome == Outcome::Empty;
    let ended = now.after(VISIT);
    let is_removed = is_missing && known.is_some_and(|it| it.is_removed_by_miss(ended));
    let retry_after = (outcome == Outcome::Throttled).then(|| {
        let address = Ipv4Addr::from_bits(random.random::<u32>());
        (address, Duration::from_hours(12))
    });
    if let Some((address, pause)) = retry_after {
        let until = now.after(pause);
        store.block_address(address.into(), until).await.unwrap();
        let blocking = store.block_host(&lease.domain, until, now);
        blocking.await.unwrap();
    }
    let result = VisitResult {
        outcome,
        contact,
        changed: document.is_some() && !is_unchanged || is_removed,
        retry_after: retry_after.map(|it| it.1),
        resume_after: None,
        refused_with: (outcome == Outcome::Refused).then_some(403),
        max_age: None,
        rotation: lease.rotation + 1,
        is_parked: false,
        doubt: (is_missing && !is_removed).then_some(Doubt::Missing),
        is_erring: false,
        remainder: Remainder::default(),
    };
    let next = schedule::next(&result, &lease, now, random.random());
    let requested = vec![url.to_string()];
    let (unchanged, missing) = match (is_unchanged, is_missing) {
        (true, _) => (requested, Vec::new()),
        (_, true) => (Vec::new(), requested),
        _ => (Vec::new(), Vec::new()),
    };
    Visit {
        lease,
        started: now,
        ended,
        outcome,
        detail: None,
        requests: 2,
        bytes: 2_000,
        receipts: receipts(&url, now),
        edge: (outcome == Outcome::Refused).then(|| refusal(&url, now)),
        documents: document.filter(|_| !is_unchanged).into_iter().collect(),
        gone: Vec::new(),
        missing,
        unchanged,
        named: Vec::new(),
        asked: Vec::new(),
        robots: None,
        next,
    }
}

fn document(domain: &Domain, url: &url::Url, body: String, now: Timestamp) -> Document {
    Document {
        domain: domain.clone(),
        requested: url.clone(),
        url: url.clone(),
        status: 200,
        media_type: Some("application/json".to_owned()),
        etag: None,
        last_modified: None,
        served: None,
        fetched: now,
        body: body.into_bytes(),
    }
}

fn receipts(url: &url::Url, now: Timestamp) -> Vec<Receipt> {
    let receipt = |url: &str, verdict: &str| Receipt {
        at: now,
        method: "GET".to_owned(),
        url: url.to_owned(),
        status: Some(200),
        bytes: 1_000,
        ms: 40,
        verdict: verdict.to_owned(),
        why: String::new(),
    };
    let robots = url.join("/robots.txt").unwrap();
    vec![
        receipt(robots.as_str(), "robots"),
        receipt(url.as_str(), "manifest"),
    ]
}

fn refusal(url: &url::Url, now: Timestamp) -> EdgeAnswer {
    EdgeAnswer {
        at: now,
        url: url.to_string(),
        status: 403,
        body: "Access denied.".to_owned(),
        ..EdgeAnswer::default()
    }
}
