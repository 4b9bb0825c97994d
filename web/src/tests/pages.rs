//! Tests of the pages.

use super::*;

#[tokio::test]
async fn an_empty_registry_says_how_to_begin() {
    let registry = registry::empty().await;
    let home = get(&registry, "/").await;
    assert_eq!(home.status, StatusCode::OK);
    home.says(&[
        "Nothing is listed yet",
        "crawler --seeds",
        "agentdex --demo",
    ]);
    let search = get(&registry, "/search?q=anything").await;
    assert_eq!(search.status, StatusCode::OK);
    search.says(&["No matching agents."]);
    let body = get(&registry, "/api/v1/search?q=anything").await.json();
    assert_eq!(body["match"], "none");
    assert_eq!(body["total"], 0);
}

#[tokio::test]
async fn the_front_page_counts_and_shows_what_is_new() {
    let registry = registry::full().await;
    let home = get(&registry, "/").await;
    assert_eq!(home.status, StatusCode::OK);
    home.says(&[
        "11 agents on 7 sites",
        "Found, changed, gone",
        "11 found",
        "Check your site",
        "Agents by protocol",
        "New and ready to call",
        "https://agentdex.example/mcp",
    ]);
}

#[tokio::test]
async fn a_description_that_is_the_reason_is_shown_once() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=answers+questions+about+menus").await;
    let text = page.body.replace("<mark>", "").replace("</mark>", "");
    assert_eq!(
        text.matches("answers questions about their menus").count(),
        1,
        "{text}"
    );
}

#[tokio::test]
async fn a_list_of_all_agents_gives_no_reasons_and_explains_the_levels() {
    let registry = registry::full().await;
    let page = get(&registry, "/search").await;
    page.says(&[
        "<span class=\"field-name\">Can</span>",
        "title=\"Valid in its own format without a warning, and complete.\"",
        "What the levels mean",
    ])
    .never_says(&["<span class=\"field-name\">Similar</span>"]);
}

#[tokio::test]
async fn a_search_shows_matching_agents_with_reasons() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=book+a+table").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(
        page.header(CACHE_CONTROL),
        "public, max-age=60, stale-while-revalidate=600"
    );
    page.says(&[
        "Mesa reservations",
        "<span class=\"field-name\">",
        "<mark>table</mark>",
        "value=\"book a table\"",
    ]);
}

#[tokio::test]
async fn facets_are_links_that_narrow_and_widen() {
    let registry = registry::full().await;
    let page = get(&registry, "/search").await;
    page.says(&["Filters", "href=\"/search?level=B\""]);
    let narrowed = get(&registry, "/search?level=B").await;
    narrowed
        .says(&[
            "Bücher am Markt",
            "href=\"/search\"",
            "type=\"hidden\" name=\"level\" value=\"B\"",
        ])
        .never_says(&["Mesa reservations"]);
}

#[tokio::test]
async fn results_are_narrowed_down_by_how_sites_answered() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?status=ok").await;
    page.says(&["Last visit: Confirmed", "Mesa reservations"]);
    let none = get(&registry, "/search?status=failing").await;
    none.never_says(&["class=\"card\""]);
}

#[tokio::test]
async fn an_empty_result_with_filters_names_the_filters() {
    let registry = registry::full().await;
    let need = "this query";
    get(&registry, "/search?q=is:failing")
        .await
        .says(&[
            "No agents found.",
            "matches the filters",
            "<a href=\"/search\" rel=\"nofollow\">Search without filters",
        ])
        .never_says(&[need, "fewer or more general words", "Best match"]);
    get(&registry, "/search?q=book+a+table+is:failing&level=A")
        .await
        .says(&[
            "No matching agents.",
            "both the query and the filters",
            "<a href=\"/search?q=book+a+table\" rel",
        ]);
    get(&registry, "/search?q=repair+a+submarine")
        .await
        .says(&[
            "No agent here seems to do this. These are the nearest.",
            "class=\"hit\"",
            "Submit it",
        ])
        .never_says(&["the filters", "Search without filters", "weaker"]);
    get(&registry, "/search?q=nowhere.example")
        .await
        .says(&["No agent in the registry has this address."])
        .never_says(&[need, "fewer or more general words"]);
    // No agent is a better match than another.
    get(&registry, "/search?q=is:up")
        .await
        .says(&["Last changed"])
        .never_says(&["Best match"]);
}

