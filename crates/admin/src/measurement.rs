//! Measurements of files and of the process, which may wait for a disk.

use std::fmt::Display;

/// Takes a measurement in a thread that may wait; `None` with a warning about `what` if it fails.
pub async fn measured<T, E>(
    what: &'static str,
    measure: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Option<T>
where
    T: Send + 'static,
    E: Display + Send + 'static,
{
    match tokio::task::spawn_blocking(measure).await {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(error)) => tracing::warn!(%error, "cannot measure {what}: {error}"),
        Err(_) => tracing::warn!("cannot measure {what}: the measurement stopped"),
    }
    None
}
