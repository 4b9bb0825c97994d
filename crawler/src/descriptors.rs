//! How many files and sockets this process may have open, and how many visits at the same time that allows.
//!
//! Each visit has a connection, and each lookup a socket; what else is open is little, and counted here.
//! Where that is not enough all the same, [`is_exhausted`] tells it from a fault of the host (row 100).

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::io;

/// The database, the report, standard streams, the runtime.
const BESIDE: u64 = 32;
/// Visits that need a second connection, and lookups that are made in the middle of a visit.
const SPARE: u64 = 64;
/// With fewer there is no room for a visit.
const FEWEST: u64 = 48;

/// The process may have too few files open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "only {0} files may be open at the same time: raise the limit to {FEWEST} or more, as with `ulimit -n 1024`"
)]
pub struct TooFew(u64);

/// Raises the soft limit to the hard one; the limit from then on, `None` when there is none.
///
/// A system that refuses leaves the limit where it is.
pub fn raise() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let mut raised = limit;
    raised.current = limit.maximum;
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => raised.current,
        Err(_) => limit.current,
    }
}

/// How many visits and lookups may go on at the same time with this limit.
pub fn room(limit: Option<u64>) -> Result<usize, TooFew> {
    let Some(limit) = limit else {
        return Ok(usize::MAX);
    };
    if limit < FEWEST {
        return Err(TooFew(limit));
    }
    let left = limit - BESIDE;
    let room = left - SPARE.min(left / 2);
    Ok(usize::try_from(room).unwrap_or(usize::MAX))
}

/// True when nothing was opened because this process, or the whole system, has too much open.
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
    fn room_is_what_the_rest_leaves() {
        assert_eq!(room(None), Ok(usize::MAX));
        assert_eq!(room(Some(20_000)), Ok(19_904));
        assert_eq!(room(Some(1_024)), Ok(928));
        assert_eq!(room(Some(64)), Ok(16));
        assert_eq!(room(Some(48)), Ok(8));
        assert_eq!(room(Some(47)), Err(TooFew(47)));
    }

    #[test]
    fn only_our_own_shortage_is_exhaustion() {
        assert!(is_exhausted(&Errno::MFILE.into()));
        assert!(is_exhausted(&Errno::NFILE.into()));
        assert!(!is_exhausted(&Errno::CONNREFUSED.into()));
        assert!(!is_exhausted(&io::Error::other("no number")));
    }
}
