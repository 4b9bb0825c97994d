//! Exchanges: a request and its response, which report whether the client has to act.

use crate::server::activity::{Activity, Part};
use axum::BoxError;
use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::io::{Error, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

/// Exchange in flight; it ends when dropped.
#[derive(Debug)]
pub(super) struct Exchange {
    activity: Arc<Activity>,
    number: u64,
    is_answered: bool,
}

impl Exchange {
    /// Begins an exchange; `is_multiplexed` is true if its connection may have others in flight.
    pub(super) fn begin(activity: &Arc<Activity>, is_multiplexed: bool) -> Self {
        Self {
            activity: Arc::clone(activity),
            number: activity.asked(is_multiplexed),
            is_answered: false,
        }
    }

    /// Wraps the request's body, which must arrive by `deadline`.
    pub(super) fn question(&self, body: Incoming, deadline: Instant) -> Question {
        Question {
            body,
            activity: Arc::clone(&self.activity),
            part: Part::Body(self.number),
            deadline,
            alarm: None,
            is_read: false,
        }
    }

    /// Reports whether the request was answered without its whole body, after which its connection serves
    /// no other.
    pub(super) fn has_rest(&self) -> bool {
        self.activity.rest().is_some()
    }

    /// Wraps the response's body, whose end is the end of the exchange.
    pub(super) fn answer(mut self, body: axum::body::Body) -> Answer {
        self.is_answered = true;
        // The body is polled as soon as the client reads the response.
        self.activity.handed(Part::Answer(self.number), 0);
        Answer {
            body,
            exchange: self,
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.activity.over(self.number, self.is_answered);
    }
}

/// Body of a request, which fails after its deadline.
#[derive(Debug)]
pub(super) struct Question {
    body: Incoming,
    activity: Arc<Activity>,
    part: Part,
    deadline: Instant,
    /// Created when the body is first waited for, since most requests have none.
    alarm: Option<Pin<Box<Sleep>>>,
    is_read: bool,
}

impl Body for Question {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.activity.moved(self.part);
            self.is_read = frame.is_none();
            return Poll::Ready(frame.map(|it| it.map_err(BoxError::from)));
        }
        self.activity.waits_for(self.part);
        let deadline = self.deadline;
        let alarm = self
            .alarm
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        alarm.as_mut().poll(context).map(|()| {
            let late = Error::new(ErrorKind::TimedOut, "the body of the request came too late");
            Some(Err(late.into()))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        if !self.is_read && !self.body.is_end_stream() {
            self.activity.leaves_rest(self.deadline);
        }
        self.activity.moved(self.part);
    }
}

/// Body of a response.
///
/// It is polled for a frame as soon as the client has read the previous one. So the client has to
/// act from one frame until the next poll, and the server while there is no frame: an event stream
/// between two events is never late.
#[derive(Debug)]
pub(super) struct Answer {
    body: axum::body::Body,
    exchange: Exchange,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let part = Part::Answer(self.exchange.number);
        match &frame {
            Poll::Pending => self.exchange.activity.moved(part),
            Poll::Ready(frame) => {
                let frame = frame.as_ref().and_then(|it| it.as_ref().ok());
                let bytes = frame.and_then(Frame::data_ref).map_or(0, Bytes::len);
                self.exchange.activity.handed(part, bytes);
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
