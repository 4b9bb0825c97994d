//! Tests of what pages say to search engines and to sites that show previews of links.

use super::*;
use atom_syndication::Feed;
use std::collections::BTreeSet;

const URL: &str = "https://agentdex.example";
/// Pages that search engines list.
const LISTED: [&str; 11] = [
    "/",
    "/search",
    "/search?category=food",
    "/agent/mesa.example/reservations",
    "/site/mesa.example",
    "/browse/formats",
    "/stats",
    "/docs/search",
    "/docs/rules/DI-11",
    "/owners",
    "/submit",
];
/// Pages that they leave out.
const UNLISTED: [&str; 8] = [
    "/search?q=table",
    "/search?category=food&auth=none",
    "/agent/mesa.example/reservations/raw",
    "/agent/mesa.example/reservations/history",
    "/agent/mesa.example/nothing",
    "/site/waiting.example",
    "/status",
    "/report",
];

/// Returns the content of an element of the head, by what comes before it.
fn content<'a>(page: &'a Answer, before: &str) -> Option<&'a str> {
    let (_, rest) = page.body.split_once(before)?;
    rest.split('"').next()
}

/// Returns the structured data of a page.
fn structured(page: &Answer) -> Option<Value> {
    let (_, rest) = page
        .body
        .split_once("<script type=\"application/ld+json\">")?;
    let (data, _) = rest.split_once("</script>").unwrap();
    Some(serde_json::from_str(data).unwrap())
}

fn members(value: &Value) -> BTreeSet<&str> {
    let members = value.as_object().unwrap().keys();
    members.map(String::as_str).collect()
}

#[tokio::test]
async fn a_page_that_is_listed_names_its_canonical_address() {
    let registry = registry::full().await;
    for address in LISTED {
        let page = get(&registry, address).await;
        assert_eq!(page.status, StatusCode::OK, "{address}");
        let expected = format!("{URL}{address}");
        for before in [
            "<link rel=\"canonical\" href=\"",
            "<meta property=\"og:url\" content=\"",
        ] {
            assert_eq!(content(&page, before), Some(&*expected), "{address}");
        }
        page.never_says(&["noindex"]);
        let (_, title) = page.body.split_once("<title>").unwrap();
        let (title, _) = title.split_once(" – agentdex</title>").unwrap();
        let shared = content(&page, "<meta property=\"og:title\" content=\"");
        assert_eq!(shared, Some(title), "{address}");
        let picture = content(&page, "<meta property=\"og:image\" content=\"").unwrap();
        let picture = get(&registry, picture.strip_prefix(URL).unwrap()).await;
        assert_eq!(picture.header(CONTENT_TYPE), "image/png");
    }
    for address in UNLISTED {
        let page = get(&registry, address).await;
        page.says(&[
            "<meta name=\"robots\" content=\"noindex\">",
            "og:title\" content=\"",
        ]);
        page.never_says(&["rel=\"canonical\"", "og:url"]);
    }
}

#[tokio::test]
async fn parameters_of_other_sites_are_not_in_the_canonical_address() {
    let registry = registry::full().await;
    for (address, expected) in [
        (
            "/search?utm_source=news&category=food",
            "/search?category=food",
        ),
        (
            "/agent/mesa.example/reservations?utm_source=news",
            "/agent/mesa.example/reservations",
        ),
        ("/owners?domain=mesa.example", "/owners"),
    ] {
        let page = get(&registry, address).await;
        let canonical = content(&page, "<link rel=\"canonical\" href=\"");
        assert_eq!(canonical, Some(&*format!("{URL}{expected}")), "{address}");
    }
}

