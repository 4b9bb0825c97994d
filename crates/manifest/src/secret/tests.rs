//! Secrets, and values that only look like secrets.

use super::*;
use serde_json::json;

// Secrets are assembled at run time, so that no secret scanner reports this file.
fn keyed() -> String {
    ["a1b2c3d4e5f6", "4f9a1c7e2b8d", "0a9b8c7d6e5f"].concat()
}

fn token() -> String {
    ["sk-", "a1B2c3D4e5F6g7H8i9J0"].concat()
}

fn signed() -> String {
    let part = "aGVsbG8gd29ybGQ1NjQ4".repeat(2);
    format!("eyJhbGciOiJFUzI1NiJ9.{part}.{part}")
}

#[test]
fn secrets_are_reported_and_removed_and_words_about_them_are_not() {
    let mut value = json!({
        "auth": {"api_key": keyed(), "type": "api_key", "token_url": "https://a.example/token1234567890abcd"},
        "keys": [{"password": "see the documentation"}, {"token": "short1"}],
        "headers": [{"name": "X-API-Key", "value": format!("Bearer {}", keyed())}],
        "properties": {"secret": {"type": "string", "default": keyed()}},
        "description": "Give your token in the header",
    });
    let mut findings = Findings::default();
    let pointers = redact(&mut value, &mut findings);
    let expected = [
        "/auth/api_key",
        "/headers/0/value",
        "/properties/secret/default",
    ];
    assert_eq!(pointers, expected);
    assert!(!value.to_string().contains(&keyed()));
    assert_eq!(value["auth"]["type"], "api_key");
    let findings = findings.into_vec();
    assert_eq!((findings.len(), findings[0].count), (1, 3));
    assert_eq!(findings[0].rule, "DI-10");
}

#[test]
fn secrets_in_a_text_are_hidden_and_the_rest_is_kept() {
    let (keyed, token, signed) = (keyed(), token(), signed());
    let head = ["-----BEGIN ", "PRIVATE KEY-----"].concat();
    for (text, expected) in [
        (
            format!("use {token}, or ask"),
            "use [redacted], or ask".to_owned(),
        ),
        (
            format!("Token: {keyed}\nName: A"),
            "Token: [redacted]\nName: A".to_owned(),
        ),
        (
            format!("{{\"api_key\": \"{keyed}\",}}"),
            "{\"api_key\": \"[redacted]\",}".to_owned(),
        ),
        (
            format!("Authorization: Bearer {keyed}"),
            "Authorization: Bearer [redacted]".to_owned(),
        ),
        (
            format!("https://a.example/?q=1&sig={keyed}&x=2"),
            "https://a.example/?q=1&sig=redacted&x=2".to_owned(),
        ),
        (
            "https://me:hunter2@a.example/".to_owned(),
            "https://me:redacted@a.example/".to_owned(),
        ),
        (format!("a {signed}."), "a [redacted]".to_owned()),
        (
            format!("{head}\n{keyed}\n-----END KEY-----\nb"),
            "[redacted]\n\n\nb".to_owned(),
        ),
    ] {
        assert_eq!(hidden(&text), expected);
        assert_eq!(hidden(&expected), expected, "hiding is idempotent");
    }
}

#[test]
fn public_values_are_kept() {
    let (keyed, signed) = (keyed(), signed());
    let value = json!({
        "sha256": keyed, "kid": keyed, "public_key": keyed, "token_id": keyed, "x": keyed,
        "signatures": [{"protected": "eyJhbGciOiJFUzI1NiJ9", "signature": keyed}],
        "proof": {"jws": signed}, "jws": signed, "id": "b0a1c2d3-e4f5-4678-9abc-def012345678",
        "token": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        "url": "https://a.example/v1?page=2&token={token}",
        "note": "sk-learn-compatible-pipelines",
        "pem": "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----",
    });
    let mut read = value.clone();
    let found = redact(&mut read, &mut Findings::default());
    assert_eq!(found, Vec::<String>::new());
    assert_eq!(read, value);
}

#[test]
fn a_credential_need_not_look_random_where_one_is_expected() {
    let mut value = json!({
        "authentication": {"schemes": ["basic"], "credentials": "swordfish"},
        "agents": [
            {"authentication": {"credentials": "hunter2!"}},
            {"authentication": {"credentials": "https://a.example/keys"}},
            {"authentication": {"credentials": "ask us for one"}},
            {"authentication": {"credentials": "none"}},
        ],
        "credentials": "swordfish",
    });
    let pointers = redact(&mut value, &mut Findings::default());
    let expected = [
        "/authentication/credentials",
        "/agents/0/authentication/credentials",
    ];
    assert_eq!(pointers, expected);
    assert_eq!(value["authentication"]["credentials"], REDACTED);
    assert_eq!(value["agents"][3]["authentication"]["credentials"], "none");
}

