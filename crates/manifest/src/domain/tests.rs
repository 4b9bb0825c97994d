//! Notations of host names, and invalid names.

use super::*;

#[test]
fn lookalikes_of_delimiters_are_rejected() {
    for text in [
        "shop.example⁄path.example",
        "shop.example∕path.example",
        "a∶b.example",
    ] {
        assert_eq!(Domain::parse(text), Err(DomainError::Invalid), "{text}");
    }
    let spelled = url::Host::parse("a⁄b.example").unwrap().to_string();
    assert_eq!(Domain::parse(&spelled), Err(DomainError::Invalid));
    assert_eq!(
        Domain::parse("BÜCHER.example.").unwrap().as_str(),
        "xn--bcher-kva.example"
    );
}

#[test]
fn all_notations_of_a_name_give_the_same_domain() {
    for (text, expected) in [
        ("shop.example", "shop.example"),
        (" Shop.EXAMPLE. ", "shop.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("ｓｈｏｐ．ｅｘａｍｐｌｅ", "shop.example"),
        ("shop。example", "shop.example"),
        ("straße.example", "xn--strae-oqa.example"),
        ("почта.example", "xn--80a1acny.example"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("a.b.c.shop.example", "a.b.c.shop.example"),
        ("1-2.example", "1-2.example"),
        ("site.test", "site.test"),
        ("repo.github.io", "repo.github.io"),
        ("shop.co.uk", "shop.co.uk"),
        // UTS 46 with CheckHyphens=false: registries gave such names away.
        ("v2--otter.example", "v2--otter.example"),
        ("R3---sn.v2--Otter.example", "r3---sn.v2--otter.example"),
        ("bü--cher.example", "xn--b--cher-n2a.example"),
        ("My_Desk.otter.example", "my_desk.otter.example"),
        ("_agents.a__b.shop.co.uk", "_agents.a__b.shop.co.uk"),
        ("my＿desk.bücher.example", "my_desk.xn--bcher-kva.example"),
        ("a_b.repo.github.io", "a_b.repo.github.io"),
    ] {
        let domain = Domain::parse(text).map(|domain| domain.to_string());
        assert_eq!(domain.as_deref(), Ok(expected), "{text}");
        assert_eq!(Domain::parse(expected).unwrap().as_str(), expected);
    }
}

#[test]
fn invalid_names_have_a_reason() {
    let long_label = format!("{}.example", "a".repeat(64));
    let long_name = format!("{}example", "abcdefghi.".repeat(26));
    for (text, expected) in [
        ("", DomainError::Empty),
        (" . ", DomainError::Empty),
        ("localhost", DomainError::SingleLabel),
        ("example", DomainError::SingleLabel),
        ("127.0.0.1", DomainError::IpAddress),
        ("0x7f.1", DomainError::IpAddress),
        ("2130706433", DomainError::IpAddress),
        ("0177.0.0.1", DomainError::IpAddress),
        ("１２７.0.0.1", DomainError::IpAddress),
        ("127.1.", DomainError::IpAddress),
        ("[::1]", DomainError::IpAddress),
        ("::1", DomainError::Invalid),
        (&long_label, DomainError::TooLong),
        (&long_name, DomainError::TooLong),
        ("co.uk", DomainError::PublicSuffix),
        ("github.io", DomainError::PublicSuffix),
        ("a..example", DomainError::Invalid),
        (".example", DomainError::Invalid),
        ("-a.example", DomainError::Invalid),
        ("a-.example", DomainError::Invalid),
        // Underscores are for names below the one that was registered.
        ("a_b.example", DomainError::Underscore),
        ("www.a_b.example", DomainError::Underscore),
        ("a_b.github.io", DomainError::Underscore),
        ("shop.exam_ple", DomainError::Underscore),
        ("v2--.example", DomainError::Invalid),
        ("a!b.shop.example", DomainError::Invalid),
        ("a=b.shop.example", DomainError::Invalid),
        ("a b.example", DomainError::Invalid),
        ("a/b.example", DomainError::Invalid),
        ("user@shop.example", DomainError::Invalid),
        ("shop.example:443", DomainError::Invalid),
        ("*.example", DomainError::Invalid),
        ("xn--a.example", DomainError::Invalid),
        // A right-to-left label must not contain left-to-right letters (RFC 5893).
        ("שלוםa.example", DomainError::Invalid),
        // Joiners are for scripts that need them (CONTEXTJ, RFC 5892).
        ("sh\u{200d}op.example", DomainError::Invalid),
        ("shop.example\u{202e}", DomainError::Invalid),
    ] {
        assert_eq!(Domain::parse(text), Err(expected), "{text:?}");
    }
}

#[test]
fn joiners_are_permitted_where_a_script_needs_them() {
    let domain = Domain::parse("क्\u{200d}ष.example").unwrap();
    assert!(domain.as_str().starts_with("xn--"));
    assert_eq!(Domain::parse(&domain.to_unicode()), Ok(domain));
}

#[test]
fn the_registrable_name_follows_the_public_suffix_list() {
    for (text, registrable) in [
        ("a.b.shop.example", "shop.example"),
        ("www.shop.co.uk", "shop.co.uk"),
        ("docs.repo.github.io", "repo.github.io"),
    ] {
        assert_eq!(Domain::parse(text).unwrap().registrable(), registrable);
    }
}

#[test]
fn special_use_names_are_recognised() {
    for text in [
        "site.test",
        "printer.local",
        "a.localhost",
        "x.home.arpa",
        "y.onion",
    ] {
        assert!(Domain::parse(text).unwrap().is_special_use(), "{text}");
    }
    for text in ["shop.example", "mytest.com", "latest.dev"] {
        assert!(!Domain::parse(text).unwrap().is_special_use(), "{text}");
    }
}
