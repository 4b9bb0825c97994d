//! Dialect agents-txt.com: a list of pointers, `MCP`, `A2A`, `Skills`, `Protocols`.
//!
//! Specification: agents-txt.com, Standard v1.0.

use super::directives::Directive;
use super::facts::Facts;
use super::lines::Position;
use super::report::{Report, quoted};
use super::{Dialect, Manifest, keys};
use crate::agent::{Auth, Payment};
use crate::formats::agents_txt::agents_txt_com::rules::{AT_41, AT_42, AT_43, AT_44, AT_46};
use crate::formats::agents_txt::common::rules::AT_03;
use crate::{Capability, Fact, link, text};

pub(super) mod rules;

/// Directives with one https URL per line.
const URLS: [&str; 5] = ["mcp", "skills", "a2a", "ucp", "webmcp"];
/// Known payment protocols.
const PAYMENTS: [&str; 3] = ["x402", "mpp", "ap2"];
/// Known authorization schemes.
const AUTHORIZATIONS: [&str; 3] = ["agent-auth", "oauth2", "auth-md"];

pub(super) fn validate(report: &mut Report<'_>) {
    let directives = report.directives();
    for line in directives.iter() {
        let is_url = URLS.contains(&line.key.as_str());
        if is_url
            || matches!(
                line.key.as_str(),
                "protocols" | "payments" | "authorization" | "identity"
            )
        {
            case(report, line);
        }
    }
    let of_urls = URLS.iter().flat_map(|key| directives.all(key));
    let wrong = of_urls.filter(|line| !is_https(&line.value));
    let message = |line: &&Directive| format!("{} needs one https URL per line", line.written);
    report.each(&AT_42, wrong, |line| line.value_at, message);
    words(report, "protocols", &PAYMENTS);
    words(report, "authorization", &AUTHORIZATIONS);
    if let Some(line) = directives.first("payments")
        && directives.first("protocols").is_none()
    {
        let message = "Payments without Protocols; add a line `Protocols: x402`";
        report.at(&AT_44, line.at, message);
    }
    if directives
        .iter()
        .all(|line| keys::COMMENTS.contains(&line.key.as_str()))
    {
        let place = report.manifest.first_position();
        report.at(
            &AT_41,
            place,
            "the file has only comments: it is valid, but declares nothing; add a line such as \
             `MCP:` or `A2A:` for what the site offers",
        );
    }
    serving(report);
}

fn is_https(value: &str) -> bool {
    value.starts_with("https://") && link::is_absolute(value)
}

/// Reports a key in lower case, since keys are case-sensitive here (AT-03).
fn case(report: &mut Report<'_>, line: &Directive) {
    if line.written == line.key {
        let message = format!(
            "the key {:?} is case-sensitive; capitalize it as specified",
            line.written
        );
        report.at(&AT_03, line.at, message);
    }
}

/// Checks that identifiers are known or begin with `x-` (AT-43).
fn words(report: &mut Report<'_>, key: &str, known: &[&str]) {
    let parts = report.directives().all(key).flat_map(Directive::parts);
    let is_unknown = |(_, word): &(Position, &str)| {
        let word = word.to_ascii_lowercase();
        !word.starts_with("x-") && !known.contains(&word.as_str())
    };
    let names = known.join(", ");
    let message = |(_, word): &(Position, &str)| {
        format!(
            "unknown identifier {}; use {names}, or a name with x-",
            quoted(word)
        )
    };
    report.each(&AT_43, parts.filter(is_unknown), |it| it.0, message);
}

/// Checks the media type and the headers, if they are known (AT-46).
fn serving(report: &mut Report<'_>) {
    let document = report.input.document;
    let media_type = document.media_type.as_deref();
    if media_type.is_some_and(|it| {
        !it.trim_start()
            .to_ascii_lowercase()
            .starts_with("text/plain")
    }) {
        report.missing(
            &AT_46,
            "not served as text; send `Content-Type: text/plain; charset=utf-8`",
        );
    }
    let Some(served) = &document.served else {
        return;
    };
    if served.allow_origin.as_deref().map(str::trim) != Some("*") {
        let message =
            "served without `Access-Control-Allow-Origin: *`; scripts in web pages cannot read it";
        report.missing(&AT_46, message);
    }
    if served.cache_control.is_none() {
        let message = "served without Cache-Control; send `Cache-Control: public, max-age=3600`";
        report.missing(&AT_46, message);
    }
}

/// Returns the authorization schemes.
pub(super) fn auths(manifest: &Manifest) -> impl Iterator<Item = (Position, Auth)> {
    let lines = manifest.directives.all("authorization");
    let words = lines.flat_map(Directive::parts);
    words.map(|(place, word)| (place, Auth::of(&text::clean(word, text::MAX_CHARS))))
}

/// Returns the payment protocols; agentstxt.dev names them in `Payment-System`.
///
/// Publishers list other protocols in `Protocols` as well, which nothing is paid with (GP-16).
pub(super) fn payments(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<Payment> {
    let directives = &manifest.directives;
    let protocols: Vec<String> = directives.list("protocols");
    let protocols: Vec<String> = protocols.into_iter().filter(|it| is_payment(it)).collect();
    if !protocols.is_empty() {
        facts.line(Fact::Payments, &["protocols"]);
    }
    facts.line(Fact::Payments, &["payment-system"]);
    let systems = directives.list("payment-system");
    let all = protocols.into_iter().chain(systems);
    all.map(|protocol| Payment {
        protocol: protocol.to_lowercase(),
        detail: directives.text("payments"),
        ..Payment::default()
    })
    .collect()
}

/// Returns the protocols in `Protocols` that are none of payment.
pub(super) fn tags(manifest: &Manifest) -> impl Iterator<Item = String> {
    let protocols = manifest.directives.list("protocols").into_iter();
    protocols.filter(|word| !is_payment(word))
}

/// Reports whether a file of this dialect has a line that leads to another document, so that its
/// site can be listed without a name (GP-16).
pub(super) fn points_somewhere(manifest: &Manifest) -> bool {
    let mut lines = URLS.iter().filter_map(|key| manifest.directives.first(key));
    manifest.dialect == Dialect::AGENTS_TXT_COM && lines.any(|line| line.value.contains('/'))
}

fn is_payment(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    PAYMENTS.contains(&word.as_str()) || word.starts_with("x-")
}

/// Returns true for `Skills: a, b`: a list of capabilities instead of a URL.
pub(super) fn is_capability_list(line: &Directive) -> bool {
    line.key == "skills" && !line.value.is_empty() && !line.value.contains('/')
}

/// Returns the capabilities named in such lists.
pub(super) fn capabilities(manifest: &Manifest) -> impl Iterator<Item = (Position, Capability)> {
    let lines = manifest.directives.all("skills");
    let parts = lines
        .filter(|line| is_capability_list(line))
        .flat_map(Directive::parts);
    parts.filter_map(|(place, name)| Some((place, keys::named(name)?)))
}
