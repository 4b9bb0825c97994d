//! Titles of rules as faults: what is wrong, where the title says what the rule demands.

/// Verbs of titles, each with its negation.
const VERBS: [(&str, &str); 37] = [
    ("agree", "do not agree"),
    ("answers", "does not answer"),
    ("are", "are not"),
    ("begin", "do not begin"),
    ("belongs", "does not belong"),
    ("can", "cannot"),
    ("change", "do not change"),
    ("come", "do not come"),
    ("contains", "does not contain"),
    ("defines", "does not define"),
    ("describes", "does not describe"),
    ("ends", "does not end"),
    ("exist", "do not exist"),
    ("fit", "do not fit"),
    ("follow", "do not follow"),
    ("follows", "does not follow"),
    ("gives", "does not give"),
    ("has", "does not have"),
    ("have", "do not have"),
    ("holds", "does not hold"),
    ("is", "is not"),
    ("join", "do not join"),
    ("last", "do not last"),
    ("lead", "do not lead"),
    ("leads", "does not lead"),
    ("lists", "does not list"),
    ("name", "do not name"),
    ("names", "does not name"),
    ("point", "do not point"),
    ("points", "does not point"),
    ("refer", "do not refer"),
    ("run", "do not run"),
    ("says", "does not say"),
    ("speak", "do not speak"),
    ("speaks", "does not speak"),
    ("states", "does not state"),
    ("use", "do not use"),
];

/// Parts of titles whose negation is no negated verb.
const PARTS: [(&str, &str); 8] = [
    (" has no ", " has "),
    (" contains no ", " contains "),
    (" has at most ", " has more than "),
    (" is neither ", " is "),
    (" does not claim ", " claims "),
    (" does not point ", " points "),
    (" is not empty", " is empty"),
    (" declares something", " declares nothing"),
];

/// Titles whose fault has words of its own.
const TITLES: [(&str, &str); 7] = [
    ("There is at least one capability", "There is no capability"),
    (
        "No value is a placeholder of a template",
        "A value is a placeholder of a template",
    ),
    (
        "At least one Allow line names a capability",
        "No Allow line names a capability",
    ),
    (
        "What is not understood is kept within bounds",
        "More is not understood than is kept",
    ),
    (
        "An agent is listed once",
        "An agent is listed more than once",
    ),
    (
        "Tools that are called over a network have an endpoint",
        "Tools that are called over a network have no endpoint",
    ),
    (
        "agents.txt contains text, and agents.json contains JSON",
        "agents.txt contains no text, or agents.json no JSON",
    ),
];

/// Returns the title of a rule as the fault of a document that breaks it.
pub(crate) fn fault(title: &str) -> String {
    if let Some((_, fault)) = TITLES.iter().find(|it| it.0 == title) {
        return (*fault).to_owned();
    }
    // The contrast to a rule is no part of its fault.
    let title = title.split(", not ").next().unwrap_or(title);
    if let Some((part, other)) = PARTS.iter().find(|it| title.contains(it.0)) {
        return title.replacen(part, other, 1).replace(" nor ", " or ");
    }
    for first in ["Each ", "Every "] {
        if let Some(rest) = title.strip_prefix(first) {
            return format!("Not every {rest}");
        }
    }
    negated(title).unwrap_or_else(|| format!("Not kept: {title}"))
}

/// Negates the verb of a title: its first one that stands behind a noun.
fn negated(title: &str) -> Option<String> {
    let mut words: Vec<&str> = title.split(' ').collect();
    let verb = words.iter().enumerate().skip(1).find_map(|(at, word)| {
        // `The list has` begins with an article, behind which there is no verb.
        let is_noun = at == 1 && matches!(words[0], "The" | "A" | "An");
        let negation = VERBS.iter().find(|it| it.0 == *word && !is_noun)?;
        Some((at, negation.1))
    });
    let (at, negation) = verb?;
    words[at] = negation;
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::rules;

    #[test]
    fn every_rule_has_a_fault() {
        let lines: Vec<String> = rules::all()
            .map(|it| format!("{} {}", it.id, fault(it.title)))
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
