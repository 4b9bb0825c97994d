//! A store whose answers a paused clock waits for.
//!
//! The database works on threads unknown to tokio, whose paused clock would take the wait for
//! idleness and skip to the next timer.

use std::sync::{Arc, mpsc};
use store::Store;
use tracing::span::{Attributes, Id};
use tracing::subscriber::{DefaultGuard, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// Opens a store that holds the clock during its operations, as long as the guard lives.
pub(super) async fn open(url: &str) -> (Arc<dyn Store>, DefaultGuard) {
    let _held = hold();
    let store = store::open(url, &[]).await.unwrap();
    let steady = tracing::subscriber::set_default(Registry::default().with(Steady));
    (store, steady)
}

/// Keeps the clock from skipping until it is dropped: it never skips while a blocking task runs.
fn hold() -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    tokio::task::spawn_blocking(move || receiver.recv());
    sender
}

/// Holder of the clock during each operation of the store, which is a span.
struct Steady;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Steady {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().name() == "store" {
            let span = context.span(id).unwrap();
            span.extensions_mut().insert(hold());
        }
    }
}
