//! Agents and the change log.

use crate::cast::{NOON, document, domain, found, lease, minutes, reading, seeds, visit};
use manifest::AgentId;
use store::{AgentStatus, Change, Operation, Outcome, Store, Target};

on_every_database!(
    a_new_agent_is_listed_and_logged,
    an_agent_is_seen_when_its_documents_are_fetched,
    a_second_reading_of_the_same_changes_nothing,
    an_agent_that_changed_is_logged_with_both_hashes,
    a_change_of_layout_changes_no_agent,
    a_removed_agent_is_logged_with_the_reason,
    the_change_log_has_no_gaps,
    a_reading_of_an_old_revision_changes_nothing,
    a_reading_of_an_unknown_domain_changes_nothing,
    marking_all_domains_unread_reads_everything_again,
    the_longest_waiting_domain_is_read_first,
    agents_are_listed_in_order_of_id,
    agents_are_returned_in_the_requested_order,
    the_status_follows_the_last_visit,
    a_site_shows_the_findings_on_its_documents,
    everything_is_counted,
);

/// Visits a domain, finds these documents and reads them.
pub(crate) async fn read(
    store: &dyn Store,
    name: &str,
    bodies: &[(&str, &str)],
    minute: i64,
) -> Vec<Change> {
    let now = minutes(minute);
    store.add_seeds(&seeds(&[name]), false, now).await.unwrap();
    found(store, name, bodies, now).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, now).await.unwrap()
}

fn id(name: &str, slug: &str) -> AgentId {
    AgentId::new(&domain(name), slug)
}

async fn a_new_agent_is_listed_and_logged(store: &dyn Store) {
    let changes = read(store, "a.example", &[("/a", "alpha"), ("/b", "beta")], 1).await;
    let agents = store.agents(None, 10).await.unwrap();
    assert_eq!(agents.len(), 2);
    let agent = &agents[0];
    assert_eq!(agent.listing.id, id("a.example", "alpha"));
    assert_eq!(agent.domain, domain("a.example"));
    assert_eq!((agent.first_seen, agent.changed), (minutes(1), minutes(1)));
    assert_eq!(agent.last_seen, minutes(1));
    assert_eq!(
        changes[0],
        Change {
            seq: 1,
            hash: Some(agent.hash.clone()),
            ..Change::new(Operation::Add, id("a.example", "alpha"), "", minutes(1))
        }
    );
    assert_eq!(store.changes(0, 10).await.unwrap(), changes);
}

async fn an_agent_is_seen_when_its_documents_are_fetched(store: &dyn Store) {
    let seeds = seeds(&["a.example"]);
    store.add_seeds(&seeds, false, NOON).await.unwrap();
    found(store, "a.example", &[("/a", "alpha")], minutes(1)).await;
    let readings = reading(store).await;
    // The indexer comes later than the crawler, and may have had another clock.
    store.replace_agents(&readings, minutes(5)).await.unwrap();
    let times = async || {
        let agent = store.agents(None, 1).await.unwrap().remove(0);
        [agent.first_seen, agent.last_seen, agent.changed]
    };
    assert_eq!(times().await, [minutes(1), minutes(1), minutes(5)]);
    let mut second = visit(lease(store, "a.example", minutes(200)).await, minutes(200));
    second.outcome = Outcome::Found;
    second.documents = vec![document("a.example", "/a", "alpha ", NOON)];
    store.record_visits(&[second]).await.unwrap();
    let readings = reading(store).await;
    store.replace_agents(&readings, minutes(201)).await.unwrap();
    let [first, last, _] = times().await;
    assert_eq!([first, last], [minutes(1), minutes(1)]);
}

async fn a_second_reading_of_the_same_changes_nothing(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    store.mark_all_unread().await.unwrap();
    let readings = reading(store).await;
    let changes = store.replace_agents(&readings, minutes(5)).await.unwrap();
    assert_eq!(changes, []);
    let agents = store.agents(None, 10).await.unwrap();
    assert_eq!(agents[0].changed, NOON);
    assert_eq!(agents[0].listing, readings.listings[0]);
}

async fn an_agent_that_changed_is_logged_with_both_hashes(store: &dyn Store) {
    let added = read(store, "a.example", &[("/a", "alpha")], 0).await;
    store.mark_all_unread().await.unwrap();
    let mut readings = reading(store).await;
    let agent = &mut readings.listings[0].agent;
    agent.description = Some("greets".to_owned());
    agent.capabilities.clear();
    let changes = store.replace_agents(&readings, minutes(5)).await.unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].seq, changes[0].op), (2, Operation::Update));
    assert_eq!(changes[0].previous_hash, added[0].hash);
    assert_ne!(changes[0].hash, added[0].hash);
    let agents = store.agents(None, 10).await.unwrap();
    assert_eq!(agents[0].listing, readings.listings[0]);
    assert_eq!(
        (agents[0].first_seen, agents[0].changed),
        (NOON, minutes(5))
    );
    assert_eq!(store.stats(NOON).await.unwrap().capabilities, 0);
}

