//! A week of an owner, on the simulated web: after each step, page, API, badge and feed tell the truth at the
//! next request, and what they say of requests is what the servers received.

use crate::support::living::{Living, card};
use crate::support::wait::{until, value_within};
use crate::support::{USUAL_TIME, http};
use crawler::probes;
use manifest::Domain;
use serde_json::{Value, json};
use simweb::{Answer, Behaviour, Simweb};
use std::time::Duration;

const HOST: &str = "ferry.example";
const CARD: &str = "/.well-known/agent-card.json";
const OLD: &str = "/agent/ferry.example/ferry-desk";
const NEW: &str = "/agent/ferry.example/crossing-desk";

/// Registry, and the site of the owner.
struct Week {
    living: Living,
}

/// Statements of the registry on the site, each of which is looked for in its answer.
struct Truth<'t> {
    /// Number of agents.
    agents: usize,
    /// Begin of the message of the badge.
    badge: &'t str,
    /// Text of the hub.
    hub: &'t str,
    /// Texts of the page of the site.
    page: &'t [&'t str],
    /// Text of the newest entry of the feed.
    feed: &'t str,
}

const LISTED: Truth<'_> = Truth {
    agents: 1,
    badge: "listed · manifest",
    hub: "ferry.example is listed",
    page: &["Ferry desk", "Listed, 1 agent"],
    feed: "Ferry desk",
};

impl Week {
    async fn get(&self, path: &str) -> http::Answer {
        http::get(&format!("{}{path}", self.living.server.url)).await
    }

    /// Has the schedule visit the site, and waits until what was found is read.
    async fn visit(&self) {
        let store = &self.living.store;
        let domain = Domain::parse(HOST).unwrap();
        let before = store.site(&domain).await.unwrap().unwrap();
        let later = before
            .last_visit
            .unwrap()
            .after(Duration::from_hours(24 * 365));
        self.living.pipeline.web.forget();
        let leases = store.lease_domains(later, later, 100).await.unwrap();
        let due: Vec<_> = leases
            .into_iter()
            .map(|it| (it, before.last_visit.unwrap()))
            .collect();
        store.postpone_leases(&due).await.unwrap();
        until("the site is visited and read", async || {
            let site = store.site(&domain).await.unwrap().unwrap();
            let is_read = site.documents.iter().all(|it| it.format.is_some());
            site.last_visit > before.last_visit && is_read && self.is_read().await
        })
        .await;
    }

    /// Reports whether the indexer has read what was found.
    async fn is_read(&self) -> bool {
        let domain = Domain::parse(HOST).unwrap();
        let mark = self.living.store.site_mark(&domain).await.unwrap();
        mark.is_some_and(|it| !it.is_unread)
    }

    /// Asserts what every answer says, at the next request.
    async fn tells(&self, truth: &Truth<'_>) {
        let api = self.get(&format!("/api/v1/sites/{HOST}")).await.json();
        let agents = api["agents"].as_array().unwrap();
        assert_eq!(agents.len(), truth.agents, "{api}");
        let badge = self.get(&format!("/site/{HOST}/badge.json")).await.json();
        let message = badge["message"].as_str().unwrap();
        assert!(message.starts_with(truth.badge), "{message}");
        let picture = self.get(&format!("/site/{HOST}/badge.svg")).await;
        assert!(picture.text.contains(message), "{}", picture.text);
        let hub = self.get(&format!("/owners?domain={HOST}")).await;
        assert!(hub.text.contains(truth.hub), "{}", hub.text);
        let page = self.get(&format!("/site/{HOST}")).await;
        for text in truth.page {
            assert!(page.text.contains(text), "{text}\n{}", page.text);
        }
        let feed = self.get(&format!("/site/{HOST}/feed.atom")).await.text;
        let newest = feed.split("<entry>").nth(1).unwrap();
        assert!(newest.contains(truth.feed), "{}\n{newest}", truth.feed);
        self.says_what_was_sent(&api, &page.text);
    }

