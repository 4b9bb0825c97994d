//! Passwords: short and memorable, so that only their key gives them away.

/// Fewest bytes of a password, and most.
const LENGTH: std::ops::RangeInclusive<usize> = 6..=128;

/// Words about passwords: what stands under the key in a schema, a form or a manual.
const ABOUT: &[&str] = &[
    "alphanumeric",
    "any",
    "argon",
    "auth",
    "base",
    "basic",
    "bcrypt",
    "bool",
    "boolean",
    "changeme",
    "char",
    "characters",
    "chars",
    "config",
    "credential",
    "credentials",
    "docs",
    "documentation",
    "dummy",
    "email",
    "encrypted",
    "env",
    "example",
    "false",
    "field",
    "flow",
    "format",
    "grant",
    "hashed",
    "hex",
    "hidden",
    "hmac",
    "input",
    "length",
    "login",
    "masked",
    "max",
    "min",
    "minimum",
    "none",
    "not",
    "null",
    "nullable",
    "oauth",
    "optional",
    "passkey",
    "passphrase",
    "password",
    "passwords",
    "pbkdf",
    "pin",
    "placeholder",
    "plain",
    "plaintext",
    "process",
    "redacted",
    "required",
    "sample",
    "scrypt",
    "secret",
    "secrets",
    "see",
    "sha",
    "str",
    "string",
    "supported",
    "text",
    "true",
    "unsupported",
    "user",
    "username",
    "vault",
    "via",
    "your",
];

/// Keys that end like a password's and name what is done with one.
const DEEDS: &[&str] = &[
    "change",
    "check",
    "forgot",
    "forgotten",
    "has",
    "is",
    "lost",
    "needs",
    "no",
    "recover",
    "require",
    "required",
    "requires",
    "reset",
    "set",
    "update",
    "validate",
    "verify",
];

/// True for keys, as [`super::letters`] gives them, under which a password stands.
pub(super) fn is_key(key: &str) -> bool {
    let endings = ["password", "passwd", "passphrase", "pwd"];
    let before = endings.iter().find_map(|ending| key.strip_suffix(ending));
    before.is_some_and(|before| !DEEDS.iter().any(|deed| before.ends_with(deed)))
}

/// True for what is a password under such a key, and no word about passwords.
pub(super) fn is_value(value: &str) -> bool {
    let is_solid = |character: char| !character.is_whitespace() && !character.is_control();
    LENGTH.contains(&value.len())
        && value.chars().all(is_solid)
        && value.chars().any(char::is_alphabetic)
        && !value.chars().all(char::is_alphabetic)
        && !is_stand_in(value)
        && !is_constant(value)
        && value
            .split(|it: char| !it.is_alphabetic())
            .all(|word| !ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about)))
}

/// True for what a password has in a sentence, where any word may follow the colon.
pub(super) fn is_marked(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Places, variables, templates, and rows of one character.
fn is_stand_in(value: &str) -> bool {
    let bytes = value.as_bytes();
    let mut distinct = bytes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let is_variable = bytes[0] == b'$' && (bytes[1].is_ascii_alphabetic() || bytes[1] == b'{');
    distinct.len() < 4
        || is_variable
        || value.starts_with(['/', '.', '{', '<', '[', '%', '(', '#'])
        || ["://", "${", "{{", "[redacted]"]
            .iter()
            .any(|sign| value.contains(sign))
}

/// The name of a variable, such as `DB_PASS`.
fn is_constant(value: &str) -> bool {
    value.contains('_')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
