//! Reasons why the index is unavailable, and the commands that repair it.

use search::SearchError;

/// Explanation of an unavailable index. It holds no path on our disk; the log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexUnavailable {
    /// Stable word for programs.
    pub(crate) code: &'static str,
    /// Cause, as a sentence.
    pub(crate) why: String,
    /// Command for the operator.
    pub(crate) command: &'static str,
    /// Effect of the command, as the end of a sentence: "which …".
    pub(crate) effect: &'static str,
}

impl IndexUnavailable {
    /// Explains this failure.
    pub(crate) fn of(error: &SearchError) -> Self {
        let (code, why, command, effect) = match error {
            SearchError::NotBuilt { .. } => (
                "index_missing",
                "The index of agents does not exist yet.".to_owned(),
                "indexer",
                "builds it; if it is running already, wait a moment",
            ),
            SearchError::OtherVersion { found, wanted, .. } => (
                "index_of_other_version",
                format!(
                    "The index was written by another version of the program: its format is version {found}, but this server reads version {wanted}."
                ),
                "indexer",
                "rebuilds it; it must have the same version as the server",
            ),
            SearchError::Damaged { .. } => (
                "index_damaged",
                "The index is damaged.".to_owned(),
                "indexer rebuild",
                "rebuilds it from the database",
            ),
            SearchError::Foreign { .. } => (
                "index_misplaced",
                "The directory of the index holds other files.".to_owned(),
                "web --index DIR",
                "starts the server with the directory that the indexer writes",
            ),
            // Missing or unreadable files, and any error that `SearchError` may gain.
            _ => (
                "index_unreadable",
                "The files of the index cannot be read.".to_owned(),
                "indexer rebuild",
                "rebuilds it; if only a permission is missing, the log says so",
            ),
        };
        Self {
            code,
            why,
            command,
            effect,
        }
    }

    /// Returns the whole explanation for programs.
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
