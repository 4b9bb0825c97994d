//! The clients of a visit, and the bodies of their answers.

use super::addresses::Addresses;
use super::head::HEADER_COUNT;
use super::tls::HttpError;
use super::{CONNECT, examining, failure};
use crate::fetch::FetchError;
use hyper::body::{Body as _, Bytes, Incoming};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A client with its own connection pool; cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Client {
    /// Speaks HTTP/2 and HTTP/1.1, and refuses every answer with a fault in its head.
    Usual(reqwest::Client),
    /// Speaks HTTP/1.1.
    Examining(Box<examining::Client>),
}

/// Body of an answer.
pub(super) enum Body {
    Usual(reqwest::Body),
    Examining(Incoming),
}

impl Client {
    /// Creates the usual client, which connects to these addresses.
    pub(super) fn usual(
        tls: &rustls::ClientConfig,
        addresses: &Addresses,
        idle: Duration,
    ) -> Result<Self, HttpError> {
        reqwest::Client::builder()
            .tls_backend_preconfigured(tls.clone())
            .dns_resolver(addresses.clone())
            .no_proxy()
            .referer(false)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            // Every wait has a deadline here, so that TCP keepalive is not needed.
            .tcp_keepalive(None)
            .tcp_keepalive_interval(None)
            .tcp_keepalive_retries(None)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(idle)
            .http1_max_headers(HEADER_COUNT)
            .http2_max_header_list_size(32 * 1024)
            .http2_initial_stream_window_size(65_535)
            .http2_initial_connection_window_size(131_072)
            .build()
            .map(Self::Usual)
            .map_err(HttpError::Client)
    }

    /// Creates the client for HTTP/1.1, which connects to these addresses.
    pub(super) fn examining(
        tls: &Arc<rustls::ClientConfig>,
        addresses: &Addresses,
        idle: Duration,
    ) -> Self {
        Self::Examining(Box::new(examining::client(tls, addresses, idle)))
    }

    /// Sends a message without a body.
    pub(super) async fn send(
        &self,
        message: hyper::Request<String>,
    ) -> Result<hyper::Response<Body>, FetchError> {
        match self {
            Self::Usual(client) => {
                let request = reqwest::Request::try_from(message);
                let request = request.map_err(|error| failure::of_usual(&error))?;
                let answer = client.execute(request).await;
                let answer = answer.map_err(|error| failure::of_usual(&error))?;
                Ok(hyper::Response::from(answer).map(Body::Usual))
            }
            Self::Examining(client) => {
                let answer = client.request(message).await;
                let answer =
                    answer.map_err(|error| match failure::of(&error, error.is_connect()) {
                        FetchError::UnreadableHead => failure::NO_RESPONSE,
                        other => other,
                    })?;
                Ok(answer.map(Body::Examining))
            }
        }
    }
}

impl Body {
    /// Returns its length in bytes, if the answer states it.
    pub(super) fn length(&self) -> Option<u64> {
        match self {
            Self::Usual(body) => body.size_hint().exact(),
            Self::Examining(body) => body.size_hint().exact(),
        }
    }

    /// Returns its next bytes; `None` at its end. Trailers are ignored.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        loop {
            let frame = poll_fn(|context| match self {
                Self::Usual(body) => Pin::new(body)
                    .poll_frame(context)
                    .map_err(|error| failure::of_usual(&error)),
                Self::Examining(body) => Pin::new(body)
                    .poll_frame(context)
                    .map_err(|error| failure::of(&error, false)),
            })
            .await;
            match frame {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Ok(Some(bytes));
                    }
                }
                Some(Err(error)) => return Err(error),
                None => return Ok(None),
            }
        }
    }
}
