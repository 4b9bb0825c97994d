//! Leaving the registry, and coming back: by robots.txt, by Content-Signal, and by a token.

use crate::crawl::{CARD, CARD_PATH, Stage};
use crate::support::living::Living;
use crate::support::wait;
use manifest::Domain;
use serde_json::{Value, json};
use simweb::Simweb;
use store::{ModerationAction, Operation, Outcome};

const FERRY: (&str, &str, &str) = ("ferry.example", "Ferry desk", "Books a ferry crossing");
const HOTEL: (&str, &str, &str) = ("hotel.example", "Night desk", "Reserves hotel rooms");

/// Follows a request until it has this state, and returns it.
async fn followed(living: &Living, begun: &Value, state: &str) -> Value {
    let path = begun["links"]["state"].as_str().unwrap();
    let path = path.strip_prefix("/api/v1").unwrap();
    let look = async || {
        let (status, now) = living.api(path).await;
        assert_eq!(status, 200, "{now}");
        (now["state"] == state && now["checks"] != 0).then_some(now)
    };
    wait::value_within(crate::support::USUAL_TIME, state, look).await
}

/// Asks to leave or to return, and returns the answer.
async fn begin(living: &Living, action: &str, domain: &str) -> Value {
    let body = json!({ "domain": domain });
    let (status, begun) = living.post(&format!("/{action}"), &body).await;
    assert_eq!(status, 202, "{begun}");
    begun
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_leaves_by_a_file_or_a_record_and_comes_back() {
    let living = Living::start(&[FERRY, HOTEL], &[]).await;
    let web = &living.pipeline.web;

    // By a file; the first attempt is wrong, and the answer says what was seen.
    let begun = begin(&living, "leave", FERRY.0).await;
    let (file, record) = (&begun["publish"]["file"], &begun["publish"]["dns"]);
    let path = "/.well-known/agentdex-leave.txt";
    assert_eq!(file["url"], web.url(FERRY.0, path));
    assert_eq!(record["name"], "_agentdex.ferry.example");
    web.put(FERRY.0, path, "agentdex-leave=something\n")
        .unwrap();
    let look = async || {
        let id = begun["id"].as_str().unwrap();
        let (_, now) = living.api(&format!("/leave/{id}")).await;
        let seen = now["seen"]["file"].as_str().unwrap_or_default();
        seen.contains("\"agentdex-leave=something\", not the token")
            .then_some(now)
    };
    let failed = wait::value_within(crate::support::USUAL_TIME, "a wrong token", look).await;
    let dns = failed["seen"]["dns"].as_str().unwrap();
    assert!(dns.contains("_agentdex.ferry.example"), "{dns}");
    assert!(failed["next_check"].is_string(), "{failed}");
    assert!(
        !failed
            .to_string()
            .contains(file["content"].as_str().unwrap())
    );
    assert!(living.finds(FERRY.2, FERRY.0).await);
    let content = file["content"].as_str().unwrap().to_owned();
    web.put(FERRY.0, path, content).unwrap();
    let done = followed(&living, &begun, "verified").await;
    assert!(
        done["seen"]["file"].as_str().unwrap().contains(path),
        "{done}"
    );
    living.soon(FERRY.2, FERRY.0, false).await;
    assert_eq!(living.last_change(FERRY.0).await.0, Operation::OptOut);
    let (status, _) = living.api("/sites/ferry.example").await;
    assert_eq!(status, 410);

    // Nothing is sent there any more, not even a DNS query, although a visitor submits it.
    web.forget();
    let port = web.https_port();
    for path in ["/submit".to_owned(), format!("/sites/{}/recheck", FERRY.0)] {
        let (status, problem) = living.post(&path, &json!({ "domain": FERRY.0 })).await;
        assert_eq!(
            (status, &problem["errorCode"]),
            (409, &json!("excluded")),
            "{path}"
        );
    }
    let asked = web.dns_queries();
    assert!(
        !asked.iter().any(|it| it.name.ends_with(FERRY.0)),
        "{asked:?}"
    );
    assert_eq!(web.requests_of(FERRY.0).len(), 0);

    // Back by a record.
    let (status, problem) = living.post("/return", &json!({ "domain": HOTEL.0 })).await;
    assert_eq!((status, &problem["errorCode"]), (409, &json!("conflict")));
    let begun = begin(&living, "return", &format!("{}:{port}", FERRY.0)).await;
    let record = &begun["publish"]["dns"];
    let value = record["value"].as_str().unwrap();
    web.set_texts(record["name"].as_str().unwrap(), &["v=other", value]);
    let done = followed(&living, &begun, "verified").await;
    assert_eq!(done["seen"]["file"], Value::Null, "{done}");
    living.soon(FERRY.2, FERRY.0, true).await;
    assert_eq!(living.last_change(FERRY.0).await.0, Operation::Restore);

    // Out by a record.
    let begun = begin(&living, "leave", HOTEL.0).await;
    let value = begun["publish"]["dns"]["value"].as_str().unwrap();
    web.set_texts("_agentdex.hotel.example", &[value]);
    followed(&living, &begun, "verified").await;
    living.soon(HOTEL.2, HOTEL.0, false).await;

    let log = living.log().await;
    let log: Vec<_> = log.iter().map(|it| [&*it[0], &*it[1], &*it[3]]).collect();
    let expected = [
        ["optout", "ferry.example", "owner"],
        ["restore", "ferry.example", "owner"],
        ["optout", "hotel.example", "owner"],
    ];
    assert_eq!(log, expected);

    // An exclusion of the operator is not ended in this way.
    let exclude = ["exclude", FERRY.0, "--reason", "abuse"];
    let excluded = living.command("crawler", &exclude);
    assert_eq!(excluded.code, Some(0), "{}", excluded.output);
    let (status, problem) = living.post("/return", &json!({ "domain": FERRY.0 })).await;
    assert_eq!(status, 409);
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("operator") && detail.contains("abuse"),
        "{detail}"
    );
}

