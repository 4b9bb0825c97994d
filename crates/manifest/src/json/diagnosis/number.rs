//! Numbers, and what is wrong with them.

use super::{Outcome, Scan};
use crate::json::fault::Fault;

impl Scan<'_> {
    /// Reads a number.
    pub(super) fn number(&mut self) -> Outcome<()> {
        let end = self.word_end();
        let number = &self.text[self.at..end];
        let range = self.at..end;
        let fault = |what: &str, help: &str, right: &str| {
            Err(Fault::new(self.at, what)
                .help(help)
                .replacing(self.text, range.clone(), right))
        };
        if is_number(number) {
            self.take(number.len());
            return Ok(());
        }
        let unsigned = number.trim_start_matches(['-', '+']);
        let is_plain = |text: &str| {
            let parts: Vec<&str> = text.split('.').collect();
            let is_digits = |part: &&str| part.bytes().all(|it| it.is_ascii_digit());
            parts.len() <= 2 && parts.iter().all(is_digits) && text.len() > parts.len() - 1
        };
        if matches!(unsigned, "Infinity" | "NaN" | "inf") {
            return fault(
                "NaN or infinity, which JSON does not have",
                "write null or a number",
                "null",
            );
        }
        if let Some(digits) = unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X"))
            && let Ok(value) = u64::from_str_radix(digits, 16)
        {
            let minus = if number.starts_with('-') { "-" } else { "" };
            return fault(
                "a hexadecimal number",
                "write it in decimal",
                &format!("{minus}{value}"),
            );
        }
        if number.starts_with('+') && is_number(unsigned) {
            return fault("a plus sign before a number", "remove it", unsigned);
        }
        let minus = if number.starts_with('-') { "-" } else { "" };
        if is_plain(unsigned) && (unsigned.starts_with('.') || unsigned.ends_with('.')) {
            let whole = unsigned.strip_suffix('.').unwrap_or(unsigned);
            let zero = if whole.starts_with('.') { "0" } else { "" };
            let right = format!("{minus}{zero}{whole}");
            return fault(
                "a decimal point without digits on both sides",
                "give a digit on each side",
                &right,
            );
        }
        if is_plain(unsigned) && unsigned.starts_with('0') {
            let digits = unsigned.trim_start_matches('0');
            let zero = if digits.is_empty() || digits.starts_with('.') {
                "0"
            } else {
                ""
            };
            let right = format!("{minus}{zero}{digits}");
            return fault(
                "a number with a leading zero",
                "remove the zero, or write a string in double quotes",
                &right,
            );
        }
        fault(
            "this is not a number",
            "write a text in double quotes",
            &format!("\"{number}\""),
        )
    }
}

/// Tests the grammar of numbers (RFC 8259 section 6).
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text.starts_with('0')) {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(exponent);
        return length > 0 && length == exponent.len();
    }
    rest.is_empty()
}
