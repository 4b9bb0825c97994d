//! The answers to "is this site listed, and if not, why": reason and advice for its owner.

use super::shown_documents;
use crate::error::sentence;
use crate::record::withdrawn;
use crate::view::statement::Statement;
use crate::view::{self, document, foreign, outcome, robots, visit_detail};
use manifest::{Finding, Timestamp};
use store::{AgentStatus, Outcome, RobotsState, Site, SiteDocument, SiteVisit};
use url::Url;

/// Paths at which advice asks for a manifest, the best first.
const PLACES: [&str; 4] = [
    "/.well-known/agent-card.json",
    "/.well-known/agents.json",
    "/agents.json",
    "/agents.txt",
];

/// Advice on documents that are right, but state no agent.
const NAME_AN_AGENT: &str = "State an agent of this site, in that document or in one that it names: with a name, and \
    a capability or an address.";

/// Says whether a site is listed.
pub(crate) fn listed(site: &Site) -> String {
    match site.agents.len() as u64 {
        0 if !site.hidden.is_empty() => "Hidden by the operator".to_owned(),
        0 => "Not listed".to_owned(),
        agents => {
            let is_confirmed = site.agents.iter().all(|it| it.status == AgentStatus::Ok);
            let unconfirmed = if is_confirmed {
                ""
            } else {
                ", but not confirmed"
            };
            format!(
                "Listed, {}{unconfirmed}",
                view::count(agents, "agent", "agents")
            )
        }
    }
}

/// Says where the agents of a site were found.
pub(crate) fn summary(site: &Site) -> String {
    let documents = view::count(site.documents.len() as u64, "document", "documents");
    format!("Read from {documents}.")
}

/// Counts the findings on the documents of a site.
pub(crate) fn verdict(site: &Site) -> String {
    if shown_documents(site).next().is_none() {
        return "Nothing was read".to_owned();
    }
    let findings = shown_documents(site).flat_map(|it| &it.findings);
    document::verdict(findings)
}

/// Describes the result of the last visit; empty before the first.
pub(crate) fn last_visit(site: &Site) -> &'static str {
    site.last_outcome
        .map_or("", |outcome| outcome_of(site, outcome))
}

/// Describes an outcome of the last visit, in agreement with whether the site is listed. If
/// robots.txt forbids paths, not all were checked.
pub(crate) fn outcome_of(site: &Site, outcome: Outcome) -> &'static str {
    let is_partial = |robots: &RobotsState| robots.verdict == "partial";
    match outcome {
        Outcome::Found | Outcome::Empty if has_unlisted_documents(site) => {
            "we found a document, but no agent in it to list"
        }
        Outcome::Found if !site.agents.is_empty() => "we found a manifest",
        Outcome::Empty if site.robots.as_ref().is_some_and(is_partial) => {
            "none of the paths that robots.txt allows and that we asked for has a manifest that we can read"
        }
        other => outcome::sentence(other),
    }
}

/// Adds to the words of an outcome what the visit noted about it.
pub(crate) fn with_detail(outcome: &str, visit: &SiteVisit) -> String {
    let detail = visit.detail.as_deref().map(visit_detail);
    match detail.filter(|it| !it.is_empty()) {
        Some(detail) => format!("{outcome} ({detail})"),
        None => outcome.to_owned(),
    }
}

/// Explains why a site has no agents here, if it has none.
pub(crate) fn reason(site: &Site, now: Timestamp) -> Option<Statement> {
    if !site.agents.is_empty() {
        return None;
    }
    if let Some(hidden) = site.hidden.first() {
        return Some(withdrawn::of_hidden(hidden, now).finished(sentence));
    }
    Some(unlisted_because(site).into())
}

/// Explains why a site that is not hidden has no agents here.
fn unlisted_because(site: &Site) -> String {
    match site.last_outcome {
        None => "We have not visited it yet.".to_owned(),
        Some(_) if has_unlisted_documents(site) && is_unread(site) => {
            "Its documents were fetched and will be indexed in a moment.".to_owned()
        }
        Some(_) if has_unlisted_documents(site) => unlisted(site),
        Some(Outcome::Found) => {
            "Something there looked like a manifest, but no document of it is stored.".to_owned()
        }
        Some(outcome) => {
            let outcome = outcome_of(site, outcome);
            let visit = site.visits.first();
            let outcome = visit.map_or_else(|| outcome.to_owned(), |it| with_detail(outcome, it));
            format!("At our last visit, {outcome}.")
        }
    }
}

