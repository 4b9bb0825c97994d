//! A store whose answers a paused clock waits for.
//!
//! The database works on threads unknown to tokio, whose paused clock would take the wait for
//! idleness and skip to the next timer, such as the one after which a connection is given up.

use std::sync::{Arc, Once, mpsc};
use store::Store;
use tracing::Metadata;
use tracing::span::{Attributes, Id};
use tracing::subscriber::{Interest, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// Opens a store that holds the clock during its operations.
pub(super) async fn open(url: &str) -> Arc<dyn Store> {
    static HOLDER: Once = Once::new();
    // For all threads: `tracing` decides once for the whole process whether a span is wanted, and
    // the thread of another test, without a subscriber of its own, may be the one that is asked.
    HOLDER.call_once(|| {
        let holder = Registry::default().with(ClockHolder);
        tracing::subscriber::set_global_default(holder).unwrap();
    });
    let _held = hold();
    store::open(url, &[]).await.unwrap()
}

/// Keeps the clock from skipping until it is dropped: it never skips while a blocking task runs.
fn hold() -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    tokio::task::spawn_blocking(move || receiver.recv());
    sender
}

/// Holder of the clock during each operation of a store, which is a span.
struct ClockHolder;

impl ClockHolder {
    const SPAN: &str = "store";
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for ClockHolder {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        match metadata.name() {
            Self::SPAN => Interest::always(),
            _ => Interest::never(),
        }
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().name() == Self::SPAN {
            let span = context.span(id).unwrap();
            span.extensions_mut().insert(hold());
        }
    }
}

#[tokio::test]
async fn operations_hold_the_clock_although_another_thread_used_the_store_first() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let _store = open(&url).await;
    let operation = || tracing::debug_span!("store");
    let runtime = tokio::runtime::Handle::current();
    let other = std::thread::spawn(move || {
        let _runtime = runtime.enter();
        drop(operation());
    });
    other.join().unwrap();
    assert!(!operation().is_disabled());
}
