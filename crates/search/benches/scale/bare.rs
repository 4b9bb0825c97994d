//! The limit: Tantivy alone over one field, which counts nothing and explains nothing.

use std::path::Path;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, SimpleTokenizer, Stemmer, TextAnalyzer,
};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};

const BUFFER_BYTES: usize = 100_000_000;

/// Being filled.
pub(crate) struct Filling {
    index: Index,
    writer: IndexWriter,
    text: Field,
}

/// Ready.
pub(crate) struct Bare {
    searcher: Searcher,
    analyzer: TextAnalyzer,
    text: Field,
}

fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(AsciiFoldingFilter)
        .filter(LowerCaser)
        .filter(Stemmer::new(Language::English))
        .build()
}

impl Filling {
    pub(crate) fn begin(folder: &Path) -> Self {
        let mut schema = Schema::builder();
        let options = TextFieldIndexing::default()
            .set_tokenizer("bare")
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let text =
            schema.add_text_field("text", TextOptions::default().set_indexing_options(options));
        let index = Index::create_in_dir(folder, schema.build()).expect("an index");
        index.tokenizers().register("bare", analyzer());
        let writer = index
            .writer_with_num_threads(1, BUFFER_BYTES)
            .expect("a writer");
        Self {
            index,
            writer,
            text,
        }
    }

    pub(crate) fn add(&self, text: &str) {
        let mut document = TantivyDocument::default();
        document.add_text(self.text, text);
        self.writer.add_document(document).expect("a document");
    }

    pub(crate) fn end(mut self) -> Bare {
        self.writer.commit().expect("a commit");
        self.writer.wait_merging_threads().expect("merged segments");
        let reader = self.index.reader().expect("a reader");
        Bare {
            searcher: reader.searcher(),
            analyzer: analyzer(),
            text: self.text,
        }
    }
}

impl Bare {
    pub(crate) fn segments(&self) -> usize {
        self.searcher.segment_readers().len()
    }

    /// Returns the ten best for any of the words.
    pub(crate) fn best(&mut self, words: &str) -> u64 {
        let query = self.query(words);
        let best = TopDocs::with_limit(10).order_by_score();
        self.searcher
            .search(&query, &best)
            .expect("an answer")
            .len() as u64
    }

    /// Returns the ten best, and how many there are.
    pub(crate) fn best_and_count(&mut self, words: &str) -> u64 {
        let query = self.query(words);
        let both = (TopDocs::with_limit(10).order_by_score(), Count);
        self.searcher.search(&query, &both).expect("an answer").1 as u64
    }

    fn query(&mut self, words: &str) -> BooleanQuery {
        let mut queries: Vec<Box<dyn Query>> = Vec::new();
        let text = self.text;
        self.analyzer.token_stream(words).process(&mut |token| {
            let term = Term::from_field_text(text, &token.text);
            queries.push(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)));
        });
        BooleanQuery::union(queries)
    }
}
