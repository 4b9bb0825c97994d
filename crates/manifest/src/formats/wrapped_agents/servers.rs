//! Lists of MCP servers: `servers`, and `mcpServers` as in the settings of clients.
//!
//! A server that is only a command, or reachable only from its own machine, is not listed (GP-05).
//! A server at a foreign address is listed if the document describes it, and mentioned otherwise
//! (ARD-06).

use super::{MAX_ITEMS, Manifest, named};
use crate::format::{Format as _, Input};
use crate::formats::mcp::McpServerCard;
use crate::reference;
use crate::rule::profile::{GP_03, GP_05};
use crate::{Mention, json, link, placeholder, public_address};
use serde_json::{Map, Value};

/// Members that list servers.
const LISTS: [&str; 2] = ["mcpServers", "servers"];
/// Members of a server with its address.
const ADDRESSES: [&str; 3] = ["url", "serverUrl", "endpoint"];

/// Reports whether any server of a list has an address.
pub(in crate::formats) fn has_servers(object: &Map<String, Value>) -> bool {
    let lists = LISTS.iter().filter_map(|name| object.get(*name));
    let mut servers = lists.flat_map(|list| match list {
        Value::Array(items) => items.iter().collect::<Vec<_>>(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    });
    servers.any(|server| address(server).is_some())
}

/// Returns the address of a server and the member that contains it.
fn address(server: &Value) -> Option<(&'static str, &str)> {
    let addresses = ADDRESSES.into_iter();
    let mut addresses = addresses.filter_map(|name| Some((name, server.get(name)?.as_str()?)));
    addresses.find(|(_, address)| {
        address.starts_with('/')
            || (link::is_absolute(address) && public_address::of_url(address).is_none())
    })
}

impl Manifest {
    /// Reads the first list of servers in which one has an address.
    pub(super) fn add_servers(&mut self, input: &Input<'_>, object: &Map<String, Value>) {
        for list in LISTS {
            self.at = format!("/{list}");
            match object.get(list) {
                Some(Value::Array(items)) => {
                    self.findings.rest(&self.at, items.len(), MAX_ITEMS);
                    for (index, item) in items.iter().enumerate().take(MAX_ITEMS) {
                        self.add_server(input, item, &format!("/{list}/{index}"));
                    }
                }
                Some(Value::Object(members)) => {
                    self.findings.rest(&self.at, members.len(), MAX_ITEMS);
                    for (key, item) in members.iter().take(MAX_ITEMS) {
                        let pointer = format!("/{list}/{}", json::escape(key));
                        self.add_server(input, &named(key, item), &pointer);
                        self.name_by_key(item, &pointer);
                    }
                }
                _ => {}
            }
            if self.mentioned > 0 || !self.readings.is_empty() {
                return;
            }
        }
    }

    fn add_server(&mut self, input: &Input<'_>, server: &Value, pointer: &str) {
        let Some((member, address)) = address(server) else {
            let message = "without an address that others reach, a server is not listed";
            self.findings.add(GP_05.info(), pointer, message);
            return;
        };
        if let Some(mark) = placeholder::mark(input.document, address) {
            let message = format!(
                "a placeholder from a template ({mark}), which was ignored; put the real value here"
            );
            let pointer = format!("{pointer}/{member}");
            self.findings.add(&GP_03, pointer, message);
            return;
        }
        let Some(url) = link::absolute(&input.document.url, address) else {
            return;
        };
        let is_card = names_card(&url);
        if is_card {
            let at = format!("{pointer}/{member}");
            self.addresses
                .extend(reference::to(input.document, "mcp", address, &at));
        }
        let is_described = server["description"].is_string();
        let is_own = link::is_own(input.document, &url);
        if !is_described && (is_card || !is_own) {
            self.mentioned += 1;
            if !is_own {
                self.mentions.push(Mention {
                    name: super::name(server),
                    publisher: None,
                    url: Some(url),
                    pointer: pointer.to_owned(),
                });
            }
            return;
        }
        let mut server = server.clone();
        if let Some(members) = server.as_object_mut().filter(|_| is_card) {
            // The location of a card is not the endpoint of the server.
            members.remove(member);
        }
        let reading = input.item_as(McpServerCard::ID, &server, pointer);
        self.readings.push(reading);
    }
}

/// Reports whether the URL is that of a card, which describes the server but is not its endpoint.
fn names_card(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let ends = [
        "/server-card.json",
        "/server-card",
        "/mcp-server-card",
        "/.well-known/mcp.json",
    ];
    ends.iter().any(|end| path.ends_with(end))
}
