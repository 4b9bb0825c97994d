//! Tests of hidden agents, of the public log and of reports.

use crate::cast::{NOON, domain, found, lease, minutes, read, seeds, visit};
use manifest::AgentId;
use store::{
    Exclusion, ExclusionSource, ModerationAction, Operation, Outcome, ProblemReport, ReportAnswer,
    ReportKind, ReportSelection, RobotsState, Scope, Store, Target,
};

on_every_database!(
    a_hidden_agent_is_in_no_list_until_it_is_shown,
    a_hidden_domain_stays_hidden_when_it_is_read_again,
    an_agent_that_its_domain_hides_is_not_shown_alone,
    a_tombstone_has_the_newest_reason_for_which_its_agent_is_hidden,
    exclusions_are_in_the_public_log,
    p04_an_opt_out_in_robots_txt_is_in_effect_with_its_visit,
    the_log_is_read_in_pages,
    reports_are_kept_until_they_are_closed,
    a_network_has_one_open_report_of_a_target_and_so_many_a_day,
    reports_are_closed_together,
);

fn target(text: &str) -> Target {
    Target::parse(text).unwrap()
}

/// Finds and reads documents of a domain.
async fn listed(store: &dyn Store, name: &str, bodies: &[(&str, &str)]) {
    store.add_seeds(&seeds(&[name]), false, NOON).await.unwrap();
    found(store, name, bodies, NOON).await;
    read_all(store).await;
}

async fn read_all(store: &dyn Store) {
    for unread in store.unread_domains(10).await.unwrap() {
        let readings = read(store, unread).await;
        store.replace_agents(&readings, NOON).await.unwrap();
    }
}

async fn shown(store: &dyn Store) -> Vec<String> {
    let agents = store.agents(None, 100).await.unwrap();
    agents
        .iter()
        .map(|it| it.listing.id.as_str().to_owned())
        .collect()
}

async fn operations(store: &dyn Store, since: u64) -> Vec<(Operation, String)> {
    let changes = store.changes(since, 100).await.unwrap();
    let changes = changes.iter();
    changes
        .map(|it| (it.op, it.agent.as_str().to_owned()))
        .collect()
}

async fn actions(store: &dyn Store) -> Vec<(ModerationAction, String, String, ExclusionSource)> {
    let log = store.moderation_log(None, 100).await.unwrap();
    let log = log.into_iter().rev();
    log.map(|it| (it.action, it.target, it.reason, it.source))
        .collect()
}

async fn a_hidden_agent_is_in_no_list_until_it_is_shown(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha"), ("/b", "beta")]).await;
    let all = shown(store).await;
    let first = target(&all[0]);
    let hidden = store.hide(&first, "spam", minutes(1)).await.unwrap();
    assert_eq!((hidden.is_new, hidden.agents), (true, 1));
    assert_eq!(shown(store).await, all[1..]);
    let ids = store.agents(None, 9).await.unwrap();
    assert_eq!(ids.len(), 1);
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!((site.agents.len(), site.documents.len()), (1, 2));
    assert_eq!(
        (&*site.hidden[0].target, &*site.hidden[0].reason),
        (&*all[0], "spam")
    );
    assert_eq!(store.stats(NOON).await.unwrap().agents, 1);
    let again = store.hide(&first, "scam", minutes(2)).await.unwrap();
    assert_eq!((again.is_new, again.agents), (false, 0));
    let shown_again = store.show(&first, "mended", minutes(3)).await.unwrap();
    assert_eq!((shown_again.is_new, shown_again.agents), (true, 1));
    assert!(!store.show(&first, "x", minutes(3)).await.unwrap().is_new);
    assert_eq!(shown(store).await, all);
    let expected = [
        (Operation::Remove, all[0].clone()),
        (Operation::Restore, all[0].clone()),
    ];
    assert_eq!(operations(store, 2).await, expected);
    let words: Vec<_> = actions(store).await;
    let words: Vec<_> = words.iter().map(|it| (it.0, it.2.as_str())).collect();
    let expected = [
        (ModerationAction::Hide, "spam"),
        (ModerationAction::Hide, "scam"),
        (ModerationAction::Show, "mended"),
    ];
    assert_eq!(words, expected);
}

async fn a_hidden_domain_stays_hidden_when_it_is_read_again(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha")]).await;
    let whole = target("a.example");
    assert_eq!(store.hide(&whole, "spam", NOON).await.unwrap().agents, 1);
    let seq = store.last_change().await.unwrap();
    // Another document, another agent.
    found(
        store,
        "a.example",
        &[("/a", "alpha"), ("/b", "beta")],
        minutes(200_000),
    )
    .await;
    store.mark_all_unread().await.unwrap();
    read_all(store).await;
    assert_eq!(operations(store, seq).await, []);
    listed(store, "ab.example", &[("/a", "other")]).await;
    assert_eq!(shown(store).await, ["ab.example/other"]);
    let stats = store.stats(NOON).await.unwrap();
    assert_eq!(stats.agents, 1);
    assert_eq!(store.show(&whole, "mended", NOON).await.unwrap().agents, 2);
    assert_eq!(shown(store).await.len(), 3);
}

