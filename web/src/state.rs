//! State shared by all handlers.

use crate::answers::Answers;
use crate::cached_value::CachedValue;
use crate::client;
use crate::crawler_identity::CrawlerIdentity;
use crate::error::AppError;
use crate::feed::Feed;
use crate::metrics::Metrics;
use crate::own::registry::Registry;
use crate::rate::Limiter;
use crate::secrets::{Keys, Secrets};
use crate::slots::Slots;
use data_encoding::HEXLOWER;
use manifest::caution::{self, Caution};
use manifest::{AgentId, Timestamp};
use rustix::time::{ClockId, clock_gettime};
use search::{
    AgentHit, Answer, Completion, Facet, Fit, Neighbours, Request, Results, SearchError, Searcher,
    Suggestion, ValueRange, Values,
};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Stats, Store, StoredAgent};

/// Number of agents that are read at a time to find those that were checked recently, and how many
/// times.
const PAGE: usize = 100;
const ROUNDS: usize = 10;

/// Time for which answers from memory may miss a change of the store.
const UNNOTICED: Duration = Duration::from_secs(1);

/// State shared by all handlers.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Database.
    pub store: Arc<dyn Store>,
    /// Search index.
    pub searcher: Searcher,
    /// URL that visitors use, such as `https://agentdex.example`, without a trailing slash.
    pub public_url: String,
    /// Mail address or URL of the operator, for the registry's own manifests.
    pub contact: Option<String>,
    /// The crawler, as sites recognise it.
    pub crawler: CrawlerIdentity,
    /// Keys that authenticate cursors.
    pub secrets: Secrets,
    /// Rate limit of clients.
    pub limiter: Limiter,
    /// Counts of requests and searches.
    pub metrics: Metrics,
    /// Change feed and exports.
    pub feed: Feed,
    /// Results and turns that requests share.
    pub shared: Shared,
    /// Clock.
    pub now: fn() -> Timestamp,
}

/// Results and turns that requests share; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// The last counts of everything.
    census: CachedValue<Stats>,
    /// Sequence number of the newest change.
    last_change: CachedValue<u64>,
    /// Answers to searches and suggestions.
    pub(crate) answers: Answers,
    pub(crate) turns: Turns,
}

impl AppState {
    /// Returns the keys that authenticate cursors.
    pub(crate) fn keys(&self) -> Keys {
        self.secrets.keys((self.now)())
    }

    /// Returns the code under which the network of the request that is being answered is counted,
    /// which does not tell its address.
    pub(crate) fn network(&self) -> String {
        let network = client::current().map(|it| it.network().to_string());
        let network = network.unwrap_or_default();
        let code = self.secrets.pseudonym(network.as_bytes(), (self.now)());
        HEXLOWER.encode(code.as_ref())
    }

    /// Returns the facts that its own manifests state.
    pub(crate) fn registry(&self) -> Registry {
        Registry::new(&self.public_url, self.contact.as_deref(), &self.limiter)
    }

    /// Searches, and loads the agents that are found.
    ///
    /// Returns no results if the index is not built yet and no agents are stored.
    pub(crate) async fn find(&self, request: Request) -> Result<Answer, AppError> {
        let none = Results::none(request.query.clone());
        let started = Instant::now();
        let results = self
            .on_index(none, move |searcher| searcher.search(&request))
            .await?;
        self.metrics.searched(results.total > 0, started.elapsed());
        let agents = self.store.agents_by_id(&results.ids()).await?;
        let searcher = self.searcher.clone();
        self.in_turn(move || {
            // If the index cannot be read any more, the answer has no such signs.
            let lookalikes = searcher.lookalikes(&agents).unwrap_or_default();
            let mut answer = results.join(agents);
            answer.add_lookalikes(&lookalikes);
            answer
        })
        .await
    }

    /// Returns the signs that an agent may be taken for another one, or sends its callers elsewhere.
    ///
    /// Without an index they do not include other names.
    pub(crate) async fn cautions(&self, stored: &StoredAgent) -> Result<Vec<Caution>, AppError> {
        let mut cautions = caution::of(&stored.listing);
        let (searcher, agents) = (self.searcher.clone(), [stored.clone()]);
        if let Ok(found) = blocking(move || searcher.lookalikes(&agents)).await? {
            cautions.extend(found.values().map(Caution::similar_name));
        }
        Ok(cautions)
    }