async fn a_change_of_layout_changes_no_agent(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let changes = read(store, "a.example", &[("/a", "alpha  ")], 90).await;
    assert_eq!(changes, []);
    let agent = store.agents(None, 10).await.unwrap().remove(0);
    assert_eq!((agent.changed, agent.last_seen), (NOON, minutes(90)));
    let hash = &agent.listing.sources[0].hash;
    assert_eq!(store.blob(hash).await.unwrap(), Some(b"alpha  ".to_vec()));
}

async fn a_removed_agent_is_logged_with_the_reason(store: &dyn Store) {
    let added = read(store, "a.example", &[("/a", "alpha"), ("/b", "beta")], 0).await;
    store.mark_all_unread().await.unwrap();
    let mut readings = reading(store).await;
    readings.listings.remove(0);
    let changes = store.replace_agents(&readings, minutes(90)).await.unwrap();
    let removal = Change {
        seq: 3,
        previous_hash: added[0].hash.clone(),
        ..Change::new(
            Operation::Remove,
            id("a.example", "alpha"),
            "no longer published",
            minutes(90),
        )
    };
    assert_eq!(changes, [removal]);
    assert_eq!(store.agents(None, 10).await.unwrap().len(), 1);
}

async fn the_change_log_has_no_gaps(store: &dyn Store) {
    assert_eq!(store.last_change().await.unwrap(), 0);
    for (minute, body) in (0..).zip(["alpha", "beta", "gamma"]) {
        read(store, "a.example", &[("/a", body)], 90 * minute).await;
    }
    let changes = store.changes(0, 100).await.unwrap();
    let numbers: Vec<u64> = changes.iter().map(|change| change.seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(store.last_change().await.unwrap(), 5);
    assert_eq!(store.changes(2, 2).await.unwrap(), changes[2..4]);
    assert_eq!(store.changes(5, 2).await.unwrap(), []);
}

async fn a_reading_of_an_old_revision_changes_nothing(store: &dyn Store) {
    let name = "a.example";
    store.add_seeds(&seeds(&[name]), false, NOON).await.unwrap();
    found(store, name, &[("/a", "alpha")], NOON).await;
    let old = reading(store).await;
    found(store, name, &[("/a", "beta")], minutes(90)).await;
    assert_eq!(store.replace_agents(&old, minutes(91)).await.unwrap(), []);
    assert_eq!(store.agents(None, 10).await.unwrap(), []);

    let fresh = reading(store).await;
    store.replace_agents(&fresh, minutes(92)).await.unwrap();
    let agents = store.agents(None, 10).await.unwrap();
    assert_eq!(agents[0].listing.id, id(name, "beta"));
    assert_eq!(store.unread_domains(10).await.unwrap(), []);
}

async fn a_reading_of_an_unknown_domain_changes_nothing(store: &dyn Store) {
    let name = "a.example";
    store.add_seeds(&seeds(&[name]), false, NOON).await.unwrap();
    found(store, name, &[("/a", "alpha")], NOON).await;
    let mut readings = reading(store).await;
    readings.unread.domain = domain("b.example");
    assert_eq!(store.replace_agents(&readings, NOON).await.unwrap(), []);
    assert_eq!(store.agents(None, 10).await.unwrap(), []);
}

async fn marking_all_domains_unread_reads_everything_again(store: &dyn Store) {
    assert_eq!(store.mark_all_unread().await.unwrap(), 0);
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let empty = seeds(&["b.example"]);
    store.add_seeds(&empty, false, NOON).await.unwrap();
    assert_eq!(store.mark_all_unread().await.unwrap(), 1);
    let unread = store.unread_domains(10).await.unwrap();
    assert_eq!(unread[0].domain, domain("a.example"));
}

async fn the_longest_waiting_domain_is_read_first(store: &dyn Store) {
    for (minute, name) in [(1, "b.example"), (2, "c.example"), (3, "a.example")] {
        let now = minutes(minute);
        store.add_seeds(&seeds(&[name]), false, now).await.unwrap();
        found(store, name, &[("/a", "alpha")], now).await;
    }
    let unread = store.unread_domains(2).await.unwrap();
    let names: Vec<&str> = unread.iter().map(|it| it.domain.as_str()).collect();
    assert_eq!(names, ["b.example", "c.example"]);
}

async fn agents_are_listed_in_order_of_id(store: &dyn Store) {
    read(store, "b.example", &[("/a", "beta"), ("/b", "alpha")], 0).await;
    read(store, "a.example", &[("/a", "gamma")], 1).await;
    let first = store.agents(None, 2).await.unwrap();
    let ids: Vec<_> = first.iter().map(|it| it.listing.id.clone()).collect();
    assert_eq!(ids, [id("a.example", "gamma"), id("b.example", "alpha")]);
    let rest = store.agents(Some(&ids[1]), 2).await.unwrap();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].listing.id, id("b.example", "beta"));
}