async fn an_agent_that_its_domain_hides_is_not_shown_alone(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha")]).await;
    let one = target(&shown(store).await[0]);
    store.hide(&one, "spam", NOON).await.unwrap();
    let whole = target("a.example");
    assert_eq!(store.hide(&whole, "spam", NOON).await.unwrap().agents, 0);
    assert_eq!(store.show(&one, "mended", NOON).await.unwrap().agents, 0);
    assert_eq!(shown(store).await, [""; 0]);
    let seq = store.last_change().await.unwrap();
    // A hidden agent was removed from the feed once.
    let exclusion = Exclusion {
        scope: Scope::domain(&domain("a.example")),
        reason: "gone".to_owned(),
        source: ExclusionSource::Operator,
        since: NOON,
    };
    assert_eq!(store.exclude(&exclusion, NOON).await.unwrap().agents, 1);
    assert_eq!(operations(store, seq).await, []);
}

async fn a_tombstone_has_the_newest_reason_for_which_its_agent_is_hidden(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha"), ("/b", "beta")]).await;
    let all = shown(store).await;
    let (one, whole) = (target(&all[0]), target("a.example"));
    let reason = async |id: &str| {
        let tombstone = store
            .tombstone(&AgentId::new(
                &domain("a.example"),
                id.rsplit('/').next().unwrap(),
            ))
            .await;
        let tombstone = tombstone.unwrap().unwrap();
        assert_eq!(tombstone.at, minutes(1), "the time of the removal");
        tombstone.reason
    };
    store.hide(&one, "spam", minutes(1)).await.unwrap();
    store.hide(&one, "scam", minutes(2)).await.unwrap();
    assert_eq!(reason(&all[0]).await, "hidden: scam");
    store.hide(&whole, "fraud", minutes(1)).await.unwrap();
    assert_eq!(reason(&all[0]).await, "hidden: fraud");
    assert_eq!(reason(&all[1]).await, "hidden: fraud");
    store
        .hide(&whole, "proven fraud", minutes(3))
        .await
        .unwrap();
    assert_eq!(reason(&all[1]).await, "hidden: proven fraud");
    // What the agent itself is hidden for holds on.
    store.show(&whole, "a mistake", minutes(4)).await.unwrap();
    assert_eq!(reason(&all[0]).await, "hidden: scam");
    assert_eq!(shown(store).await, all[1..]);
}

async fn exclusions_are_in_the_public_log(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha")]).await;
    let of = |scope: Scope, source| Exclusion {
        scope,
        reason: "why".to_owned(),
        source,
        since: NOON,
    };
    let owner = of(Scope::domain(&domain("a.example")), ExclusionSource::Owner);
    let operator = of(
        Scope::suffix("b.example").unwrap(),
        ExclusionSource::Operator,
    );
    for exclusion in [&owner, &operator, &operator] {
        store.exclude(exclusion, NOON).await.unwrap();
    }
    for exclusion in [&owner, &operator] {
        store.include(&exclusion.scope, "over", NOON).await.unwrap();
    }
    let entry = |action, target: &str, reason: &str, source| {
        (action, target.to_owned(), reason.to_owned(), source)
    };
    let (by_owner, by_operator) = (ExclusionSource::Owner, ExclusionSource::Operator);
    let expected = [
        entry(ModerationAction::OptOut, "a.example", "why", by_owner),
        entry(ModerationAction::Block, "*.b.example", "why", by_operator),
        entry(ModerationAction::Restore, "a.example", "over", by_owner),
        entry(
            ModerationAction::Unblock,
            "*.b.example",
            "over",
            by_operator,
        ),
    ];
    assert_eq!(actions(store).await, expected);
    // Its agents are restored, not new.
    listed(store, "a.example", &[("/a", "alpha")]).await;
    let last = operations(store, 1).await;
    assert_eq!(
        (last[0].0, last[1].0),
        (Operation::OptOut, Operation::Restore)
    );
}

async fn p04_an_opt_out_in_robots_txt_is_in_effect_with_its_visit(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha")]).await;
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    let hash = site.documents[0].hash.clone();
    let (mut at, mut expected) = (minutes(200_000), Vec::new());
    for (outcome, is_token_refused, action, source) in [
        (
            Outcome::OptedOut,
            true,
            Some(ModerationAction::OptOut),
            ExclusionSource::Robots,
        ),
        (Outcome::OptedOut, true, None, ExclusionSource::Robots),
        (Outcome::Down, false, None, ExclusionSource::Robots),
        (
            Outcome::Empty,
            false,
            Some(ModerationAction::Restore),
            ExclusionSource::Robots,
        ),
        (
            Outcome::OptedOut,
            false,
            Some(ModerationAction::OptOut),
            ExclusionSource::ContentSignal,
        ),
    ] {
        let mut visit = visit(lease(store, "a.example", at).await, at);
        visit.outcome = outcome;
        visit.robots = Some(RobotsState {
            is_token_refused,
            ..RobotsState::default()
        });
        store.record_visits(&[visit]).await.unwrap();
        expected.extend(action.map(|action| (action, source)));
        at = minutes((at.0 - NOON.0) / 60_000 + 200_000);
    }
    let log = actions(store).await;
    let log: Vec<_> = log.iter().map(|it| (it.0, it.3)).collect();
    assert_eq!(log, expected);
    assert_eq!(shown(store).await, [""; 0]);
    assert_eq!(store.blob(&hash).await.unwrap(), None);
    let removed: Vec<_> = operations(store, 1).await;
    assert_eq!(removed[0].0, Operation::OptOut);
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert!(site.documents.is_empty() && site.agents.is_empty());
}

