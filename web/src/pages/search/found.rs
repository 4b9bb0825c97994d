//! Hits of a search as cards.

use super::Choice;
use super::words::shown;
use crate::query::SearchParams;
use crate::record::agent::CapabilityPage;
use crate::view::capability::anchor;
use crate::view::card::Card;
use crate::view::{self, title};
use connect::{connect, connect_to};
use manifest::Timestamp;
use search::{AgentHit, Answer, Facet, Fit, Sort};

/// Weaker matches shown at once.
const WEAKER: usize = 3;
/// Longest description of a capability, in characters.
const DESCRIPTION: usize = 260;

/// Hit, with links to more agents of its site.
#[derive(Debug)]
pub(super) struct FoundCard {
    pub(super) card: Card,
    /// The capability that is the hit; none if the agent itself is.
    pub(super) capability: Option<CapabilityCard>,
    /// True for the first of the weaker matches.
    pub(super) begins_weaker: bool,
    pub(super) more: Option<Choice>,
    /// Link to near-duplicates.
    pub(super) near_duplicates: Option<Choice>,
}

/// Capability that is a hit.
#[derive(Debug)]
pub(super) struct CapabilityCard {
    pub(super) name: String,
    /// Path of its place on the page of the agent.
    pub(super) path: String,
    pub(super) description: Option<String>,
}

impl CapabilityCard {
    /// Returns the card of the capability of a hit; `None` if the agent itself is the hit.
    fn of(found: &AgentHit) -> Option<Self> {
        let (index, capability) = (found.capability?, found.capability()?);
        let listing = &found.agent.listing;
        let page = CapabilityPage::with(&listing.agent, index);
        let path = page.address(&view::agent_path(&listing.id));
        let description = capability.description.as_ref();
        Some(Self {
            name: title(&capability.name),
            path: format!("{path}#{}", anchor(index)),
            description: description.map(|it| view::shortened(it, DESCRIPTION)),
        })
    }
}

/// Returns the command that calls a hit; `None` if its documents do not state a call.
fn call(found: &AgentHit, now: Timestamp) -> Option<String> {
    let listing = &found.agent.listing;
    let connect = match found.capability() {
        Some(capability) => connect_to(listing, capability, now),
        None => connect(listing, None, now),
    };
    connect.snippets?.curl
}

/// Returns the hits, and apart from them the weaker ones that are shown on request; the last hit of
/// a site has the link to its further agents.
pub(super) fn cards(
    answer: &Answer,
    asked: &SearchParams,
    now: Timestamp,
) -> (Vec<FoundCard>, Vec<FoundCard>) {
    let mut cards = Vec::with_capacity(answer.found.len());
    let is_need = answer.results.query.is_need();
    // Level of the matches before the weaker ones; if no agent matches, there is none.
    let usual = answer.results.fit.min(Fit::Weak);
    let first = answer.found.first();
    let mut is_usual = first.is_some_and(|it| it.hit.fit >= usual);
    for (index, found) in answer.found.iter().enumerate() {
        let AgentHit {
            hit,
            agent,
            because,
            cautions,
            ..
        } = found;
        let site = agent.domain.registrable();
        let is_last = answer.found[index + 1..]
            .iter()
            .all(|other| other.agent.domain.registrable() != site);
        // Without a need, every agent matches, and no text is the reason.
        let reasons: &[_] = if is_need { because } else { &[] };
        let more = answer.results.more_from_site.get(site).filter(|_| is_last);
        cards.push(FoundCard {
            card: Card {
                call: call(found, now),
                ..Card::of(agent, now).with_cautions(cautions).found(reasons)
            },
            capability: CapabilityCard::of(found),
            begins_weaker: is_need && asked.sort == Sort::Relevance && is_usual && hit.fit < usual,
            near_duplicates: (hit.near_duplicates > 0).then(|| {
                let search = SearchParams {
                    unfold: true,
                    ..asked.clone()
                };
                let words = match hit.near_duplicates {
                    1 => "1 near-duplicate".to_owned(),
                    count => format!("{} near-duplicates", view::grouped(count)),
                };
                Choice::of(words, &search)
            }),
            more: more.map(|more| {
                let words = format!("{} more from {}", view::grouped(*more), shown(site));
                Choice::of(words, &asked.toggled(Facet::Site, site))
            }),
        });
        is_usual &= hit.fit >= usual;
    }
    let begin = cards.iter().position(|it| it.begins_weaker);
    let kept = begin.map_or(cards.len(), |at| (at + WEAKER).min(cards.len()));
    let weaker = cards.split_off(kept);
    (cards, weaker)
}
