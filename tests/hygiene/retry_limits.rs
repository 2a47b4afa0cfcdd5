//! The limits of retries on the guide's page are those of the library.

use super::pages::root;

const PAGE: &str = include_str!("../../docs/production.md");

/// Returns the last cell of each row of the table: a file of the runtime, and the declaration of its constant.
fn constants() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.lines().filter_map(|line| {
        let cell = line.trim_end().strip_suffix("` |")?.rsplit_once("| `")?.1;
        cell.split_once("`: `")
    })
}

#[test]
fn every_retry_limit_has_the_value_on_the_page() {
    let mut seen = 0;
    for (file, constant) in constants() {
        let path = root().join("dyno-runtime/src").join(file);
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(source.contains(&format!("const {constant};")), "{file} has no `const {constant};`");
        seen += 1;
    }
    assert!(seen >= 20, "the page has its table: {seen}");
}
