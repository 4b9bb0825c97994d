//! Blocks of agents.txt 1.0: indented lines below `Capability:` or `Agent:` (AT-32 to AT-35).

use crate::agent::{Auth, Param};
use crate::formats::agents_txt::Dialect;
use crate::formats::agents_txt::directives::{Directive, Directives, published};
use crate::formats::agents_txt::keys;
use crate::formats::agents_txt::lines::{Line, Pair, Position};
use crate::{Capability, Document, auth, link, rate, schema, text};

/// One block.
#[derive(Clone, Debug)]
pub(in crate::formats::agents_txt) struct Block {
    /// Position of the value in the line that opens the block.
    pub(in crate::formats::agents_txt) at: Position,
    /// True for a block about a calling agent, false for one about a capability.
    pub(in crate::formats::agents_txt) is_agent: bool,
    /// The capability's id or the agent's name.
    pub(in crate::formats::agents_txt) name: String,
    /// The lines that belong to it.
    pub(in crate::formats::agents_txt) directives: Directives,
}

impl Block {
    /// Returns true if this line opens a block; `Agent` does only in agents.txt 1.0 (C-104).
    pub(in crate::formats::agents_txt) fn is_opened_by(pair: &Pair<'_>, dialect: Dialect) -> bool {
        pair.key == "capability" || (pair.key == "agent" && dialect == Dialect::WELL_KNOWN)
    }

    pub(in crate::formats::agents_txt) fn new(line: &Line<'_>, name: &str, is_agent: bool) -> Self {
        Self {
            at: line.place(name),
            is_agent,
            name: text::clean(name, text::MAX_CHARS),
            directives: Directives::default(),
        }
    }

    /// Returns the capability that the block declares.
    pub(super) fn capability(&self, document: &Document) -> Capability {
        let value = |key| self.directives.text(key);
        let endpoint = self
            .directives
            .first("endpoint")
            .map(|it| it.value.as_str());
        let protocol = self.protocol();
        let params = self.params();
        Capability {
            id: self.name.clone(),
            name: self.name.clone(),
            description: value("description"),
            method: (protocol == "rest").then(|| self.method()),
            endpoint: endpoint.and_then(|endpoint| text::some(&link::template(endpoint))),
            url: endpoint.and_then(|endpoint| link::absolute_template(&document.url, endpoint)),
            input_schema: schema::of_params(&params),
            params,
            requires_auth: Some(self.auth().is_some_and(|auth| auth.scheme != "none")),
            rate_limit: value("rate-limit").and_then(|limit| rate::parse("default", &limit)),
            tags: keys::prefix_tag(&self.name),
            protocol: (protocol != "rest").then_some(protocol),
            extensions: published(self.unknown()),
            ..Capability::default()
        }
    }

    /// Returns the lines with a key that the block's kind does not define (AT-04).
    pub(in crate::formats::agents_txt) fn unknown(&self) -> impl Iterator<Item = &Directive> {
        let known = if self.is_agent {
            OF_CALLERS
        } else {
            OF_CAPABILITIES
        };
        let lines = self.directives.iter();
        lines.filter(|line| !known.contains(&line.key.as_str()))
    }

    /// Returns the protocol in lower case, `rest` by default.
    pub(super) fn protocol(&self) -> String {
        let protocol = self.directives.text("protocol");
        protocol.map_or_else(|| "rest".to_owned(), |protocol| protocol.to_lowercase())
    }

    /// Returns the method in upper case, `GET` by default; the first one if there are several.
    fn method(&self) -> String {
        self.methods().next().unwrap_or_else(|| "GET".to_owned())
    }

    /// Lists the methods of the block; `GET,POST` states two.
    fn methods(&self) -> impl Iterator<Item = String> {
        let line = self.directives.first("method");
        let words = line
            .into_iter()
            .flat_map(|line| line.value.split([',', '|', '/', ' ']));
        words.filter_map(text::some).map(|word| word.to_uppercase())
    }

    /// Returns the capabilities of the block: one for each of its methods.
    pub(super) fn capabilities(&self, document: &Document) -> Vec<Capability> {
        const MAX_METHODS: usize = 5;
        let first = self.capability(document);
        let is_rest = first.method.is_some();
        let further = self.methods().skip(1).take(MAX_METHODS).filter(|_| is_rest);
        let further = further.map(|method| Capability {
            id: format!("{} {method}", first.id),
            method: Some(method),
            ..first.clone()
        });
        std::iter::once(first.clone()).chain(further).collect()
    }

    /// Returns the authentication; `None` if the block does not state any.
    pub(super) fn auth(&self) -> Option<Auth> {
        let stated = self.directives.text("auth")?;
        let mut auth = auth::of_text(&stated)
            .into_iter()
            .next()
            .unwrap_or_else(|| Auth::of(&stated));
        auth.token_url = self.directives.url("auth-endpoint");
        auth.docs = self.directives.url("auth-docs");
        auth.scopes = self.directives.list("scopes");
        Some(auth)
    }

    fn params(&self) -> Vec<Param> {
        let lines = self.directives.all("param");
        lines.filter_map(|line| param(&line.value)).collect()
    }
}

/// Parses `name (location, type[, required]) [- text]` (AT-34).
pub(super) fn param(text: &str) -> Option<Param> {
    let (name, rest) = text.split_once('(')?;
    let (inside, after) = rest.split_once(')')?;
    let mut words = inside.split(',').map(|word| word.trim().to_lowercase());
    let location = words
        .next()
        .filter(|word| LOCATIONS.contains(&word.as_str()))?;
    let kind = words.next().filter(|word| TYPES.contains(&word.as_str()))?;
    let after = after.trim().trim_start_matches(['-', '–', '—']);
    Some(Param {
        name: text::some(name)?,
        location: Some(location),
        kind: Some(kind),
        description: text::some(after),
        required: words.any(|word| word == "required"),
        ..Param::default()
    })
}

/// Keys of the block of a capability.
const OF_CAPABILITIES: &[&str] = &[
    "endpoint",
    "protocol",
    "method",
    "auth",
    "auth-endpoint",
    "auth-docs",
    "scopes",
    "openapi",
    "description",
    "rate-limit",
    "param",
];
/// Keys of the block of a caller.
const OF_CALLERS: &[&str] = &["capabilities", "rate-limit", "agent-declaration"];
const LOCATIONS: [&str; 4] = ["query", "path", "header", "body"];
const TYPES: [&str; 4] = ["string", "integer", "number", "boolean"];