#[tokio::test]
async fn structured_data_has_only_what_is_stated() {
    let registry = registry::full().await;
    let site = structured(&get(&registry, "/").await).unwrap();
    assert_eq!(
        (&site["@type"], &site["url"]),
        (&"WebSite".into(), &format!("{URL}/").into())
    );
    let template = &site["potentialAction"]["target"]["urlTemplate"];
    assert_eq!(template, &format!("{URL}/search?q={{need}}"));
    let agent = get(&registry, "/agent/mesa.example/reservations").await;
    let agent = structured(&agent).unwrap();
    assert_eq!(agent["name"], "Mesa reservations");
    assert_eq!(agent["softwareVersion"], "2.1.0");
    assert_eq!(
        agent["keywords"],
        serde_json::json!(["restaurant", "reservation"])
    );
    assert_eq!(
        agent["mainEntityOfPage"],
        format!("{URL}/agent/mesa.example/reservations")
    );
    assert_eq!(members(&agent["provider"]), ["@type", "name", "url"].into());
    let expected = [
        "@context",
        "@type",
        "description",
        "keywords",
        "mainEntityOfPage",
        "name",
        "provider",
        "softwareVersion",
    ];
    assert_eq!(members(&agent), expected.into());
    assert_eq!(structured(&get(&registry, "/search").await), None);
    let hostile = get(&registry, "/agent/hostile.example/x").await;
    let data = structured(&hostile).unwrap();
    assert_eq!(data["name"], "<script>alert(1)</script> \"quoted\"");
}

/// Returns the texts of all elements of a name in a document, which is well-formed.
fn texts(xml: &str, name: &str) -> Vec<String> {
    // Only a well-formed document can stand in a feed.
    let body = xml.split_once("?>").unwrap().1;
    let feed = format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>a</title><id>a</id><updated>2026-11-20T12:00:00Z</updated>{body}</feed>"
    );
    Feed::read_from(feed.as_bytes()).unwrap();
    let (start, end) = (format!("<{name}>"), format!("</{name}>"));
    let elements = body.split(&start).skip(1);
    let texts = elements.map(|it| it.split_once(&end).unwrap().0);
    texts.map(|it| it.replace("&amp;", "&")).collect()
}

#[tokio::test]
async fn the_sitemap_lists_every_page_of_sites_and_agents() {
    let registry = registry::full().await;
    get(&registry, "/robots.txt")
        .await
        .says(&["\nSitemap: https://agentdex.example/sitemap.xml\n"]);
    let index = get(&registry, "/sitemap.xml").await;
    assert_eq!(index.header(CONTENT_TYPE), "application/xml");
    let parts = texts(&index.body, "loc");
    assert_eq!(
        parts,
        ["pages.xml", "agents-1.xml"].map(|it| format!("{URL}/sitemap/{it}"))
    );
    let mut listed = Vec::new();
    for part in parts {
        let part = get(&registry, part.strip_prefix(URL).unwrap()).await;
        assert_eq!(part.status, StatusCode::OK);
        listed.extend(texts(&part.body, "loc"));
    }
    let set: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(set.len(), listed.len(), "a page stands twice");
    for address in LISTED
        .into_iter()
        .filter(|it| !it.contains(['?']) && !it.starts_with("/browse/"))
    {
        assert!(set.contains(&format!("{URL}{address}")), "{address}");
    }
    for address in UNLISTED {
        assert!(!set.contains(&format!("{URL}{address}")), "{address}");
    }
    for url in listed {
        let page = get(&registry, url.strip_prefix(URL).unwrap()).await;
        assert_eq!(page.status, StatusCode::OK, "{url}");
    }
    for missing in ["agents-0.xml", "agents-2.xml", "agents-x.xml", "pages"] {
        let answer = get(&registry, &format!("/sitemap/{missing}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{missing}");
    }
}

#[tokio::test]
async fn browsers_can_add_the_search() {
    let registry = registry::full().await;
    let page = get(&registry, "/").await;
    let address = "type=\"application/opensearchdescription+xml\" title=\"agentdex\" href=\"";
    let description = get(&registry, content(&page, address).unwrap()).await;
    let kind = "application/opensearchdescription+xml";
    assert_eq!(description.header(CONTENT_TYPE), kind);
    assert_eq!(texts(&description.body, "ShortName"), ["Agentdex"]);
    description.says(&["template=\"https://agentdex.example/search?q={searchTerms}\""]);
    let icon = content(&page, "<link rel=\"apple-touch-icon\" href=\"").unwrap();
    assert_eq!(get(&registry, icon).await.header(CONTENT_TYPE), "image/png");
}