/// Returns advice for the owner of a site without agents: what would be right.
pub(crate) fn advice(site: &Site) -> Option<String> {
    if !site.agents.is_empty() || !site.hidden.is_empty() {
        return None;
    }
    if has_unlisted_documents(site) {
        if is_unread(site) {
            return None;
        }
        let right = match cause(site) {
            Some((_, finding)) => remedy(finding),
            None => NAME_AN_AGENT.to_owned(),
        };
        let right = robots::noted(right, site.robots.as_ref());
        return Some(format!(
            "{right} We read it again at our next visit, or when you ask for one."
        ));
    }
    match site.last_outcome? {
        Outcome::Empty => Some(format!(
            "{} We look for it at our next visit, or when you ask for one.",
            admit(site).unwrap_or_else(|| publish(site.robots.as_ref()))
        )),
        outcome => outcome::advice(outcome).map(str::to_owned),
    }
}

/// Reports whether documents were stored for a site, but none of them describes an agent, hidden ones
/// included.
fn has_unlisted_documents(site: &Site) -> bool {
    let is_answered = matches!(
        site.last_outcome,
        Some(Outcome::Found | Outcome::Empty | Outcome::TooLarge)
    );
    let is_listed = !site.agents.is_empty() || !site.hidden.is_empty();
    is_answered && !is_listed && !site.documents.is_empty()
}

fn is_unread(site: &Site) -> bool {
    site.documents.iter().any(|it| it.format.is_none())
}

/// Explains why stored documents list no agent.
fn unlisted(site: &Site) -> String {
    let documents = view::count(site.documents.len() as u64, "document", "documents");
    let begin = format!("We read {documents}, but found no agent that can be listed.");
    if let Some((document, finding)) = cause(site) {
        let place = foreign(&place(site, document, finding));
        let message = finding.message.trim_end_matches('.');
        return format!("{begin} In {place}: {message}.");
    }
    let formats = shown_documents(site).filter_map(|it| it.format.as_deref());
    let mut formats: Vec<String> = formats.map(view::format_title).collect();
    formats.dedup();
    let formats = formats.join(", ");
    format!("{begin} What it publishes states none itself: {formats}.")
}

/// Names the document of a finding, by its path if it is on the site, with the position in it.
fn place(site: &Site, document: &SiteDocument, finding: &Finding) -> String {
    let url = Url::parse(&document.url).ok();
    let own = url.filter(|url| url.host_str() == Some(site.domain.as_str()));
    let name = own.map_or_else(|| document.url.clone(), |url| url.path().to_owned());
    match (finding.line, finding.pointer.as_str()) {
        (Some(line), _) => format!("{name}, line {line}"),
        (None, "") => name,
        (None, pointer) => format!("{name}, at {pointer}"),
    }
}

/// Returns the finding that kept the documents of a site from being listed: the decisive ones
/// before other errors, and of equals the first.
fn cause(site: &Site) -> Option<(&SiteDocument, &Finding)> {
    let findings = shown_documents(site)
        .flat_map(|document| document.findings.iter().map(move |it| (document, it)));
    let causes = findings.filter(|(_, finding)| finding.keeps_from_listing());
    causes.min_by_key(|(_, finding)| {
        let severity = std::cmp::Reverse(finding.severity);
        (!finding.rule.decides_listing(), severity)
    })
}

/// Returns the correction of a finding as a sentence, or the explanation of its rule.
fn remedy(finding: &Finding) -> String {
    match finding.advice() {
        Some(advice) => format!("To be listed, {}.", advice.trim_end_matches('.')),
        None => finding.rule.explanation.replace('`', ""),
    }
}

/// Returns the advice to serve the first document that its site kept out of indexes at the last visit
/// without the header that says so (P48); `None` without any.
fn admit(site: &Site) -> Option<String> {
    let mut receipts = site.visits.first()?.receipts.iter();
    let receipt = receipts.find(|it| it.verdict == "noindex")?;
    let (url, header) = (foreign(&receipt.url), foreign(&receipt.why));
    Some(format!("To be listed, serve {url} without {header}."))
}