async fn the_log_is_read_in_pages(store: &dyn Store) {
    for number in 0..5 {
        let target = target(&format!("h{number}.example"));
        store.hide(&target, "spam", NOON).await.unwrap();
    }
    let mut before = None;
    let mut read = Vec::new();
    loop {
        let page = store.moderation_log(before, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        read.extend(page.into_iter().map(|it| it.target));
    }
    let expected = [4, 3, 2, 1, 0].map(|number| format!("h{number}.example"));
    assert_eq!(read, expected);
}

fn report(number: i64, target: &str, network: &str) -> ProblemReport {
    ProblemReport {
        id: format!("r{number}"),
        at: minutes(number),
        target: target.to_owned(),
        kind: ReportKind::Spam,
        text: "it sells".to_owned(),
        network: Some(network.to_owned()),
    }
}

async fn filed(store: &dyn Store, report: &ProblemReport) -> ReportAnswer {
    store.report(report).await.unwrap()
}

async fn closed(store: &dyn Store, selection: ReportSelection) -> Vec<String> {
    let closing = store.close_reports(&selection, "looked into", NOON).await;
    let mut targets = closing.unwrap();
    targets.sort();
    targets
}

async fn reports_are_kept_until_they_are_closed(store: &dyn Store) {
    let target = "a.example/alpha";
    let most = i64::from(ProblemReport::MAX_OF_TARGET);
    let report = |number: i64| report(number, target, &number.to_string());
    for number in (0..most).rev() {
        assert_eq!(filed(store, &report(number)).await, ReportAnswer::Stored);
    }
    assert_eq!(filed(store, &report(most)).await, ReportAnswer::TooMany);
    let open = store.reports(100).await.unwrap();
    assert_eq!(open, (0..most).map(report).collect::<Vec<_>>());
    let one = || ReportSelection::Ids(vec!["r1".to_owned()]);
    assert_eq!(closed(store, one()).await, [target]);
    assert_eq!(closed(store, one()).await, [""; 0]);
    assert_eq!(store.reports(100).await.unwrap().len(), open.len() - 1);
    assert_eq!(filed(store, &report(most)).await, ReportAnswer::Stored);
    let log = actions(store).await;
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].0, ModerationAction::ReportClosed);
    assert_eq!((&*log[0].1, &*log[0].2), (target, "looked into"));
}

async fn a_network_has_one_open_report_of_a_target_and_so_many_a_day(store: &dyn Store) {
    let day = 24 * 60;
    let first = report(0, "t0.example", "n");
    assert_eq!(filed(store, &first).await, ReportAnswer::Stored);
    let again = filed(store, &report(1, "t0.example", "n")).await;
    assert_eq!(again, ReportAnswer::Again(minutes(day)));
    let other = filed(store, &report(2, "t0.example", "m")).await;
    assert_eq!(other, ReportAnswer::Stored);
    for number in 3..2 + i64::from(ProblemReport::MAX_OF_NETWORK) {
        let report = report(number, &format!("t{number}.example"), "n");
        assert_eq!(filed(store, &report).await, ReportAnswer::Stored);
    }
    let more = filed(store, &report(100, "t100.example", "n")).await;
    assert_eq!(more, ReportAnswer::TooManyOfNetwork(minutes(day)));
    let tomorrow = filed(store, &report(day, "t0.example", "n")).await;
    assert_eq!(tomorrow, ReportAnswer::Stored);
}

async fn reports_are_closed_together(store: &dyn Store) {
    for (number, target, network) in [
        (0, "a.example", "ab01"),
        (1, "a.example/alpha", "ab01"),
        (2, "a.example/alpha", "cd02"),
        (3, "ab.example", "cd02"),
        (4, "b.example", "ab01"),
        (5, "c.example", "ab99"),
    ] {
        let report = report(number, target, network);
        assert_eq!(filed(store, &report).await, ReportAnswer::Stored);
    }
    let of_site = ReportSelection::Target(target("a.example"));
    let all = ["a.example", "a.example/alpha", "a.example/alpha"];
    assert_eq!(closed(store, of_site).await, all);
    assert_eq!(actions(store).await.len(), 2, "one entry for each target");
    let of_network = |hash: &str| ReportSelection::Network(hash.to_owned());
    assert_eq!(closed(store, of_network("ab01")).await, ["b.example"]);
    assert_eq!(closed(store, of_network("ab")).await, ["c.example"]);
    let open = store.reports(10).await.unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].target, "ab.example");
}
