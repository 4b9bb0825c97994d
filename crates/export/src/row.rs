//! One agent in the forms of the exported files.

use crate::public::shared;
use serde_json::Value;
use store::{ExportCapability, ExportRow, StoredAgent};

/// Columns of a CSV file.
pub(super) const COLUMNS: [&str; 12] = [
    "id",
    "site",
    "name",
    "description",
    "url",
    "format",
    "level",
    "status",
    "first_seen",
    "changed",
    "hash",
    "capabilities",
];

/// An exported agent, without personal data.
#[derive(Debug)]
pub(super) struct Row {
    /// The row of a table, which has all of it as JSON.
    pub(super) row: ExportRow,
}

impl Row {
    /// Converts a stored agent.
    pub(super) fn of(stored: &StoredAgent) -> Self {
        let agent = shared(stored);
        let maybe = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
        let text = |name: &str| maybe(&agent, name).unwrap_or_default();
        let capabilities = agent.get("capabilities").and_then(Value::as_array);
        let capabilities = capabilities.into_iter().flatten();
        Self {
            row: ExportRow {
                id: text("id"),
                site: text("site"),
                name: text("name"),
                description: maybe(&agent, "description"),
                url: maybe(&agent, "url"),
                format: text("format"),
                level: text("level"),
                status: text("status"),
                first_seen: text("first_seen"),
                changed: text("changed"),
                hash: text("hash"),
                capabilities: capabilities
                    .map(|it| ExportCapability {
                        id: maybe(it, "id").unwrap_or_default(),
                        name: maybe(it, "name").unwrap_or_default(),
                        description: maybe(it, "description"),
                    })
                    .collect(),
                agent: agent.to_string(),
            },
        }
    }

    /// Returns the values of [`COLUMNS`].
    pub(super) fn cells(&self) -> [String; 12] {
        let row = &self.row;
        let names = row.capabilities.iter().map(|it| it.name.as_str());
        let names: Vec<&str> = names.collect();
        [
            row.id.clone(),
            row.site.clone(),
            row.name.clone(),
            row.description.clone().unwrap_or_default(),
            row.url.clone().unwrap_or_default(),
            row.format.clone(),
            row.level.clone(),
            row.status.clone(),
            row.first_seen.clone(),
            row.changed.clone(),
            row.hash.clone(),
            names.join("; "),
        ]
    }
}
