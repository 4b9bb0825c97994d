//! The check of a claim: the token of an owner in the DNS of its domain, or in a file there.
//!
//! It is the only contact with an excluded domain, if its owner asks to return: a lookup, and if
//! that does not find the token, robots.txt and the file.

use super::session::Session;
use super::{Admission, Settings, origin};
use crate::contained::contained;
use crate::fetch::{Fetch, FetchError};
use crate::observer::Observer;
use crate::plan::Request;
use crate::rate_limit::Ending;
use manifest::{Domain, Timestamp, text};
use rand::rngs::StdRng;
use sha2::{Digest as _, Sha256};
use std::time::Duration;
use store::{Claim, ClaimAction, DocumentKind, Lease};

/// Label below the domain whose TXT records are looked up.
const LABEL: &str = "_agentdex";
/// Most requests of a check: robots.txt and the file.
const MAX_REQUESTS: u32 = 2;
/// Most characters of third-party text in a description.
const MAX_SHOWN: usize = 80;
/// Maximum number of bytes of a file that are read for the token.
const MAX_BYTES: usize = 1_024;

/// Token that a check looks for.
#[derive(Clone, Debug)]
pub struct ClaimToken {
    domain: Domain,
    prefix: &'static str,
    path: &'static str,
    token_hash: String,
    /// True if its hash is published instead, because the owner goes on to use it.
    is_secret: bool,
}

impl ClaimToken {
    /// Returns the token of a claim.
    pub fn of(claim: &Claim) -> Self {
        let (prefix, path) = match claim.action {
            ClaimAction::Leave => ("agentdex-leave=", "/.well-known/agentdex-leave.txt"),
            ClaimAction::Return => ("agentdex-return=", "/.well-known/agentdex-return.txt"),
            ClaimAction::Own => ("agentdex-own=", "/.well-known/agentdex-own.txt"),
        };
        Self {
            domain: claim.domain.clone(),
            prefix,
            path,
            token_hash: claim.token_hash.clone(),
            is_secret: claim.action == ClaimAction::Own,
        }
    }

    /// Returns the name whose TXT records may have it.
    pub fn name(&self) -> String {
        format!("{LABEL}.{}", self.domain)
    }

    /// Reports whether a text is the token, after its prefix or alone.
    fn is(&self, text: &str) -> bool {
        let text = text.trim();
        let token = text.strip_prefix(self.prefix).unwrap_or(text);
        if self.is_secret {
            return token.eq_ignore_ascii_case(&self.token_hash);
        }
        format!("{:x}", Sha256::digest(token)) == self.token_hash
    }
}

/// Result of a search for the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFinding {
    /// True if the token was found.
    pub is_found: bool,
    /// Description of what was found.
    pub text: String,
}

/// Result of a search for the file, with what the visit means for its host and address.
#[derive(Debug)]
pub struct FileFinding {
    /// Result.
    pub token: TokenFinding,
    /// Number of requests sent.
    pub requests: u32,
    /// Crawl delay of the host.
    pub crawl_delay: Option<Duration>,
    /// Effect on the limits of its address.
    pub ending: Ending,
}

/// Looks for the token in the TXT records of its name.
pub async fn look_in_dns<F: Fetch>(fetch: &F, token: &ClaimToken) -> TokenFinding {
    let name = token.name();
    let found = contained(fetch.texts(&name)).await;
    match found {
        Ok(Ok(texts)) if texts.iter().any(|text| token.is(text)) => TokenFinding {
            is_found: true,
            text: format!("it is in a TXT record of {name}"),
        },
        Ok(Ok(texts)) => {
            let shown: Vec<String> = texts
                .iter()
                .take(3)
                .map(|it| format!("\"{}\"", text::clean(it, MAX_SHOWN)))
                .collect();
            let text = match texts.len() {
                0 => format!("{name} has no TXT record"),
                1 => format!("the TXT record of {name} is {}, not the token", shown[0]),
                number => format!(
                    "{name} has {number} TXT records, none with the token: {} …",
                    shown.join(", ")
                ),
            };
            TokenFinding {
                is_found: false,
                text,
            }
        }
        Ok(Err(error)) => TokenFinding {
            is_found: false,
            text: format!("no TXT record of {name}: {error}"),
        },
        Err(fault) => TokenFinding {
            is_found: false,
            text: format!("no TXT record of {name}: {fault}"),
        },
    }
}

