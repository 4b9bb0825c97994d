//! Robots.txt files that other hosts redirect to. A file that many sites share is requested once,
//! also when the request fails (P29, P31), and all redirects to a site together cost it only a few
//! requests an hour, whatever their paths and queries (P38a).

use crate::crawl_delay::{LONGEST_LIFE, SHORTEST_LIFE, UNREACHABLE_LIFE};
use crate::fetch::{FetchError, Response};
use manifest::{Domain, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use url::{Position, Url};

/// Maximum number of cached answers, each of at most 500 KiB; the least recently used one is
/// evicted.
const MOST: usize = 64;
/// Maximum number of requests to one target within [`HOUR`] (P38a).
const MAX_REQUESTS: u32 = 4;
/// The same for files other than `/robots.txt`, so that they cannot use up the requests of
/// redirects to the usual place.
const MAX_ELSEWHERE: u32 = 3;
const HOUR: Duration = Duration::from_hours(1);
/// Maximum number of counted targets; beyond it, no redirect to a new target is followed.
const MAX_TARGETS: usize = 50_000;

/// The result of a request for a robots.txt.
pub(super) type FetchResult = Result<Response, FetchError>;

/// A cached result and its expiry. The visit that sends the request holds the lock, so that others
/// wait for its result.
pub(super) type Answer = Arc<tokio::sync::Mutex<Option<(FetchResult, Instant)>>>;

/// Cache of the robots.txt of redirect targets, shared by all visits of a process.
///
/// The counts live as long as the process. A restarted process begins a new hour, but still
/// observes the gaps and leases that a killed one left.
#[derive(Clone, Debug, Default)]
pub struct RobotsCache(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    answers: HashMap<Url, (Answer, Instant)>,
    targets: HashMap<String, TargetRequests>,
}

/// The requests to a target within the last hour.
#[derive(Debug, Default)]
struct TargetRequests {
    /// Times of these requests, at most [`MAX_REQUESTS`], in order.
    at: Vec<Instant>,
    /// The host of the target that failed last, the failure, and its expiry; it holds for all paths
    /// of the host.
    failure: Option<(String, FetchResult, Instant)>,
}

/// The target of a redirect of a robots.txt, as it is counted.
#[derive(Debug)]
pub(super) struct Target {
    /// The registrable domain, as its owner may give it any number of names.
    owner: String,
    host: String,
    is_usual: bool,
}

impl Target {
    /// Returns the target of a redirect to `url` in a visit to `from`; `None` within one site,
    /// where the limit does not apply.
    pub(super) fn new(url: &Url, from: &Domain) -> Option<Self> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let owner = match Domain::parse(&host) {
            Ok(domain) if domain.registrable() == from.registrable() => return None,
            Ok(domain) => domain.registrable().to_owned(),
            Err(_) => host.clone(),
        };
        Some(Self {
            owner,
            host,
            is_usual: &url[Position::BeforePath..] == "/robots.txt",
        })
    }

    /// Returns its site, and the number of requests an hour that redirects may lead there (P38a).
    pub(super) fn limit(&self) -> (&str, u32) {
        (
            &self.owner,
            if self.is_usual {
                MAX_REQUESTS
            } else {
                MAX_ELSEWHERE
            },
        )
    }
}

/// Permission to send a request to a target.
#[derive(Debug)]
pub(super) enum Permission {
    /// Granted and counted.
    Now,
    /// Denied: its host failed on the last request, which holds for all its paths.
    Failed(Box<FetchResult>),
    /// Denied for this time.
    Later(Duration),
}

impl RobotsCache {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cache entry of `url`, empty if it was not requested yet.
    pub(super) fn answer(&self, url: &Url, now: Instant) -> Answer {
        let answers = &mut self.lock().answers;
        if !answers.contains_key(url) && answers.len() >= MOST {
            let oldest = answers.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(url) = oldest.map(|(url, _)| url.clone()) {
                answers.remove(&url);
            }
        }
        let (answer, used) = answers
            .entry(url.clone())
            .or_insert_with(|| (Answer::default(), now));
        *used = now;
        Arc::clone(answer)
    }

