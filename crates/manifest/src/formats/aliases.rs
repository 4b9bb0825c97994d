//! Former ids of formats, which links, scripts and test data may still use.

/// Former ids with their present ones: the dialects of agents.txt used to have numbers.
const ALIASES: [(&str, &str); 13] = [
    ("agents-txt/d1", "agents-txt/agents-protocol-legacy"),
    ("agents-txt/d2", "agents-txt/agents-protocol"),
    ("agents-txt/d3", "agents-txt/well-known-1.0"),
    ("agents-txt/d4", "agents-txt/agents-txt-com"),
    ("agents-txt/d5", "agents-txt/agentstxt-dev"),
    ("agents-txt/d6", "agents-txt/agent-policy"),
    ("agents-txt/d8", "agents-txt/yaml-list"),
    ("agents-txt/d9", "agents-txt/yaml-blocks"),
    ("agents-txt/d10", "agents-txt/hashed-policy"),
    ("agents-txt/d11", "agents-txt/prose"),
    ("agents-txt/d12", "agents-txt/robots-like"),
    ("agents-txt/d13", "agents-txt/free-keys"),
    ("agents-txt/d14", "agents-txt/adp-1.0"),
];

/// Returns the present id of a format for a former one; other names are returned as they are.
pub fn current_id(name: &str) -> &str {
    let alias = ALIASES.iter().find(|(former, _)| *former == name);
    alias.map_or(name, |(_, current)| current)
}

/// Returns the former ids of a format.
pub fn former_ids(id: &str) -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().filter(move |(_, current)| *current == id);
    aliases.map(|(former, _)| *former)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::ALL;

    #[test]
    fn each_alias_leads_to_a_format_and_is_none_itself() {
        let ids = || ALL.iter().flat_map(|it| it.also.iter().chain([&it.id]));
        for (former, current) in ALIASES {
            assert!(ids().any(|id| id.as_str() == current), "{current}");
            assert!(ids().all(|id| id.as_str() != former), "{former}");
            assert_eq!(current_id(former), current);
            assert_eq!(former_ids(current).collect::<Vec<_>>(), [former]);
        }
        assert_eq!(current_id("zervice"), "zervice");
    }
}
