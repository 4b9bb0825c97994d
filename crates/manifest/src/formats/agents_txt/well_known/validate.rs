//! Checks of the rules AT-30 to AT-39.

use super::block::{self, Block};
use super::is_operator;
use crate::formats::agents_txt::directives::Directive;
use crate::formats::agents_txt::lines::Position;
use crate::formats::agents_txt::report::{Report, quoted};
use crate::formats::agents_txt::well_known::rules::{
    AT_30, AT_31, AT_32, AT_33, AT_34, AT_35, AT_37, AT_38, AT_39,
};
use crate::{link, rate, text};
use std::collections::HashSet;

pub(in crate::formats::agents_txt) fn validate(report: &mut Report<'_>) {
    version(report);
    report.require(&AT_31, "Site-Name", "the site's name");
    report.require_url(&AT_31, "Site-URL");
    declaration(report);
    let blocks = &report.manifest.blocks;
    let mut ids = HashSet::new();
    for block in blocks.iter().filter(|block| !block.is_agent) {
        capability(report, block);
        if !ids.insert(text::fold(&block.name)) {
            let message = format!(
                "{} is declared twice; keep one declaration",
                quoted(&block.name)
            );
            report.at(&AT_39, block.at, message);
        }
    }
    for block in blocks.iter().filter(|block| block.is_agent) {
        caller(report, block, &ids);
    }
    if let Some(line) = report.directives().first("rate-limit")
        && rate::parse("default", &line.value).is_none()
    {
        report.at(
            &AT_38,
            line.value_at,
            "Rate-Limit is not a rate; write 60/minute",
        );
    }
}

/// Checks the version, given as a line or in a comment (AT-30).
fn version(report: &mut Report<'_>) {
    match report.directives().first("spec-version") {
        None => report.missing(&AT_30, "no Spec-Version; add a line `Spec-Version: 1.0`"),
        Some(line) if line.value != "1" && !line.value.starts_with("1.") => {
            let message = format!("unknown version {}; write 1.0", quoted(&line.value));
            report.at(&AT_30, line.value_at, message);
        }
        Some(_) => {}
    }
}

/// Checks the declaration of a publisher's own bot (AT-37).
fn declaration(report: &mut Report<'_>) {
    let directives = report.directives();
    let operates = directives.first("operates-on");
    let kind = directives.first("declaration-type");
    match (kind.filter(|_| is_operator(report.manifest)), operates) {
        (Some(kind), None) => {
            let message = "no Operates-On; add a line that states where the bot works";
            report.at(&AT_37, kind.at, message);
        }
        (Some(kind), Some(_)) => {
            let message =
                "this file describes its publisher's own bot, so nothing in it can be called";
            report.at(AT_37.info(), kind.at, message);
        }
        (None, Some(line)) => {
            let message =
                "Operates-On needs `Declaration-Type: agent`; add that line or remove this one";
            report.at(&AT_37, line.at, message);
        }
        (None, None) => {}
    }
}

/// Checks one capability (AT-32 to AT-34).
fn capability(report: &mut Report<'_>, block: &Block) {
    if block.name.is_empty() {
        report.at(
            &AT_32,
            block.at,
            "a Capability without an id; write `Capability: find-book`",
        );
    } else if !is_id(&block.name) {
        let message = "an id has lower-case letters, digits and dashes only, such as find-book";
        report.at(AT_32.warning(), block.at, message);
    }
    endpoint(report, block);
    protocol(report, block);
    auth(report, block);
    let params = block.directives.all("param");
    let wrong = params.filter(|line| block::param(&line.value).is_none());
    let message = |_: &&Directive| {
        "not a parameter; write `name (location, type, required) - text`".to_owned()
    };
    report.each(&AT_34, wrong, |line| line.value_at, message);
    limit(report, block);
}

fn is_id(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes().all(|byte| is_part(byte) || byte == b'-') && !name.starts_with('-')
}

