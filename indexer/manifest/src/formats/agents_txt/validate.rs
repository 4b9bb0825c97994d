//! The rules of each dialect (FORMATS.md 4.3 to 4.7, AT-90 to AT-96).

use super::keys::{self, Directive};
use super::{Block, Dialect, Manifest, blocks};
use crate::Severity::{Error, Info, Warning};
use crate::finding::Findings;
use crate::format::Input;
use crate::{Severity, link, rate, text};
use std::collections::HashSet;

/// Says what is wrong with a file.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if manifest.dialect == Dialect::None {
        other_file(input, findings);
        return;
    }
    let mut report = Report {
        manifest,
        input,
        findings,
    };
    report.lines();
    match manifest.dialect {
        Dialect::D1 => report.d1(),
        Dialect::D2 => report.d2(),
        Dialect::D3 => report.d3(),
        Dialect::D4 => report.d4(),
        Dialect::D11 => report.info(
            "AT-90",
            "prose; write an agents.json or an agent card for programs",
        ),
        Dialect::Free => {
            report.info(
                "AT-92",
                "free keys; write an agents.json or an agent card for programs",
            );
        }
        Dialect::None => {}
    }
}

/// DI-05 and AT-96: what the text is instead.
fn other_file(input: &Input<'_>, findings: &mut Findings) {
    let lower = input.text.to_ascii_lowercase();
    let has_line = |start: &str| {
        lower
            .lines()
            .any(|line| line.trim_start().starts_with(start))
    };
    if lower.is_empty() {
        // The body itself was refused, and that has its own finding.
    } else if has_line("user-agent:") {
        findings.error(
            "DI-05",
            "",
            "a copy of robots.txt; write what agents can do here instead",
        );
    } else if has_line("#") {
        findings.error(
            "AT-96",
            "",
            "notes for people or coding agents, not a manifest of a service",
        );
    } else {
        findings.error(
            "DI-05",
            "",
            "not in any dialect of agents.txt; give Name, URL and Capabilities",
        );
    }
}

struct Report<'r> {
    manifest: &'r Manifest,
    input: &'r Input<'r>,
    findings: &'r mut Findings,
}