/// Returns the advice to publish a manifest, at a path that robots.txt allows.
fn publish(robots: Option<&RobotsState>) -> String {
    let forbidden = robots.map_or(&[][..], |it| &it.forbidden);
    let is_open = |path: &&str| forbidden.iter().all(|it| it.path != *path);
    let is_known = robots.is_none_or(|it| it.verdict != "partial" || !it.forbidden.is_empty());
    let place = PLACES.into_iter().find(is_open).filter(|_| is_known);
    let place = place.map_or_else(
        || "at a known path that robots.txt allows".to_owned(),
        |path| format!("such as {path}"),
    );
    format!("Publish a manifest, {place}, with status 200.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{Domain, Severity, rules};
    use store::{ForbiddenPath, SeedSource};

    fn document(findings: Vec<Finding>) -> SiteDocument {
        SiteDocument {
            url: "https://a.example/agents.txt".to_owned(),
            requested: "https://a.example/agents.txt".to_owned(),
            status: 200,
            media_type: None,
            etag: None,
            last_modified: None,
            served: None,
            hash: String::new(),
            bytes: 1,
            format: Some("agents-txt/agents-txt-com".to_owned()),
            generation: None,
            level: None,
            first_seen: Timestamp(0),
            fetched: Timestamp(0),
            changed: Timestamp(0),
            agents: 0,
            findings,
            mentions: Vec::new(),
        }
    }

    fn site(outcome: Outcome, documents: Vec<SiteDocument>) -> Site {
        Site {
            domain: Domain::parse("a.example").unwrap(),
            port: None,
            source: SeedSource::Seed,
            first_seen: Timestamp(0),
            last_visit: Some(Timestamp(0)),
            last_outcome: Some(outcome),
            due: Timestamp(0),
            robots: None,
            agents: Vec::new(),
            documents,
            visits: Vec::new(),
            hidden: Vec::new(),
            edge: None,
        }
    }

    fn finding(rule: &str, severity: Severity, message: &str) -> Finding {
        Finding::new(rules::find(rule).unwrap().at_most(severity), "", message)
    }

    #[test]
    fn the_reason_is_what_decided_and_not_the_most_severe_finding() {
        let site = site(
            Outcome::Found,
            vec![document(vec![
                finding("AT-46", Severity::Warning, "served without Cache-Control"),
                finding("AT-41", Severity::Info, "the file has only comments"),
            ])],
        );
        let reason = reason(&site, Timestamp(0)).unwrap().to_string();
        assert!(
            reason.ends_with("/agents.txt: the file has only comments."),
            "{reason}"
        );
        let advice = advice(&site).unwrap();
        assert!(
            advice.contains("Add a line such as MCP: or A2A:"),
            "{advice}"
        );
    }

    #[test]
    fn a_document_without_faults_and_agents_is_named_by_its_format() {
        let warning = finding("AT-46", Severity::Warning, "served without Cache-Control");
        let site = site(Outcome::Found, vec![document(vec![warning])]);
        let reason = reason(&site, Timestamp(0)).unwrap().to_string();
        assert!(
            reason.ends_with("states none itself: agents.txt (agents-txt-com)."),
            "{reason}"
        );
        assert!(advice(&site).unwrap().starts_with(NAME_AN_AGENT));
    }

    #[test]
    fn p48_the_advice_names_the_header_that_keeps_a_document_out() {
        let mut site = site(Outcome::Empty, Vec::new());
        let receipt = |url: &str, verdict: &str, why: &str| store::Receipt {
            at: Timestamp(0),
            method: "GET".to_owned(),
            url: url.to_owned(),
            status: Some(200),
            bytes: 1,
            ms: 1,
            verdict: verdict.to_owned(),
            why: why.to_owned(),
        };
        site.visits = vec![SiteVisit {
            started: Timestamp(0),
            ended: Timestamp(0),
            outcome: Outcome::Empty,
            detail: None,
            requests: 2,
            bytes: 2,
            receipts: vec![
                receipt("https://a.example/robots.txt", "robots", ""),
                receipt(
                    "https://a.example/agents.txt",
                    "noindex",
                    "X-Robots-Tag: none",
                ),
            ],
        }];
        let advice = advice(&site).unwrap();
        let first = "To be listed, serve https://a.example/agents.txt without X-Robots-Tag: none.";
        assert!(advice.starts_with(first), "{advice}");
    }

    #[test]
    fn no_advice_names_a_path_that_robots_txt_forbids() {
        let forbidden = PLACES.map(|path| ForbiddenPath {
            path: path.to_owned(),
            line: 2,
            rule: "Disallow: /".to_owned(),
        });
        let mut site = site(Outcome::Empty, Vec::new());
        for count in 0..=PLACES.len() {
            site.robots = Some(RobotsState {
                verdict: "partial".to_owned(),
                forbidden: forbidden[..count].to_vec(),
                ..RobotsState::default()
            });
            let advice = advice(&site).unwrap();
            let named = PLACES
                .iter()
                .find(|path| advice.contains(&format!(" {path},")));
            let expected = if count == 0 { None } else { PLACES.get(count) };
            assert_eq!(named, expected, "{advice}");
            assert!(last_visit(&site).starts_with("none of the paths that robots.txt allows"));
        }
    }
}
