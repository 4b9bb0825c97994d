//! Who is left alone (P4): exclusions, and what leaving removes.

use manifest::domain::DomainError;
use manifest::{Domain, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Which domains an exclusion covers: one, or all at and below a suffix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    name: String,
    is_suffix: bool,
}

impl Scope {
    /// This domain alone; those below it stay.
    pub fn domain(domain: &Domain) -> Self {
        Self {
            name: domain.as_str().to_owned(),
            is_suffix: false,
        }
    }

    /// The name itself and everything below it; a public suffix such as `co.uk` or a top-level domain will do.
    pub fn suffix(text: &str) -> Result<Self, DomainError> {
        /// Below two labels even a suffix that is one of a kind gives a domain.
        const BELOW: &str = "a.a.";
        let text = text.trim();
        let text = text.strip_prefix('*').unwrap_or(text);
        let text = text.strip_prefix('.').unwrap_or(text);
        if text.is_empty() {
            return Err(DomainError::Empty);
        }
        let below = Domain::parse(&format!("{BELOW}{text}"))?;
        let name = below.as_str().strip_prefix(BELOW);
        Ok(Self {
            name: name.ok_or(DomainError::Invalid)?.to_owned(),
            is_suffix: true,
        })
    }

    /// As the database has it.
    pub(crate) fn stored(name: String, is_suffix: bool) -> Self {
        Self { name, is_suffix }
    }

    /// The name in A-labels.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True when everything below the name is covered, too.
    pub fn is_suffix(&self) -> bool {
        self.is_suffix
    }

    /// True when `domain` is one of those covered.
    pub fn covers(&self, domain: &Domain) -> bool {
        let rest = domain.as_str().strip_suffix(&self.name);
        rest.is_some_and(|rest| rest.is_empty() || self.is_suffix && rest.ends_with('.'))
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)?;
        if self.is_suffix {
            formatter.write_str(" and everything below it")?;
        }
        Ok(())
    }
}

/// Who wished an exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExclusionSource {
    /// Its robots.txt.
    Robots,
    /// Its `Content-Signal`.
    ContentSignal,
    /// Its owner, who wrote to us.
    Owner,
    /// Whoever runs this registry.
    Operator,
}

impl ExclusionSource {
    /// The word used in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Robots => "robots",
            Self::ContentSignal => "content-signal",
            Self::Owner => "owner",
            Self::Operator => "operator",
        }
    }

    /// The source with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Robots,
            Self::ContentSignal,
            Self::Owner,
            Self::Operator,
        ]
        .into_iter()
        .find(|source| source.as_str() == word)
    }
}

/// Domains that are neither visited nor listed. It never ends by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// Which.
    pub scope: Scope,
    /// Why.
    pub reason: String,
    /// On whose wish.
    pub source: ExclusionSource,
    /// Since when.
    pub since: Timestamp,
}

/// Who is excluded, to be asked for every domain: one lookup for each of its labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// Names that are excluded alone, each with the reason.
    domains: HashMap<String, String>,
    /// Names that are excluded with all below them.
    suffixes: HashMap<String, String>,
}

impl FromIterator<Exclusion> for Exclusions {
    fn from_iter<T: IntoIterator<Item = Exclusion>>(exclusions: T) -> Self {
        let mut set = Self::default();
        for Exclusion { scope, reason, .. } in exclusions {
            let names = if scope.is_suffix {
                &mut set.suffixes
            } else {
                &mut set.domains
            };
            names.insert(scope.name, reason);
        }
        set
    }
}

impl Exclusions {
    /// Why `domain` is excluded; `None` when it is not.
    pub fn covers(&self, domain: &Domain) -> Option<&str> {
        let exact = self.domains.get(domain.as_str());
        let reason =
            exact.or_else(|| with_parents(domain).find_map(|name| self.suffixes.get(name)));
        reason.map(String::as_str)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.domains.len() + self.suffixes.len()
    }
}

/// The name of a domain, then all that it lies below: `a.b.example`, `b.example`, `example`.
pub(crate) fn with_parents(domain: &Domain) -> impl Iterator<Item = &str> {
    let name = domain.as_str();
    let parents = name.match_indices('.');
    std::iter::once(name).chain(parents.map(move |(dot, _)| &name[dot + 1..]))
}

/// What was deleted of those that left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Domains.
    pub domains: u64,
    /// Documents of theirs.
    pub documents: u64,
    /// Agents of theirs, each with an entry in the change log.
    pub agents: u64,
}

impl std::ops::AddAssign for Deleted {
    fn add_assign(&mut self, other: Self) {
        self.domains += other.domains;
        self.documents += other.documents;
        self.agents += other.agents;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(name: &str) -> Domain {
        Domain::parse(name).unwrap()
    }

    #[test]
    fn p04_an_exact_name_covers_nothing_below() {
        let scope = Scope::domain(&domain("shop.example"));
        assert!(scope.covers(&domain("shop.example")));
        assert!(!scope.covers(&domain("www.shop.example")));
        assert!(!scope.covers(&domain("myshop.example")));
    }

    #[test]
    fn p04_a_suffix_covers_its_name_and_whole_labels_below() {
        let scope = Scope::suffix("*.Shop.Example.").unwrap();
        assert_eq!(scope.name(), "shop.example");
        assert!(scope.covers(&domain("shop.example")));
        assert!(scope.covers(&domain("a.b.shop.example")));
        assert!(!scope.covers(&domain("myshop.example")));
    }

    #[test]
    fn p04_the_set_answers_as_each_scope_does() {
        let exclusion = |scope, reason: &str| Exclusion {
            scope,
            reason: reason.to_owned(),
            source: ExclusionSource::Owner,
            since: Timestamp(0),
        };
        let all = [
            exclusion(Scope::domain(&domain("shop.example")), "alone"),
            exclusion(Scope::suffix("gone.example").unwrap(), "whole"),
            exclusion(Scope::suffix("uk").unwrap(), "country"),
        ];
        let set: Exclusions = all.clone().into_iter().collect();
        for name in [
            "shop.example",
            "www.shop.example",
            "gone.example",
            "a.b.gone.example",
            "begone.example",
            "a.co.uk",
            "uk.example",
        ] {
            let domain = domain(name);
            let expected = all.iter().find(|it| it.scope.covers(&domain));
            let expected = expected.map(|it| it.reason.as_str());
            assert_eq!(set.covers(&domain), expected, "{name}");
        }
        assert_eq!(set.count(), 3);
    }

    #[test]
    fn p04_a_suffix_may_be_public_or_a_top_level_domain() {
        for (text, name, covered) in [
            ("co.uk", "co.uk", "a.co.uk"),
            (".uk", "uk", "a.co.uk"),
            ("ck", "ck", "a.b.ck"),
            ("рф", "xn--p1ai", "a.xn--p1ai"),
        ] {
            let scope = Scope::suffix(text).unwrap();
            assert_eq!(scope.name(), name);
            assert!(scope.covers(&domain(covered)), "{covered}");
        }
        for text in ["", ".", "*.", "127.0.0.1", "a b", "..com"] {
            assert!(Scope::suffix(text).is_err(), "{text}");
        }
    }
}
