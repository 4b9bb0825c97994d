//! HS-43 to HS-55: redirects.

use super::{CARD_PATH, ROBOTS, Row, script};
use crate::crawl::CARD;
use simweb::Answer;
use store::Outcome::{BlockedAddress, Empty, Found, ProtocolError, RedirectRefused, Soft404};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = chains();
    rows.extend(targets());
    rows
}

/// Hosts whose redirects lead nowhere, too far, or to a page.
fn chains() -> Vec<Row> {
    vec![
        Row::probe(43, "to-itself", Answer::redirect(CARD_PATH)).ends(RedirectRefused, "loop"),
        Row::probe(43, "back-and-forth", Answer::redirect("/b"))
            .path("/b", Answer::redirect(CARD_PATH))
            .ends(RedirectRefused, "loop"),
        Row::robots(43, "robots-to-itself", Answer::redirect(ROBOTS))
            .ends(RedirectRefused, "loop")
            .most(1),
        chain(Row::probe(44, "four-hops", Answer::redirect("/hop/0")), 4)
            .ends(RedirectRefused, "too_many"),
        chain(Row::probe(44, "three-hops", Answer::redirect("/hop/0")), 2)
            .file("/hop/2", CARD)
            .ends(Found, ""),
        chain(
            Row::robots(44, "robots-six-hops", Answer::redirect("/hop/0")),
            6,
        )
        .ends(RedirectRefused, "too_many")
        .most(12),
        Row::probe(
            45,
            "no-location",
            script("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
        )
        .ends(ProtocolError, ""),
        Row::probe(
            45,
            "bad-location",
            Answer::status(302).header("location", "https://[::/"),
        )
        .ends(ProtocolError, ""),
        Row::robots(45, "robots-no-location", Answer::status(302))
            .ends(ProtocolError, "")
            .most(1),
        Row::probe(
            46,
            "downgrade",
            Answer::redirect("http://row46-downgrade.example/a"),
        )
        .ends(RedirectRefused, "downgrade"),
        Row::robots(
            46,
            "robots-downgrade",
            Answer::redirect("http://row46-robots-downgrade.example/"),
        )
        .ends(RedirectRefused, "downgrade")
        .most(1),
        Row::probe(52, "megabyte", script(location(1 << 20))).ends(ProtocolError, ""),
        Row::probe(52, "three-kilobytes", script(location(3000))).ends(ProtocolError, ""),
        Row::everywhere(53, "all-to-home", Answer::redirect("/home"))
            .path("/home", page("<h1>Welcome</h1>"))
            .ends(Soft404, "")
            .most(12),
        Row::everywhere(53, "all-to-login", Answer::redirect("/login?next={path}"))
            .path("/login", page("<form>Who are you?</form>"))
            .ends(Soft404, "")
            .most(12),
        Row::probe(
            54,
            "cross-site",
            Answer::redirect("https://healthy1.example/"),
        )
        .ends(RedirectRefused, "cross_site"),
        Row::probe(
            55,
            "refresh",
            page("<meta http-equiv=refresh content='0;url=/b'>").header("refresh", "0;url=/b"),
        )
        .path("/b", Answer::default())
        .file("/b", CARD)
        .ends(Empty, ""),
    ]
}

/// Targets that a redirect of a manifest or of robots.txt must not have.
fn targets() -> Vec<Row> {
    let targets = [
        (47, "loopback", "https://127.66.6.6/", BlockedAddress, ""),
        (
            47,
            "metadata",
            "https://169.254.169.254/latest",
            BlockedAddress,
            "",
        ),
        (47, "six", "https://[::1]/", BlockedAddress, ""),
        (47, "ten", "https://10.0.0.1/", BlockedAddress, ""),
        (48, "decimal", "https://2134968838/", BlockedAddress, ""),
        (48, "hex", "https://0x7f420606/", BlockedAddress, ""),
        (48, "octal", "https://0177.0102.06.06/", BlockedAddress, ""),
        (48, "short", "https://127.1/", BlockedAddress, ""),
        (
            48,
            "digits",
            "https://%EF%BC%91%EF%BC%92%EF%BC%97.66.6.6/",
            BlockedAddress,
            "",
        ),
        (49, "file", "file:///etc/hosts", RedirectRefused, "scheme"),
        (
            49,
            "data",
            "data:application/json,{}",
            RedirectRefused,
            "scheme",
        ),
        (
            49,
            "gopher",
            "gopher://row49-gopher.example/",
            RedirectRefused,
            "scheme",
        ),
        (
            49,
            "script",
            "javascript:alert(1)",
            RedirectRefused,
            "scheme",
        ),
        (
            50,
            "ssh",
            "https://row50-ssh.example:22/",
            RedirectRefused,
            "port",
        ),
        (
            50,
            "smtp",
            "https://row50-smtp.example:25/",
            RedirectRefused,
            "port",
        ),
        (
            50,
            "redis",
            "https://row50-redis.example:6379/",
            RedirectRefused,
            "port",
        ),
        (
            51,
            "userinfo",
            "https://me:secret@row51-userinfo.example/",
            RedirectRefused,
            "userinfo",
        ),
    ];
    let mut rows = Vec::new();
    for (number, name, target, outcome, detail) in targets {
        rows.push(Row::probe(number, name, Answer::redirect(target)).ends(outcome, detail));
        let name: &'static str = format!("robots-{name}").leak();
        let robots = Row::robots(
            number,
            name,
            Answer::redirect(&target.replace("row", "rowx")),
        );
        rows.push(robots.ends(outcome, detail).most(1));
    }
    rows
}

/// Returns a row with `more` further redirects after the first.
fn chain(mut row: Row, more: usize) -> Row {
    for number in 0..more {
        let next = Answer::redirect(&format!("/hop/{}", number + 1));
        row = row.path(&format!("/hop/{number}"), next);
    }
    row
}

fn page(body: &str) -> Answer {
    Answer {
        body: Some(body.to_owned()),
        ..Answer::default()
    }
    .header("content-type", "text/html")
}

fn location(length: usize) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nLocation: /{}\r\nContent-Length: 0\r\n\r\n",
        "a".repeat(length)
    )
}
