//! HS-01 to HS-03 and HS-71 to HS-75: no connection, or no TLS session. None receives a request.

use super::Row;
use simweb::{Behaviour, Certificate, Tls};
use store::Outcome::{Down, Found, ProtocolError, Timeout, TlsError};

pub(super) fn rows() -> Vec<Row> {
    let tls = |number, name, tls| {
        let behaviour = Behaviour {
            tls,
            ..Behaviour::default()
        };
        Row::host(number, name, behaviour).most(0)
    };
    let certified = |name, certificate| {
        let behaviour = Behaviour {
            certificate,
            ..Behaviour::default()
        };
        Row::host(71, name, behaviour).most(0)
    };
    let at = |number, name, address: &str| {
        let behaviour = Behaviour {
            addresses: vec![address.parse().unwrap()],
            ..Behaviour::default()
        };
        Row::host(number, name, behaviour).most(0)
    };
    vec![
        at(1, "black-hole", "127.0.0.9").ends(Timeout, "connect"),
        at(2, "not-listening", "127.1.2.3").ends(Down, "refused"),
        tls(2, "reset", Tls::Reset).ends(Down, "reset"),
        tls(3, "no-handshake", Tls::Silent).ends(Timeout, "connect"),
        tls(3, "closes", Tls::Close).ends(TlsError, "protocol"),
        certified("expired", Certificate::Expired).ends(TlsError, "expired"),
        certified("not-yet", Certificate::NotYet).ends(TlsError, "expired"),
        certified("other-name", Certificate::OtherName).ends(TlsError, "name"),
        certified("self-signed", Certificate::SelfSigned).ends(TlsError, "unknown_issuer"),
        tls(72, "handshake-failure", Tls::Alert(40)).ends(TlsError, "protocol"),
        tls(72, "protocol-version", Tls::Alert(70)).ends(TlsError, "protocol"),
        tls(72, "unrecognized-name", Tls::Alert(112)).ends(TlsError, "protocol"),
        tls(72, "tls-1-0", Tls::Old).ends(TlsError, "protocol"),
        tls(72, "tls-1-2", Tls::Tls12).ends(Found, "").most(12),
        certified("long-chain", Certificate::LongChain).ends(TlsError, "certificate"),
        tls(73, "slow-handshake", Tls::Slow).ends(Timeout, "connect"),
        tls(74, "plain-http", Tls::Plain).ends(TlsError, "not_tls"),
        tls(75, "asks-certificate", Tls::AsksCertificate)
            .ends(Found, "")
            .most(12),
        tls(75, "wants-certificate", Tls::WantsCertificate)
            .most(1)
            .ends(ProtocolError, ""),
    ]
}