    /// Returns the category of an agent, and at most `limit` agents of other sites that are similar to it;
    /// nothing without an index.
    pub(crate) async fn neighbours(
        &self,
        id: &AgentId,
        limit: usize,
    ) -> Result<Neighbours, AppError> {
        let (searcher, id) = (self.searcher.clone(), id.clone());
        let found = blocking(move || searcher.neighbours(&id, limit)).await?;
        Ok(found.unwrap_or_default())
    }

    /// Searches like [`AppState::find`], but only among agents that were checked at `since` or later,
    /// which the index does not know.
    pub(crate) async fn find_checked(
        &self,
        request: Request,
        since: Timestamp,
    ) -> Result<Answer, AppError> {
        self.find_where(request, |it| it.agent.last_seen >= since)
            .await
    }

    /// Searches like [`AppState::find`], but only among agents that meet a condition that the index
    /// does not know; its totals include the others.
    ///
    /// At most [`ROUNDS`] pages of the index are read; the answer may then have fewer agents than
    /// requested, and its cursor leads on.
    pub(crate) async fn find_where(
        &self,
        request: Request,
        condition: impl Fn(&AgentHit) -> bool,
    ) -> Result<Answer, AppError> {
        let (limit, is_first) = (request.limit, request.after.is_none());
        let mut next = Request {
            limit: PAGE,
            // What is far from a need is not worth many pages.
            least: request.least.max(Fit::Weak),
            ..request
        };
        let mut whole: Option<Answer> = None;
        for _ in 0..ROUNDS {
            let mut page = self.find(next.clone()).await?;
            page.found.retain(&condition);
            next.after.clone_from(&page.results.next);
            // The first page counts all matches.
            next.facets.clear();
            let so_far = match &mut whole {
                Some(whole) => {
                    whole.found.append(&mut page.found);
                    whole
                }
                None => whole.insert(page),
            };
            so_far.results.next.clone_from(&next.after);
            if so_far.found.len() > limit {
                so_far.found.truncate(limit);
                so_far.results.next = so_far.found.last().map(|it| it.hit.cursor());
            }
            if so_far.found.len() == limit || next.after.is_none() {
                break;
            }
        }
        let mut whole = whole.unwrap_or_default();
        if is_first && whole.results.query.is_need() {
            let levels = whole.found.iter().map(|it| it.hit.fit);
            whole.results.fit = levels.max().unwrap_or_default();
        } else if is_first && whole.found.is_empty() && whole.results.next.is_none() {
            whole.results.fit = Fit::None;
        }
        Ok(whole)
    }

