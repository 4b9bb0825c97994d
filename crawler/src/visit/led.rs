//! The robots.txt files to which other hosts lead: one that many sites share is asked for once, also when it
//! fails (P29, P31), and however many lead to a site, with whatever paths and queries, that costs it next to nothing
//! (P38a).

use crate::fetch::{FetchError, Response, header};
use crate::politeness::{LONGEST_LIFE, SHORTEST_LIFE, UNREACHABLE_LIFE};
use manifest::{Domain, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use url::{Position, Url};

/// How many are kept, each of at most 500 KiB; the one that was wanted longest ago makes room.
const MOST: usize = 64;
/// Requests to one target within [`HOUR`] (P38a).
const MOST_REQUESTS: usize = 4;
/// The same for files besides `/robots.txt`, so that they cannot use up what redirects to the usual place need.
const MOST_ELSEWHERE: usize = 3;
const HOUR: Duration = Duration::from_hours(1);
/// Most targets that are counted; beyond, no redirect to a new one is followed.
const MOST_TARGETS: usize = 50_000;

/// What was answered.
pub(super) type Told = Result<Response, FetchError>;

/// An answer and until when it holds. Whoever asks holds the lock, so that the others wait for the answer.
pub(super) type Answer = Arc<tokio::sync::Mutex<Option<(Told, Instant)>>>;

/// Answers of the hosts that were led to, shared by all visits of a process.
///
/// The counts live as long as the process: one that is started again begins a new hour, and whatever it asks then
/// waits for the gap and the leases that the killed one left.
#[derive(Clone, Debug, Default)]
pub struct LedTo(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    answers: HashMap<Url, (Answer, Instant)>,
    targets: HashMap<String, Asked>,
}

/// The requests to a target within the last hour.
#[derive(Debug, Default)]
struct Asked {
    /// At most [`MOST_REQUESTS`], in order.
    at: Vec<Instant>,
    /// The host of it that failed last, how, and until when that holds for each of its paths.
    failure: Option<(String, Told, Instant)>,
}

/// A file that another host leads to, as it is counted.
#[derive(Debug)]
pub(super) struct Target {
    /// The registrable domain, for its owner may have given it any number of names.
    owner: String,
    host: String,
    is_usual: bool,
}

impl Target {
    /// The target of a redirect to `url` in a visit to `from`; `None` within one site, whose own affair it is.
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
}

/// The leave to ask a target.
#[derive(Debug)]
pub(super) enum Leave {
    /// Yes, and it counts.
    Now,
    /// No: its host failed when it was asked last, which holds for all its paths.
    Failed(Box<Told>),
    /// No, for so long.
    Later(Duration),
}

impl LedTo {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of `url`, which nobody may have asked for yet.
    pub(super) fn answer(&self, url: &Url, now: Instant) -> Answer {
        let answers = &mut self.lock().answers;
        if !answers.contains_key(url) && answers.len() >= MOST {
            let oldest = answers.iter().min_by_key(|(_, (_, wanted))| *wanted);
            if let Some(url) = oldest.map(|(url, _)| url.clone()) {
                answers.remove(&url);
            }
        }
        let (answer, wanted) = answers
            .entry(url.clone())
            .or_insert_with(|| (Answer::default(), now));
        *wanted = now;
        Arc::clone(answer)
    }

    /// Takes one of the requests that a target may be sent.
    pub(super) fn ask(&self, target: &Target, now: Instant) -> Leave {
        let targets = &mut self.lock().targets;
        if targets.len() >= MOST_TARGETS && !targets.contains_key(&target.owner) {
            targets.retain(|_, asked| asked.at.last().is_some_and(|at| now - *at < HOUR));
            if targets.len() >= MOST_TARGETS {
                return Leave::Later(HOUR);
            }
        }
        let asked = targets.entry(target.owner.clone()).or_default();
        asked.at.retain(|at| now - *at < HOUR);
        let most = if target.is_usual {
            MOST_REQUESTS
        } else {
            MOST_ELSEWHERE
        };
        if asked.at.len() < most {
            asked.at.push(now);
            return Leave::Now;
        }
        match &asked.failure {
            Some((host, told, until)) if *host == target.host && now < *until => {
                Leave::Failed(Box::new(told.clone()))
            }
            Some(_) | None => Leave::Later(HOUR),
        }
    }

    /// Notes what a target answered, which holds for so long, and gives the request back if it was not sent.
    pub(super) fn note(
        &self,
        target: &Target,
        is_sent: bool,
        told: &Told,
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
        let has_failed = match told {
            Ok(response) => matches!(response.status, 429 | 500..=599),
            Err(error) => error.has_reached_out(),
        };
        asked.failure = life
            .filter(|_| has_failed)
            .map(|life| (target.host.clone(), told.clone(), now + life));
    }

    /// Forgets all answers, though not what was asked: failures may have been those of our own line (P38).
    pub(crate) fn clear(&self) {
        let mut known = self.lock();
        known.answers.clear();
        for asked in known.targets.values_mut() {
            asked.failure = None;
        }
    }
}

/// How long an answer that came at `now` may stand for the next ones: a file, or that there is none, as long as a
/// robots.txt holds, a failure until its host is to be asked again. Not what this visit alone met with, nor what
/// answers its own condition.
pub(super) fn life(told: &Told, now: Timestamp) -> Option<Duration> {
    let response = match told {
        Ok(response) => response,
        Err(FetchError::LeftAlone(pause)) => return Some((*pause).min(UNREACHABLE_LIFE)),
        Err(error) => return error.is_hosts_own().then_some(UNREACHABLE_LIFE),
    };
    let kept = |life: Duration| Some(life.clamp(SHORTEST_LIFE, LONGEST_LIFE));
    match response.status {
        304 => None,
        429 | 500.. => {
            let plea = response.retry_after.as_deref();
            let plea = plea.and_then(|value| header::retry_after(value, now));
            kept(plea.unwrap_or(UNREACHABLE_LIFE))
        }
        _ => {
            let max_age = response.cache_control.as_deref().and_then(header::max_age);
            kept(max_age.unwrap_or(LONGEST_LIFE))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Stage;

    #[tokio::test(start_paused = true)]
    async fn p31_the_answers_that_are_kept_are_bounded_and_the_newest_stay() {
        let led_to = LedTo::default();
        let url = |number: usize| -> Url { format!("https://h{number}.example/").parse().unwrap() };
        for number in 0..3 * MOST {
            let answer = led_to.answer(&url(number), Instant::now());
            *answer.lock().await = Some((Ok(Response::default()), Instant::now()));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(led_to.lock().answers.len(), MOST);
        let is_kept = async |number| {
            let answer = led_to.answer(&url(number), Instant::now());
            answer.lock().await.is_some()
        };
        assert!(is_kept(3 * MOST - 1).await && is_kept(2 * MOST).await);
        assert!(!is_kept(2 * MOST - 1).await);
    }

    #[tokio::test(start_paused = true)]
    async fn p38a_a_target_is_asked_four_times_an_hour_by_whatever_names_and_paths() {
        let from = Domain::parse("spoke.example").unwrap();
        let target = |url: &str| Target::new(&url.parse().unwrap(), &from).unwrap();
        let (led_to, start) = (LedTo::default(), Instant::now());
        let mut asked = 0;
        for number in 0..40 {
            let odd = target(&format!(
                "https://h{number}.hub.example/robots.txt?{number}"
            ));
            let now = start + Duration::from_secs(number);
            asked += u32::from(matches!(led_to.ask(&odd, now), Leave::Now));
        }
        assert_eq!(asked, 3);
        let usual = target("https://hub.example/robots.txt");
        let later = start + Duration::from_mins(50);
        assert!(matches!(led_to.ask(&usual, later), Leave::Now));
        assert!(matches!(led_to.ask(&usual, later), Leave::Later(HOUR)));
        let other = target("https://hub.test/robots.txt?1");
        assert!(matches!(led_to.ask(&other, later), Leave::Now));
        led_to.clear();
        assert!(matches!(led_to.ask(&usual, later), Leave::Later(_)));
        let own: Url = "https://www.spoke.example/x".parse().unwrap();
        assert!(Target::new(&own, &from).is_none());
        // An hour after the first three.
        let odd = target("https://hub.example/other");
        let after = start + HOUR + Duration::from_secs(3);
        for _ in 0..2 {
            assert!(matches!(led_to.ask(&odd, after), Leave::Now));
        }
        assert!(matches!(led_to.ask(&odd, after), Leave::Later(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn p38a_what_was_not_sent_does_not_count_and_a_failure_stands_for_every_path() {
        let from = Domain::parse("spoke.example").unwrap();
        let (led_to, now) = (LedTo::default(), Instant::now());
        let target = |url: &str| Target::new(&url.parse().unwrap(), &from).unwrap();
        let odd = target("https://hub.example/x");
        for _ in 0..10 {
            assert!(matches!(led_to.ask(&odd, now), Leave::Now));
            led_to.note(&odd, false, &Err(FetchError::Exhausted), None, now);
        }
        let failed: Told = Ok(Response {
            status: 503,
            ..Response::default()
        });
        for _ in 0..3 {
            assert!(matches!(led_to.ask(&odd, now), Leave::Now));
            led_to.note(&odd, true, &failed, Some(HOUR), now);
        }
        let answer = led_to.ask(&target("https://hub.example/y"), now);
        assert!(
            matches!(answer, Leave::Failed(it) if it.as_ref().as_ref().is_ok_and(|it| it.status == 503))
        );
        let other = led_to.ask(&target("https://www.hub.example/y"), now);
        assert!(matches!(other, Leave::Later(_)), "it is another host's");
    }

    #[tokio::test(start_paused = true)]
    async fn p38a_the_targets_that_are_counted_are_bounded() {
        let from = Domain::parse("spoke.example").unwrap();
        let (led_to, now) = (LedTo::default(), Instant::now());
        let ask = |number: usize, now| {
            let url = format!("https://h{number}.test/robots.txt")
                .parse()
                .unwrap();
            led_to.ask(&Target::new(&url, &from).unwrap(), now)
        };
        for number in 0..MOST_TARGETS {
            assert!(matches!(ask(number, now), Leave::Now));
        }
        assert!(matches!(ask(MOST_TARGETS, now), Leave::Later(_)));
        assert!(matches!(ask(0, now), Leave::Now), "it is counted");
        assert!(matches!(ask(MOST_TARGETS, now + HOUR), Leave::Now));
        assert_eq!(led_to.lock().targets.len(), 1);
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
            let plea = Some(Duration::from_hours(2));
            assert_eq!(life(status, None, Some("7200")), plea, "{status}");
        }
        assert_eq!(life(304, None, None), None);
    }

    #[test]
    fn p29_what_a_visit_alone_met_with_is_not_kept() {
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
