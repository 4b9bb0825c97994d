//! HS-64 and HS-66: many names on one address, and one name on many addresses.

use super::{CARD, CARD_PATH, ROBOTS, Stage};
use crate::derived;
use crate::support::judge::log::Log;
use crate::support::judge::{Terms, judge, summary};
use crate::support::{USUAL_TIME, pipeline};
use simweb::{Answer, Behaviour, Dns, Simweb};
use std::collections::HashSet;
use std::net::IpAddr;
use std::time::Duration;
use store::Outcome;

#[tokio::test]
async fn p12_hs_64_after_twenty_parked_names_only_robots_txt_is_requested() {
    const PARKED: usize = 60;
    let at = |address: &str| Behaviour {
        addresses: vec![address.parse().unwrap()],
        ..Behaviour::default()
    };
    let mut web = Simweb::builder().addresses(2);
    for number in 0..PARKED {
        let parking = Behaviour {
            catch_all: Some("/parked".to_owned()),
            ..at("127.0.0.1")
        };
        web = web
            .site(&format!("parked{number}.example"))
            .behaviour(parking)
            .file("/parked", "<!doctype html><title>For sale</title>")
            .file(ROBOTS, "User-agent: *\nAllow: /\n");
    }
    web = web
        .site("mesa.example")
        .behaviour(at("127.0.0.2"))
        .file(CARD_PATH, CARD);
    let mut stage = Stage::new(web).await;
    // The hosts stand for machines of their own as long as the pace of addresses is lifted.
    stage.address_delay = 1;
    let summary = stage.crawl().await;
    assert_eq!(summary.visits, PARKED as u64 + 1);
    assert_eq!(summary.outcome(Outcome::Soft404), PARKED as u64);
    assert_eq!(summary.outcome(Outcome::Found), 1);

    let store = stage.store().await;
    let mut whole = 0;
    for number in 0..PARKED {
        let host = format!("parked{number}.example");
        let requests = stage.web.requests_of(&host);
        assert_eq!(requests[0].path, ROBOTS);
        assert!(requests.len() <= 12, "{host}: {requests:?}");
        let site = store.site(&pipeline::domain(&host)).await.unwrap().unwrap();
        assert_eq!(site.visits.len(), 1, "{host}");
        let days = site.due.since(site.last_visit.unwrap()).as_secs() / 86_400;
        if requests.len() > 1 {
            whole += 1;
            assert!((53..=66).contains(&days), "{host}: {days}");
        } else {
            assert!((80..=99).contains(&days), "{host}: {days}");
        }
    }
    // Two are visited at a time, so that one more may be under way when the twentieth ends.
    assert!((20..=21).contains(&whole), "{whole} whole visits");
}

#[tokio::test]
async fn p18_hs_66_a_name_with_a_new_address_each_time_keeps_the_gap_of_its_domain() {
    const HOSTS: usize = 6;
    const GAP: Duration = Duration::from_millis(150);
    let addresses: Vec<IpAddr> = (1..=4)
        .map(|last| IpAddr::from([127, 0, 0, last]))
        .collect();
    let mut web = Simweb::builder().addresses(4);
    for number in 0..HOSTS {
        // Each name begins elsewhere, as one that is asked for again would.
        let mut addresses = addresses.clone();
        addresses.rotate_left(number % 4);
        web = web
            .site(&format!("host{number}.flux.example"))
            .behaviour(Behaviour {
                dns: Dns::Rotating,
                ttl: Some(0),
                addresses,
                ..Behaviour::default()
            })
            .file(CARD_PATH, CARD);
    }
    let mut stage = Stage::new(web).await;
    stage.delay = 150;
    let summary = stage.crawl().await;
    assert_eq!(summary.outcome(Outcome::Found), HOSTS as u64);
    let requests = stage.web.requests();
    let asked: HashSet<_> = requests.iter().map(|it| it.local.ip()).collect();
    assert_eq!(asked.len(), addresses.len(), "{asked:?}");
    for pair in requests.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(
            gap >= GAP,
            "{gap:?} between {:?} and {:?}",
            pair[0],
            pair[1]
        );
    }
    // Further requests of a visit go to the address at which it began.
    for host in stage.web.hosts() {
        let requests = stage.web.requests_of(&host);
        let asked: HashSet<_> = requests.iter().map(|it| it.local.ip()).collect();
        assert_eq!(asked.len(), 1, "{host}");
    }
}

/// The apex and its www on neighbouring addresses of one network: the four visits that it has room
/// for do not wait for each other's places (P20), and are found at once.
#[tokio::test]
async fn p20_visits_that_lead_to_a_neighbour_do_not_block_each_other() {
    const SITES: usize = 8;
    let at = |last: u8| Behaviour {
        addresses: vec![IpAddr::from([127, 0, 0, last])],
        ..Behaviour::default()
    };
    let mut web = Simweb::builder().addresses(16);
    for number in 0..SITES {
        let last = u8::try_from(number).unwrap();
        let apex = format!("shop{number}.example");
        let www = format!("www.{apex}");
        let moved = at(1 + last).path("/*", Answer::redirect(&format!("https://{www}{{path}}")));
        web = web.site(&apex).behaviour(moved);
        web = web.site(&www).behaviour(at(9 + last)).file(CARD_PATH, CARD);
    }
    let mut stage = Stage::new(web).await;
    stage.seeds.retain(|seed| !seed.starts_with("www."));
    stage.address_delay = 20;
    let crawl = tokio::time::timeout(USUAL_TIME, stage.crawl());
    let summary = crawl.await.expect("no visit waits for another's place");
    assert_eq!(summary.visits, SITES as u64);
    assert_eq!(summary.outcome(Outcome::Found), SITES as u64);
    // A visit that waits for a permit in vain resolves its host again.
    for number in 0..SITES {
        let asked = stage.web.requests_of(&format!("shop{number}.example"));
        let robots = asked.iter().filter(|it| it.path == ROBOTS).count();
        assert_eq!(robots, 1, "shop{number}");
    }
}

