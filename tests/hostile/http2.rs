//! HS-76 to HS-81: violations of HTTP/2.

use super::Row;
use simweb::{Behaviour, Http2};
use store::Outcome::{Found, ProtocolError, Timeout};

pub(super) fn rows() -> Vec<Row> {
    let host = |number, name, http2| {
        let behaviour = Behaviour {
            http2,
            ..Behaviour::default()
        };
        Row::host(number, name, behaviour)
    };
    let bad = |number, name, http2| host(number, name, http2).ends(ProtocolError, "").most(1);
    vec![
        bad(76, "alpn-lie", Http2::SpeaksHttp1),
        host(77, "go-away", Http2::GoAway).ends(Found, ""),
        bad(78, "resets", Http2::Resets),
        bad(79, "header-flood", Http2::HeaderFlood),
        host(80, "settings-flood", Http2::SettingsFlood)
            .ends(Timeout, "headers")
            .most(1),
        host(80, "ping-flood", Http2::PingFlood)
            .ends(Timeout, "headers")
            .most(1),
        host(80, "zero-window", Http2::ZeroWindow)
            .ends(Timeout, "headers")
            .most(1),
        bad(80, "window-overflow", Http2::WindowOverflow),
        bad(80, "data-flood", Http2::DataFlood),
        bad(81, "push", Http2::Push),
    ]
}
