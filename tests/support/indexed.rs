//! An index without a store behind it.

use manifest::{Domain, Listing, Timestamp};
use search::{AgentHit, IndexWriter, Position, Request, Searcher, Unit, embedding, query};
use std::path::Path;
use store::{AgentStatus, StoredAgent};

/// Indexes listings in a folder, as if their sites had been visited at the beginning of time.
pub(crate) fn index(folder: &Path, listings: impl IntoIterator<Item = Listing>) -> Searcher {
    let mut writer = IndexWriter::open(folder, embedding::shipped()).unwrap();
    let build = writer.rebuild().unwrap();
    let agents = agents(listings);
    let encoder = embedding::shipped().and_then(|it| it.encoder).unwrap();
    let vectors = search::of_agents(&agents, encoder);
    build.add_all(&agents, &vectors).unwrap();
    writer.switch(build, Position::default()).unwrap();
    Searcher::open(folder, embedding::shipped()).unwrap()
}

/// Returns the agents of listings, as if their sites had been visited at the beginning of time.
pub(crate) fn agents(listings: impl IntoIterator<Item = Listing>) -> Vec<StoredAgent> {
    let agents = listings.into_iter().map(|listing| StoredAgent {
        domain: Domain::parse(listing.id.parts().0).unwrap(),
        listing,
        first_seen: Timestamp(0),
        last_seen: Timestamp(0),
        changed: Timestamp(0),
        hash: String::new(),
        status: AgentStatus::Ok,
    });
    agents.collect()
}

/// Answers a need with the best capabilities of these agents, which are those of the index.
pub(crate) fn capabilities(
    searcher: &Searcher,
    agents: &[StoredAgent],
    need: &str,
) -> Vec<AgentHit> {
    let request = Request {
        unit: Unit::Capability,
        ..Request::new(query::parse(need), 10)
    };
    let results = searcher.search(&request).unwrap();
    let ids = results.ids();
    let wanted = agents.iter().filter(|it| ids.contains(&it.listing.id));
    results.join(wanted.cloned().collect()).found
}
