//! Structured data of pages (JSON-LD in the words of schema.org), for search engines. It has what the
//! documents of an agent state, and no judgement.

use crate::own;
use crate::public_url::absolute;
use crate::view;
use serde_json::{Map, Value, json};
use store::StoredAgent;

/// Longest description, in characters.
const DESCRIPTION: usize = 1_000;

/// Returns the data of the front page.
pub(crate) fn site() -> String {
    text(&json!({
        "@context": "https://schema.org",
        "@type": "WebSite",
        "name": own::NAME,
        "description": own::DESCRIPTION,
        "url": absolute("/"),
        "potentialAction": {
            "@type": "SearchAction",
            "target": {
                "@type": "EntryPoint",
                "urlTemplate": format!("{}?q={{need}}", absolute("/search")),
            },
            "query-input": "required name=need",
        },
    }))
}

/// Returns the data of the page of an agent.
pub(crate) fn agent(stored: &StoredAgent) -> String {
    let agent = &stored.listing.agent;
    let mut data = Map::new();
    let mut state = |name: &str, value: Value| data.insert(name.to_owned(), value);
    state("@context", json!("https://schema.org"));
    state("@type", json!("SoftwareApplication"));
    state("name", json!(view::title(&agent.name)));
    let page = absolute(&view::agent_path(&stored.listing.id));
    state("mainEntityOfPage", json!(page));
    if let Some(text) = &agent.description {
        state("description", json!(view::shortened(text, DESCRIPTION)));
    }
    for (name, value) in [
        ("softwareVersion", &agent.version),
        ("url", &agent.homepage),
    ] {
        if let Some(value) = value {
            state(name, json!(value));
        }
    }
    for (name, values) in [("keywords", &agent.tags), ("inLanguage", &agent.languages)] {
        if !values.is_empty() {
            state(name, json!(values));
        }
    }
    if let Some(provider) = &agent.provider {
        let mut organization = json!({ "@type": "Organization", "name": provider.name });
        if let Some(url) = &provider.url {
            organization["url"] = json!(url);
        }
        state("provider", organization);
    }
    text(&Value::Object(data))
}

/// Returns JSON that cannot end the element that it stands in.
fn text(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
