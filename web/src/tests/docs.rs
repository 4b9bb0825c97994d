//! The documentation: what it is made of, and where its links lead.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use store::Outcome;

const PAGES: [&str; 12] = [
    "/docs",
    "/docs/search",
    "/docs/api",
    "/docs/ranking",
    "/docs/connect",
    "/docs/protocols",
    "/docs/formats",
    "/docs/politeness",
    "/docs/operating",
    "/docs/api/sites",
    "/docs/api/interaction",
    "/docs/api/schemas",
];

/// Returns the part of a page between its header and its footer.
fn content(page: &Answer) -> &str {
    let main = page.body.split("<main").nth(1).unwrap();
    main.split("</main>").next().unwrap()
}

/// Returns the values of an attribute.
fn values<'p>(html: &'p str, attribute: &'p str) -> impl Iterator<Item = String> + 'p {
    let values = html.split(attribute).skip(1);
    values.map(|it| it.split('"').next().unwrap().replace("&amp;", "&"))
}

#[tokio::test]
async fn every_document_is_listed_and_shown() {
    let registry = registry::empty().await;
    let list = get(&registry, "/docs").await;
    for path in &PAGES[1..] {
        if !path.starts_with("/docs/api/") {
            list.says(&[&format!("<a href=\"{path}\">")]);
        }
        let page = get(&registry, path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        page.says(&["<a href=\"/docs\">Documentation</a>"]);
    }
    let missing = get(&registry, "/docs/nothing").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn links_of_twins_lead_to_pages() {
    let registry = registry::empty().await;
    let twin = get(&registry, "/docs/api/index.md").await;
    twin.says(&["](/docs/search)", "](/docs/http#rate-limit)"])
        .never_says(&["](search.md", "](http.md"]);
    let twin = get(&registry, "/docs/api/index.json").await.json();
    let text = twin["markdown"].as_str().unwrap();
    assert!(text.contains("](/docs/search)") && !text.contains("](search.md"));
}

#[tokio::test]
async fn the_formats_have_their_headings_and_an_anchor_for_each_rule() {
    let registry = registry::empty().await;
    let page = get(&registry, "/docs/formats").await;
    page.says(&[
        "<h1>Formats</h1>",
        "<h2 id=\"a2a-agent-card\">A2A agent card</h2>",
        "<h3 id=\"signatures-of-agent-cards\">",
        "<li><a href=\"#normalized-model\">",
        "<span class=\"id\" id=\"PR-01\">PR-01</span>",
        "<a href=\"/docs/politeness#P9\">P9</a>",
    ]);
    for rule in manifest::rules::all() {
        let id = rule.id;
        page.says(&[&format!(
            "<a class=\"id\" id=\"{id}\" href=\"/docs/rules/{id}\">"
        )]);
        let explained = get(&registry, &format!("/docs/rules/{id}")).await;
        explained.says(&[&format!("<a href=\"/docs/formats#{id}\">")]);
    }
}

#[tokio::test]
async fn every_link_of_the_documentation_leads_somewhere() {
    let registry = registry::empty().await;
    let mut links = BTreeSet::new();
    for path in PAGES {
        let page = get(&registry, path).await;
        for link in values(content(&page), " href=\"") {
            let is_absolute = link.starts_with('/') || link.starts_with("https://");
            assert!(is_absolute || link.starts_with('#'), "{path}: {link}");
            if let Some(anchor) = link.strip_prefix('#') {
                links.insert((path.to_owned(), anchor.to_owned()));
            } else if link.starts_with('/') {
                let (page, anchor) = link.split_once('#').unwrap_or((&link, ""));
                links.insert((page.to_owned(), anchor.to_owned()));
            }
        }
    }
    assert!(links.len() > 200, "{}", links.len());
    let mut pages: BTreeMap<String, Answer> = BTreeMap::new();
    for (path, anchor) in links {
        if !pages.contains_key(&path) {
            pages.insert(path.clone(), get(&registry, &path).await);
        }
        let page = &pages[&path];
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let is_there = anchor.is_empty() || values(&page.body, " id=\"").any(|it| it == anchor);
        assert!(is_there, "{path} has no #{anchor}");
    }
}

#[tokio::test]
async fn no_two_elements_of_a_document_have_the_same_anchor() {
    let registry = registry::empty().await;
    for path in PAGES {
        let page = get(&registry, path).await;
        let mut seen = BTreeSet::new();
        for id in values(&page.body, " id=\"") {
            assert!(seen.insert(id.clone()), "{path} has #{id} twice");
        }
    }
}

#[tokio::test]
async fn every_outcome_leads_to_the_rule_that_explains_it() {
    let registry = registry::empty().await;
    for outcome in Outcome::ALL {
        let (id, document) = outcome.rule();
        let page = get(&registry, &format!("/docs/{document}")).await;
        page.says(&[&format!("id=\"{id}\">{id}</")]);
    }
}

#[tokio::test]
async fn examples_name_the_registry_that_shows_them() {
    let registry = registry::empty().await;
    for page in [
        "/docs/api",
        "/docs/api/index.md",
        "/docs/protocols",
        "/docs/listing",
    ] {
        get(&registry, page)
            .await
            .says(&["https://agentdex.example"])
            .never_says(&["127.0.0.1:8080", "https://registry.example"]);
    }
}

#[tokio::test]
async fn the_reference_has_everything_that_the_description_has() {
    let registry = registry::empty().await;
    let document = get(&registry, "/openapi.json").await.json();
    let index = get(&registry, "/docs/api").await;
    let markdown = get(&registry, "/docs/api/index.md").await;
    let twin = get(&registry, "/docs/api/index.json").await.json();
    assert_eq!(twin["markdown"], markdown.body);
    assert_eq!(twin["openapi"], "/openapi.json");
    index.has_only_our_script();
    index.never_says(&["src=\"http"]);
    assert!(index.body.len() < 60_000, "{}", index.body.len());
    let part = async |name: &str| {
        let page = get(&registry, &format!("/docs/api/{name}")).await;
        let markdown = get(&registry, &format!("/docs/api/{name}/index.md")).await;
        let twin = get(&registry, &format!("/docs/api/{name}/index.json")).await;
        assert_eq!(twin.json()["markdown"], markdown.body);
        index.says(&[&format!("<a href=\"/docs/api/{name}\">")]);
        (page, markdown)
    };
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default().into_iter();
    let mut parts = BTreeMap::new();
    for tag in document["tags"].as_array().unwrap() {
        let name = tag["name"].as_str().unwrap().to_owned();
        parts.insert(name.clone(), part(&name).await);
    }
    for (path, item) in members(&document["paths"]) {
        for (method, operation) in members(&item) {
            let id = operation["operationId"].as_str().unwrap();
            let (page, markdown) = &parts[operation["tags"][0].as_str().unwrap()];
            let call = format!("{} {path}", method.to_uppercase());
            let start = format!("<h2 id=\"operation-{id}\">");
            let section = page.body.split(&start).nth(1).unwrap();
            let section = section.split("<h2").next().unwrap();
            let mut wanted = vec![format!("<code>{call}</code>")];
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                wanted.push(format!("<code>{name}</code>"));
            }
            for (status, response) in members(&operation["responses"]) {
                wanted.push(format!("<td data-label=\"status\">{status}</td>"));
                let media_types = members(&response["content"]);
                wanted.extend(media_types.map(|it| format!("<code>{}</code>", it.0)));
            }
            for text in wanted {
                assert!(section.contains(&text), "{call}: no {text}");
            }
            markdown.says(&[&call]);
            index.says(&[&format!("<li id=\"operation-{id}\">"), &call]);
        }
    }
    let (page, markdown) = part("schemas").await;
    for (name, schema) in members(&document["components"]["schemas"]) {
        let start = format!("<h2 id=\"schema-{name}\">");
        let section = page.body.split(&start).nth(1).unwrap();
        let section = section.split("<h2").next().unwrap();
        for (member, _) in members(&schema["properties"]) {
            let text = format!("<code>{member}</code>");
            assert!(section.contains(&text), "{name}: no {text}");
        }
        markdown.says(&[&format!("## {name}\n")]);
    }
    let missing = get(&registry, "/docs/api/nothing").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}
