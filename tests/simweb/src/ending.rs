//! Guards that record the end of an answer or connection.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Response, StatusCode};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::body::Body;
use crate::record::Record;

/// Greatest recorded part of a robots.txt, in bytes.
const MAX_ROBOTS: usize = 64 * 1024;

/// Records the end of one answer when it is dropped.
#[derive(Debug)]
pub(crate) struct Ending {
    record: Arc<Record>,
    number: u64,
}

impl Ending {
    /// Returns the guard of the answer to request `number`.
    pub(crate) fn new(record: &Arc<Record>, number: u64) -> Self {
        Self {
            record: Arc::clone(record),
            number,
        }
    }

    /// Records the headers of the answer to `path`; the guard is dropped with its body.
    pub(crate) fn watch(self, path: &str, response: Response<Body>) -> Response<GuardedBody> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let robots = match response.body() {
            Body::Whole(Some(bytes))
                if path == "/robots.txt" && response.status() == StatusCode::OK =>
            {
                Some(text(&bytes[..bytes.len().min(MAX_ROBOTS)]))
            }
            _ => None,
        };
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())));
        self.record.answered(self.number, headers.collect(), robots);
        response.map(|body| GuardedBody {
            body,
            _ending: self,
        })
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.record.ended(self.number);
    }
}

/// Records the end of one connection when it is dropped.
#[derive(Debug)]
pub(crate) struct Closing {
    record: Arc<Record>,
    number: u64,
}

impl Closing {
    /// Records that connection `number` to address `local` begins, and returns its guard.
    pub(crate) fn new(record: &Arc<Record>, number: u64, local: SocketAddr) -> Self {
        record.opened(number, local);
        Self {
            record: Arc::clone(record),
            number,
        }
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.record.closed(self.number);
    }
}

/// Body with the guard of its answer; a server drops a body after sending its last part.
#[derive(Debug)]
pub(crate) struct GuardedBody {
    body: Body,
    _ending: Ending,
}

impl HttpBody for GuardedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
