//! Signs that an agent may be taken for another one, or that it sends its callers elsewhere.
//!
//! They are facts for a reader to weigh, not verdicts: many names are alike by chance, and many
//! sites leave their endpoint to a provider. Names are compared by the rules of UTS 39.

use crate::agent::Agent;
use crate::{AgentId, Domain, Listing, public_address};
use schemars::JsonSchema;
use serde::Serialize;
use unicode_security::confusable_detection::skeleton;
use unicode_security::mixed_script::AugmentedScriptSet;
use url::Host;

#[cfg(test)]
mod tests;

/// Maximum number of signs of one kind.
const MAX_ALIKE: usize = 3;
/// Maximum number of characters of a name that are compared.
const MAX_NAME: usize = 200;

/// A sign with its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caution {
    /// The kind of sign.
    pub kind: CautionKind,
    /// Its subject, by the kind.
    pub about: String,
}

/// Kind of a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CautionKind {
    /// A word of its name mixes scripts; about that word.
    MixedScripts,
    /// Its name looks like that of another agent of another registrable domain; about that agent's
    /// id.
    SimilarName,
    /// Its provider's page belongs to another registrable domain; about that domain.
    ForeignProvider,
    /// Its home page belongs to another registrable domain; about that domain.
    ForeignHomepage,
    /// An endpoint belongs to another registrable domain; about that domain.
    ForeignEndpoint,
    /// An address was left out, since it cannot be called from outside of its network; about that
    /// kind of address.
    UnreachableAddress,
}

impl Caution {
    /// Returns the sign that another agent has a name that looks the same.
    pub fn similar_name(other: &AgentId) -> Self {
        Self {
            kind: CautionKind::SimilarName,
            about: other.to_string(),
        }
    }

    /// Returns the sign in words, as a sentence.
    pub fn text(&self) -> String {
        let about = &self.about;
        match self.kind {
            CautionKind::MixedScripts => {
                format!("Its name mixes letters of several scripts within a word: {about}.")
            }
            CautionKind::SimilarName => format!(
                "Its name looks like that of another agent, but has other letters: {about}."
            ),
            CautionKind::ForeignProvider => {
                format!("Its provider's page is on another site: {about}.")
            }
            CautionKind::ForeignHomepage => format!("Its home page is on another site: {about}."),
            CautionKind::ForeignEndpoint => format!("It is called on another site: {about}."),
            CautionKind::UnreachableAddress => format!(
                "It names an address that cannot be called from outside, which is left out: {about}."
            ),
        }
    }
}

/// Returns the signs that the listing itself shows, in a fixed order.
pub fn of(listing: &Listing) -> Vec<Caution> {
    let agent = &listing.agent;
    let (site, _) = listing.id.parts();
    let mut cautions = Vec::new();
    let mut add = |kind, all: &mut dyn Iterator<Item = String>| {
        let mut known: Vec<String> = Vec::new();
        for about in all {
            if known.len() < MAX_ALIKE && !known.contains(&about) {
                known.push(about);
            }
        }
        let all = known.into_iter();
        cautions.extend(all.map(|about| Caution { kind, about }));
    };
    let names = std::iter::once(&agent.name).chain(&agent.other_names);
    add(
        CautionKind::MixedScripts,
        &mut names.flat_map(|name| mixed_words(name)),
    );
    let foreign = |address: &String| foreign_owner(site, address);
    let provider = agent.provider.iter().filter_map(|it| it.url.as_ref());
    add(
        CautionKind::ForeignProvider,
        &mut provider.filter_map(foreign),
    );
    add(
        CautionKind::ForeignHomepage,
        &mut agent.homepage.iter().filter_map(foreign),
    );
    add(
        CautionKind::ForeignEndpoint,
        &mut endpoints(agent).filter_map(foreign),
    );
    let withheld = agent.withheld.iter();
    add(
        CautionKind::UnreachableAddress,
        &mut withheld.map(|it| format!("{}, {}", it.field, it.reason)),
    );
    cautions
}

/// Iterates over the addresses at which an agent is called.
fn endpoints(agent: &Agent) -> impl Iterator<Item = &String> {
    let interfaces = agent.interfaces.iter().map(|it| &it.url);
    let capabilities = agent.capabilities.iter();
    interfaces.chain(capabilities.filter_map(|it| it.url.as_ref()))
}

/// Returns the owner of an address, a registrable domain or else the host, unless it is that of a
/// site.
pub fn foreign_owner(site: &str, address: &str) -> Option<String> {
    let site = Domain::parse(site).ok()?;
    let owner = match public_address::host(address)? {
        Host::Domain(host) => {
            let domain = Domain::parse(&host);
            domain.map_or(host, |domain| domain.registrable().to_owned())
        }
        host => host.to_string(),
    };
    (owner != site.registrable()).then_some(owner)
}

/// Returns a text that is the same for all names that look the same (UTS 39, section 4).
///
/// The case counts before the comparison of shapes, where `I` and `l` are alike, and not after it.
pub fn shape(name: &str) -> String {
    let name: String = name.chars().take(MAX_NAME).collect();
    let shape: String = skeleton(&name).collect();
    let words: Vec<&str> = shape.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Returns the words of a name with letters of several scripts.
///
/// Han, kana and Hangul stand beside Latin letters in ordinary names (UTS 39, "highly
/// restrictive").
fn mixed_words(name: &str) -> Vec<String> {
    let name: String = name.chars().take(MAX_NAME).collect();
    let words = name.split(|it: char| !it.is_alphanumeric());
    let mixed = words.filter(|word| is_mixed(word));
    mixed.map(str::to_owned).collect()
}

fn is_mixed(word: &str) -> bool {
    if word.is_ascii() || !AugmentedScriptSet::for_str(word).is_empty() {
        return false;
    }
    let latin = AugmentedScriptSet::for_char('a');
    let others: String = word
        .chars()
        .filter(|it| AugmentedScriptSet::for_char(*it) != latin)
        .collect();
    let others = AugmentedScriptSet::for_str(&others);
    !(others.hanb || others.jpan || others.kore)
}
