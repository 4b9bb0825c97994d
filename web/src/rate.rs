//! Rate limit of clients: a token bucket for each, and an account of the processor time of its searches.
//!
//! The buckets are in memory only, and their number is bounded: those that are full again are
//! dropped, and if more clients than that ask at the same time, all of them start afresh.

pub(crate) mod processor;

use crate::client::Client;
use axum::http::Method;
use governor::clock::{Clock, MonotonicClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{NotUntil, Quota, RateLimiter};
use ipnet::IpNet;
use processor::Processor;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Part of a minute's requests that a client may send at once: enough for a person who opens a
/// handful of pages, or a program that fetches what one search found.
const BURST: u32 = 5;

/// Tokens of a request that others pay for, or that takes much computation.
pub(crate) const COSTLY: u32 = 20;

/// Requests for visits to sites that a client may send in an hour, and at once.
pub(crate) const VISITS_AN_HOUR: NonZeroU32 = NonZeroU32::new(60).unwrap();
const VISITS_AT_ONCE: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Most buckets; one takes about a hundred bytes.
const MOST: usize = 1 << 16;

/// Requests between two removals of full buckets.
const SWEEP: u32 = 1 << 12;

/// Requests that a client may send in a minute; none is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit(Option<NonZeroU32>);

impl RateLimit {
    /// No limit.
    pub const OFF: Self = Self(None);
}

impl FromStr for RateLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "off" => Ok(Self::OFF),
            Ok(per_minute) => Ok(Self(Some(per_minute))),
            Err(_) => Err("expected a number of requests a minute, such as 600, or off".to_owned()),
        }
    }
}

impl std::fmt::Display for RateLimit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(per_minute) => write!(formatter, "{per_minute}"),
            None => formatter.write_str("off"),
        }
    }
}

/// Effort that a request causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Reading.
    Small,
    /// Much computation.
    Large,
    /// Visit to a site, which counts in a bucket of its own as well.
    Visit,
    /// Question about the methods of an address, which counts only in a bucket of its own.
    Question,
}

impl Effort {
    /// Returns the effort of a request to a page or to the native API.
    pub(crate) fn of(method: &Method, path: &str) -> Self {
        match *method {
            Method::GET | Method::HEAD => Self::Small,
            Method::OPTIONS => Self::Question,
            Method::POST if path.ends_with("/submit") || path.ends_with("/recheck") => Self::Visit,
            _ => Self::Large,
        }
    }
}

/// State of a client's bucket after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Balance {
    /// Size of the bucket.
    pub(crate) limit: u32,
    /// Tokens left.
    pub(crate) remaining: u32,
    /// Seconds until the bucket is full.
    pub(crate) reset_s: u64,
    /// Seconds until the request would be answered, if it is refused.
    pub(crate) wait_s: Option<u64>,
}

/// Rate limit of all clients; cheap to clone.
#[derive(Clone, Debug)]
pub struct Limiter {
    buckets: Option<Arc<Buckets<MonotonicClock>>>,
    /// Buckets of requests for visits.
    visits: Option<Arc<Buckets<MonotonicClock>>>,
    /// Buckets of questions, as large as those of all other requests: a browser asks before requests to
    /// another origin, and a question that is refused would hide the answer to the request itself.
    questions: Option<Arc<Buckets<MonotonicClock>>>,
    /// Processor time of searches.
    processor: Option<Arc<Processor>>,
    /// Proxies whose forwarded headers tell the client.
    proxies: Arc<[IpNet]>,
    /// True once the operator was told of a proxy that is none of them.
    has_told_of_proxy: Arc<AtomicBool>,
    limit: RateLimit,
}

impl Limiter {
    /// Creates a limiter with full buckets.
    pub fn new(limit: RateLimit, proxies: &[IpNet]) -> Self {
        let buckets = |quota| Arc::new(Buckets::new(quota, MOST, MonotonicClock));
        Self {
            buckets: limit.0.map(per_minute).map(buckets),
            visits: limit.0.map(|_| visits()).map(buckets),
            questions: limit.0.map(per_minute).map(buckets),
            processor: limit.0.map(|_| Arc::default()),
            proxies: proxies.into(),
            has_told_of_proxy: Arc::default(),
            limit,
        }
    }

    /// Returns the requests that a client may send in a minute; `None` without a limit.
    pub(crate) fn per_minute(&self) -> Option<u32> {
        self.limit.0.map(NonZeroU32::get)
    }

    /// Returns the proxies whose forwarded headers tell the client.
    pub(crate) fn proxies(&self) -> &[IpNet] {
        &self.proxies
    }

    /// Reports whether no proxy was found before that the operator has not named; it is told once.
    pub(crate) fn is_first_unnamed_proxy(&self) -> bool {
        !self.has_told_of_proxy.swap(true, Ordering::Relaxed)
    }

