//! Tests with all notations of an address, and with shared vectors.

use super::*;
use crate::test_data;
use proptest::prelude::*;

const CLOSED: &[&str] = &[
    "0.0.0.0",
    "0.255.0.1",
    "10.20.30.40",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.53",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.171",
    "192.0.2.77",
    "192.31.196.9",
    "192.52.193.1",
    "192.88.99.7",
    "192.168.178.1",
    "192.175.48.6",
    "198.19.255.255",
    "198.51.100.3",
    "203.0.113.200",
    "224.0.0.251",
    "233.1.2.3",
    "241.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::10.0.0.1",
    "::ffff:93.184.216.34",
    "::ffff:0:127.0.0.1",
    "64:ff9b::5db8:d822",
    "64:ff9b:1:2::3",
    "100::5",
    "100:0:0:1::5",
    "2001::1",
    "2001:2::1",
    "2001:20::1",
    "2001:db8:85a3::8a2e:370:7334",
    "2002:5db8:d822::1",
    "2620:4f:8000::1",
    "3fff:123::1",
    "5f00::1",
    "fd12:3456:789a::1",
    "fe80::1",
    "fec0::a",
    "ff02::fb",
];

const OPEN: &[&str] = &[
    "9.9.9.9",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "168.63.129.15",
    "169.255.0.0",
    "172.32.0.0",
    "192.0.1.1",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8844",
    "2400:cb00::1",
    "2606:2800:220:1::1",
    "2a01:4f8::1",
];

const REFUSED_URLS: &[&str] = &[
    "ftp://shop.example/",
    "file:///etc/passwd",
    "data:text/plain,hi",
    "javascript:alert(1)",
    "gopher://shop.example/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://0x7f.0.0.1/",
    "https://127.1/",
    "https://127.0.0.1./",
    "https://93.184.216.34/",
    "https://１２７.０.０.１/",
    "https://①②⑦.0.0.1/",
    "https://127。0。0。1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[2606:4700::1]/",
    "https://10.0.0.1\\@shop.example/",
    "https://shop.example@10.0.0.1/",
    "https://name@shop.example/",
    "https://name:word@shop.example/",
    "https://:word@shop.example/",
    "https://shop.example:22/",
    "https://shop.example:8443/",
    "https://shop.example:6379/",
    "https://intranet/",
    "https://localhost/",
    "https://localhost./",
    "https://printer.local/",
    "https://metadata.vendor.internal/",
    "https://box.home.arpa/",
    "https://shop.test/",
    "https://shop.invalid/",
    "https://shop.alt/",
    "https://shop.onion/",
    "https://api.localhost/",
    "https://co.uk/",
    "https://shop.example⁄path/",
    "https://shop_of_mine.example/",
];

fn guard() -> Guard {
    Guard::new(Vec::new())
}

fn checked(guard: &Guard, url: &Url, seed_port: Option<u16>) -> Result<Domain, Refusal> {
    guard.check_name(check_url(url, seed_port)?)
}

/// Reports whether a text passes the guard; a text that is not a URL does not.
fn passes(guard: &Guard, text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| checked(guard, &url, None).is_ok())
}

#[test]
fn addresses_outside_the_public_internet_are_refused() {
    for text in CLOSED {
        let address: IpAddr = text.parse().unwrap();
        assert_eq!(
            guard().check(address),
            Err(Refusal::Address(address)),
            "{text}"
        );
    }
}

#[test]
fn public_addresses_pass_up_to_the_edges() {
    for text in OPEN {
        assert_eq!(guard().check(text.parse().unwrap()), Ok(()), "{text}");
    }
}

#[test]
fn one_bad_address_refuses_the_whole_name() {
    let bad: IpAddr = "10.0.0.1".parse().unwrap();
    let good: IpAddr = "9.9.9.9".parse().unwrap();
    assert_eq!(guard().check_all(&[good, good]), Ok(()));
    assert_eq!(guard().check_all(&[good, bad]), Err(Refusal::Address(bad)));
    assert_eq!(guard().check_all(&[]), Err(Refusal::NoAddress));
}

#[test]
fn exactly_the_range_that_the_operator_names_is_open() {
    let guard = Guard::new(vec!["127.0.0.0/30".parse().unwrap()]);
    assert_eq!(guard.check("127.0.0.1".parse().unwrap()), Ok(()));
    assert!(guard.check("127.0.0.4".parse().unwrap()).is_err());
    assert!(guard.check("::ffff:127.0.0.1".parse().unwrap()).is_err());
    assert!(passes(&guard, "https://shop.test/"));
    assert!(!passes(&guard, "https://127.0.0.1/"));
    assert!(!passes(&guard, "https://localhost/"));
}

#[test]
fn urls_that_are_not_a_public_site_are_refused() {
    for text in REFUSED_URLS {
        assert!(!passes(&guard(), text), "{text}");
    }
}

#[test]
fn checked_names_are_canonical() {
    for (text, name) in [
        ("https://shop.example/agents.txt", "shop.example"),
        ("http://SHOP.Example:80/", "shop.example"),
        ("https://shop.example./agents.txt", "shop.example"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://shop.example:443/?q=a@b", "shop.example"),
    ] {
        let url = Url::parse(text).unwrap();
        let domain = checked(&guard(), &url, None).unwrap();
        assert_eq!(domain.as_str(), name, "{text}");
    }
}

#[test]
fn the_port_of_the_seed_is_open_and_no_other() {
    let url = Url::parse("https://shop.example:8443/").unwrap();
    assert!(checked(&guard(), &url, Some(8443)).is_ok());
    assert_eq!(
        checked(&guard(), &url, Some(8444)),
        Err(Refusal::Port(8443))
    );
}

#[test]
fn a_url_over_two_kibibytes_is_refused() {
    let longest = format!(
        "https://shop.example/{}",
        "a".repeat(URL_CAP - "https://shop.example/".len())
    );
    assert!(passes(&guard(), &longest));
    let url = Url::parse(&format!("{longest}a")).unwrap();
    assert_eq!(checked(&guard(), &url, None), Err(Refusal::TooLong));
}

#[test]
fn every_shared_vector_gives_its_expected_result() {
    #[derive(serde::Deserialize)]
    struct Vector {
        host: String,
        kind: String,
        deny: bool,
        why: String,
    }
    let Some(text) = test_data::read("ssrf/vectors.jsonl") else {
        return;
    };
    let mut count = 0;
    for line in text.lines() {
        let vector: Vector = serde_json::from_str(line).unwrap();
        let denied = match vector.kind.as_str() {
            "ip" => guard().check(vector.host.parse().unwrap()).is_err(),
            _ => !passes(&guard(), &vector.host),
        };
        assert_eq!(denied, vector.deny, "{} ({})", vector.host, vector.why);
        count += 1;
    }
    assert!(count >= 75, "only {count} vectors");
}

proptest! {
    #[test]
    fn no_spelling_of_an_ipv4_address_is_a_name(bits: u32) {
        let [a, b, c, d] = bits.to_be_bytes();
        for host in [
            format!("{bits}"),
            format!("{bits:#x}"),
            format!("0{bits:o}"),
            format!("{a:#x}.{b}.0{c:o}.{d}"),
            format!("{a}.{b}.{}", u32::from(c) << 8 | u32::from(d)),
            format!("{a}.{b}.{c}.{d}."),
        ] {
            let text = format!("https://{host}/");
            prop_assert!(!passes(&Guard::new(vec!["0.0.0.0/0".parse().unwrap()]), &text), "{}", text);
        }
    }
}
