//! Makes the documents of agents.

use super::facets::values;
use super::{Fields, MAX_VALUE, Told, name_key, stable_hash};
use crate::search::analyzer::forms::Forms;
use crate::search::analyzer::language::{self, Language};
use crate::search::analyzer::list::List;
use crate::search::analyzer::{self, segment};
use crate::search::semantic::{Embedder, Table, Vector};
use crate::search::{Facet, alike};
use manifest::Level;
use manifest::agent::Agent;
use std::collections::BTreeSet;
use store::{AgentStatus, StoredAgent};
use tantivy::TantivyDocument;

/// Words by which near-identical agents are told.
const MAX_LIKENED: usize = 2_000;
/// Capabilities whose meaning counts.
const MAX_MEANT: usize = 200;
/// Words of fewer or more bytes are not compared with mistyped ones.
const MIN_SPELLED: usize = 4;
const MAX_SPELLED: usize = 40;

/// Makes documents, and remembers what it worked out about words.
pub(crate) struct Maker {
    fields: Fields,
    /// Without one, meanings are left out.
    embedder: Option<Embedder>,
    forms: Forms,
    /// What the document at hand has in three fields.
    text: List,
    words: List,
    exact: List,
    /// Places of the forms of its words.
    places: Vec<usize>,
}

impl Maker {
    /// A maker that has met no word yet.
    pub(crate) fn new(fields: Fields, table: Option<&'static Table>) -> Self {
        Self {
            fields,
            embedder: table.map(Embedder::new),
            forms: Forms::default(),
            text: List::default(),
            words: List::default(),
            exact: List::default(),
            places: Vec::new(),
        }
    }

    /// The document of an agent.
    pub(crate) fn document(&mut self, stored: &StoredAgent) -> TantivyDocument {
        let agent = &stored.listing.agent;
        let told = language::detect(agent);
        let language = told.and_then(Language::of);
        let mut document = TantivyDocument::default();
        self.add_texts(stored, language, &mut document);
        let fields = &self.fields;
        let id = stored.listing.id.as_str();
        document.add_text(fields.id, id);
        document.add_u64(fields.tie, stable_hash(id));
        document.add_u64(fields.group, stable_hash(stored.domain.registrable()));
        document.add_u64(fields.shortfall, shortfall(stored));
        document.add_i64(fields.updated, stored.changed.0);
        document.add_i64(fields.first_seen, stored.first_seen.0);
        let name = analyzer::fold(&agent.name);
        document.add_u64(fields.name_key, name_key(&name));
        document.add_text(fields.name, name);
        if let Some(embedder) = &mut self.embedder
            && let Some(vector) = meaning(agent, embedder)
        {
            for number in vector.to_numbers() {
                document.add_u64(fields.meaning, number);
            }
        }
        document.add_text(fields.told, Told::of(agent, language).to_json());
        for facet in Facet::ALL {
            for value in values(facet, stored, told.map(language::code)) {
                document.add_text(fields.facet(facet), value);
            }
        }
        document
    }

    /// Cuts every text into words once, and adds what is made of words.
    fn add_texts(
        &mut self,
        stored: &StoredAgent,
        language: Option<Language>,
        document: &mut TantivyDocument,
    ) {
        self.forms.begin();
        self.places.clear();
        for list in [&mut self.text, &mut self.words, &mut self.exact] {
            list.clear();
        }
        let agent = &stored.listing.agent;
        let domain = stored.domain.as_str();
        for text in texts(agent) {
            self.add_text(text, language);
        }
        let forms = &mut self.forms;
        for &place in &self.places {
            if forms.is_new(place) && is_spelled(forms.folded(place)) {
                self.words.push(forms.folded(place), 0);
            }
        }
        let likened = self.places.iter().take(MAX_LIKENED);
        let likeness = alike::likeness(likened.map(|place| forms.folded(*place)));
        document.add_u64(self.fields.likeness, likeness);
        if let Some(language) = language {
            self.text.push(&language.marker(), 0);
            self.text.end_part();
        }
        // No other agent has these words.
        for text in [domain, &stored.domain.to_unicode()] {
            for term in analyzer::terms(text) {
                self.text.push(&term.text, term.position);
            }
            self.text.end_part();
        }
        for text in exact(agent, domain) {
            self.exact.push(&text, 0);
        }
        document.add_text(self.fields.text, self.text.text());
        document.add_text(self.fields.words, self.words.text());
        document.add_text(self.fields.exact, self.exact.text());
    }

