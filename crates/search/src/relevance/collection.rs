//! Labelled collections on disk: queries and relevance judgements.

use manifest::AgentId;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Maximum size of a file of a collection, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Error of a collection that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectionError {
    /// A file cannot be read.
    #[error("cannot read '{path}'")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line has the wrong content.
    #[error("'{path}' line {line}: {problem}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// Description of the error.
        problem: String,
    },
    /// There are no queries.
    #[error("'{path}' holds no query")]
    NoQuery {
        /// The file.
        path: PathBuf,
    },
}

/// Query of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Query {
    /// Its id within the collection.
    #[serde(rename = "qid")]
    pub id: String,
    /// The words.
    pub text: String,
    /// Type as `family-kind`; empty if unspecified.
    #[serde(default, rename = "type")]
    pub kind: String,
}

/// Queries and relevance judgements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// Queries, in the order of the file.
    pub queries: Vec<Query>,
    /// Query id to document id to grade. A query without a grade above zero has no relevant
    /// document.
    pub grades: BTreeMap<String, BTreeMap<String, f64>>,
    /// Domain to document id, for documents that are sites with ids of their own.
    pub sites: BTreeMap<String, String>,
}

impl Collection {
    /// Reads `queries.jsonl`, `qrels.tsv` and the map of sites: the given file, or else `sites.tsv`
    /// if there is one.
    ///
    /// Without such a map, documents are agents (`<domain>/<slug>`) or domains.
    pub fn read(folder: &Path, sites: Option<&Path>) -> Result<Self, CollectionError> {
        let mut collection = Self::default();
        let queries = folder.join("queries.jsonl");
        each_line(&queries, |line| {
            let query = serde_json::from_str(line).map_err(|error| error.to_string())?;
            collection.queries.push(query);
            Ok(())
        })?;
        if collection.queries.is_empty() {
            return Err(CollectionError::NoQuery { path: queries });
        }
        for query in &collection.queries {
            collection.grades.insert(query.id.clone(), BTreeMap::new());
        }
        each_line(&folder.join("qrels.tsv"), |line| {
            let columns: Vec<_> = line.split('\t').collect();
            let [query, document, grade] = columns[..] else {
                return Err(
                    "a query, a document and a grade are wanted, with tabs between".to_owned(),
                );
            };
            let grade = grade.trim().parse().ok().filter(|it: &f64| it.is_finite());
            let grade = grade.ok_or("the grade is not a number")?;
            let grades = collection.grades.get_mut(query);
            let grades = grades.ok_or_else(|| format!("there is no query '{query}'"))?;
            grades.insert(document.to_owned(), grade);
            Ok(())
        })?;
        let beside = folder.join("sites.tsv");
        let sites = sites.or_else(|| beside.exists().then_some(&*beside));
        if let Some(path) = sites {
            each_line(path, |line| {
                let mut columns = line.split('\t');
                let (Some(document), Some(domain)) = (columns.next(), columns.next()) else {
                    return Err(
                        "a document and its domain are wanted, with a tab between".to_owned()
                    );
                };
                let domain = domain.trim().to_owned();
                collection.sites.insert(domain, document.to_owned());
                Ok(())
            })?;
        }
        Ok(collection)
    }
}

/// Mapping from agents to the document ids of a collection.
#[derive(Debug)]
pub(super) struct Names<'a> {
    sites: &'a BTreeMap<String, String>,
    /// Documents with a grade for any query.
    pub(super) judged: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(collection: &'a Collection) -> Self {
        let grades = collection.grades.values();
        Self {
            sites: &collection.sites,
            judged: grades
                .flat_map(BTreeMap::keys)
                .map(String::as_str)
                .collect(),
        }
    }

    /// Returns the site's id in the collection, or else the agent's id, or its domain if only that
    /// was judged.
    pub(super) fn name(&self, agent: &AgentId) -> String {
        let (domain, _) = agent.parts();
        let site = self.sites.get(domain).map(String::as_str);
        let is_site = !self.judged.contains(agent.as_str()) && self.judged.contains(domain);
        let name = site.or(is_site.then_some(domain));
        name.unwrap_or(agent.as_str()).to_owned()
    }
}

/// Reads a file line by line and skips empty lines.
fn each_line(
    path: &Path,
    mut read: impl FnMut(&str) -> Result<(), String>,
) -> Result<(), CollectionError> {
    let text = capped(path).map_err(|source| CollectionError::File {
        path: path.to_owned(),
        source,
    })?;
    let lines = (1..).zip(text.lines());
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        read(text).map_err(|problem| CollectionError::Line {
            path: path.to_owned(),
            line,
            problem,
        })?;
    }
    Ok(())
}

/// Reads the text of a file of at most the maximum size.
fn capped(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is longer than 64 MB"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::Domain;

    #[test]
    fn agents_are_called_what_was_judged() {
        let judged = ["ferry.example", "tea.example/samples", "D1"];
        let grades = judged.map(|document| (document.to_owned(), 1.0));
        let collection = Collection {
            grades: [("q".to_owned(), grades.into())].into(),
            sites: [("lock.example".to_owned(), "D1".to_owned())].into(),
            ..Collection::default()
        };
        let names = Names::of(&collection);
        let name = |domain: &str, slug: &str| {
            names.name(&AgentId::new(&Domain::parse(domain).unwrap(), slug))
        };
        assert_eq!(name("ferry.example", "tickets"), "ferry.example");
        assert_eq!(name("tea.example", "samples"), "tea.example/samples");
        assert_eq!(name("tea.example", "shop"), "tea.example/shop");
        assert_eq!(name("lock.example", "door"), "D1");
    }
}
