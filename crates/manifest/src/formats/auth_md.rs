//! `auth.md`: how an agent registers itself and gets a credential, in Markdown.
//!
//! The text is for agents to read; its addresses for registration, tokens and metadata are facts of the site's
//! authentication. There are no members, so there are no rows: the reader records the line itself.
//!
//! <https://workos.com/auth-md>

use crate::agent::Auth;
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::Marker;
use crate::rule::Rule;
use crate::rule::document::DI_20;
use crate::{Agent, Fact, FormatId, auth, link, placeholder, text};
use url::Url;

/// Maximum number of lines that are read.
const MAX_LINES: usize = 5_000;
/// Reader of such texts.
pub(crate) struct AuthMd;

impl Format for AuthMd {
    type Manifest = Option<(usize, Auth)>;

    const ID: FormatId = FormatId::habit("auth-md");
    const TITLE: &'static str = "auth.md";
    const MARKERS: &'static [Marker] = &[];
    const PLACES: &'static [&'static str] = &["/auth.md", "/.well-known/auth.md"];
    const RULES: &'static [&'static Rule] = &[];

    fn parse(input: &Input<'_>) -> Self::Manifest {
        authentication(input.text, &input.document.url)
    }

    fn validate(_: &Self::Manifest, _: &Input<'_>, findings: &mut Findings) {
        findings.add(&DI_20, "", "auth-md is read for its facts, not validated");
    }

    fn normalize(found: &Self::Manifest, _: &Input<'_>) -> Vec<Agent> {
        let agent = found.as_ref().map(|(line, auth)| Agent {
            auth: vec![auth.clone()],
            pointers: [(Fact::Auth.into(), format!("line:{line}"))].into(),
            ..Agent::default()
        });
        vec![agent.unwrap_or_default()]
    }
}

/// Reports whether a text tells agents how to register: by its name or its first heading.
pub(super) fn is_one(text: &str, path: &str) -> bool {
    let is_named = path.to_ascii_lowercase().ends_with("/auth.md");
    let first = text.lines().find(|line| !line.trim().is_empty());
    let is_titled = first.is_some_and(|line| {
        let lower = line.to_ascii_lowercase();
        lower.starts_with('#') && lower.contains("auth.md")
    });
    is_named || is_titled
}

/// Returns the authentication that a text describes, with the number of the first line about it.
fn authentication(text: &str, base: &Url) -> Option<(usize, Auth)> {
    let mut way = Auth::default();
    let mut first = None;
    for (index, line) in text.lines().enumerate().take(MAX_LINES) {
        for url in addresses(line, base) {
            if add(&mut way, line, url) {
                first.get_or_insert(index + 1);
            }
        }
    }
    let first = first?;
    way.docs = text::some(base.as_str());
    scheme(&text.to_ascii_lowercase(), &way).clone_into(&mut way.scheme);
    way.description = introduction(text);
    Some((first, way))
}

/// Lists the addresses in a line, without those of examples.
pub(crate) fn addresses<'l>(
    line: &'l str,
    base: &'l Url,
) -> impl Iterator<Item = String> + use<'l> {
    let is_between = |it: char| it.is_whitespace() || "()<>`\"'|,[]".contains(it);
    line.split(is_between).filter_map(move |word| {
        let word = word.trim_end_matches(['.', ':', ';', '!', '*']);
        let is_path = word.len() > 1 && word.starts_with('/') && !word.starts_with("//");
        if !is_path && !link::is_absolute(word) {
            return None;
        }
        let url = link::absolute_template(base, word)?;
        let host = Url::parse(&url).ok()?.host_str()?.to_owned();
        (!placeholder::is_host(&host)).then_some(url)
    })
}

/// Adds what an address is, as its path and the words beside it say; reports whether it is anything.
fn add(way: &mut Auth, line: &str, url: String) -> bool {
    let path = url
        .splitn(4, '/')
        .nth(3)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let beside = line.to_ascii_lowercase();
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let is = |segments: &[&str], words: &[&str]| {
        segments.contains(&last) || words.iter().any(|word| beside.contains(word))
    };
    let place = if auth::of_metadata(&url).is_some() {
        &mut way.metadata_url
    } else if is(
        &["register", "registration", "signup", "sign-up"],
        &["register_uri", "registration_endpoint"],
    ) {
        &mut way.registration_url
    } else if is(&["token", "tokens"], &["token_endpoint"]) {
        &mut way.token_url
    } else if is(&["authorize"], &["authorization_endpoint"]) {
        &mut way.authorization_url
    } else {
        return false;
    };
    let is_new = place.is_none();
    place.get_or_insert(url);
    is_new
}

/// Returns the scheme of the credential that an agent gets.
fn scheme(lower: &str, way: &Auth) -> &'static str {
    if way.metadata_url.is_some() || way.authorization_url.is_some() || lower.contains("oauth") {
        "oauth2"
    } else if lower.contains("bearer") {
        "bearer"
    } else if lower.contains("api key") || lower.contains("api_key") || lower.contains("api-key") {
        "api_key"
    } else {
        "other"
    }
}

/// Returns the first line that is neither a heading, a quotation nor a list.
fn introduction(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| {
        let is_marked = line.starts_with(['#', '>', '-', '*', '|', '`', '<']);
        !is_marked && line.split_whitespace().nth(3).is_some()
    })?;
    text::some(line)
}

#[cfg(test)]
mod tests {
    use crate::document::sample;
    use crate::formats::read;

    const TEXT: &str = "# auth.md\n\nThe kiln lets agents register by themselves.\n\n\
        ## Discover\n\nRead https://kiln.example/.well-known/oauth-protected-resource first.\n\n\
        ## Register\n\nPOST https://auth.kiln.example/agent/register with your key.\n\n\
        ```\nPOST /oauth2/token\n```\n";

    #[test]
    fn the_addresses_of_registration_and_tokens_are_facts() {
        let reading = read(&sample("kiln.example", "/auth.md", TEXT));
        assert_eq!(reading.format.as_str(), "auth-md");
        let auth = &reading.agents[0].auth[0];
        assert_eq!(auth.scheme, "oauth2");
        let urls = [&auth.registration_url, &auth.token_url, &auth.metadata_url];
        assert_eq!(
            urls.map(|it| it.as_deref().unwrap()),
            [
                "https://auth.kiln.example/agent/register",
                "https://kiln.example/oauth2/token",
                "https://kiln.example/.well-known/oauth-protected-resource",
            ]
        );
        let description = auth.description.as_deref();
        assert_eq!(
            description,
            Some("The kiln lets agents register by themselves.")
        );
    }

    #[test]
    fn a_text_without_addresses_gives_nothing_and_says_so() {
        let reading = read(&sample(
            "kiln.example",
            "/auth.md",
            "# auth.md\n\nWrite to us.\n",
        ));
        assert!(reading.agents.is_empty());
        assert!(reading.findings.iter().any(|it| it.rule.id == "DI-16"));
    }
}
