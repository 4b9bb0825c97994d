//! Agents by number: the same number and seed give the same agent.
//!
//! Lengths are those of the labelled collections, as measured: seven agents of ten are as long as
//! the skills of `dev`, the others in equal parts as the plugins of `dev_plugins` and the servers
//! of `dev_mcp`.

use crate::words::Words;
use manifest::agent::{Auth, Interface, Param, Provider};
use manifest::listing::Listing;
use manifest::{Agent, AgentId, Capability, Domain, Level, Timestamp, formats};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;
use store::{AgentStatus, StoredAgent};

/// The least, the quantiles 0.1, 0.25, 0.5, 0.75, 0.9 and 0.99, and the most.
type Spread = [f64; 8];
const AT: Spread = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0];

/// Words and capabilities of one kind of agent.
struct Kind {
    share: f64,
    name: Spread,
    description: Spread,
    capabilities: Spread,
    capability_name: Spread,
    capability_description: Spread,
    /// Most parameters of a capability; the collections have none, but their sources do.
    parameters: usize,
}

const KINDS: [Kind; 3] = [
    Kind {
        share: 0.7,
        name: [1.0, 1.0, 2.0, 2.0, 3.0, 5.0, 7.0, 9.0],
        description: [2.0, 11.0, 21.0, 33.0, 62.0, 113.0, 270.0, 325.0],
        capabilities: [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 3.0],
        capability_name: [1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 6.0, 9.0],
        capability_description: [1.0, 3.0, 5.0, 8.0, 15.0, 23.0, 37.0, 42.0],
        parameters: 0,
    },
    Kind {
        share: 0.15,
        name: [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0],
        description: [2.0, 7.0, 10.0, 13.0, 17.0, 20.0, 41.0, 50.0],
        capabilities: [1.0; 8],
        capability_name: [1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 5.0, 8.0],
        capability_description: [2.0, 8.0, 11.0, 23.0, 50.0, 81.0, 96.0, 98.0],
        parameters: 2,
    },
    Kind {
        share: 0.15,
        name: [1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 10.0, 10.0],
        description: [6.0, 10.0, 13.0, 25.0, 33.0, 41.0, 60.0, 60.0],
        capabilities: [1.0, 1.0, 2.0, 4.0, 9.0, 21.0, 35.0, 35.0],
        capability_name: [1.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 5.0],
        capability_description: [0.0, 4.0, 6.0, 10.0, 28.0, 54.0, 66.0, 74.0],
        parameters: 3,
    },
];

/// Values with their shares; guesses, since no collection has them.
const FORMATS: [(&str, f64); 5] = [
    ("a2a-agent-card", 0.45),
    ("mcp-server-card", 0.25),
    ("zervice", 0.15),
    ("intentql", 0.1),
    ("agents-txt", 0.05),
];
const PROTOCOLS: [(&str, f64); 4] = [("a2a", 0.4), ("mcp", 0.3), ("rest", 0.2), ("openapi", 0.1)];
const AUTHS: [(&str, f64); 5] = [
    ("none", 0.35),
    ("api_key", 0.3),
    ("oauth2", 0.2),
    ("bearer", 0.1),
    ("", 0.05),
];
const LEVELS: [(Level, f64); 4] = [
    (Level::A, 0.15),
    (Level::B, 0.5),
    (Level::C, 0.25),
    (Level::D, 0.1),
];
const TLDS: [(&str, f64); 6] = [
    ("com", 0.6),
    ("ai", 0.12),
    ("io", 0.1),
    ("dev", 0.08),
    ("org", 0.06),
    ("de", 0.04),
];
/// Share of agents on platforms that host many, and how many platforms there are.
const HOSTED: f64 = 0.15;
const PLATFORMS: u64 = 200;
/// Share of agents that say what another one says, and how many say it first.
const COPIED: f64 = 0.03;
const TEMPLATES: u64 = 1_000;
/// Different tags.
const TAGS: usize = 2_000;
/// Percentage of an agent's words that belong to its topic, and number of words of a topic.
const ON_TOPIC: f64 = 0.3;
const TOPICS: u64 = 2_000;
const TOPIC_WORDS: usize = 80;
/// Ranks below this are no topic's.
const FUNCTION_WORDS: usize = 100;