#[tokio::test]
async fn a_site_with_many_agents_does_not_fill_the_page() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=hotel+rooms").await;
    page.says(&[
        "3 more from chain.example",
        "/search?q=hotel+rooms&#38;site=chain.example",
    ]);
    let all = get(&registry, "/search?q=hotel+rooms&site=chain.example").await;
    all.says(&["Graz", "Linz", "Wien", "Wels", "spa.chain.example"]);
}

#[tokio::test]
async fn a_need_that_is_not_met_shows_the_nearest_agents_and_says_so() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=zzyzx").await;
    page.says(&[
        "No agent here seems to do this. These are the nearest.",
        "class=\"hit\"",
    ])
    .never_says(&["Last changed"]);
    let strict = get(&registry, "/search?q=zzyzx&min_match=weak").await;
    strict
        .says(&["No matching agents.", "No agent in the registry"])
        .never_says(&["class=\"hit\""]);
}

#[tokio::test]
async fn a_query_of_general_words_is_told_to_say_more() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=find+an+agent").await;
    page.says(&["Add what the agent should do.", "Ignored in your query"])
        .never_says(&["Very weak matches"]);
}

#[tokio::test]
async fn the_next_page_is_a_link() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?limit=1").await;
    let next = page
        .body
        .split('"')
        .find(|it| it.contains("cursor="))
        .unwrap();
    let next = get(&registry, &next.replace("&#38;", "&")).await;
    assert_eq!(next.status, StatusCode::OK);
    next.says(&["First page"]);
}

#[tokio::test]
async fn an_agent_page_shows_purpose_interfaces_and_provenance() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/mesa.example/reservations").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.header(CACHE_CONTROL), "no-cache");
    page.says(&[
        "<h1 dir=\"auto\">Mesa reservations</h1>",
        "OAuth 2; flows: clientCredentials",
        "https://mesa.example/token",
        "message/send",
        "Book a table for four in Lisbon tonight",
        "rel=\"nofollow noopener ugc\"",
        "https://mesa.example/.well-known/agent-card.json",
        "No problems found",
        "Source: <code>/skills/0</code>",
    ]);
}

#[tokio::test]
async fn an_agent_page_shows_parameters_schemas_flows_and_limits() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/xn--bcher-kva.example/buecher").await;
    page.says(&[
        "GET /api/books",
        "Words of the title",
        "Default: 10.",
        "30 calls a minute",
        "Output schema",
        "handoff_url",
        "Buy a book",
        "Completed by a person at a URL",
        "bücher.example",
    ])
    .never_says(&["the limit is a text"]);
    // Findings are for the owner.
    let site = "href=\"/site/xn--bcher-kva.example#documents\"";
    page.says(&[site]);
    let site = get(&registry, "/site/xn--bcher-kva.example").await;
    site.says(&[
        "the limit is a text</p>",
        "<strong>Help:</strong> write the number 30",
    ]);
}

#[tokio::test]
async fn a_unicode_domain_redirects_to_its_a_labels() {
    let registry = registry::full().await;
    for (asked, wanted) in [
        ("/site/b%C3%BCcher.example", "/site/xn--bcher-kva.example"),
        ("/site/MESA.example", "/site/mesa.example"),
        (
            "/agent/b%C3%BCcher.example/buecher",
            "/agent/xn--bcher-kva.example/buecher",
        ),
        (
            "/api/v1/sites/b%C3%BCcher.example",
            "/api/v1/sites/xn--bcher-kva.example",
        ),
        (
            "/api/v1/agents/b%C3%BCcher.example/a%2Fb",
            "/api/v1/agents/xn--bcher-kva.example/a%2Fb",
        ),
    ] {
        let answer = get(&registry, asked).await;
        assert_eq!(answer.status, StatusCode::PERMANENT_REDIRECT, "{asked}");
        assert_eq!(answer.header(LOCATION), wanted);
    }
}

#[tokio::test]
async fn a_site_page_shows_documents_findings_robots_and_requests() {
    let registry = registry::full().await;
    let page = get(&registry, "/site/xn--bcher-kva.example").await;
    assert_eq!(page.status, StatusCode::OK);
    page.says(&[
        "<h1>bücher.example</h1>",
        "xn--bcher-kva.example",
        "Listed, 1 agent<small>Read from 1 document.</small>",
        "AJ-18",
        "1 warning",
        "<dt>robots.txt</dt><dd>Allowed<small>Status 200</small>",
        "To <span class=\"address\">https://xn--bcher-kva.example</span>",
        "<span class=\"address\">GET /agents.txt</span>",
        "<span>404</span>",
        "the server says &#60;gone&#62;",
        "Rule <a href=\"/docs/politeness#P40\">P40</a>",
        "20 Nov 2026, 12:00 UTC",
        "2 hours ago",
    ]);
}