async fn agents_are_returned_in_the_requested_order(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha"), ("/b", "beta")], 0).await;
    let wanted = [
        id("a.example", "beta"),
        id("a.example", "absent"),
        id("a.example", "alpha"),
    ];
    let agents = store.agents_by_id(&wanted).await.unwrap();
    let ids: Vec<_> = agents.iter().map(|it| it.listing.id.clone()).collect();
    assert_eq!(ids, [wanted[0].clone(), wanted[2].clone()]);
    assert_eq!(store.agents_by_id(&[]).await.unwrap(), []);
    let listed = store.listed_agents(0, 10).await.unwrap();
    let ids: Vec<_> = listed.iter().map(|it| it.id.clone()).collect();
    assert_eq!(ids, [wanted[2].clone(), wanted[0].clone()]);
    assert_eq!(listed[0].changed, agents[1].changed);
    assert_eq!(store.listed_agents(1, 10).await.unwrap(), listed[1..]);
    assert_eq!(store.listed_agents(0, 1).await.unwrap(), listed[..1]);
    let target = Target::parse("a.example/alpha").unwrap();
    store.hide(&target, "spam", minutes(1)).await.unwrap();
    assert_eq!(store.listed_agents(0, 10).await.unwrap(), listed[1..]);
}

async fn the_status_follows_the_last_visit(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let cases = [
        (Outcome::Down, AgentStatus::Failing),
        (Outcome::Found, AgentStatus::Ok),
        (Outcome::Throttled, AgentStatus::Failing),
        (Outcome::RobotsDisallow, AgentStatus::Unknown),
    ];
    for (round, (outcome, status)) in (1..).zip(cases) {
        let now = minutes(90 * round);
        let mut visit = visit(lease(store, "a.example", now).await, now);
        visit.outcome = outcome;
        store.record_visits(&[visit]).await.unwrap();
        let agents = store.agents(None, 10).await.unwrap();
        assert_eq!(agents[0].status, status, "after {}", outcome.as_str());
    }
}

async fn a_site_shows_the_findings_on_its_documents(store: &dyn Store) {
    let name = "a.example";
    store.add_seeds(&seeds(&[name]), false, NOON).await.unwrap();
    found(store, name, &[("/a", "alpha")], NOON).await;
    let site = store.site(&domain(name)).await.unwrap().unwrap();
    assert_eq!(
        (&site.documents[0].format, site.documents[0].level),
        (&None, None)
    );

    let readings = reading(store).await;
    store.replace_agents(&readings, minutes(1)).await.unwrap();
    let site = store.site(&domain(name)).await.unwrap().unwrap();
    let (document, reading) = (&site.documents[0], &readings.documents[0]);
    assert_eq!(document.format.as_deref(), Some(reading.format.as_str()));
    assert_eq!(document.generation, reading.generation);
    assert_eq!(document.level, Some(reading.level));
    assert_eq!(document.findings, reading.findings);
    assert_eq!(document.mentions, reading.mentions);
    assert_eq!(document.bytes, 5);
    assert_eq!(site.agents, store.agents(None, 10).await.unwrap());
}

async fn everything_is_counted(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha"), ("/b", "beta")], 0).await;
    let more = seeds(&["b.example", "c.example", "d.example"]);
    store.add_seeds(&more, false, NOON).await.unwrap();
    let leases = store.lease_domains(NOON, minutes(5), 2).await.unwrap();
    let mut down = visit(leases[0].clone(), NOON);
    down.outcome = Outcome::Down;
    store.record_visits(&[down]).await.unwrap();

    let stats = store.stats(NOON).await.unwrap();
    assert_eq!((stats.domains, stats.due, stats.leased), (4, 1, 1));
    assert_eq!(stats.outcomes["found"], 1);
    assert_eq!(stats.outcomes["down"], 1);
    assert_eq!(stats.formats["profile"], 2);
    assert_eq!(stats.levels["C"], 2);
    assert_eq!(stats.graded["profile"]["C"], 2);
    assert_eq!((stats.agents, stats.capabilities, stats.sites), (2, 2, 1));
    assert_eq!(stats.findings["GP-03"], 2);
    assert_eq!(stats.last_change, 2);
}
