//! Sockets that report transferred bytes, and close without losing an answer.

use crate::server::activity::Activity;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Bytes of a refused body that are dropped at once.
const CHUNK: usize = 4 << 10;

/// Socket that reports transferred bytes.
#[derive(Debug)]
pub(super) struct Stream<S> {
    socket: S,
    activity: Arc<Activity>,
    /// Created when the rest of a refused body is first waited for.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S> Stream<S> {
    /// Wraps `socket`, to report to `activity`.
    pub(super) fn new(socket: S, activity: Arc<Activity>) -> Self {
        Self {
            socket,
            activity,
            alarm: None,
        }
    }

    fn wrote(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.activity.wrote(match &written {
            Poll::Pending => None,
            Poll::Ready(written) => Some(*written.as_ref().unwrap_or(&0)),
        });
        written
    }
}

impl<S: AsyncRead + Unpin> Stream<S> {
    /// Drops what the client still sends of a refused body, until it closes the connection or the body had
    /// to be there.
    ///
    /// The system resets a connection that is closed while bytes arrive. The client would then lose the
    /// answer, and a proxy that still sends the body would report an error in its place.
    fn poll_rest(&mut self, deadline: Instant, context: &mut Context<'_>) -> Poll<()> {
        let alarm = self
            .alarm
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if alarm.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        loop {
            let mut bytes = [0; CHUNK];
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.socket).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.socket).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.activity.heard();
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.socket).poll_shutdown(context))?;
        if let Some(deadline) = self.activity.rest() {
            ready!(self.poll_rest(deadline, context));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, parts);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
