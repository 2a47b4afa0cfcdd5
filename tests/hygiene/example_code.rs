//! The teaching pages show code of the tested examples.

use super::pages::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The program of the tutorial.
const TICKET_SHOP: [&str; 3] =
    ["examples/src/ticket_shop.rs", "examples/tests/ticket_shop.rs", "examples/ticket_shop_on_aws.rs"];

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

/// Returns the code without white space, trailing commas and comment marks, so that it may be broken into lines differently.
fn normalized(code: &str) -> String {
    let mark = |line: &str| line.trim_start_matches('/').to_owned();
    let code: String = code.lines().map(|line| mark(line.trim_start())).collect();
    let mut code: String = code.chars().filter(|char| !char.is_whitespace()).collect();
    for closing in [')', ']', '}'] {
        code = code.replace(&format!(",{closing}"), &closing.to_string());
    }
    code
}

/// Asserts that a page has at least `least` blocks marked `rs`, and that each of them is in one of these files. Blocks marked
/// `rust` are left out, because the compiler checks them.
fn assert_blocks_are_from(page: &str, files: &[PathBuf], least: usize) {
    let example: String = files.iter().map(|file| normalized(&read(file))).collect();
    let page = read(&root().join(page));
    let blocks: Vec<_> = page.split("```rs\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= least, "the page has {} blocks", blocks.len());
    for block in blocks {
        assert!(example.contains(&normalized(block)), "not in the example:\n{block}");
    }
}

#[test]
fn every_code_block_of_the_tutorial_is_part_of_the_tested_example() {
    assert_blocks_are_from("docs/tutorial.md", &TICKET_SHOP.map(|file| root().join(file)), 11);
}

#[test]
fn every_code_block_of_the_recipes_is_part_of_the_tested_examples() {
    let files = fs::read_dir(root().join("examples/src/recipes")).expect("the recipes");
    let files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    assert_blocks_are_from("docs/recipes.md", &files, 10);
}

#[test]
fn the_tutorial_shows_all_functions_of_the_example() {
    let page = read(&root().join("docs/tutorial.md"));
    for file in TICKET_SHOP {
        let code = read(&root().join(file));
        let names = code.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
        let missing: Vec<_> = names.filter(|name| !page.contains(&format!("fn {name}("))).collect();
        assert!(missing.is_empty(), "{file}: {missing:?}");
    }
}