    /// Takes one of the requests that may be sent to a target.
    pub(super) fn ask(&self, target: &Target, now: Instant) -> Permission {
        let targets = &mut self.lock().targets;
        if targets.len() >= MAX_TARGETS && !targets.contains_key(&target.owner) {
            targets.retain(|_, asked| asked.at.last().is_some_and(|at| now - *at < HOUR));
            if targets.len() >= MAX_TARGETS {
                return Permission::Later(HOUR);
            }
        }
        let asked = targets.entry(target.owner.clone()).or_default();
        asked.at.retain(|at| now - *at < HOUR);
        let (_, most) = target.limit();
        if asked.at.len() < most as usize {
            asked.at.push(now);
            return Permission::Now;
        }
        match &asked.failure {
            Some((host, result, until)) if *host == target.host && now < *until => {
                Permission::Failed(Box::new(result.clone()))
            }
            Some(_) | None => Permission::Later(HOUR),
        }
    }

    /// Records the result of a request to a target, which holds for `life`, and gives the request
    /// back if it was not sent.
    pub(super) fn note(
        &self,
        target: &Target,
        is_sent: bool,
        result: &FetchResult,
        life: Option<Duration>,
        now: Instant,
    ) {
        let targets = &mut self.lock().targets;
        let Some(asked) = targets.get_mut(&target.owner) else {
            return;
        };
        if !is_sent {
            asked.at.pop();
        }
        let has_failed = match result {
            Ok(response) => matches!(response.status, 429 | 500..=599),
            Err(error) => error.may_be_noticed(),
        };
        asked.failure = life
            .filter(|_| has_failed)
            .map(|life| (target.host.clone(), result.clone(), now + life));
    }

    /// Removes all cached answers but keeps the counts: the failures may have been those of our own
    /// network (P38).
    pub(crate) fn clear(&self) {
        let mut known = self.lock();
        known.answers.clear();
        for asked in known.targets.values_mut() {
            asked.failure = None;
        }
    }
}

