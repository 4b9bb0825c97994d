//! HS-41, HS-82, HS-97 and HS-98: refusals, throttling and misdirected requests.

use super::{CARD_PATH, Row};
use simweb::{Answer, Behaviour};
use store::Outcome::{
    Blocked, Budget, Challenged, Down, LoginRequired, PaymentRequired, RateLimited, Refused,
    Throttled,
};

pub(super) fn rows() -> Vec<Row> {
    let busy = |after: &str| Answer::status(429).header("retry-after", after);
    let gate = |status| Answer {
        body: Some("<html>Are you human?</html>".to_owned()),
        ..Answer::status(status)
    };
    let challenge = |status| gate(status).header("cf-mitigated", "challenge");
    vec![
        Row::probe(41, "retry-negative", busy("-1"))
            .ends(RateLimited, "")
            .most(2),
        Row::probe(41, "retry-never", busy("99999999999"))
            .ends(RateLimited, "")
            .most(2),
        Row::probe(41, "retry-1970", busy("Thu, 01 Jan 1970 00:00:00 GMT"))
            .ends(RateLimited, "")
            .most(2),
        Row::probe(41, "retry-garbage", busy("soon"))
            .ends(RateLimited, "")
            .most(2),
        Row::robots(97, "robots-429", busy("60"))
            .ends(Throttled, "")
            .most(1),
        Row::probe(97, "captcha-429", gate(429))
            .ends(RateLimited, "")
            .most(2),
        Row::probe(97, "challenge-429", challenge(429))
            .ends(Challenged, "")
            .most(2),
        Row::probe(98, "probe-503", gate(503))
            .ends(Throttled, "")
            .most(2),
        Row::robots(98, "robots-403", gate(403))
            .ends(Blocked, "")
            .most(1),
        Row::everywhere(98, "gate", gate(403))
            .ends(Refused, "")
            .most(3),
        Row::everywhere(98, "challenge", challenge(403))
            .ends(Challenged, "")
            .most(3),
        Row::everywhere(98, "challenge-202", challenge(202))
            .ends(Challenged, "")
            .most(3),
        Row::everywhere(98, "payment", gate(402))
            .ends(PaymentRequired, "")
            .most(3),
        Row::everywhere(98, "login", gate(401))
            .ends(LoginRequired, "")
            .most(3),
        Row::robots(98, "robots-500", gate(500))
            .ends(Down, "")
            .most(1),
        Row::new(
            82,
            "misdirected",
            Behaviour::default().path(CARD_PATH, Answer::status(421)),
        )
        .ends(Budget, ""),
    ]
}
