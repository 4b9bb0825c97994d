//! Tests of accepted and rejected command lines.

use super::value::{nameserver, own_addresses};
use super::*;
use manifest::Timestamp;

fn network(arguments: &[&str]) -> Result<Network, ConfigError> {
    let line = CommandLine::try_parse_from([&["crawler"], arguments].concat()).unwrap();
    line.crawl.network.try_into()
}

#[test]
fn a_name_server_may_leave_out_its_port() {
    assert_eq!(nameserver("127.0.0.1").unwrap().port(), 53);
    assert_eq!(nameserver("[::1]:5300").unwrap().port(), 5300);
    assert!(
        nameserver("dns.example")
            .unwrap_err()
            .contains("192.0.2.53")
    );
}

#[test]
fn a_name_server_has_a_port() {
    for text in ["127.0.0.1:0", "[::1]:0"] {
        assert!(nameserver(text).unwrap_err().contains("port 0"), "{text}");
    }
}

#[test]
fn own_addresses_must_not_cover_much_of_the_internet() {
    for text in ["0.0.0.0/0", "::/0", "8.0.0.0/7", "2000::/3", "2600::/12"] {
        let refused = own_addresses(text).unwrap_err();
        assert!(refused.contains("public addresses"), "{text}: {refused}");
    }
    for text in [
        "127.0.0.0/8",
        "10.0.0.0/8",
        "240.0.0.0/4",
        "8.8.8.0/24",
        "fc00::/7",
        "::1/128",
        "2600:1::/32",
    ] {
        assert!(own_addresses(text).is_ok(), "{text}");
    }
    assert!(own_addresses("localhost").is_err());
}

#[test]
fn the_command_line_is_consistent() {
    use clap::CommandFactory as _;
    CommandLine::command().debug_assert();
}

#[test]
fn p01_a_token_that_robots_txt_cannot_name_is_refused() {
    for token in ["", "Bot2", "a bot", "bot/1", "bött"] {
        let refused = network(&["--user-agent-token", token]);
        assert!(matches!(refused, Err(ConfigError::Token(_))), "{token}");
    }
}

#[test]
fn p01_the_user_agent_begins_with_the_token_and_p03_names_the_contact() {
    let network = network(&["--contact", "bot@agents.example.com"]).unwrap();
    let expected = concat!(
        "AgentdexBot/",
        env!("CARGO_PKG_VERSION"),
        " (+bot@agents.example.com)"
    );
    assert_eq!(network.identity.user_agent, expected);
    assert_eq!(
        network.identity.from.as_deref(),
        Some("bot@agents.example.com")
    );
    assert!(network.identity.user_agent.starts_with(&network.token));
}

#[test]
fn p02_a_page_as_contact_sends_no_from() {
    let network = network(&["--contact", "https://agents.example.com/bot"]).unwrap();
    assert_eq!(network.identity.from, None);
}

#[test]
fn p03_an_unreachable_contact_is_refused() {
    for contact in [
        "me",
        "@",
        "a@b",
        "ftp://example.com",
        "x@example.com\r\nEvil: 1",
    ] {
        let refused = network(&["--contact", contact]);
        assert!(matches!(refused, Err(ConfigError::Contact(_))), "{contact}");
    }
}

#[test]
fn a_short_delay_needs_own_hosts() {
    assert!(matches!(
        network(&["--delay", "999"]),
        Err(ConfigError::Delay)
    ));
    assert!(network(&["--delay", "0", "--allow-address", "127.0.0.0/8"]).is_ok());
}

#[test]
fn a_root_certificate_file_without_a_certificate_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let error = network(&["--root-ca", path]).unwrap_err().to_string();
    assert!(error.contains(path), "{error}");
}

#[test]
fn an_unknown_flag_names_the_nearest() {
    let error = CommandLine::try_parse_from(["crawler", "--concurency", "5"]).unwrap_err();
    assert!(error.to_string().contains("--concurrency"), "{error}");
}

/// The example key of RFC 9421 appendix B.1.4.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";

#[test]
fn p05_the_origin_of_the_contact_page_serves_the_keys() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), KEY).unwrap();
    let path = file.path().to_str().unwrap();
    let agent = |arguments: &[&str]| {
        let network = network(&[&["--sign-key", path], arguments].concat())?;
        let signer = network.identity.signer.unwrap();
        Ok::<_, ConfigError>(
            signer
                .signature_headers("mesa.example", Timestamp(0), &[0; 32])
                .agent,
        )
    };
    let page = ["--contact", "https://agents.example.com/bot"];
    let keys = ["--sign-agent", "https://keys.example.com"];
    assert_eq!(agent(&page).unwrap(), "sig1=\"https://agents.example.com\"");
    assert_eq!(
        agent(&[page, keys].concat()).unwrap(),
        "sig1=\"https://keys.example.com\""
    );
    for contact in ["http://agents.example.com/bot", "bot@agents.example.com"] {
        let refused = agent(&["--contact", contact]);
        assert!(
            matches!(refused, Err(ConfigError::NoSignAgent)),
            "{contact}"
        );
    }
    for origin in [
        "keys.example.com",
        "http://keys.example.com",
        "https://a.example/x",
    ] {
        let refused = agent(&["--sign-agent", origin]);
        assert!(
            matches!(refused, Err(ConfigError::SignAgent(_))),
            "{origin}"
        );
    }
    assert!(network(&page).unwrap().identity.signer.is_none());
}

#[test]
fn p05_a_key_that_cannot_sign_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    for text in [
        "",
        KEY.replace("MC4CAQAwBQYDK2Vw", "MC4CAQAwBQYDK2Vu").as_str(),
    ] {
        std::fs::write(path, text).unwrap();
        let error = network(&["--sign-key", path]).unwrap_err().to_string();
        assert!(error.contains(path), "{error}");
    }
}

#[test]
fn extra_paths_are_named_by_group() {
    let extra = |arguments: &[&str]| network(arguments).unwrap().extra.len();
    assert_eq!(extra(&[]), 0);
    assert_eq!(extra(&["--probe-extra", "mcp-legacy"]), 1);
    assert_eq!(extra(&["--probe-extra", "anp,api-catalog,anp"]), 2);
    let refused = CommandLine::try_parse_from(["crawler", "--probe-extra", "mcp"]).unwrap_err();
    let shown = refused.to_string();
    assert!(shown.contains("api-catalog, mcp-legacy, anp"), "{shown}");
}

/// P13: a connection is kept five seconds longer than the longest pause of a visit.
#[test]
fn p13_a_connection_is_kept_idle_for_the_longest_gap_and_five_seconds() {
    let idle = network(&[]).unwrap().identity.idle;
    assert_eq!(idle, Duration::from_secs(35));
    assert_eq!(
        idle,
        crate::crawl_delay::LONGEST_WAIT + Duration::from_secs(5)
    );
}