/// Returns the time for which a result received at `now` is shared with other visits. A file, or
/// its absence, is kept as long as a robots.txt; a failure, until its host may be contacted again.
/// Failures of this visit alone and 304 answers are not shared.
pub(super) fn life(result: &FetchResult, now: Timestamp) -> Option<Duration> {
    let response = match result {
        Ok(response) => response,
        Err(FetchError::TargetPaused(pause)) => return Some((*pause).min(UNREACHABLE_LIFE)),
        Err(error) => return error.is_host_failure().then_some(UNREACHABLE_LIFE),
    };
    let kept = |life: Duration| Some(life.clamp(SHORTEST_LIFE, LONGEST_LIFE));
    match response.status {
        304 => None,
        429 | 500.. => kept(response.pause(now).unwrap_or(UNREACHABLE_LIFE)),
        _ => kept(response.max_age().unwrap_or(LONGEST_LIFE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Stage;

    #[tokio::test(start_paused = true)]
    async fn p31_cached_answers_are_bounded_and_the_newest_stay() {
        let shared = RobotsCache::default();
        let url = |number: usize| -> Url { format!("https://h{number}.example/").parse().unwrap() };
        for number in 0..3 * MOST {
            let answer = shared.answer(&url(number), Instant::now());
            *answer.lock().await = Some((Ok(Response::default()), Instant::now()));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(shared.lock().answers.len(), MOST);
        let is_kept = async |number| {
            let answer = shared.answer(&url(number), Instant::now());
            answer.lock().await.is_some()
        };
        assert!(is_kept(3 * MOST - 1).await && is_kept(2 * MOST).await);
        assert!(!is_kept(2 * MOST - 1).await);
    }

    #[tokio::test(start_paused = true)]
    async fn p38a_a_target_gets_four_requests_an_hour_under_all_names_and_paths() {
        let from = Domain::parse("spoke.example").unwrap();
        let target = |url: &str| Target::new(&url.parse().unwrap(), &from).unwrap();
        let (shared, start) = (RobotsCache::default(), Instant::now());
        let mut asked = 0;
        for number in 0..40 {
            let odd = target(&format!(
                "https://h{number}.hub.example/robots.txt?{number}"
            ));
            let now = start + Duration::from_secs(number);
            asked += u32::from(matches!(shared.ask(&odd, now), Permission::Now));
        }
        assert_eq!(asked, 3);
        let usual = target("https://hub.example/robots.txt");
        let later = start + Duration::from_mins(50);
        assert!(matches!(shared.ask(&usual, later), Permission::Now));
        assert!(matches!(shared.ask(&usual, later), Permission::Later(HOUR)));
        let other = target("https://hub.test/robots.txt?1");
        assert!(matches!(shared.ask(&other, later), Permission::Now));
        shared.clear();
        assert!(matches!(shared.ask(&usual, later), Permission::Later(_)));
        let own: Url = "https://www.spoke.example/x".parse().unwrap();
        assert!(Target::new(&own, &from).is_none());
        // An hour after the first three.
        let odd = target("https://hub.example/other");
        let after = start + HOUR + Duration::from_secs(3);
        for _ in 0..2 {
            assert!(matches!(shared.ask(&odd, after), Permission::Now));
        }
        assert!(matches!(shared.ask(&odd, after), Permission::Later(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn p38a_unsent_requests_do_not_count_and_a_failure_holds_for_every_path() {
        let from = Domain::parse("spoke.example").unwrap();
        let (shared, now) = (RobotsCache::default(), Instant::now());
        let target = |url: &str| Target::new(&url.parse().unwrap(), &from).unwrap();
        let odd = target("https://hub.example/x");
        for _ in 0..10 {
            assert!(matches!(shared.ask(&odd, now), Permission::Now));
            shared.note(&odd, false, &Err(FetchError::Exhausted), None, now);
        }
        let failed: FetchResult = Ok(Response {
            status: 503,
            ..Response::default()
        });
        for _ in 0..3 {
            assert!(matches!(shared.ask(&odd, now), Permission::Now));
            shared.note(&odd, true, &failed, Some(HOUR), now);
        }
        let answer = shared.ask(&target("https://hub.example/y"), now);
        assert!(
            matches!(answer, Permission::Failed(it) if it.as_ref().as_ref().is_ok_and(|it| it.status == 503))
        );
        let other = shared.ask(&target("https://www.hub.example/y"), now);
        assert!(
            matches!(other, Permission::Later(_)),
            "the failure was of another host"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn p38a_the_counted_targets_are_bounded() {
        let from = Domain::parse("spoke.example").unwrap();
        let (shared, now) = (RobotsCache::default(), Instant::now());
        let ask = |number: usize, now| {
            let url = format!("https://h{number}.test/robots.txt")
                .parse()
                .unwrap();
            shared.ask(&Target::new(&url, &from).unwrap(), now)
        };
        for number in 0..MAX_TARGETS {
            assert!(matches!(ask(number, now), Permission::Now));
        }
        assert!(matches!(ask(MAX_TARGETS, now), Permission::Later(_)));
        assert!(
            matches!(ask(0, now), Permission::Now),
            "it is already counted"
        );
        assert!(matches!(ask(MAX_TARGETS, now + HOUR), Permission::Now));
        assert_eq!(shared.lock().targets.len(), 1);
    }

    #[test]
    fn p31_an_answer_is_kept_for_a_day_at_most_and_a_failure_for_an_hour() {
        let life = |status, cache_control: Option<&str>, retry_after: Option<&str>| {
            let response = Response {
                status,
                cache_control: cache_control.map(str::to_owned),
                retry_after: retry_after.map(str::to_owned),
                ..Response::default()
            };
            life(&Ok(response), Timestamp(0))
        };
        for status in [200, 301, 403, 404] {
            assert_eq!(life(status, None, None), Some(LONGEST_LIFE), "{status}");
        }
        assert_eq!(life(200, Some("max-age=1"), None), Some(SHORTEST_LIFE));
        assert_eq!(life(404, Some("max-age=9999999"), None), Some(LONGEST_LIFE));
        for status in [429, 500, 503] {
            assert_eq!(life(status, None, None), Some(UNREACHABLE_LIFE), "{status}");
            let pause = Some(Duration::from_hours(2));
            assert_eq!(life(status, None, Some("7200")), pause, "{status}");
        }
        assert_eq!(life(304, None, None), None);
    }

    #[test]
    fn p29_failures_of_one_visit_alone_are_not_cached() {
        let life = |error| life(&Err(error), Timestamp(0));
        for error in [FetchError::Reset, FetchError::Timeout(Stage::Headers)] {
            assert_eq!(life(error), Some(UNREACHABLE_LIFE));
        }
        for error in [
            FetchError::Busy(Duration::ZERO),
            FetchError::Exhausted,
            FetchError::Timeout(Stage::Visit),
        ] {
            assert_eq!(life(error), None);
        }
    }
}
