//! Why searches have no answer while pages do, and what the operator runs to end that.

use indexer::search::SearchError;

/// What is said of an index that cannot be searched. Nothing in it tells where it lies on our disk; the log does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outage {
    /// A stable word for programs.
    pub(crate) code: &'static str,
    /// What is wrong, as a sentence.
    pub(crate) why: String,
    /// What the operator runs.
    pub(crate) command: &'static str,
    /// What that does, after "which".
    pub(crate) effect: &'static str,
}

impl Outage {
    /// What to say of this failure.
    pub(crate) fn of(error: &SearchError) -> Self {
        let (code, why, command, effect) = match error {
            SearchError::NotBuilt { .. } => (
                "index_missing",
                "There is no index of the agents yet.".to_owned(),
                "indexer",
                "makes it; one that runs already will be done in a moment",
            ),
            SearchError::OtherVersion { found, wanted, .. } => (
                "index_of_other_version",
                format!(
                    "The index was written by another version of the program: it has version {found}, and version {wanted} is read."
                ),
                "indexer",
                "builds it anew; it has to be of the same version as the server",
            ),
            SearchError::Damaged { .. } => (
                "index_damaged",
                "The index is damaged.".to_owned(),
                "indexer rebuild",
                "makes it anew from the database",
            ),
            SearchError::Foreign { .. } => (
                "index_misplaced",
                "Where the index should be, there are other files.".to_owned(),
                "web --index DIR",
                "starts the server with the folder that the indexer writes",
            ),
            // Its files are missing or may not be read; so is whatever may still go wrong with an index.
            _ => (
                "index_unreadable",
                "The files of the index cannot be read.".to_owned(),
                "indexer rebuild",
                "makes it anew, unless the files only lack the permission to be read: the log says what it is",
            ),
        };
        Self {
            code,
            why,
            command,
            effect,
        }
    }

    /// The whole of it for programs.
    pub(crate) fn detail(&self) -> String {
        let Self {
            why,
            command,
            effect,
            ..
        } = self;
        format!("{why} Run `{command}`, which {effect}.")
    }
}
