//! The limit of open files and sockets of this process, and the number of concurrent visits that it
//! permits.
//!
//! Each visit needs a connection, and each lookup a socket; the few other descriptors are counted
//! here. If the limit is reached all the same, [`is_exhausted`] distinguishes that from a fault of
//! the host (HS-100).

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::io;

/// Descriptors reserved for the database, the report, standard streams and the runtime.
const BESIDE: u64 = 32;
/// Descriptors reserved for second connections and for lookups during a visit.
const SPARE: u64 = 64;
/// Smallest limit that leaves room for a visit.
const FEWEST: u64 = 48;

/// Error for a limit of open files that leaves no room for a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "only {0} files may be open at the same time: raise the limit to {FEWEST} or more, as with `ulimit -n 1024`"
)]
pub struct TooFew(u64);

/// Raises the soft limit to the hard limit and returns the resulting limit, `None` if there is
/// none.
///
/// If the system refuses, the limit remains unchanged.
pub fn raise() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let mut raised = limit;
    raised.current = limit.maximum;
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => raised.current,
        Err(_) => limit.current,
    }
}

/// Returns the number of visits and lookups that may run concurrently under this limit.
pub fn room(limit: Option<u64>) -> Result<usize, TooFew> {
    let Some(limit) = limit else {
        return Ok(usize::MAX);
    };
    if limit < FEWEST {
        return Err(TooFew(limit));
    }
    let rest = limit - BESIDE;
    let room = rest - SPARE.min(rest / 2);
    Ok(usize::try_from(room).unwrap_or(usize::MAX))
}

/// Reports whether an open failed because this process or the whole system has too many open files.
pub fn is_exhausted(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_the_limit_minus_the_reserves() {
        assert_eq!(room(None), Ok(usize::MAX));
        assert_eq!(room(Some(20_000)), Ok(19_904));
        assert_eq!(room(Some(1_024)), Ok(928));
        assert_eq!(room(Some(64)), Ok(16));
        assert_eq!(room(Some(48)), Ok(8));
        assert_eq!(room(Some(47)), Err(TooFew(47)));
    }

    #[test]
    fn only_a_lack_of_descriptors_is_exhaustion() {
        assert!(is_exhausted(&Errno::MFILE.into()));
        assert!(is_exhausted(&Errno::NFILE.into()));
        assert!(!is_exhausted(&Errno::CONNREFUSED.into()));
        assert!(!is_exhausted(&io::Error::other("no number")));
    }
}
