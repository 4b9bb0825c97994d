//! Checks of the claims of owners, beside the visits.

use super::Crawl;
use crate::fetch::Fetch;
use crate::run::error::{RunError, while_doing};
use crate::visit::{ClaimToken, TokenFinding, look_in_dns};
use store::{Claim, ClaimCheck};
use tokio::task::JoinError;

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Begins the checks of claims, if it is time.
    pub(super) async fn take_claims(&mut self) -> Result<(), RunError> {
        let Some(room) = self.claims.room().filter(|_| !self.outage.is_on()) else {
            return Ok(());
        };
        let claims = self
            .store
            .take_claims(room, self.clocks.now())
            .await
            .map_err(while_doing("take the claims of owners"))?;
        for claim in claims {
            if claim.domain.is_special_use() && !self.intake.admits_special_use {
                let check = ClaimCheck {
                    is_verified: false,
                    seen_dns: format!("{} is not a public domain", claim.domain),
                    seen_file: None,
                };
                self.settle(&claim, check).await?;
                continue;
            }
            let fetch = self.fetch.clone();
            self.claims.lookups.spawn(async move {
                let seen = look_in_dns(&fetch, &ClaimToken::of(&claim)).await;
                (claim, seen)
            });
        }
        Ok(())
    }

    /// Settles a claim whose token is in the DNS; otherwise the file gets its turn.
    pub(super) async fn judge_texts(
        &mut self,
        looked_up: Result<(Claim, TokenFinding), JoinError>,
    ) -> Result<(), RunError> {
        match looked_up {
            Ok((claim, seen)) if seen.is_found => {
                let check = ClaimCheck {
                    is_verified: true,
                    seen_dns: seen.text,
                    seen_file: None,
                };
                self.settle(&claim, check).await
            }
            Ok((claim, seen)) => {
                let lease = self.claims.lease(claim, seen);
                self.enter(vec![lease]).await
            }
            // The store repeats the check.
            Err(error) => {
                tracing::error!(%error, "the check of a claim was aborted");
                Ok(())
            }
        }
    }

    /// Settles a claim after its file was looked for.
    pub(super) async fn judge_file(
        &mut self,
        number: i64,
        file: TokenFinding,
    ) -> Result<(), RunError> {
        let Some((claim, dns)) = self.claims.end(number) else {
            return Ok(());
        };
        let check = ClaimCheck {
            is_verified: file.is_found,
            seen_dns: dns.text,
            seen_file: Some(file.text),
        };
        self.settle(&claim, check).await
    }

    async fn settle(&mut self, claim: &Claim, check: ClaimCheck) -> Result<(), RunError> {
        self.store
            .settle_claim(claim, &check, self.clocks.now())
            .await
            .map_err(while_doing("settle the claim of an owner"))?;
        if check.is_verified {
            let action = claim.action.as_str();
            tracing::info!(domain.name = %claim.domain, action, "verified: {action} {}", claim.scope);
            // In effect at once for visits in flight, too.
            self.exclusions.expire();
        }
        Ok(())
    }
}