    /// Adds the terms of a text in a language.
    fn add_text(&mut self, text: &str, language: Option<Language>) {
        let Self {
            forms,
            text: terms,
            places,
            ..
        } = self;
        segment(text, |piece| {
            let place = forms.find(piece);
            terms.push(forms.stem(place), piece.position);
            if let Some(language) = language
                && let Some(own) = forms.own(piece, place, language)
            {
                terms.push(own, piece.position);
            }
            places.push(place);
        });
        terms.end_part();
    }
}

/// Everything that words are looked for in.
fn texts(agent: &Agent) -> impl Iterator<Item = &str> {
    let capabilities = agent.capabilities.iter().flat_map(|capability| {
        let name = std::iter::once(&capability.name);
        let id = (capability.id != capability.name).then_some(&capability.id);
        let params = capability.params.iter().map(|param| &param.name);
        name.chain(id)
            .chain(&capability.description)
            .chain(&capability.examples)
            .chain(&capability.tags)
            .chain(params)
    });
    names(agent)
        .chain(&agent.description)
        .chain(&agent.tags)
        .chain(agent.provider.iter().map(|provider| &provider.name))
        .chain(capabilities)
        .map(String::as_str)
}

/// True for a word that somebody may mistype.
fn is_spelled(word: &str) -> bool {
    (MIN_SPELLED..=MAX_SPELLED).contains(&word.len()) && word.chars().all(char::is_alphabetic)
}

/// What an agent means: half of it is what it says of itself, and half what its capabilities mean, each of which
/// counts the same. One vector of the whole text would be that of its longest parts.
fn meaning(agent: &Agent, embedder: &mut Embedder) -> Option<Vector> {
    let mut joined = |parts: &mut dyn Iterator<Item = &String>| {
        let parts: Vec<&str> = parts.map(String::as_str).collect();
        embedder.embed(&parts.join(". "))
    };
    let own = joined(&mut names(agent).chain(&agent.description).chain(&agent.tags));
    let capabilities = agent.capabilities.iter().take(MAX_MEANT);
    let capabilities = Vector::between(capabilities.filter_map(|capability| {
        let name = std::iter::once(&capability.name);
        joined(
            &mut name
                .chain(&capability.description)
                .chain(&capability.examples),
        )
    }));
    Vector::between(own.into_iter().chain(capabilities))
}

fn shortfall(stored: &StoredAgent) -> u64 {
    let of_level = match stored.listing.level {
        Level::A => 0,
        Level::B => 1,
        Level::C | Level::D => 2,
    };
    let of_status = match stored.status {
        AgentStatus::Ok => 0,
        AgentStatus::Unknown => 1,
        AgentStatus::Failing => 2,
    };
    of_level + of_status
}

/// The names of an agent, the leading document's first.
pub(super) fn names(agent: &Agent) -> impl Iterator<Item = &String> {
    std::iter::once(&agent.name).chain(&agent.other_names)
}

/// What somebody types who knows exactly whom or what they want.
fn exact(agent: &Agent, domain: &str) -> BTreeSet<String> {
    let capabilities = agent
        .capabilities
        .iter()
        .flat_map(|capability| [&capability.name, &capability.id])
        .map(|text| analyzer::fold(text));
    names(agent)
        .map(|name| analyzer::fold(name))
        .chain(std::iter::once(domain.to_owned()))
        .chain(capabilities)
        .filter(|text| !text.is_empty() && text.len() <= MAX_VALUE)
        .collect()
}
