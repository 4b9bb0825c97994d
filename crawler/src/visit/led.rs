//! The robots.txt files to which other hosts lead: one that many sites share is asked for once, also when it
//! fails (P29, P31).

use crate::fetch::{FetchError, Response, header};
use crate::politeness::{LONGEST_LIFE, SHORTEST_LIFE, UNREACHABLE_LIFE};
use manifest::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// How many are kept, each of at most 500 KiB; the one that was wanted longest ago makes room.
const MOST: usize = 64;

/// What was answered.
pub(super) type Told = Result<Response, FetchError>;

/// An answer and until when it holds. Whoever asks holds the lock, so that the others wait for the answer.
pub(super) type Answer = Arc<tokio::sync::Mutex<Option<(Told, Instant)>>>;

/// Answers of the hosts that were led to, shared by all visits of a process.
#[derive(Clone, Debug, Default)]
pub struct LedTo(Arc<Mutex<HashMap<Url, (Answer, Instant)>>>);

impl LedTo {
    /// The answer of `url`, which nobody may have asked for yet.
    pub(super) fn answer(&self, url: &Url, now: Instant) -> Answer {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Forgets everything: failures may have been those of our own line (P38).
    pub(crate) fn clear(&self) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.clear();
    }
}

/// How long an answer that came at `now` may stand for the next ones: a file, or that there is none, as long as a
/// robots.txt holds, a failure until its host is to be asked again. Not what this visit alone met with, nor what
/// answers its own condition.
pub(super) fn life(told: &Told, now: Timestamp) -> Option<Duration> {
    let response = match told {
        Ok(response) => response,
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
        assert_eq!(led_to.0.lock().unwrap().len(), MOST);
        let is_kept = async |number| {
            let answer = led_to.answer(&url(number), Instant::now());
            answer.lock().await.is_some()
        };
        assert!(is_kept(3 * MOST - 1).await && is_kept(2 * MOST).await);
        assert!(!is_kept(2 * MOST - 1).await);
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
