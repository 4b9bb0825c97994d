//! Construction of index documents from agents.

use super::facets::{Detected, values};
use super::{Fields, MAX_VALUE, WAITING, brands, lookalikes, name_key};
use crate::agent_vectors;
use crate::analyzer::language::{self, Language};
use crate::analyzer::list::List;
use crate::analyzer::token_cache::TokenCache;
use crate::analyzer::{self, segment};
use crate::category::{Category, OTHER};
use crate::embedding::{Embedder, Models, SentenceVector};
use crate::facet::Facet;
use crate::near_duplicates;
use crate::stable_hash::stable_hash;
use manifest::agent::{Agent, Translation};
use manifest::{Domain, Level, public_address};
use std::collections::BTreeSet;
use store::{AgentStatus, StoredAgent};
use tantivy::TantivyDocument;
use url::Host;

/// Maximum number of words from which the simhash for near-duplicates is computed.
const MAX_HASHED: usize = 2_000;
/// Minimum and maximum length in bytes of words that are candidates for corrections.
const MIN_CANDIDATE: usize = 4;
const MAX_CANDIDATE: usize = 40;
/// Maximum number of names of an agent, in all languages, that are matched exactly.
const MAX_NAMES: usize = 10;

/// Document builder, with caches of its work on words.
pub(crate) struct DocumentBuilder {
    fields: Fields,
    /// Embedder; without one, documents have no vectors.
    embedder: Option<Embedder>,
    /// True if agents without a sentence vector are to get one.
    has_encoder: bool,
    forms: TokenCache,
    /// Terms of the current document in six fields.
    text: List,
    words: List,
    exact: List,
    brands: List,
    ids: List,
    folded: List,
    /// Indexes of the forms of the words of the current document, in order.
    places: Vec<usize>,
}

impl DocumentBuilder {
    /// Creates a builder with empty caches.
    pub(crate) fn new(fields: Fields, models: Option<Models>) -> Self {
        Self {
            fields,
            embedder: models.map(|it| Embedder::new(it.table)),
            has_encoder: models.is_some_and(|it| it.encoder.is_some()),
            forms: TokenCache::default(),
            text: List::default(),
            words: List::default(),
            exact: List::default(),
            brands: List::default(),
            ids: List::default(),
            folded: List::default(),
            places: Vec::new(),
        }
    }

    /// Builds the document of an agent, with its sentence vector or as one that waits for it.
    pub(crate) fn document(
        &mut self,
        stored: &StoredAgent,
        sentence: Option<&SentenceVector>,
    ) -> TantivyDocument {
        let agent = &stored.listing.agent;
        let detected = language::detect(agent);
        let language = detected.and_then(Language::of_tag);
        let mut document = TantivyDocument::default();
        self.add_texts(stored, language, &mut document);
        let fields = &self.fields;
        let id = stored.listing.id.as_str();
        document.add_text(fields.id, id);
        document.add_u64(fields.tie, stable_hash(id));
        document.add_u64(fields.group, stable_hash(stored.domain.registrable()));
        document.add_u64(fields.shortfall, shortfall(stored));
        let is_foreign = detected.is_some_and(|it| it != "en");
        document.add_u64(fields.foreign, u64::from(is_foreign));
        document.add_i64(fields.updated, stored.changed.0);
        document.add_i64(fields.first_seen, stored.first_seen.0);
        let name = analyzer::fold(&agent.name);
        document.add_u64(fields.name_key, name_key(&name));
        document.add_text(fields.name, name);
        if let Some(embedder) = &mut self.embedder
            && let Some(vector) = agent_vectors::by_table(agent, embedder)
        {
            for number in vector.to_numbers() {
                document.add_u64(fields.meaning, number);
            }
        }
        let sentence = sentence.filter(|_| self.has_encoder);
        match sentence {
            Some(vector) => {
                for number in vector.to_numbers() {
                    document.add_u64(fields.sentence, number);
                }
            }
            None if self.has_encoder => document.add_text(fields.waiting, WAITING),
            None => {}
        }
        let category = |it| Category::of(it).map_or(OTHER, |it| it.id);
        let detected = Detected {
            language: detected,
            category: sentence.map(category),
        };
        for facet in Facet::ALL {
            for value in values(facet, stored, detected) {
                document.add_text(fields.facet(facet), value);
            }
        }
        document
    }

