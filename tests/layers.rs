//! Checks which crate may depend on which library, and which module of a crate on which
//! (ARCHITECTURE.md, "The crates").

use crate::support::{self, imports::Imports};
use std::collections::BTreeMap;

/// Library to the crates that may name it in their `Cargo.toml`, tests aside.
const RULES: &[(&str, &[&str])] = &[
    ("axum", &["web"]),
    ("askama", &["web"]),
    ("hickory-resolver", &["crawler"]),
    ("hyper-rustls", &["crawler"]),
    // `agentdex` is a client of other registries.
    ("reqwest", &["agentdex", "crawler"]),
    ("rten-gemm", &["encoder"]),
    ("sqlx", &["store"]),
    ("tantivy", &["search"]),
    ("tar", &["store"]),
    ("texting_robots", &["crawler"]),
    // Our own crates: the picture in ARCHITECTURE.md, arrow by arrow.
    (
        "admin",
        &["agentdex", "crawler", "indexer", "search", "web"],
    ),
    ("connect", &["export", "search", "web"]),
    ("crawler", &["agentdex"]),
    ("encoder", &["search"]),
    ("export", &["agentdex", "indexer", "web"]),
    ("indexer", &["agentdex"]),
    ("search", &["agentdex", "indexer", "web"]),
    ("simweb", &["agentdex"]),
    (
        "store",
        &[
            "admin", "agentdex", "crawler", "export", "indexer", "search", "web",
        ],
    ),
    ("terminal", &["agentdex", "crawler", "indexer", "web"]),
    ("web", &["agentdex"]),
];

/// Allowed dependencies of the pure crate; none does I/O, reads a clock or is asynchronous.
const PURE: &[&str] = &[
    "base64",
    "data-encoding",
    "encoding_rs",
    "idna",
    "ipnet", // Ranges of addresses as numbers.
    "jiff",  // The calendar; its clock is not read.
    "jsonc-parser",
    "psl",
    "regex-syntax",
    "ring", // Only its verification of signatures, which computes and draws no random numbers.
    "schemars", // Descriptions of types.
    "semver",
    "serde",
    "serde-saphyr", // YAML in, values out; its bounds are set where it is called.
    "serde_json",
    "serde_json_canonicalizer", // RFC 8785: a value in, its canonical bytes out.
    "sha2",
    "slug",
    "thiserror",
    "unicode-security", // Tables: which characters look alike, and their scripts.
    "unicode-width",    // Tables: how many columns a character takes.
    "url",
];

/// Returns crate names with the names of their dependencies, development dependencies left out.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let mut crates = BTreeMap::new();
    let root: toml::Table = support::workspace_file("Cargo.toml").parse().unwrap();
    for member in root["workspace"]["members"].as_array().unwrap() {
        let folder = member.as_str().unwrap();
        let manifest: toml::Table = support::workspace_file(&format!("{folder}/Cargo.toml"))
            .parse()
            .unwrap();
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let named = manifest
            .get("dependencies")
            .and_then(toml::Value::as_table)
            .map(|table| table.keys().cloned().collect())
            .unwrap_or_default();
        crates.insert(name, named);
    }
    assert!(
        crates.len() >= 8,
        "the workspace has lost crates: {:?}",
        crates.keys()
    );
    crates
}

#[test]
fn only_its_own_layer_names_a_library() {
    let crates = dependencies();
    for (library, allowed) in RULES {
        for (name, named) in &crates {
            assert!(
                allowed.contains(&name.as_str()) || !named.iter().any(|it| it == library),
                "{name} names {library}; only {allowed:?} may"
            );
        }
    }
}

#[test]
fn the_manifest_crate_stays_pure() {
    for library in &dependencies()["manifest"] {
        assert!(
            PURE.contains(&library.as_str()),
            "manifest names {library}, which is not known to be pure"
        );
    }
}

#[test]
fn modules_are_files_with_their_own_name() {
    for path in support::rust_files() {
        assert_ne!(
            path.file_name().unwrap(),
            "mod.rs",
            "{} should be named for its module",
            path.display()
        );
    }
}

#[test]
fn every_file_begins_with_its_documentation() {
    for path in support::rust_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("//!"),
            "{} does not begin with `//!`",
            path.display()
        );
    }
}

