//! A crawler that is killed loses nothing that was recorded, and does nothing twice.

use crate::support;
use crate::support::line::{self, Line};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SITES: usize = 24;

/// A web in which every third site has an agent, and some are slow.
async fn web() -> simweb::Simweb {
    let mut builder = simweb::Simweb::builder();
    for number in 0..SITES {
        builder = builder.site(&format!("site-{number}.example"));
        if number % 3 == 0 {
            let card = serde_json::json!({
                "protocolVersion": "0.3.0", "name": format!("Clerk {number}"),
                "description": "Answers letters", "version": "1.0.0",
                "url": format!("https://site-{number}.example/a2a"),
                "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
                "skills": [{"id": "answer", "name": "Answer", "description": "Answers a letter", "tags": ["mail"]}],
            });
            builder = builder.file("/.well-known/agent-card.json", card.to_string());
        }
        if number % 4 == 0 {
            builder = builder.file("/robots.txt", "User-agent: *\nDisallow: /agent.json\n");
        }
    }
    builder.start().await.unwrap()
}

/// What a store says came of a crawl: outcome and agents of each domain.
async fn result(line: &Line) -> BTreeMap<String, (Option<store::Outcome>, Vec<String>)> {
    let store = line.store().await;
    let mut result = BTreeMap::new();
    for host in line.web.hosts() {
        let site = store.site(&line::domain(&host)).await.unwrap().unwrap();
        let agents = site
            .agents
            .iter()
            .map(|agent| agent.listing.id.to_string())
            .collect();
        assert!(
            site.visits.len() <= 1,
            "{host} has {} recorded visits",
            site.visits.len()
        );
        result.insert(host, (site.last_outcome, agents));
    }
    result
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_and_started_again_it_ends_as_if_undisturbed() {
    const DELAY_MS: u64 = 200;
    let delay = DELAY_MS.to_string();

    let undisturbed = Line::new(web().await);
    assert_eq!(undisturbed.crawl(&["--delay", &delay]).code, Some(0));
    assert_eq!(undisturbed.index().code, Some(0));
    let expected = result(&undisturbed).await;
    assert_eq!(
        expected
            .values()
            .filter(|(_, agents)| !agents.is_empty())
            .count(),
        SITES / 3
    );

    for kill_after_ms in [40, 300, 900, 1_700, 2_300] {
        let line = Line::new(web().await);
        let log = std::fs::File::create(line.folder.path().join("killed.log")).unwrap();
        let mut child = Command::new(support::binary("crawler"))
            .args(line.crawl_arguments())
            .args(["--delay", &delay])
            .current_dir(line.folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(kill_after_ms)
            && child.try_wait().unwrap().is_none()
        {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let recorded_before = recorded(&line).await;
        let requests_before: BTreeMap<String, usize> = line
            .web
            .hosts()
            .into_iter()
            .map(|host| (host.clone(), line.web.requests_of(&host).len()))
            .collect();

        let again = line.crawl(&["--delay", &delay]);
        assert_eq!(again.code, Some(0), "{}", again.output);
        assert_eq!(line.index().code, Some(0));
        assert_eq!(
            result(&line).await,
            expected,
            "killed after {kill_after_ms} ms"
        );

        for host in line.web.hosts() {
            let requests = line.web.requests_of(&host);
            // A recorded visit is not made again.
            if recorded_before.contains(&host) {
                assert_eq!(
                    requests.len(),
                    requests_before[&host],
                    "{host} was visited again"
                );
            }
            // The pause between two requests holds across the restart.
            for pair in requests.windows(2) {
                let gap = pair[1].unix_ms.saturating_sub(pair[0].unix_ms);
                assert!(
                    gap + 20 >= DELAY_MS,
                    "{host}: {gap} ms between {} and {}",
                    pair[0].path,
                    pair[1].path
                );
            }
        }
    }
}

/// The hosts whose visit was recorded before the crawler died.
async fn recorded(line: &Line) -> Vec<String> {
    if !line.folder.path().join("agentdex.db").exists() {
        return Vec::new();
    }
    let store = line.store().await;
    let mut hosts = Vec::new();
    for host in line.web.hosts() {
        let site = store.site(&line::domain(&host)).await.unwrap();
        if site.is_some_and(|site| !site.visits.is_empty()) {
            hosts.push(host);
        }
    }
    hosts
}