    /// Tokenizes every text once, and adds the fields derived from words: text, correction
    /// candidates, exact terms and simhash.
    fn add_texts(
        &mut self,
        stored: &StoredAgent,
        language: Option<Language>,
        document: &mut TantivyDocument,
    ) {
        self.forms.begin();
        self.places.clear();
        for list in [
            &mut self.text,
            &mut self.words,
            &mut self.exact,
            &mut self.brands,
            &mut self.ids,
            &mut self.folded,
        ] {
            list.clear();
        }
        let agent = &stored.listing.agent;
        let domain = stored.domain.as_str();
        for text in texts(agent) {
            self.add_text(text, language);
        }
        let mut languages: Vec<Language> = language.into_iter().collect();
        for translation in translations(agent) {
            let language = Language::of_tag(&translation.language);
            self.add_text(&translation.text, language);
            languages.extend(language.filter(|it| !languages.contains(it)));
        }
        let forms = &mut self.forms;
        for &place in &self.places {
            if forms.is_new(place) && is_candidate(forms.folded(place)) {
                self.words.push(forms.folded(place), 0);
            }
        }
        let hashed = self.places.iter().take(MAX_HASHED);
        let simhash = near_duplicates::simhash(hashed.map(|place| forms.folded(*place)));
        document.add_u64(self.fields.simhash, simhash);
        for language in languages {
            self.text.push(&language.marker(), 0);
            self.text.end_part();
        }
        // Words of the domain are specific to the agent: they are neither candidates for
        // corrections nor part of the simhash.
        for text in [domain, &stored.domain.to_unicode()] {
            for term in analyzer::terms(text) {
                self.text.push(&term.text, term.position);
            }
            self.text.end_part();
        }
        for text in exact(agent, &stored.domain) {
            self.exact.push(&text, 0);
        }
        for text in brands::terms(agent, &stored.domain) {
            self.brands.push(&text, 0);
        }
        for text in ids(agent) {
            self.ids.push(&text, 0);
        }
        for text in folded(agent) {
            self.folded.push(&text, 0);
        }
        for term in lookalikes::terms(agent, &stored.domain) {
            document.add_text(self.fields.lookalikes, term);
        }
        document.add_text(self.fields.text, self.text.text());
        document.add_text(self.fields.words, self.words.text());
        document.add_text(self.fields.exact, self.exact.text());
        document.add_text(self.fields.brands, self.brands.text());
        document.add_text(self.fields.ids, self.ids.text());
        document.add_text(self.fields.folded, self.folded.text());
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

/// Lists every searchable text of an agent in its main language.
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

/// Lists the texts of an agent and of its capabilities in further languages.
fn translations(agent: &Agent) -> impl Iterator<Item = &Translation> {
    let of_capabilities = agent.capabilities.iter().flat_map(|it| &it.translations);
    agent.translations.iter().chain(of_capabilities)
}

/// Reports whether a folded word is a candidate for corrections of mistyped words.
fn is_candidate(word: &str) -> bool {
    (MIN_CANDIDATE..=MAX_CANDIDATE).contains(&word.len()) && word.chars().all(char::is_alphabetic)
}

/// Returns the points that reduce the relevance of an agent, from 0 to 4.
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

/// Lists the names of an agent, the leading document's first.
pub(crate) fn names(agent: &Agent) -> impl Iterator<Item = &String> {
    std::iter::once(&agent.name).chain(&agent.other_names)
}

/// Lists the first names of an agent, those in other languages included, but none that is the address
/// of another site.
pub(super) fn own_names<'a>(
    agent: &'a Agent,
    domain: &'a Domain,
) -> impl Iterator<Item = &'a String> {
    let translated = agent.translations.iter().filter(|it| it.field == "name");
    let is_foreign_address = move |name: &&String| {
        let Some(Host::Domain(host)) = public_address::host(name) else {
            return false;
        };
        let host = Domain::parse(&host).ok().filter(Domain::has_known_suffix);
        host.is_some_and(|it| it.registrable() != domain.registrable())
    };
    names(agent)
        .chain(translated.map(|it| &it.text))
        .take(MAX_NAMES)
        .filter(move |name| !is_foreign_address(name))
}

/// Returns the terms of an exact match: the names in every language, folded, and the domain. Terms
/// of more than `MAX_VALUE` bytes are omitted.
fn exact(agent: &Agent, domain: &Domain) -> BTreeSet<String> {
    own_names(agent, domain)
        .map(|name| analyzer::fold(name))
        .chain(std::iter::once(domain.as_str().to_owned()))
        .filter(|text| !text.is_empty() && text.len() <= MAX_VALUE)
        .collect()
}

/// Returns the ids of capabilities that are identifiers, folded. A sentence is none, and is scored
/// like any text.
fn ids(agent: &Agent) -> BTreeSet<String> {
    let ids = agent.capabilities.iter().map(|it| it.id.trim());
    let ids = ids.filter(|id| id.len() <= MAX_VALUE && is_identifier(id));
    ids.map(analyzer::fold)
        .filter(|id| !id.is_empty())
        .collect()
}

/// Returns the names and ids of capabilities, folded, that are not the value of their facet.
fn folded(agent: &Agent) -> BTreeSet<String> {
    let capabilities = agent.capabilities.iter();
    let texts = capabilities.flat_map(|capability| [&capability.name, &capability.id]);
    let folded = texts.map(|text| (Facet::Capability.canonical(text), analyzer::fold(text)));
    let others = folded.filter(|(value, folded)| value != folded);
    others
        .map(|(_, folded)| folded)
        .filter(|text| !text.is_empty() && text.len() <= MAX_VALUE)
        .collect()
}

/// Reports whether a text consists of letters, digits and the signs that identifiers have.
///
/// Only ASCII counts: a sentence in Japanese has no spaces either.
fn is_identifier(text: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || b"._-/:".contains(&it);
    text.bytes().all(is_allowed)
}