    /// Returns the seconds until a client may search, at least one; `None` if it may.
    pub(crate) fn search_wait_s(&self, client: Client, now: Instant) -> Option<u64> {
        let wait = self.processor.as_ref()?.wait(client, now)?;
        Some(seconds(wait))
    }

    /// Charges a client for the processor time of a search that memory could not answer.
    pub(crate) fn charge_search(&self, client: Client, spent: Duration, now: Instant) {
        if let Some(processor) = &self.processor {
            processor.charge(client, spent, now);
        }
    }

    /// Takes the tokens of a request; `None` without a limit.
    pub(crate) fn take(&self, client: Client, effort: Effort) -> Option<Balance> {
        if effort == Effort::Visit {
            let balance = self.visits.as_ref()?.take(client, Effort::Small);
            if balance.wait_s.is_some() {
                return Some(balance);
            }
        }
        if effort == Effort::Question {
            let balance = self.questions.as_ref()?.take(client, effort);
            // What is left of questions says nothing about requests.
            return balance.wait_s.map(|_| balance);
        }
        let buckets = self.buckets.as_ref()?;
        Some(buckets.take(client, effort))
    }
}

/// Returns the quota of all requests.
fn per_minute(limit: NonZeroU32) -> Quota {
    let burst = NonZeroU32::new(limit.get() / BURST).unwrap_or(NonZeroU32::MIN);
    Quota::per_minute(limit).allow_burst(burst)
}

/// Returns the quota of requests for visits.
fn visits() -> Quota {
    Quota::per_hour(VISITS_AN_HOUR).allow_burst(VISITS_AT_ONCE)
}

type PerClient<C> = RateLimiter<Client, HashMapStateStore<Client>, C, StateInformationMiddleware>;

#[derive(Debug)]
struct Buckets<C: Clock> {
    quota: Quota,
    most: usize,
    clock: C,
    keyed: RwLock<PerClient<C>>,
    taken: AtomicU32,
}

impl<C: Clock + Clone> Buckets<C> {
    fn new(quota: Quota, most: usize, clock: C) -> Self {
        Self {
            quota,
            most,
            keyed: RwLock::new(full(quota, &clock)),
            clock,
            taken: AtomicU32::new(0),
        }
    }

    fn take(&self, client: Client, effort: Effort) -> Balance {
        self.make_room();
        let burst = self.quota.burst_size();
        let cost = match effort {
            Effort::Small | Effort::Question => NonZeroU32::MIN,
            Effort::Large | Effort::Visit => {
                NonZeroU32::new(COSTLY).map_or(burst, |it| it.min(burst))
            }
        };
        let keyed = self.keyed.read().unwrap_or_else(PoisonError::into_inner);
        match keyed.check_key_n(&client, cost) {
            Ok(Ok(snapshot)) => self.balance(snapshot.remaining_burst_capacity(), None),
            Ok(Err(refused)) => self.refused(&refused, cost),
            // The cost is at most the size of the bucket.
            Err(_) => self.balance(0, None),
        }
    }

    fn refused(&self, refused: &NotUntil<C::Instant>, cost: NonZeroU32) -> Balance {
        let wait = refused.wait_time_from(self.clock.now());
        let interval = self.quota.replenish_interval();
        let lacking = wait.as_nanos().div_ceil(interval.as_nanos().max(1));
        let lacking = u32::try_from(lacking).unwrap_or(u32::MAX);
        self.balance(cost.get().saturating_sub(lacking), Some(wait))
    }

    fn balance(&self, remaining: u32, wait: Option<Duration>) -> Balance {
        let limit = self.quota.burst_size().get();
        let missing = limit.saturating_sub(remaining);
        Balance {
            limit,
            remaining,
            reset_s: seconds(self.quota.replenish_interval() * missing),
            wait_s: wait.map(|it| seconds(it).max(1)),
        }
    }

    /// Drops buckets that are full, now and then and if there are too many; and if that does not
    /// suffice, all of them.
    fn make_room(&self) {
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        let keyed = self.keyed.read().unwrap_or_else(PoisonError::into_inner);
        let is_crowded = keyed.len() >= self.most;
        if !is_crowded && !taken.is_multiple_of(SWEEP) {
            return;
        }
        keyed.retain_recent();
        let is_crowded = keyed.len() >= self.most / 4 * 3;
        drop(keyed);
        if is_crowded {
            // So many clients at once are no single one that asks too much.
            *self.keyed.write().unwrap_or_else(PoisonError::into_inner) =
                full(self.quota, &self.clock);
        }
    }
}

fn full<C: Clock + Clone>(quota: Quota, clock: &C) -> PerClient<C> {
    RateLimiter::new(quota, HashMapStateStore::default(), clock.clone())
}

