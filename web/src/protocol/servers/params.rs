//! Parameters of a list of servers.

use super::server::Item;
use crate::cursor::{self, Position};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, only};
use crate::secrets::Keys;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use manifest::Timestamp;
use schemars::json_schema;

/// Default number of servers.
const LIMIT: usize = 30;
const MAX_LIMIT: usize = 100;
/// Most characters of a part of a name.
const MAX_TEXT: usize = 200;

/// Part of the list to which a page belongs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Phase {
    /// Listed servers, after a position.
    Listed(Option<Position>),
    /// Removed servers, after an entry of the change log.
    Removed(u64),
}

/// A checked request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServersParams {
    pub(super) limit: usize,
    /// Part of the name, title or description, in lower case.
    search: String,
    /// Version that a server must have; `None` for any.
    version: Option<String>,
    pub(super) updated_since: Option<Timestamp>,
    pub(super) include_deleted: bool,
    pub(super) phase: Phase,
}

/// Adds the parameters to a description.
pub(super) fn documented(doc: OperationDoc<'_>) -> OperationDoc<'_> {
    let text = || json_schema!({ "type": "string" });
    let limit =
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT });
    let time = json_schema!({ "type": "string", "format": "date-time" });
    doc.query(
        "cursor",
        "Value of `nextCursor`, for the next page.",
        text(),
    )
    .query("limit", "Servers of a page.", limit)
    .query(
        "search",
        "Part of the name, the title or the description.",
        text(),
    )
    .query(
        "version",
        "Version of the servers, or `latest`: there is one version of each.",
        text(),
    )
    .query(
        "updated_since",
        "Time since which a server has changed.",
        time,
    )
    .query(
        "include_deleted",
        "True to list removed servers as well, as with `updated_since`.",
        json_schema!({ "type": "boolean", "default": false }),
    )
}

impl ServersParams {
    /// Parses a query string; the error lists all of its faults.
    pub(super) fn parse(query: Option<&str>, keys: &Keys) -> Result<Self, Vec<BadParameter>> {
        let names = [
            "cursor",
            "limit",
            "search",
            "version",
            "updated_since",
            "include_deleted",
        ];
        let [token, limit, search, version, since, deleted] = only(query, names)?;
        let mut faults = Vec::new();
        let limit = match limit.map(|it| it.parse()) {
            None => LIMIT,
            Some(Ok(limit)) if (1..=MAX_LIMIT).contains(&limit) => limit,
            Some(_) => {
                let message = format!("`limit` must be a whole number from 1 to {MAX_LIMIT}");
                faults.push(BadParameter::new("limit", "out_of_range", message));
                LIMIT
            }
        };
        let include_deleted = match deleted.as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                let known = ["true", "false"];
                faults.push(BadParameter::unknown_value(
                    "include_deleted",
                    other,
                    &known,
                ));
                false
            }
        };
        let updated_since = since.and_then(|it| {
            let time = Timestamp::parse(&it);
            if time.is_none() {
                let message = "`updated_since` must be a time as RFC 3339 states it, such as \
                               2026-01-01T00:00:00Z";
                faults.push(BadParameter::new("updated_since", "bad_time", message));
            }
            time
        });
        let search = manifest::text::clean(&search.unwrap_or_default(), MAX_TEXT);
        let mut asked = Self {
            limit,
            search: search.to_lowercase(),
            // There is one version of each server.
            version: version.filter(|it| it != "latest"),
            updated_since,
            include_deleted: include_deleted || updated_since.is_some(),
            phase: Phase::Listed(None),
        };
        if let Some(token) = token {
            let canonical = asked.canonical();
            let listed = cursor::read(&token, &canonical, keys);
            let phase = listed
                .map(|it| Phase::Listed(Some(it)))
                .or_else(|| Some(Phase::Removed(read_seq(&token, &canonical, keys)?)));
            match phase {
                Some(phase) => asked.phase = phase,
                None => faults.push(BadParameter::new(
                    "cursor",
                    "bad_cursor",
                    "the cursor is damaged or belongs to another request; leave it out to start at \
                     the first page",
                )),
            }
        }
        if faults.is_empty() {
            Ok(asked)
        } else {
            Err(faults)
        }
    }

    /// Returns the request in canonical form, without its cursor.
    pub(super) fn canonical(&self) -> String {
        format!(
            "servers#{}#{}#{:?}#{:?}#{}",
            self.limit, self.search, self.version, self.updated_since, self.include_deleted
        )
    }

    /// Returns all that an answer depends on.
    pub(super) fn identity(&self) -> String {
        format!("{}#{:?}", self.canonical(), self.phase)
    }

    /// Reports whether a server is asked for, by its texts and version.
    pub(super) fn accepts(&self, server: &Item) -> bool {
        let mut texts = server.texts();
        let version = self.version.as_deref();
        version.is_none_or(|it| server.version() == it)
            && texts.any(|it| it.to_lowercase().contains(&self.search))
    }
}

/// Writes the cursor of removed servers after an entry of the change log.
pub(super) fn write_seq(seq: u64, canonical: &str, keys: &Keys) -> String {
    let seq = seq.to_be_bytes();
    let tag = keys.authenticate(&signed(seq, canonical));
    BASE64_URL_SAFE_NO_PAD.encode([tag.as_ref(), &seq].concat())
}

/// Reads a cursor of [`write_seq`].
fn read_seq(text: &str, canonical: &str, keys: &Keys) -> Option<u64> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let (tag, seq) = bytes.split_last_chunk()?;
    let is_ours = keys.accept(&signed(*seq, canonical), tag);
    is_ours.then(|| u64::from_be_bytes(*seq))
}

fn signed(seq: [u8; 8], canonical: &str) -> Vec<u8> {
    [b"removed", &seq[..], canonical.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::tests::some_keys;

    #[test]
    fn a_cursor_belongs_to_its_request() {
        let keys = some_keys();
        let query = "search=Mesa&include_deleted=true&limit=5";
        let asked = ServersParams::parse(Some(query), &keys).unwrap();
        let token = write_seq(7, &asked.canonical(), &keys);
        let next = format!("{query}&cursor={token}");
        let next = ServersParams::parse(Some(&next), &keys).unwrap();
        assert_eq!(next.phase, Phase::Removed(7));
        for wrong in [
            format!("search=Mesa&cursor={token}"),
            format!("{query}&cursor={}", &token[1..]),
            format!("{query}&cursor=AAAA"),
        ] {
            let faults = ServersParams::parse(Some(&wrong), &keys).unwrap_err();
            assert_eq!(faults[0].code, "bad_cursor", "{wrong}");
        }
        assert!(
            ServersParams::parse(Some(&format!("{query}&cursor={token}")), &some_keys()).is_err()
        );
    }

    #[test]
    fn every_fault_is_named() {
        let query = "limit=0&updated_since=soon&include_deleted=yes";
        let faults = ServersParams::parse(Some(query), &some_keys()).unwrap_err();
        let named: Vec<_> = faults.iter().map(|it| it.pointer.as_str()).collect();
        assert_eq!(named, ["limit", "include_deleted", "updated_since"]);
    }
}
