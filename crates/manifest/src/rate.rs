//! Parser of rate limits in all their notations: 60, "60/minute", {requests, window}, {max, window
//! "1d"} (C-38, C-105).

use crate::agent::RateLimit;
use crate::text;
use serde_json::Value;

/// Reads a limit on `scope`; returns `None` if its notation is not known.
///
/// A bare number means calls per minute.
pub(crate) fn read(scope: &str, value: &Value) -> Option<RateLimit> {
    let (limit, window_s) = match value {
        Value::Number(number) => (whole(number)?, 60),
        Value::String(text) => return parse(scope, text),
        Value::Object(members) => {
            let any = |names: &[&str]| names.iter().find_map(|name| members.get(*name));
            if let Some(limit) = any(&["requests_per_minute", "max_requests_per_minute"]) {
                return read(scope, limit);
            }
            let limit = match any(&["requests", "max", "limit"])? {
                Value::Number(number) => whole(number)?,
                Value::String(text) => text.trim().parse().ok()?,
                _ => return None,
            };
            let window_s = match any(&["window", "per", "period", "interval"])? {
                Value::Number(seconds) => whole(seconds)?,
                Value::String(text) => window(text)?,
                _ => return None,
            };
            (limit, window_s)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => return None,
    };
    limited(scope, limit, window_s)
}

/// Reads a number of calls in a window that stands beside it, as in `{"free": 100, "window": "1h"}`.
pub(crate) fn within(scope: &str, value: &Value, window_text: &str) -> Option<RateLimit> {
    let limit = match value {
        Value::Number(number) => whole(number)?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    limited(&text::some(scope)?, limit, window(window_text)?)
}

/// Reads a limit whose window is stated: a bare number has none, and what it counts is not known.
pub(crate) fn stated(scope: &str, value: &Value) -> Option<RateLimit> {
    let is_bare = match value {
        Value::Number(_) => true,
        Value::String(text) => text.trim().parse::<f64>().is_ok(),
        _ => false,
    };
    read(scope, value).filter(|_| !is_bare)
}

/// Reads a member of a map of limits: its name is the scope, says the window as `requests_per_day` does,
/// or both. A name that counts something else than calls gives none.
pub(crate) fn named(name: &str, value: &Value) -> Option<RateLimit> {
    const OTHERS: [&str; 8] = [
        "burst",
        "concurrent",
        "concurrency",
        "parallel",
        "connections",
        "tokens",
        "month",
        "week",
    ];
    const FILLERS: [&str; 11] = [
        "requests", "request", "calls", "per", "max", "limit", "rate", "rpm", "rph", "rpd", "rps",
    ];
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            spaced.push('_');
        }
        spaced.extend(letter.to_lowercase());
    }
    let words: Vec<&str> = spaced
        .split(|it: char| !it.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if words.iter().any(|word| OTHERS.contains(word)) {
        return None;
    }
    let of_word = |word: &&str| match *word {
        "rps" => Some(1),
        "rpm" => Some(60),
        "rph" | "hourly" => Some(3_600),
        "rpd" | "daily" => Some(86_400),
        word => window(word)
            .filter(|_| word.len() > 1 && !word.starts_with(|it: char| it.is_ascii_digit())),
    };
    let Some(window_s) = words.iter().find_map(of_word) else {
        return stated(&text::some(name)?, value);
    };
    let rest = words
        .iter()
        .filter(|word| of_word(word).is_none() && !FILLERS.contains(word));
    let scope: Vec<&str> = rest.copied().collect();
    let scope = if scope.is_empty() {
        "default".to_owned()
    } else {
        scope.join("_")
    };
    match value {
        Value::Number(number) => limited(&scope, whole(number)?, window_s),
        Value::String(text) => match text.trim().parse() {
            Ok(limit) => limited(&scope, limit, window_s),
            Err(_) => parse(&scope, text),
        },
        value => read(&scope, value),
    }
}

/// Parses a limit from text: `60`, `60/minute`, `60 per minute`, `60 requests/minute`, `10/30s`.
pub(crate) fn parse(scope: &str, text: &str) -> Option<RateLimit> {
    let text = text.trim();
    let digits = text.find(|character: char| !character.is_ascii_digit());
    let (limit, rest) = text.split_at(digits.unwrap_or(text.len()));
    let limit = limit.parse().ok()?;
    let rest = rest.trim().trim_start_matches("requests").trim();
    if rest.is_empty() {
        return limited(scope, limit, 60);
    }
    let unit = rest
        .strip_prefix('/')
        .or_else(|| rest.strip_prefix("per "))?;
    // `100/minute per IP`
    let unit = unit.trim().split(" per ").next().unwrap_or_default();
    limited(scope, limit, window(unit)?)
}

/// Parses a window to seconds: `minute`, `1d`, `30s`, `60`, `60 seconds`.
pub(crate) fn window(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|character: char| !character.is_ascii_digit());
    let (count, unit) = text.split_at(digits.unwrap_or(text.len()));
    let unit = match unit.trim() {
        "" if !count.is_empty() => 1,
        "s" | "sec" | "second" | "seconds" => 1,
        "m" | "min" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" => 3_600,
        "d" | "day" | "days" => 86_400,
        _ => return None,
    };
    let count: u64 = if count.is_empty() {
        1
    } else {
        count.parse().ok()?
    };
    count.checked_mul(unit).filter(|seconds| *seconds > 0)
}

/// Parses a lifetime such as `3600` or `3600s` to seconds (C-106).
pub(crate) fn seconds(text: &str) -> Option<u64> {
    window(text).filter(|_| {
        text.trim()
            .starts_with(|first: char| first.is_ascii_digit())
    })
}

fn limited(scope: &str, limit: u64, window_s: u64) -> Option<RateLimit> {
    (window_s > 0).then(|| RateLimit {
        scope: scope.to_owned(),
        limit,
        window_s,
        note: None,
    })
}

fn whole(number: &serde_json::Number) -> Option<u64> {
    number.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_notation_is_read() {
        for (value, expected) in [
            (json!(60), Some((60, 60))),
            (json!("60"), Some((60, 60))),
            (json!("60/minute"), Some((60, 60))),
            (json!(" 100 / hour "), Some((100, 3_600))),
            (json!("100 requests per day"), Some((100, 86_400))),
            (json!("10/30s"), Some((10, 30))),
            (json!({"requests": 5, "window": "second"}), Some((5, 1))),
            (json!({"max": 9, "window": "1d"}), Some((9, 86_400))),
            (json!({"requests": 9, "window": 10}), Some((9, 10))),
            (json!({"requests_per_minute": 30}), Some((30, 60))),
            (json!("minute"), None),
            (json!("60/fortnight"), None),
            (json!(-1), None),
            (json!("99999999999999999999/minute"), None),
            (json!({"window": "1d"}), None),
            (json!({"requests": 1, "window": 0}), None),
            (json!([60]), None),
        ] {
            let read = read("default", &value).map(|limit| (limit.limit, limit.window_s));
            assert_eq!(read, expected, "{value}");
        }
    }

    #[test]
    fn a_lifetime_may_have_a_unit() {
        assert_eq!(seconds("3600"), Some(3_600));
        assert_eq!(seconds("3600s"), Some(3_600));
        assert_eq!(seconds("30 min"), Some(1_800));
        assert_eq!(seconds("hour"), None);
    }
}
