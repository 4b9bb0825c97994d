//! The judge tells the crawlers of a fleet apart, and knows which of them were killed or stopped.

use super::{exchange, leads, rules, terms, visit};
use crate::support::judge::log::{Connection, Exchange, Log};
use crate::support::judge::{Signal, Signalled, Terms, judge};
use std::thread::available_parallelism;

const NONE: [&str; 0] = [];

/// Returns exchanges as those of a crawler with this number, over connections of its own.
fn by(crawler: u64, exchanges: Vec<Exchange>) -> Vec<Exchange> {
    let own = exchanges.into_iter().map(|it| {
        let connection = it.connection + 1_000 * crawler;
        let agent = format!("AgentdexBot/1.0 (+{})", contact(crawler));
        it.over(connection).asking("user-agent", &agent)
    });
    own.collect()
}

fn contact(crawler: u64) -> String {
    format!("bot@agents.example/{crawler}")
}

/// Returns terms with a signal that a crawler received.
fn signalled(crawler: u64, signal: Signal, at: u64) -> Terms {
    let signalled = Signalled {
        contact: contact(crawler),
        at,
        signal,
    };
    Terms {
        signals: vec![signalled],
        ..terms()
    }
}

/// Returns the rules that the exchanges of several crawlers break, in the order of their times.
fn broken(parts: &[Vec<Exchange>], terms: &Terms) -> Vec<&'static str> {
    let mut all = parts.concat();
    all.sort_by_key(|it| it.at);
    rules(all, terms)
}

/// Returns an exchange at an address of a network of its own.
fn at_address(number: u64, exchange: Exchange) -> Exchange {
    let third = u8::try_from(number).unwrap();
    at([127, 8, third, 1], exchange)
}

/// Returns an exchange at another address.
fn at(address: [u8; 4], exchange: Exchange) -> Exchange {
    Exchange {
        address: address.into(),
        ..exchange
    }
}

#[test]
fn p18_two_crawlers_visit_one_site_at_once() {
    let one = by(1, visit(0, "a.shop.example", 404, 3));
    let other = |at| by(2, visit(at, "bb.shop.example", 404, 3));
    assert_eq!(broken(&[one.clone(), other(1_500)], &terms()), ["P18"]);
    assert_eq!(broken(&[one, other(5_000)], &terms()), NONE);
}

#[test]
fn a_visit_of_one_crawler_is_no_part_of_that_of_another() {
    // The first crawler is led to a host to which the second one goes by itself.
    let source = by(
        1,
        vec![leads(0, "a.example", "https://other.example/robots.txt")],
    );
    let own = by(2, visit(5_000, "other.example", 404, 11));
    let late = by(
        1,
        vec![exchange(20_000, "other.example", "/robots.txt", 404)],
    );
    assert_eq!(broken(&[source, own, late], &terms()), NONE);
    // It begins again what another one left.
    let ended = by(1, visit(0, "a.example", 404, 2));
    let again = by(2, visit(60_000, "a.example", 404, 11));
    let killed = signalled(1, Signal::Kill, 2_500);
    assert_eq!(broken(&[ended.clone(), again.clone()], &killed), NONE);
    assert_eq!(
        broken(&[ended, again], &signalled(2, Signal::Kill, 2_500)),
        ["P8"]
    );
}

#[test]
fn p16_a_host_is_busy_with_the_request_of_a_crawler_that_was_killed() {
    let first = by(
        1,
        vec![exchange(0, "a.example", "/robots.txt", 404).taking(300)],
    );
    let next = |at| by(2, vec![exchange(at, "a.example", "/robots.txt", 404)]);
    let killed = signalled(1, Signal::Kill, 200);
    assert_eq!(broken(&[first.clone(), next(20_500)], &killed), ["P16"]);
    assert_eq!(broken(&[first.clone(), next(21_000)], &killed), NONE);
    // The answer had come before.
    let later = signalled(1, Signal::Kill, 900);
    assert_eq!(broken(&[first.clone(), next(5_000)], &later), NONE);
    let other = signalled(2, Signal::Kill, 200);
    assert_eq!(broken(&[first, next(5_000)], &other), NONE);
}

#[test]
fn p35_only_the_crawler_that_was_killed_at_once_forgets_a_pause() {
    let throttled = exchange(0, "a.example", "/robots.txt", 429).answered("retry-after", "600");
    let parts = [
        by(1, vec![throttled]),
        by(2, vec![exchange(90_000, "a.example", "/robots.txt", 404)]),
    ];
    for (crawler, signal, at, rule) in [
        (1, Signal::Kill, 1_000, None),
        (1, Signal::Stop, 1_000, None),
        (1, Signal::Kill, 8_000, Some("P35")),
        (1, Signal::Terminate, 1_000, Some("P35")),
        (2, Signal::Kill, 95_000, Some("P35")),
    ] {
        let terms = signalled(crawler, signal, at);
        let found = broken(&parts, &terms);
        assert_eq!(
            found,
            Vec::from_iter(rule),
            "{signal:?} of {crawler} at {at}"
        );
    }
}

