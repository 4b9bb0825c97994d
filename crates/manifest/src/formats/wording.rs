//! Texts that stand in the place of a description and describe something else (GP-16).

/// Reports whether a text is about the file it stands in, instead of the site.
pub(super) fn is_about_the_file(text: &str) -> bool {
    const STARTS: [&str; 16] = [
        "emerging standard ",
        "a standard for ",
        "this file",
        "this document",
        "this page",
        "this guide",
        "this manifest",
        "this compatibility file",
        "guidance for ",
        "guidelines for ",
        "instructions for ",
        "ai agents, ",
        "ai agents and ",
        "this site is agent",
        "a machine-readable ",
        "machine-readable ",
    ];
    let start = start(text);
    // "MCP discovery manifest for the mug shop"
    let mut words = start.split_whitespace().take(6);
    let is_named =
        words.any(|word| word == "manifest") && matches!(words.next(), Some("for" | "of"));
    is_named || STARTS.iter().any(|words| start.starts_with(words))
}

/// Reports whether a text tells its reader what to do.
pub(super) fn is_instruction(text: &str) -> bool {
    const STARTS: [&str; 15] = [
        "use the ",
        "use this ",
        "use https:",
        "start at ",
        "start with ",
        "begin with ",
        "if the user",
        "if you ",
        "if an agent",
        "prefer ",
        "please ",
        "cite ",
        "when citing ",
        "treat ",
        "do not ",
    ];
    let start = start(text);
    STARTS.iter().any(|words| start.starts_with(words))
}

/// Returns the start of a text, in lower case.
fn start(text: &str) -> String {
    let start = text.trim_start().chars().take(60);
    start.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gp_16_a_text_about_the_file_or_to_its_reader_is_no_description() {
        for text in [
            "This file tells agents where our interfaces are.",
            "MCP discovery manifest for the mug shop",
            "Machine-readable guidance for assistants.",
        ] {
            assert!(is_about_the_file(text), "{text}");
        }
        for text in [
            "Start at https://mugs.example/sitemap.xml to find the pages.",
            "If the user asks for a price, fetch the list first.",
            "Use the site as an index.",
        ] {
            assert!(is_instruction(text), "{text}");
        }
        for text in [
            "Sells mugs and fires them to order.",
            "Use AI to design a mug.",
            "Start a shop in minutes.",
            "An index of rents for every street",
        ] {
            assert!(!is_about_the_file(text) && !is_instruction(text), "{text}");
        }
    }
}
