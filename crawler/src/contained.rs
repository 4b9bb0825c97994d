//! Contains panics: a panic in one piece of work of a visit does not lose the visit's record.

use manifest::fault::{self, Fault};
use std::future::poll_fn;
use std::task::Poll;

/// Polls `work` to completion; a panic on the way becomes a [`Fault`].
pub(crate) fn contained<T>(
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, Fault>> {
    // On the heap; otherwise every future around it would contain it twice.
    let mut work = Box::pin(work);
    poll_fn(
        move |context| match fault::contained(|| work.as_mut().poll(context)) {
            Ok(poll) => poll.map(Ok),
            Err(fault) => Poll::Ready(Err(fault)),
        },
    )
}
