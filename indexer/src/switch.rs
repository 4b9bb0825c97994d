//! Flags that an environment variable turns on.

/// Reads the value of `variable` for a flag; the flag itself has none.
///
/// The argument parser would take `true` and `false` alone, and name the flag where it takes nothing else.
pub fn of(
    variable: &'static str,
) -> impl Fn(&str) -> Result<bool, String> + Clone + Send + Sync + 'static {
    move |text| match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        // Set to nothing is how a list of variables leaves one out.
        "false" | "0" | "no" | "off" | "" => Ok(false),
        _ => Err(format!(
            "the environment variable {variable} takes true or false (also 1 or 0, yes or no, on or off)"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_turns_its_flag_on_or_off_or_is_told_what_it_takes() {
        let read = of("AGENTDEX_X");
        for on in ["1", "true", "TRUE", "yes", " on "] {
            assert_eq!(read(on), Ok(true), "{on}");
        }
        for off in ["", "0", "false", "No", "off"] {
            assert_eq!(read(off), Ok(false), "{off}");
        }
        let told = read("maybe").unwrap_err();
        assert!(told.contains("AGENTDEX_X takes true or false"), "{told}");
    }
}
