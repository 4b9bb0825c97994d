//! The response bodies of this web, including intentionally faulty ones.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::{fmt, io};

use bytes::Bytes;
use flate2::{Compress, Compression, FlushCompress};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::Sleep;

/// Decompressed size of a gzip bomb in MiB.
const BOMB_MEBIBYTES: usize = 1024;

/// Magic, deflate, no flags, no time, best compression, unknown system (RFC 1952 section 2.3).
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];

/// Response body.
#[derive(Debug)]
pub(crate) enum Body {
    /// These bytes, complete.
    Whole(Option<Bytes>),
    /// These bytes, then an error although more was announced.
    ///
    /// The wait between them lets the bytes be sent: HTTP/2 discards unsent bytes of a failed body.
    CutOff(Option<Bytes>, Pin<Box<Sleep>>),
    /// Spaces without end: whitespace is valid before any JSON value.
    Endless,
    /// These events, one after the other.
    Events(VecDeque<Bytes>),
    /// Body that a library makes.
    Foreign(Foreign),
}

/// Body of another library, which never fails.
pub(crate) struct Foreign(Pin<Box<dyn HttpBody<Data = Bytes, Error = Infallible> + Send>>);

impl fmt::Debug for Foreign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Foreign")
    }
}

impl Body {
    pub(crate) fn empty() -> Self {
        Self::Whole(None)
    }

    /// Returns a body that ends with an error after the first half of these bytes.
    pub(crate) fn cut_off(bytes: &Bytes) -> Self {
        let half = bytes.slice(..bytes.len() / 2);
        let wait = tokio::time::sleep(Duration::from_millis(50));
        Self::CutOff(Some(half).filter(|half| !half.is_empty()), Box::pin(wait))
    }

    /// Wraps the body of another library.
    pub(crate) fn foreign(
        body: impl HttpBody<Data = Bytes, Error = Infallible> + Send + 'static,
    ) -> Self {
        Self::Foreign(Foreign(Box::pin(body)))
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::Whole(Some(bytes).filter(|bytes| !bytes.is_empty()))
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        static SPACES: [u8; 16 * 1024] = [b' '; 16 * 1024];
        Poll::Ready(match self.get_mut() {
            Self::Whole(bytes) => bytes.take().map(|bytes| Ok(Frame::data(bytes))),
            Self::CutOff(bytes, wait) => {
                if let Some(bytes) = bytes.take() {
                    Some(Ok(Frame::data(bytes)))
                } else {
                    ready!(wait.as_mut().poll(context));
                    Some(Err(io::Error::other("cut off on purpose")))
                }
            }
            Self::Endless => Some(Ok(Frame::data(Bytes::from_static(&SPACES)))),
            Self::Events(events) => events.pop_front().map(|event| Ok(Frame::data(event))),
            Self::Foreign(body) => {
                ready!(body.0.as_mut().poll_frame(context)).map(|it| it.map_err(|it| match it {}))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_none(),
            Self::Foreign(body) => body.0.is_end_stream(),
            Self::CutOff(..) | Self::Endless | Self::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Foreign(body) => body.0.size_hint(),
            Self::CutOff(..) | Self::Endless | Self::Events(_) => SizeHint::default(),
        }
    }
}

/// Returns about a mebibyte of gzip that decompresses to a gibibyte of zeros.
///
/// One mebibyte of zeros is compressed once, flushed so that it is independent of earlier bytes,
/// and repeated. The checksum at the end is missing; no client should read that far.
pub(crate) fn gzip_bomb() -> Bytes {
    static BOMB: OnceLock<Bytes> = OnceLock::new();
    BOMB.get_or_init(|| {
        let mut packed = Vec::with_capacity(64 * 1024);
        let packing = Compress::new(Compression::best(), false).compress_vec(
            &vec![0; 1 << 20],
            &mut packed,
            FlushCompress::Full,
        );
        let mut bomb = GZIP_HEADER.to_vec();
        if packing.is_ok() {
            bomb.extend(packed.repeat(BOMB_MEBIBYTES));
        }
        Bytes::from(bomb)
    })
    .clone()
}
