//! `/docs/search` does not lie: every example on it is asked of a registry of the demo's sites.

use crate::support::pipeline::Pipeline;
use crate::support::server::Server;
use crate::support::{self, http};
use Finds::{Best, Everything, First, Meaning, Nearest, Only};
use search::Facet;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// Expected result of an example; sites are named without their suffix `.example`.
enum Finds {
    /// This site is first, as a strong match.
    First(&'static str),
    /// This site among others, by its meaning alone.
    Meaning(&'static str),
    /// These sites and no other.
    Only(&'static [&'static str]),
    /// Every agent.
    Everything,
    /// These sites before all others, in any order.
    Best(&'static [&'static str]),
    /// Three agents that are no matches.
    Nearest,
}

/// The examples of the page.
const EXAMPLES: [(&str, Finds); 40] = [
    ("q=book+a+table+for+four+in+Lisbon", First("mesa-do-tejo")),
    (
        "q=book+a+table&unit=capability",
        Best(&["mesa-do-tejo", "brass-anchor"]),
    ),
    (
        "q=book+a+table+for+four+in+Lisbon&unit=capability",
        First("mesa-do-tejo"),
    ),
    ("q=traduire+en+anglais", Meaning("lingua-ponte")),
    ("q=tickets+for+the+movies", Meaning("aurora-cinema")),
    ("q=table+resrevations+in+Lisbon", First("mesa-do-tejo")),
    ("q=mesa-do-tejo.example", First("mesa-do-tejo")),
    (
        "q=%22book+a+table%22",
        Only(&["brass-anchor", "mesa-do-tejo"]),
    ),
    (
        "q=table+-lisbon",
        Best(&["brass-anchor", "harbour-courier"]),
    ),
    (
        "q=ferry+OR+taxi",
        Best(&["skerry-ferries", "taxi-rank-central"]),
    ),
    (
        "q=reserv*",
        Only(&[
            "aurora-cinema",
            "chengnan-pharmacy",
            "fietsverhuur-de-gracht",
            "granja-los-olivos",
            "hotel-miradouro",
            "kamome-toshokan",
            "ladepunkt-sued",
            "lantern-walks",
            "mesa-do-tejo",
            "mountain-huts",
            "museo-del-agua",
            "pet-hotel-willow",
        ]),
    ),
    (
        "q=category%3Ahealth",
        Only(&[
            "chengnan-pharmacy",
            "harbourside-dental",
            "hospital-santa-clara",
            "zahnarzt-lindenhof",
        ]),
    ),
    (
        "q=auth%3Anone",
        Only(&[
            "brass-anchor",
            "data-riverton",
            "fietsverhuur-de-gracht",
            "lingua-ponte",
            "museo-del-agua",
            "steuerkontor-nord",
        ]),
    ),
    ("q=hotel+level%3AA+-tag%3Alisbon", First("pensione-glicine")),
    (
        "q=site%3Abrewery-lamm.example",
        Only(&["brewery-lamm", "www.brewery-lamm"]),
    ),
    ("q=tld%3Aexample", Everything),
    (
        "q=format%3Azervice",
        Only(&["brass-anchor", "druckerei-kornblume", "museo-del-agua"]),
    ),
    (
        "document=a2a-agent",
        Only(&["data-riverton", "flitspakket"]),
    ),
    (
        "document=mcp-server",
        Only(&[
            "ladepunkt-sued",
            "lingua-ponte",
            "rope-and-knot",
            "steuerkontor-nord",
        ]),
    ),
    (
        "q=protocol%3Amcp",
        Only(&[
            "data-riverton",
            "ladepunkt-sued",
            "lingua-ponte",
            "rope-and-knot",
            "steuerkontor-nord",
            "tide-house",
        ]),
    ),
    (
        "q=auth%3Anone+-lang%3Aen",
        Only(&[
            "fietsverhuur-de-gracht",
            "museo-del-agua",
            "steuerkontor-nord",
        ]),
    ),
    ("q=hotel+level%3AA", First("hotel-miradouro")),
    (
        "q=cap%3Abook_table",
        Only(&["brass-anchor", "mesa-do-tejo"]),
    ),
    ("q=tag%3A%22air+quality%22", Only(&["data-riverton"])),
    ("q=lang%3Apt", Only(&["caixa-ribeira", "sopa-e-pao"])),
    ("registration=true", Only(&["hospital-santa-clara"])),
    ("status=ok", Everything),
    ("signed=false", Everything),
    (
        "openapi=true",
        Only(&[
            "druckerei-kornblume",
            "granja-los-olivos",
            "harbour-legal",
            "museo-del-agua",
            "steuerkontor-nord",
            "tram-times",
        ]),
    ),
    (
        "session=true",
        Only(&[
            "harbour-courier",
            "old-orchard-seeds",
            "skerry-ferries",
            "trattoria-da-lina",
            "weterynarz-lapka",
        ]),
    ),
    (
        "handoff=true",
        Only(&["harbour-courier", "old-orchard-seeds", "skerry-ferries"]),
    ),
    ("modality_in=image%2Fjpeg", Only(&["plomberie-du-rhone"])),
    ("modality_out=text%2Fcsv", Only(&["data-riverton"])),
    ("q=hotel+is%3Aup", First("hotel-miradouro")),
    ("q=hotel&level=A", First("hotel-miradouro")),
    (
        "format=zervice&format=json-agents",
        Only(&[
            "brass-anchor",
            "cold-chain",
            "dock-cranes",
            "druckerei-kornblume",
            "lingua-ponte",
            "museo-del-agua",
        ]),
    ),
    ("sort=name", Everything),
    ("q=hotel&facets=level,auth", First("hotel-miradouro")),
    ("q=hotel&min_match=good", First("hotel-miradouro")),
    ("q=repair+a+submarine", Nearest),
];

