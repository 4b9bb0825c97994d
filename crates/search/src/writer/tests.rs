//! Number of segments after many small commits.

use super::merging::MERGED;
use super::*;
use manifest::listing::Listing;
use manifest::{Agent, Domain, Level, Timestamp};
use std::collections::BTreeMap;
use store::AgentStatus;

fn stored(number: u64) -> StoredAgent {
    let domain = Domain::parse(&format!("site{number}.example")).unwrap();
    StoredAgent {
        listing: Listing {
            id: AgentId::new(&domain, "agent"),
            format: manifest::formats::find("a2a-agent-card").unwrap(),
            level: Level::A,
            agent: Agent::default(),
            sources: Vec::new(),
            provenance: BTreeMap::new(),
            conflicts: Vec::new(),
        },
        domain,
        first_seen: Timestamp(0),
        last_seen: Timestamp(0),
        changed: Timestamp(0),
        hash: String::new(),
        status: AgentStatus::Ok,
    }
}

#[test]
fn many_small_commits_leave_few_segments() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::open(dir.path(), None).unwrap();
    let build = writer.rebuild().unwrap();
    writer.switch(build, Position::default()).unwrap();
    for seq in 1..=200 {
        let position = Position {
            seq,
            ..Position::default()
        };
        writer
            .apply(&[], &[stored(seq)], &SentenceVectors::new(), position)
            .unwrap();
    }
    let build = writer.current.take().unwrap();
    build.writer.wait_merging_threads().unwrap();
    let (index, _) = Fields::open(build.files.clone()).unwrap();
    let segments = index.searchable_segment_ids().unwrap().len();
    assert!(segments < MERGED, "{segments} segments");
    assert_eq!(index.reader().unwrap().searcher().num_docs(), 200);
}
