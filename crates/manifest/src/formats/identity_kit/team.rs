//! The team file: a list of agents with the addresses of their cards, which have the facts.

use super::manifest::{Member, Team};
use super::{rules, shape, validate};
use crate::agent::Provider;
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Reference};

/// Maximum number of references to cards of one team.
const MAX_CARDS: usize = 50;

/// Reader of team files.
pub(crate) struct IdentityTeam;

impl Format for IdentityTeam {
    type Manifest = Team;

    const ID: FormatId = FormatId::specified("agent-identity-kit-team");
    const TITLE: &'static str = "Agent Identity Kit team";
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Self::ID, |o| {
        marker::array(o, "agents")
            .is_some_and(|agents| agents.iter().any(|agent| agent.get("card").is_some()))
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::TEAM);
    const FIELDS: Fields = &[
        (Fact::Name, &["/name"]),
        (Fact::Description, &["/description"]),
        (Fact::Tags, &["/role"]),
    ];
    const RULES: &'static [&'static Rule] = rules::TEAM;

    fn parse(input: &Input<'_>) -> Team {
        input.manifest()
    }

    fn validate(team: &Team, input: &Input<'_>, findings: &mut Findings) {
        validate::team(team, input, findings);
    }

    fn normalize(team: &Team, _: &Input<'_>) -> Vec<Agent> {
        let provider = team.organization().map(|name| Provider { name, url: None });
        let members = team.agents.items();
        members
            .filter_map(|(index, member)| member.normalize(index, provider.clone()))
            .collect()
    }

    fn references(team: &Team, input: &Input<'_>) -> Vec<Reference> {
        let cards = team.agents.items().filter_map(|(index, member)| {
            let pointer = format!("/agents/{index}/card");
            reference::to(input.document, "agent-card", member.card.raw()?, &pointer)
        });
        reference::distinct(cards.take(MAX_CARDS))
    }

    fn generation(team: &Team) -> Option<String> {
        team.version.text()
    }
}

impl Member {
    /// Returns the agent as its team describes it; `None` for one without a name.
    fn normalize(&self, index: usize, provider: Option<Provider>) -> Option<Agent> {
        let mut agent = Agent {
            key: self.handle.text().unwrap_or_default(),
            pointer: format!("/agents/{index}"),
            name: self.name.text()?,
            description: self.description.text(),
            tags: self.role.text().into_iter().collect(),
            provider,
            ..Agent::default()
        };
        if agent.provider.is_some() {
            let pointer = "/organization".to_owned();
            agent.set_place(Fact::Provider, pointer);
        }
        Some(agent)
    }
}