#[tokio::test]
async fn an_agent_on_another_domain_is_called_a_claim() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/claims.test/claim").await;
    page.says(&["This address belongs to mesa.example, not to claims.test. Nothing confirms that the two belong together."]);
    let agent = get(&registry, "/api/v1/agents/claims.test/claim").await;
    assert_eq!(agent.json()["connect"]["foreign"], true);
    assert_eq!(agent.json()["facts"]["reachable"]["of"], "manifest");
    let honest = get(&registry, "/agent/mesa.example/reservations").await;
    honest.never_says(&["This address belongs to"]);
}

#[tokio::test]
async fn the_owner_of_an_unreadable_document_gets_no_advice_to_publish_one() {
    let registry = registry::full().await;
    let page = get(&registry, "/site/unreadable.example").await;
    page.says(&["To be listed, save the file as UTF-8"])
        .never_says(&["Publish a manifest", "publishes no manifest"]);
    let body = get(&registry, "/api/v1/sites/unreadable.example")
        .await
        .json();
    let why = body["not_listed_because"].as_str().unwrap();
    assert!(why.contains("not UTF-8"), "{why}");
}

#[tokio::test]
async fn a_page_stays_readable_whatever_a_site_publishes() {
    let registry = registry::full().await;
    let agent = get(&registry, "/agent/huge.test/all").await;
    agent
        .says(&[
            "Operation 49.",
            "Capabilities 1 to 50 of 1,200",
            "href=\"/agent/huge.test/all?after=50#capabilities\"",
            "href=\"/site/huge.test#documents\">200 warnings</a>",
            "long…",
        ])
        .never_says(&["Operation 50.", "remark 0", &"long ".repeat(40)]);
    let site = get(&registry, "/site/huge.test").await;
    site.says(&["200 warnings", "remark 49<", "and 71 more"])
        .never_says(&["remark 50<", &"long ".repeat(40)]);
}

#[tokio::test]
async fn the_capabilities_of_an_agent_are_paged() {
    let registry = registry::full().await;
    let mut address = "/api/v1/agents/huge.test/all".to_owned();
    let mut ids = Vec::new();
    loop {
        let body = get(&registry, &address).await.json();
        let page = body["capabilities"].as_array().unwrap();
        assert!(page.len() <= 50, "{address}");
        assert_eq!(body["capability_count"], 1_200);
        ids.extend(page.iter().map(|it| it["id"].as_str().unwrap().to_owned()));
        match body["next"].as_str() {
            Some(next) => next.clone_into(&mut address),
            None => break,
        }
        assert_eq!(body["next_after"], ids.len());
    }
    let all: Vec<String> = (0..1_200).map(|index| format!("op{index}")).collect();
    assert_eq!(ids, all);

    let first = "/api/v1/agents/huge.test/all?capability=op7";
    let body = get(&registry, first).await.json();
    let next = "/api/v1/agents/huge.test/all?after=50&capability=op7";
    assert_eq!(body["next"], next);

    let page = get(&registry, "/agent/huge.test/all?after=50").await;
    page.says(&[
        "Operation 50.",
        "Operation 99.",
        "Capabilities 51 to 100 of 1,200",
        "href=\"/agent/huge.test/all?after=100#capabilities\"",
        "href=\"/agent/huge.test/all/index.json?after=50\"",
    ])
    .never_says(&["Operation 49.", "Operation 100."]);
    let twin = get(&registry, "/agent/huge.test/all/index.md?after=1150").await;
    twin.says(&["Operation 1199", "[First page](</agent/huge.test/all>)"])
        .never_says(&["[Next page]"]);
    for wrong in ["-1", "x"] {
        let address = format!("/api/v1/agents/huge.test/all?after={wrong}");
        let answer = get(&registry, &address).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
        let page = get(&registry, &format!("/agent/huge.test/all?after={wrong}")).await;
        page.says(&["Capabilities 1 to 50 of 1,200"]);
    }
}

