//! The commit protocol has the same invariants, by the same numbers, on its page and in the comments of the library.

use super::pages::{links, root, sources_in};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../docs/internals/protocol.md");

/// Returns the text of each invariant, by its number: from `**M1. ` to the next invariant or heading.
fn invariants() -> BTreeMap<u32, &'static str> {
    let sections = PAGE.split("\n#").flat_map(|section| section.split("\n**M").skip(1));
    let numbered = |text: &'static str| {
        let (number, text) = text.split_once(". ").expect("a number and a statement");
        (number.parse().expect("a number"), text)
    };
    sections.map(numbered).collect()
}

/// Returns the invariants that a text cites, such as `(M7)`.
fn cited(text: &str) -> impl Iterator<Item = u32> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words.filter_map(|word| word.strip_prefix('M')?.parse().ok())
}

/// Returns the comments of a source: each line from its first `//`.
fn comments(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| line.find("//").map(|at| &line[at..]))
}

#[test]
fn the_invariants_are_numbered_without_a_gap() {
    let numbers: Vec<u32> = invariants().into_keys().collect();
    assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<u32>>());
    assert!(numbers.len() > 20, "the page has its invariants: {numbers:?}");
}

#[test]
fn every_citation_is_an_invariant_and_every_invariant_is_cited() {
    let known: BTreeSet<u32> = invariants().into_keys().collect();
    let unknown: Vec<u32> = cited(PAGE).filter(|number| !known.contains(number)).collect();
    assert_eq!(unknown, Vec::<u32>::new(), "the page cites invariants that it does not have");
    let mut in_the_library = BTreeSet::new();
    for (file, source) in sources_in(&root().join("dyno-runtime/src")) {
        for number in comments(&source).flat_map(cited) {
            assert!(known.contains(&number), "{} cites M{number}", file.display());
            in_the_library.insert(number);
        }
    }
    assert_eq!(
        known.difference(&in_the_library).collect::<Vec<_>>(),
        Vec::<&u32>::new(),
        "invariants without citation"
    );
}

/// `pages` checks that each linked test exists.
#[test]
fn every_invariant_links_to_a_test() {
    let is_test = |said: &str| ["`behaviour::", "`simulation::"].iter().any(|suite| said.starts_with(suite));
    for (number, text) in invariants() {
        let tests = links(text).into_iter().filter(|(said, _)| is_test(said)).count();
        assert!(tests > 0, "M{number} names no test");
        let named = text.matches("`behaviour::").count() + text.matches("`simulation::").count();
        assert_eq!(tests, named, "M{number} names a test without a link to its file");
    }
}
