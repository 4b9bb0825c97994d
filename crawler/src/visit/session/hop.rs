//! The permission to follow a redirect, given by the robots.txt of its target.

use super::Session;
use super::robots::origin_of;
use crate::crawl_delay::Pace;
use crate::fetch::{Fetch, FetchError, RedirectRefusal};
use crate::observer::Observer;
use crate::robots::Policy;
use crate::schedule;
use std::sync::Arc;
use store::Outcome;
use url::{Position, Url};

impl<F: Fetch, O: Observer> Session<'_, F, O> {
    /// Returns the policy of the origin of a redirect's target, requesting its robots.txt if it is
    /// not known.
    pub(super) async fn hop_policy(
        &mut self,
        target: &Url,
        last_request: u32,
    ) -> Result<Arc<Policy>, FetchError> {
        let path = &target[Position::BeforePath..Position::AfterQuery];
        match self.policies.get(&origin_of(target)) {
            Some(policy) if !policy.does_not_cover(path) => Ok(Arc::clone(policy)),
            known => {
                let is_new = known.is_none();
                if is_new && let Some(policy) = self.kept_for_hop(target).await {
                    return Ok(policy);
                }
                if self.requests + 1 >= last_request {
                    return Err(FetchError::RedirectRefused(RedirectRefusal::Budget));
                }
                self.settle("redirect", target.as_str());
                let robots = self.robots(target, None).await;
                match robots.error {
                    // Nothing was requested, so there is no policy of the target to remember.
                    Some(
                        error @ (FetchError::Blocked(_)
                        | FetchError::Busy(_)
                        | FetchError::Stopped
                        | FetchError::Abandoned
                        | FetchError::TargetPaused(_)),
                    ) => {
                        self.policies.remove(&origin_of(target));
                        Err(error)
                    }
                    // Like any request for a pause, it ends the visit (P10).
                    None if robots.policy.outcome() == Outcome::Throttled => {
                        let pause = schedule::pause(robots.policy.retry_after(), 1);
                        Err(FetchError::TargetPaused(pause))
                    }
                    Some(_) | None => Ok(robots.policy),
                }
            }
        }
    }

    /// Returns the stored policy of the origin of a redirect's target, if it covers the path.
    async fn kept_for_hop(&mut self, target: &Url) -> Option<Arc<Policy>> {
        let mut url = target.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        let (policy, _) = self.stored_policy(&url).await?;
        let path = &target[Position::BeforePath..Position::AfterQuery];
        if policy.does_not_cover(path) {
            return None;
        }
        let policy = Arc::new(policy);
        self.keep(target, Arc::clone(&policy));
        Some(policy)
    }

    /// Checks whether a redirect may be followed: a request is left for it, the policy of its
    /// target allows it, and the target's crawl delay is no longer than a visit waits (P24).
    pub(super) fn allow_hop(
        &self,
        target: &Url,
        policy: &Policy,
        last_request: u32,
    ) -> Result<(), FetchError> {
        let refuse = |refusal| Err(FetchError::RedirectRefused(refusal));
        let has_rules = matches!(
            policy.outcome(),
            Outcome::RobotsDisallow | Outcome::OptedOut
        );
        if policy.is_closed() && !has_rules {
            return refuse(RedirectRefusal::RobotsUnreadable);
        }
        if policy.is_closed() || !policy.allows(&target[Position::BeforePath..Position::AfterQuery])
        {
            return refuse(RedirectRefusal::Robots);
        }
        match Pace::new(self.settings.delay, policy.crawl_delay()) {
            Pace::InPlace(_) if self.requests >= last_request => refuse(RedirectRefusal::Budget),
            Pace::InPlace(_) => Ok(()),
            Pace::OnePerLease(_) | Pace::RobotsOnly => refuse(RedirectRefusal::CrawlDelay),
        }
    }
}