#[tokio::test]
async fn a_site_without_agents_gives_the_reason() {
    let registry = registry::full().await;
    for (site, why) in [
        (
            "empty.example",
            "none of the paths that we asked for has a manifest",
        ),
        (
            "unreadable.example",
            "https://unreadable.example/.well-known/agents.json",
        ),
        ("unreadable.example", "not UTF-8."),
        ("closed.example", "robots.txt blocked every path we know"),
        ("waiting.example", "We have not visited it yet."),
        ("broken.example", "found no agent that can be listed"),
    ] {
        let page = get(&registry, &format!("/site/{site}")).await;
        assert_eq!(page.status, StatusCode::OK, "{site}");
        page.says(&["Not listed", "Why this site isn’t listed", why]);
    }
}

#[tokio::test]
async fn the_ranking_is_explained() {
    let registry = registry::empty().await;
    let page = get(&registry, "/docs/ranking").await;
    assert_eq!(page.status, StatusCode::OK);
    page.says(&[
        "<h1>Ranking</h1>",
        "<table class=\"stack\">",
        "Strong, good, weak",
    ]);
    page.says(&["<a href=\"/docs/search\">How to search</a>"]);
}

#[tokio::test]
async fn unusable_terms_match_nothing_and_are_named() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=level:Z").await;
    page.says(&[
        "Nothing to search for.",
        "The query has no usable search terms.",
        "Ignored in your query",
    ]);
}

#[tokio::test]
async fn search_pages_link_to_the_search_help() {
    let registry = registry::full().await;
    let page = get(&registry, "/docs/search").await;
    assert_eq!(page.status, StatusCode::OK);
    page.says(&[
        "<h1>How to search</h1>",
        "<a href=\"/search?q=reserv*\"><code>reserv*</code></a>",
        "<a href=\"/docs/ranking\">How results are ranked</a>",
    ]);
    for address in ["/search?q=book+a+table", "/search?q=repair+a+submarine"] {
        let page = get(&registry, address).await;
        let main = page.body.split("<footer").next().unwrap();
        assert!(
            main.contains("<a href=\"/docs/search\">How to search</a>"),
            "{main}"
        );
    }
}

#[tokio::test]
async fn every_rule_is_listed_and_explained() {
    let registry = registry::empty().await;
    let list = get(&registry, "/docs/rules").await;
    assert_eq!(list.status, StatusCode::OK);
    for rule in manifest::rules::all() {
        let path = format!("/docs/rules/{}", rule.id);
        list.says(&[&format!("id=\"{}\"><a href=\"{path}\"", rule.id)]);
        let page = get(&registry, &path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        page.says(&[
            "Invalid example",
            "Valid example",
            "<li class=\"finding finding-",
        ]);
        let twin = get(&registry, &format!("/api/v1/rules/{}", rule.id)).await;
        assert_eq!(twin.json()["findings"][0]["rule"], rule.id);
    }
}

#[tokio::test]
async fn a_rule_page_shows_what_the_validator_says_of_its_bad_example() {
    let registry = registry::empty().await;
    let page = get(&registry, "/docs/rules/A2-06").await;
    page.says(&[
        "<span class=\"badge badge-error\">error</span>",
        "<code>/.well-known/agent-card.json</code>",
        "<span class=\"severity\">error</span>",
        "href=\"/docs/rules#a2a-agent-card\"",
        "href=\"/docs/rules/A2-06/index.json\"",
    ]);
}

#[tokio::test]
async fn a_rule_without_an_invalid_example_says_so() {
    let registry = registry::empty().await;
    let page = get(&registry, "/docs/rules/DI-11").await;
    page.says(&[
        "No document is known to break this rule.",
        "an internal error",
    ]);
}

#[tokio::test]
async fn rule_ids_are_case_insensitive() {
    let registry = registry::empty().await;
    let page = get(&registry, "/docs/rules/a2-06").await;
    assert_eq!(page.status, StatusCode::PERMANENT_REDIRECT);
}

#[tokio::test]
async fn an_unknown_rule_names_the_nearest() {
    let registry = registry::empty().await;
    let page = get(&registry, "/docs/rules/a2-6").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    page.says(&[
        "There is no rule “a2-6”.",
        "Did you mean <a href=\"/docs/rules/A2-",
    ]);
    let problem = get(&registry, "/api/v1/rules/A2-066").await;
    assert_eq!(problem.status, StatusCode::NOT_FOUND);
    problem.says(&["Did you mean A2-06?"]);
}

#[tokio::test]
async fn findings_link_to_their_rules() {
    let registry = registry::full().await;
    let page = get(&registry, "/site/xn--bcher-kva.example").await;
    page.says(&["rule <a href=\"/docs/rules/AJ-18\""]);
}
