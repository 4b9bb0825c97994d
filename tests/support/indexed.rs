//! An index without a store behind it.

use manifest::{Domain, Listing, Timestamp};
use search::{IndexWriter, Position, Searcher, embedding};
use std::path::Path;
use store::{AgentStatus, StoredAgent};

/// Indexes listings in a folder, as if their sites had been visited at the beginning of time.
pub(crate) fn index(folder: &Path, listings: impl IntoIterator<Item = Listing>) -> Searcher {
    let mut writer = IndexWriter::open(folder, embedding::shipped()).unwrap();
    let build = writer.rebuild().unwrap();
    let agents = listings.into_iter().map(|listing| StoredAgent {
        domain: Domain::parse(listing.id.parts().0).unwrap(),
        listing,
        first_seen: Timestamp(0),
        last_seen: Timestamp(0),
        changed: Timestamp(0),
        hash: String::new(),
        status: AgentStatus::Ok,
    });
    let agents: Vec<StoredAgent> = agents.collect();
    let encoder = embedding::shipped().and_then(|it| it.encoder).unwrap();
    let vectors = search::of_agents(&agents, encoder);
    build.add_all(&agents, &vectors).unwrap();
    writer.switch(build, Position::default()).unwrap();
    Searcher::open(folder, embedding::shipped()).unwrap()
}
