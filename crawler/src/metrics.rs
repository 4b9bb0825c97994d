//! The crawler's part of the operator's view: the counts of [`crate::summary`] and of the frontier,
//! read for each scrape.

use crate::clock::Clock;
use crate::summary::{Progress, Summary};
use admin::Part;
use admin::prometheus::collector::Collector;
use admin::prometheus::encoding::{DescriptorEncoder, EncodeMetric};
use admin::prometheus::metrics::MetricType;
use admin::prometheus::metrics::counter::ConstCounter;
use admin::prometheus::metrics::gauge::ConstGauge;
use admin::prometheus::registry::{Registry, Unit};
use async_trait::async_trait;
use std::fmt;
use std::sync::Arc;
use store::{Outcome, Store};

/// A crawl, as the operator sees it.
#[derive(Debug)]
pub struct Crawl {
    /// Counts.
    pub progress: Arc<Progress>,
    /// Database, opened with the role of the crawler.
    pub store: Arc<dyn Store>,
    /// Clock of the crawl.
    pub clock: Clock,
}

#[async_trait]
impl Part for Crawl {
    fn name(&self) -> &'static str {
        "crawler"
    }

    /// Returns `Ok`: a crawl that waits for its database, or for its membership in a fleet, goes on by
    /// itself.
    async fn ready(&self) -> Result<(), String> {
        Ok(())
    }

    async fn register(&self, registry: &mut Registry) {
        let now = self.clock.now();
        // The other metrics are useful even without these.
        match self.store.frontier_load(now).await {
            Ok(frontier) => {
                let gauge = |count| ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
                let oldest = frontier.oldest_due.map(|since| now.since(since).as_secs());
                for (name, help, count) in [
                    ("frontier_domains", "Domains known", frontier.domains),
                    (
                        "frontier_due",
                        "Domains that are due and not leased",
                        frontier.due,
                    ),
                    (
                        "frontier_back_off",
                        "Domains in back-off",
                        frontier.back_off,
                    ),
                    (
                        "submissions_waiting",
                        "Submissions that no crawler has processed yet",
                        frontier.submissions,
                    ),
                ] {
                    registry.register(name, help, gauge(count));
                }
                registry.register_with_unit(
                    "frontier_oldest_due",
                    "Time since which the domain that has waited longest is due",
                    Unit::Seconds,
                    gauge(oldest.unwrap_or(0)),
                );
            }
            Err(error) => tracing::warn!(%error, "cannot count the frontier"),
        }
        registry.register_collector(Box::new(Counts(self.progress.snapshot())));
    }
}

/// Counts of one scrape.
#[derive(Debug)]
struct Counts(Summary);

impl Collector for Counts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Self(summary) = self;
        let mut visits = encoder.encode_descriptor(
            "visits",
            "Recorded visits by outcome",
            None,
            MetricType::Counter,
        )?;
        // A counter that appears with its first visit would have no rate before the second one.
        for outcome in Outcome::ALL {
            let label = [("outcome", outcome.as_str())];
            let count = summary.outcomes.get(&outcome).copied().unwrap_or_default();
            ConstCounter::new(count).encode(visits.encode_family(&label)?)?;
        }
        let counters = [
            ("requests", "HTTP requests sent", summary.requests),
            ("bytes", "Body bytes received, decoded", summary.bytes),
            (
                "robots_fetches",
                "Answers to requests for robots.txt",
                summary.robots_fetches,
            ),
            (
                "robots_denials",
                "Visits in which robots.txt disallowed some or all paths",
                summary.robots_denials,
            ),
            (
                "put_offs",
                "Domains returned to the frontier because their site or address was busy",
                summary.postponements,
            ),
            (
                "handed_on",
                "Domains returned for the crawler that has their network",
                summary.handed_on,
            ),
            (
                "guest_turns",
                "Turns for requests that other crawlers granted",
                summary.guest_turns,
            ),
            (
                "lapses",
                "Times that the membership in the fleet was not renewed in time",
                summary.lapses,
            ),
            (
                "outages",
                "Outages of the crawler's own connection",
                summary.outages,
            ),
            (
                "documents",
                "Documents stored or found unchanged",
                summary.documents,
            ),
            (
                "agents",
                "Agents in documents received, before merging, and listed ones of unchanged documents",
                summary.agents,
            ),
        ];
        for (name, help, count) in counters {
            let counter = ConstCounter::new(count);
            let one = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            counter.encode(one)?;
        }
        let gauges = [
            (
                "in_flight",
                "Lookups and visits in progress",
                summary.in_flight,
            ),
            (
                "fleet_members",
                "Crawlers of the database",
                summary.crawlers,
            ),
            (
                "fleet_slots",
                "Slots of networks, of 256, that this crawler visits",
                summary.slots,
            ),
            (
                "learned_edges",
                "Addresses that are shared edges according to their answers",
                summary.learned_edges,
            ),
        ];
        for (name, help, count) in gauges {
            // Such a number does not occur.
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use admin::prometheus::encoding::text::encode;

    #[test]
    fn each_outcome_is_a_label_from_the_start() {
        let summary = Summary {
            outcomes: [(Outcome::Found, 3), (Outcome::Empty, 97)].into(),
            robots_fetches: 99,
            in_flight: 7,
            learned_edges: 2,
            crawlers: 3,
            slots: 85,
            handed_on: 6,
            guest_turns: 5,
            lapses: 1,
            ..Summary::default()
        };
        let mut registry = Registry::with_prefix("agentdex_crawler");
        registry.register_collector(Box::new(Counts(summary)));
        let mut answer = String::new();
        encode(&mut answer, &registry).unwrap();
        for line in [
            "agentdex_crawler_visits_total{outcome=\"found\"} 3",
            "agentdex_crawler_visits_total{outcome=\"empty\"} 97",
            "agentdex_crawler_visits_total{outcome=\"budget\"} 0",
            "# TYPE agentdex_crawler_robots_fetches counter",
            "agentdex_crawler_robots_fetches_total 99",
            "agentdex_crawler_in_flight 7",
            "agentdex_crawler_learned_edges 2",
            "agentdex_crawler_fleet_members 3",
            "agentdex_crawler_fleet_slots 85",
            "agentdex_crawler_handed_on_total 6",
            "agentdex_crawler_guest_turns_total 5",
            "agentdex_crawler_lapses_total 1",
            "# EOF",
        ] {
            assert!(answer.lines().any(|it| it == line), "{line} in {answer}");
        }
    }
}