fn letters_only() -> String {
    ["QkZmXpTtLvBn", "RcWyHnJdPsAf", "UeGoTiKdLm"].concat()
}

#[test]
fn letters_that_form_no_words_are_a_secret() {
    let (letters, lower) = (letters_only(), "qkzmxptlvbnrcwyhnjdpsfgkdlm");
    let mut value = json!({
        "unknown": format!("hf_{letters}"), "API_KEY": letters, "Api-Key": letters, "token": lower,
        "access_token": "getUserAccessTokenForServiceOfTheSite", "apiKey": "APIKeyForOAuthURLToken",
        "secret": "providedbytheenvironmentofthehost", "note": "hf_transformersInferencePipeline",
        "tokens": "a".repeat(30),
    });
    let found = redact(&mut value, &mut Findings::default());
    assert_eq!(found, ["/unknown", "/API_KEY", "/Api-Key", "/token"]);
    for (text, expected) in [
        (format!("use hf_{letters} now"), "use [redacted] now"),
        (format!("Api-Key: {letters}"), "Api-Key: [redacted]"),
        (["AKIA", "IOSFODNN", "7EXAMPLQ"].concat(), "[redacted]"),
    ] {
        assert_eq!(hidden(&text), expected);
    }
}

#[test]
fn a_password_is_recognised_by_its_key() {
    let mut value = json!({
        "password": "correct-horse-battery", "env": {"DB_PASSWORD": "hunter2pw"},
        "headers": [{"name": "X-Password", "value": "plainpw99"}], "keyPassphrase_": "open-sesame-7",
        "example": "log in with password: Tr0ub4dor&3xyz, then call",
    });
    let found = redact(&mut value, &mut Findings::default());
    let expected = [
        "/password",
        "/env/DB_PASSWORD",
        "/headers/0/value",
        "/keyPassphrase_",
        "/example",
    ];
    assert_eq!(found, expected);
    assert_eq!(
        value["example"],
        "log in with password: [redacted], then call"
    );
    for (text, expected) in [
        (
            "Password: hunter2pw\nAllow: a",
            "Password: [redacted]\nAllow: a",
        ),
        (
            "Password: correct-horse-battery\n",
            "Password: [redacted]\n",
        ),
        (
            "call /x?password=hunter2pw&a=1",
            "call /x?password=redacted&a=1",
        ),
        (
            "{\"password\": \"hunter2pw\"}",
            "{\"password\": \"[redacted]\"}",
        ),
    ] {
        assert_eq!(hidden(text), expected);
        assert_eq!(hidden(expected), expected);
    }
}

#[test]
fn words_about_passwords_and_tokens_are_kept() {
    for value in [
        "string",
        "string(8..64)",
        "required",
        "not-supported",
        "see-docs",
        "min-8-chars",
        "bcrypt10",
        "sha256",
        "YOUR_PASSWORD",
        "your-password-here",
        "<password>",
        "{password}",
        "********",
        "xxxxxx",
        "$user.password",
        "${DB_PASSWORD}",
        "DB_PASS_1",
        "env:PASS",
        "https://a.example/password",
        "/login/reset-2",
        "Minimum",
        "The user's password",
        "8-64",
        "short",
        "[redacted]",
        "secrets.db-1",
    ] {
        for key in ["password", "db_password"] {
            let mut read = json!({key: value});
            assert!(
                redact(&mut read, &mut Findings::default()).is_empty(),
                "{key}: {value}"
            );
        }
        let line = format!("Password: {value}\nAllow: a");
        assert_eq!(hidden(&line), line);
    }
    let value = json!({
        "type": "password", "token": "required", "reset_password": "reset-by-mail-2", "grant_types": ["password"],
        "api_key": "YOUR_API_KEY", "properties": {"password": {"type": "string", "minLength": 8}},
        "text": "token: see docs. Password: required, 8 characters. password: correct-horse or not",
        "authorization": "Bearer YOUR_ACCESS_TOKEN_GOES_HERE", "key": "***",
    });
    let mut read = value.clone();
    let found = redact(&mut read, &mut Findings::default());
    assert_eq!(found, Vec::<String>::new());
}
