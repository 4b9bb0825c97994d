//! Exclusions (P4): domains that are neither visited nor listed.

use manifest::domain::DomainError;
use manifest::{Domain, Timestamp};
use std::collections::HashMap;

/// Domains that an exclusion covers: one domain, or a suffix with all its subdomains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    name: String,
    is_suffix: bool,
}

impl Scope {
    /// Returns the scope of this domain alone, without its subdomains.
    pub fn domain(domain: &Domain) -> Self {
        Self {
            name: domain.as_str().to_owned(),
            is_suffix: false,
        }
    }

    /// Returns the scope of a name and all its subdomains; public suffixes such as `co.uk` and
    /// top-level domains are accepted.
    pub fn suffix(text: &str) -> Result<Self, DomainError> {
        /// With two more labels, any suffix becomes a valid domain.
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

    /// Returns the scope of a stored row.
    pub(crate) fn stored(name: String, is_suffix: bool) -> Self {
        Self { name, is_suffix }
    }

    /// Returns the name in A-labels.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reports whether subdomains are covered too.
    pub fn is_suffix(&self) -> bool {
        self.is_suffix
    }

    /// Reports whether `domain` is covered.
    pub fn covers(&self, domain: &Domain) -> bool {
        let rest = domain.as_str().strip_suffix(&self.name);
        rest.is_some_and(|rest| rest.is_empty() || self.is_suffix && rest.ends_with('.'))
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)?;
        if self.is_suffix {
            formatter.write_str(" and all its subdomains")?;
        }
        Ok(())
    }
}

/// Origin of an exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExclusionSource {
    /// Its robots.txt.
    Robots,
    /// Its `Content-Signal`.
    ContentSignal,
    /// A request of its owner.
    Owner,
    /// The operator of this registry.
    Operator,
    /// The blocklist of the operator.
    Blocklist,
}

manifest::words!(ExclusionSource {
    Robots = "robots",
    ContentSignal = "content-signal",
    Owner = "owner",
    Operator = "operator",
    Blocklist = "blocklist",
});

impl ExclusionSource {
    /// Reports whether the owner of the domain decided, as opposed to the operator.
    pub fn is_owner(self) -> bool {
        matches!(self, Self::Robots | Self::ContentSignal | Self::Owner)
    }
}

/// Rule by which domains are neither visited nor listed. It does not expire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// Covered domains.
    pub scope: Scope,
    /// Reason.
    pub reason: String,
    /// Origin.
    pub source: ExclusionSource,
    /// Start.
    pub since: Timestamp,
}

/// Set of exclusions, queried for every domain with one lookup per label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExclusionSet {
    /// Names that are excluded without their subdomains, with the reasons.
    domains: HashMap<String, String>,
    /// Names that are excluded with their subdomains.
    suffixes: HashMap<String, String>,
}

impl FromIterator<Exclusion> for ExclusionSet {
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

impl ExclusionSet {
    /// Returns the reason why `domain` is excluded; `None` if it is not.
    pub fn covers(&self, domain: &Domain) -> Option<&str> {
        let exact = self.domains.get(domain.as_str());
        let reason =
            exact.or_else(|| with_parents(domain).find_map(|name| self.suffixes.get(name)));
        reason.map(String::as_str)
    }

    /// Returns the number of exclusions.
    pub fn count(&self) -> usize {
        self.domains.len() + self.suffixes.len()
    }
}

/// Yields the name of a domain and all its parents: `a.b.example`, `b.example`, `example`.
pub(crate) fn with_parents(domain: &Domain) -> impl Iterator<Item = &str> {
    let name = domain.as_str();
    let parents = name.match_indices('.');
    std::iter::once(name).chain(parents.map(move |(dot, _)| &name[dot + 1..]))
}

/// Counts of deleted records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeletedCounts {
    /// Domains.
    pub domains: u64,
    /// Their documents.
    pub documents: u64,
    /// Their agents, each with an entry in the change log.
    pub agents: u64,
}

impl std::ops::AddAssign for DeletedCounts {
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
        let set: ExclusionSet = all.clone().into_iter().collect();
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