impl Report<'_> {
    fn info(&mut self, rule: &str, message: &str) {
        self.findings.add(rule, Info, "", message);
    }

    fn at(&mut self, rule: &str, severity: Severity, line: u32, message: impl Into<String>) {
        self.findings.add_at_line(rule, severity, line, message);
    }

    /// What holds for every dialect.
    fn lines(&mut self) {
        for (line, key) in &self.manifest.secrets {
            let message =
                format!("{key} looks like a secret: remove it and revoke it; we did not keep it");
            self.at("DI-10", Warning, *line, message);
        }
        let is_keyed = !matches!(self.manifest.dialect, Dialect::D11 | Dialect::Free);
        if is_keyed {
            for line in &self.manifest.stray {
                self.at(
                    "AT-02",
                    Warning,
                    *line,
                    "not a line of Key: Value; begin a comment with #",
                );
            }
        }
        let in_blocks = self
            .manifest
            .blocks
            .iter()
            .flat_map(|block| block.directives.iter());
        let directives: Vec<&Directive> =
            self.manifest.directives.iter().chain(in_blocks).collect();
        for line in directives {
            if line.value.chars().count() > text::MAX_CHARS || line.value.contains(char::is_control)
            {
                self.at(
                    "AT-06",
                    Warning,
                    line.line,
                    "control characters, or longer than 2 000 characters",
                );
            }
            if line.had_comment && is_keyed {
                self.at(
                    "AT-94",
                    Warning,
                    line.line,
                    "put the comment on a line of its own",
                );
            }
        }
    }

    /// Asks for a key with a value; the line and value if it is there.
    fn require(&mut self, rule: &str, key: &str, what: &str) -> Option<(u32, String)> {
        if let Some(line) = self.manifest.directives.first(&key.to_ascii_lowercase()) {
            return Some((line.line, line.value.clone()));
        }
        self.findings
            .error(rule, "", format!("no {key}; add a line `{key}: {what}`"));
        None
    }

    /// Asks for the site's own absolute URL.
    fn require_url(&mut self, rule: &str, key: &str) {
        let Some((line, url)) = self.require(rule, key, "https://…") else {
            return;
        };
        if !link::is_absolute(&url) {
            self.at(
                rule,
                Error,
                line,
                format!("{key} is not an absolute http(s) URL"),
            );
        } else if !link::is_own(self.input.document, &url) {
            let message = format!(
                "{key} names another host than {}",
                self.input.document.domain
            );
            self.at(rule, Warning, line, message);
        }
    }

    /// A key whose value should be a URL; relative ones are read with AT-07.
    fn url_if_any(&mut self, rule: &str, key: &str) {
        let lines: Vec<_> = self.manifest.directives.all(key).cloned().collect();
        for line in lines {
            if line.value.starts_with('/') {
                self.at(
                    "AT-07",
                    Warning,
                    line.line,
                    format!("{} is relative; give the whole URL", line.written),
                );
            } else if !link::is_absolute(&line.value) {
                self.at(
                    rule,
                    Warning,
                    line.line,
                    format!("{} is not a URL", line.written),
                );
            }
        }
    }

    fn rate_if_any(&mut self, rule: &str, wants_unit: bool) {
        let Some(line) = self.manifest.directives.first("rate-limit").cloned() else {
            return;
        };
        let is_integer = line.value.bytes().all(|byte| byte.is_ascii_digit());
        if rate::parse("default", &line.value).is_none() {
            self.at(rule, Warning, line.line, "not a rate; write 60/minute");
        } else if is_integer == wants_unit {
            let right = if wants_unit {
                "60/minute"
            } else {
                "60 (calls a minute)"
            };
            self.at(
                rule,
                Info,
                line.line,
                format!("read all the same; the specification writes {right}"),
            );
        }
    }

    fn lifetime_and_audit(&mut self, ttl_rule: &str, audit_rule: &str) {
        if let Some(line) = self.manifest.directives.first("session-ttl").cloned()
            && rate::seconds(&line.value).is_none()
        {
            self.at(
                ttl_rule,
                Warning,
                line.line,
                "not a number of seconds; write 3600",
            );
        }
        if let Some(line) = self.manifest.directives.first("audit").cloned()
            && !matches!(line.value.to_ascii_lowercase().as_str(), "true" | "false")
        {
            self.at(audit_rule, Warning, line.line, "neither true nor false");
        }
    }

    fn d1(&mut self) {
        self.require("AT-10", "Name", "the site's name");
        self.require_url("AT-11", "URL");
        self.url_if_any("AT-12", "docs");
        let listed = self.manifest.directives.list("capabilities");
        if listed.is_empty() {
            self.findings.error(
                "AT-13",
                "",
                "no Capabilities; list their names, separated by commas",
            );
        }
        let line = self
            .manifest
            .directives
            .first("capabilities")
            .map_or(1, |line| line.line);
        for name in listed.iter().filter(|name| !is_capability_name(name)) {
            self.at(
                "AT-13",
                Warning,
                line,
                format!("{name:?} is not in lower case with dots"),
            );
        }
        self.url_if_any("AT-14", "capabilities-url");
        self.url_if_any("AT-15", "agent-api");
        self.rate_if_any("AT-16", false);
        self.url_if_any("AT-15", "session-endpoint");
        self.lifetime_and_audit("AT-17", "AT-18");
    }

    fn d2(&mut self) {
        self.require("AT-20", "Site", "the site's name");
        self.require_url("AT-21", "URL");
        self.url_if_any("AT-22", "agents-json");
        let allowed: HashSet<String> = self
            .manifest
            .directives
            .all("allow")
            .filter(|line| !keys::is_path(&line.value))
            .map(|line| text::fold(&line.value))
            .collect();
        if allowed.is_empty() {
            self.findings.error(
                "AT-23",
                "",
                "no Allow; add a line `Allow: <capability>` for each capability",
            );
        }
        let mut has_flow = false;
        let lines: Vec<Directive> = self.manifest.directives.iter().cloned().collect();
        for line in &lines {
            match line.key.as_str() {
                "flow" => {
                    has_flow = true;
                    let Some(flow) = keys::flow(&line.value) else {
                        self.at(
                            "AT-24",
                            Warning,
                            line.line,
                            "not a flow; write name → step, step",
                        );
                        continue;
                    };
                    let unknown = flow
                        .steps
                        .iter()
                        .filter(|step| !allowed.contains(&text::fold(step)));
                    for step in unknown {
                        self.at(
                            "AT-24",
                            Warning,
                            line.line,
                            format!("no Allow names the step {step:?}"),
                        );
                    }
                }
                "flow-description" if !has_flow => {
                    self.at("AT-25", Warning, line.line, "no Flow before it");
                }
                _ => {}
            }
        }
        self.rate_if_any("AT-26", true);
        self.lifetime_and_audit("AT-27", "AT-28");
    }

    fn d3(&mut self) {
        if let Some(line) = self.manifest.directives.first("spec-version").cloned() {
            if !line.value.starts_with("1.") {
                self.at("AT-30", Warning, line.line, "not version 1.0");
            }
        } else {
            self.findings.warn(
                "AT-30",
                "",
                "no Spec-Version; add a line `Spec-Version: 1.0`",
            );
        }
        self.require("AT-31", "Site-Name", "the site's name");
        self.require_url("AT-31", "Site-URL");
        self.declaration();
        let mut ids = HashSet::new();
        for block in self.manifest.blocks.iter().filter(|block| !block.is_agent) {
            self.capability(block);
            if !ids.insert(text::fold(&block.name)) {
                self.at(
                    "AT-39",
                    Warning,
                    block.line,
                    format!("{:?} is declared twice", block.name),
                );
            }
        }
        for block in self.manifest.blocks.iter().filter(|block| block.is_agent) {
            for name in block.directives.list("capabilities") {
                if !ids.contains(&text::fold(&name)) {
                    self.at(
                        "AT-35",
                        Warning,
                        block.line,
                        format!("no Capability is called {name:?}"),
                    );
                }
            }
            self.block_rate(block);
        }
    }

    /// AT-37: a publisher's own bot.
    fn declaration(&mut self) {
        let operates = self
            .manifest
            .directives
            .first("operates-on")
            .map(|line| line.line);
        match (self.manifest.is_operator(), operates) {
            (true, None) => {
                self.findings
                    .warn("AT-37", "", "an agent's declaration without Operates-On");
            }
            (true, Some(_)) => {
                self.info(
                    "AT-37",
                    "describes its publisher's own bot; nothing here can be called",
                );
            }
            (false, Some(line)) => {
                self.at(
                    "AT-37",
                    Warning,
                    line,
                    "Operates-On without `Declaration-Type: agent`",
                );
            }
            (false, None) => {}
        }
    }

    fn capability(&mut self, block: &Block) {
        const PROTOCOLS: [&str; 5] = ["rest", "mcp", "a2a", "graphql", "websocket"];
        const AUTHS: [&str; 5] = ["none", "api-key", "bearer-token", "oauth2", "hmac"];
        let is_id = block
            .name
            .starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && block
                .name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if block.name.is_empty() {
            self.at("AT-32", Error, block.line, "a Capability without an id");
        } else if !is_id {
            self.at(
                "AT-32",
                Warning,
                block.line,
                "ids are of lower-case letters, digits and dashes",
            );
        }
        self.endpoint(block);
        match block.directives.first("protocol") {
            None => self.at("AT-32", Warning, block.line, "no Protocol; read as REST"),
            Some(line) if !PROTOCOLS.contains(&line.value.to_ascii_lowercase().as_str()) => {
                let message = "Protocol is none of REST, MCP, A2A, GraphQL, WebSocket";
                self.at("AT-32", Warning, line.line, message);
            }
            Some(_) => {}
        }
        if let Some(line) = block.directives.first("auth") {
            let auth = line.value.to_ascii_lowercase();
            if !AUTHS.contains(&auth.as_str()) {
                let message = "Auth is none of none, api-key, bearer-token, oauth2, hmac";
                self.at("AT-33", Warning, line.line, message);
            } else if matches!(auth.as_str(), "bearer-token" | "oauth2")
                && block.directives.first("auth-endpoint").is_none()
            {
                self.at(
                    "AT-33",
                    Warning,
                    line.line,
                    "no Auth-Endpoint to get a token from",
                );
            }
        }
        for line in block.directives.all("param") {
            if blocks::param(&line.value).is_none() {
                self.at(
                    "AT-34",
                    Warning,
                    line.line,
                    "write `name (location, type, required) - text`",
                );
            }
        }
        self.block_rate(block);
    }

    fn endpoint(&mut self, block: &Block) {
        let Some(line) = block.directives.first("endpoint") else {
            self.at(
                "AT-32",
                Error,
                block.line,
                format!("{:?} has no Endpoint", block.name),
            );
            return;
        };
        let scheme = line
            .value
            .split_once("://")
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("https" | "wss") => {
                if !link::is_own(
                    self.input.document,
                    &line.value.replace("wss://", "https://"),
                ) {
                    self.at(
                        "AT-39",
                        Info,
                        line.line,
                        "the endpoint belongs to another domain",
                    );
                }
            }
            Some("http" | "ws") => {
                self.at("AT-32", Warning, line.line, "the endpoint is not https");
            }
            _ => self.at(
                "AT-32",
                Error,
                line.line,
                "the endpoint is not an absolute URL",
            ),
        }
    }

    fn block_rate(&mut self, block: &Block) {
        if let Some(line) = block.directives.first("rate-limit")
            && rate::parse("default", &line.value).is_none()
        {
            self.at("AT-38", Warning, line.line, "not a rate; write 60/minute");
        }
    }

    fn d4(&mut self) {
        const URLS: [&str; 5] = ["mcp", "skills", "a2a", "ucp", "webmcp"];
        const PAYMENTS: [&str; 3] = ["x402", "mpp", "ap2"];
        const AUTHORIZATIONS: [&str; 3] = ["agent-auth", "oauth2", "auth-md"];
        let mut declares = false;
        let lines: Vec<Directive> = self.manifest.directives.iter().cloned().collect();
        for line in &lines {
            let known = match line.key.as_str() {
                "protocols" => &PAYMENTS,
                "authorization" => &AUTHORIZATIONS,
                key if URLS.contains(&key) => {
                    declares = true;
                    self.case(line);
                    if !line.value.starts_with("https://") || !link::is_absolute(&line.value) {
                        let message = format!("{} needs one https URL a line", line.written);
                        self.at("AT-42", Error, line.line, message);
                    }
                    continue;
                }
                _ => continue,
            };
            declares = true;
            self.case(line);
            let words = line
                .value
                .split(',')
                .map(|word| word.trim().to_ascii_lowercase());
            for word in
                words.filter(|word| !word.starts_with("x-") && !known.contains(&word.as_str()))
            {
                let message = format!(
                    "{word:?} is unknown; known are {}, or x-…",
                    known.join(", ")
                );
                self.at("AT-43", Warning, line.line, message);
            }
        }
        if let Some(line) = self.manifest.directives.first("payments").cloned()
            && self.manifest.directives.first("protocols").is_none()
        {
            self.at("AT-44", Warning, line.line, "Payments without Protocols");
        }
        if !declares {
            self.info("AT-41", "only comments: valid, and declares nothing");
        }
    }

    /// AT-03: the keys of D4 are case-sensitive.
    fn case(&mut self, line: &Directive) {
        if line.written == line.key {
            let message = format!("write the key {:?} as the specification does", line.written);
            self.at("AT-03", Warning, line.line, message);
        }
    }
}

fn is_capability_name(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte))
}