    /// Asserts that what is said of the requests of the last visit is what the server received.
    fn says_what_was_sent(&self, api: &Value, page: &str) {
        let visit = &api["visits"][0];
        let receipts = visit["receipts"].as_array().unwrap().iter();
        let receipts: Vec<_> = receipts
            .map(|it| {
                let url = url::Url::parse(it["url"].as_str().unwrap()).unwrap();
                let status = it["http_status"].as_u64().unwrap();
                (url.path().to_owned(), status)
            })
            .collect();
        let received = self.living.pipeline.web.requests_of(HOST).into_iter();
        let received: Vec<_> = received.map(|it| (it.path, u64::from(it.status))).collect();
        // The check of a token is no visit.
        let token = |(path, _): &(String, u64)| path == "/.well-known/agentdex-return.txt";
        let visit_begins = received.iter().rposition(token).map_or(0, |at| at + 1);
        let received = received[visit_begins..].to_vec();
        assert_eq!(receipts, received);
        assert_eq!(visit["requests"], received.len());
        for (path, _) in &received {
            assert!(page.contains(path), "{path}\n{page}");
        }
        let detail = visit["detail"].as_str().unwrap_or_default();
        if let Some((_, remaining)) = detail.split_once("or ten when a visit is asked for: ") {
            let remaining: Vec<_> = remaining.split(", ").collect();
            for probe in probes::ALL {
                let is_asked = received.iter().any(|(path, _)| path == probe.path);
                assert_ne!(
                    is_asked,
                    remaining.contains(&probe.path),
                    "{}: {detail}\n{received:?}",
                    probe.path
                );
            }
        }
        if let Some(refusal) = api["refusal"].as_object() {
            let url = url::Url::parse(refusal["url"].as_str().unwrap()).unwrap();
            let answer = (
                url.path().to_owned(),
                refusal["http_status"].as_u64().unwrap(),
            );
            assert_eq!(received.last(), Some(&answer));
        }
    }

    /// Asks for a visit at an address of the API, and returns its result.
    async fn asked_for(&self, path: &str, body: &Value) -> Value {
        self.living.pipeline.web.forget();
        let (status, accepted) = self.living.post(path, body).await;
        assert_eq!(status, 202, "{accepted}");
        let link = accepted["links"]["submission"].as_str().unwrap();
        value_within(USUAL_TIME, "the result of the visit", async || {
            let state = self.get(link).await.json();
            (state["state"] == "visited" && !state["after"].is_null()).then_some(state)
        })
        .await
    }

    /// Proves a request to leave or to return by a file, and waits until it is in effect.
    async fn proves(&self, action: &str) {
        let (_, begun) = self
            .living
            .post(&format!("/{action}"), &json!({ "domain": HOST }))
            .await;
        let content = begun["publish"]["file"]["content"].as_str().unwrap();
        let path = format!("/.well-known/agentdex-{action}.txt");
        self.living
            .pipeline
            .web
            .put(HOST, &path, content.to_owned())
            .unwrap();
        let state = begun["links"]["state"].as_str().unwrap();
        until(action, async || {
            self.get(state).await.json()["state"] == "verified"
        })
        .await;
    }
}

