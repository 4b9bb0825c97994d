//! Flags that an environment variable turns on.

/// Returns a parser of the value of `variable`, which sets a flag that has no value itself.
///
/// Clap's own parser accepts only `true` and `false`, and its error names the flag instead of the
/// variable.
pub fn of(
    variable: &'static str,
) -> impl Fn(&str) -> Result<bool, String> + Clone + Send + Sync + 'static {
    move |text| match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        // Environment files leave a variable out by an empty value.
        "false" | "0" | "no" | "off" | "" => Ok(false),
        _ => Err(format!(
            "the environment variable {variable} accepts true or false (also 1 or 0, yes or no, on or off)"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_sets_its_flag_and_other_values_are_rejected() {
        let read = of("AGENTDEX_X");
        for on in ["1", "true", "TRUE", "yes", " on "] {
            assert_eq!(read(on), Ok(true), "{on}");
        }
        for off in ["", "0", "false", "No", "off"] {
            assert_eq!(read(off), Ok(false), "{off}");
        }
        let error = read("maybe").unwrap_err();
        assert!(
            error.contains("AGENTDEX_X accepts true or false"),
            "{error}"
        );
    }
}
