//! A store whose answers a paused clock waits for.
//!
//! The database works on threads unknown to tokio, whose paused clock would take the wait for
//! idleness and skip to the next timer.

use async_trait::async_trait;
use manifest::{AgentId, Domain, Timestamp};
use std::net::IpAddr;
use std::sync::{Arc, mpsc};
use store::{
    Added, Change, Deleted, Discovery, DomainReadings, DomainState, Exclusion, Frontier, Lease,
    NamedDocument, Recorded, Scope, Seed, Site, Stats, Store, StoreError, StoredAgent,
    StoredDocument, Submission, Unread, Visit, Waiting,
};

/// Wrapper of the real store.
#[derive(Debug)]
pub(in crate::run::crawl) struct Steady(Arc<dyn Store>);

impl Steady {
    pub(in crate::run::crawl) async fn open(url: &str) -> Arc<dyn Store> {
        let _held = hold();
        Arc::new(Self(store::open(url, &[]).await.unwrap()))
    }
}

/// Keeps the clock from skipping until it is dropped: it never skips while a blocking task runs.
fn hold() -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    tokio::task::spawn_blocking(move || receiver.recv());
    sender
}

macro_rules! hand_on {
    ($($method:ident($($name:ident: $type:ty),*) -> $answer:ty;)*) => {
        #[async_trait]
        impl Store for Steady {
            $(async fn $method(&self, $($name: $type),*) -> Result<$answer, StoreError> {
                let _held = hold();
                self.0.$method($($name),*).await
            })*
        }
    };
}

hand_on! {
    add_seeds(seeds: &[Seed], revisit: bool, now: Timestamp) -> Added;
    name_documents(documents: &[(Domain, NamedDocument)], now: Timestamp) -> ();
    lease_domains(now: Timestamp, lease_until: Timestamp, limit: u32) -> Vec<Lease>;
    domain_state(domain: &Domain) -> Option<DomainState>;
    rebase(now: Timestamp) -> u64;
    release_leases(now: Timestamp, gap_ms: u32) -> u64;
    note_delay(lease: &Lease, delay_ms: u32) -> ();
    return_leases(leases: &[Lease]) -> ();
    postpone_leases(leases: &[(Lease, Timestamp)]) -> ();
    block_address(address: IpAddr, until: Timestamp) -> ();
    address_blocks(now: Timestamp) -> Vec<(IpAddr, Timestamp)>;
    block_host(host: &Domain, until: Timestamp, now: Timestamp) -> ();
    host_blocks(now: Timestamp) -> Vec<(Domain, Timestamp)>;
    record_visits(visits: &[Visit]) -> Recorded;
    due(now: Timestamp, most: u32) -> u64;
    waiting(now: Timestamp, until: Timestamp, since: Timestamp) -> Waiting;
    next_due() -> Option<Timestamp>;
    frontier(now: Timestamp) -> Frontier;
    submit(domain: &Domain, port: Option<u16>, now: Timestamp) -> i64;
    submission(id: i64) -> Option<Submission>;
    take_submissions(limit: u32, admits_special_use: bool, now: Timestamp) -> Vec<Submission>;
    discover(discoveries: &[Discovery], most_waiting: u32, now: Timestamp) -> u64;
    exclude(exclusion: &Exclusion, now: Timestamp) -> Deleted;
    include(scope: &Scope) -> bool;
    exclusions() -> Vec<Exclusion>;
    forget(domains: &[Domain], reason: &str, now: Timestamp) -> Deleted;
    unread_domains(limit: u32) -> Vec<Unread>;
    documents(domain: &Domain) -> Vec<StoredDocument>;
    replace_agents(readings: &DomainReadings, now: Timestamp) -> Vec<Change>;
    mark_all_unread() -> u64;
    changes(since: u64, limit: u32) -> Vec<Change>;
    last_change() -> u64;
    agents(after: Option<&AgentId>, limit: u32) -> Vec<StoredAgent>;
    agents_by_id(ids: &[AgentId]) -> Vec<StoredAgent>;
    site(domain: &Domain) -> Option<Site>;
    blob(hash: &str) -> Option<Vec<u8>>;
    stats(now: Timestamp) -> Stats;
}
