//! The fields of the index: one document per agent.

pub(crate) mod brands;
mod document;
mod facets;
pub(crate) mod lookalikes;

pub(crate) use document::{DocumentBuilder, names};
pub use facets::{Detected, values as facet_values};

use super::analyzer::list;
use super::category::Category;
use super::facet::Facet;
use super::files::Files;
use manifest::{AgentId, Domain};
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value as _,
};
use tantivy::{
    DocAddress, DocSet as _, Index, IndexSettings, Searcher, TERMINATED, TantivyDocument,
    TantivyError, Term,
};

/// Maximum length of a facet value in bytes; longer values are not indexed.
const MAX_VALUE: usize = 120;

/// Term of the agents that wait for a sentence vector.
const WAITING: &str = "1";

/// Handles of all fields of the index, so that no field is looked up by string.
///
/// Words are indexed in one field, so that a word has one rarity and an agent one length. Separate
/// fields whose scores are added rank worse (docs/ranking.md).
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The agent's id.
    pub(crate) id: Field,
    /// Every searchable text.
    pub(crate) text: Field,
    /// Names and domain, folded, each as one term.
    pub(crate) exact: Field,
    /// Names that are recognised within a longer query ([`brands`]), each as one term.
    pub(crate) brands: Field,
    /// Ids of capabilities that are identifiers, folded, each as one term.
    pub(crate) ids: Field,
    /// Names and ids of capabilities, folded, each as one term, where that is another text than the
    /// value of their facet: completions of a prefix.
    pub(crate) folded: Field,
    /// Names with what they look like ([`lookalikes`]), each as one term.
    pub(crate) lookalikes: Field,
    /// Words as written, in lower case and folded, each as one term: candidates for corrections of
    /// mistyped words.
    pub(crate) words: Field,
    /// Embedding of the whole text: the bytes of a [`super::embedding::Vector`], eight to a number.
    pub(crate) meaning: Field,
    /// Embedding by the sentence encoder, likewise.
    pub(crate) sentence: Field,
    /// [`WAITING`] if the agent is still to get that embedding.
    pub(crate) waiting: Field,
    /// Hash of the id: breaks ties.
    pub(crate) tie: Field,
    /// Hash of the registrable domain.
    pub(crate) group: Field,
    /// Points for a lower level of the manifest and for a site that is failing or in an unknown state; each
    /// reduces the relevance.
    pub(crate) shortfall: Field,
    /// 1 if the agent's texts are in a language other than English, else 0.
    pub(crate) foreign: Field,
    /// Simhash that detects near-duplicates ([`super::near_duplicates`]).
    pub(crate) simhash: Field,
    /// Last change, in milliseconds.
    pub(crate) updated: Field,
    /// First seen, in milliseconds.
    pub(crate) first_seen: Field,
    /// The folded name, for sorting.
    pub(crate) name: Field,
    /// The first six bytes of the folded name as a number.
    pub(crate) name_key: Field,
    facets: [Field; Facet::ALL.len()],
}

impl Fields {
    /// Version of the index. Raise it when the schema, the analyzer or the embedded text changes;
    /// an older index is then rebuilt from the store.
    pub(crate) const VERSION: u32 = 19;