/// Generator of agents.
pub(crate) struct Generator {
    words: Words,
    topics: Vec<Vec<usize>>,
    seed: u64,
}

impl Generator {
    /// Returns a generator over a vocabulary.
    pub(crate) fn new(words: Words, seed: u64) -> Self {
        let topic = |number| {
            let mut random = StdRng::seed_from_u64(seed ^ number << 40);
            let ranks = std::iter::repeat_with(|| words.rank(&mut random));
            ranks
                .filter(|it| *it >= FUNCTION_WORDS)
                .take(TOPIC_WORDS)
                .collect()
        };
        let topics = (0..TOPICS).map(topic).collect();
        Self {
            words,
            topics,
            seed,
        }
    }

    /// Returns the agent of a number.
    pub(crate) fn agent(&self, number: u64) -> StoredAgent {
        let mut random = StdRng::seed_from_u64(self.seed.wrapping_add(number));
        let tld = *one_of(&TLDS, &mut random);
        let is_hosted = random.random_bool(HOSTED);
        let host = if is_hosted {
            let first = random.random_range(0..PLATFORMS);
            let platform = random.random_range(0..=first);
            format!("platform{platform}.{tld}")
        } else {
            format!("{}{number}.{tld}", self.word(&mut random))
        };
        let domain =
            Domain::parse(&host).or_else(|_| Domain::parse(&format!("site{number}.{tld}")));
        let domain = domain.expect("a site's name");
        let format = formats::find(one_of::<&str>(&FORMATS, &mut random)).expect("a format");
        let level = *one_of(&LEVELS, &mut random);
        let protocol = (*one_of(&PROTOCOLS, &mut random)).to_owned();
        let scheme = *one_of(&AUTHS, &mut random);
        let says = if random.random_bool(COPIED) {
            random.random_range(0..TEMPLATES)
        } else {
            number
        };
        let auth = (!scheme.is_empty()).then(|| Auth {
            scheme: scheme.to_owned(),
            ..Auth::default()
        });
        let interface = Interface {
            protocol,
            url: format!("https://{host}/agent"),
            ..Interface::default()
        };
        let agent = Agent {
            auth: auth.into_iter().collect(),
            interfaces: vec![interface],
            ..self.texts(says)
        };
        let day = i64::try_from(number % 1_000).unwrap_or(0) * 86_400_000;
        StoredAgent {
            listing: Listing {
                id: AgentId::new(&domain, &format!("agent-{number}")),
                format,
                level,
                agent,
                sources: Vec::new(),
                provenance: BTreeMap::new(),
                conflicts: Vec::new(),
            },
            domain,
            first_seen: Timestamp(day),
            last_seen: Timestamp(day),
            changed: Timestamp(day),
            hash: String::new(),
            status: AgentStatus::Ok,
        }
    }

    /// Generates the text of an agent, unless it copies another one.
    fn texts(&self, number: u64) -> Agent {
        let mut random = StdRng::seed_from_u64(self.seed.rotate_left(17).wrapping_add(number));
        let topic = &self.topics[usize::try_from(number % TOPICS).unwrap_or(0)];
        let mut remaining: f64 = random.random();
        let kind = KINDS.iter().find(|kind| {
            remaining -= kind.share;
            remaining < 0.0
        });
        let kind = kind.unwrap_or(&KINDS[0]);
        let text = |spread: &Spread, joint: &str, random: &mut StdRng| {
            let count = drawn(spread, random);
            let words = (0..count).map(|_| self.word_on(topic, random));
            words.collect::<Vec<_>>().join(joint)
        };
        let joint = if kind.parameters > 0 { "_" } else { " " };
        let capabilities = (0..drawn(&kind.capabilities, &mut random)).map(|_| {
            let name = text(&kind.capability_name, joint, &mut random);
            let description = text(&kind.capability_description, " ", &mut random);
            let parameters = random.random_range(0..=kind.parameters);
            let params = (0..parameters).map(|_| Param {
                name: self.word(&mut random).to_owned(),
                ..Param::default()
            });
            Capability {
                id: name.clone(),
                params: params.collect(),
                description: Some(description).filter(|it| !it.is_empty()),
                name,
                ..Capability::default()
            }
        });
        let capabilities = capabilities.collect();
        let tags = random.random_range(0..=4);
        let tags = (0..tags).map(|_| {
            let rank = FUNCTION_WORDS + self.words.rank(&mut random) % TAGS;
            self.words.at(rank).to_owned()
        });
        Agent {
            capabilities,
            tags: tags.collect(),
            provider: random.random_bool(0.3).then(|| Provider {
                name: self.word(&mut random).to_owned(),
                ..Provider::default()
            }),
            name: text(&kind.name, " ", &mut random),
            description: Some(text(&kind.description, " ", &mut random)),
            ..Agent::default()
        }
    }