#[test]
fn p51_a_crawler_that_was_stopped_for_long_sends_nothing_when_it_wakes() {
    let threads = u64::try_from(available_parallelism().unwrap().get()).unwrap();
    let sent = |number: u64, at| {
        let host = format!("site{number}.example");
        at_address(number, exchange(at, &host, "/robots.txt", 404))
    };
    let signals = |stopped| Terms {
        signals: [(Signal::Stop, stopped), (Signal::Continue, 15_000)]
            .map(|(signal, at)| Signalled {
                contact: contact(1),
                at,
                signal,
            })
            .into(),
        ..terms()
    };
    let woken = |number| by(1, (0..number).map(|it| sent(it, 15_001)).collect());
    assert_eq!(broken(&[woken(threads)], &signals(1_000)), NONE);
    assert_eq!(broken(&[woken(threads + 1)], &signals(1_000)), ["P51"]);
    // Its term had not ended.
    assert_eq!(broken(&[woken(threads + 1)], &signals(8_000)), NONE);
    let other = by(2, woken(threads + 1));
    assert_eq!(broken(&[other], &signals(1_000)), NONE);
    let exchanges = woken(threads + 1);
    let connections = exchanges.iter().map(|it| Connection {
        number: it.connection,
        address: it.address,
        opened: it.at,
        closed: None,
    });
    let anew = Log {
        connections: connections.collect(),
        exchanges,
    };
    assert_eq!(judge(&anew, &signals(1_000)), []);
    // A request of that moment is no visit.
    let later = by(2, visit(40_000, "site0.example", 404, 11));
    assert_eq!(broken(&[woken(1), later], &signals(1_000)), NONE);
}

#[test]
fn p20_a_visit_counts_in_the_network_to_which_a_redirect_leads_it() {
    let four = |crawler: u8| {
        let host = format!("{crawler}.site{crawler}.example");
        let visit = visit(0, &host, 404, 5).into_iter();
        let visit = visit.map(|it| at([127, 9, 9, crawler], it));
        by(crawler.into(), visit.collect())
    };
    let mut parts: Vec<_> = (1..=4).map(four).collect();
    let source = leads(0, "moved.example", "https://www.moved.example/robots.txt");
    let target = exchange(2_500, "www.moved.example", "/robots.txt", 404);
    parts.push(by(5, vec![source, at([127, 9, 9, 5], target.clone())]));
    assert_eq!(broken(&parts, &terms()), ["P20"]);
    parts.pop();
    let source = leads(0, "moved.example", "https://www.moved.example/robots.txt");
    parts.push(by(5, vec![source, at([127, 9, 8, 5], target)]));
    assert_eq!(broken(&parts, &terms()), NONE);
}

#[test]
fn p19_a_stopped_crawler_cannot_close_its_connections() {
    let address = [127, 0, 0, 9];
    let names = ["a.one.example", "bb.two.example", "ccc.three.example"];
    let parts = names.iter().enumerate().map(|(number, host)| {
        let number = u64::try_from(number).unwrap();
        let visit = at(address, exchange(10_000 * number, host, "/robots.txt", 404));
        let mut visit = by(if number < 2 { 1 } else { 2 }, vec![visit]);
        visit[0].connection = number;
        visit
    });
    let log = Log {
        exchanges: parts.flatten().collect(),
        connections: (0..3)
            .map(|number| Connection {
                number,
                address: address.into(),
                opened: 10_000 * number,
                closed: Some(60_000),
            })
            .collect(),
    };
    let of = |terms: &Terms| {
        judge(&log, terms)
            .iter()
            .map(|it| it.rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&terms()), ["P19"]);
    assert_eq!(of(&signalled(1, Signal::Stop, 12_000)), NONE);
    assert_eq!(of(&signalled(2, Signal::Stop, 12_000)), ["P19"]);
}

#[test]
fn p09_a_host_that_a_document_names_belongs_to_the_visit() {
    let mut parts = vec![by(1, visit(0, "a.example", 404, 3))];
    let named = exchange(2_500, "cards.a.example", "/robots.txt", 404);
    let card = exchange(4_000, "cards.a.example", "/card.json", 200);
    parts.push(by(1, vec![named.over(7), card.over(7)]));
    assert_eq!(broken(&parts, &terms()), ["P18"]);
    let mut named = terms();
    named.named.insert("cards.a.example".to_owned());
    assert_eq!(broken(&parts, &named), NONE);
    // It counts there (P7), and another crawler has no part in it.
    let other = by(2, visit(1_000, "cards.a.example", 404, 1));
    parts.push(other);
    assert!(broken(&parts, &named).contains(&"P18"));
}