/// Checks the endpoint (AT-32, AT-39).
fn endpoint(report: &mut Report<'_>, block: &Block) {
    let Some(line) = block.directives.first("endpoint") else {
        let message = format!("{} has no Endpoint; add its URL", quoted(&block.name));
        return report.at(&AT_32, block.at, message);
    };
    let scheme = line.value.split_once("://").map(|(scheme, _)| scheme);
    match scheme.map(str::to_ascii_lowercase).as_deref() {
        Some("https" | "wss") => {
            let address = line.value.replacen("wss://", "https://", 1);
            if !link::is_own(report.input.document, &address) {
                let message = "the endpoint belongs to another domain";
                report.at(AT_39.info(), line.value_at, message);
            }
        }
        Some("http" | "ws") => {
            let message = "the endpoint is not https; give an https URL";
            report.at(AT_32.warning(), line.value_at, message);
        }
        _ => {
            let message = "the endpoint is not an absolute URL; write https://…";
            report.at(&AT_32, line.value_at, message);
        }
    }
}

fn protocol(report: &mut Report<'_>, block: &Block) {
    const PROTOCOLS: [&str; 5] = ["rest", "mcp", "a2a", "graphql", "websocket"];
    match block.directives.first("protocol") {
        None => {
            let message = "no Protocol; we assume REST";
            report.at(AT_32.warning(), block.at, message);
        }
        Some(line) if !PROTOCOLS.contains(&line.value.to_ascii_lowercase().as_str()) => {
            let message = "unknown Protocol; use REST, MCP, A2A, GraphQL or WebSocket";
            report.at(AT_32.warning(), line.value_at, message);
        }
        Some(_) => {}
    }
}

/// Checks the method and the authentication (AT-33).
fn auth(report: &mut Report<'_>, block: &Block) {
    const AUTHS: [&str; 5] = ["none", "api-key", "bearer-token", "oauth2", "hmac"];
    const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    if let Some(line) = block.directives.first("method")
        && !METHODS.contains(&line.value.to_ascii_uppercase().as_str())
    {
        let message = "not a single HTTP method; declare one capability for each method";
        report.at(&AT_33, line.value_at, message);
    }
    let Some(line) = block.directives.first("auth") else {
        return;
    };
    let auth = line.value.to_ascii_lowercase();
    let needs_token = matches!(auth.as_str(), "bearer-token" | "oauth2");
    if !AUTHS.contains(&auth.as_str()) {
        let message = "unknown Auth; use none, api-key, bearer-token, oauth2 or hmac";
        report.at(&AT_33, line.value_at, message);
    } else if needs_token && block.directives.first("auth-endpoint").is_none() {
        let message = "no Auth-Endpoint; add the URL that issues the token";
        report.at(&AT_33, line.value_at, message);
    }
}

/// Checks the rate limit of a block (AT-38).
fn limit(report: &mut Report<'_>, block: &Block) {
    if let Some(line) = block.directives.first("rate-limit")
        && rate::parse("default", &line.value).is_none()
    {
        report.at(
            &AT_38,
            line.value_at,
            "Rate-Limit is not a rate; write 60/minute",
        );
    }
}

/// Checks the block of a calling agent (AT-35).
fn caller(report: &mut Report<'_>, block: &Block, ids: &HashSet<String>) {
    let lines = block.directives.all("capabilities");
    let names = lines.flat_map(Directive::parts);
    let unknown = names.filter(|(_, name)| !ids.contains(&text::fold(name)));
    let message =
        |(_, name): &(Position, &str)| format!("no Capability has the id {}", quoted(name));
    report.each(&AT_35, unknown, |it| it.0, message);
    if let Some(line) = block.directives.first("agent-declaration")
        && !link::is_absolute(&line.value)
    {
        let message = "Agent-Declaration is not a URL; write https://…";
        report.at(&AT_35, line.value_at, message);
    }
    limit(report, block);
}