    /// Returns informative words of a random agent, as a query that looks for it.
    pub(crate) fn keywords(&self, agents: u64, count: usize, random: &mut StdRng) -> String {
        loop {
            let topic = random.random_range(0..agents.min(TOPICS));
            let topic = &self.topics[usize::try_from(topic).unwrap_or(0)];
            let words = std::iter::repeat_with(|| self.rank_on(topic, random));
            let words = words.filter(|rank| *rank >= FUNCTION_WORDS).take(count);
            let mut words: Vec<&str> = words.map(|rank| self.words.at(rank)).collect();
            words.dedup();
            if words.len() == count {
                return words.join(" ");
            }
        }
    }

    /// Returns consecutive words of a random agent, stop words included.
    pub(crate) fn sentence(&self, count: usize, random: &mut StdRng) -> String {
        let topic = &self.topics[random.random_range(0..self.topics.len())];
        let words: Vec<&str> = (0..count).map(|_| self.word_on(topic, random)).collect();
        words.join(" ")
    }

    /// Letters that many names and capabilities begin with.
    pub(crate) fn beginning(&self, letters: usize, random: &mut StdRng) -> String {
        self.word(random).chars().take(letters).collect()
    }

    fn word(&self, random: &mut StdRng) -> &str {
        self.words.at(self.words.rank(random))
    }

    fn word_on(&self, topic: &[usize], random: &mut StdRng) -> &str {
        self.words.at(self.rank_on(topic, random))
    }

    fn rank_on(&self, topic: &[usize], random: &mut StdRng) -> usize {
        if random.random_bool(ON_TOPIC) {
            topic[random.random_range(0..topic.len())]
        } else {
            self.words.rank(random)
        }
    }
}

/// Returns a number with this spread.
fn drawn(spread: &Spread, random: &mut StdRng) -> usize {
    let share: f64 = random.random();
    let above = AT.partition_point(|it| *it <= share).clamp(1, AT.len() - 1);
    let part = (share - AT[above - 1]) / (AT[above] - AT[above - 1]);
    let number = spread[above - 1] + part * (spread[above] - spread[above - 1]);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to some hundred"
    )]
    let number = number.round() as usize;
    number
}

/// Chooses one of some values by their shares.
fn one_of<'a, T>(values: &'a [(T, f64)], random: &mut StdRng) -> &'a T {
    let mut remaining: f64 = random.random();
    let found = values.iter().find(|(_, share)| {
        remaining -= share;
        remaining < 0.0
    });
    &found.unwrap_or(&values[0]).0
}

/// Returns every text of an agent in one: what the other engines index.
pub(crate) fn whole_text(stored: &StoredAgent) -> String {
    let agent = &stored.listing.agent;
    let capabilities = agent.capabilities.iter().flat_map(|it| {
        let params = it.params.iter().map(|param| &param.name);
        std::iter::once(&it.name)
            .chain(&it.description)
            .chain(params)
    });
    let texts = std::iter::once(&agent.name)
        .chain(&agent.description)
        .chain(&agent.tags)
        .chain(agent.provider.iter().map(|it| &it.name))
        .chain(capabilities);
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    format!(
        "{} {}",
        texts.join(" ").replace('_', " "),
        stored.domain.as_str()
    )
}
