//! The answer by which a site, or what stands before it, refused our last visit, for the owner of
//! the site (P49).
//!
//! Everything said here follows from the request that was sent and from its answer.

mod product;

use super::time::Moment;
use super::{count, foreign};
use manifest::Timestamp;
pub(crate) use product::Product;
use store::{EdgeAnswer, Outcome, SiteVisit};

/// Path of the list of addresses of the crawler.
pub(crate) const ADDRESSES: &str = "/bot/addresses.json";
/// Path of the key directory, at the origin that a signed request names.
pub(crate) const KEY_DIRECTORY: &str = "/.well-known/http-message-signatures-directory";

/// Maximum length of a line of the body, in characters.
const LINE_CHARS: usize = EdgeAnswer::BODY_CAP;

/// Answer that refused a visit, and what can be done about it.
#[derive(Debug)]
pub(crate) struct EdgeView {
    pub(crate) at: Moment,
    /// Requested URL.
    pub(crate) url: String,
    pub(crate) status: u16,
    /// Meaning of the answer, in sentences.
    pub(crate) meaning: String,
    /// Names and values.
    pub(crate) headers: Vec<(String, String)>,
    /// Start of the body; empty if there is none.
    pub(crate) body: String,
    pub(crate) is_cut: bool,
    /// Products that headers of the answer name.
    pub(crate) products: Vec<Product>,
    pub(crate) user_agent: String,
    /// Origin of the key directory, if the request was signed.
    pub(crate) signed_by: Option<String>,
    /// Ways to let the crawler in; empty if the answer only asks to come later.
    pub(crate) admission: Vec<Admission>,
}

/// Way to let the crawler in.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Name of the way, such as `By its addresses`.
    pub(crate) title: &'static str,
    /// Description, in sentences.
    pub(crate) text: String,
    /// Path of what it needs.
    pub(crate) link: Option<&'static str>,
}

impl EdgeView {
    /// Converts the answer that decided the `outcome` of a visit of which `requests` are known;
    /// `has_addresses` if this registry publishes those of its crawler.
    pub(crate) fn of(
        answer: &EdgeAnswer,
        outcome: Outcome,
        requests: Option<u32>,
        has_addresses: bool,
        now: Timestamp,
    ) -> Self {
        let headers = answer.headers.iter();
        let lines = answer.body.lines();
        let lines = lines.map(|line| manifest::text::clean(line, LINE_CHARS));
        Self {
            at: Moment::of(answer.at, now),
            url: foreign(&answer.url),
            status: answer.status,
            meaning: meaning(answer, outcome, requests),
            headers: headers
                .map(|(name, value)| (foreign(name), foreign(value)))
                .collect(),
            body: lines.collect::<Vec<_>>().join("\n").trim().to_owned(),
            is_cut: answer.is_cut,
            products: product::named_in(&answer.headers),
            user_agent: foreign(&answer.user_agent),
            signed_by: answer.signed_by.clone(),
            admission: if answer.status == 503 {
                Vec::new()
            } else {
                admission(answer, has_addresses)
            },
        }
    }
}

/// Returns the number of requests of the visit during which an answer came.
pub(crate) fn requests_of(visits: &[SiteVisit], answer: &EdgeAnswer) -> Option<u32> {
    let visit = visits
        .iter()
        .find(|it| it.started <= answer.at && answer.at <= it.ended);
    visit.map(|it| it.requests)
}

/// Explains what an answer means.
fn meaning(answer: &EdgeAnswer, outcome: Outcome, requests: Option<u32>) -> String {
    let status = answer.status;
    match outcome {
        Outcome::Blocked => format!(
            "Status {status} refuses robots.txt itself. A robots.txt that we may not read forbids everything to us, so we asked for nothing else."
        ),
        Outcome::LoginRequired => {
            "Status 401 asks for a login. Our crawler has none and sends no credentials.".to_owned()
        }
        Outcome::PaymentRequired => {
            "Status 402 asks for a payment. Our crawler pays for nothing.".to_owned()
        }
        Outcome::Challenged => format!(
            "The header {} says that this is a challenge, which a browser passes by running a script or with the help of a person. Our crawler does neither.",
            product::challenge(&answer.headers)
        ),
        Outcome::RateLimited => {
            let sent = requests.map(|it| {
                format!(
                    " This visit sent {} in all, this one included.",
                    count(it.into(), "request", "requests")
                )
            });
            format!(
                "Status 429 says that there were too many requests.{}",
                sent.unwrap_or_default()
            )
        }
        Outcome::Throttled => {
            format!("Status {status} asks us to come again later, and we do.")
        }
        _ => format!(
            "Status {status} refuses the request. The server decided that, or a firewall or bot protection before it; the status does not tell which."
        ),
    }
}

