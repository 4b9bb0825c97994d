//! Passwords, which are short and memorable, so that only their key identifies them.

use crate::text;

/// Length of a password, in bytes.
const LENGTH: std::ops::RangeInclusive<usize> = 6..=128;

/// Words about passwords, which are values of such keys in schemas, forms and manuals.
const ABOUT: &str = include_str!("password/about.txt");

/// Words before `password` in keys for an action or a flag.
const ACTIONS: &[&str] = &[
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

/// Reports whether a key, normalized by [`super::letters`], names a password.
pub(super) fn is_key(key: &str) -> bool {
    let endings = ["password", "passwd", "passphrase", "pwd"];
    let before = endings.iter().find_map(|ending| key.strip_suffix(ending));
    before.is_some_and(|before| !ACTIONS.iter().any(|action| before.ends_with(action)))
}

/// Reports whether a value of such a key is a password, not a word about passwords.
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
            .all(|word| !text::listed(ABOUT).any(|about| word.eq_ignore_ascii_case(about)))
}

/// Reports whether a value in a sentence looks like a password, because any word may follow the
/// colon there.
pub(super) fn is_marked(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Reports whether a value is a path, a variable, a template, or has fewer than four distinct
/// bytes.
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
            .any(|symbol| value.contains(symbol))
}

/// Reports whether a value is the name of a constant, such as `DB_PASS`.
fn is_constant(value: &str) -> bool {
    value.contains('_')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
