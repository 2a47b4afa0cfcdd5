//! The page of the examples names each example, and only examples that exist.

use super::pages::{links, root};
use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = include_str!("../../examples/README.md");

/// Returns the names of the Rust files and of the test targets in a folder of `examples`, such as `tests/faults.rs`.
fn files(folder: &str) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(root().join("examples").join(folder)).expect("a folder");
    entries.filter_map(move |entry| {
        let path = entry.expect("an entry").path();
        let path = if path.join("main.rs").exists() { path.join("main.rs") } else { path };
        let below = path.strip_prefix(root().join("examples")).expect("it is below");
        let name = below.to_str().expect("a name").to_owned();
        (Path::new(&name).extension().is_some_and(|end| end == "rs") && !name.ends_with("mod.rs")).then_some(name)
    })
}

#[test]
fn the_page_names_each_example_each_recipe_and_each_test() {
    let exist: BTreeSet<String> = ["", "src/recipes", "tests"].into_iter().flat_map(files).collect();
    let is_code = |file: &str| Path::new(file).extension().is_some_and(|end| end == "rs");
    let named: BTreeSet<String> =
        links(PAGE).into_iter().map(|(_, file)| file.to_owned()).filter(|file| is_code(file)).collect();
    assert_eq!(named, exist);
}

/// A row without a command of its own runs nothing here.
#[test]
fn each_command_of_the_page_names_what_exists() {
    let mut commands = 0;
    for row in PAGE.lines().filter(|line| line.starts_with("| ")) {
        for (flag, folder) in [("--example ", ""), ("--test ", "tests/")] {
            let Some((_, after)) = row.split_once(flag) else { continue };
            let name: String = after.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
            let exists = [format!("{folder}{name}.rs"), format!("{folder}{name}/main.rs")]
                .iter()
                .any(|file| root().join("examples").join(file).exists());
            assert!(exists, "{row}");
            commands += 1;
        }
    }
    assert!(commands > 20, "the page has its commands: {commands}");
}
