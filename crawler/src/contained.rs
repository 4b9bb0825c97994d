//! Work of a visit whose panic ends that work alone, and not the visit without a record.

use manifest::fault::{self, Fault};
use std::pin::pin;
use std::task::Poll;

/// Drives `work` to its end; a panic on the way becomes a [`Fault`].
pub(crate) async fn contained<T>(work: impl Future<Output = T>) -> Result<T, Fault> {
    let mut work = pin!(work);
    std::future::poll_fn(
        |context| match fault::contained(|| work.as_mut().poll(context)) {
            Ok(poll) => poll.map(Ok),
            Err(fault) => Poll::Ready(Err(fault)),
        },
    )
    .await
}
