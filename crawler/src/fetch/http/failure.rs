//! Conversion of errors of reqwest, hyper, rustls and the system to [`FetchError`].

use crate::descriptors;
use crate::fetch::{FetchError, Stage, TlsFailure};
use std::error::Error;
use std::io;

/// Error for headers over this crawler's limits (P44).
pub(super) const TOO_MANY_HEADERS: FetchError =
    FetchError::Protocol("more headers than the crawler accepts: 64, or 32 KiB of them");

/// Error for an answer that is none.
pub(super) const NO_RESPONSE: FetchError = FetchError::Protocol("not a response that HTTP allows");

/// Returns the failure that an error of the usual client stands for.
pub(super) fn of_usual(error: &reqwest::Error) -> FetchError {
    match of(error, error.is_connect()) {
        FetchError::Unreachable if error.is_timeout() => FetchError::Timeout(Stage::Connect),
        other => other,
    }
}

/// Returns the failure that the innermost informative cause of an error stands for.
pub(super) fn of(error: &(dyn Error + 'static), is_connecting: bool) -> FetchError {
    let mut found = None;
    let mut cause = Some(error);
    while let Some(current) = cause {
        // The innermost recognized cause is the precise one.
        found = known(current, is_connecting).or(found);
        cause = match current
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            // The `source` of an `io::Error` is that of the error it wraps; the wrapped error
            // itself would be skipped.
            Some(wrapped) => Some(wrapped),
            None => current.source(),
        };
    }
    match found {
        Some(found) => found,
        None if is_connecting => FetchError::Unreachable,
        None => NO_RESPONSE,
    }
}

fn known(error: &(dyn Error + 'static), is_connecting: bool) -> Option<FetchError> {
    if let Some(error) = error.downcast_ref::<FetchError>() {
        return Some(error.clone());
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(FetchError::Tls(tls(error)));
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return match error {
            // Limits of its buffer or of `http1_max_headers`: ours, not those of HTTP.
            _ if error.is_parse_too_large() => Some(TOO_MANY_HEADERS),
            _ if error.is_parse_status() => None,
            _ => error.is_parse().then_some(FetchError::UnreadableHead),
        };
    }
    let error = error.downcast_ref::<io::Error>()?;
    input_output(error, is_connecting)
}

fn input_output(error: &io::Error, is_connecting: bool) -> Option<FetchError> {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some(FetchError::Refused),
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::AddrNotAvailable => Some(FetchError::Unreachable),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => Some(FetchError::Reset),
        io::ErrorKind::TimedOut => Some(FetchError::Timeout(Stage::Connect)),
        io::ErrorKind::UnexpectedEof if is_connecting => {
            Some(FetchError::Tls(TlsFailure::Protocol))
        }
        io::ErrorKind::UnexpectedEof => Some(FetchError::Protocol("the answer ended early")),
        _ if descriptors::is_exhausted(error) => Some(FetchError::Exhausted),
        _ => None,
    }
}

fn tls(error: &rustls::Error) -> TlsFailure {
    use rustls::CertificateError as Certificate;
    use rustls::Error as Tls;
    use rustls::InvalidMessage as Message;
    match error {
        Tls::InvalidCertificate(
            Certificate::Expired
            | Certificate::ExpiredContext { .. }
            | Certificate::NotValidYet
            | Certificate::NotValidYetContext { .. },
        ) => TlsFailure::Expired,
        Tls::InvalidCertificate(
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. },
        ) => TlsFailure::Name,
        Tls::InvalidCertificate(Certificate::UnknownIssuer) => TlsFailure::UnknownIssuer,
        // No other message of a server reaches these limits.
        Tls::InvalidCertificate(_)
        | Tls::InvalidMessage(
            Message::HandshakePayloadTooLarge | Message::CertificatePayloadTooLarge,
        ) => TlsFailure::Certificate,
        Tls::InvalidMessage(Message::InvalidContentType | Message::UnknownProtocolVersion) => {
            TlsFailure::NotTls
        }
        _ => TlsFailure::Protocol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::http::head::HEADER_COUNT;
    use hyper_util::client::legacy;
    use hyper_util::rt::TokioExecutor;
    use rustls::{CertificateError, Error as Tls, InvalidMessage, PeerIncompatible};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    /// P44: HTTP allows any number of headers; the error names the limit as one of this crawler.
    #[tokio::test]
    async fn p44_too_many_headers_are_distinguished_from_invalid_http() {
        let answer_with = async |headers: usize| {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/", listener.local_addr().unwrap());
            let headers = "X-Many: 1\r\n".repeat(headers);
            let answer = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: 0\r\n\r\n");
            let serve = async {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 1024];
                assert!(stream.read(&mut request).await.unwrap() > 0);
                stream.write_all(answer.as_bytes()).await.unwrap();
            };
            let client = legacy::Client::builder(TokioExecutor::new())
                .http1_max_headers(HEADER_COUNT)
                .build_http::<String>();
            let (answer, ()) = tokio::join!(client.get(url.parse().unwrap()), serve);
            answer.map(|_| ()).map_err(|error| of(&error, false))
        };
        assert_eq!(answer_with(HEADER_COUNT - 1).await, Ok(()));
        assert_eq!(answer_with(70).await, Err(TOO_MANY_HEADERS));
    }

    #[test]
    fn p46_kinds_of_tls_failures_are_distinguished() {
        let certificate = |error| tls(&Tls::InvalidCertificate(error));
        for (found, expected) in [
            (certificate(CertificateError::Expired), TlsFailure::Expired),
            (
                certificate(CertificateError::NotValidYet),
                TlsFailure::Expired,
            ),
            (
                certificate(CertificateError::NotValidForName),
                TlsFailure::Name,
            ),
            (
                certificate(CertificateError::UnknownIssuer),
                TlsFailure::UnknownIssuer,
            ),
            (
                certificate(CertificateError::BadSignature),
                TlsFailure::Certificate,
            ),
            (
                tls(&Tls::InvalidMessage(InvalidMessage::InvalidContentType)),
                TlsFailure::NotTls,
            ),
            (
                tls(&Tls::InvalidMessage(
                    InvalidMessage::HandshakePayloadTooLarge,
                )),
                TlsFailure::Certificate,
            ),
            (
                tls(&Tls::InvalidMessage(InvalidMessage::MissingData("hello"))),
                TlsFailure::Protocol,
            ),
            (
                tls(&Tls::PeerIncompatible(
                    PeerIncompatible::NoCipherSuitesInCommon,
                )),
                TlsFailure::Protocol,
            ),
        ] {
            assert_eq!(found, expected);
        }
    }
}
