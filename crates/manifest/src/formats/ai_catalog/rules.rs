//! The rules of AI Catalog and Agentic Resource Discovery.

use crate::Severity::Warning;
use crate::rule::{Example, Rule};

const CATALOG: &str = "AI Catalog";
const ARD: &str = "Agentic Resource Discovery manifest";

/// Valid catalogue.
const GOOD_CATALOG: &[Example] = &[catalog(
    r#"{
  "specVersion": "1.0",
  "host": {"displayName": "Harbour Bookshop"},
  "entries": [{
    "identifier": "urn:example:bookshop:finder",
    "displayName": "Book finder",
    "type": "application/a2a-agent-card+json",
    "url": "https://shop.example/.well-known/agent-card.json",
    "description": "Finds second-hand books.",
    "trustManifest": {"identity": "urn:example:bookshop:finder"}
  }]
}"#,
)];

/// Valid ARD manifest.
const GOOD_ARD: &[Example] = &[ard(r#"{
  "specVersion": "1.0",
  "host": {"displayName": "Harbour Bookshop"},
  "entries": [{
    "identifier": "urn:air:shop.example:agent:finder",
    "displayName": "Book finder",
    "type": "application/a2a-agent-card+json",
    "url": "https://shop.example/.well-known/agent-card.json",
    "description": "Finds second-hand books.",
    "representativeQueries": ["find a used atlas", "who sells old sea charts?"],
    "trustManifest": {"identity": "did:web:shop.example"}
  }]
}"#)];

/// The members that most of these rules share; each is an error unless it says otherwise.
const OF_CATALOG: Rule = Rule::shared(CATALOG, GOOD_CATALOG);

/// The members that most of these rules share; each is an error unless it says otherwise.
const OF_ARD: Rule = Rule::shared(ARD, GOOD_ARD);

pub(crate) static CAT_01: Rule = Rule {
    id: "CAT-01",
    title: "The catalogue names the version of its specification",
    explanation: "`specVersion` is major.minor as a text, today \"1.0\". A patch number is understood with a warning.",
    section: "AI Catalog 1.0, top-level structure",
    bad: &[catalog(
        r#"{"specVersion": "one", "entries": [{"identifier": "urn:example:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_02: Rule = Rule {
    id: "CAT-02",
    title: "Entries are a list of objects",
    explanation: "`entries` is required and holds one object for each thing that is catalogued; it may be empty.",
    section: "AI Catalog 1.0, top-level structure",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "entries": ["https://shop.example/card.json", {"identifier": "urn:example:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_03: Rule = Rule {
    id: "CAT-03",
    title: "An entry has an identifier of its own",
    explanation: "`identifier` is required, and no two entries share one unless their versions differ: clients update what they know by it.",
    section: "AI Catalog 1.0, catalog entry",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:example:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json"}, {"identifier": "urn:example:finder", "displayName": "Map finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/map.json"}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_04: Rule = Rule {
    id: "CAT-04",
    title: "An entry names the media type of what it leads to",
    explanation: "`type`, formerly `mediaType`, tells a client whether the entry is for it before anything is fetched.",
    section: "AI Catalog 1.0, catalog entry; ADR-0014",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:example:finder", "displayName": "Book finder", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_05: Rule = Rule {
    id: "CAT-05",
    title: "An entry has either url or data",
    explanation: "The artefact is at `url` or inline in `data`. With both, it is unclear which applies; with neither, there is no artefact.",
    section: "AI Catalog 1.0, catalog entry",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:example:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json"}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_06: Rule = Rule {
    id: "CAT-06",
    severity: Warning,
    title: "An entry has a name for people",
    explanation: "`displayName` is what a list shows. MCP's discovery text drops it, so its absence is a warning only.",
    section: "AI Catalog 1.0, catalog entry",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:example:finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_07: Rule = Rule {
    id: "CAT-07",
    severity: Warning,
    title: "A trust manifest is about its entry",
    explanation: "`trustManifest.identity` equals the entry's identifier; clients must reject a trust manifest that speaks of something else.",
    section: "AI Catalog 1.0, trust manifest",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:example:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json", "trustManifest": {"identity": "urn:example:other"}}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_08: Rule = Rule {
    id: "CAT-08",
    severity: Warning,
    title: "A catalogue is neither deep nor endless",
    explanation: "We read 200 entries in all, and catalogues within catalogues to a depth of four. Publish larger ones in parts, each at its own url.",
    section: "AI Catalog 1.0, nested catalogs",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:example:a", "displayName": "A", "type": "application/ai-catalog+json", "data":
 {"specVersion": "1.0", "entries": [{"identifier": "urn:example:b", "displayName": "B", "type": "application/ai-catalog+json", "data":
  {"specVersion": "1.0", "entries": [{"identifier": "urn:example:c", "displayName": "C", "type": "application/ai-catalog+json", "data":
   {"specVersion": "1.0", "entries": [{"identifier": "urn:example:d", "displayName": "D", "type": "application/ai-catalog+json", "data":
    {"specVersion": "1.0", "entries": []}}]}}]}}]}}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static CAT_09: Rule = Rule {
    id: "CAT-09",
    severity: Warning,
    title: "The list is called entries",
    explanation: "Drafts had `agents` with `cardUrl`. We still read that shape; current clients look for `entries`.",
    section: "AI Catalog, early drafts",
    bad: &[catalog(
        r#"{"specVersion": "1.0", "agents": [{"id": "finder", "name": "Book finder", "cardUrl": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static ARD_01: Rule = Rule {
    id: "ARD-01",
    title: "The manifest has a list of entries",
    explanation: "`entries` is a list of objects. Nothing else is required of the manifest since 0.91; `specVersion` belongs to AI Catalog.",
    section: "ARD 0.91, discovery mechanisms",
    bad: &[ard(
        r#"{"entries": ["https://shop.example/card.json", {"identifier": "urn:air:shop.example:agent:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_02: Rule = Rule {
    id: "ARD-02",
    title: "Identifiers are urn:air names",
    explanation: "An identifier is `urn:air:<domain>:<kind>:<name>` of letters, digits, dots, dashes and underscores. The older prefix `urn:ai:` is understood with a warning.",
    section: "ARD 0.91, entry terms",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_03: Rule = Rule {
    id: "ARD-03",
    title: "An entry has either url or data",
    explanation: "The artefact is found at `url` or stands inline in `data`; exactly one of them is given.",
    section: "ARD 0.91, entry terms",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:agent:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json"}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_04: Rule = Rule {
    id: "ARD-04",
    title: "An entry has displayName and type",
    explanation: "ARD requires both. A missing `displayName` is a warning: documents of other specifications that share this format leave it out. `mediaType` is the older name of `type`.",
    section: "ARD 0.91, entry terms",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:agent:finder", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_05: Rule = Rule {
    id: "ARD-05",
    severity: Warning,
    title: "An entry has two to five typical questions",
    explanation: "`representativeQueries` are what people ask when they need the agent; registries index them. An entry without them is found by name at best.",
    section: "ARD 0.91, representativeQueries",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:agent:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json", "representativeQueries": ["find a used atlas"]}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_06: Rule = Rule {
    id: "ARD-06",
    title: "A site speaks for itself only",
    explanation: "The publisher in the identifier must be the host that serves the file, or its registrable domain. Entries of others are kept as mentions and never credited to them.",
    section: "ARD 0.91, publisher authority binding",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:air:famous.example:agent:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_07: Rule = Rule {
    id: "ARD-07",
    severity: Warning,
    title: "Identity and identifier name one publisher",
    explanation: "The trust domain of `trustManifest.identity` equals the publisher in the identifier; otherwise the claims belong to another publisher.",
    section: "ARD 0.91, publisher authority binding",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:agent:finder", "displayName": "Book finder", "type": "application/a2a-agent-card+json", "url": "https://shop.example/card.json", "trustManifest": {"identity": "did:web:elsewhere.example"}}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_08: Rule = Rule {
    id: "ARD-08",
    severity: Warning,
    title: "Inline documents are small and flat",
    explanation: "`data` is for documents of at most 64 KiB, and catalogues within catalogues end at a depth of four. Publish larger ones at a url.",
    section: "ARD 0.9, inline data",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:list:a", "displayName": "A", "type": "application/ai-catalog+json", "data":
 {"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:list:b", "displayName": "B", "type": "application/ai-catalog+json", "data":
  {"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:list:c", "displayName": "C", "type": "application/ai-catalog+json", "data":
   {"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:list:d", "displayName": "D", "type": "application/ai-catalog+json", "data":
    {"specVersion": "1.0", "entries": []}}]}}]}}]}}]}"#,
    )],
    ..OF_ARD
};

pub(crate) static ARD_09: Rule = Rule {
    id: "ARD-09",
    severity: Warning,
    title: "Types are spelled as registered",
    explanation: "Several spellings of one media type are in use, such as application/mcp-server. We fold them; clients that compare texts do not.",
    section: "ARD 0.91, artifact-agnostic envelope",
    bad: &[ard(
        r#"{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:mcp:finder", "displayName": "Book finder", "type": "application/mcp-server", "url": "https://shop.example/card.json"}]}"#,
    )],
    ..OF_ARD
};

pub(super) const RULES: &[&Rule] = &[
    &CAT_01, &CAT_02, &CAT_03, &CAT_04, &CAT_05, &CAT_06, &CAT_07, &CAT_08, &CAT_09, &ARD_01,
    &ARD_02, &ARD_03, &ARD_04, &ARD_05, &ARD_06, &ARD_07, &ARD_08, &ARD_09,
];

const fn catalog(body: &'static str) -> Example {
    Example::at("/.well-known/ai-catalog.json", body)
}

const fn ard(body: &'static str) -> Example {
    Example::at("/.well-known/ard.json", body)
}
