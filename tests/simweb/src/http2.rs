//! Faulty HTTP/2 that no library would send: frames are written directly (RFC 9113 section 4.1).
//!
//! The header blocks of requests are not decoded, so requests are recorded without a path.

use std::io;

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::script::hold;
use crate::server::{Connection, WebServer};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

/// `:status: 200`, from the static table of HPACK.
const STATUS_200: u8 = 0x88;

/// Fault in HTTP/2, which applies to every path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Http2 {
    /// None.
    #[default]
    Normal,
    /// After three requests the connection is announced to end.
    GoAway,
    /// The server negotiates HTTP/2 and then speaks HTTP/1.1.
    SpeaksHttp1,
    /// The server resets every stream many times.
    Resets,
    /// The header block of the answer never ends.
    HeaderFlood,
    /// The server sends SETTINGS frames endlessly.
    SettingsFlood,
    /// The server sends PING frames endlessly.
    PingFlood,
    /// The server allows a window of zero bytes, and never answers.
    ZeroWindow,
    /// The server enlarges the connection's window beyond the allowed maximum.
    WindowOverflow,
    /// The server pushes a response that was not requested.
    Push,
    /// The server sends more data than the client's window allows.
    DataFlood,
}

impl Http2 {
    /// Reports whether this module writes the frames itself.
    pub(crate) fn is_by_hand(self) -> bool {
        !matches!(self, Self::Normal | Self::GoAway)
    }
}

/// Serves one connection with a fault until it ends.
pub(crate) async fn converse<S>(
    server: &WebServer,
    mut stream: S,
    connection: &Connection,
    host: &str,
    fault: Http2,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut preface = [0; 24];
    if stream.read_exact(&mut preface).await.is_err() {
        return;
    }
    if let Err(error) = misbehave(server, &mut stream, connection, host, fault).await {
        tracing::debug!(%error, "an HTTP/2 connection ended");
    }
}

async fn misbehave<S>(
    server: &WebServer,
    stream: &mut S,
    connection: &Connection,
    host: &str,
    fault: Http2,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let settings: &[u8] = match fault {
        // SETTINGS_INITIAL_WINDOW_SIZE is 0.
        Http2::ZeroWindow => &[0, 4, 0, 0, 0, 0],
        _ => &[],
    };
    if fault != Http2::SpeaksHttp1 {
        write(stream, &frame(SETTINGS, 0, 0, settings)).await?;
    }
    loop {
        let (kind, flags, id) = read_frame(stream).await?;
        if kind == SETTINGS && flags & ACK == 0 && fault != Http2::SpeaksHttp1 {
            write(stream, &frame(SETTINGS, ACK, 0, &[])).await?;
        }
        if kind != HEADERS {
            continue;
        }
        server.record_undecoded(host, connection);
        match fault {
            Http2::Normal | Http2::GoAway => return Ok(()),
            Http2::ZeroWindow => {}
            Http2::SpeaksHttp1 => {
                write(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").await?;
                hold(stream).await;
                return Ok(());
            }
            Http2::Resets => {
                // CANCEL
                let reset = frame(RST_STREAM, 0, id, &[0, 0, 0, 8]);
                write(stream, &reset.repeat(1000)).await?;
            }
            Http2::HeaderFlood => {
                write(stream, &frame(HEADERS, 0, id, &[STATUS_200])).await?;
                forever(stream, &frame(CONTINUATION, 0, id, &header(8_000))).await?;
            }
            Http2::SettingsFlood => forever(stream, &frame(SETTINGS, 0, 0, &[])).await?,
            Http2::PingFlood => forever(stream, &frame(PING, 0, 0, &[0; 8])).await?,
            Http2::WindowOverflow => {
                let most = [0x7f, 0xff, 0xff, 0xff];
                write(stream, &frame(WINDOW_UPDATE, 0, 0, &most)).await?;
            }
            Http2::Push => {
                // PUSH_PROMISE for stream 2: GET, https, "/".
                let promise = [0, 0, 0, 2, 0x82, 0x87, 0x84];
                write(stream, &frame(PUSH_PROMISE, END_HEADERS, id, &promise)).await?;
            }
            Http2::DataFlood => {
                write(stream, &frame(HEADERS, END_HEADERS, id, &[STATUS_200])).await?;
                forever(stream, &frame(DATA, 0, id, &[b' '; 16_000])).await?;
            }
        }
    }
}

/// Returns the kind, flags and stream of the next frame; skips its payload.
async fn read_frame<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<(u8, u8, u32)> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await?;
    let length = u64::from(u32::from_be_bytes([0, head[0], head[1], head[2]]));
    let id = u32::from_be_bytes([head[5] & 0x7f, head[6], head[7], head[8]]);
    let mut payload = stream.take(length);
    tokio::io::copy(&mut payload, &mut tokio::io::sink()).await?;
    Ok((head[3], head[4], id))
}

fn frame(kind: u8, flags: u8, id: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend(id.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Returns a literal header that is not indexed, with a value of `length` bytes (at least 127).
fn header(length: u16) -> Vec<u8> {
    let mut bytes = vec![0, 1, b'x'];
    // HPACK writes a length of 127 and more in groups of seven bits, the lowest first.
    let rest = length - 127;
    let [high, low] = (rest >> 7).to_be_bytes();
    let lowest = rest.to_be_bytes()[1] | 0x80;
    bytes.extend([0x7f, lowest, low & 0x7f]);
    debug_assert!(high == 0 && low < 0x80, "two groups are enough here");
    bytes.resize(bytes.len() + usize::from(length), b'y');
    bytes
}

async fn write<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}

async fn forever<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    loop {
        write(stream, bytes).await?;
    }
}