/// P47: the hash of a token proves a domain, and the token stays with its owner.
#[tokio::test(flavor = "multi_thread")]
async fn p47_an_owner_proves_a_domain_by_a_record() {
    let living = Living::start(&[HOTEL], &[]).await;
    let begun = begin(&living, "own", HOTEL.0).await;
    let (token, record) = (begun["token"].as_str().unwrap(), &begun["publish"]["dns"]);
    let value = record["value"].as_str().unwrap();
    assert!(!value.contains(token), "{begun}");
    let web = &living.pipeline.web;
    web.set_texts("_agentdex.hotel.example", &[value]);
    let done = followed(&living, &begun, "verified").await;
    assert!(done["token"].is_null(), "{done}");
    assert!(living.finds(HOTEL.2, HOTEL.0).await, "it stays listed");
    assert!(living.log().await.is_empty());
}

/// P4: an opt-out in robots.txt is in effect with the visit that saw it.
#[tokio::test]
async fn p04_an_owner_leaves_by_robots_txt_and_comes_back() {
    for (robots, source) in [
        ("User-agent: AgentdexBot\nDisallow: /\n", "robots"),
        (
            "User-agent: *\nContent-Signal: search=no\n",
            "content-signal",
        ),
    ] {
        let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
        let stage = Stage::new(web).await;
        assert_eq!(stage.crawl().await.visits, 1);
        stage
            .web
            .put("mesa.example", "/robots.txt", robots)
            .unwrap();
        stage.let_time_pass("mesa.example").await;
        assert_eq!(stage.crawl().await.visits, 1);
        let domain = Domain::parse("mesa.example").unwrap();
        {
            let store = stage.store().await;
            let site = store.site(&domain).await.unwrap().unwrap();
            assert_eq!(site.last_outcome, Some(Outcome::OptedOut));
            assert_eq!(site.documents.len(), 0);
            let log = store.moderation_log(None, 10).await.unwrap();
            assert_eq!(log.len(), 1);
            let first = (log[0].action, log[0].source.as_str());
            assert_eq!(first, (ModerationAction::OptOut, source));
        }
        stage
            .web
            .put("mesa.example", "/robots.txt", "User-agent: *\n")
            .unwrap();
        stage.let_time_pass("mesa.example").await;
        assert_eq!(stage.crawl().await.visits, 1);
        let store = stage.store().await;
        let site = store.site(&domain).await.unwrap().unwrap();
        assert_eq!(site.documents.len(), 1);
        let log = store.moderation_log(None, 10).await.unwrap();
        assert_eq!((log.len(), log[0].action), (2, ModerationAction::Restore));
    }
}
