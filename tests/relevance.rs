//! `indexer eval` as a process: figures worked out by hand, the usual scorer's, and whole
//! collections end to end.

use crate::support::{
    self,
    pipeline::{self, Pipeline},
};
use manifest::{Document, Domain, Listing};
use search::relevance::holdout::Holdout;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use store::StoredAgent;

#[test]
fn the_figures_are_those_worked_out_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let agents = [
        ("ferry.example", "Ferry tickets"),
        ("tea.example", "Tea samples"),
        ("lock.example", "Door opening"),
    ];
    let listings = agents.map(|(host, name)| listing(host, name));
    support::indexed::index(&folder.path().join("index"), listings);

    let queries = [
        ("q1", "ferry tickets", "need-a"),
        ("q2", "tea samples", "need-a"),
        ("q3", "zeppelin", "need-b"),
        ("q4", "submarine", "need-b"),
    ];
    let lines = queries.map(|(id, text, kind)| {
        serde_json::json!({"qid": id, "text": text, "type": kind}).to_string() + "\n"
    });
    std::fs::write(folder.path().join("queries.jsonl"), lines.concat()).unwrap();
    // q1 is found first; of q2 one of two is found, at the first place; q3 is missed; no agent
    // meets q4.
    let judged = "q1\tD1\t1\nq2\ttea.example\t1\nq2\tzoo.example\t1\nq3\tzoo.example\t2\nq3\tlock.example\t0\nq3\tD1\t0\n";
    std::fs::write(folder.path().join("qrels.tsv"), judged).unwrap();
    std::fs::write(
        folder.path().join("sites.tsv"),
        "D1\tferry.example\ta2a\t/x\n",
    )
    .unwrap();

    let arguments = [
        "eval", ".", "--index", "index", "--json", "--run", "run.tsv",
    ];
    let figures = figures(&support::run("indexer", folder.path(), &arguments));
    // 1 over 1/log2(2) + 1/log2(3), which is what there is to find for q2.
    let half = 1.0 / 1.630_929_753_571_457_3;
    let close = |name: &str, figure: &str, expected: f64| {
        let value = figures[name][figure].as_f64().unwrap();
        assert!(
            (value - expected).abs() < 1e-9,
            "{name} {figure}: {value}, not {expected}"
        );
    };
    close("need-a", "ndcg@10", f64::midpoint(1.0, half));
    close("need-a", "mrr@10", 1.0);
    close("need-a", "r@10", 0.75);
    close("need-b", "ndcg@10", 0.0);
    close("need-*", "ndcg@10", (1.0 + half) / 3.0);
    close("all", "mrr@10", 2.0 / 3.0);
    close("all", "r@50", 0.5);
    close("unmet", "none", 1.0);
    close("unmet", "good", 0.0);
    close("documents", "judged", 4.0);
    // Not the zoo.
    close("documents", "indexed", 3.0);
    let run = std::fs::read_to_string(folder.path().join("run.tsv")).unwrap();
    assert!(run.starts_with("q1\tD1\t1\t1.000000\n"), "{run}");
}

#[test]
fn an_unusable_collection_is_an_error_with_a_position() {
    let folder = tempfile::tempdir().unwrap();
    let eval = |more: &[&str]| {
        let arguments = [&["eval", "--index", "index"], more].concat();
        support::run("indexer", folder.path(), &arguments)
    };
    eval(&[]).fails_with(2, &["DIR"]);
    eval(&["."]).fails_with(1, &["cannot read './queries.jsonl'"]);
    std::fs::write(folder.path().join("queries.jsonl"), "{\"qid\": 1}\n").unwrap();
    eval(&["."]).fails_with(1, &["'./queries.jsonl' line 1"]);
    std::fs::write(folder.path().join("queries.jsonl"), "\n").unwrap();
    eval(&["."]).fails_with(1, &["'./queries.jsonl' holds no query"]);
    let query = "{\"qid\": \"q0\", \"text\": \"tea\"}";
    std::fs::write(folder.path().join("queries.jsonl"), query).unwrap();
    std::fs::write(folder.path().join("qrels.tsv"), "\nq1\ta.example\t1\n").unwrap();
    eval(&["."]).fails_with(1, &["'./qrels.tsv' line 2: there is no query 'q1'"]);
    std::fs::write(folder.path().join("qrels.tsv"), "").unwrap();
    eval(&["."]).fails_with(1, &["no index at"]);
}