/// P16: a host that the robots.txt of many sites leads to has its gap, though its address is
/// lifted.
#[tokio::test]
async fn p16_a_target_of_many_redirects_keeps_its_own_delay() {
    let mut web = Simweb::builder()
        .site("hub.example")
        .file(ROBOTS, "User-agent: *\nAllow: /\n");
    for number in 0..6 {
        let host = format!("spoke{number}.example");
        // Each to another file: one that they shared would be asked for once.
        let target = format!("https://hub.example/robots.txt?{number}");
        let redirecting = Behaviour::default().path(ROBOTS, Answer::redirect(&target));
        web = web.site(&host).behaviour(redirecting);
    }
    let mut stage = Stage::new(web).await;
    stage.delay = 150;
    stage.crawl().await;
    let asked = stage.web.requests_of("hub.example");
    let times = |path: &str| asked.iter().filter(|it| it.path == path).count();
    let terms = Terms {
        conditional_robots: false,
        ..derived::terms(150, 0)
    };
    let found = judge(&Log::of(&stage.web), &terms);
    let found: Vec<_> = found.into_iter().filter(|it| it.rule == "P38a").collect();
    assert!(found.is_empty(), "{}", summary(&found));
    // Three of the four requests that a target gets in an hour; one is reserved for redirects to
    // its robots.txt (P38a).
    let redirecting: Vec<usize> = (0..6)
        .map(|number| times(&format!("{ROBOTS}?{number}")))
        .collect();
    assert!(redirecting.iter().all(|it| *it <= 1), "{redirecting:?}");
    assert_eq!(redirecting.iter().sum::<usize>(), 3, "{redirecting:?}");
    // A visit that is put off while it waits for its turn asks its own robots.txt again.
    let store = stage.store().await;
    let hub = store
        .site(&pipeline::domain("hub.example"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(times(ROBOTS), hub.visits.len());
    for pair in asked.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap >= Duration::from_millis(150 - 20), "{gap:?}");
    }
}

/// P31: a robots.txt that many sites lead to is asked for once for all of them.
#[tokio::test]
async fn p31_a_robots_txt_that_many_share_is_asked_for_once() {
    let mut web = Simweb::builder()
        .site("hub.example")
        .file("/shared.txt", "User-agent: *\nDisallow: /agents.txt\n");
    for number in 0..6 {
        let host = format!("spoke{number}.example");
        let redirecting =
            Behaviour::default().path(ROBOTS, Answer::redirect("https://hub.example/shared.txt"));
        web = web.site(&host).behaviour(redirecting);
    }
    let stage = Stage::new(web).await;
    assert_eq!(stage.crawl().await.visits, 7);
    let asked = stage.web.requests_of("hub.example");
    let shared = asked.iter().filter(|it| it.path == "/shared.txt").count();
    assert_eq!(shared, 1);
    for number in 0..6 {
        let asked = stage.web.requests_of(&format!("spoke{number}.example"));
        assert!(asked.len() > 2, "spoke{number}");
        assert!(asked.iter().all(|it| it.path != "/agents.txt"));
    }
}

/// P35: a `Retry-After` binds its host whichever site redirects there, and does not bind that site.
#[tokio::test]
async fn p35_a_throttling_host_is_requested_once_whatever_redirects_there() {
    let tired = Answer::status(503).header("retry-after", "3600");
    let mut web = Simweb::builder()
        .site("hub.example")
        .behaviour(Behaviour::default().path("/*", tired));
    for number in 0..3 {
        let target = format!("https://hub.example/rules-{number}.txt");
        let redirecting = Behaviour::default().path(ROBOTS, Answer::redirect(&target));
        web = web
            .site(&format!("spoke{number}.example"))
            .behaviour(redirecting);
    }
    let mut stage = Stage::new(web).await;
    stage.seeds.retain(|seed| !seed.starts_with("hub."));
    stage.delay = 50;
    assert_eq!(stage.crawl().await.visits, 3);
    let found = judge(&Log::of(&stage.web), &derived::terms(50, 0));
    let found: Vec<_> = found.into_iter().filter(|it| it.rule == "P35").collect();
    assert!(found.is_empty(), "{}", summary(&found));
    assert_eq!(stage.web.requests_of("hub.example").len(), 1);
    let store = stage.store().await;
    for number in 0..3 {
        let domain = pipeline::domain(&format!("spoke{number}.example"));
        let site = store.site(&domain).await.unwrap().unwrap();
        let wait = site.due.since(site.last_visit.unwrap());
        assert!(wait < Duration::from_hours(2), "{wait:?}");
    }
}