/// Returns whole seconds, rounded up.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use governor::clock::FakeRelativeClock;

    fn client(number: u32) -> Client {
        Client::of(std::net::Ipv4Addr::from_bits(number).into())
    }

    fn buckets(limit: u32, most: usize) -> (Buckets<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        let quota = per_minute(NonZeroU32::new(limit).unwrap());
        (Buckets::new(quota, most, clock.clone()), clock)
    }

    #[test]
    fn visits_have_a_bucket_of_their_own() {
        let limiter = Limiter::new("6000".parse().unwrap(), &[]);
        let visit = || limiter.take(client(1), Effort::Visit).unwrap();
        for _ in 0..10 {
            assert_eq!(visit().wait_s, None);
        }
        let refused = visit();
        assert_eq!((refused.limit, refused.remaining), (10, 0));
        assert_eq!(refused.wait_s, Some(60));
        assert_eq!(limiter.take(client(1), Effort::Large).unwrap().wait_s, None);
        let off = Limiter::new(RateLimit::OFF, &[]);
        assert_eq!(off.take(client(1), Effort::Visit), None);
    }

    #[test]
    fn questions_have_a_bucket_of_their_own() {
        let limiter = Limiter::new("5".parse().unwrap(), &[]);
        let ask = |effort| limiter.take(client(1), effort);
        assert_eq!(ask(Effort::Question), None);
        assert_eq!(ask(Effort::Small).unwrap().wait_s, None);
        assert!(ask(Effort::Small).unwrap().wait_s.is_some());
        let refused = ask(Effort::Question).unwrap();
        assert!(refused.wait_s.is_some(), "as many as requests");
        assert_eq!(limiter.take(client(2), Effort::Question), None);
    }

    #[test]
    fn a_minute_later_there_is_one_more_visit() {
        let clock = FakeRelativeClock::default();
        let buckets = Buckets::new(visits(), 100, clock.clone());
        let wait = || buckets.take(client(1), Effort::Small).wait_s;
        while wait().is_none() {}
        clock.advance(Duration::from_mins(1));
        assert_eq!((wait(), wait()), (None, Some(60)));
    }

    #[test]
    fn a_client_may_send_a_burst_and_then_as_many_as_its_rate() {
        let (buckets, clock) = buckets(60, 100);
        for remaining in (0..12).rev() {
            let balance = buckets.take(client(1), Effort::Small);
            let expected = (12, remaining, None);
            assert_eq!((balance.limit, balance.remaining, balance.wait_s), expected);
            assert_eq!(balance.reset_s, u64::from(12 - remaining));
        }
        let refused = buckets.take(client(1), Effort::Small);
        assert_eq!((refused.remaining, refused.wait_s), (0, Some(1)));
        assert_eq!(buckets.take(client(2), Effort::Small).wait_s, None);
        clock.advance(Duration::from_secs(1));
        assert_eq!(buckets.take(client(1), Effort::Small).wait_s, None);
        assert_eq!(buckets.take(client(1), Effort::Small).wait_s, Some(1));
    }

    #[test]
    fn a_request_that_costs_others_takes_more() {
        let (buckets, _clock) = buckets(600, 100);
        for remaining in [100, 80, 60, 40, 20, 0] {
            assert_eq!(buckets.take(client(1), Effort::Large).remaining, remaining);
        }
        assert_eq!(buckets.take(client(1), Effort::Large).wait_s, Some(2));
    }

    #[test]
    fn a_refused_costly_request_tells_what_is_left_for_others() {
        let (buckets, _clock) = buckets(600, 100);
        for _ in 0..105 {
            buckets.take(client(1), Effort::Small);
        }
        let refused = buckets.take(client(1), Effort::Large);
        assert_eq!((refused.remaining, refused.wait_s), (15, Some(1)));
        assert_eq!(buckets.take(client(1), Effort::Small).remaining, 14);
    }

    #[test]
    fn the_number_of_buckets_is_bounded() {
        let (buckets, clock) = buckets(60, 100);
        let count = || buckets.keyed.read().unwrap().len();
        for number in 0..99 {
            buckets.take(client(number), Effort::Small);
        }
        assert_eq!(count(), 99);
        clock.advance(Duration::from_mins(1));
        buckets.take(client(1_000), Effort::Small);
        buckets.take(client(1_001), Effort::Small);
        assert_eq!(count(), 2, "full buckets are dropped");
        for number in 0..10_000 {
            buckets.take(client(number), Effort::Small);
            assert!(count() <= 100);
        }
    }

    #[test]
    fn a_limit_is_a_number_or_off() {
        assert_eq!("off".parse(), Ok(RateLimit::OFF));
        assert_eq!("600".parse::<RateLimit>().unwrap().to_string(), "600");
        for wrong in ["0", "-1", "", "10/s"] {
            let error = wrong.parse::<RateLimit>().unwrap_err();
            assert!(error.contains("off"), "{wrong}: {error}");
        }
    }
}
