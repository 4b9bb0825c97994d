//! Scripted answers, written byte by byte, for responses that no HTTP library would send.
//!
//! A host with a script in any of its answers is served by this module alone, over HTTP/1.1.

use std::io;
use std::time::Duration;

use http::Uri;
use http::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Deserializer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::body::Body;
use crate::server::{Connection, WebServer};

/// Greatest length of a request head, in bytes.
const HEAD_BYTES: usize = 64 * 1024;

/// Step of a script.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Writes these bytes; in a file they are text.
    Send(#[serde(deserialize_with = "text")] Vec<u8>),
    /// Waits this many milliseconds.
    WaitMs(u64),
    /// Writes the same bytes repeatedly.
    Repeat {
        /// The bytes to write.
        #[serde(deserialize_with = "text")]
        bytes: Vec<u8>,
        /// The pause after each write, in milliseconds.
        #[serde(default)]
        pause_ms: u64,
        /// Number of repetitions; endless if absent.
        #[serde(default)]
        times: Option<u64>,
    },
    /// Sends nothing more until the client disconnects.
    Hold,
    /// Closes the connection.
    Close,
}

impl Act {
    /// Returns a step that writes these bytes.
    pub fn send(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Send(bytes.into())
    }

    /// Returns a step that writes these bytes endlessly, with a pause in milliseconds after each
    /// write.
    pub fn drip(bytes: impl Into<Vec<u8>>, pause_ms: u64) -> Self {
        Self::Repeat {
            bytes: bytes.into(),
            pause_ms,
            times: None,
        }
    }

    /// Returns a step that writes these bytes `times` times without a pause.
    pub fn flood(bytes: impl Into<Vec<u8>>, times: u64) -> Self {
        Self::Repeat {
            bytes: bytes.into(),
            pause_ms: 0,
            times: Some(times),
        }
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    String::deserialize(deserializer).map(String::into_bytes)
}

/// Performs a script; returns false when the connection is over.
pub(crate) async fn perform<S>(script: &[Act], stream: &mut S) -> bool
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    for act in script {
        let done = match act {
            Act::Send(bytes) => write(stream, bytes).await,
            Act::WaitMs(milliseconds) => {
                tokio::time::sleep(Duration::from_millis(*milliseconds)).await;
                Ok(())
            }
            Act::Repeat {
                bytes,
                pause_ms,
                times,
            } => repeat(stream, bytes, *pause_ms, *times).await,
            Act::Hold => {
                hold(stream).await;
                return false;
            }
            Act::Close => {
                let _ = stream.shutdown().await;
                return false;
            }
        };
        if done.is_err() {
            return false;
        }
    }
    true
}

/// Reads and discards bytes until the client closes the connection.
pub(crate) async fn hold<S: AsyncRead + Unpin>(stream: &mut S) {
    let mut nothing = [0; 4096];
    while matches!(stream.read(&mut nothing).await, Ok(length) if length > 0) {}
}

async fn write<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}

async fn repeat<S: AsyncWrite + Unpin>(
    stream: &mut S,
    bytes: &[u8],
    pause_ms: u64,
    times: Option<u64>,
) -> io::Result<()> {
    let mut round = 0;
    while times.is_none_or(|times| round < times) {
        if pause_ms == 0 {
            stream.write_all(bytes).await?;
        } else {
            write(stream, bytes).await?;
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        }
        round += 1;
    }
    stream.flush().await
}

/// Serves one connection of a host with scripts; its paths without a script get the usual answers.
pub(crate) async fn converse<S>(server: &WebServer, mut stream: S, connection: &Connection)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut unread = Vec::new();
    while let Some(request) = next_request(&mut stream, &mut unread).await {
        let (answer, response, _ending) = server.consider(&request, connection, None);
        if let Some(delay) = answer.delay_ms {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        let goes_on = match response {
            Some(response) => {
                let plain = plain(response);
                plain.is_some() && write(&mut stream, &plain.unwrap_or_default()).await.is_ok()
            }
            None => !answer.script.is_empty() && perform(&answer.script, &mut stream).await,
        };
        if !goes_on {
            return;
        }
    }
}

/// Returns the next request head; `None` when the client disconnected or sent an invalid one.
async fn next_request<S: AsyncRead + Unpin>(
    stream: &mut S,
    unread: &mut Vec<u8>,
) -> Option<http::Request<()>> {
    loop {
        if let Some(end) = unread.windows(4).position(|four| four == b"\r\n\r\n") {
            let head: Vec<u8> = unread.drain(..end + 4).collect();
            return request(str::from_utf8(&head).ok()?);
        }
        if unread.len() > HEAD_BYTES || stream.read_buf(unread).await.ok()? == 0 {
            return None;
        }
    }
}

fn request(head: &str) -> Option<http::Request<()>> {
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let mut request = http::Request::builder()
        .method(words.next()?)
        .uri(words.next()?.parse::<Uri>().ok()?)
        .body(())
        .ok()?;
    for line in lines.take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':')?;
        let name = HeaderName::try_from(name).ok()?;
        let value = HeaderValue::try_from(value.trim()).ok()?;
        request.headers_mut().append(name, value);
    }
    Some(request)
}

/// Returns a whole response as HTTP/1.1; `None` if its body is faulty.
fn plain(response: http::Response<Body>) -> Option<Vec<u8>> {
    let (head, body) = response.into_parts();
    let Body::Whole(body) = body else {
        return None;
    };
    let mut bytes = format!("HTTP/1.1 {}\r\n", head.status).into_bytes();
    for (name, value) in &head.headers {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend(body.unwrap_or_default());
    Some(bytes)
}
