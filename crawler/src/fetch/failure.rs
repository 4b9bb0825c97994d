//! Failures of requests, with their words in outcomes, receipts and messages.

use super::address::Refusal;
use crate::rate_limit::uplink::Reach;
use crate::schedule::Contact;
use std::time::Duration;
use store::Outcome;

/// Reason for a failed request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The name has no address.
    #[error("DNS: {}", .0.why())]
    Dns(DnsFailure),
    /// The URL or one of its addresses is refused.
    #[error("{0}")]
    Blocked(Refusal),
    /// Nothing was sent: this process has too many open files.
    #[error("too many open files")]
    Exhausted,
    /// Nothing was sent: this process is stopping.
    #[error("the crawler is stopping")]
    Stopped,
    /// The answer was not waited for: this process is stopping.
    #[error("the crawler stopped before the answer")]
    Abandoned,
    /// The port is closed.
    #[error("connection refused")]
    Refused,
    /// There is no route to the host.
    #[error("host or network unreachable")]
    Unreachable,
    /// The connection ended before the answer did.
    #[error("connection lost")]
    Reset,
    /// A stage took too long.
    #[error("timeout: {}", .0.why())]
    Timeout(Stage),
    /// There is no TLS session.
    #[error("TLS: {}", .0.why())]
    Tls(TlsFailure),
    /// The body is larger than this limit.
    #[error("more than {0} bytes")]
    TooLarge(usize),
    /// A content encoding that was not offered, several of them, or a broken one.
    #[error("unreadable content encoding")]
    BadEncoding,
    /// The usual client refuses the head of the answer.
    #[error("not a response that HTTP allows")]
    UnreadableHead,
    /// The answer violates HTTP, or the request could not be formed.
    #[error("{0}")]
    Protocol(&'static str),
    /// The rate limit or a pause of the host or its address permits no request for this time (P19,
    /// P35).
    #[error("no request to the host or its address is due for {} s", .0.as_secs())]
    Busy(Duration),
    /// The target host of a redirect asked for a pause, of which this much is left. This is no
    /// failure of the host that redirects there (P35).
    #[error("the target of the redirect asked for a pause of {} s", .0.as_secs())]
    TargetPaused(Duration),
    /// A redirect that is not followed.
    #[error("redirect not followed: {}", .0.why())]
    RedirectRefused(RedirectRefusal),
}