    /// Builds the schema and the handles of its fields.
    pub(crate) fn define() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let listed = |records, has_lengths| {
            TextOptions::default().set_indexing_options(
                TextFieldIndexing::default()
                    .set_tokenizer(list::NAME)
                    .set_index_option(records)
                    .set_fieldnorms(has_lengths),
            )
        };
        let text = listed(IndexRecordOption::WithFreqsAndPositions, true);
        let terms = listed(IndexRecordOption::Basic, false);
        // Ranking does not depend on the frequency of these values.
        let whole = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer("raw")
                .set_index_option(IndexRecordOption::Basic)
                .set_fieldnorms(false),
        );
        let facet = whole.clone().set_fast("raw");
        let fields = Self {
            id: schema.add_text_field("id", whole.clone() | STORED),
            text: schema.add_text_field("text", text),
            exact: schema.add_text_field("exact", terms.clone()),
            brands: schema.add_text_field("brands", terms.clone()),
            ids: schema.add_text_field("ids", terms.clone()),
            folded: schema.add_text_field("folded", terms.clone()),
            lookalikes: schema.add_text_field("lookalikes", whole.clone()),
            words: schema.add_text_field("words", terms),
            meaning: schema.add_u64_field("meaning", FAST),
            sentence: schema.add_u64_field("sentence", FAST),
            waiting: schema.add_text_field("waiting", whole.clone()),
            tie: schema.add_u64_field("tie", FAST),
            group: schema.add_u64_field("group", FAST),
            shortfall: schema.add_u64_field("shortfall", FAST),
            foreign: schema.add_u64_field("foreign", FAST),
            simhash: schema.add_u64_field("simhash", FAST),
            updated: schema.add_i64_field("updated", FAST),
            first_seen: schema.add_i64_field("first_seen", FAST),
            name: schema.add_text_field("name", TextOptions::default().set_fast("raw")),
            name_key: schema.add_u64_field("name_key", FAST),
            facets: Facet::ALL.map(|it| schema.add_text_field(it.as_str(), facet.clone())),
        };
        (schema.build(), fields)
    }

    /// Creates an empty index.
    pub(crate) fn create(files: Files) -> tantivy::Result<(Index, Self)> {
        let (schema, fields) = Self::define();
        let index = Index::create(files, schema, IndexSettings::default())?;
        Ok((Self::registered(index), fields))
    }

    /// Opens an index; fails if it has other fields.
    pub(crate) fn open(files: Files) -> tantivy::Result<(Index, Self)> {
        let index = Index::open(files)?;
        let (schema, fields) = Self::define();
        if index.schema() != schema {
            let reason = "the index has other fields";
            return Err(TantivyError::SchemaError(reason.to_owned()));
        }
        Ok((Self::registered(index), fields))
    }

    /// Registers the tokenizer of the terms.
    fn registered(index: Index) -> Index {
        let tokenizers = index.tokenizers();
        tokenizers.register(list::NAME, list::ListReader::default());
        index
    }

    /// Returns the id of the agent at an address; `None` if the stored id is not valid.
    pub(crate) fn agent(
        &self,
        searcher: &Searcher,
        address: DocAddress,
    ) -> tantivy::Result<Option<AgentId>> {
        let document: TantivyDocument = searcher.doc(address)?;
        let id = document.get_first(self.id).and_then(|it| it.as_str());
        let parts = id.and_then(|it| it.split_once('/'));
        Ok(parts.and_then(|(domain, slug)| {
            let domain = Domain::parse(domain).ok()?;
            Some(AgentId::new(&domain, slug))
        }))
    }

    /// Returns the category of the agent at an address; `None` if it has none.
    pub(crate) fn category(
        &self,
        searcher: &Searcher,
        address: DocAddress,
    ) -> tantivy::Result<Option<&'static Category>> {
        let columns = searcher.segment_reader(address.segment_ord).fast_fields();
        let schema = searcher.schema();
        let field = schema.get_field_name(self.facet(Facet::Category));
        let mut id = String::new();
        if let Some(column) = columns.str(field)?
            && let Some(ordinal) = column.ords().first(address.doc_id)
        {
            column.ord_to_str(ordinal, &mut id)?;
        }
        Ok(Category::find(&id))
    }

    /// Calls `see` with each agent that waits for a sentence vector.
    pub(crate) fn each_waiting(
        &self,
        searcher: &Searcher,
        mut see: impl FnMut(DocAddress) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let term = Term::from_field_text(self.waiting, WAITING);
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let index = segment.inverted_index(self.waiting)?;
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            while postings.doc() != TERMINATED {
                if !segment.is_deleted(postings.doc()) {
                    see(DocAddress::new(ordinal, postings.doc()))?;
                }
                postings.advance();
            }
        }
        Ok(())
    }

    /// Returns the field of a facet.
    pub(crate) fn facet(&self, facet: Facet) -> Field {
        self.facets[facet as usize]
    }
}

/// Returns a number that orders folded names by their first six bytes.
pub(crate) fn name_key(folded: &str) -> u64 {
    let mut bytes = folded.bytes();
    (0..6).fold(0, |key, _| {
        (key << 8) | u64::from(bytes.next().unwrap_or(0))
    })
}
