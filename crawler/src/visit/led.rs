//! The robots.txt files to which those of other hosts lead: one that many sites share is asked for once (P31).

use crate::fetch::{Response, header};
use crate::politeness::{LONGEST_LIFE, SHORTEST_LIFE};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// How many are kept, each of at most 500 KiB; the one that was wanted longest ago makes room.
const MOST: usize = 64;

/// An answer and until when it holds. Whoever asks holds the lock, so that the others wait for the answer.
pub(super) type Answer = Arc<tokio::sync::Mutex<Option<(Response, Instant)>>>;

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
}

/// How long an answer may stand for the next ones; only one that brought a file does.
pub(super) fn life(response: &Response) -> Option<Duration> {
    let max_age = response.cache_control.as_deref().and_then(header::max_age);
    let life = max_age
        .unwrap_or(LONGEST_LIFE)
        .clamp(SHORTEST_LIFE, LONGEST_LIFE);
    (response.status == 200).then_some(life)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn p31_the_answers_that_are_kept_are_bounded_and_the_newest_stay() {
        let led_to = LedTo::default();
        let url = |number: usize| -> Url { format!("https://h{number}.example/").parse().unwrap() };
        for number in 0..3 * MOST {
            let answer = led_to.answer(&url(number), Instant::now());
            *answer.lock().await = Some((Response::default(), Instant::now()));
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
    fn p31_only_a_file_is_kept_and_for_a_day_at_most() {
        let life = |status, cache_control: Option<&str>| {
            life(&Response {
                status,
                cache_control: cache_control.map(str::to_owned),
                ..Response::default()
            })
        };
        assert_eq!(life(200, None), Some(LONGEST_LIFE));
        assert_eq!(life(200, Some("max-age=1")), Some(SHORTEST_LIFE));
        assert_eq!(life(200, Some("max-age=9999999")), Some(LONGEST_LIFE));
        for status in [304, 404, 429, 503] {
            assert_eq!(life(status, None), None, "{status}");
        }
    }
}
