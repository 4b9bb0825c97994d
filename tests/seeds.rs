//! The lists of domains that we ship and test with.

use crate::support;
use manifest::Domain;

#[test]
fn the_starter_list_names_only_domains_and_each_once() {
    let list = support::workspace_file("seeds/domains.txt");
    let mut domains: Vec<Domain> = list
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| Domain::parse(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    assert!(domains.len() > 50);
    let count = domains.len();
    domains.sort();
    domains.dedup();
    assert_eq!(domains.len(), count, "a domain stands twice in the list");
}

#[test]
fn hosts_that_real_manifests_name_are_domains() {
    let Some(path) = support::shared("corpus/known_domains.tsv") else {
        return;
    };
    let list = std::fs::read_to_string(path).unwrap();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let host = line.split('\t').next().unwrap();
        assert_eq!(Domain::parse(host).as_ref().map(Domain::as_str), Ok(host));
    }
}
