//! A part of the process that is started again after a failure, while the others keep running.

use admin::Part;
use admin::prometheus::registry::Registry;
use async_trait::async_trait;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time from a failure to the next start.
const PAUSE: Duration = Duration::from_secs(10);

/// Part that is started again after a failure; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Supervisor {
    name: &'static str,
    /// Reason why it does not run at present.
    failure: Arc<Mutex<Option<String>>>,
}

impl Supervisor {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            failure: Arc::default(),
        }
    }

    /// Runs the part until it ends by itself, fails for good, or is stopped.
    pub(crate) async fn run<T, E: Error + 'static>(
        &self,
        stop: &CancellationToken,
        mut start: impl AsyncFnMut() -> Result<T, E>,
        is_final: impl Fn(&E) -> bool,
    ) -> Result<(), E> {
        loop {
            match start().await {
                Ok(_) => return Ok(()),
                Err(error) if is_final(&error) => return Err(error),
                Err(error) => {
                    let reason = terminal::failure(&error);
                    tracing::error!(
                        "the {} stopped and is started again in {} s: {reason}",
                        self.name,
                        PAUSE.as_secs()
                    );
                    *self.lock() = Some(reason);
                }
            }
            if stop
                .run_until_cancelled(tokio::time::sleep(PAUSE))
                .await
                .is_none()
            {
                return Ok(());
            }
            *self.lock() = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Part for Supervisor {
    fn name(&self) -> &'static str {
        self.name
    }

    async fn ready(&self) -> Result<(), String> {
        self.lock().clone().map_or(Ok(()), Err)
    }

    async fn register(&self, _: &mut Registry) {}
}