/// The modules of a crate directly below one of them, from low to high: a module uses only modules of
/// earlier lines.
struct Order {
    /// Source directory of the crate.
    sources: &'static str,
    /// Module whose children are listed; empty for the root of the crate.
    below: &'static [&'static str],
    modules: &'static [&'static [&'static str]],
    /// Directory below it and the most files that may lead to each other there.
    circles: &'static [(&'static [&'static str], usize)],
}

const ORDERS: &[Order] = &[
    Order {
        sources: "crates/manifest/src",
        below: &[],
        modules: &[
            // The model.
            &["public_address", "words"],
            &["correction"],
            &[
                "domain",
                "extension",
                "format_id",
                "position",
                "text",
                "time",
            ],
            &["agent", "document", "marker", "rule", "signature"],
            &["fact"],
            &["finding", "link", "rate", "schema"],
            &["auth", "payment"],
            // Text and JSON.
            &["json"],
            &["openapi"],
            &["reference"],
            &["field", "secret", "shape"],
            &["body", "format"],
            // The formats.
            &["fault", "listing", "provenance"],
            &[
                "account",
                "caution",
                "corrected",
                "placeholder",
                "redacted",
                "withheld",
            ],
            &["entry"],
            &["delivery"],
            &["formats"],
            &["succession"],
            &["change"],
            &["difference"],
            // What is made of readings.
            &["convert", "file", "lint", "merge"],
            &["author", "rules"],
        ],
        circles: &[(&[], 8)],
    },
    Order {
        sources: "crates/store/src",
        below: &[],
        modules: &[
            &["model", "sql"],
            &["error", "migrations", "row", "table"],
            &["contract"],
            &["blocklist", "subjects"],
            &["postgres", "sqlite"],
            &["backup", "export_file", "transfer"],
        ],
        circles: &[(&[], 0)],
    },
    Order {
        sources: "crawler/src",
        below: &[],
        modules: &[
            &["clock", "crawl_delay", "descriptors", "probes"],
            &["rate_limit", "robots"],
            &["fleet", "plan"],
            &["schedule"],
            &["fetch"],
            &["config", "contained"],
            &["membership", "observer", "receipt"],
            &["visit"],
            &["report", "status"],
            &["summary", "seeds"],
            &["run"],
            &["check", "exclude", "metrics", "progress"],
        ],
        circles: &[(&[], 8)],
    },
    Order {
        sources: "indexer/src",
        below: &[],
        modules: &[
            &["housekeeping", "pipeline"],
            &["run"],
            &["input", "report"],
            &["convert", "eval", "lint", "moderate"],
            &["config"],
            &["database"],
            &["indexing"],
        ],
        circles: &[(&[], 6)],
    },
    Order {
        sources: "crates/encoder/src",
        below: &[],
        modules: &[
            &["numbers", "packed"],
            &["charsmap", "table"],
            &["network", "tokenizer"],
        ],
        circles: &[(&[], 4)],
    },
    Order {
        sources: "crates/export/src",
        below: &[],
        modules: &[&["urn"], &["public"], &["row"], &["sink"], &["daily"]],
        circles: &[(&[], 4)],
    },
    Order {
        sources: "crates/search/src",
        below: &[],
        modules: &[
            // The index.
            &["files", "position", "stable_hash", "word_map"],
            &["analyzer", "embedding", "near_duplicates"],
            &["agent_vectors", "cached_encoder", "category", "dictionary"],
            &["facet"],
            &["schema"],
            &["directory"],
            // The query.
            &["address", "statistics", "vector_search"],
            &["query", "spelling"],
            &["lookalike", "ranking"],
            &["request"],
            &["query_plan"],
            // The answer.
            &["bm25", "collector", "explain", "proximity"],
            &["capability_ranking", "nearest", "suggest", "vocabulary"],
            &["results"],
            &["searcher", "writer"],
            &["follower", "metrics", "relevance"],
        ],
        circles: &[(&[], 6)],
    },
    Order {
        sources: "web/src",
        below: &[],
        modules: &[
            &[
                "cache",
                "client",
                "host",
                "json_rpc",
                "markdown",
                "media_type",
                "object",
                "origin",
                "parameter",
                "public_url",
                "twin",
                "view",
            ],
            &["slots"],
            &[
                "answers",
                "assets",
                "connect",
                "feed",
                "json",
                "cached_value",
                "crawler_identity",
                "rate",
                "secrets",
            ],
            &["cursor", "metrics"],
            &["html", "query"],
            &["own"],
            &["error", "structured"],
            &["outage", "random", "state"],
            &["action", "draft", "openapi", "posted"],
            &["record"],
            &["api", "pages", "protocol", "well_known"],
            &["routes"],
            &["layers"],
            &["config", "server"],
            &["run"],
        ],
        circles: &[(&[], 4)],
    },
];

#[test]
fn modules_use_only_modules_below_them() {
    let mut broken = Vec::new();
    for order in ORDERS {
        let imports = Imports::of(&support::workspace().join(order.sources));
        let level = |name: &str| order.modules.iter().position(|line| line.contains(&name));
        for (module, used) in imports.modules(order.below) {
            let Some(own) = level(module) else {
                broken.push(format!(
                    "{}: {module} has no place in the order",
                    order.sources
                ));
                continue;
            };
            let above = used
                .into_iter()
                .filter(|it| level(it).is_none_or(|it| it >= own));
            broken.extend(above.map(|it| format!("{}: {module} uses {it}", order.sources)));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn circles_of_files_stay_small() {
    for order in ORDERS {
        let imports = Imports::of(&support::workspace().join(order.sources));
        for (below, most) in order.circles {
            let circles = imports.circles(below);
            let largest = circles.first().map_or(&[][..], Vec::as_slice);
            println!("{} {below:?}: {} files", order.sources, largest.len());
            assert!(
                largest.len() <= *most,
                "a circle of {}: {}",
                largest.len(),
                largest.join(" ")
            );
        }
    }
}
