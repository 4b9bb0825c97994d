//! Checks of a card's signatures that need no keys: their headers, members and key URLs.

use super::card::Card;
use crate::agent;
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::a2a::rules::{A2S_01, A2S_04, A2S_05};
use crate::signature::{Header, Obstacle, State, Verdict, verify};

/// Returns the signatures for the normalized model.
pub(super) fn normalize(card: &Card, input: &Input<'_>) -> Vec<agent::Signature> {
    let value = |index: usize| {
        let mut signatures = card.signatures.items();
        let (_, signature) = signatures.find(|(place, _)| *place == index)?;
        signature.value.text()
    };
    let keep = |(index, verdict): (usize, Verdict)| agent::Signature {
        value: value(index),
        state: verdict.state.as_str().to_owned(),
        kid: verdict.kid,
        alg: verdict.alg,
        created_at: None,
    };
    let verdicts = verify(input.value, &input.document.domain, &[]);
    verdicts.into_iter().enumerate().map(keep).collect()
}

/// Reports signatures that clients cannot verify or should not accept (A2S-01, A2S-04, A2S-05).
pub(super) fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    let verdicts = verify(input.value, &input.document.domain, &[]);
    for (index, signature) in card.signatures.items().take(verdicts.len()) {
        // The shape of the card reports a missing header.
        let Some(protected) = signature.protected.raw() else {
            continue;
        };
        let pointer = format!("/signatures/{index}/protected");
        if let Some(header) = Header::decode(protected) {
            advise(&header, &pointer, findings);
        }
        match verdicts.get(index).map(|verdict| verdict.state) {
            Some(State::Unverifiable(Obstacle::Refused)) => {
                let message = "symmetric algorithms and `none` are not accepted; sign with ES256";
                findings.add(&A2S_05, pointer, message);
            }
            Some(State::Unverifiable(obstacle @ Obstacle::KeyUrl)) => {
                let message = format!("{obstacle}; publish the keys at a public https address");
                findings.add(&A2S_04, pointer, message);
            }
            Some(State::UnverifiedForeignKey) => {
                let message = "its jku is on a host of neither the site nor the provider: \
                    publish the keys on your own site";
                findings.add(&A2S_04, pointer, message);
            }
            Some(State::Unverifiable(Obstacle::Signature)) if signature.value.raw().is_none() => {}
            Some(State::Unverifiable(obstacle)) => {
                let message = format!("the signature cannot be verified: {obstacle}");
                findings.add(A2S_01.warning(), pointer, message);
            }
            Some(State::Unverified | State::Invalid | State::Valid(_)) | None => {}
        }
    }
}

fn advise(header: &Header, pointer: &str, findings: &mut Findings) {
    if header.kid.is_none() {
        let message = "the header has no kid, so the key to verify it with is unknown; add the kid";
        findings.add(A2S_01.warning(), pointer, message);
    }
    if header.typ.as_deref() != Some("JOSE") {
        findings.add(A2S_01.info(), pointer, "the header should have typ `JOSE`");
    }
}