#[test]
fn an_index_without_the_agents_of_the_collection_is_reported_and_not_measured() {
    let folder = tempfile::tempdir().unwrap();
    let many = (0..101).map(|it| listing("chain.example", &format!("Branch {it:03}")));
    let tea = listing("tea.example", "Tea samples");
    support::indexed::index(&folder.path().join("index"), many.chain([tea]));
    let query = "{\"qid\": \"q1\", \"text\": \"tea samples\"}";
    std::fs::write(folder.path().join("queries.jsonl"), query).unwrap();
    let eval = |judged: &str| {
        std::fs::write(folder.path().join("qrels.tsv"), judged).unwrap();
        support::run("indexer", folder.path(), &["eval", ".", "--index", "index"])
    };
    eval("q1\tferry.example\t1\nq1\tD7\t1\n").fails_with(
        1,
        &[
            "'index' contains none of the 2 sites and agents",
            "--index",
            "--sites",
        ],
    );
    // The last of so many is looked for as well.
    let last = "chain.example/branch-100";
    let some = eval(&format!(
        "q1\ttea.example\t1\nq1\t{last}\t1\nq1\tferry.example\t1\n"
    ));
    assert_eq!(some.code, Some(0), "{}", some.output);
    let share = "2 of the 3 sites and agents that the collection judges are in the index.";
    assert!(some.output.starts_with(share), "{}", some.output);
    let unmet = eval("");
    assert_eq!(unmet.code, Some(0), "{}", unmet.output);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_is_measured_by_the_words_of_its_publishers() {
    let web = simweb::Simweb::builder();
    let web = web.folder(support::workspace().join("seeds/demo"));
    let pipeline = Pipeline::new(web.start().await.unwrap());
    crawl_and_index(&pipeline);
    let arguments = ["eval", "--self", "--database", "sqlite:agentdex.db"];
    let ran = support::run("indexer", pipeline.folder.path(), &arguments);
    println!("{}", ran.output);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(
        ran.output.contains("Authors reuse the words"),
        "{}",
        ran.output
    );

    let agents = pipeline::agents(&*pipeline.store().await).await;
    let examples = |agent: &StoredAgent| -> Vec<String> {
        let capabilities = agent.listing.agent.capabilities.iter();
        capabilities.flat_map(|it| it.examples.clone()).collect()
    };
    let mut withheld = Holdout::default();
    let mut sites = BTreeSet::new();
    for agent in agents.iter().filter(|agent| !examples(agent).is_empty()) {
        withheld.offer(agent);
        sites.insert(agent.domain.registrable().to_owned());
    }
    let needs = withheld.collection();
    assert_eq!(
        needs.queries.len(),
        sites.len(),
        "one of each registrable domain"
    );
    assert!(
        ran.output.contains(&format!("all {:>21}", sites.len())),
        "{}",
        ran.output
    );
    let rest: Vec<_> = agents
        .iter()
        .map(|it| withheld.without(it.clone()))
        .collect();
    for query in &needs.queries {
        let (author, _) = needs.grades[&query.id].first_key_value().unwrap();
        let of_author = |it: &&StoredAgent| it.listing.id.as_str() == author;
        let before = examples(agents.iter().find(of_author).unwrap());
        let after = examples(rest.iter().find(of_author).unwrap());
        assert!(
            before.contains(&query.text) && !after.contains(&query.text),
            "{query:?}"
        );
        assert_eq!(
            before.len(),
            after.len() + 1,
            "{author} keeps its other examples"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn labelled_collections_pass_through_crawler_and_indexer() {
    for (name, floor) in [("dev_mcp", 0.67), ("dev_plugins", 0.74)] {
        println!("{}", end_to_end(name, floor).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: a crawl of 5,378 sites"]
async fn the_largest_labelled_collection_passes_through_crawler_and_indexer() {
    println!("{}", end_to_end("dev", 0.50).await);
}

/// Serves a collection's agents as sites, crawls, indexes and evaluates them, and has the usual
/// scorer judge the run, which must reach a floor: the NDCG@10 over all needs.
///
/// The NDCG@10 of each group; nothing where the collections are not there.
async fn end_to_end(name: &str, floor: f64) -> String {
    let Some(relevance) = support::shared("relevance") else {
        return String::new();
    };
    let made = tempfile::tempdir().unwrap();
    let collection = relevance.join(name);
    let script = |script: &str, arguments: &[&str]| {
        let path = relevance.join(script);
        let arguments = [&[path.to_str().unwrap()], arguments].concat();
        support::run_program("python3", made.path(), &arguments)
    };
    let sites = script("to_sites.py", &[collection.to_str().unwrap(), "sites"]);
    assert_eq!(sites.code, Some(0), "{}", sites.output);
    let folder = made.path().join("sites");
    let web = simweb::Simweb::builder().folder(&folder).start().await;
    let pipeline = Pipeline::new(web.unwrap());
    crawl_and_index(&pipeline);

    let run = made.path().join("run.tsv");
    let sites = folder.join("sites.tsv");
    let about = [
        "eval",
        path(&collection),
        "--index",
        "index",
        "--sites",
        path(&sites),
    ];
    let arguments = [&about[..], &["--json", "--run", path(&run)]].concat();
    let figures = figures(&support::run("indexer", pipeline.folder.path(), &arguments));
    let scored = script(
        "eval.py",
        &["--coll", path(&collection), "--json", path(&run)],
    );
    let scored: Value = serde_json::from_str(&scored.output).unwrap();
    let scored = scored[path(&run)].as_object().unwrap();
    assert!(scored.len() >= 2, "{scored:?}");
    for (group, judged) in scored {
        for figure in ["ndcg@10", "mrr@10", "r@10", "r@50"] {
            let (ours, theirs) = (&figures[group][figure], &judged[figure]);
            let apart = ours.as_f64().unwrap() - theirs.as_f64().unwrap();
            assert!(
                apart.abs() < 1e-9,
                "{name} {group} {figure}: {ours}, not {theirs}"
            );
        }
    }
    // A domain finds its agent: crawler and indexer have lost none.
    let by_domain = figures["nav-domain"]["r@10"].as_f64().unwrap();
    assert!(by_domain > 0.99, "{figures:?}");
    let lines = figures.iter().filter(|(_, it)| it.is_object());
    let lines = lines.map(|(group, it)| format!("{group:16} {}\n", it["ndcg@10"]));
    let table = format!("{name}, NDCG@10\n{}", lines.collect::<String>());
    let needs = figures["need-*"]["ndcg@10"].as_f64().unwrap();
    assert!(needs >= floor, "{table}is below {floor}");
    table
}

/// Returns the listing of a site with one card.
fn listing(host: &str, name: &str) -> Listing {
    let card = serde_json::json!({
        "protocolVersion": "0.3.0", "name": name, "description": "", "url": format!("https://{host}/a2a"),
        "version": "1.0.0", "capabilities": {}, "skills": [],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    });
    let domain = Domain::parse(host).unwrap();
    let url = format!("https://{host}/.well-known/agent-card.json");
    let document = Document::new(domain.clone(), url.parse().unwrap(), card.to_string());
    let reading = manifest::formats::read(&document);
    let merged = manifest::merge::merge(&domain, &[(&document, reading)]);
    merged.listings.into_iter().next().unwrap()
}

fn crawl_and_index(pipeline: &Pipeline) {
    let crawled = pipeline.crawl_within(Duration::from_mins(30), &["--delay", "0"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
}

/// Returns the figures by group, from the JSON of `eval`; `unmet` and `documents` among them.
#[track_caller]
fn figures(ran: &support::Ran) -> BTreeMap<String, Value> {
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let mut answer: Value = serde_json::from_str(&ran.output).unwrap();
    let others = ["unmet", "documents"].map(|name| (name.to_owned(), answer[name].take()));
    let groups = answer["groups"].as_array().unwrap().iter();
    let groups = groups.map(|it| (it["type"].as_str().unwrap().to_owned(), it.clone()));
    groups.chain(others).collect()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