/// Declares the reasons for a kind of failure, each with its word in outcomes and its text in
/// messages.
macro_rules! reasons {
    (
        $(#[$of_kind:meta])*
        $kind:ident { $($(#[$of_reason:meta])* $reason:ident: $word:literal, $why:literal;)+ }
    ) => {
        $(#[$of_kind])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $kind {
            $($(#[$of_reason])* $reason,)+
        }

        impl $kind {
            /// Returns the word used in outcomes.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$reason => $word,)+
                }
            }

            fn why(self) -> &'static str {
                match self {
                    $(Self::$reason => $why,)+
                }
            }
        }
    };
}

reasons! {
    /// Reason for a failed lookup; only `NxDomain` proves that the name does not exist.
    DnsFailure {
        /// NXDOMAIN.
        NxDomain: "nxdomain", "no such name (NXDOMAIN)";
        /// The name exists, without an address.
        NoAddress: "no_address", "the name has no address";
        /// SERVFAIL, which also covers bogus DNSSEC.
        ServFail: "servfail", "the name server failed (SERVFAIL)";
        /// REFUSED.
        Refused: "refused", "the name server refused to answer";
        /// No answer in time.
        Timeout: "timeout", "no answer in time";
        /// Anything else, such as a loop of aliases.
        Failed: "failed", "the lookup failed";
    }
}

reasons! {
    /// The stage that took too long (P43).
    Stage {
        /// TCP and TLS together.
        Connect: "connect", "no connection in time";
        /// Waiting for the response head.
        Headers: "headers", "no response head in time";
        /// Silence within the body.
        Idle: "idle", "silence within the body";
        /// Fewer bytes a second than the minimum.
        Rate: "rate", "the body arrived too slowly";
        /// The whole exchange.
        Total: "total", "the answer was not complete in time";
        /// The whole visit; nothing was sent.
        Visit: "visit", "other requests of the visit took all its time";
    }
}

reasons! {
    /// Reason for a failed TLS handshake (P46).
    TlsFailure {
        /// The certificate is expired or not yet valid.
        Expired: "expired", "the certificate is expired or not yet valid";
        /// The certificate is for another name.
        Name: "name", "the certificate is for another name";
        /// Self-signed, or from an unknown authority.
        UnknownIssuer: "unknown_issuer", "the certificate is self-signed or from an unknown authority";
        /// Anything else that is wrong with the certificate.
        Certificate: "certificate", "the certificate is not acceptable";
        /// The server does not speak TLS.
        NotTls: "not_tls", "the server does not speak TLS on this port";
        /// No common version, cipher or parameter, or the handshake broke off.
        Protocol: "protocol", "the handshake failed";
    }
}

reasons! {
    /// Reason not to follow a redirect (P42).
    RedirectRefusal {
        /// From https to http.
        Downgrade: "downgrade", "it leads from https to http";
        /// To another registrable domain.
        CrossSite: "cross_site", "it leads to another site";
        /// Back to a URL already requested in this chain.
        Loop: "loop", "it leads back to an earlier URL";
        /// Too many hops.
        TooMany: "too_many", "too many hops";
        /// The target's robots.txt forbids it.
        Robots: "robots", "the target's robots.txt forbids it";
        /// The target's robots.txt failed, or must not be read.
        RobotsUnreadable: "robots_unreadable", "the target's robots.txt could not be read";
        /// The target's robots.txt asks for a longer pause than a visit waits for.
        CrawlDelay: "crawl_delay", "the target's robots.txt asks for a longer pause than a visit waits for";
        /// The budget of the visit, or of one path, is used up.
        Budget: "budget", "the request budget is used up";
    }
}

impl FetchError {
    /// Returns the outcome of a visit that fails like this.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Dns(_) => Outcome::DnsError,
            Self::Blocked(refusal) => refusal.outcome(),
            // `Exhausted` is never recorded as such: see `Reach::Unasked`.
            Self::Exhausted | Self::Refused | Self::Unreachable | Self::Reset => Outcome::Down,
            Self::Timeout(_) => Outcome::Timeout,
            Self::Tls(_) => Outcome::TlsError,
            Self::TooLarge(_) => Outcome::TooLarge,
            Self::BadEncoding | Self::UnreadableHead | Self::Protocol(_) => Outcome::ProtocolError,
            Self::Busy(_) | Self::TargetPaused(_) => Outcome::Throttled,
            Self::RedirectRefused(_) => Outcome::RedirectRefused,
            Self::Stopped | Self::Abandoned => Outcome::Budget,
        }
    }

    /// Returns how far the request got.
    pub fn contact(&self) -> Contact {
        match self {
            Self::Dns(DnsFailure::NxDomain) => Contact::NoName,
            Self::Dns(
                DnsFailure::ServFail
                | DnsFailure::Refused
                | DnsFailure::Timeout
                | DnsFailure::Failed,
            )
            | Self::Exhausted => Contact::NoAnswer,
            Self::Dns(DnsFailure::NoAddress)
            | Self::Refused
            | Self::Unreachable
            | Self::Timeout(Stage::Connect) => Contact::NoConnection,
            Self::Blocked(_)
            | Self::Reset
            | Self::Timeout(
                Stage::Headers | Stage::Idle | Stage::Rate | Stage::Total | Stage::Visit,
            )
            | Self::Tls(_)
            | Self::TooLarge(_)
            | Self::BadEncoding
            | Self::UnreadableHead
            | Self::Protocol(_)
            | Self::Busy(_)
            | Self::TargetPaused(_)
            | Self::RedirectRefused(_)
            | Self::Stopped
            | Self::Abandoned => Contact::Connected,
        }
    }

    /// Returns the evidence on whether the network can be reached: silence may be due to our own
    /// connection (P38).
    pub fn reach(&self) -> Reach {
        match self {
            Self::Dns(DnsFailure::Timeout) | Self::Unreachable | Self::Timeout(Stage::Connect) => {
                Reach::Silence
            }
            Self::Exhausted | Self::Stopped | Self::Abandoned => Reach::Unasked,
            _ => Reach::Reached,
        }
    }

    /// Returns the word for the kind within the outcome, such as `nxdomain` or `expired`.
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Dns(failure) => Some(failure.as_str()),
            Self::Exhausted => Some("exhausted"),
            Self::Stopped | Self::Abandoned => Some("stopped"),
            Self::Refused => Some("refused"),
            Self::Unreachable => Some("unreachable"),
            Self::Reset => Some("reset"),
            Self::Timeout(stage) => Some(stage.as_str()),
            Self::Tls(failure) => Some(failure.as_str()),
            Self::BadEncoding => Some("bad_encoding"),
            Self::Busy(_) => Some("address"),
            Self::TargetPaused(_) => Some("redirect"),
            Self::RedirectRefused(refusal) => Some(refusal.as_str()),
            Self::Blocked(refusal) => Some(refusal.as_str()),
            Self::TooLarge(_) | Self::UnreadableHead | Self::Protocol(_) => None,
        }
    }

    /// Reports whether the request has no answer because this process is stopping.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped | Self::Abandoned)
    }

    /// Reports whether the request may be repeated once over HTTP/1.1, by the client that examines
    /// heads itself (P13).
    pub fn is_of_the_usual_client(&self) -> bool {
        *self == Self::UnreadableHead
    }

    /// Reports whether the failure is due to the host, its name servers or the route to it, rather
    /// than to a rule of this crawler.
    pub fn is_host_failure(&self) -> bool {
        match self {
            Self::Dns(_)
            | Self::Refused
            | Self::Unreachable
            | Self::Reset
            | Self::Timeout(
                Stage::Connect | Stage::Headers | Stage::Idle | Stage::Rate | Stage::Total,
            )
            | Self::Tls(_)
            | Self::TooLarge(_)
            | Self::BadEncoding
            | Self::UnreadableHead
            | Self::Protocol(_)
            | Self::TargetPaused(_) => true,
            Self::Blocked(_)
            | Self::Exhausted
            | Self::Stopped
            | Self::Abandoned
            | Self::Timeout(Stage::Visit)
            | Self::Busy(_)
            | Self::RedirectRefused(_) => false,
        }
    }

    /// Reports whether the host may have noticed anything, even only a connection.
    pub fn may_be_noticed(&self) -> bool {
        let is_elsewhere = matches!(self, Self::Dns(_) | Self::TargetPaused(_));
        self.is_host_failure() && !is_elsewhere
    }

    /// Reports whether a redirect leads where no path is followed, so that other paths will fail in
    /// the same way (P10, P42).
    pub fn is_misdirecting(&self) -> bool {
        match self {
            Self::RedirectRefused(refusal) => match refusal {
                RedirectRefusal::Downgrade
                | RedirectRefusal::CrossSite
                | RedirectRefusal::Loop
                | RedirectRefusal::TooMany => true,
                // Another path may be allowed.
                RedirectRefusal::Robots
                | RedirectRefusal::RobotsUnreadable
                | RedirectRefusal::CrawlDelay
                | RedirectRefusal::Budget => false,
            },
            Self::Blocked(_) => true,
            _ => false,
        }
    }

    /// Reports whether a request was sent, so that it counts against the budget (P7, P8).
    pub fn was_sent(&self) -> bool {
        match self {
            Self::Dns(_)
            | Self::Blocked(_)
            | Self::Exhausted
            | Self::Stopped
            | Self::Refused
            | Self::Unreachable
            | Self::Tls(_)
            | Self::Timeout(Stage::Connect | Stage::Visit)
            | Self::Busy(_)
            | Self::TargetPaused(_)
            | Self::RedirectRefused(_) => false,
            Self::Reset
            | Self::Abandoned
            | Self::Timeout(Stage::Headers | Stage::Idle | Stage::Rate | Stage::Total)
            | Self::TooLarge(_)
            | Self::BadEncoding
            | Self::UnreadableHead
            | Self::Protocol(_) => true,
        }
    }
}
