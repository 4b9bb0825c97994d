//! The endpoints that a card of any version states.

use super::super::guard::Guard;
use super::super::manifests::list;
use super::super::{self as endpoints, Answers, Endpoint};
use super::{Agent, Interface, Kind, Operation};
use serde_json::{Value, json};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

/// Reads a card.
pub(in super::super) fn endpoints(card: &Value, answers: &Arc<Answers>, all: &mut Vec<Endpoint>) {
    let guard = Guard::of_card(card);
    let agent = Arc::new(agent(card, answers));
    let old = match card["protocolVersion"].as_str() {
        Some(version) => version.get(..3).unwrap_or(version),
        None if card.get("authentication").is_some() => "0.1",
        None => "0.2",
    };
    let main = json!({
        "url": card["url"], "protocolVersion": old,
        "transport": card.get("preferredTransport").unwrap_or(&json!("JSONRPC")),
    });
    let others = list(card, "supportedInterfaces")
        .iter()
        .chain(list(card, "additionalInterfaces"));
    for stated in others.chain([&main]) {
        let binding = stated["protocolBinding"]
            .as_str()
            .or_else(|| stated["transport"].as_str());
        let Some(url) = stated["url"].as_str() else {
            continue;
        };
        let interface = Interface {
            agent: Arc::clone(&agent),
            version: stated["protocolVersion"].as_str().unwrap_or(old).to_owned(),
            tenant: stated["tenant"].as_str().map(str::to_owned),
        };
        for (url, method, kind) in operations(&interface, url, binding) {
            let interface = interface.clone();
            let kind = endpoints::Kind::A2a(Operation { interface, kind });
            all.extend(Endpoint::at(&url, method, guard.clone(), kind));
        }
    }
}

fn agent(card: &Value, answers: &Arc<Answers>) -> Agent {
    let capabilities = &card["capabilities"];
    let extensions = list(capabilities, "extensions").iter();
    let required = extensions.filter(|it| it["required"] == true);
    let of_tasks = ["streaming", "pushNotifications", "stateTransitionHistory"];
    Agent {
        name: card["name"].as_str().unwrap_or_default().to_owned(),
        skills: list(card, "skills").to_vec(),
        answers: Arc::clone(answers),
        extensions: required
            .filter_map(|it| it["uri"].as_str().map(str::to_owned))
            .collect(),
        is_streaming: capabilities["streaming"] == true,
        has_tasks: of_tasks.iter().any(|it| capabilities[it] == true),
        answered: AtomicU64::default(),
        tasks: Mutex::default(),
    }
}

/// Lists the addresses of an interface, with their methods of HTTP.
fn operations(
    interface: &Interface,
    url: &str,
    binding: Option<&str>,
) -> Vec<(String, &'static str, Kind)> {
    let is_third = interface.version.starts_with('1');
    let base = match binding {
        Some("JSONRPC") => return vec![(url.to_owned(), "POST", Kind::Rpc)],
        Some("HTTP+JSON") if is_third => {
            let tenant = interface.tenant.iter().map(|it| format!("/{it}"));
            format!("{url}{}", tenant.collect::<String>())
        }
        Some("HTTP+JSON") => format!("{url}/v1"),
        _ => return Vec::new(),
    };
    vec![
        (format!("{base}/message:send"), "POST", Kind::Send),
        (format!("{base}/message:stream"), "POST", Kind::Stream),
        (format!("{base}/tasks/{{id}}"), "GET", Kind::Task),
    ]
}
