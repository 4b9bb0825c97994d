//! A program behind the files of this web, which answers calls.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body as _, Incoming};

use crate::body::Body;
use crate::endpoints::Endpoints;

/// Greatest length of a request's body; a longer one counts as empty.
const MAX_BYTES: usize = 1024 * 1024;

/// Function that answers a request to a host, or leaves it to the files.
type Answering = dyn Fn(&str, &Request<Bytes>) -> Option<Response<Bytes>> + Send + Sync;

/// A program behind the files of this web.
#[derive(Clone)]
pub(crate) enum Responder {
    Function(Arc<Answering>),
    Endpoints(Arc<Endpoints>),
}

impl Responder {
    pub(crate) fn new(
        answer: impl Fn(&str, &Request<Bytes>) -> Option<Response<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        Self::Function(Arc::new(answer))
    }

    pub(crate) async fn answer(
        &self,
        host: &str,
        request: &Request<Bytes>,
    ) -> Option<Response<Body>> {
        match self {
            Self::Function(answer) => answer(host, request).map(|it| it.map(Body::from)),
            Self::Endpoints(endpoints) => endpoints.answer(host, request).await,
        }
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Responder")
    }
}

/// Reads the body of a request.
pub(crate) async fn collected(mut body: Incoming) -> Bytes {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|it| Pin::new(&mut body).poll_frame(it)).await {
        let Ok(frame) = frame else {
            return Bytes::new();
        };
        // Trailers say nothing here.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > MAX_BYTES {
            return Bytes::new();
        }
        bytes.extend_from_slice(&data);
    }
    Bytes::from(bytes)
}