/// Returns the ways to let the crawler in, as its request showed itself.
fn admission(answer: &EdgeAnswer, has_addresses: bool) -> Vec<Admission> {
    let token = answer.user_agent.split('/').next().unwrap_or_default();
    let safer = if has_addresses || answer.signed_by.is_some() {
        "Anyone can send that, so what follows is safer."
    } else {
        "Anyone can send that."
    };
    let user_agent = format!(
        "Admit requests whose `User-Agent` begins with `{}/`. {safer}",
        foreign(token)
    );
    let addresses = if has_addresses {
        format!("Admit the addresses that this registry publishes at `{ADDRESSES}`.")
    } else {
        "This registry publishes no addresses of its crawler.".to_owned()
    };
    let signature = match &answer.signed_by {
        Some(origin) => format!(
            "The request was signed with Web Bot Auth: admit requests with a valid signature of {origin}, whose keys are at {origin}{KEY_DIRECTORY}."
        ),
        None => "The request was not signed, so Web Bot Auth cannot recognise it.".to_owned(),
    };
    [
        ("By its user agent", user_agent, None),
        (
            "By its addresses",
            addresses,
            has_addresses.then_some(ADDRESSES),
        ),
        ("By its signature", signature, None),
    ]
    .map(|(title, text, link)| Admission { title, text, link })
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)]) -> EdgeAnswer {
        let headers = headers.iter();
        EdgeAnswer {
            at: Timestamp(0),
            url: "https://a.example/agents.txt".to_owned(),
            status,
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: "No.".to_owned(),
            is_cut: false,
            user_agent: "AgentdexBot/1.0 (+https://registry.example/bot)".to_owned(),
            signed_by: None,
        }
    }

    fn view(answer: &EdgeAnswer, outcome: Outcome) -> EdgeView {
        EdgeView::of(answer, outcome, Some(2), false, Timestamp(0))
    }

    #[test]
    fn p49_the_meaning_follows_from_the_answer() {
        let rows = [
            (401, Outcome::LoginRequired, "asks for a login"),
            (402, Outcome::PaymentRequired, "asks for a payment"),
            (403, Outcome::Refused, "Status 403 refuses the request"),
            (429, Outcome::RateLimited, "sent 2 requests in all"),
            (
                451,
                Outcome::Blocked,
                "Status 451 refuses robots.txt itself",
            ),
            (503, Outcome::Throttled, "come again later"),
        ];
        for (status, outcome, expected) in rows {
            let view = view(&answer(status, &[]), outcome);
            assert!(view.meaning.contains(expected), "{}", view.meaning);
            assert_eq!(view.admission.is_empty(), status == 503, "{status}");
        }
        let challenge = answer(403, &[("cf-mitigated", "challenge")]);
        let view = view(&challenge, Outcome::Challenged);
        let expected = "The header `cf-mitigated: challenge` says";
        assert!(view.meaning.starts_with(expected), "{}", view.meaning);
    }

    #[test]
    fn p49_the_ways_in_are_those_of_the_request_that_was_sent() {
        let plain = answer(403, &[]);
        let signed = EdgeAnswer {
            signed_by: Some("https://registry.example".to_owned()),
            ..plain.clone()
        };
        let ways = |answer: &EdgeAnswer, has_addresses| {
            let view = EdgeView::of(answer, Outcome::Refused, None, has_addresses, Timestamp(0));
            let ways = view.admission.into_iter();
            ways.map(|it| it.text).collect::<Vec<_>>().join(" ")
        };
        let text = ways(&plain, false);
        assert!(text.contains("`AgentdexBot/`"), "{text}");
        assert!(text.contains("was not signed") && text.contains("publishes no addresses"));
        let text = ways(&signed, true);
        let directory = "https://registry.example/.well-known/http-message-signatures-directory";
        assert!(
            text.contains(directory) && text.contains(ADDRESSES),
            "{text}"
        );
    }

    #[test]
    fn p49_a_hostile_body_has_no_controls() {
        let mut hostile = answer(403, &[("server", "\u{1b}[31m<b>\0")]);
        hostile.body = "\0\u{1b}]0;x\u{7}<script>\r\n\u{202e}evil\nline".to_owned();
        let view = view(&hostile, Outcome::Refused);
        assert_eq!(view.body, "]0;x<script>\nevil\nline");
        assert_eq!(view.headers[0].1, "[31m<b>");
    }
}
