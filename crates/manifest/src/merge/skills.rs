//! Comparison of the digests in an index of skills with the files that the site serves (SK-03).

use crate::format::Format as _;
use crate::formats::side_documents::SKILLS;
use crate::formats::skill_file::SkillFile;
use crate::rule::site::SK_03;
use crate::{Capability, Document, Finding, Reading, link};
use std::collections::HashMap;

/// Name of the only digest that is compared.
const SHA_256: &str = "sha256:";

/// Longest digest that a message shows, in characters.
const MAX_SHOWN: usize = 100;

/// Returns a finding for each digest that is not that of its file, with the position of its document in
/// `readings`. Files that were not fetched give none.
pub(super) fn findings(readings: &[(&Document, Reading)]) -> Vec<(usize, Finding)> {
    let files = readings.iter().filter(|(_, it)| it.format == SkillFile::ID);
    let files: HashMap<String, &Document> = files
        .flat_map(|(document, _)| {
            let urls = [&document.requested, &document.url];
            urls.map(|url| (link::place(url.as_str()), *document))
        })
        .collect();
    if files.is_empty() {
        return Vec::new();
    }
    let indexes = readings.iter().enumerate();
    let indexes = indexes.filter(|(_, (_, reading))| reading.format == SKILLS);
    let stated = indexes.flat_map(|(place, (_, reading))| {
        let capabilities = reading.agents.iter().flat_map(|it| &it.capabilities);
        capabilities.map(move |capability| (place, capability))
    });
    stated
        .filter_map(|(place, capability)| {
            let digest = member(capability, "digest")?;
            let file = files.get(&link::place(member(capability, "url")?))?;
            let served = file.hash();
            let is_same = |it: &str| it.eq_ignore_ascii_case(&served);
            if digest.strip_prefix(SHA_256).is_some_and(is_same) {
                return None;
            }
            let pointer = format!("{}/digest", capability.pointer);
            let is_of_digest = |it: &char| it.is_ascii_alphanumeric() || ":+/=-_".contains(*it);
            let stated: String = digest
                .chars()
                .filter(is_of_digest)
                .take(MAX_SHOWN)
                .collect();
            let message = format!(
                "the digest is `{stated}`, but that of {} is {SHA_256}{served}",
                file.url
            );
            let help = format!("state {SHA_256}{served} if this file is the right one");
            Some((
                place,
                Finding::new(&SK_03, &pointer, message).with_help(help),
            ))
        })
        .collect()
}

/// Returns a text among the members of a capability that are kept as published.
fn member<'c>(capability: &'c Capability, name: &str) -> Option<&'c str> {
    capability.extensions.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;
    use crate::merge::tests::documents;

    const FILE: &str = "---\nname: fire\ndescription: Fires a mug.\n---\n";

    /// Returns the messages on an index with this digest, beside its file.
    fn messages(digest: &str) -> Vec<String> {
        let index = serde_json::json!({"skills": [{
            "name": "fire", "description": "Fires a mug.", "url": "/skills/fire/SKILL.md", "digest": digest,
        }]});
        let index = index.to_string();
        let documents = documents(&[
            ("/skills/fire/SKILL.md", FILE),
            ("/.well-known/agent-skills/index.json", &index),
        ]);
        let readings: Vec<_> = documents.iter().map(|it| (it, formats::read(it))).collect();
        let found = findings(&readings).into_iter();
        found
            .map(|(place, finding)| {
                assert_eq!((place, &*finding.pointer), (1, "/skills/0/digest"));
                finding.message
            })
            .collect()
    }

    #[test]
    fn sk_03_a_digest_is_compared_with_the_bytes_of_the_file() {
        let hash = documents(&[("/skills/fire/SKILL.md", FILE)])[0].hash();
        for right in [
            format!("sha256:{hash}"),
            format!("sha256:{}", hash.to_uppercase()),
        ] {
            assert_eq!(messages(&right), [] as [String; 0]);
        }
        for wrong in [
            &*hash,
            "",
            "sha256:",
            "sha256:00",
            &format!("sha512:{hash}"),
        ] {
            let [message] = &messages(wrong)[..] else {
                panic!("{wrong}")
            };
            assert!(message.ends_with(&format!("sha256:{hash}")), "{message}");
        }
    }
}
