//! Effects of an answer on the plan of a visit.

use super::agenda::{Item, Source};
use super::canary::Canary;
use super::evidence::{Conclusion, is_transport, refusal, without_path, without_query};
use super::fingerprint::PageFingerprint;
use super::mode::{Mode, is_known_manifest, is_manifest, kind_of_format};
use super::stop_reason::StopReason;
use super::{ALIKE_CAP, End, Plan, Reply};
use manifest::FormatId;
use store::{DocumentKind, Outcome};
use url::Url;

impl Plan {
    /// Records the result of the last step.
    pub fn record(&mut self, reply: &Reply<'_>) {
        self.requests = self.requests.saturating_add(reply.requests);
        let Some(item) = self.current.take() else {
            return;
        };
        self.note_answer(&item, reply.end);
        if self.was_alike && self.requests >= ALIKE_CAP {
            self.evidence.expect_alike();
        }
        let conclusion = if item.is_sibling() {
            self.record_sibling(&item, reply.end)
        } else {
            self.record_own(&item, reply)
        };
        if !matches!(conclusion, Conclusion::End(_)) {
            self.rotation = item.next_turn.unwrap_or(self.rotation);
        }
        match conclusion {
            Conclusion::GoOn => {}
            Conclusion::End(end) => self.end = Some(end),
            // A catch-all may still return a manifest at a path that was not requested yet (P10).
            Conclusion::CatchAll
                if matches!(self.mode, Mode::First | Mode::Rest | Mode::Requested) => {}
            Conclusion::CatchAll => {
                self.agenda.keep_named();
                if self.agenda.is_empty() {
                    self.end = Some(StopReason::CatchAll);
                }
            }
        }
    }

    /// Records an answer of the visited host.
    fn record_own(&mut self, item: &Item, reply: &Reply<'_>) -> Conclusion {
        let redirect = reply.redirect.map(without_query);
        match reply.end {
            End::Failed(outcome) => {
                let redirect = redirect.map(str::to_owned);
                self.evidence.note_failure(outcome, redirect)
            }
            End::Astray(outcome) => {
                let redirect = redirect.map(|target| without_path(target, &item.target).to_owned());
                self.evidence.note_failure(outcome, redirect)
            }
            End::Withheld => Conclusion::GoOn,
            End::Answered {
                status,
                is_challenge,
                body,
                format,
            } => {
                let is_manifest = status == 200 && format.is_some_and(is_manifest);
                let known = item.known.as_ref().filter(|_| status == 304);
                let is_unchanged = known.is_some_and(is_known_manifest);
                let signature = PageFingerprint::new(status, body);
                if item.source == Source::Canary {
                    self.record_canary(is_manifest, signature)
                } else if is_manifest || is_unchanged {
                    let is_strange = self
                        .evidence
                        .note_hit(item.kind(), is_manifest.then_some(signature));
                    // A former catch-all may return this document for every path.
                    if is_strange || (self.was_alike && is_manifest) {
                        self.canary.call();
                    }
                    Conclusion::GoOn
                } else if known.is_some() || is_expected(item, format) {
                    Conclusion::GoOn
                } else {
                    let redirect = redirect.map(str::to_owned);
                    let refusal = refusal(status, is_challenge);
                    if refusal.is_some() && item.source == Source::Known {
                        self.evidence.note_refused_known();
                    }
                    self.evidence
                        .note_no_manifest((status, refusal), signature, redirect)
                }
            }
        }
    }

    /// Records an answer of another host. It says nothing about the visited host except that it has
    /// a manifest there; after a 429 or 503 nothing more is requested from that host (P35).
    fn record_sibling(&mut self, item: &Item, end: End<'_>) -> Conclusion {
        match end {
            End::Answered {
                status,
                body,
                format,
                ..
            } if status == 304 || (status == 200 && format.is_some_and(is_manifest)) => {
                let signature = (status == 200).then(|| PageFingerprint::new(status, body));
                self.evidence.note_hit(None, signature);
            }
            // The other paths of the visited host are still to be requested.
            End::Failed(Outcome::Throttled) => {
                self.asked_named
                    .retain(|named| item.named.as_ref() != Some(named));
                if let Ok(url) = Url::parse(&item.target) {
                    self.agenda.drop_host(url.host_str().unwrap_or_default());
                }
            }
            End::Answered { .. } | End::Failed(_) | End::Astray(_) | End::Withheld => {}
        }
        Conclusion::GoOn
    }

    /// Records whether a path was answered; a path with an error remains to be requested (P36).
    fn note_answer(&mut self, item: &Item, end: End<'_>) {
        let has_failed = match end {
            End::Failed(outcome) => is_transport(outcome),
            End::Astray(_) | End::Withheld => false,
            End::Answered { status, .. } => {
                (500..600).contains(&status) || (status == 429 && self.mode == Mode::Rest)
            }
        };
        if matches!(end, End::Withheld) {
            self.withheld.push(item.target.clone());
        }
        if !has_failed {
            self.answered += 1;
        } else if item.source != Source::Canary {
            self.unanswered.push(item.target.clone());
        }
    }

    fn record_canary(&mut self, is_manifest: bool, signature: PageFingerprint) -> Conclusion {
        if is_manifest && self.evidence.has_hit_like(signature) {
            self.canary = Canary::Unmasked;
            return Conclusion::End(StopReason::Suspect);
        }
        Conclusion::GoOn
    }
}

/// Reports whether an answer is the API description or the skill that is expected there.
fn is_expected(item: &Item, format: Option<FormatId>) -> bool {
    let kind = format.map(|format| kind_of_format(format.as_str()));
    kind.is_some_and(|kind| kind != DocumentKind::Manifest && kind == item.document_kind())
}
