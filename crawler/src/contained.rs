//! Work of a visit whose panic ends that work alone, and not the visit without a record.

use manifest::fault::{self, Fault};
use std::future::poll_fn;
use std::task::Poll;

/// Drives `work` to its end; a panic on the way becomes a [`Fault`].
pub(crate) fn contained<T>(
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, Fault>> {
    // On the heap, or each future around it would hold it twice.
    let mut work = Box::pin(work);
    poll_fn(
        move |context| match fault::contained(|| work.as_mut().poll(context)) {
            Ok(poll) => poll.map(Ok),
            Err(fault) => Poll::Ready(Err(fault)),
        },
    )
}