/// Builds a registry of the demo's sites.
async fn registry() -> (Pipeline, Server) {
    let web = simweb::Simweb::builder();
    let web = web.folder(support::workspace().join("seeds/demo"));
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let crawled = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let mut command = Command::new(support::binary("web"));
    command
        .args(["--database", "sqlite:agentdex.db", "--index", "index"])
        .current_dir(pipeline.folder.path());
    let server = Server::start(&mut command);
    (pipeline, server)
}

/// Returns the targets and texts of the page's links.
fn links(page: &str) -> Vec<(String, String)> {
    let plain = |html: &str| {
        let html = html.replace("<code>", "").replace("</code>", "");
        html.replace("&quot;", "\"").replace("&amp;", "&")
    };
    let main = page.split("<main").nth(1).unwrap();
    let main = main.split("</main>").next().unwrap();
    let links = main.split("<a href=\"").skip(1).map(|link| {
        let (address, rest) = link.split_once("\">").unwrap();
        let (words, _) = rest.split_once("</a>").unwrap();
        (plain(address), plain(words))
    });
    links.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_has_the_documented_result() {
    let (pipeline, server) = registry().await;
    let total = support::pipeline::agents(&*pipeline.store().await)
        .await
        .len();
    let page = http::get(&format!("{}/docs/search", server.url)).await;
    assert_eq!(page.status, 200);
    let mut asked = BTreeSet::new();
    for (address, words) in links(&page.text) {
        let shown = http::get(&format!("{}{address}", server.url)).await;
        assert_eq!(shown.status, 200, "{address}");
        let Some((_, query)) = address.split_once("search?") else {
            continue;
        };
        assert!(!shown.text.contains("Ignored in your query"), "{address}");
        // The page shows the query of the link.
        let expected = if words.starts_with('/') {
            address.clone()
        } else {
            let pairs = url::form_urlencoded::parse(query.as_bytes());
            let pairs = pairs.map(|(name, value)| match &*name {
                "q" => value.into_owned(),
                name => format!("{name}={value}"),
            });
            pairs.collect::<Vec<_>>().join("&")
        };
        assert_eq!(words, expected, "{address}");
        let (_, finds) = EXAMPLES
            .iter()
            .find(|(example, _)| *example == query)
            .unwrap_or_else(|| panic!("no expected result for {address}"));
        asked.insert(query.to_owned());
        // A query of fields has no levels, and one that names a level none below.
        let more = match finds {
            Nearest => "",
            _ if query.contains("min_match") => "&limit=100",
            _ => "&limit=100&per_site=100&unfold=true&min_match=weak",
        };
        let url = format!("{}/api/v1/search?{query}{more}", server.url);
        let answer = http::get(&url).await;
        let answer: Value = serde_json::from_str(&answer.text).unwrap();
        let misread = !answer["query"]["did_you_mean"]
            .as_array()
            .unwrap()
            .is_empty();
        assert_eq!(misread, words.contains("resrevations"), "{address}");
        check(&address, finds, &answer, total);
    }
    let known = EXAMPLES.iter().map(|(query, _)| (*query).to_owned());
    assert_eq!(asked, known.collect(), "examples that the page lacks");
}

fn check(address: &str, finds: &Finds, answer: &Value, total: usize) {
    let results = answer["results"].as_array().unwrap();
    let sites = results.iter().map(|it| {
        let site = it["site"].as_str().unwrap();
        site.trim_end_matches(".example")
    });
    match finds {
        First(site) => {
            assert_eq!(sites.clone().next(), Some(*site), "{address}");
            let level = &results[0]["match"]["level"];
            assert!(level == "strong" || level == "good", "{address}: {level}");
        }
        Meaning(site) => {
            let place = sites.clone().position(|it| it == *site);
            let place = place.unwrap_or_else(|| panic!("{address} finds no {site}"));
            let because = results[place]["match"]["because"].as_array().unwrap();
            let fields: Vec<_> = because.iter().map(|it| &it["field"]).collect();
            assert_eq!(fields, ["meaning"], "{address}");
        }
        Only(expected) => {
            let sites: BTreeSet<&str> = sites.collect();
            assert_eq!(sites, expected.iter().copied().collect(), "{address}");
        }
        Everything => assert_eq!(answer["total"], total, "{address}"),
        Best(expected) => {
            let sites: BTreeSet<&str> = sites.take(expected.len()).collect();
            assert_eq!(sites, expected.iter().copied().collect(), "{address}");
        }
        Nearest => {
            assert_eq!(answer["match"], "none", "{address}");
            assert_eq!(
                (results.len(), &answer["total"]),
                (3, &0.into()),
                "{address}"
            );
        }
    }
}

#[test]
fn every_field_of_the_search_is_on_the_page_and_no_other() {
    let text = support::workspace_file("docs/search.md");
    let rows = text.split("## Fields").nth(1).unwrap();
    let rows = rows.split("## Parameters").next().unwrap();
    let names = rows.lines().filter(|line| line.starts_with("| `"));
    let names = names.flat_map(|line| {
        let cell = line.split('|').nth(1).unwrap();
        cell.split(',').map(|it| it.trim().trim_matches('`'))
    });
    let expected = Facet::ALL.map(Facet::as_str);
    let expected = expected.into_iter().chain(["cap", "lang", "is"]);
    assert_eq!(names.collect::<BTreeSet<_>>(), expected.collect());
}