/// Looks for the token in the file of the domain, within its robots.txt and the usual pace; `None`
/// if the crawler stopped before that.
pub async fn look_in_file<F: Fetch, O: Observer>(
    fetch: &F,
    observer: &O,
    settings: &Settings,
    (lease, token): (&Lease, &ClaimToken),
    admission: Admission,
    started: Timestamp,
    random: &mut StdRng,
) -> Option<FileFinding> {
    let absent = |text: String| TokenFinding {
        is_found: false,
        text,
    };
    let (origin, address) = match (origin(lease), admission) {
        (Some(origin), Admission::Open(address, _)) => (origin, Some(address)),
        (Some(origin), Admission::Guest(_)) => (origin, None),
        (Some(origin), Admission::Closed(error)) => {
            return Some(FileFinding {
                token: absent(format!("no connection to {origin}: {error}")),
                requests: 0,
                crawl_delay: None,
                ending: Ending::Unasked,
            });
        }
        (None, _) => {
            return Some(FileFinding {
                token: absent("the name does not form a URL".to_owned()),
                requests: 0,
                crawl_delay: None,
                ending: Ending::Unasked,
            });
        }
    };
    let mut session = Session::new(fetch, observer, settings, lease, started, random);
    session.most = MAX_REQUESTS;
    if let Some(address) = address {
        session.admit(&origin, address);
    }
    let url = origin
        .join(token.path)
        .map_or_else(|_| token.path.to_owned(), String::from);
    let asked = async {
        let robots = session.robots(&origin, None).await;
        let delay = robots.policy.crawl_delay();
        if let Some(error) = robots.error {
            let text = format!("{url} was not requested: robots.txt: {error}");
            return (absent(text), delay);
        }
        if !robots.policy.allows(token.path) {
            let why = robots.policy.why();
            let text = format!("{url} was not requested: robots.txt does not allow it ({why})");
            return (absent(text), delay);
        }
        let step = Request {
            target: token.path.to_owned(),
            known: None,
            canary: false,
            kind: DocumentKind::Manifest,
            hops: 1,
        };
        let probed = session.probe(&origin, &step).await;
        if let Some(pause) = session.pause_of(&probed.end) {
            session.record_pause(pause).await;
        }
        session.settle("claim", "a token was looked for");
        (judge(token, &url, probed.end), delay)
    };
    let (finding, crawl_delay) = contained(asked)
        .await
        .unwrap_or_else(|fault| (absent(format!("{url} was not read: {fault}")), None));
    let requests = session.requests;
    (!session.is_stopped).then_some(FileFinding {
        token: finding,
        requests,
        crawl_delay,
        ending: match requests {
            0 => Ending::Unasked,
            _ => Ending::Answered(None),
        },
    })
}

fn judge(
    token: &ClaimToken,
    url: &str,
    end: Result<(url::Url, crate::fetch::Response), FetchError>,
) -> TokenFinding {
    let response = match end {
        Ok((_, response)) => response,
        Err(error) => {
            return TokenFinding {
                is_found: false,
                text: format!("{url}: {error}"),
            };
        }
    };
    if response.status != 200 {
        return TokenFinding {
            is_found: false,
            text: format!("{url} was answered with status {}", response.status),
        };
    }
    let body = &response.body[..response.body.len().min(MAX_BYTES)];
    let body = String::from_utf8_lossy(body);
    let is_found = body.lines().any(|line| token.is(line));
    let text = if is_found {
        format!("it is in {url}")
    } else {
        let first = body.lines().find(|line| !line.trim().is_empty());
        match first {
            None => format!("{url} is empty"),
            Some(line) => format!(
                "{url} has \"{}\", not the token",
                text::clean(line, MAX_SHOWN)
            ),
        }
    };
    TokenFinding { is_found, text }
}