fn publish(week: &Week, body: impl Into<String>) {
    let web = &week.living.pipeline.web;
    web.put(HOST, CARD, body.into()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_week_of_an_owner() {
    let other = card("other.example", "Other desk", "Sells maps");
    let web = Simweb::builder()
        .site("other.example")
        .file(CARD, other)
        .site(HOST)
        .file(CARD, card(HOST, "Ferry desk", "Books a crossing"));
    let living = Living::of(web, Some(&["other.example"]), &[]).await;
    let week = Week { living };
    it_appears_breaks_and_is_mended(&week).await;
    it_is_renamed_and_refuses_us(&week).await;
    it_leaves_and_comes_back(&week).await;
}

async fn it_appears_breaks_and_is_mended(week: &Week) {
    // Monday: unknown, and submitted.
    let unknown = week.get(&format!("/owners?domain={HOST}")).await;
    assert!(unknown.text.contains("ferry.example isn’t listed yet"));
    let badge = week.get(&format!("/site/{HOST}/badge.json")).await.json();
    assert_eq!(badge["message"], "not listed yet");
    week.asked_for(
        "/submit",
        &json!({ "domain": format!("{HOST}:{}", week.living.pipeline.web.https_port()) }),
    )
    .await;
    week.tells(&LISTED).await;

    // Tuesday: the file breaks.
    publish(week, "{\"name\": \"Ferry desk\", \"skills\": [");
    week.visit().await;
    week.tells(&Truth {
        agents: 0,
        badge: "not listed · checked",
        hub: "ferry.example isn’t listed",
        page: &[
            "found no agent that can be listed",
            "agent-card.json, line 1",
        ],
        feed: "No longer listed",
    })
    .await;
    assert_eq!(week.get(OLD).await.status, 410);

    // Wednesday: it is mended, and the owner asks for a visit.
    publish(week, card(HOST, "Ferry desk", "Books a crossing"));
    let result = week
        .asked_for(&format!("/sites/{HOST}/recheck"), &json!({}))
        .await;
    assert_eq!(result["before"]["agents_total"], 0, "{result}");
    assert_eq!(result["after"]["agents_total"], 1, "{result}");
    week.tells(&LISTED).await;
    assert_eq!(week.get(OLD).await.status, 200);
}

async fn it_is_renamed_and_refuses_us(week: &Week) {
    // Thursday: it gets another name.
    publish(week, card(HOST, "Crossing desk", "Books a crossing"));
    week.visit().await;
    week.tells(&Truth {
        page: &["Crossing desk"],
        feed: "now listed as ferry.example/crossing-desk",
        ..LISTED
    })
    .await;
    let moved = week.get(OLD).await;
    assert!(
        moved.text.contains("Crossing desk"),
        "the old address leads to the new one"
    );

    // Friday: the edge refuses the crawler, whatever robots.txt says.
    let refusal = Answer::status(403).header("server", "cloudflare");
    let closed = Behaviour {
        all: refusal,
        ..Behaviour::default()
    };
    let closed = closed.path("/robots.txt", Answer::status(404));
    week.living.pipeline.web.behave(HOST, closed).unwrap();
    week.visit().await;
    let unconfirmed = Truth {
        agents: 1,
        badge: "listed · manifest A · not confirmed since",
        hub: "ferry.example is listed, but not confirmed",
        page: &["Crossing desk", "403", "cloudflare", "Admit requests whose"],
        feed: "Crossing desk",
    };
    week.tells(&unconfirmed).await;

    // Saturday: it is open again.
    week.living
        .pipeline
        .web
        .behave(HOST, Behaviour::default())
        .unwrap();
    week.visit().await;
    week.tells(&Truth {
        page: &["Crossing desk"],
        feed: "Crossing desk",
        ..LISTED
    })
    .await;
    let page = week.get(&format!("/site/{HOST}")).await;
    assert!(!page.text.contains("Admit requests whose"), "{}", page.text);
}

async fn it_leaves_and_comes_back(week: &Week) {
    // Sunday: it leaves, and comes back.
    week.proves("leave").await;
    for (path, text) in [
        (format!("/site/{HOST}"), "left"),
        (format!("/api/v1/sites/{HOST}"), "owner"),
        (format!("/owners?domain={HOST}"), "Return to the registry"),
        (format!("/site/{HOST}/badge.svg"), "left the registry"),
        (NEW.to_owned(), "left"),
    ] {
        let answer = week.get(&path).await;
        assert!(answer.text.contains(text), "{path}\n{}", answer.text);
    }
    let feed = week.get("/feed.atom").await.text;
    let newest = feed.split("<entry>").nth(1).unwrap();
    assert!(
        newest.contains(HOST) && newest.contains("Left: "),
        "{newest}"
    );
    week.living.pipeline.web.forget();
    week.proves("return").await;
    until("it is listed again", async || {
        week.get(&format!("/api/v1/sites/{HOST}")).await.json()["agents"][0].is_object()
            && week.is_read().await
    })
    .await;
    week.tells(&Truth {
        page: &["Crossing desk"],
        feed: "Crossing desk",
        ..LISTED
    })
    .await;
}