    /// Completes a partial query.
    pub(crate) async fn suggest(
        &self,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<Suggestion>, AppError> {
        let completions = self.complete(prefix, limit).await?;
        let ids: Vec<_> = completions.iter().map(|it| it.agent.clone()).collect();
        let agents = self.store.agents_by_id(&ids).await?;
        Ok(Completion::spell(completions, &agents))
    }

    /// Completes a partial query without the database, spelled as the index has it.
    pub(crate) async fn suggest_unspelled(
        &self,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<Suggestion>, AppError> {
        Ok(Completion::spell(self.complete(prefix, limit).await?, &[]))
    }

    async fn complete(&self, prefix: &str, limit: usize) -> Result<Vec<Completion>, AppError> {
        let prefix = prefix.to_owned();
        self.on_index(Vec::new(), move |searcher| searcher.suggest(&prefix, limit))
            .await
    }

    /// Lists the values of a facet.
    pub(crate) async fn values(&self, facet: Facet, range: ValueRange) -> Result<Values, AppError> {
        self.on_index(Values::default(), move |searcher| {
            searcher.values(facet, &range)
        })
        .await
    }

    /// Counts, for each group of values of a facet, the agents that have any of them.
    pub(crate) async fn count_any(
        &self,
        facet: Facet,
        groups: Vec<Vec<String>>,
    ) -> Result<Vec<u64>, AppError> {
        self.on_index(Vec::new(), move |searcher| {
            searcher.count_any(facet, &groups)
        })
        .await
    }

    /// Counts everything that is stored; the counts are at most fifteen seconds old.
    pub(crate) async fn stats(&self) -> Result<Arc<Stats>, AppError> {
        let (store, now) = (Arc::clone(&self.store), (self.now)());
        let counting = async move { store.stats(now).await };
        let counted = self.shared.census.at(now, counting).await;
        Ok(counted.map_err(|_| AppError::Panic)??)
    }

    /// Returns a number, as text for entity tags, that changes with the index.
    pub(crate) async fn generation(&self) -> Result<String, AppError> {
        // Loads a newer generation, if there is one.
        let searcher = self.searcher.clone();
        let generation = blocking(move || searcher.generation().map(|it| it.to_string())).await?;
        self.or_none("none".to_owned(), generation).await
    }

    /// Returns a text for entity tags that changes with what [`AppState::neighbours`] returns.
    pub(crate) async fn indexed(&self) -> Result<String, AppError> {
        let searcher = self.searcher.clone();
        let version = move || searcher.generation().ok().zip(searcher.waiting().ok());
        let version = blocking(version).await?;
        Ok(version.map_or_else(String::new, |(generation, waiting)| {
            format!("{generation} {waiting}")
        }))
    }

    /// Returns the number of agents that wait for a sentence vector.
    pub(crate) async fn waiting(&self) -> Result<u64, AppError> {
        let searcher = self.searcher.clone();
        let waiting = blocking(move || searcher.waiting()).await?;
        self.or_none(0, waiting).await
    }

    /// Returns what tags of answers to searches and suggestions depend on, besides the query: the
    /// generation of the index, its number of agents that wait for a sentence vector, and the newest change of a second ago at most, which may have
    /// withdrawn agents that the index still has.
    ///
    /// The generation is kept for the next page, also if the answer comes from memory.
    pub(crate) async fn version(&self) -> Result<String, AppError> {
        let searcher = self.searcher.clone();
        let version = move || {
            let (generation, waiting) = searcher.keep()?;
            Ok(format!("{generation} {waiting}"))
        };
        let generation = blocking(version).await?;
        let generation = self.or_none("none".to_owned(), generation).await?;
        let store = Arc::clone(&self.store);
        let reading = async move { store.last_change().await };
        let kept = &self.shared.last_change;
        let change = kept.younger_or(UNNOTICED, (self.now)(), reading).await;
        Ok(format!(
            "{generation} {}",
            change.map_err(|_| AppError::Panic)??
        ))
    }

    /// Runs `work` with the index; see [`AppState::or_none`]. Refuses a request whose client has used up
    /// its processor time before.
    async fn on_index<T: Send + 'static>(
        &self,
        none: T,
        work: impl FnOnce(&Searcher) -> Result<T, SearchError> + Send + 'static,
    ) -> Result<T, AppError> {
        client::admit(
            |client| match self.limiter.search_wait_s(client, Instant::now()) {
                Some(wait_s) => Err(AppError::TooMany { wait_s }),
                None => Ok(()),
            },
        )?;
        let searcher = self.searcher.clone();
        let result = self.in_turn(move || work(&searcher)).await?;
        self.or_none(none, result).await
    }

    /// Returns the result of `work`; `none` if there is no index because no agent is stored.
    ///
    /// If agents are stored, "no results" would be wrong, and the error is returned.
    async fn or_none<T>(&self, none: T, result: Result<T, SearchError>) -> Result<T, AppError> {
        match result {
            Err(SearchError::NotBuilt { .. }) if self.store.agents(None, 1).await?.is_empty() => {
                Ok(none)
            }
            result => Ok(result?),
        }
    }

    /// Runs `work`, which keeps a processor busy, on a blocking thread when it is its turn, and charges
    /// the client for it.
    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let turn = self.shared.turns.0.acquire().await;
        let (client, limiter) = (client::current(), self.limiter.clone());
        blocking(move || {
            let _turn = turn;
            let before = thread_time();
            let done = work();
            if let Some(client) = client {
                let spent = thread_time().saturating_sub(before);
                limiter.charge_search(client, spent, Instant::now());
            }
            done
        })
        .await
    }
}

/// Returns the processor time that this thread has used.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Turns of searches: as many run at once as there are processors but one, and at least two, of which a
/// network has one at most.
///
/// More at once would all end later, and would take the processors from requests that need them for
/// a moment only.
#[derive(Clone, Debug)]
pub(crate) struct Turns(pub(crate) Slots);

impl Default for Turns {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self(Slots::new(processors.saturating_sub(1).max(2)))
    }
}

/// Runs `work` on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AppError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| AppError::Panic)
}
