//! Detection of the generation of A2A that a card follows (A2-20).

use super::card::Card;
use crate::Severity;
use crate::shape::Edition;
use serde_json::Value;

/// Generation of the specification, as far as its cards differ in members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Generation {
    /// Before 0.2.5, without a member that distinguishes 0.1 from 0.2.
    Unknown,
    /// 0.1: `authentication.schemes`.
    V01,
    /// 0.2.0: `securitySchemes`.
    V02,
    /// 0.2.5 and 0.2.6: `protocolVersion`, `preferredTransport`.
    V025,
    /// 0.3: the same members, published at the new path.
    V03,
    /// 1.0: `supportedInterfaces`.
    V1,
}

impl Generation {
    /// Returns its position in the order of generations.
    pub(super) const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the generation as an edition of the shapes. Since 1.0 null counts as absent, as in
    /// all JSON of protocol buffers; earlier schemas reject it.
    pub(super) fn edition(self) -> Edition {
        Edition {
            number: self.number(),
            null: (self < Self::V1).then_some(Severity::Error),
        }
    }

    /// Returns the generation of `card`; of a hybrid the newer one.
    pub(super) fn of(card: &Card) -> Self {
        let has_members_of_03 = !card.protocol_version.is_absent()
            || !card.preferred_transport.is_absent()
            || !card.additional_interfaces.is_absent()
            || !card.extended.is_absent();
        let has_legacy_schemes = card
            .authentication
            .get()
            .is_some_and(|authentication| !authentication.schemes.is_absent());
        if !card.supported_interfaces.is_absent() {
            Self::V1
        } else if has_members_of_03 {
            Self::of_protocol_version(card)
        } else if !card.security_schemes.is_absent() {
            Self::V02
        } else if has_legacy_schemes {
            Self::V01
        } else {
            Self::Unknown
        }
    }

    /// Returns the generations that `card` may follow; it is valid if it follows one (A2-20).
    ///
    /// A hybrid belongs to two, and a card without a distinguishing member may be of 0.1 or 0.2.
    pub(super) fn families(card: &Card) -> Vec<Self> {
        match Self::of(card) {
            Self::V1 if is_hybrid(card) => vec![Self::V1, Self::of_protocol_version(card)],
            Self::Unknown => vec![Self::V02, Self::V01],
            only => vec![only],
        }
    }

    /// Distinguishes 0.2.5 from 0.3 by `protocolVersion`.
    fn of_protocol_version(card: &Card) -> Self {
        let version = card.protocol_version.text().unwrap_or_default();
        match major_minor(&version).as_deref() {
            Some("0.1" | "0.2") => Self::V025,
            Some(_) | None => Self::V03,
        }
    }

    /// Returns the name for [`crate::Reading::generation`].
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "0.x",
            Self::V01 => "0.1",
            Self::V02 => "0.2",
            Self::V025 => "0.2.5",
            Self::V03 => "0.3",
            Self::V1 => "1.0",
        }
    }
}

/// Reports whether a card of 1.0 also has an endpoint in the members of 0.3.
pub(super) fn is_hybrid(card: &Card) -> bool {
    !card.supported_interfaces.is_absent() && !card.url.is_absent()
}

/// Reports whether the `url` of a card is the address of the agent: the card has members of 0.3 that are about
/// it, because a bare `url` beside the interfaces of 1.0 may be the address of a page; and it is not the page
/// of the documentation or of the provider, unless the card states its transport.
pub(super) fn describes_url(card: &Card) -> bool {
    let has_transport = !card.preferred_transport.is_absent();
    let is_of_0 = card.supported_interfaces.is_absent()
        || !card.protocol_version.is_absent()
        || !card.additional_interfaces.is_absent();
    has_transport || (is_of_0 && !is_page(card))
}

/// Reports whether the `url` of a card is also its page for people.
fn is_page(card: &Card) -> bool {
    let trimmed = |url: Option<&str>| url.map(|it| it.trim_end_matches('/').to_owned());
    let links = card.unknown.get("links").and_then(Value::as_object);
    let links = links.into_iter().flatten().map(|(_, link)| link.as_str());
    let provider = card.provider.get().and_then(|it| it.url.raw());
    let mut pages = links.chain([provider, card.documentation_url.raw()]);
    let url = trimmed(card.url.raw());
    url.is_some() && pages.any(|page| trimmed(page) == url)
}

/// Returns `0.3` of `0.3.0`: the version without its patch number (C-93).
pub(super) fn major_minor(version: &str) -> Option<String> {
    let version = version.trim().trim_start_matches(['v', 'V']);
    let mut parts = version.splitn(3, '.');
    let mut number = || parts.next()?.parse::<u16>().ok();
    let major = number()?;
    let minor = number().unwrap_or(0);
    Some(format!("{major}.{minor}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use serde_json::json;

    #[test]
    fn each_generation_is_detected_by_its_members() {
        for (card, expected, hybrid) in [
            (json!({"name": "A"}), "0.x", false),
            (json!({"authentication": {"schemes": []}}), "0.1", false),
            (json!({"authentication": {"type": "none"}}), "0.x", false),
            (json!({"securitySchemes": {}}), "0.2", false),
            (json!({"protocolVersion": "0.2.6"}), "0.2.5", false),
            (
                json!({"protocolVersion": "0.3.0", "url": "u"}),
                "0.3",
                false,
            ),
            (json!({"preferredTransport": "GRPC"}), "0.3", false),
            (
                json!({"supportsAuthenticatedExtendedCard": false}),
                "0.3",
                false,
            ),
            (json!({"supportedInterfaces": []}), "1.0", false),
            (json!({"supportedInterfaces": [], "url": "u"}), "1.0", true),
        ] {
            let card: Card = Field::of(&card).get().cloned().unwrap();
            assert_eq!(Generation::of(&card).as_str(), expected);
            assert_eq!(is_hybrid(&card), hybrid);
        }
    }

    #[test]
    fn a_version_is_cut_to_major_and_minor() {
        for (text, expected) in [
            ("0.3.0", Some("0.3")),
            ("v1.0.1-rc.1", Some("1.0")),
            ("1", Some("1.0")),
            ("latest", None),
            ("", None),
        ] {
            assert_eq!(major_minor(text).as_deref(), expected);
        }
    }
}
